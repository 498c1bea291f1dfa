import { formatListQuery, type ListQuery } from '@lis/contract/kit/list-query.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { call } from '../../lib/api.ts'
import type { CallInput } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'

/** Identifies a row in its list: a number, or text where a list contains several kinds of record. */
export type RowId = number | string

/** A route of the contract that returns a page of rows. */
export type ListRoute<Row> = Route & { reply: z.ZodType<ListReply<Row>> }
export interface ListReply<Row> {
  data: Row[]
  total: number
  message: string
}
export type RouteParams = Record<string, string | number>

/** Query options for a list; the request is cancelled when nothing needs it any more. */
export const readList = <Row>(route: ListRoute<Row>, params: RouteParams | undefined, query: ListQuery) => {
  const wire = formatListQuery(query)
  return queryOptions({
    queryKey: [route.path, params ?? null, wire],
    queryFn: ({ signal }) => callRoute<ListReply<Row>>(route, { params, query: wire, signal }),
  })
}

interface GivenInput {
  params?: RouteParams | undefined
  query: Record<string, string | undefined>
  signal?: AbortSignal
}

/** Calls a route given as a prop: its types are known to the caller, not to the compiler. */
export const callRoute = <Reply>(route: Route, input: GivenInput) =>
  call(route, input as unknown as CallInput<Route>) as Promise<Reply>

/** For sub-tables and show pages: all rows, in the default order. */
export const allRows: ListQuery = { page: 1, perPage: -1, filters: {}, sort: null }

/** Cancelled by us; not shown to the user. */
export const isCancelled = (error: unknown): boolean => error instanceof ApiError && error.isCancelled
