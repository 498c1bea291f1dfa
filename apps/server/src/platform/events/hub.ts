import pg from 'pg'
import { z } from 'zod'
import { type AppEvent, eventChannel } from './publish.ts'

export interface EventFilter {
  topic?: string
  userId?: number
}

export interface EventHub {
  /** Calls `fn` for every event that fits; gives the way to stop. */
  subscribe: (filter: EventFilter, fn: (event: AppEvent) => void) => () => void
  /** Calls `fn` after the connection was lost and found again: what happened in between was not heard. */
  onGap: (fn: () => void) => () => void
  close: () => Promise<void>
}

export interface HubOptions {
  /** How often the connection is asked whether it is alive. */
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

/** One listening connection per process, however many listeners it has. It comes back by itself when the database does. */
export const openEventHub = async (connectionString: string, options: HubOptions = {}): Promise<EventHub> => {
  const { heartbeatMs = 20_000, retryMs = 250, onError = () => undefined } = options
  const subscribers = new Set<{ filter: EventFilter; fn: (event: AppEvent) => void }>()
  const gapListeners = new Set<() => void>()
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let failures = 0

  const deliver = (payload: string | undefined) => {
    const event = parse(payload)
    if (!event) return
    for (const { filter, fn } of subscribers) if (fits(filter, event)) guarded(() => fn(event), onError)
  }

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString,
      application_name: 'lis-events',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    })
    // Both may fire for one loss; only the first counts.
    fresh.on('error', (error) => lost(fresh, error))
    fresh.on('end', () => lost(fresh))
    fresh.on('notification', ({ payload }) => deliver(payload))
    client = fresh
    await fresh.connect()
    await fresh.query(`listen ${eventChannel}`)
    failures = 0
    watch(fresh)
  }

  /** A dead peer behind a firewall sends no goodbye: ask, and wait only so long for the answer. */
  const watch = (current: pg.Client) => {
    timer = setTimeout(async () => {
      try {
        await answered(current.query('select 1'), heartbeatMs)
        if (client === current && !isClosed) watch(current)
      } catch (error) {
        lost(current, error as Error)
      }
    }, heartbeatMs).unref()
  }

  const lost = (current: pg.Client, error?: Error) => {
    if (client !== current || isClosed) return
    client = null
    clearTimeout(timer)
    current.end().catch(() => undefined)
    if (error) onError(error)
    timer = setTimeout(reconnect, Math.min(longestRetryMs, retryMs * 2 ** failures++)).unref()
  }

  const reconnect = async () => {
    if (isClosed) return
    try {
      await connect()
      for (const fn of gapListeners) guarded(fn, onError)
    } catch (error) {
      if (client) lost(client, error as Error)
    }
  }

  const close = async () => {
    isClosed = true
    clearTimeout(timer)
    subscribers.clear()
    await client?.end().catch(() => undefined)
  }

  try {
    await connect()
  } catch (error) {
    await close() // the first time nobody would know that it is still trying
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
    close,
  }
}

const fits = (filter: EventFilter, event: AppEvent) =>
  (filter.topic === undefined || filter.topic === event.topic) &&
  (filter.userId === undefined || filter.userId === event.userId)

/** Anyone with a connection may notify the channel, so what arrives is checked like any other input. */
const parse = (payload: string | undefined): AppEvent | null => {
  try {
    return eventSchema.parse(JSON.parse(payload ?? '')) as AppEvent
  } catch {
    return null
  }
}

const guarded = (fn: () => void, onError: (error: Error) => void) => {
  try {
    fn()
  } catch (error) {
    onError(error as Error)
  }
}

const answered = (query: Promise<unknown>, ms: number) => {
  const late = new Promise((_, reject) =>
    setTimeout(() => reject(new Error('The event connection does not answer')), ms).unref(),
  )
  return Promise.race([query, late])
}
