import type { FastifyInstance, FastifyReply } from 'fastify'

export interface EventStream {
  send: (event: string, data: unknown) => void
  close: () => void
  /** Runs once, whichever side closed the stream. */
  onClose: (fn: () => void) => void
  /** Runs at every heartbeat, e.g. to check that the session is still valid. */
  onBeat: (fn: () => unknown) => void
}

export interface StreamOptions {
  heartbeatMs?: number
  /** How long a browser waits before it reconnects. */
  retryMs?: number
}

// A client that does not read must not fill our memory; it will reconnect and fetch again.
const maxBacklogBytes = 1024 * 1024

/** Server-sent events. The streams are closed when the server stops, because they would keep it from closing. */
export const eventStreams = (app: FastifyInstance, { heartbeatMs = 25_000, retryMs = 3000 }: StreamOptions = {}) => {
  const open = new Set<EventStream>()
  app.addHook('preClose', async () => {
    for (const stream of open) stream.close()
  })
  return (reply: FastifyReply): EventStream => {
    const stream = startStream(reply, heartbeatMs, retryMs)
    open.add(stream)
    stream.onClose(() => open.delete(stream))
    return stream
  }
}

const startStream = (reply: FastifyReply, heartbeatMs: number, retryMs: number): EventStream => {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    // Headers of earlier hooks (security headers) would otherwise be lost by the hijack.
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no', // asks proxies to pass every event on at once
  })
  raw.write(`retry: ${retryMs}\n\n`)
  const closers: (() => void)[] = []
  const beats: (() => unknown)[] = []
  let isOpen = true

  const write = (text: string) => {
    if (!isOpen) return
    raw.write(text)
    if (raw.writableLength > maxBacklogBytes) end(() => raw.destroy())
  }
  const end = (how: () => void) => {
    if (!isOpen) return
    isOpen = false
    clearInterval(timer)
    how()
    for (const fn of closers) fn()
  }
  const timer = setInterval(() => {
    write(': still here\n\n')
    for (const fn of beats) fn()
  }, heartbeatMs).unref()
  raw.on('close', () => end(() => undefined))
  raw.on('error', () => end(() => raw.destroy()))
  if (raw.destroyed) end(() => undefined)

  return {
    // JSON never holds a raw line break, so one data line is enough.
    send: (event, data) => write(`event: ${event.replace(/[\r\n]/g, ' ')}\ndata: ${JSON.stringify(data ?? null)}\n\n`),
    close: () => end(() => raw.end()),
    onClose: (fn) => {
      if (isOpen) closers.push(fn)
      else fn()
    },
    onBeat: (fn) => {
      beats.push(fn)
    },
  }
}
