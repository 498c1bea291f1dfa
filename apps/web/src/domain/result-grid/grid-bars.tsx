import type { ReqTest } from '@lis/contract/requisition-tests.ts'
import { displayedResult } from '@lis/contract/results/display.ts'
import { styled } from '@mui/material/styles'
import { ErrorIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DiamondIcon, PencilIcon, TriangleIcon } from './grid-icons.tsx'
import type { GridCell } from './grid-store.ts'
import { RangeName } from './interpretation.tsx'
import { progressOf } from './progress.ts'

type Cells = ReadonlyMap<number, GridCell>

const Bar = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  minHeight: 32,
  padding: '4px 16px',
  borderTop: '1px solid var(--line)',
  background: 'var(--surface-2)',
  '& b': { minWidth: 0, fontWeight: 600, color: 'var(--text-strong)', overflowWrap: 'anywhere' },
  '& .at': { flex: 'none', minWidth: 112, paddingRight: 12, borderRight: '1px solid var(--line-strong)' },
  '& .muted': { color: 'var(--text-3)' },
  '& .grow': { flex: '1 1 auto' },
  '& .state': { display: 'flex', alignItems: 'center', gap: 6, whiteSpace: 'nowrap' },
  '& button': {
    height: 24,
    padding: '0 4px',
    border: 0,
    background: 'none',
    font: 'inherit',
    fontWeight: 600,
    color: 'var(--link)',
    cursor: 'pointer',
  },
  [theme.breakpoints.down('sm')]: { minHeight: 44, flexWrap: 'wrap', padding: '4px 12px' },
}))

interface InfoBarProps {
  row: ReqTest | undefined
  rows: readonly ReqTest[]
  cells: Cells
  /** How a saved result can be changed here; undefined if it cannot. */
  toChange: string | undefined
  onUndo: () => void
}

/** The full value of the focused cell, and the state of pending saves. */
export const InfoBar = ({ row, rows, cells, toChange, onUndo }: InfoBarProps) => {
  const codesWith = (status: GridCell['status']) =>
    rows.filter(({ id }) => cells.get(id)?.status === status).map(({ testCode }) => testCode)
  const saving = codesWith('saving')
  const waiting = codesWith('waiting')
  const left = [...codesWith('failed'), ...codesWith('doubtful')].length
  const full = row && (cells.get(row.id)?.text ?? row.result ?? '')
  return (
    <Bar>
      <b className="at">{row ? `${row.testCode} · Result` : 'Result'}</b>
      {full && (
        <>
          <PencilIcon size={14} color="var(--text-3)" />
          <b>{row.options?.find(({ code }) => code === full)?.description ?? full}</b>
        </>
      )}
      <span className="muted">{row ? hintOf(row, full ?? '', toChange) : idleHint(rows)}</span>
      <span className="grow" />
      {waiting.length > 0 && (
        <span className="state">
          {waiting.length === 1 ? `${waiting[0]} is saved in a moment` : `${waiting.length} are saved in a moment`}
          <button type="button" onClick={onUndo}>
            Undo
          </button>
        </span>
      )}
      {saving.length > 0 && (
        <span className="state" style={{ color: 'var(--info)' }}>
          <Spinner sx={{ width: 10, height: 10, borderWidth: 1.5 }} />
          Saving {saving.length === 1 ? saving[0] : `${saving.length} results`}
        </span>
      )}
      {left > 0 && (
        <span className="state" style={{ color: 'var(--error)' }}>
          <ErrorIcon size={14} />
          {left} not saved
        </span>
      )}
    </Bar>
  )
}

/** While no cell has the focus. */
const idleHint = (rows: readonly ReqTest[]) =>
  rows.some(({ isEditable }) => isEditable === 1)
    ? 'Choose a cell to type, or paste a column from a spreadsheet; Enter goes on to the next'
    : 'Choose a cell to see its result in full'

const hintOf = (row: ReqTest, full: string, toChange: string | undefined): string => {
  const locked = (what: string) => [what, toChange].filter(Boolean).join('; ')
  if (row.isCalculated === 1) return row.comment ?? 'calculated from other tests'
  if (row.testFailCodes.length > 0 && row.isEditable === 0) return locked('failed')
  if (row.options) return `one of ${row.options.map(({ code, description }) => `${code} ${description}`).join(', ')}`
  const shown = displayedResult({ ...row, result: full || null })
  if (shown && shown !== full) return `shown as ${shown}, ${decimals(row.significantDigits)}`
  if (row.isEditable === 0) return row.isResulted === 1 ? locked('saved') : ''
  return decimals(row.significantDigits)
}
const decimals = (digits: number) => (digits === 0 ? 'no decimals' : digits === 1 ? '1 decimal' : `${digits} decimals`)

const Foot = styled('div')(({ theme }) => ({
  flex: 'none',
  marginTop: 'auto',
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  minHeight: 40,
  padding: '0 16px',
  borderTop: '1px solid var(--line-strong)',
  background: 'var(--surface)',
  '& .muted': { color: 'var(--text-3)' },
  '& .grow': { flex: '1 1 auto' },
  [theme.breakpoints.down('sm')]: { flexWrap: 'wrap', padding: '8px 12px', gap: 8 },
}))

/** Progress of the tests, and counts by range. */
export const GridFooter = ({
  rows,
  cells,
  seesResults,
  isUnreported,
}: {
  rows: readonly ReqTest[]
  cells: Cells
  seesResults: boolean
  /** The requisition has failed as a whole, and with it each of its tests. */
  isUnreported: boolean
}) => {
  const current = rows.filter(({ isRetest }) => isRetest === 0)
  const unsaved = [...cells.values()].filter(({ status }) => status !== 'saved').length
  const parts = progressOf(current, { isUnreported, unsaved })
  const inBand = (band: string) => current.filter((row) => row.band === band).length
  return (
    <Foot>
      <span>{current.length === 1 ? '1 test' : `${current.length} tests`}</span>
      <span className="muted">{parts.join(' · ')}</span>
      <span className="grow" />
      {seesResults && !isUnreported && (
        <>
          <span className="muted">{inBand('normal')} Normal</span>
          <RangeName className="bor">
            <DiamondIcon size={12} />
            {inBand('borderline')} Borderline
          </RangeName>
          <RangeName className="unf">
            <TriangleIcon size={12} />
            {inBand('unfavorable')} Unfavorable
          </RangeName>
        </>
      )}
    </Foot>
  )
}
