import { requisitionTopic } from '@lis/contract/requisitions/list.ts'
import { signOutRoutes, type WaitingReport } from '@lis/contract/sign-out.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serverEvents } from '../../lib/event-stream.ts'
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

/** The page as it will be signed, with its checks. It is not refreshed: the user signs what was shown. */
export const useWaitingReport = (reportId: number) =>
  useQuery({ ...read(signOutRoutes.one, { params: { reportId } }), staleTime: Number.POSITIVE_INFINITY, gcTime: 0 })

export const nameOf = ({ patientLastName, patientFirstName }: WaitingReport) =>
  `${patientLastName}, ${patientFirstName}`

export const dayOf = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`

/** '#1000498 | Castellano, Marisol (04/22/1983)' */
export const labelOf = (report: WaitingReport) => `#${report.reqId} | ${nameOf(report)} (${dayOf(report.patientDob)})`
