import {
  automaticKeyHeader,
  type BodyIn,
  backgroundHeader,
  fillPath,
  type ParamsIn,
  type QueryIn,
  type ReplyOf,
  type Route,
} from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { ApiError, cancelledError, noResponseError, responseError } from './api-error.ts'
import type { Emitter } from './emitter.ts'
import type { AppEvents } from './events.ts'
import type { Refresher } from './refresh.ts'
import type { SessionStore } from './session-store.ts'

type Given<Name extends string, T> = [T] extends [undefined] ? { [K in Name]?: undefined } : { [K in Name]: T }
interface Options {
  signal?: AbortSignal | undefined
  headers?: Record<string, string>
  /** Is completed even if the page is closed. */
  keepalive?: boolean
}
/** The input of a call: only what the contract names. */
export type CallInput<R extends Route> = Given<'params', ParamsIn<R>> &
  Given<'query', QueryIn<R>> &
  Given<'body', BodyIn<R>> &
  Options
/** The input is optional if all its parts are. */
export type CallArgs<R extends Route> = Options extends CallInput<R> ? [input?: CallInput<R>] : [input: CallInput<R>]

interface UntypedInput extends Options {
  params?: object | undefined
  query?: object | undefined
  body?: unknown
}

export interface ApiOptions {
  base: string
  /** Base address of the report API. */
  reportBase: string
  fetch: typeof fetch
  store: SessionStore
  events: Emitter<AppEvents>
  refresher: Refresher
  /** The user is active in this tab. */
  isUserActive: () => boolean
  /** The user is logging out. */
  isLoggingOut: () => boolean
}

const refreshing = new Error('canceled')
const ended = new Error('canceled')
/** A call is repeated after a refresh, at most this often. */
const maxAttempts = 3
const repeatMs = 300
/** Browsers limit keepalive bodies to 64 KiB; a character may take three bytes. */
const maxKeepaliveLength = 20_000

/**
 * The server stopped during the call, or a proxy lost it. Another server answers the repeated call; the idempotency key prevents a second
 * write.
 */
const isUnanswered = (error: unknown) =>
  error instanceof ApiError && !error.isCancelled && (error.status === 502 || error.message === messages.noResponse)

/** Calls the routes of the contract with the session's token, and handles its renewal and its end. */
export const createApi = (parts: ApiOptions) => {
  const { store, refresher } = parts
  const inFlight = new Set<AbortController>()
  const cancelAll = (reason: Error) => {
    for (const controller of inFlight) controller.abort(reason)
  }

  const currentToken = async (): Promise<string> => {
    const token = store.get()?.token
    // Another tab, or an earlier visit, has cleared the token and not stored a new one.
    if (token === '') await refresher.refresh('')
    return store.get()?.token ?? ''
  }

  const attempt = async (route: Route, input: UntypedInput, key: string, token: string): Promise<unknown> => {
    const controller = new AbortController()
    // A public call needs no session, and may be the one that renews it.
    if (route.access !== 'public') inFlight.add(controller)
    const signal = input.signal ? AbortSignal.any([input.signal, controller.signal]) : controller.signal
    const text = input.body === undefined ? undefined : JSON.stringify(input.body)
    try {
      const response = await parts.fetch(
        (route.isReportApi ? parts.reportBase : parts.base) + addressOf(route, input),
        {
          method: route.method,
          headers: {
            ...(parts.isUserActive() ? {} : { [backgroundHeader]: '1' }),
            ...headersOf(route, input, key, token),
          },
          ...(text === undefined ? {} : { body: text }),
          ...(input.keepalive && (text?.length ?? 0) <= maxKeepaliveLength ? { keepalive: true } : {}),
          signal,
        },
      )
      const isFile = response.ok && route.replyType !== undefined
      const body: unknown = await (isFile ? response.blob() : response.json()).catch((error: unknown) => {
        if (signal.aborted) throw error
      })
      if (!response.ok) throw responseError(response.status, body)
      return body
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (signal.aborted) throw signal.reason === refreshing ? refreshing : cancelledError(signal.reason)
      throw noResponseError(error)
    } finally {
      inFlight.delete(controller)
    }
  }

  /** Handles a failure; true means: send the call again. */
  const recover = async (error: unknown, token: string): Promise<boolean> => {
    if (error === refreshing) return refresher.refresh(token)
    if (!(error instanceof ApiError)) return false
    if (error.status === 420) {
      cancelAll(refreshing)
      return refresher.refresh(token)
    }
    if (error.status === 408 && refresher.isRunning()) return refresher.refresh(token)
    // After a renewal the server answers the old token with 401: the call was only late.
    if (error.status === 401 && token !== '' && store.get()?.token !== token && store.get())
      return refresher.refresh(token)
    if (error.status === 408 || error.status === 401) endSession()
    if (error.status === 403) parts.events.emit('forbidden', error)
    if (error.status === 490) leaveForPasswordChange()
    return false
  }
  const endSession = () => {
    // A user who logs out must not see 'session expired' because of a late answer.
    if (!store.get() || parts.isLoggingOut()) return
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
    const loose: UntypedInput = input
    const key = randomKey()
    const name = `${route.method} ${addressOf(route, loose)}`
    for (let attempts = 1; ; attempts++) {
      // A public call must not wait for a refresh: it may be part of one.
      const token = route.access === 'public' ? (store.get()?.token ?? '') : await currentToken()
      try {
        // The server keeps to the contract (its tests check every reply), so replies are not validated again here.
        const reply = (await attempt(route, loose, key, token)) as ReplyOf<R>
        parts.events.emit('succeeded', name)
        const { undoId, message = '' } = reply as { undoId?: number; message?: string }
        if (undoId !== undefined) parts.events.emit('undoable', { undoId, message })
        return reply
      } catch (error) {
        if (error instanceof ApiError) error.call = name
        const isOver = route.access === 'public' || attempts >= maxAttempts || loose.signal?.aborted
        if (!isOver && attempts === 1 && isUnanswered(error)) {
          await new Promise((later) => setTimeout(later, repeatMs))
          continue
        }
        if (!isOver && (await recover(error, token))) continue
        throw error === refreshing ? cancelledError(error) : error
      }
    }
  }
  return {
    call,
    cancelAll: () => cancelAll(ended),
    /** For requests outside `call`: ends or renews the session by status. */
    handleSessionStatus: (status: number, token: string) => recover(responseError(status, null), token),
  }
}

const addressOf = (route: Route, { params = {}, query = {} }: UntypedInput) => {
  const values = params as Record<string, unknown>
  const path = fillPath(route, (name) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.append(name, String(value))
  }
  return `/${path}${search.size > 0 ? `?${search}` : ''}`
}

const headersOf = (route: Route, input: UntypedInput, key: string, token: string): Record<string, string> => ({
  accept: 'application/json',
  ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  // A write that a refresh cancelled and repeated must not happen twice; the server recognizes it by its key.
  ...(route.method === 'GET' || token === '' ? {} : { 'idempotency-key': key }),
  ...(route.repeatsWithinMs === undefined ? {} : { [automaticKeyHeader]: '1' }),
  ...input.headers,
})

// Not randomUUID, which browsers only offer with TLS; some laboratories serve their network without it.
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
