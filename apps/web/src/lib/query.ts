import type { Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { type Query, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from './api.ts'
import type { CallArgs, CallInput } from './api-client.ts'
import { ApiError, isNotFound } from './api-error.ts'
import { pageSession } from './session.ts'
import type { StoredSession } from './session-store.ts'
import { unsaved } from './unsaved.ts'

/**
 * Removes data of records that no longer exist from the screen. While the page has unsaved input the data stays, so that nothing typed is
 * lost, and the page says that the record no longer exists.
 */
const dropDeletedRecords = () => {
  if (unsaved.has()) return
  for (const query of queryClient.getQueryCache().getAll())
    if (isNotFound(query.state.error) && query.state.data !== undefined)
      query.setState({ data: undefined, dataUpdatedAt: 0 })
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: dropDeletedRecords }),
  // A failed read shows its error and a retry button at once; automatic retries would only hide a slow server.
  defaultOptions: { queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false } },
})

/** For a query that writes: never repeated, although a new token and every save invalidate all other queries. */
export const runOnce = { enabled: ({ state }: Pick<Query, 'state'>) => state.status === 'pending' }

/** Query options for a route of the contract; the key is the route and its input. */
export const read = <R extends Route & { method: 'GET' }>(route: R, ...[input]: CallArgs<R>) =>
  queryOptions({
    queryKey: [route.path, input?.params ?? null, input?.query ?? null],
    queryFn: ({ signal }) => {
      // An invalid id ('/clients/abc/show') needs no call.
      if (Object.values(input?.params ?? {}).some(Number.isNaN))
        throw new ApiError(messages.notFoundPage, { status: 404 })
      return call(route, ...([{ ...input, signal } as CallInput<R>] as CallArgs<R>))
    },
  })

/**
 * Clears data and input of one user before the next signs in, and data read in another role or for another client; when the token changes,
 * the data on screen is read again.
 */
export const resetOnSessionChange = () => {
  let before = pageSession.get()
  const stopForgetting = unsaved.subscribe(dropDeletedRecords)
  const stopFollowing = pageSession.subscribe(() => {
    const now = pageSession.get()
    if (now?.access.userId !== before?.access.userId) {
      queryClient.clear()
      unsaved.clear()
    } else if (now && scopeOf(now) !== scopeOf(before)) {
      // Input typed before the sign-in that changed the role is kept; the data under it is read again.
      queryClient.removeQueries({ type: 'inactive' })
      queryClient.invalidateQueries()
    } else if (now?.token && now.token !== before?.token) queryClient.invalidateQueries()
    before = now
  })
  return () => {
    stopForgetting()
    stopFollowing()
  }
}
const scopeOf = (session: StoredSession | null) => `${session?.access.userRoleCode} ${session?.access.entityId}`
