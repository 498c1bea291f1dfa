import { backgroundHeader } from '@lis/contract/kit/route.ts'
import { sessionRefused } from './api.ts'
import { sessionStore } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** What the server tells by itself. Events are hints: whoever hears one, or may have missed one, asks again. */
export interface ServerEvent {
  topic: string
  data: unknown
}
/** Called for an event of the topic; with null after a silence in which one may have been missed. */
export type EventListener = (data: unknown) => void

/** What decides when the stream may be open, and how time passes. */
export interface StreamParts {
  url: string
  fetch: typeof fetch
  store: Pick<SessionStore, 'get' | 'subscribe'>
  /** Ends or renews the session, as the same status does for any call. */
  sessionRefused: (status: number, token: string) => Promise<unknown>
  /** Hidden tabs hear nothing: a browser has only six connections to a server, and people have many tabs. */
  isVisible: () => boolean
  watchVisibility: (listener: () => void) => () => void
  /** From 0 to 1; spreads the return of all browsers after a restart of the server. */
  random: () => number
}

/** The server's own word for a gap. */
const resync = 'resync'
const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** The server says at least every 25 s that it is there; silence for this long is a dead connection. */
const silenceMs = 70_000
/** Refusals that speak of the session: over, run out, or not known. */
const sessionStatuses = [401, 408, 420, 490]

/** One stream of server-sent events, open while somebody listens, somebody is signed in and the tab is seen. */
export const createEventStream = (parts: StreamParts) => {
  const listeners = new Map<string, Set<EventListener>>()
  let current: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let stopWatching: (() => void)[] = []
  let mayHaveMissed = false
  let usedToken = ''
  /** Tokens refused one after the other: a server that refuses new ones too is not asked for more without a pause. */
  let refusals = 0

  const tell = ({ topic, data }: ServerEvent) => {
    if (topic === resync) return tellOfGap()
    for (const listener of listeners.get(topic) ?? []) listener(data)
  }
  const tellOfGap = () => {
    for (const known of listeners.values()) for (const listener of known) listener(null)
  }

  const wanted = () => (listeners.size > 0 && parts.isVisible() ? (parts.store.get()?.token ?? '') : '')

  const close = () => {
    clearTimeout(timer)
    if (current) mayHaveMissed = true
    current?.abort()
    current = null
  }

  /** Brings the stream in line with what is wanted now. */
  const settle = () => {
    const token = wanted()
    if (token !== '' && token === usedToken && current) return
    close()
    usedToken = token
    failures = 0
    if (token === '') return
    if (refusals > 1) runLater(token, refusals)
    else void run(token)
  }
  const runLater = (token: string, after: number) => {
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** after)
    timer = setTimeout(() => void run(token), waitMs * (0.5 + parts.random() / 2))
  }

  const run = async (token: string) => {
    const controller = new AbortController()
    current = controller
    try {
      await listen(token, controller)
    } catch {
      // Lost or refused alike: it is tried again, and whoever needs the news asks by ordinary calls meanwhile.
    }
    // A session that has ended or has been renewed has brought the stream in line already.
    if (current !== controller) return
    mayHaveMissed = true
    runLater(token, failures++)
  }

  const listen = async (token: string, controller: AbortController) => {
    const response = await parts.fetch(parts.url, {
      // It comes back by itself, so it says nothing of a person.
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}`, [backgroundHeader]: '1' },
      signal: controller.signal,
    })
    // A quiet page makes no other call that would tell it that its session is over, or that its token must be renewed.
    if (sessionStatuses.includes(response.status)) {
      refusals += 1
      mayHaveMissed = true
      await parts.sessionRefused(response.status, token)
    }
    if (!response.ok || !response.body) throw new Error(`The event stream answered ${response.status}`)
    failures = 0
    refusals = 0
    if (mayHaveMissed) tellOfGap()
    mayHaveMissed = false
    const read = createEventReader(tell)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const silence = setTimeout(() => reader.cancel().catch(() => undefined), silenceMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      read(value)
    }
  }

  return {
    /** Listens to a topic; gives the way to stop. */
    on: (topic: string, listener: EventListener): (() => void) => {
      if (listeners.size === 0) stopWatching = [parts.store.subscribe(settle), parts.watchVisibility(settle)]
      const known = listeners.get(topic) ?? new Set()
      listeners.set(topic, known.add(listener))
      settle()
      return () => {
        known.delete(listener)
        if (known.size === 0) listeners.delete(topic)
        if (listeners.size === 0) for (const stop of stopWatching.splice(0)) stop()
        settle()
      }
    },
  }
}

/** Reads the text of an event stream, in whatever pieces it comes. Comments (heartbeats) and what is no JSON pass unheard. */
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

/** The one stream of this tab. */
export const serverEvents = createEventStream({
  url: '/api/v3.0/events',
  fetch: (...args) => window.fetch(...args),
  store: sessionStore,
  sessionRefused,
  isVisible: () => document.visibilityState === 'visible',
  watchVisibility: (listener) => {
    document.addEventListener('visibilitychange', listener)
    return () => document.removeEventListener('visibilitychange', listener)
  },
  random: Math.random,
})
