import { requisitionTopic } from '@lis/contract/requisitions/list.ts'
import { signOutRoutes, type WaitingReport } from '@lis/contract/sign-out.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { serverEvents } from '../../lib/event-stream.ts'
import { events } from '../../lib/events.ts'
import { read } from '../../lib/query.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'

const mostRows = 200
const refreshMs = 60_000

/** Waiting reports in the order of the server: those that need a look, then the rest. */
export const useWaiting = () => {
  const client = useQueryClient()
  const list = useQuery({
    ...readList<WaitingReport>(signOutRoutes.list, undefined, { ...allRows, perPage: mostRows }),
    refetchInterval: refreshMs,
  })
  useEffect(
    () =>
      serverEvents.on(requisitionTopic, () => void client.invalidateQueries({ queryKey: [signOutRoutes.list.path] })),
    [client],
  )
  const rows = list.data?.data ?? []
  return {
    rows,
    toLookAt: rows.filter(({ needsLook }) => needsLook === 1),
    normal: rows.filter(({ needsLook }) => needsLook === 0),
    total: list.data?.total ?? 0,
    isLoading: list.isPending,
    error: list.error,
    retry: () => list.refetch(),
  }
}

/** Says it when the report on the screen was signed or put on hold by somebody else. Returns a function to note what this user has done. */
export const useNoticeOfOthers = (
  { rows, isLoading }: ReturnType<typeof useWaiting>,
  currentId: number | null,
  isSigning: boolean,
) => {
  const shown = useRef<WaitingReport | null>(null)
  const own = useRef(new Set<number>())
  useEffect(() => {
    // The dialog says itself what came of it.
    if (isSigning) return
    const before = shown.current
    if (before && !isLoading && !own.current.has(before.reportId) && !rows.some(isSameReport(before.reportId)))
      events.emit('notice', {
        type: 'warning',
        message: `${labelOf(before)} no longer waits: somebody else has signed it, put it on hold or made it again`,
      })
    shown.current = rows.find(isSameReport(currentId)) ?? null
  }, [rows, isLoading, currentId, isSigning])
  return (ids: readonly number[]) => {
    for (const id of ids) own.current.add(id)
  }
}
const isSameReport = (id: number | null) => (report: WaitingReport) => report.reportId === id

/** How many reports were signed today; asked when none is left. */
export const useSignedToday = () => useQuery({ ...read(signOutRoutes.today), staleTime: 0 })

/** The page as it will be signed, with its checks. It is not refreshed: the user signs what was shown. */
export const useWaitingReport = (reportId: number) =>
  useQuery({ ...read(signOutRoutes.one, { params: { reportId } }), staleTime: Number.POSITIVE_INFINITY, gcTime: 0 })

export const nameOf = ({ patientLastName, patientFirstName }: WaitingReport) =>
  `${patientLastName}, ${patientFirstName}`

export const dayOf = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`

/** '#1000498 | Castellano, Marisol (04/22/1983)' */
export const labelOf = (report: WaitingReport) => `#${report.reqId} | ${nameOf(report)} (${dayOf(report.patientDob)})`
