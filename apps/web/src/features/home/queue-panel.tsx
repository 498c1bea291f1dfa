import { can } from '@lis/contract/access/permissions.ts'
import type { FirstStep, HomeQueue } from '@lis/contract/home.ts'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatDuration } from '../../lib/durations.ts'
import { useRole } from '../../lib/session.ts'
import { Key } from '../../ui/key-help.tsx'
import { formatLimit } from './durations.ts'
import { Panel, PartFailure } from './panel.tsx'
import { actionOf, letterOf, QueueIcon } from './queue-looks.tsx'
import { useQueueKeys } from './use-queue-keys.ts'

const Rows = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li': {
    position: 'relative',
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) 56px 138px 76px 34px',
    alignItems: 'center',
    gap: 12,
    minHeight: 44,
    padding: '4px 12px',
    borderBottom: '1px solid var(--line)',
  },
  '& > li:last-child': { borderBottom: 0 },
  '& > li.LATE': { boxShadow: 'inset 3px 0 0 var(--error-solid)' },
  '& > li.waiting:hover': { background: 'var(--n-50)' },
  '& > li.CRITICAL.waiting': { background: 'var(--error-bg)', boxShadow: 'inset 3px 0 0 var(--error-solid)' },
  '& > li.CRITICAL.waiting .open': { background: 'var(--p)', borderColor: 'var(--p)', color: 'var(--on-p)' },
  '& > li > kbd': { justifySelf: 'end' },
  '& > li.none': { color: 'var(--text-3)' },
  '& .name': { display: 'flex', alignItems: 'center', gap: 10, minWidth: 0 },
  '& .name > svg': { flex: 'none', color: 'var(--text-3)' },
  '& .LATE .name > svg, & .CRITICAL.waiting .name > svg': { color: 'var(--error)' },
  '& .words': { minWidth: 0 },
  '& a': { display: 'block', fontWeight: 600, color: 'var(--text-strong)', textDecoration: 'none' },
  // The whole row is a link to the list.
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
    whiteSpace: 'nowrap',
  },
})
const Heads = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) 56px 138px 76px 34px',
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
  // A critical call comes first, in full width, with its button.
  '& > li.CRITICAL': {
    gridColumn: '1 / -1',
    order: -1,
    paddingRight: 104,
    background: 'var(--error-bg)',
    borderColor: 'var(--error-line)',
    boxShadow: 'inset 3px 0 0 var(--error-solid)',
  },
  '& .CRITICAL .name > svg': { color: 'var(--error)' },
  '& .CRITICAL a': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .first': { overflowWrap: 'anywhere', color: 'var(--text-2)' },
  '& .open': {
    position: 'absolute',
    top: 12,
    right: 12,
    width: 80,
    height: 44,
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    borderRadius: 'var(--r-sm)',
    background: 'var(--error-solid)',
    color: '#ffffff',
    fontWeight: 600,
  },
})
const Whose = styled('fieldset')(({ theme }) => ({
  display: 'flex',
  margin: 0,
  padding: 0,
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-sm)',
  '& legend': { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' },
  '& button': {
    height: 26,
    padding: '0 10px',
    border: 0,
    background: 'none',
    color: 'var(--text)',
    font: 'inherit',
    cursor: 'pointer',
  },
  '& button + button': { borderLeft: '1px solid var(--line-strong)' },
  '& button:focus-visible': { outline: 'none', boxShadow: 'var(--focus-ring)' },
  '& button[aria-pressed=true]': { background: 'var(--selected)', color: 'var(--p)', fontWeight: 600 },
  [theme.breakpoints.down('sm')]: { '& button': { height: 44 } },
}))
const Empty = styled('div')({ padding: '0 12px 12px', color: 'var(--text-3)' })
const NextLine = styled('p')({
  margin: 0,
  padding: 12,
  borderTop: '1px solid var(--line)',
  color: 'var(--text-2)',
  '& a': { color: 'var(--link)', fontWeight: 600 },
})
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

interface RowsProps {
  queues: readonly HomeQueue[]
  now: number
}
interface QueuePanelProps extends RowsProps {
  /** What a new laboratory has to make before the first order. */
  firstSteps: readonly FirstStep[]
  failed: Readonly<Record<string, string>>
  onRetry: () => void
}

const mineKey = 'lis.home.mine'

/** The queues of one's departments, or all; remembered on this device. */
const useOnlyMine = () => {
  const [isOnlyMine, setOnlyMine] = useState(() => localStorage.getItem(mineKey) === '1')
  const choose = (isOnly: boolean) => {
    localStorage.setItem(mineKey, isOnly ? '1' : '0')
    setOnlyMine(isOnly)
  }
  return [isOnlyMine, choose] as const
}

