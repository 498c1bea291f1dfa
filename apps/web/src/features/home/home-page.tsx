import { can } from '@lis/contract/access/permissions.ts'
import type { Home } from '@lis/contract/home.ts'
import { homePracticeRoutes } from '@lis/contract/home-practice.ts'
import Button from '@mui/material/Button'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import type { ReactNode } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { useRole } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import { KeyHelp, type PageKeys } from '../../ui/key-help.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { PinIcon, PlusIcon } from '../../ui/table/table-icons.tsx'
import { FlowPanel } from './flow-panel.tsx'
import { Greeting } from './greeting.tsx'
import { HoursPanel } from './hours-panel.tsx'
import { OrderPanel } from './order-panel.tsx'
import { PagedRows, type PanelList } from './paged-rows.tsx'
import { Panel, PanelSkeleton, PartFailure } from './panel.tsx'
import { ClientsPanel, MoneyPanel, OnTheWayPanel, WantedPanel } from './practice-panels.tsx'
import { letterOf } from './queue-looks.tsx'
import { QueuePanel } from './queue-panel.tsx'
import { RecentPanel, ViewsPanel } from './recent-panel.tsx'
import { ResultsPanel } from './results-panel.tsx'
import { ScanToReceive } from './scan-to-receive.tsx'
import { TurnaroundPanel } from './turnaround-panel.tsx'
import { useHome } from './use-home.ts'

const Page = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1.5fr) minmax(0, 1fr)',
  gap: 12,
  alignContent: 'start',
  padding: '12px 16px',
  background: 'var(--bg)',
  // Results are wider than what stands beside them.
  '&.practice': { gridTemplateColumns: 'minmax(0, 2.2fr) minmax(0, 1fr)' },
  '& > div': { minWidth: 0, display: 'flex', flexDirection: 'column', gap: 12 },
  [theme.breakpoints.down('lg')]: { '&, &.practice': { gridTemplateColumns: 'minmax(0, 1fr)' } },
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))

/** The main action of a phone, under the thumb. */
const PhoneBar = styled('div')({
  position: 'sticky',
  bottom: 0,
  zIndex: 5,
  display: 'flex',
  gap: 8,
  padding: 12,
  background: 'var(--surface)',
  borderTop: '1px solid var(--line)',
  '& > *': { flex: 'none' },
  '& > :first-of-type': { flex: '1 1 auto' },
})
const Warning = styled('p')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  margin: 0,
  padding: '8px 12px',
  border: '1px solid var(--warning-line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--warning-bg)',
  color: 'var(--warning)',
  overflowWrap: 'anywhere',
})

/** The front page: the names of company and user, and what waits for this user. */
export const HomePage = () => {
  useDocumentTitle('Home')
  const role = useRole()
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const { data, isError, error, refetch } = useHome()
  const home = data?.data
  const mayReceive = can(role, 'requisitions.move')
  const receive = mayReceive && !isSmall && (
    <Button variant="contained" component={Link} to="/requisitions?status=Logged&view=0">
      Receive
    </Button>
  )
  const orderLink = home?.orderTests?.link
  const navigate = useNavigate()
  useKeys({ n: () => orderLink && navigate(orderLink) })
  const order = orderLink && (
    <Button variant="contained" component={Link} to={orderLink} startIcon={<PlusIcon />}>
      Order tests
    </Button>
  )
  return (
    <>
      <Greeting asOf={home?.asOf} isLost={isError} actions={receive || (!isSmall && order)} />
      {home ? (
        <HomeParts home={home} onRetry={() => void refetch()} />
      ) : isError ? (
        <ErrorState title="Home could not be loaded" onRetry={() => void refetch()}>
          {error.message}
        </ErrorState>
      ) : (
        <Page>
          <div>
            <PanelSkeleton title="What needs me now" rows={6} />
          </div>
          <div>
            <PanelSkeleton title="Pinned Smart Views" rows={3} />
          </div>
        </Page>
      )}
      {isSmall && (mayReceive || order) && (
        <PhoneBar>
          {mayReceive ? <ScanToReceive /> : order}
          {mayReceive && (
            <Button component={Link} to="/requisitions" aria-label="Smart Views">
              <PinIcon size={20} />
            </Button>
          )}
        </PhoneBar>
      )}
      <KeyHelp keys={keysOf(home)} />
    </>
  )
}

/** The keys of the page, for this person. */
const keysOf = (home: Home | undefined): PageKeys => [
  ...(home?.queues ?? []).flatMap(({ code, title }) => {
    const letter = letterOf(code)
    return letter ? [[`G ${letter.toUpperCase()}`, title] as const] : []
  }),
  ['up down Enter', 'Choose and open a queue'],
  ['/', 'Search'],
  ...(home?.newResults === undefined
    ? []
    : ([
        ['J K', 'Next and previous patient'],
        ['E', 'Reviewed; it can be undone for 10 seconds'],
        ['O', 'Open the report'],
      ] as const)),
  ...(home?.orderTests ? [['N', 'Order tests'] as const] : []),
]

