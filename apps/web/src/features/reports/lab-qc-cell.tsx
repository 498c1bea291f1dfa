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
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useSavedChoice } from '../../lib/use-saved-choice.ts'

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

interface LabQcCellProps {
  report: Report
  /** Its release is on its way. */
  isReleasing: boolean
  /** What is let out is shown and asked about first. */
  onRelease: (reportId: number) => void
}

/** The lab QC decision, saved as soon as it is chosen; a release is confirmed outside the table, which may render again meanwhile. */
export const LabQcCell = ({ report, isReleasing, onRelease }: LabQcCellProps) => {
  const mayEdit = can(useRole(), 'reports.edit')
  const save = useSave(reportRoutes.setLabQc, { isImmediate: true })
  const params = { reqID: report.requisitionId, reportID: report.id }
  const { saving: chosen, choose } = useSavedChoice<LabQcStatusCode>(report.version, (labQcStatusCode, version) =>
    save({ params, body: { labQcStatusCode }, headers: ifMatch(version) }),
  )
  const saving = isReleasing ? 'RELEASE' : chosen
  const change = (code: LabQcStatusCode) => {
    if (saving !== null) return
    if (code === 'RELEASE') onRelease(report.id)
    else void choose(code)
  }
  return (
    <Select
      aria-label={`${label.labQcStatusCode} of ${report.reportOriginalFileName}`}
      value={saving ?? report.labQcStatusCode ?? 'PENDING'}
      disabled={!mayEdit}
      aria-disabled={saving !== null || undefined}
      onChange={(event) => change(event.target.value as LabQcStatusCode)}
    >
      {Object.entries(labQcStatuses).map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  )
}
