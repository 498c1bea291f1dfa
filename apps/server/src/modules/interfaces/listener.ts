import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import pg from 'pg'
import { repeat } from '../../platform/jobs/loop.ts'
import type { Services } from '../../platform/services.ts'
import { serveConnection } from './connection.ts'
import type { WorkQueue } from './work-queue.ts'

export interface ListenerOptions {
  services: Pick<Services, 'config' | 'databases' | 'log'>
  queue: WorkQueue
  databaseUrl: string
  /** How often a process tries to become the one that listens, and how often the one that does checks that it still is. */
  everyMs?: number
  blockMs?: number
}

export interface Listener {
  /** The port it listens on; null while another process does. */
  port: () => number | null
  stop: () => Promise<void>
}

const lockName = 'interface-listener'
/** Together with the interval below 10 seconds: then another process has taken over. */
const longestCheckMs = 2500
const mostConnections = 500

/** The database notices within seconds when the machine that listens has vanished. */
const keepAliveSettings = [
  'tcp_keepalives_idle=2',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=5000',
]

/** Listens for partners as long as no other process does: the lock of a database session says who. */
export const startListener = ({ services, queue, databaseUrl, everyMs = 2000, blockMs }: ListenerOptions): Listener => {
  const { config, log } = services
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let client: pg.Client | null = null
  let isStopped = false

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

  const release = async () => {
    closeServer()
    const last = client
    client = null
    await last?.end().catch(() => undefined)
  }

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'lis-interfaces',
      keepAlive: true,
      connectionTimeoutMillis: longestCheckMs,
      options: keepAliveSettings.map((setting) => `-c ${setting}`).join(' '),
    })
    // The lock went with the session.
    fresh.on('error', () => {
      if (client === fresh) closeServer()
    })
    client = fresh
    await fresh.connect()
  }

  const round = async () => {
    try {
      if (!client) await connect()
      const held = await within(
        longestCheckMs,
        (client as pg.Client).query<{ locked: boolean }>(
          server ? 'select true as locked' : `select pg_try_advisory_lock(hashtext('${lockName}')) as locked`,
        ),
      )
      if (isStopped || server || !held.rows[0]?.locked) return
      server = await open(config, onConnection)
      log.info({ address: config.HL7_LISTEN }, 'listening for interfaces')
    } catch (error) {
      if (isStopped) return
      log.error({ err: error, address: config.HL7_LISTEN }, 'cannot listen for interfaces')
      await release()
    }
  }

  const rounds = repeat('interface listener', everyMs, round, log)

  return {
    port: () => {
      const address = server?.address()
      return address && typeof address === 'object' ? address.port : null
    },
    stop: async () => {
      isStopped = true
      await rounds.stop()
      await release()
    },
  }
}

const within = <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database does not answer')), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
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
