import type { HomeQueue } from '@lis/contract/home.ts'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { Link } from 'react-router'
import { formatDuration } from '../../lib/durations.ts'
import { formatLimit } from './durations.ts'
import { Panel, PartFailure } from './panel.tsx'
import { QueueIcon } from './queue-icons.tsx'

const Rows = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li': {
    position: 'relative',
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) 56px 150px 64px',
    alignItems: 'center',
    gap: 12,
    minHeight: 44,
    padding: '4px 12px',
    borderBottom: '1px solid var(--line)',
  },
  '& > li:last-child': { borderBottom: 0 },
  '& > li.LATE': { boxShadow: 'inset 3px 0 0 var(--error-solid)' },
  '& > li.waiting:hover': { background: 'var(--n-50)' },
  '& > li.none': { color: 'var(--text-3)' },
  '& .name': { display: 'flex', alignItems: 'center', gap: 10, minWidth: 0 },
  '& .name > svg': { flex: 'none', color: 'var(--text-3)' },
  '& .LATE .name > svg': { color: 'var(--error)' },
  '& .words': { minWidth: 0 },
  '& a': { display: 'block', fontWeight: 600, color: 'var(--text-strong)', textDecoration: 'none' },
  // The whole row leads to the list.
  '& a::after': { content: '""', position: 'absolute', inset: 0 },
  '& a:focus-visible': { outline: 'none', boxShadow: 'none' },
  '& a:focus-visible::after': { boxShadow: 'inset 0 0 0 2px var(--focus)' },
  '& .first': {
    fontSize: 11,
    lineHeight: '15px',
    color: 'var(--text-2)',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '& .count': { fontSize: 16, lineHeight: '20px', fontWeight: 600, textAlign: 'right', color: 'var(--text-strong)' },
  '& .none .count': { fontWeight: 400, color: 'var(--text-3)' },
  '& .open': {
    height: 26,
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r-sm)',
    background: 'var(--surface)',
    color: 'var(--text)',
    fontWeight: 600,
  },
})
const Heads = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) 56px 150px 64px',
  gap: 12,
  padding: '5px 12px',
  borderBottom: '1px solid var(--line)',
  fontSize: 11,
  color: 'var(--text-3)',
  '& :not(:first-of-type)': { textAlign: 'right' },
})
const Tiles = styled('ul')({
  margin: 0,
  padding: '0 12px 12px',
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  gap: 8,
  '& > li': {
    position: 'relative',
    minHeight: 76,
    display: 'flex',
    flexDirection: 'column',
    gap: 4,
    padding: '10px 12px',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-lg)',
    boxShadow: 'var(--shadow-1)',
  },
  '& .name': { display: 'flex', alignItems: 'center', gap: 8 },
  '& .name > svg': { flex: 'none', color: 'var(--text-3)' },
  '& a': { color: 'var(--text)', textDecoration: 'none' },
  '& a::after': { content: '""', position: 'absolute', inset: 0, borderRadius: 'inherit' },
  '& a:focus-visible': { outline: 'none', boxShadow: 'none' },
  '& a:focus-visible::after': { boxShadow: 'inset 0 0 0 2px var(--focus)' },
  '& .figures': {
    display: 'flex',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    flexWrap: 'wrap',
    gap: '0 6px',
  },
  '& .count': { fontSize: 20, lineHeight: '24px', fontWeight: 600, color: 'var(--text-strong)' },
})
const Empty = styled('div')({ padding: '0 12px 12px', color: 'var(--text-3)' })
const Age = styled('div')({
  '& .text': { display: 'block', marginBottom: 5, textAlign: 'right', whiteSpace: 'nowrap' },
  '& .text b': { fontWeight: 600, color: 'var(--text)' },
  '& .text small': { fontSize: 11, color: 'var(--text-3)' },
  '&.WARN .text b': { color: 'var(--warning)' },
  '&.LATE .text b': { color: 'var(--error)' },
  '& .bar': { display: 'block', height: 4, borderRadius: 2, background: 'var(--n-200)', overflow: 'hidden' },
  '& .bar i': { display: 'block', height: '100%', borderRadius: 2, background: 'var(--n-450)' },
  '&.WARN .bar i': { background: 'var(--warning-solid)' },
  '&.LATE .bar i': { background: 'var(--error-solid)' },
})

