import { insightRoutes, type ReportItem } from '@lis/contract/reports-pages.ts'
import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { read } from '../../lib/query.ts'
import { type Chosen, type InsightTab, sentChosen } from './insights-address.ts'

/** The summary of a report. */
export const readInsight = (tab: InsightTab, reportCode: string, chosen: Chosen) =>
  read(insightRoutes.list, { query: { tab, reportCode, ...sentChosen(chosen) } })

/** The cards in view are read first. */
const pauseMs = 1500

/**
 * The report whose card is to be read although it is not in view: after a moment all are, one after another, so that the page can be
 * printed whole.
 */
export const useTurns = (tab: InsightTab, items: readonly ReportItem[], chosen: Chosen): string | undefined => {
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), pauseMs)
    return () => clearTimeout(timer)
  }, [])
  // The cards make the requests; this only knows which were answered.
  const queries = items.map(({ reportCode }) => ({ ...readInsight(tab, reportCode, chosen), enabled: false }))
  const isWaiting = useQueries({ queries }).map(({ isPending }) => isPending)
  return isDue ? items[isWaiting.indexOf(true)]?.reportCode : undefined
}
