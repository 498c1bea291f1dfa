import { autoverificationRoutes } from '@lis/contract/autoverification.ts'
import { type InstrumentResultState, instrumentResultRoutes, reviewTopic } from '@lis/contract/instrument-results.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { useQuery } from '@tanstack/react-query'
import { formatLongDate } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useAddressParams } from '../../lib/use-address-params.ts'
import { useLive } from '../../lib/use-live.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { useZone } from '../../ui/timestamp.tsx'
import { isOfKind, type ReasonKind, reasonKinds } from './review-groups.ts'

const live = [instrumentResultRoutes.review, instrumentResultRoutes.results, autoverificationRoutes.state]
const refreshMs = 60_000
const mostRows = 500

/** The selection, from the address. */
export const useReviewAddress = () => {
  const [params, change] = useAddressParams()
  const instrument = params.get('instrumentId') ?? ''
  const kind = params.get('kind') ?? ''
  const result = params.get('result') ?? ''
  return {
    instrumentId: /^\d{1,9}$/.test(instrument) ? Number(instrument) : null,
    kind: Object.hasOwn(reasonKinds, kind) ? (kind as ReasonKind) : null,
    resultId: /^\d{1,15}$/.test(result) ? Number(result) : null,
    change: (wanted: Partial<Record<'kind' | 'result', string>>) => change(wanted),
  }
}

/** What waits for a person. */
export const useReview = (instrumentId: number | null, kind: ReasonKind | null) => {
  useLive(reviewTopic, live)
  const query = useQuery({
    ...readList(instrumentResultRoutes.review, undefined, { ...allRows, perPage: mostRows }),
    refetchInterval: refreshMs,
  })
  const all = query.data?.data ?? []
  const ofInstrument = all.filter((row) => instrumentId === null || row.instrumentId === instrumentId)
  return {
    query,
    all,
    ofInstrument,
    rows: ofInstrument.filter((row) => kind === null || isOfKind(row, kind)),
    /** Undefined until it is known. */
    total: query.data?.total,
  }
}

/** How many results came today and were verified by rule, or accepted by a person. */
export const useToday = () => {
  const today = formatLongDate(dayAt(Date.now(), useZone()))
  const totalOf = (state: InstrumentResultState) => ({
    ...readList(instrumentResultRoutes.results, undefined, {
      page: 1,
      perPage: 1,
      sort: null,
      filters: { state, receivedAt: `[${today}-${today}]` },
    }),
    refetchInterval: refreshMs,
  })
  return { verified: useQuery(totalOf('VERIFIED')).data?.total, accepted: useQuery(totalOf('ACCEPTED')).data?.total }
}

export const useAutoverification = () => useQuery(read(autoverificationRoutes.state)).data?.data
