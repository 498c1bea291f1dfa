import { type ListQuery, printListQuery } from '@lis/contract/kit/list-query.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { call } from '../../lib/api.ts'
import type { CallInput } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'

/** By what a row is told from the others of its list: its number, or a text where records of several kinds stand together. */
export type RowId = number | string

/** A route of the contract that answers with a page of rows. */
export type ListRoute<Row> = Route & { reply: z.ZodType<ListReply<Row>> }
export interface ListReply<Row> {
  data: Row[]
  total: number
  message: string
}
export type RouteParams = Record<string, string | number>

/** Rows of a list, as TanStack Query wants them; the request ends when nobody waits for it any more. */
export const readList = <Row>(route: ListRoute<Row>, params: RouteParams | undefined, query: ListQuery) => {
  const wire = printListQuery(query)
  return queryOptions({
    queryKey: [route.path, params ?? null, wire],
    queryFn: ({ signal }) => callGiven<ListReply<Row>>(route, { params, query: wire, signal }),
  })
}

interface GivenInput {
  params?: RouteParams | undefined
  query: Record<string, string | undefined>
  signal?: AbortSignal
}

/** Calls a route that the kit was given: what it takes and answers is known by the caller, not by the compiler. */
export const callGiven = <Reply>(route: Route, input: GivenInput) =>
  call(route, input as unknown as CallInput<Route>) as Promise<Reply>

/** Sub-tables and show pages: everything at once, in the list's own order. */
export const wholeList: ListQuery = { page: 1, perPage: -1, filters: {}, sort: null }

/** Cancelled by ourselves: nobody needs to hear of it. */
export const isCancelled = (error: unknown): boolean => error instanceof ApiError && error.isCancelled