interface QueuePanelProps {
  queues: readonly HomeQueue[]
  failed: Readonly<Record<string, string>>
  now: number
  onRetry: () => void
}

/** The queues of this person, the most urgent first; an empty one stays, last and without a link. */
export const QueuePanel = (props: QueuePanelProps) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const { queues, failed, onRetry } = props
  const reasons = queues.flatMap(({ code, title }) => (failed[code] ? [`${title}: ${failed[code]}`] : []))
  const areAllEmpty = queues.every(({ count }) => count === 0)
  const note = areAllEmpty ? 'Nothing waits for you' : `${queues.length} queues, most urgent first`
  return (
    <Panel title="What needs me now" note={note}>
      {isSmall ? <QueueTiles {...props} /> : <QueueRows {...props} />}
      {reasons.map((reason) => (
        <PartFailure key={reason} reason={reason} onRetry={onRetry} />
      ))}
    </Panel>
  )
}

const nameOf = ({ title, count }: HomeQueue) => `${title}, ${count} waiting`
const classOf = ({ state, count }: HomeQueue) => (count ? `waiting ${state}` : 'none')

const QueueRows = ({ queues, now }: QueuePanelProps) => (
  <>
    <Heads aria-hidden="true">
      <span>Queue, and first in it</span>
      <span>Waiting</span>
      <span>Oldest, and its limit</span>
      <span />
    </Heads>
    <Rows>
      {queues.map((queue) => (
        <li key={queue.code} className={classOf(queue)}>
          <div className="name">
            <QueueIcon code={queue.code} />
            <div className="words">
              {queue.count ? (
                <Link to={queue.link} aria-label={nameOf(queue)}>
                  {queue.title}
                </Link>
              ) : (
                <span>{queue.title}</span>
              )}
              {queue.first && <div className="first">{queue.first}</div>}
            </div>
          </div>
          <span className="count">{queue.count?.toLocaleString('en-US') ?? '–'}</span>
          {queue.count ? <QueueAge queue={queue} now={now} /> : <span />}
          {queue.count ? (
            <span className="open" aria-hidden="true">
              Open
            </span>
          ) : (
            <span />
          )}
        </li>
      ))}
    </Rows>
  </>
)

const QueueTiles = ({ queues, now }: QueuePanelProps) => {
  const waiting = queues.filter(({ count }) => count)
  const empty = queues.filter(({ count }) => count === 0)
  return (
    <>
      <Tiles>
        {waiting.map((queue) => (
          <li key={queue.code}>
            <span className="name">
              <QueueIcon code={queue.code} size={16} />
              <Link to={queue.link} aria-label={nameOf(queue)}>
                {queue.title}
              </Link>
            </span>
            <div className="figures">
              <span className="count">{queue.count?.toLocaleString('en-US')}</span>
              <QueueAge queue={queue} now={now} />
            </div>
          </li>
        ))}
      </Tiles>
      {empty.length > 0 && <Empty>Nothing in {empty.map(({ title }) => title).join(', ')}</Empty>}
    </>
  )
}

const QueueAge = ({ queue: { oldestDate, limitDate, state }, now }: { queue: HomeQueue; now: number }) => {
  if (!oldestDate || !limitDate) return <span />
  const age = now - Date.parse(oldestDate)
  const limit = Date.parse(limitDate) - Date.parse(oldestDate)
  return (
    <Age className={state}>
      <span className="text">
        <b>{formatDuration(age)}</b> <small>of {formatLimit(limit)}</small>
      </span>
      <span className="bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, Math.round((100 * age) / limit))}%` }} />
      </span>
    </Age>
  )
}
