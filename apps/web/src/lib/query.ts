import type { Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { type Query, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from './api.ts'
import type { CallArgs, CallInput } from './api-client.ts'
import { ApiError, isGone } from './api-error.ts'
import { pageSession } from './session.ts'
import type { StoredSession } from './session-store.ts'
import { unsaved } from './unsaved.ts'

/**
 * What was read of a record that has gone must not stay on screen as if nothing had happened. Only while the page holds unsaved input it
 * stays, so that nothing typed is lost; the page then says so.
 */
const forgetGone = () => {
  if (unsaved.has()) return
  for (const query of queryClient.getQueryCache().getAll())
    if (isGone(query.state.error) && query.state.data !== undefined)
      query.setState({ data: undefined, dataUpdatedAt: 0 })
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: forgetGone }),
  // A failed read shows its error and a retry at once; silent retries would only hide a slow server.
  defaultOptions: { queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false } },
})

/**
 * Asked once and never again, whatever came of it: a token that is renewed, and a save elsewhere on the page, make every other query old
 * and have it asked anew. For what writes.
 */
export const askedOnce = { enabled: ({ state }: Pick<Query, 'state'>) => state.status === 'pending' }

/** A read of the contract as TanStack Query wants it; the key is the route and what it was asked for. */
export const read = <R extends Route & { method: 'GET' }>(route: R, ...[input]: CallArgs<R>) =>
  queryOptions({
    queryKey: [route.path, input?.params ?? null, input?.query ?? null],
    queryFn: ({ signal }) => {
      // An address that can name no record ('/clients/abc/show') needs no server to say so.
      if (Object.values(input?.params ?? {}).some(Number.isNaN))
        throw new ApiError(messages.notFoundPage, { status: 404 })
      return call(route, ...([{ ...input, signal } as CallInput<R>] as CallArgs<R>))
    },
  })

/**
 * Nothing read for one person, or typed by them, is shown to the next, nor what was read in one role or for one client to the same person
 * in another; and what is on screen is read again when the token changes.
 */
export const followSession = () => {
  let before = pageSession.get()
  const stopForgetting = unsaved.subscribe(forgetGone)
  const stopFollowing = pageSession.subscribe(() => {
    const now = pageSession.get()
    if (now?.access.userId !== before?.access.userId) {
      queryClient.clear()
      unsaved.clear()
    } else if (now && scopeOf(now) !== scopeOf(before)) {
      // What was typed before the sign-in that brought the other role stays; what lies under it is asked for anew.
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
