import type { CriticalCall } from '@lis/contract/critical-calls.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { formatLongDate } from '../../lib/formats.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { Card } from '../../ui/card.tsx'
import { KeyHelp, KeyHints, type PageKeys } from '../../ui/key-help.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { CallSheet } from './call-sheet.tsx'
import { isReadBack, minutesTaken } from './call-time.ts'
import { limitText, valueText } from './call-words.ts'
import { Timer } from './timer.tsx'
import { useCalls } from './use-calls.ts'

const Split = styled('div')({ flex: '1 1 auto', minHeight: 0, display: 'flex', background: 'var(--bg)' })
const Main = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  minWidth: 0,
  overflow: 'auto',
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  padding: '12px 16px',
  borderTop: '1px solid var(--line)',
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))
const Figures = styled('dl')(({ theme }) => ({
  display: 'flex',
  margin: 0,
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  '& > div': { flex: '1 1 0', padding: '8px 12px', borderRight: '1px solid var(--line)' },
  '& > div:last-of-type': { borderRight: 0 },
  '& dt': { fontSize: 11, color: 'var(--text-3)' },
  '& dd': { margin: 0, fontSize: 16, lineHeight: '24px', fontWeight: 700, color: 'var(--text-strong)' },
  '& .short': { color: 'var(--warning)' },
  [theme.breakpoints.down('sm')]: {
    flexWrap: 'wrap',
    '& > div': { flexBasis: '50%', borderRight: 0, borderBottom: '1px solid var(--line)' },
  },
}))
const Rows = styled('ul')(({ theme }) => ({
  margin: -12,
  '& li': {
    display: 'grid',
    gridTemplateColumns: '150px minmax(0, 1.4fr) minmax(0, 1fr) 150px auto',
    gap: 12,
    alignItems: 'center',
    padding: '8px 12px',
    borderBottom: '1px solid var(--line)',
    cursor: 'pointer',
  },
  '& li:last-of-type': { borderBottom: 0 },
  '& li:hover': { background: 'var(--n-50)' },
  '& li.current': { background: 'var(--selected)', boxShadow: 'inset 2px 0 0 var(--selected-line)' },
  '& li > span': { minWidth: 0, display: 'flex', flexDirection: 'column' },
  '& li > span strong': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .value': { color: 'var(--error)', fontWeight: 700, fontSize: 13 },
  '& small': { fontSize: 11, color: 'var(--text-3)' },
  [theme.breakpoints.down('lg')]: { '&.beside li': { gridTemplateColumns: '130px minmax(0, 1fr)' } },
  [theme.breakpoints.down('md')]: { '& li': { gridTemplateColumns: '140px minmax(0, 1fr)' } },
}))
const Tag = styled('span')({
  alignSelf: 'flex-start',
  padding: '1px 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  color: 'var(--warning)',
  background: 'var(--warning-bg)',
  boxShadow: 'inset 0 0 0 1px var(--warning-line)',
  '&.taken': { color: 'var(--info)', background: 'var(--info-bg)', boxShadow: 'inset 0 0 0 1px var(--info-line)' },
})

/** Critical results to be called, with the time left; the call is documented beside the list. */
export const CriticalCallsPage = () => {
  const { open, closed } = useCalls()
  const { id } = useParams()
  const navigate = useNavigate()
  const [atKey, setAtKey] = useState(0)
  const calls = open.data?.data ?? []
  const openId = id === undefined ? null : Number(id)
  const current = openId ?? calls[Math.min(atKey, calls.length - 1)]?.id ?? null
  const choose = (call: CriticalCall | undefined) => call && navigate(`/critical-calls/${call.id}`)
  const step = (by: 1 | -1) => {
    const at = calls.findIndex((call) => call.id === current)
    const next = Math.min(Math.max(at + by, 0), calls.length - 1)
    setAtKey(next)
    if (openId !== null) choose(calls[next])
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    c: () => choose(calls.find((call) => call.id === current)),
    escape: () => openId !== null && navigate('/critical-calls'),
  })
  return (
    <>
      <PageHeader
        title="Critical calls"
        action={
          <Button component={Link} to="/critical-calls/limits">
            Critical limits
          </Button>
        }
      />
      <Split>
        <Main>
          <Numbers open={open.data?.total} closed={closed.data?.data} />
          <Card
            title={`To call ${open.data ? calls.length : ''}`}
            actions={
              <KeyHints>
                <kbd>J</kbd> <kbd>K</kbd> move <kbd>C</kbd> call <kbd>T</kbd> take it <kbd>?</kbd> all keys
              </KeyHints>
            }
          >
            {open.error && !open.data ? (
              <LoadFailed error={open.error} onRetry={() => open.refetch()} />
            ) : open.isPending ? (
              <LoadingState label="Data loading" />
            ) : calls.length === 0 ? (
              <EmptyState title="No critical result waits">The calls of today are below.</EmptyState>
            ) : (
              <Rows aria-label="To call, least time first" className={openId === null ? undefined : 'beside'}>
                {calls.map((call) => (
                  <CallRow key={call.id} call={call} isCurrent={call.id === current} onOpen={() => choose(call)} />
                ))}
              </Rows>
            )}
          </Card>
          <CardTable
            title={`Called today ${closed.data?.total ?? ''}`}
            query={closed}
            columns={closedColumns}
            rowId={idOf}
            rowName={nameOf}
            rowHref={hrefOf}
            empty="No call has been closed today."
          />
        </Main>
        {openId !== null && <CallSheet id={openId} onClose={() => navigate('/critical-calls')} />}
      </Split>
      <KeyHelp keys={callKeys} />
    </>
  )
}

