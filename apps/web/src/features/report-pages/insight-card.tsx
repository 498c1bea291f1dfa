import type { Insight, ReportItem } from '@lis/contract/reports-pages.ts'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { Link } from 'react-router'
import { ErrorState } from '../../ui/states.tsx'
import { BarsChart } from './bars-chart.tsx'
import { Change } from './change.tsx'
import type { Chosen, InsightTab } from './insights-address.ts'
import { readInsight } from './use-turns.ts'

const Card = styled('article')({
  minWidth: 0,
  minHeight: 240,
  display: 'flex',
  flexDirection: 'column',
  gap: 8,
  padding: 12,
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  boxShadow: 'var(--shadow-1)',
  position: 'relative',
  '&.open': { borderColor: 'var(--p)', boxShadow: '0 0 0 1px var(--p)' },
  '& figure': {
    flex: '1 1 auto',
    display: 'flex',
    flexDirection: 'column',
    '& > button': { marginTop: 'auto', alignSelf: 'flex-start' },
  },
  '& h2': { fontSize: 13, lineHeight: '18px', fontWeight: 600 },
  '& h2 a': { color: 'var(--text-strong)', textDecoration: 'none' },
  // The whole card is the link; its button stays above.
  '& h2 a::after': { content: '""', position: 'absolute', inset: 0, borderRadius: 'inherit' },
  '& h2 a:focus-visible': { outline: 0 },
  '& h2 a:focus-visible::after': { outline: '2px solid var(--focus)', outlineOffset: 2 },
  '& button, & table': { position: 'relative' },
  '&:hover': { borderColor: 'var(--line-strong)' },
  '& .number': { display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: '0 8px', color: 'var(--text-3)' },
  '& .number b': {
    fontSize: 18,
    lineHeight: '24px',
    fontWeight: 600,
    color: 'var(--text-strong)',
    '& small': { fontSize: 13 },
  },
  '& .none': { color: 'var(--text-3)' },
})

const shownBars = 6

/** Whether an element has been visible. */
const useSeen = () => {
  const ref = useRef<HTMLElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element || isSeen) return
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setSeen(true),
      {
        rootMargin: '200px',
      },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [isSeen])
  return { ref, isSeen }
}

interface InsightCardProps {
  tab: InsightTab
  item: ReportItem
  chosen: Chosen
  to: string
  /** Shown beside the cards. */
  isOpen?: boolean
  /** It is the next to be read although it is not in view: see useTurns. */
  isTurn: boolean
}

/** The summary card of a report; read when it comes into view, or when it is its turn. */
export const InsightCard = ({
  tab,
  item: { reportCode, reportDesc },
  chosen,
  to,
  isOpen = false,
  isTurn,
}: InsightCardProps) => {
  const id = useId()
  const { ref, isSeen } = useSeen()
  const query = useQuery({
    ...readInsight(tab, reportCode, chosen),
    enabled: (isSeen || isTurn) && chosen.errors === null,
  })
  const insight = query.data?.data[0]
  const failure = insight?.failed ?? (query.isError ? query.error.message : null)
  return (
    <Card
      ref={ref}
      className={isOpen ? 'open' : undefined}
      aria-labelledby={id}
      aria-busy={query.isLoading || undefined}
    >
      <h2 id={id}>
        <Link to={to} aria-current={isOpen || undefined}>
          {reportDesc}
        </Link>
      </h2>
      {failure ? (
        <ErrorState title="This report could not be read" onRetry={() => void query.refetch()}>
          {failure}
        </ErrorState>
      ) : insight ? (
        <Glance insight={insight} isMoreWorse={tab === 'qaReports'} />
      ) : (
        [60, 90, 75, 40].map((width) => <Skeleton key={width} variant="rectangular" width={`${width}%`} height={12} />)
      )}
    </Card>
  )
}

const Glance = ({ insight, isMoreWorse }: { insight: Insight; isMoreWorse: boolean }) => {
  const { headline, chart, change, isLong, reportDesc } = insight
  if (isLong)
    return (
      <p className="none">A period this long is not drawn. Open the report and download it, or choose fewer days.</p>
    )
  return (
    <>
      <p className="number">
        {headline && headline.value !== null && (
          <>
            <b>
              {headline.value.toLocaleString('en-US')} {headline.unit}
            </b>
            {change !== null && <Change percent={change} isMoreWorse={isMoreWorse} />}
            <span>{headline.text}</span>
          </>
        )}
      </p>
      {chart.points.length === 0 ? (
        <p className="none">None in this period</p>
      ) : (
        <BarsChart title={reportDesc} chart={chart} most={shownBars} />
      )}
    </>
  )
}
