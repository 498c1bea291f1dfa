import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { startExclusive } from '../../platform/jobs/exclusive.ts'
import type { Services } from '../../platform/services.ts'
import { serveConnection } from './connection.ts'
import type { WorkQueue } from './work-queue.ts'

export interface ListenerOptions {
  services: Pick<Services, 'config' | 'databases' | 'log'>
  queue: WorkQueue
  databaseUrl: string
  /** How often a process tries to become the listener, and how often the listener checks that it still holds the lock. */
  everyMs?: number
  blockMs?: number
}

export interface Listener {
  /** The port it listens on; null while another process does. */
  port: () => number | null
  stop: () => Promise<void>
}

const mostConnections = 500

/** Listens for partners in one process at a time, determined by a lock of a database session. */
export const startListener = ({ services, queue, databaseUrl, everyMs = 2000, blockMs }: ListenerOptions): Listener => {
  const { config, log } = services
  const sockets = new Set<Socket>()
  let server: Server | null = null

  const onConnection = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    void serveConnection(socket, { services, queue, ...(blockMs !== undefined && { blockMs }) }).finally(() =>
      sockets.delete(socket),
    )
  }

  const closeServer = () => {
    server?.close()
    server = null
    for (const socket of sockets) socket.destroy()
  }

  const round = async () => {
    if (server) return
    server = await open(config, onConnection)
    log.info({ address: config.HL7_LISTEN }, 'listening for interfaces')
  }

  const listening = startExclusive({
    lockName: 'interface-listener',
    databaseUrl,
    log,
    everyMs,
    round,
    end: closeServer,
  })

  return {
    port: () => {
      const address = server?.address()
      return address && typeof address === 'object' ? address.port : null
    },
    stop: listening.stop,
  }
}

/** `port` or `host:port`. */
const addressOf = (text: string) => {
  const at = text.lastIndexOf(':')
  return at < 0
    ? { port: Number(text) }
    : { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
}

const open = (config: Services['config'], onConnection: (socket: Socket) => void): Promise<Server> => {
  const { HL7_LISTEN: listen = '', HL7_LISTEN_TLS_CERT: cert, HL7_LISTEN_TLS_KEY: key, HL7_LISTEN_TLS_CA: ca } = config
  const server =
    cert && key
      ? createTlsServer(
          {
            cert: readFileSync(cert),
            key: readFileSync(key),
            ...(ca && { ca: readFileSync(ca), requestCert: true, rejectUnauthorized: true }),
            minVersion: 'TLSv1.2',
          },
          onConnection,
        )
      : createServer(onConnection)
  server.maxConnections = mostConnections
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(addressOf(listen), () => {
      server.off('error', reject)
      server.on('error', () => undefined)
      resolve(server)
    })
  })
}
