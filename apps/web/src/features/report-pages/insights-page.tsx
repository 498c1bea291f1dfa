import { qaReportRoutes, type ReportItem, summaryReportRoutes } from '@lis/contract/reports-pages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Navigate, useParams, useSearchParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SchedulesDialog } from '../../ui/schedules/schedules-dialog.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import { InsightCard } from './insight-card.tsx'
import { InsightDetail } from './insight-detail.tsx'
import { InsightFilters } from './insight-filters.tsx'
import { type Chosen, type InsightTab, insightTabOf, insightTabs, readChosen } from './insights-address.ts'
import { useTurns } from './use-turns.ts'

const Background = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  padding: '12px 16px',
  background: 'var(--bg)',
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))
/** An open report is beside the cards if there is room, otherwise in place of them. */
const Split = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 12,
  alignItems: 'start',
  '& > .cards': { display: 'none' },
  '@media (min-width: 1280px)': {
    gridTemplateColumns: 'minmax(0, 43fr) minmax(0, 57fr)',
    '& > .cards': { display: 'grid', gridTemplateColumns: 'repeat(2, minmax(0, 1fr))' },
    '& > .report': { position: 'sticky', top: 12, maxHeight: 'calc(100dvh - 24px)', overflow: 'auto' },
  },
})
const Gallery = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 330px), 1fr))',
  gap: 12,
})
const routesOf = { qaReports: qaReportRoutes, summaryReports: summaryReportRoutes } as const

/** All reports together, for one period that the address keeps. */
export const InsightsPage = () => {
  const { tabSlug, reportCode } = useParams()
  const [params, setParams] = useSearchParams()
  const zone = useZone()
  const [isListing, setListing] = useState(false)
  const tab = insightTabOf(tabSlug)
  const chosen = readChosen(params, zone)
  const query = useQuery(read(routesOf[tab].list))
  if (tabSlug !== undefined && tabSlug !== tab) return <Navigate to="/insights" replace />
  const search = params.size > 0 ? `?${params}` : ''
  const change = (values: Record<string, string>) => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(values)) {
      if (value) next.set(name, value)
      else next.delete(name)
    }
    setParams(next, { replace: true })
  }
  const tabs = (Object.keys(insightTabs) as InsightTab[]).map((slug) => ({
    to: `/insights/${slug}${search}`,
    label: insightTabs[slug],
    isCurrent: slug === tab,
  }))
  return (
    <>
      <PageHeader
        title="Insights"
        action={
          <Button aria-haspopup="dialog" onClick={() => setListing(true)}>
            Schedules
          </Button>
        }
      />
      {isListing && <SchedulesDialog onClose={() => setListing(false)} />}
      <TabLinks label="Kinds of reports" tabs={tabs} />
      <InsightFilters chosen={chosen} zone={zone} onChange={change} />
      <Background>
        <Loaded query={query}>
          {({ data }: { data: ReportItem[] }) => {
            if (chosen.errors)
              return (
                <EmptyState
                  title={Object.values(chosen.errors)[0] ?? 'This period has no figures'}
                  actions={<Button onClick={() => change({ from: '', to: '' })}>Last 30 days</Button>}
                >
                  Choose other dates above.
                </EmptyState>
              )
            const open = data.find((item) => item.reportCode === reportCode)
            if (reportCode !== undefined && !open)
              return <EmptyState title="There is no such report for you">Choose one of the tabs above.</EmptyState>
            const cards = <Cards tab={tab} items={data} chosen={chosen} search={search} open={open} />
            if (!open) return cards
            return (
              <Split>
                {cards}
                <InsightDetail
                  key={open.reportCode}
                  item={open}
                  routes={routesOf[tab]}
                  chosen={chosen}
                  back={`/insights/${tab}${search}`}
                />
              </Split>
            )
          }}
        </Loaded>
      </Background>
    </>
  )
}

interface CardsProps {
  tab: InsightTab
  items: readonly ReportItem[]
  chosen: Chosen
  search: string
  open: ReportItem | undefined
}

const Cards = ({ tab, items, chosen, search, open }: CardsProps) => {
  // Beside an open report only the cards in view are read.
  const turn = useTurns(tab, open ? [] : items, chosen)
  return (
    <Gallery className="cards">
      {items.map((item) => (
        <InsightCard
          key={item.reportCode}
          tab={tab}
          item={item}
          chosen={chosen}
          to={`/insights/${tab}/${item.reportCode}${search}`}
          isOpen={item === open}
          isTurn={item.reportCode === turn}
        />
      ))}
    </Gallery>
  )
}
