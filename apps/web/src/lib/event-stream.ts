import { backgroundHeader } from '@lis/contract/kit/route.ts'
import { handleSessionStatus } from './api.ts'
import { sessionStore } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** An event from the server. Events are hints: listeners read the data again. */
export interface ServerEvent {
  topic: string
  data: unknown
}
/** Called for an event of the topic, and with null when events may have been missed. */
export type EventListener = (data: unknown) => void

/** Dependencies of the stream, replaced in tests. */
export interface StreamOptions {
  url: string
  fetch: typeof fetch
  store: Pick<SessionStore, 'get' | 'subscribe'>
  /** Ends or renews the session, as the same status does for any call. */
  handleSessionStatus: (status: number, token: string) => Promise<unknown>
  /** Hidden tabs are disconnected: a browser allows only six connections to a server, and users have many tabs open. */
  isVisible: () => boolean
  watchVisibility: (listener: () => void) => () => void
  /** From 0 to 1; spreads the reconnects of all browsers after a server restart. */
  random: () => number
}

/** Topic by which the server reports a gap. */
const resync = 'resync'
const firstDelayMs = 1_000
const maxDelayMs = 60_000
/** The server sends a heartbeat at least every 25 s; silence for this long means a dead connection. */
const silenceMs = 70_000
/** Statuses about the session: ended, expired or unknown. */
const sessionStatuses = [401, 408, 420, 490]

/** A stream of server-sent events, open while there are listeners, a user is signed in and the tab is visible. */
export const createEventStream = (parts: StreamOptions) => {
  const listeners = new Map<string, Set<EventListener>>()
  let current: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let stopWatching: (() => void)[] = []
  let mayHaveMissed = false
  let usedToken = ''
  /** Tokens refused in a row: if the server refuses new ones too, wait before asking for another. */
  let refusals = 0

  const dispatch = ({ topic, data }: ServerEvent) => {
    if (topic === resync) return dispatchGap()
    for (const listener of listeners.get(topic) ?? []) listener(data)
  }
  const dispatchGap = () => {
    for (const known of listeners.values()) for (const listener of known) listener(null)
  }

  const wantedToken = () => (listeners.size > 0 && parts.isVisible() ? (parts.store.get()?.token ?? '') : '')

  const close = () => {
    clearTimeout(timer)
    if (current) mayHaveMissed = true
    current?.abort()
    current = null
  }

  /** Opens or closes the stream as needed. */
  const update = () => {
    const token = wantedToken()
    if (token !== '' && token === usedToken && current) return
    close()
    usedToken = token
    failures = 0
    if (token === '') return
    if (refusals > 1) runLater(token, refusals)
    else void run(token)
  }
  const runLater = (token: string, after: number) => {
    const waitMs = Math.min(maxDelayMs, firstDelayMs * 2 ** after)
    timer = setTimeout(() => void run(token), waitMs * (0.5 + parts.random() / 2))
  }

  const run = async (token: string) => {
    const controller = new AbortController()
    current = controller
    try {
      await listen(token, controller)
    } catch {
      // Lost or refused: reconnect later. Until then ordinary calls fetch the data.
    }
    // If the session ended or was renewed, the stream is already up to date.
    if (current !== controller) return
    mayHaveMissed = true
    runLater(token, failures++)
  }

  const listen = async (token: string, controller: AbortController) => {
    const response = await parts.fetch(parts.url, {
      // Reconnects happen by themselves, so they do not count as user activity.
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}`, [backgroundHeader]: '1' },
      signal: controller.signal,
    })
    // An idle page makes no other call that would report the end of the session or an expired token.
    if (sessionStatuses.includes(response.status)) {
      refusals += 1
      mayHaveMissed = true
      await parts.handleSessionStatus(response.status, token)
    }
    if (!response.ok || !response.body) throw new Error(`The event stream answered ${response.status}`)
    failures = 0
    refusals = 0
    if (mayHaveMissed) dispatchGap()
    mayHaveMissed = false
    const read = createEventReader(dispatch)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const silence = setTimeout(() => reader.cancel().catch(() => undefined), silenceMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      read(value)
    }
  }

  return {
    /** Subscribes to a topic; returns the function to unsubscribe. */
    on: (topic: string, listener: EventListener): (() => void) => {
      if (listeners.size === 0) stopWatching = [parts.store.subscribe(update), parts.watchVisibility(update)]
      const known = listeners.get(topic) ?? new Set()
      listeners.set(topic, known.add(listener))
      update()
      return () => {
        known.delete(listener)
        if (known.size === 0) listeners.delete(topic)
        if (listeners.size === 0) for (const stop of stopWatching.splice(0)) stop()
        update()
      }
    },
  }
}

/** Parses an event stream, in chunks of any size. Ignores comments (heartbeats) and data that is not JSON. */
export const createEventReader = (onEvent: (event: ServerEvent) => void) => {
  let rest = ''
  return (chunk: string) => {
    const blocks = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readBlock(block)
      if (event) onEvent(event)
    }
  }
}

const readBlock = (block: string): ServerEvent | null => {
  let topic = 'message'
  const lines: string[] = []
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(event|data): ?(.*)$/s.exec(line) ?? []
    if (name === 'event') topic = value
    if (name === 'data') lines.push(value)
  }
  if (lines.length === 0) return null
  try {
    return { topic, data: JSON.parse(lines.join('\n')) }
  } catch {
    return null
  }
}

/** The event stream of this tab. */
export const serverEvents = createEventStream({
  url: '/api/v3.0/events',
  fetch: (...args) => window.fetch(...args),
  store: sessionStore,
  handleSessionStatus,
  isVisible: () => document.visibilityState === 'visible',
  watchVisibility: (listener) => {
    document.addEventListener('visibilitychange', listener)
    return () => document.removeEventListener('visibilitychange', listener)
  },
  random: Math.random,
})
