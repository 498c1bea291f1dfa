import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import { useQueryClient } from '@tanstack/react-query'
import { invalidateRequisitions } from '../../domain/invalidate-requisitions.ts'
import { call } from '../../lib/api.ts'
import { hasSameIds, labelsOf, readIds, requisitionCodes } from '../../lib/code-ids.ts'
import { events } from '../../lib/events.ts'
import { useRole } from '../../lib/session.ts'
import { useLookup } from '../../lib/use-lookup.ts'
import { ifMatch } from '../../lib/use-save.ts'
import { multiSelectWidth } from '../../ui/form/select-parts.tsx'
import { focusedPopupContainer } from '../../ui/form/use-popup-container.ts'
import { CellStatus } from '../../ui/table/cell-status.tsx'
import { useAutoSave } from '../../ui/table/use-auto-save.ts'

const readPassIds = readIds('passIds')

/** The pass codes of a requisition, chosen in the cell and saved a second later. */
export const PassCodesCell = ({ row }: { row: RequisitionRow }) => {
  const role = useRole()
  const client = useQueryClient()
  const { options } = useLookup('passReasons', requisitionCodes)
  const label = `Pass Codes of #${row.id}`
  const cell = useAutoSave<readonly number[]>({
    label,
    value: row.reqPassCodes.map(({ reasonId }) => reasonId),
    version: row.version,
    delayMs: 1000,
    isSame: hasSameIds,
    save: async (passIds, version) => {
      const reply = await call(requisitionCellRoutes.passCodes, {
        params: { reqID: row.id },
        body: { passIds: [...passIds] },
        headers: ifMatch(version),
      })
      invalidateRequisitions(client, { isShown: true })
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
        MenuProps={{ container: focusedPopupContainer, slotProps: { list: { 'aria-label': label } } }}
        sx={{ width: multiSelectWidth, height: 24, fontSize: 12 }}
      >
        {options.map(({ value, label: text }) => (
          <MenuItem key={value} value={Number(value)} dense>
            {text}
          </MenuItem>
        ))}
      </Select>
      <CellStatus cell={cell} label={label} valueIn={readPassIds} show={labelsOf(options)} />
    </span>
  )
}
