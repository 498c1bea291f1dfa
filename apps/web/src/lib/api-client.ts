import {
  automaticKeyHeader,
  type BodyIn,
  backgroundHeader,
  type ParamsIn,
  printPath,
  type QueryIn,
  type ReplyOf,
  type Route,
} from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { ApiError, cancelled, failedResponse, noResponse } from './api-error.ts'
import type { Emitter } from './emitter.ts'
import type { AppEvents } from './events.ts'
import type { Refresher } from './refresh.ts'
import type { SessionStore } from './session-store.ts'

type Given<Name extends string, T> = [T] extends [undefined] ? { [K in Name]?: undefined } : { [K in Name]: T }
interface Options {
  signal?: AbortSignal | undefined
  headers?: Record<string, string>
  /** Reaches the server even if the page is closed meanwhile. */
  outlivesPage?: boolean
}
/** What a call of the route takes; parts that the contract does not name cannot be given. */
export type CallInput<R extends Route> = Given<'params', ParamsIn<R>> &
  Given<'query', QueryIn<R>> &
  Given<'body', BodyIn<R>> &
  Options
/** The input may be left out where nothing in it is needed. */
export type CallArgs<R extends Route> = Options extends CallInput<R> ? [input?: CallInput<R>] : [input: CallInput<R>]

interface LooseInput extends Options {
  params?: object | undefined
  query?: object | undefined
  body?: unknown
}

export interface ApiParts {
  base: string
  /** Of the report API. */
  reportBase: string
  fetch: typeof fetch
  store: SessionStore
  events: Emitter<AppEvents>
  refresher: Refresher
  /** Somebody is at this tab. */
  isAttended: () => boolean
  /** The person has asked to be logged out, which is under way. */
  isLeaving: () => boolean
}

const refreshing = new Error('canceled')
const ended = new Error('canceled')
/** A call is repeated after a refresh; more often than this something else is wrong. */
const maxAttempts = 3
const repeatMs = 300
/** Browsers refuse to keep more than 64 KiB alive; a character may take three bytes. */
const maxOutliving = 20_000

/** The server went away in the middle, or a proxy has lost it: another one answers the same call, and its key keeps a write from happening twice. */
const isUnanswered = (error: unknown) =>
  error instanceof ApiError && !error.isCancelled && (error.status === 502 || error.message === messages.noResponse)

/** Calls by the routes of the contract, with the session's token, its renewal and its end. */
export const createApi = (parts: ApiParts) => {
  const { store, refresher } = parts
  const inFlight = new Set<AbortController>()
  const cancelAll = (reason: Error) => {
    for (const controller of inFlight) controller.abort(reason)
  }

  const currentToken = async (): Promise<string> => {
    const token = store.get()?.token
    // Another tab, or an earlier visit, has dropped the token and not put a new one in its place.
    if (token === '') await refresher.refresh('')
    return store.get()?.token ?? ''
  }

  const attempt = async (route: Route, input: LooseInput, key: string, token: string): Promise<unknown> => {
    const controller = new AbortController()
    // A public call lives without a session, and may be the one that renews it.
    if (route.access !== 'public') inFlight.add(controller)
    const signal = input.signal ? AbortSignal.any([input.signal, controller.signal]) : controller.signal
    const text = input.body === undefined ? undefined : JSON.stringify(input.body)
    try {
      const response = await parts.fetch(
        (route.isReportApi ? parts.reportBase : parts.base) + addressOf(route, input),
        {
          method: route.method,
          headers: {
            ...(parts.isAttended() ? {} : { [backgroundHeader]: '1' }),
            ...headersOf(route, input, key, token),
          },
          ...(text === undefined ? {} : { body: text }),
          ...(input.outlivesPage && (text?.length ?? 0) <= maxOutliving ? { keepalive: true } : {}),
          signal,
        },
      )
      const body: unknown = await response.json().catch((error: unknown) => {
        if (signal.aborted) throw error
      })
      if (!response.ok) throw failedResponse(response.status, body)
      return body
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (signal.aborted) throw signal.reason === refreshing ? refreshing : cancelled(signal.reason)
      throw noResponse(error)
    } finally {
      inFlight.delete(controller)
    }
  }

  /** What is to be done about a failure: true to send the call again. */
  const recover = async (error: unknown, token: string): Promise<boolean> => {
    if (error === refreshing) return refresher.refresh(token)
    if (!(error instanceof ApiError)) return false
    if (error.status === 420) {
      cancelAll(refreshing)
      return refresher.refresh(token)
    }
    if (error.status === 408 && refresher.isRunning()) return refresher.refresh(token)
    // A renewed session answers its old token with 401: the call only came too late.
    if (error.status === 401 && token !== '' && store.get()?.token !== token && store.get())
      return refresher.refresh(token)
    if (error.status === 408 || error.status === 401) endSession()
    if (error.status === 403) parts.events.emit('forbidden', error)
    if (error.status === 490) leaveForPasswordChange()
    return false
  }
  const endSession = () => {
    // Who has left, or is about to, has not been cut off: a late answer must not say so.
    if (!store.get() || parts.isLeaving()) return
    cancelAll(ended)
    store.clear('expired')
  }
  const leaveForPasswordChange = () => {
    const session = store.get()
    if (session) {
      const { identity, access } = session
      parts.events.emit('passwordExpired', { accessToken: identity.accessToken, userName: access.userName })
    }
    store.clear('expired')
  }

  const call = async <R extends Route>(route: R, ...[input = {} as CallInput<R>]: CallArgs<R>): Promise<ReplyOf<R>> => {
    const loose: LooseInput = input
    const key = newKey()
    const name = `${route.method} ${addressOf(route, loose)}`
    for (let attempts = 1; ; attempts++) {
      // A public call must not wait for a refresh: it may be part of one.
      const token = route.access === 'public' ? (store.get()?.token ?? '') : await currentToken()
      try {
        // The server keeps to the contract (its tests check every reply), so what it says is not checked again here.
        const reply = (await attempt(route, loose, key, token)) as ReplyOf<R>
        parts.events.emit('succeeded', name)
        return reply
      } catch (error) {
        if (error instanceof ApiError) error.call = name
        const isOver = route.access === 'public' || attempts >= maxAttempts || loose.signal?.aborted
        if (!isOver && attempts === 1 && isUnanswered(error)) {
          await new Promise((later) => setTimeout(later, repeatMs))
          continue
        }
        if (!isOver && (await recover(error, token))) continue
        throw error === refreshing ? cancelled(error) : error
      }
    }
  }
  return {
    call,
    cancelAll: () => cancelAll(ended),
    /** For what is asked by other means than `call`: the session ends or is renewed as the status says. */
    sessionRefused: (status: number, token: string) => recover(failedResponse(status, null), token),
  }
}

const addressOf = (route: Route, { params = {}, query = {} }: LooseInput) => {
  const values = params as Record<string, unknown>
  const path = printPath(route, (name) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.append(name, String(value))
  }
  return `/${path}${search.size > 0 ? `?${search}` : ''}`
}

const headersOf = (route: Route, input: LooseInput, key: string, token: string): Record<string, string> => ({
  accept: 'application/json',
  ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  // A write that is cancelled by a refresh and sent again must not happen twice; the server knows it by its key.
  ...(route.method === 'GET' || token === '' ? {} : { 'idempotency-key': key }),
  ...(route.repeatsWithinMs === undefined ? {} : { [automaticKeyHeader]: '1' }),
  ...input.headers,
})

// Not randomUUID: it is missing where a laboratory serves its network without TLS.
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