/** The queues of this person, the most urgent first; an empty one stays, last and without a link. */
export const QueuePanel = ({ queues: all, firstSteps, failed, now, onRetry }: QueuePanelProps) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const [isOnlyMine, setOnlyMine] = useOnlyMine()
  // Users without queues of other departments have no choice.
  const hasOthers = all.some(({ isMine }) => isMine === 0)
  const queues = hasOthers && isOnlyMine ? all.filter(({ isMine }) => isMine === 1) : all
  useQueueKeys(queues)
  const reasons = queues.flatMap(({ code, title }) => (failed[code] ? [`${title}: ${failed[code]}`] : []))
  const areAllEmpty = queues.every(({ count }) => count === 0)
  const note = areAllEmpty ? 'Nothing waits for you' : `${queues.length} queues, most urgent first`
  const choose = (label: string, value: boolean) => (
    <button type="button" aria-pressed={isOnlyMine === value} onClick={() => setOnlyMine(value)}>
      {label}
    </button>
  )
  return (
    <Panel
      title="What needs me now"
      note={isSmall && hasOthers ? '' : note}
      actions={
        hasOthers && (
          <Whose>
            <legend>Whose queues</legend>
            {choose('Mine', true)}
            {choose('Whole lab', false)}
          </Whose>
        )
      }
    >
      {isSmall ? <QueueTiles queues={queues} now={now} /> : <QueueRows queues={queues} now={now} />}
      {firstSteps.length > 0 ? <FirstSteps steps={firstSteps} /> : areAllEmpty && <NextStep />}
      {reasons.map((reason) => (
        <PartFailure key={reason} reason={reason} onRetry={onRetry} />
      ))}
    </Panel>
  )
}

const stepLinks: Record<FirstStep, { to: string; label: string }> = {
  LABORATORY: { to: '/labs', label: 'Add the laboratory' },
  COLLABORATOR: { to: '/collaborators/create', label: 'Create a collaborator' },
  CLIENT: { to: '/clients/create', label: 'Create a client' },
  PHYSICIAN: { to: '/physicians/create', label: 'Create a physician' },
}

const FirstSteps = ({ steps }: { steps: readonly FirstStep[] }) => (
  <NextLine>
    This laboratory is new. Before the first order:{' '}
    {steps.map((step, index) => (
      <span key={step}>
        {index > 0 && ', '}
        <Link to={stepLinks[step].to}>{stepLinks[step].label}</Link>
      </span>
    ))}
    .
  </NextLine>
)

const NextStep = () => {
  const role = useRole()
  const next = can(role, 'requisitions.createButton')
    ? { to: '/requisitions/create', label: 'Add a requisition' }
    : { to: '/requisitions', label: 'Look at the requisitions' }
  return (
    <NextLine>
      Nothing waits for you. {can(role, 'requisitions.list') && <Link to={next.to}>{next.label}</Link>}
    </NextLine>
  )
}

const nameOf = ({ title, count }: HomeQueue) => `${title}, ${count} waiting`
const classOf = ({ code, state, count }: HomeQueue) => (count ? `waiting ${state} ${code}` : 'none')

const QueueRows = ({ queues, now }: RowsProps) => (
  <>
    <Heads aria-hidden="true">
      <span>Queue, and first in it</span>
      <span>Waiting</span>
      <span>Oldest, and its limit</span>
      <span />
      <span />
    </Heads>
    <Rows data-queues="">
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
              {actionOf(queue.code)}
            </span>
          ) : (
            <span />
          )}
          {queue.count ? <LetterOf code={queue.code} /> : <span />}
        </li>
      ))}
    </Rows>
  </>
)

const LetterOf = ({ code }: { code: string }) => {
  const letter = letterOf(code)
  return letter ? <Key aria-hidden="true">G {letter.toUpperCase()}</Key> : <span />
}

const QueueTiles = ({ queues, now }: RowsProps) => {
  const waiting = queues.filter(({ count }) => count)
  const empty = queues.filter(({ count }) => count === 0)
  return (
    <>
      <Tiles data-queues="">
        {waiting.map((queue) => (
          <li key={queue.code} className={queue.code}>
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
            {queue.code === 'CRITICAL' && (
              <>
                <span className="first">{queue.first}</span>
                <span className="open" aria-hidden="true">
                  {actionOf(queue.code)}
                </span>
              </>
            )}
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
