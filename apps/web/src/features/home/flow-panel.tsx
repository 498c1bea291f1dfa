import type { StatusFlow } from '@lis/contract/home.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { type Stage, StageGlyph, stageColours } from '../../domain/stage-chip.tsx'
import { formatDuration } from '../../lib/durations.ts'
import { Legend, Panel } from './panel.tsx'

const Body = styled('div')({ padding: 12 })
const Bar = styled('div')({
  display: 'flex',
  gap: 2,
  height: 10,
  '& i': { minWidth: 3, borderRadius: 2, background: 'var(--c)' },
})
const Columns = styled('ul')(({ theme }) => ({
  margin: '10px 0 0',
  padding: 0,
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'repeat(7, minmax(0, 1fr))',
  '& > li': { position: 'relative', minWidth: 0, padding: '0 8px', borderLeft: '1px solid var(--line)' },
  '& > li:hover': { background: 'var(--n-50)' },
  '& > li:first-of-type': { paddingLeft: 0, borderLeft: 0 },
  '& > li:last-of-type': { paddingRight: 0 },
  '& a': {
    display: 'flex',
    alignItems: 'center',
    gap: 5,
    color: 'var(--text)',
    textDecoration: 'none',
    whiteSpace: 'nowrap',
  },
  // The count and the ages lead to the rows too.
  '& a::after': { content: '""', position: 'absolute', inset: 0 },
  '& a:focus-visible': { outline: 'none', boxShadow: 'none' },
  '& a:focus-visible::after': { boxShadow: 'inset 0 0 0 2px var(--focus)' },
  '& a svg': { flex: 'none', color: 'var(--c)' },
  '& b': { display: 'block', fontSize: 14, lineHeight: '20px', fontWeight: 600, color: 'var(--text-strong)' },
  '& .ages': { display: 'flex', gap: 1, height: 4, margin: '2px 0 4px', background: 'var(--n-200)' },
  '& small': { fontSize: 11, color: 'var(--text-3)', whiteSpace: 'nowrap' },
  '& small.old': { color: 'var(--error)' },
  [theme.breakpoints.down('sm')]: {
    gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
    gap: 8,
    '& > li': {
      padding: 0,
      border: 0,
      display: 'flex',
      justifyContent: 'space-between',
      alignItems: 'center',
      minHeight: 44,
    },
    '& a': { minHeight: 44 },
    '& .ages, & small': { display: 'none' },
  },
}))
const ages = [
  ['under1Day', 'under 1 day', 'var(--n-300)'],
  ['from1To2Days', '1–2', 'var(--n-450)'],
  ['from2To4Days', '2–4', 'var(--warning-solid)'],
  ['over4Days', 'over 4 days', 'var(--error-solid)'],
] as const
const fourDaysMs = 4 * 86_400_000

/** What is in the laboratory by status, and how long it has been there. */
export const FlowPanel = ({ flow, now }: { flow: readonly StatusFlow[]; now: number }) => {
  const total = flow.reduce((sum, { count }) => sum + count, 0)
  return (
    <Panel
      title="Flow by status"
      note={`${total.toLocaleString('en-US')} on their way`}
      actions={
        <Legend>
          Waits
          {ages.map(([name, text, colour]) => (
            <span key={name}>
              <i style={{ background: colour }} />
              {text}
            </span>
          ))}
        </Legend>
      }
    >
      <Body>
        <Bar
          role="img"
          aria-label={`Requisitions by status: ${flow.map(({ reqStatusDesc, count }) => `${reqStatusDesc} ${count}`).join(', ')}`}
        >
          {flow
            .filter(({ count }) => count > 0)
            .map(({ reqStatusCode, reqStatusDesc, count }) => (
              <i
                key={reqStatusCode}
                style={{ ...stageColours(reqStatusDesc as Stage), flex: `${count} 1 0` } as object}
              />
            ))}
        </Bar>
        <Columns>
          {flow.map((row) => (
            <FlowColumn key={row.reqStatusCode} row={row} now={now} />
          ))}
        </Columns>
      </Body>
    </Panel>
  )
}

const FlowColumn = ({ row, now }: { row: StatusFlow; now: number }) => {
  const { reqStatusDesc, count, oldestDate } = row
  const age = oldestDate === null ? null : now - Date.parse(oldestDate)
  return (
    <li style={stageColours(reqStatusDesc as Stage) as object}>
      <Link to={`/requisitions?status=${reqStatusDesc}&view=0`}>
        <StageGlyph stage={reqStatusDesc as Stage} />
        {reqStatusDesc}
      </Link>
      <b>{count.toLocaleString('en-US')}</b>
      <div
        className="ages"
        role="img"
        aria-label={`Waiting ${ages.map(([name, text]) => `${text}: ${row.ages[name]}`).join(', ')}`}
      >
        {ages
          .filter(([name]) => row.ages[name] > 0)
          .map(([name, , colour]) => (
            <i key={name} style={{ flex: `${row.ages[name]} 1 0`, background: colour }} />
          ))}
      </div>
      <small className={age !== null && age > fourDaysMs ? 'old' : undefined}>
        {age === null ? 'none' : `oldest ${formatDuration(age)}`}
      </small>
    </li>
  )
}