/** Of a sales person; the queue 'Silent clients' has only part of them. */
const allClients: PanelList = { code: 'CLIENTS', count: null, link: '/?show=CLIENTS', call: 'home/clients' }

const HomeParts = ({ home, onRetry }: { home: Home; onRetry: () => void }) => {
  const now = Date.parse(home.asOf)
  const { queues, warnings, failed, turnaround, flow, hours, recent, pinnedViews } = home
  const queueOf = (code: string) => queues.find((queue) => queue.code === code)
  const isOnlySilent = useSearchParams()[0].get('show') === 'SILENT'
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  /** Parts of other roles are absent; a failed part shows its error. */
  const part = <T,>(name: string, title: string, value: T | null | undefined, draw: (value: T) => ReactNode) => {
    if (value === undefined) return null
    if (value !== null) return draw(value)
    return (
      <Panel key={name} title={title}>
        <PartFailure reason={failed[name] ?? 'It could not be read.'} onRetry={onRetry} />
      </Panel>
    )
  }
  const parts = {
    queues: (
      <QueuePanel
        key="queues"
        queues={queues}
        firstSteps={home.firstSteps}
        failed={failed}
        now={now}
        onRetry={onRetry}
      />
    ),
    newResults: part('newResults', 'New results', home.newResults, (value) => (
      <PagedRows key="newResults" list={queueOf('NEW_RESULTS')} route={homePracticeRoutes.newResults} first={value}>
        {(rows) => <ResultsPanel {...rows} asOf={home.asOf} />}
      </PagedRows>
    )),
    onTheWay: part('onTheWay', 'On the way', home.onTheWay, (value) => (
      <OnTheWayPanel key="onTheWay" orders={value} list={queueOf('ON_THE_WAY')} />
    )),
    clients: part('clients', 'My clients', home.clients, (value) => (
      <PagedRows
        key="clients"
        list={isOnlySilent ? queueOf('SILENT') : allClients}
        route={homePracticeRoutes.clients}
        first={isOnlySilent ? value.filter(({ isSilent }) => isSilent === 1) : value}
      >
        {(rows) => <ClientsPanel {...rows} isOnlySilent={isOnlySilent} />}
      </PagedRows>
    )),
    money: part('money', 'Money', home.money, (value) => <MoneyPanel key="money" money={value} />),
    flow: part('flow', 'Flow by status', flow, (value) => <FlowPanel key="flow" flow={value} now={now} />),
    recent: part('recent', 'My recent requisitions', recent, (value) => <RecentPanel key="recent" recent={value} />),
    orderTests: part('orderTests', 'Order tests', home.orderTests, (value) => (
      <OrderPanel key="orderTests" order={value} />
    )),
    wanted: part('wanted', 'Wanted from you', home.wanted, (value) => (
      <PagedRows key="wanted" list={queueOf('WANTED')} route={homePracticeRoutes.wanted} first={value}>
        {(rows) => <WantedPanel {...rows} now={now} />}
      </PagedRows>
    )),
    turnaround: part('turnaround', 'Turnaround today', turnaround, (value) => (
      <TurnaroundPanel key="turnaround" turnaround={value} before={home.turnaroundDays ?? null} />
    )),
    hours: part('hours', 'Received by hour', hours, (value) => (
      <HoursPanel key="hours" hours={value} now={now} zone={home.labTz} />
    )),
    pinnedViews: part('pinnedViews', 'Pinned Smart Views', pinnedViews, (value) => (
      <ViewsPanel key="pinnedViews" views={value} failed={failed} zone={home.labTz} />
    )),
  }
  const columns = isSmall ? [phoneOrder] : [leftColumn, rightColumn]
  return (
    <Page className={home.newResults === undefined ? undefined : 'practice'}>
      {columns.map((names, index) => (
        <div key={names[0]}>
          {index === 0 &&
            warnings.map((warning) => (
              <Warning key={warning} role="status">
                <WarningIcon size={16} /> {warning}
              </Warning>
            ))}
          {names.map((name) => parts[name])}
        </div>
      ))}
    </Page>
  )
}

const leftColumn = ['queues', 'newResults', 'onTheWay', 'clients', 'money', 'flow', 'recent'] as const
const rightColumn = ['orderTests', 'wanted', 'turnaround', 'hours', 'pinnedViews'] as const
/** What users on the move need first. */
const phoneOrder = [
  'queues',
  'wanted',
  'newResults',
  'onTheWay',
  'clients',
  'money',
  'turnaround',
  'flow',
  'orderTests',
  'recent',
  'hours',
  'pinnedViews',
] as const
