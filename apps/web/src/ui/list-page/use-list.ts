import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { type ListAddress, toListQuery } from '../../lib/list-address.ts'
import { useNotify } from '../notices.tsx'
import { loadFailureText } from '../table/load-failure-text.ts'
import { isCancelled, type ListRoute, type RouteParams, readList } from '../table/read-list.ts'

const isUnknownSort = (error: unknown) =>
  error instanceof ApiError && error.status === 400 && error.errors.some(({ field }) => field === 'sort')

/** The rows of the address. The previous rows stay until the new ones arrive; a failure is announced once. */
export const useList = <Row>(
  route: ListRoute<Row>,
  params: RouteParams | undefined,
  address: ListAddress,
  isVisible: boolean,
) => {
  const client = useQueryClient()
  const notify = useNotify()
  const throttled = useThrottled(address)
  const query = useMemo(() => toListQuery(throttled), [throttled])
  const options = readList(route, params, query)
  // Prefetched while the page is still rendering.
  useState(() => isVisible && client.prefetchQuery(options))
  const result = useQuery({ ...options, enabled: isVisible, placeholderData: keepPreviousData })
  const isUnsortable = isUnknownSort(result.error)
  const error = isCancelled(result.error) || isUnsortable ? null : result.error
  useEffect(() => {
    if (error) notify.error(loadFailureText(error), { cause: error })
  }, [error, notify])
  return {
    rows: error ? undefined : result.data?.data,
    total: result.data?.total,
    error,
    /** The address has a sort field that this list does not have. */
    isUnsortable,
    isBusy: result.isFetching || throttled !== address,
    /** The rows shown belong to a previous address. */
    isStale: result.isPlaceholderData || throttled !== address,
    retry: () => result.refetch(),
    fetchAhead: (page: number) => client.prefetchQuery(readList(route, params, { ...query, page })),
  }
}

/**
 * Throttles a value: the first change applies at once, further ones within `pauseMs` apply when it has passed. Ten quick clicks on 'next
 * page' send two requests, not ten (TABLE-023).
 */
const useThrottled = <T>(value: T, pauseMs = 500): T => {
  const [settled, setSettled] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, settled)) return
    const now = performance.now()
    const isFirst = now - changedAt.current >= pauseMs
    changedAt.current = now
    const timer = setTimeout(() => setSettled(value), isFirst ? 0 : pauseMs)
    return () => clearTimeout(timer)
  }, [value, settled, pauseMs])
  return settled
}
