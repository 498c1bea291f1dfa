import { can } from '@lis/contract/access/permissions.ts'
import {
  type LabQcStatusCode,
  reportLabels as label,
  labQcStatuses,
  type Report,
  reportRoutes,
} from '@lis/contract/reports.ts'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'

const Select = styled('select')(({ theme }) => ({
  width: '100%',
  maxWidth: 140,
  height: 26,
  padding: '0 6px',
  border: '1px solid var(--field-line)',
  borderRadius: 'var(--r-sm)',
  background: 'var(--surface)',
  color: 'var(--text)',
  font: 'inherit',
  '&:disabled, &[aria-disabled="true"]': {
    color: 'var(--text-3)',
    background: 'var(--surface-2)',
    borderColor: 'var(--line)',
  },
  [theme.breakpoints.down('sm')]: { height: 44, fontSize: 16 },
}))

/** The decision of lab QC, saved as soon as it is chosen. */
export const LabQcCell = ({ report }: { report: Report }) => {
  const mayEdit = can(useRole(), 'reports.edit')
  const save = useSave(reportRoutes.setLabQc)
  const [chosen, setChosen] = useState<LabQcStatusCode | null>(null)
  const choose = async (labQcStatusCode: LabQcStatusCode) => {
    setChosen(labQcStatusCode)
    try {
      const params = { reqID: report.requisitionId, reportID: report.id }
      await save({ params, body: { labQcStatusCode }, headers: ifMatch(report.version) })
    } catch {
      // The notice says why; the table is read again and shows what holds.
    } finally {
      setChosen(null)
    }
  }
  return (
    <Select
      aria-label={`${label.labQcStatusCode} of ${report.reportOriginalFileName}`}
      value={chosen ?? report.labQcStatusCode ?? 'PENDING'}
      disabled={!mayEdit}
      aria-disabled={chosen !== null || undefined}
      onChange={(event) => chosen === null && choose(event.target.value as LabQcStatusCode)}
    >
      {Object.entries(labQcStatuses).map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  )
}
