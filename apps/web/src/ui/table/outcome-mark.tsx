import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import { SuccessIcon, WarningIcon } from '../icons.tsx'
import type { Column } from './column.ts'
import type { RowOutcome, RowOutcomes } from './row-outcome.ts'

const Frame = styled('span')({
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  '& > svg': { flex: 'none' },
  '& > span': { flex: '0 1 auto', minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' },
  '& > a': { flex: 'none', marginLeft: 'auto', color: 'var(--link)', fontWeight: 600, textDecoration: 'none' },
  '& > a:hover': { textDecoration: 'underline' },
  '&.done': { color: 'var(--success)' },
  '&.failed': { color: 'var(--warning)' },
})

/** What became of one row, and the way to where it is mended. */
export const OutcomeMark = ({ outcome: { isDone, text, mend } }: { outcome: RowOutcome }) => {
  const Glyph = isDone ? SuccessIcon : WarningIcon
  return (
    <Frame className={isDone ? 'outcome done' : 'outcome failed'}>
      <Glyph size={14} />
      <Tooltip title={text}>
        <span>{text}</span>
      </Tooltip>
      {mend && (
        // A tab of its own: the list with its marks stays.
        <a href={mend.href} target="_blank" rel="noopener">
          {mend.label}
        </a>
      )}
    </Frame>
  )
}

/** The column that stands at the end of a table while there are marks. */
export const outcomeColumn = <Row,>(outcomes: RowOutcomes<Row>): Column<Row> => ({
  key: 'outcome',
  header: 'Outcome',
  width: 300,
  isSticky: 'right',
  cell: (row) => {
    const outcome = outcomes.of(row)
    return outcome && <OutcomeMark outcome={outcome} />
  },
})
