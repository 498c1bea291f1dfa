import pg from 'pg'
import { z } from 'zod'
import { DatabaseHosts } from '../db/hosts.ts'
import { type AppEvent, eventChannel, sessionChannel } from './publish.ts'

interface EventFilter {
  topic?: string
  userId?: number
}

export interface EventHub {
  /** Calls `fn` for every matching event; returns a function that unsubscribes. */
  subscribe: (filter: EventFilter, fn: (event: AppEvent) => void) => () => void
  /** Calls `fn` after a reconnect: events in between were missed. */
  onGap: (fn: () => void) => () => void
  /** Calls `fn` with each announced change of sessions. */
  onSessionChange: (fn: (payload: string) => void) => () => void
  /** Identifies the connection that listens; null while there is none. */
  connection: () => number | null
  /** Resolves once everything that was committed before this call has been delivered; rejects when the connection is lost. */
  confirm: () => Promise<void>
  close: () => Promise<void>
}

export interface HubOptions {
  /** How often the connection is checked. */
  heartbeatMs?: number
  retryMs?: number
  onError?: (error: Error) => void
}

const eventSchema = z.object({
  topic: z.string(),
  userId: z.number().optional(),
  data: z.unknown(),
  isPartial: z.literal(true).optional(),
})

const longestRetryMs = 15_000

/** One LISTEN connection per process for all subscribers. It reconnects by itself. */
export const openEventHub = async (address: string | DatabaseHosts, options: HubOptions = {}): Promise<EventHub> => {
  const hosts = typeof address === 'string' ? new DatabaseHosts(address) : address
  const { heartbeatMs = 20_000, retryMs = 250, onError = () => undefined } = options
  const subscribers = new Set<{ filter: EventFilter; fn: (event: AppEvent) => void }>()
  const gapListeners = new Set<() => void>()
  const sessionListeners = new Set<(payload: string) => void>()
  let client: pg.Client | null = null
  let connections = 0
  let listening: { client: pg.Client; number: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let failures = 0

  const deliver = (payload: string | undefined) => {
    const event = parse(payload)
    if (!event) return
    for (const { filter, fn } of subscribers) if (matches(filter, event)) callSafely(() => fn(event), onError)
  }
  const announceSessions = (payload: string) => {
    for (const fn of sessionListeners) callSafely(() => fn(payload), onError)
  }

  const connect = async () => {
    const fresh = new pg.Client({
      ...hosts.clientConfig(),
      application_name: 'lis-events',
      connectionTimeoutMillis: 10_000,
    })
    // Both may fire for one lost connection; only the first counts.
    fresh.on('error', (error) => lost(fresh, error))
    fresh.on('end', () => lost(fresh))
    fresh.on('notification', ({ channel, payload }) =>
      channel === sessionChannel ? announceSessions(payload ?? '*') : deliver(payload),
    )
    client = fresh
    await fresh.connect()
    hosts.watch(fresh)
    await fresh.query(`listen ${eventChannel}; listen ${sessionChannel}`)
    listening = { client: fresh, number: ++connections }
    failures = 0
    watch(fresh)
  }

  /** A peer that vanished behind a firewall closes nothing, so the connection is queried with a time limit. */
  const watch = (current: pg.Client) => {
    timer = setTimeout(async () => {
      try {
        await withTimeout(current.query('select 1'), heartbeatMs)
        if (client === current && !isClosed) watch(current)
      } catch (error) {
        lost(current, error as Error)
      }
    }, heartbeatMs).unref()
  }

  const lost = (current: pg.Client, error?: Error) => {
    if (client !== current || isClosed) return
    client = null
    listening = null
    clearTimeout(timer)
    current.end().catch(() => undefined)
    if (error) onError(error)
    timer = setTimeout(reconnect, Math.min(longestRetryMs, retryMs * 2 ** failures++)).unref()
  }

  const reconnect = async () => {
    if (isClosed) return
    try {
      await connect()
      for (const fn of gapListeners) callSafely(fn, onError)
    } catch (error) {
      if (client) lost(client, error as Error)
    }
  }

  /** The database delivers what was committed before it answers the next statement. */
  const confirm = async () => {
    const asked = listening
    await asked?.client.query('select 1')
    if (!asked || asked !== listening) throw new Error('The event connection was lost')
  }

  const close = async () => {
    isClosed = true
    listening = null
    clearTimeout(timer)
    subscribers.clear()
    await client?.end().catch(() => undefined)
  }

  try {
    await connect()
  } catch (error) {
    await close() // the first attempt fails loudly instead of retrying
    throw error
  }
  return {
    subscribe: (filter, fn) => {
      const subscriber = { filter, fn }
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
    onGap: (fn) => {
      gapListeners.add(fn)
      return () => gapListeners.delete(fn)
    },
    onSessionChange: (fn) => {
      sessionListeners.add(fn)
      return () => sessionListeners.delete(fn)
    },
    connection: () => listening?.number ?? null,
    confirm,
    close,
  }
}

const matches = (filter: EventFilter, event: AppEvent) =>
  (filter.topic === undefined || filter.topic === event.topic) &&
  (filter.userId === undefined || filter.userId === event.userId)

/** Any database user may notify the channel, so the payload is validated like any other input. */
const parse = (payload: string | undefined): AppEvent | null => {
  try {
    return eventSchema.parse(JSON.parse(payload ?? '')) as AppEvent
  } catch {
    return null
  }
}

const callSafely = (fn: () => void, onError: (error: Error) => void) => {
  try {
    fn()
  } catch (error) {
    onError(error as Error)
  }
}

const withTimeout = (query: Promise<unknown>, ms: number) => {
  const timeout = new Promise((_, reject) =>
    setTimeout(() => reject(new Error('The event connection does not answer')), ms).unref(),
  )
  return Promise.race([query, timeout])
}
