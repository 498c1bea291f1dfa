import { connect, createServer, type Server, type Socket } from 'node:net'
import { serveAstm } from './astm-connection.ts'
import { serveHl7 } from './hl7-connection.ts'
import { connectedWords, setLinkEnded, setLinkMessage, setLinkStatus } from './link-store.ts'
import type { Connection, ConnectionOptions, LinkedInstrument } from './linked-instrument.ts'

interface RunningLink {
  stop: () => Promise<void>
}
export interface Link extends RunningLink {
  /** Sends a message over the open connection; false if there is none. */
  send: (id: number, message: string) => boolean
}
interface LinkOptions extends ConnectionOptions {
  /** Called with each connection, and with null at its end. */
  onConnection: (connection: Connection | null) => void
}

const serve = { ASTM: serveAstm, HL7: serveHl7 }
const reconnectMs = 2000
const longestConnectMs = 5000

/** Listens for an instrument, or connects to it, until it is stopped. */
export const openLink = (options: ConnectionOptions): Link => {
  let current: Connection | null = null
  const told: LinkOptions = {
    ...options,
    onConnection: (connection) => {
      current = connection
    },
  }
  const { host } = options.instrument
  const { stop } = host === null ? listenFor(told) : connectTo(told, host)
  return { stop, send: (id, message) => current?.send?.(id, message) ?? false }
}

const describeError = (error: unknown, { host, port }: LinkedInstrument): string => {
  const { code, message } = error as NodeJS.ErrnoException
  const known: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use by another program or instrument`,
    EACCES: `The server may not use port ${port}`,
    ECONNREFUSED: `${host} refuses connections on port ${port}`,
    ENOTFOUND: `There is no host ${host}`,
    ETIMEDOUT: `${host} does not answer on port ${port}`,
    EHOSTUNREACH: `${host} cannot be reached`,
  }
  return known[code ?? ''] ?? message
}

/** Serves one connection to its end, and records its state. */
const serveSocket = async (socket: Socket, options: LinkOptions, after: () => Promise<void>) => {
  const { services, instrument } = options
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 10_000)
  const connection = serve[instrument.protocol](socket, options)
  options.onConnection(connection)
  // It may have hung up while the connection before it was being ended.
  const closed = new Promise<void>((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
  const words = `${connectedWords} ${socket.remoteAddress ?? 'the instrument'}`
  await setLinkStatus(services, instrument.id, 'CONNECTED', words).catch((error) => {
    // The instrument connects again.
    services.log.error({ err: error, instrumentId: instrument.id }, 'the link of an instrument')
    socket.destroy()
  })
  await closed
  options.onConnection(null)
  await connection.closed()
  await after()
}

const listenFor = (options: LinkOptions): RunningLink => {
  const { services, instrument } = options
  let current: Socket | null = null
  let serving: Promise<void> = Promise.resolve()
  let isStopped = false
  let retry: NodeJS.Timeout | undefined
  let server: Server
  const logged = (work: Promise<void>) =>
    work.catch((error) => services.log.error({ err: error, instrumentId: instrument.id }, 'the link of an instrument'))

  const onConnection = (socket: Socket) => {
    // An error also ends the connection, which is what counts.
    socket.on('error', () => undefined)
    if (current && !current.destroyed) {
      socket.destroy()
      void logged(
        setLinkMessage(
          services,
          instrument.id,
          `A second connection, from ${socket.remoteAddress ?? 'somewhere'}, was closed: this port serves one instrument`,
        ),
      )
      return
    }
    current = socket
    serving = logged(
      serving.then(() =>
        serveSocket(socket, options, async () => {
          if (!isStopped && (current === socket || current === null)) await setLinkEnded(services, instrument.id)
        }),
      ),
    )
  }

  const listen = () => {
    server = createServer(onConnection)
    server.on('error', (error) => {
      if (isStopped) return
      void logged(setLinkStatus(services, instrument.id, 'ERROR', describeError(error, instrument)))
      retry = setTimeout(listen, reconnectMs)
    })
    server.listen(instrument.port, () => void logged(setLinkStatus(services, instrument.id, 'LISTENING', null)))
  }
  listen()

  return {
    stop: async () => {
      isStopped = true
      clearTimeout(retry)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      current?.destroy()
      await Promise.all([serving, closed])
      await setLinkStatus(services, instrument.id, 'CLOSED', null)
    },
  }
}

const connectTo = (options: LinkOptions, host: string): RunningLink => {
  const { services, instrument } = options
  let socket: Socket | null = null
  let isStopped = false
  let wake: () => void = () => undefined
  const run = async () => {
    while (!isStopped) {
      try {
        socket = connect({ host, port: instrument.port, timeout: longestConnectMs })
        await connected(socket)
        await serveSocket(socket, options, async () => undefined)
        if (!isStopped) await setLinkStatus(services, instrument.id, 'ERROR', `${host} has closed the connection`)
      } catch (error) {
        if (!isStopped)
          await setLinkStatus(services, instrument.id, 'ERROR', describeError(error, instrument)).catch(() => undefined)
      }
      if (!isStopped)
        await new Promise<void>((resume) => {
          const timer = setTimeout(resume, reconnectMs)
          wake = () => {
            clearTimeout(timer)
            resume()
          }
        })
    }
  }
  const running = run()
  return {
    stop: async () => {
      isStopped = true
      wake()
      socket?.destroy()
      await running
      await setLinkStatus(services, instrument.id, 'CLOSED', null)
    },
  }
}

/** Rejects if it fails, lasts too long, or is destroyed. */
const connected = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('connect', () => {
      socket.setTimeout(0)
      resolve()
    })
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT' })))
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('The connection was closed')))
  })
