import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import Switch from '@mui/material/Switch'
import { call } from '../lib/api.ts'
import { useRole } from '../lib/session.ts'
import { ifMatch } from '../lib/use-save.ts'
import { CellStatus } from '../ui/table/cell-status.tsx'
import { useAutoSaved } from '../ui/table/use-auto-saved.ts'

/** Passed or not, saved half a second after the last click. */
export const DemographicQcCell = ({ row }: { row: Pick<RequisitionRow, 'id' | 'isDemQcPass' | 'version'> }) => {
  const role = useRole()
  const cell = useAutoSaved<0 | 1>({
    value: row.isDemQcPass,
    version: row.version,
    delayMs: 500,
    save: async (isDemQcPass, version) =>
      (
        await call(requisitionMoveRoutes.demQc, {
          params: { reqID: row.id },
          body: { isDemQcPass },
          headers: ifMatch(version),
        })
      ).data,
  })
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
      <Switch
        size="small"
        checked={cell.draft === 1}
        disabled={!can(role, 'reports.demographicQc')}
        onChange={(_, isOn) => cell.change(isOn ? 1 : 0)}
        slotProps={{ input: { 'aria-label': `Demographic QC of #${row.id}` } }}
      />
      {cell.draft === 1 ? 'Passed' : 'Not passed'}
      <CellStatus cell={cell} label={`Demographic QC of #${row.id}`} />
    </span>
  )
}
