import { configRoutes } from '@lis/contract/config.ts'
import { apiBase, reportBase } from '@lis/contract/kit/route.ts'
import { sessionRoutes } from '@lis/contract/session.ts'
import { createApi } from './api-client.ts'
import { ApiError } from './api-error.ts'
import { openAttendance } from './attendance.ts'
import { events } from './events.ts'
import { createIdentityClient } from './identity.ts'
import { createRefresher, flagLifeMs } from './refresh.ts'
import { refreshFlag, sessionStore } from './session.ts'
import type { IdentityTokens, StoredSession } from './session-store.ts'
import { withSimulatedErrors } from './simulate-error.ts'
import { unsaved } from './unsaved.ts'

const fetchPlain: typeof fetch = (...args) => window.fetch(...args)
const fetchNow = import.meta.env.DEV ? withSimulatedErrors(fetchPlain) : fetchPlain

/** What the server says of itself, asked once. */
export const readConfig = async () => {
  publicConfig ??= call(configRoutes.one)
  try {
    return (await publicConfig).data
  } catch (error) {
    publicConfig = null
    throw error
  }
}

/** The user pool that the server names. */
export const identity = createIdentityClient(fetchNow, async () => (await readConfig()).idp)

/** Trades the access token of the user pool for a session of ours. */
export const openSession = async (tokens: IdentityTokens, signal?: AbortSignal): Promise<StoredSession> => {
  const { data } = await call(sessionRoutes.tokenLogin, { body: { accessToken: tokens.accessToken }, signal })
  return { ...data, identity: tokens }
}

const renew = async (session: StoredSession): Promise<StoredSession> => {
  // The other tabs stop waiting when the flag clears itself; by then this one must have given up too.
  const signal = AbortSignal.timeout(flagLifeMs)
  const tokens = await identity.refresh(session.identity, signal)
  // At once: the pool has taken the old refresh token out of use, and the second half may have to be tried again.
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
  // Missing without TLS; the pool forgives two tabs that ask in the same moment.
  exclusively: async (work) => (navigator.locks ? navigator.locks.request('lis-refresh', work) : work()),
  log: (message, cause) => console.error(message, cause),
})

const { isAttended } = openAttendance()
let isLeaving = false

const api = createApi({
  base: apiBase,
  reportBase,
  fetch: fetchNow,
  store: sessionStore,
  events,
  refresher,
  isAttended,
  isLeaving: () => isLeaving,
})

/** Calls the server by a route of the contract. */
export const call = api.call
export const sessionRefused = api.sessionRefused
let publicConfig: ReturnType<typeof call<typeof configRoutes.one>> | null = null

const expiryMarginMs = 30_000

/** The user pool's access token, renewed first when it is about to run out: the pool itself says nothing of how to go on. */
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

/** Nobody waits longer than this to be let out. */
const logOutMs = 5_000

/** Saves what waits for its moment, as long as there is time. */
export const sendUnsaved = () => Promise.race([unsaved.sendAll(), longEnough()])
const longEnough = () => new Promise((resolve) => setTimeout(resolve, logOutMs))

/** Leaves on this device: in all tabs, and at the server if it can be reached. */
export const logOut = async () => {
  const userId = sessionStore.get()?.access.userId
  if (userId === undefined) return
  isLeaving = true
  try {
    // The signal ends the call, but not its wait for a new token.
    const signal = AbortSignal.timeout(logOutMs)
    await Promise.race([call(sessionRoutes.logout, { params: { userId }, signal }), longEnough()])
  } catch {
    // Whoever leaves has left: the server ends the session by itself when it is left alone.
  } finally {
    api.cancelAll()
    sessionStore.clear('signedOut')
    // A renewal that nobody waits for any more must not lie over the login page.
    refreshFlag.lower()
    isLeaving = false
  }
}