const callKeys: PageKeys = [
  ['J K', 'Next and previous call'],
  ['C', 'Call'],
  ['T', 'Take the call, or take it over'],
  ['Ctrl Enter', 'Close the call, or save the try'],
  ['Esc', 'Close the sheet'],
]

const idOf = ({ id }: CriticalCall) => String(id)
const nameOf = ({ patientName, testCode }: CriticalCall) => `${patientName}, ${testCode}`
const hrefOf = ({ id }: CriticalCall) => `/critical-calls/${id}`

const CallRow = ({ call, isCurrent, onOpen }: { call: CriticalCall; isCurrent: boolean; onOpen: () => void }) => {
  const tries = call.attempts.length
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its button does the same by keyboard
    <li className={isCurrent ? 'current' : undefined} onClick={onOpen}>
      <Timer call={call} />
      <span>
        <span>
          <strong>{call.patientName}</strong> ({formatLongDate(call.patientDob)})
        </span>
        <small>
          #{call.reqId} {call.clientName}
        </small>
      </span>
      <span>
        <span className="value">{valueText(call)}</span>
        <small>{limitText(call)}</small>
      </span>
      <span>
        <Tag className={call.state === 'TAKEN' ? 'taken' : undefined}>
          {call.state === 'TAKEN' ? `${call.takenByName} calls` : 'To call'}
        </Tag>
        <small>
          {tries === 0 ? 'No try yet' : tries === 1 ? '1 try' : `${tries} tries`}
          {call.escalation === 1 && ', department notified'}
          {call.escalation === 2 && ', management notified'}
        </small>
      </span>
      <Button
        size="small"
        variant={isCurrent ? 'contained' : undefined}
        onClick={(event) => {
          event.stopPropagation()
          onOpen()
        }}
        aria-label={`Call about ${call.patientName}, ${call.testDesc}`}
      >
        Call
      </Button>
    </li>
  )
}

const Numbers = ({ open, closed }: { open: number | undefined; closed: CriticalCall[] | undefined }) => {
  const within = closed?.filter(({ isLate }) => isLate === 0).length
  const readBack = closed?.filter(isReadBack).length
  const times = closed?.flatMap((call) => minutesTaken(call) ?? []).sort((a, b) => a - b)
  const median = times?.[Math.floor(times.length / 2)]
  const all = closed?.length
  return (
    <Figures>
      <div>
        <dt>to call now</dt>
        <dd>{open ?? '–'}</dd>
      </div>
      <div>
        <dt>called today{median !== undefined && `, median ${median} min`}</dt>
        <dd>{all ?? '–'}</dd>
      </div>
      <div>
        <dt>within the limit</dt>
        <dd className={within !== undefined && all !== undefined && within < all ? 'short' : undefined}>
          {all === undefined ? '–' : `${within} of ${all}`}
        </dd>
      </div>
      <div>
        <dt>read back</dt>
        <dd>{all === undefined ? '–' : `${readBack} of ${all}`}</dd>
      </div>
    </Figures>
  )
}

const takenBy = ({ attempts, closeReason }: CriticalCall) =>
  attempts.find(({ readBackOk }) => readBackOk === 1)?.calledTo ?? `Not read back: ${closeReason ?? ''}`

const closedColumns: readonly Column<CriticalCall>[] = [
  {
    key: 'closedAt',
    header: 'Closed',
    width: 140,
    card: 'head',
    cell: ({ closedAt }) => closedAt && <Timestamp at={closedAt} />,
  },
  { key: 'reqId', header: 'Req ID', width: 80, cell: ({ reqId }) => `#${reqId}` },
  {
    key: 'patient',
    header: 'Patient Name',
    width: 160,
    card: 'title',
    cell: ({ patientName }) => <span className="strong">{patientName}</span>,
  },
  { key: 'result', header: 'Result', width: 190, cell: (call) => `${call.testDesc} ${valueText(call)}` },
  { key: 'takenBy', header: 'Taken by', width: 180, cell: takenBy },
  {
    key: 'after',
    header: 'After',
    width: 100,
    align: 'right',
    cell: (call) =>
      call.isLate === 1 ? (
        <strong style={{ color: 'var(--error)' }}>Late, {minutesTaken(call)} min</strong>
      ) : (
        `${minutesTaken(call)} min`
      ),
  },
  { key: 'closedBy', header: 'Called by', width: 130, cell: ({ closedByName }) => closedByName },
]
