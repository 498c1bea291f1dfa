import { can } from '@lis/contract/access/permissions.ts'
import { type ReqTest, reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { hasSameIds, labelsOf, readIds, testCodes } from '../../lib/code-ids.ts'
import { events } from '../../lib/events.ts'
import { useRole } from '../../lib/session.ts'
import { useLookup } from '../../lib/use-lookup.ts'
import { ifMatch } from '../../lib/use-save.ts'
import { menuProps } from '../../ui/form/select-parts.tsx'
import { CheckMark } from '../../ui/form/toggles.tsx'
import { focusedPopupContainer } from '../../ui/form/use-popup-container.ts'
import { CellStatus } from '../../ui/table/cell-status.tsx'
import { useAutoSave } from '../../ui/table/use-auto-save.ts'
import type { FailCode } from '../fail-codes.tsx'
import { cellPosition } from './grid-keys.ts'

type CodeType = 'FAIL' | 'PASS'

const kinds = {
  FAIL: { label: 'Fail Codes', lookup: 'failReasons', wire: 'failIds', column: 1, className: 'code fail' },
  PASS: { label: 'Pass Codes', lookup: 'passReasons', wire: 'passIds', column: 2, className: 'code' },
} as const

interface CodeCellProps {
  row: ReqTest
  index: number
  type: CodeType
  /** Codes of the whole requisition, before the test's own. */
  requisitionCodes?: readonly FailCode[]
  /** The requisition has moved on, or the row is history. */
  isLocked: boolean
}

/** The codes of a test, chosen in the cell and saved a second after the last choice. */
export const CodeCell = (props: CodeCellProps) => {
  const role = useRole()
  const { row, type, requisitionCodes = [], isLocked } = props
  if (isLocked || !can(role, 'codes.edit'))
    return <Tags codes={[...requisitionCodes, ...codesOf(row, type)]} type={type} />
  return <OpenCodeCell {...props} />
}

const codesOf = (row: ReqTest, type: CodeType) =>
  type === 'FAIL'
    ? row.testFailCodes.map(({ reasonId, failCode, failDesc }) => ({ id: reasonId, code: failCode, text: failDesc }))
    : row.testPassCodes.map(({ reasonId, passCode, passDesc }) => ({ id: reasonId, code: passCode, text: passDesc }))

const Tags = ({ codes, type }: { codes: readonly FailCode[]; type: CodeType }) =>
  codes.map(({ id, code, text }) => (
    <span key={id} className={kinds[type].className} title={text}>
      {code}
    </span>
  ))

const OpenCodeCell = ({ row, index, type, requisitionCodes = [] }: CodeCellProps) => {
  const { label, lookup, wire, column } = kinds[type]
  const name = `${label} of ${row.testCode}`
  const { options } = useLookup(lookup, testCodes)
  const client = useQueryClient()
  const cell = useAutoSave<readonly number[]>({
    label: `${name} in #${row.reqId}`,
    value: codesOf(row, type).map(({ id }) => id),
    version: row.version,
    delayMs: 1000,
    isSame: hasSameIds,
    save: async (ids, version) => {
      const input = { params: { id: row.reqId, testId: row.id }, headers: ifMatch(version) }
      const reply =
        type === 'FAIL'
          ? await call(reqTestRoutes.failCodes, { ...input, body: { failIds: [...ids] } })
          : await call(reqTestRoutes.passCodes, { ...input, body: { passIds: [...ids] } })
      events.emit('notice', { type: 'info', message: reply.message })
      // A fail code changes results and possibly the status, so everything on screen is read again.
      client.invalidateQueries()
      return reply.data
    },
  })
  const chosen = options
    .filter(({ value }) => cell.draft.includes(Number(value)))
    .map(({ value, label: text }) => ({ id: Number(value), code: text.split(' ')[0] ?? '', text }))
  return (
    <span
      style={{
        display: 'flex',
        alignItems: 'center',
        gap: 4,
        flexWrap: requisitionCodes.length > 0 ? 'wrap' : 'nowrap',
      }}
    >
      {requisitionCodes.length > 0 && (
        <span>
          <Tags codes={requisitionCodes} type={type} />
        </span>
      )}
      <Select
        multiple
        displayEmpty
        variant="standard"
        disableUnderline
        value={[...cell.draft]}
        onChange={({ target }) => cell.change([target.value].flat().map(Number))}
        IconComponent={() => null}
        renderValue={() => (chosen.length > 0 ? <Tags codes={chosen} type={type} /> : '\u00A0')}
        SelectDisplayProps={{ 'aria-label': name, ...cellPosition(index, column) } as object}
        MenuProps={{
          ...menuProps,
          container: focusedPopupContainer,
          slotProps: { ...menuProps.slotProps, list: { 'aria-label': name } },
        }}
        sx={{
          // Below the codes of the requisition if there is no room beside them.
          flex: requisitionCodes.length > 0 ? '1 1 24px' : '1 1 auto',
          minWidth: 0,
          fontSize: 12,
          '& .MuiSelect-select.MuiSelect-select': { padding: '0 2px', minHeight: 24, lineHeight: '24px' },
          '& .MuiSelect-select:focus-visible': { outline: '2px solid var(--focus)', borderRadius: 'var(--r-sm)' },
        }}
      >
        {options.map(({ value, label: text }) => (
          <MenuItem key={value} value={Number(value)} sx={{ gap: 2 }}>
            <CheckMark isOn={cell.draft.includes(Number(value))} />
            {text}
          </MenuItem>
        ))}
      </Select>
      <CellStatus cell={cell} label={name} valueIn={readIds(wire)} show={labelsOf(options)} />
    </span>
  )
}
