import { criticalCallRoutes, criticalTopic } from '@lis/contract/critical-calls.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { useQuery } from '@tanstack/react-query'
import { formatLongDate } from '../../lib/formats.ts'
import { useLive } from '../../lib/use-live.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { useZone } from '../../ui/timestamp.tsx'

const live = [criticalCallRoutes.list, criticalCallRoutes.one]
const refreshMs = 60_000

/** The open calls, and those of today. */
export const useCalls = () => {
  useLive(criticalTopic, live)
  const today = formatLongDate(dayAt(Date.now(), useZone()))
  const rowsOf = (filters: Record<string, string | string[]>) => ({
    ...readList(criticalCallRoutes.list, undefined, { ...allRows, filters }),
    refetchInterval: refreshMs,
  })
  return {
    open: useQuery(rowsOf({ state: ['OPEN', 'TAKEN'] })),
    closed: useQuery(rowsOf({ state: 'CLOSED', closedAt: `[${today}-${today}]` })),
  }
}
