import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import { useQueryClient } from '@tanstack/react-query'
import { outdateRequisitions } from '../../domain/requisition-reads.ts'
import { call } from '../../lib/api.ts'
import { idsIn, isSameIds, namesOf, ofRequisitions } from '../../lib/code-ids.ts'
import { events } from '../../lib/events.ts'
import { useRole } from '../../lib/session.ts'
import { useLookup } from '../../lib/use-lookup.ts'
import { ifMatch } from '../../lib/use-save.ts'
import { multiSelectWidth } from '../../ui/form/select-parts.tsx'
import { layerOfFocus } from '../../ui/form/use-layer.ts'
import { CellStatus } from '../../ui/table/cell-status.tsx'
import { useAutoSaved } from '../../ui/table/use-auto-saved.ts'

const passIdsIn = idsIn('passIds')

/** The pass codes of a requisition, chosen in the cell and saved a second later. */
export const PassCodesCell = ({ row }: { row: RequisitionRow }) => {
  const role = useRole()
  const client = useQueryClient()
  const { options } = useLookup('passReasons', ofRequisitions)
  const label = `Pass Codes of #${row.id}`
  const cell = useAutoSaved<readonly number[]>({
    label,
    value: row.reqPassCodes.map(({ reasonId }) => reasonId),
    version: row.version,
    delayMs: 1000,
    isSame: isSameIds,
    save: async (passIds, version) => {
      const reply = await call(requisitionCellRoutes.passCodes, {
        params: { reqID: row.id },
        body: { passIds: [...passIds] },
        headers: ifMatch(version),
      })
      outdateRequisitions(client, { isShown: true })
      events.emit('notice', { type: 'info', message: reply.message })
      return reply.data
    },
  })
  const codes = options
    .filter(({ value }) => cell.draft.includes(Number(value)))
    .map(({ label: text }) => text.split(' ')[0])
  if (!can(role, 'codes.edit')) return <>{row.reqPassCodes.map(({ passCode }) => passCode).join(', ')}</>
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
      <Select
        multiple
        displayEmpty
        value={[...cell.draft]}
        onChange={({ target }) => cell.change([target.value].flat().map(Number))}
        onClose={cell.flush}
        renderValue={() => codes.join(', ') || ' '}
        SelectDisplayProps={{ 'aria-label': label }}
        MenuProps={{ container: layerOfFocus, slotProps: { list: { 'aria-label': label } } }}
        sx={{ width: multiSelectWidth, height: 24, fontSize: 12 }}
      >
        {options.map(({ value, label: text }) => (
          <MenuItem key={value} value={Number(value)} dense>
            {text}
          </MenuItem>
        ))}
      </Select>
      <CellStatus cell={cell} label={label} valueIn={passIdsIn} show={namesOf(options)} />
    </span>
  )
}
