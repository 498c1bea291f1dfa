import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'
import { type ListAddress, toListQuery } from '../../lib/list-address.ts'
import { useNotify } from '../notices.tsx'
import { loadFailureText } from '../table/load-failure-text.ts'
import { isCancelled, type ListRoute, type RouteParams, readList } from '../table/read-list.ts'
import { useSettled } from './use-settled.ts'

const isUnknownSort = (error: unknown) =>
  error instanceof ApiError && error.status === 400 && error.errors.some(({ field }) => field === 'sort')

/** The rows that the address asks for. The ones before stay until the new ones come; a failure is told once. */
export const useList = <Row>(
  route: ListRoute<Row>,
  params: RouteParams | undefined,
  address: ListAddress,
  isVisible: boolean,
) => {
  const client = useQueryClient()
  const notify = useNotify()
  const settled = useSettled(address)
  const query = useMemo(() => toListQuery(settled), [settled])
  const options = readList(route, params, query)
  // The first rows are asked for while the page is still being drawn: they are what people wait for.
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
    /** The address asks for an order that this list does not have. */
    isUnsortable,
    isBusy: result.isFetching || settled !== address,
    /** The rows shown are not yet those that were asked for. */
    isStale: result.isPlaceholderData || settled !== address,
    retry: () => result.refetch(),
    fetchAhead: (page: number) => client.prefetchQuery(readList(route, params, { ...query, page })),
  }
}
