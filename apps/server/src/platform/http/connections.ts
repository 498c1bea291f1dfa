import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../ip-network.ts'
import type { Log } from '../log.ts'

export interface ConnectionLimits {
  /** Open connections of one address; 0 for no limit, as behind a proxy, which shares one address for all callers. */
  perAddress: number
  /** How long the body of a request may take, unless `allowUpload` gave it more time. */
  bodyMs: number
}

/** How long the headers of a request may take; also how long a new connection may stay silent. */
export const headersTimeoutMs = 20_000
/** How often the time limits are checked. */
export const timeoutCheckMs = 5000

/** Closes connections that are held without being used, and keeps one address from taking them all. */
export const limitConnections = (app: FastifyInstance, { perAddress, bodyMs }: ConnectionLimits) => {
  countConnections(app.server, perAddress, app.log as Log)
  app.server.prependListener('request', (request: IncomingMessage) => endSlowBody(request, bodyMs))
  endSlowReaders(app)
}

// ── number of connections ────────────────────────────────────────────────────────────────────────────────────────────────────────

const countConnections = (server: Server, perAddress: number, log: Pick<Log, 'warn'>) => {
  const byAddress = new Map<string, number>()
  const limit = connectionLimit()
  let loggedAt = 0
  let all = 0
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    const own = byAddress.get(address) ?? 0
    if (all >= limit || (perAddress > 0 && own >= perAddress)) {
      socket.destroy()
      if (Date.now() - loggedAt > 60_000) log.warn({ ip: socket.remoteAddress, own, all }, 'too many connections')
      loggedAt = Date.now()
      return
    }
    all++
    byAddress.set(address, own + 1)
    socket.once('close', () => {
      all--
      const left = (byAddress.get(address) ?? 1) - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    })
  })
}

/** Three quarters of the file descriptors of this process: the rest is for files and the database. */
const connectionLimit = (): number => {
  try {
    const [, open = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return open ? Math.floor(Number(open) * 0.75) : defaultConnections
  } catch {
    return defaultConnections
  }
}
const defaultConnections = 10_000

// ── slow callers ────────────────────────────────────────────────────────────────────────────────────────────────────────

const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** A caller that sends its body one byte at a time wastes a connection, whether its request was answered or not. */
const endSlowBody = (request: IncomingMessage, ms: number) => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && length === '0') return
  setBodyTimer(
    request,
    setTimeout(() => closeIncomplete(request), ms),
  )
}

const setBodyTimer = (request: IncomingMessage, timer: NodeJS.Timeout) => {
  clearTimeout(bodyTimers.get(request))
  bodyTimers.set(request, timer.unref())
  request.once('close', () => clearTimeout(timer))
}

const closeIncomplete = (request: IncomingMessage) => {
  if (!request.complete) request.destroy()
}

const progressMs = 30_000
const progressBytes = 64 * 1024

/** Gives an upload whose signature has been verified more time, as long as bytes keep arriving. */
export const allowUpload = (request: IncomingMessage, longestMs: number, everyMs = progressMs) => {
  const endsAt = Date.now() + longestMs
  let read = request.socket.bytesRead
  const check = () => {
    const now = request.socket.bytesRead
    if (now - read < progressBytes || Date.now() > endsAt) closeIncomplete(request)
    read = now
  }
  setBodyTimer(request, setInterval(check, everyMs))
}

const silenceMs = 60_000
const longestReplyMs = 20 * 60_000
const largeReply = 64 * 1024

/** A caller that does not read its reply, or reads it one byte at a time. A small reply fits the socket buffer at once. */
const endSlowReaders = (app: FastifyInstance) => {
  app.addHook('onSend', async (_, reply, payload) => {
    if (!payload || (typeof payload === 'string' && payload.length < largeReply)) return
    const { raw } = reply
    const end = () => raw.destroy()
    raw.setTimeout(silenceMs, end)
    const timer = setTimeout(end, longestReplyMs).unref()
    raw.once('close', () => clearTimeout(timer))
  })
}

/** Browsers keep connections open for their next call. While the server stops there is none, so idle connections are closed. */
export const closeIdleConnectionsOnStop = (app: FastifyInstance) => {
  let timer: NodeJS.Timeout
  app.addHook('preClose', async () => {
    timer = setInterval(() => app.server.closeIdleConnections(), 50)
  })
  app.addHook('onClose', async () => clearInterval(timer))
}
