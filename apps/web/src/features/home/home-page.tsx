import { can } from '@lis/contract/access/permissions.ts'
import type { Home } from '@lis/contract/home.ts'
import { homePracticeRoutes } from '@lis/contract/home-practice.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useRole } from '../../lib/session.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { FlowPanel } from './flow-panel.tsx'
import { Greeting } from './greeting.tsx'
import { HoursPanel } from './hours-panel.tsx'
import { OrderPanel } from './order-panel.tsx'
import { PagedRows, type PanelList } from './paged-rows.tsx'
import { Panel, PanelSkeleton, PartFailure } from './panel.tsx'
import { ClientsPanel, MoneyPanel, OnTheWayPanel, WantedPanel } from './practice-panels.tsx'
import { QueuePanel } from './queue-panel.tsx'
import { RecentPanel, ViewsPanel } from './recent-panel.tsx'
import { ResultsPanel } from './results-panel.tsx'
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
  '& > div': { minWidth: 0, display: 'flex', flexDirection: 'column', gap: 12 },
  [theme.breakpoints.down('lg')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))

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

/** The front page: the company's and the person's name, and what waits for this person. */
export const HomePage = () => {
  useDocumentTitle('Home')
  const role = useRole()
  const { data, isError, error, refetch } = useHome()
  const home = data?.data
  const receive = can(role, 'requisitions.move') && (
    <Button variant="contained" component={Link} to="/requisitions?status=Logged&view=0">
      Receive
    </Button>
  )
  const order = home?.orderTests && (
    <Button variant="contained" component={Link} to={home.orderTests.link} startIcon={<PlusIcon />}>
      Order tests
    </Button>
  )
  return (
    <>
      <Greeting asOf={home?.asOf} isLost={isError} actions={receive || order} />
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
    </>
  )
}

/** Of a sales person; the queue 'Silent clients' has only some of them. */
const allClients: PanelList = { code: 'CLIENTS', count: null, link: '/?show=CLIENTS', call: 'home/clients' }

const HomeParts = ({ home, onRetry }: { home: Home; onRetry: () => void }) => {
  const now = Date.parse(home.asOf)
  const { queues, warnings, failed, turnaround, flow, hours, recent, pinnedViews } = home
  const queueOf = (code: string) => queues.find((queue) => queue.code === code)
  const isOnlySilent = useSearchParams()[0].get('show') === 'SILENT'
  /** A part of other roles is absent; one that failed says so in its place. */
  const part = <T,>(name: string, title: string, value: T | null | undefined, draw: (value: T) => ReactNode) => {
    if (value === undefined) return null
    if (value !== null) return draw(value)
    return (
      <Panel title={title}>
        <PartFailure reason={failed[name] ?? 'It could not be read.'} onRetry={onRetry} />
      </Panel>
    )
  }
  return (
    <Page>
      <div>
        {warnings.map((warning) => (
          <Warning key={warning} role="status">
            <WarningIcon size={16} /> {warning}
          </Warning>
        ))}
        <QueuePanel queues={queues} failed={failed} now={now} onRetry={onRetry} />
        {part('newResults', 'New results', home.newResults, (value) => (
          <PagedRows list={queueOf('NEW_RESULTS')} route={homePracticeRoutes.newResults} first={value}>
            {(rows) => <ResultsPanel {...rows} asOf={home.asOf} />}
          </PagedRows>
        ))}
        {part('onTheWay', 'On the way', home.onTheWay, (value) => (
          <OnTheWayPanel orders={value} list={queueOf('ON_THE_WAY')} />
        ))}
        {part('clients', 'My clients', home.clients, (value) => (
          <PagedRows
            list={isOnlySilent ? queueOf('SILENT') : allClients}
            route={homePracticeRoutes.clients}
            first={isOnlySilent ? value.filter(({ isSilent }) => isSilent === 1) : value}
          >
            {(rows) => <ClientsPanel {...rows} isOnlySilent={isOnlySilent} />}
          </PagedRows>
        ))}
        {part('money', 'Money', home.money, (value) => (
          <MoneyPanel money={value} />
        ))}
        {part('flow', 'Flow by status', flow, (value) => (
          <FlowPanel flow={value} now={now} />
        ))}
        {part('recent', 'My recent requisitions', recent, (value) => (
          <RecentPanel recent={value} />
        ))}
      </div>
      <div>
        {part('orderTests', 'Order tests', home.orderTests, (value) => (
          <OrderPanel order={value} />
        ))}
        {part('wanted', 'Wanted from you', home.wanted, (value) => (
          <PagedRows list={queueOf('WANTED')} route={homePracticeRoutes.wanted} first={value}>
            {(rows) => <WantedPanel {...rows} now={now} />}
          </PagedRows>
        ))}
        {part('turnaround', 'Turnaround today', turnaround, (value) => (
          <TurnaroundPanel turnaround={value} />
        ))}
        {part('hours', 'Received by hour', hours, (value) => (
          <HoursPanel hours={value} now={now} zone={home.labTz} />
        ))}
        {part('pinnedViews', 'Pinned Smart Views', pinnedViews, (value) => (
          <ViewsPanel views={value} />
        ))}
      </div>
    </Page>
  )
}
