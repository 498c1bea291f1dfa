import { can } from '@lis/contract/access/permissions.ts'
import {
  type LabQcStatusCode,
  reportLabels as label,
  labQcStatuses,
  type Report,
  reportRoutes,
} from '@lis/contract/reports.ts'
import { styled } from '@mui/material/styles'
import { useRole } from '../../lib/session.ts'
import { useChoice } from '../../lib/use-choice.ts'
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
  const save = useSave(reportRoutes.setLabQc, { isAtOnce: true })
  const params = { reqID: report.requisitionId, reportID: report.id }
  const { saving, choose } = useChoice<LabQcStatusCode>(report.version, (labQcStatusCode, version) =>
    save({ params, body: { labQcStatusCode }, headers: ifMatch(version) }),
  )
  return (
    <Select
      aria-label={`${label.labQcStatusCode} of ${report.reportOriginalFileName}`}
      value={saving ?? report.labQcStatusCode ?? 'PENDING'}
      disabled={!mayEdit}
      aria-disabled={saving !== null || undefined}
      onChange={(event) => saving === null && choose(event.target.value as LabQcStatusCode)}
    >
      {Object.entries(labQcStatuses).map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  )
}
