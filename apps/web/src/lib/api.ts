import { configRoutes } from '@lis/contract/config.ts'
import { apiBase, reportBase } from '@lis/contract/kit/route.ts'
import { sessionRoutes } from '@lis/contract/session.ts'
import { createApi } from './api-client.ts'
import { ApiError } from './api-error.ts'
import { events } from './events.ts'
import { createIdentityClient } from './identity.ts'
import { createRefresher, flagLifeMs } from './refresh.ts'
import { refreshFlag, sessionStore } from './session.ts'
import type { IdentityTokens, StoredSession } from './session-store.ts'
import { withSimulatedErrors } from './simulate-error.ts'
import { unsaved } from './unsaved.ts'
import { trackActivity } from './user-activity.ts'

const fetchPlain: typeof fetch = (...args) => window.fetch(...args)
const fetchOrFail = import.meta.env.DEV ? withSimulatedErrors(fetchPlain) : fetchPlain

/** The server's public configuration, read once. */
export const readConfig = async () => {
  publicConfig ??= call(configRoutes.one)
  try {
    return (await publicConfig).data
  } catch (error) {
    publicConfig = null
    throw error
  }
}

/** The client of the user pool that the server names. */
export const identity = createIdentityClient(fetchOrFail, async () => (await readConfig()).idp)

/** Exchanges an access token of the user pool for a session. */
export const openSession = async (tokens: IdentityTokens, signal?: AbortSignal): Promise<StoredSession> => {
  const { data } = await call(sessionRoutes.tokenLogin, { body: { accessToken: tokens.accessToken }, signal })
  return { ...data, identity: tokens }
}

const renew = async (session: StoredSession): Promise<StoredSession> => {
  // Other tabs stop waiting when the flag expires; this tab must have given up by then.
  const signal = AbortSignal.timeout(flagLifeMs)
  const tokens = await identity.refresh(session.identity, signal)
  // Store the new tokens at once: the pool has revoked the old refresh token, and opening the session may have to be retried.
  const known = sessionStore.get()
  if (known?.token === '') sessionStore.set({ ...known, identity: tokens })
  try {
    return await openSession(tokens, signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 490)
      events.emit('passwordExpired', { accessToken: tokens.accessToken, userName: session.access.userName })
    throw error
  }
}

const refresher = createRefresher({
  store: sessionStore,
  flag: refreshFlag,
  renew,
  // Missing without TLS; the pool tolerates two tabs that refresh at the same moment.
  withLock: async (work) => (navigator.locks ? navigator.locks.request('lis-refresh', work) : work()),
  log: (message, cause) => console.error(message, cause),
})

const { isUserActive } = trackActivity()
let isLoggingOut = false

const api = createApi({
  base: apiBase,
  reportBase,
  fetch: fetchOrFail,
  store: sessionStore,
  events,
  refresher,
  isUserActive,
  isLoggingOut: () => isLoggingOut,
})

/** Calls a route of the contract. */
export const call = api.call
export const handleSessionStatus = api.handleSessionStatus
let publicConfig: ReturnType<typeof call<typeof configRoutes.one>> | null = null

const expiryMarginMs = 30_000

/** The user pool's access token, renewed if it is about to expire: the pool does not say when to renew. */
export const freshAccessToken = async (): Promise<string> => {
  const session = sessionStore.get()
  if (session && expiryOf(session.identity.accessToken) < Date.now() + expiryMarginMs)
    await refresher.refresh(session.token)
  return sessionStore.get()?.identity.accessToken ?? ''
}
const expiryOf = (jwt: string): number => {
  const claims = jwt.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
  const { exp } = JSON.parse(atob(claims)) as { exp: number }
  return exp * 1000
}

/** The longest that logging out may take. */
const logOutTimeoutMs = 5_000

/** Saves pending input, for at most `logOutMs`. */
export const sendUnsaved = () => Promise.race([unsaved.sendAll(), logOutTimeout()])
const logOutTimeout = () => new Promise((resolve) => setTimeout(resolve, logOutTimeoutMs))

/** Logs out in all tabs, and at the server if it can be reached. */
export const logOut = async () => {
  const userId = sessionStore.get()?.access.userId
  if (userId === undefined) return
  isLoggingOut = true
  try {
    // The signal aborts the call, but not its wait for a new token.
    const signal = AbortSignal.timeout(logOutTimeoutMs)
    await Promise.race([call(sessionRoutes.logout, { params: { userId }, signal }), logOutTimeout()])
  } catch {
    // Log out anyway: the server ends an unused session anyway.
  } finally {
    api.cancelAll()
    sessionStore.clear('signedOut')
    // Hide the renewal overlay, which nobody waits for any more.
    refreshFlag.lower()
    isLoggingOut = false
  }
}
