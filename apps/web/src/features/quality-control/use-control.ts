import { qcTopic, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { useAddressParams } from '../../lib/use-address-params.ts'
import { useLive } from '../../lib/use-live.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'

const live = [
  qualityControlRoutes.status,
  qualityControlRoutes.chart,
  qualityControlRoutes.runs,
  qualityControlRoutes.lookbacks,
]
const refreshMs = 60_000
export const spans = [10, 30, 90] as const

/** The selection, from the address; by default the most urgent test. */
export const useControl = () => {
  const [params, change] = useAddressParams()
  useLive(qcTopic, live)
  const query = useQuery({
    ...readList(qualityControlRoutes.status, undefined, allRows),
    refetchInterval: refreshMs,
  })
  const rows = query.data?.data ?? []
  const [instrumentId, testCode] = [Number(params.get('instrumentId')), params.get('testCode')]
  const chosen = rows.find((row) => row.instrumentId === instrumentId && row.testCode === testCode) ?? rows[0]
  const days = spans.find((span) => String(span) === params.get('days')) ?? 30
  return { query, rows, chosen, days, change }
}

/** Of one test on one instrument. */
export const useChart = (of: { instrumentId: number; testCode: string }, days: number) =>
  useQuery(read(qualityControlRoutes.chart, { query: { ...of, days } }))
