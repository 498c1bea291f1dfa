import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../log.ts'

export interface ConnectionLimits {
  /** Open connections of one address; 0 for any number, as behind a proxy, whose address is that of everybody. */
  perAddress: number
  /** How long the body of a request may take, unless `allowUpload` gave it more time. */
  bodyMs: number
}

/** How long the head of a request may take; also how long a new connection may be silent. */
export const headersTimeoutMs = 20_000
/** How often the time limits are looked at. */
export const timeoutCheckMs = 5000

/** Ends what holds a connection without using it, on every path, and keeps one address from taking them all. */
export const limitConnections = (app: FastifyInstance, { perAddress, bodyMs }: ConnectionLimits) => {
  countConnections(app.server, perAddress, app.log as Log)
  app.server.prependListener('request', (request: IncomingMessage) => endSlowBody(request, bodyMs))
  endSlowReaders(app)
}

// ── how many ────────────────────────────────────────────────────────────────────────────────────────────────────────

const countConnections = (server: Server, perAddress: number, log: Pick<Log, 'warn'>) => {
  const byAddress = new Map<string, number>()
  const most = mostConnections()
  let toldAt = 0
  let all = 0
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    const own = byAddress.get(address) ?? 0
    if (all >= most || (perAddress > 0 && own >= perAddress)) {
      socket.destroy()
      if (Date.now() - toldAt > 60_000) log.warn({ ip: socket.remoteAddress, own, all }, 'too many connections')
      toldAt = Date.now()
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

/** Three quarters of the descriptors that this process may have: the rest is for files and the database. */
const mostConnections = (): number => {
  try {
    const [, open = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return open ? Math.floor(Number(open) * 0.75) : usualConnections
  } catch {
    return usualConnections
  }
}
const usualConnections = 10_000

/** An IPv4 address, or the network of an IPv6 address: one subscriber has 64 bits of those. */
export const networkOf = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill('0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}

// ── how slow ────────────────────────────────────────────────────────────────────────────────────────────────────────

const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** A caller that sends its body a byte at a time holds a connection for nothing, whether its request was answered or not. */
const endSlowBody = (request: IncomingMessage, ms: number) => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && length === '0') return
  keepTimer(
    request,
    setTimeout(() => end(request), ms),
  )
}

const keepTimer = (request: IncomingMessage, timer: NodeJS.Timeout) => {
  clearTimeout(bodyTimers.get(request))
  bodyTimers.set(request, timer.unref())
  request.once('close', () => clearTimeout(timer))
}

const end = (request: IncomingMessage) => {
  if (!request.complete) request.socket.destroy()
}

const pieceMs = 30_000
const pieceBytes = 64 * 1024

/** Gives an upload whose signature has been checked the time that a file takes, as long as the file keeps coming. */
export const allowUpload = (request: IncomingMessage, longestMs: number, everyMs = pieceMs) => {
  const endsAt = Date.now() + longestMs
  let read = request.socket.bytesRead
  const look = () => {
    const now = request.socket.bytesRead
    if (now - read < pieceBytes || Date.now() > endsAt) end(request)
    read = now
  }
  keepTimer(request, setInterval(look, everyMs))
}

const silenceMs = 60_000
const longestReplyMs = 20 * 60_000
const largeReply = 64 * 1024

/** A caller that does not read its reply, or reads it a byte at a time. A small one is out of our hands at once. */
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
