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

/** The outcome of one row, with a link to where a problem can be fixed. */
export const RowOutcomeMark = ({ outcome: { isDone, text, fixLink } }: { outcome: RowOutcome }) => {
  const Glyph = isDone ? SuccessIcon : WarningIcon
  return (
    <Frame className={isDone ? 'outcome done' : 'outcome failed'}>
      <Glyph size={14} />
      <Tooltip title={text}>
        <span>{text}</span>
      </Tooltip>
      {fixLink && (
        // In a new tab, so that the list with its outcomes stays.
        <a href={fixLink.href} target="_blank" rel="noopener">
          {fixLink.label}
        </a>
      )}
    </Frame>
  )
}

/** The column at the end of a table that shows the outcomes. */
export const outcomeColumn = <Row,>(outcomes: RowOutcomes<Row>): Column<Row> => ({
  key: 'outcome',
  header: 'Outcome',
  width: 300,
  isSticky: 'right',
  cell: (row) => {
    const outcome = outcomes.of(row)
    return outcome && <RowOutcomeMark outcome={outcome} />
  },
})
