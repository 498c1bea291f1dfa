import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection of the database. */
interface Backend {
  socket: Socket
  /** Who uses it now; null between two transactions. */
  client: Socket | null
}

export interface TransactionPooler {
  url: string
  close: () => Promise<void>
}

/**
 * What a pooler in transaction mode does, for machines without PgBouncer: each transaction of a connection may run on another connection
 * of the database. Each client signs in at the database itself; from then on all connections are shared.
 */
export const openTransactionPooler = async (databaseUrl: string): Promise<TransactionPooler> => {
  const { hostname, port } = new URL(databaseUrl)
  const idle: Backend[] = []
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }

  const openBackend = (client: Socket): Backend => {
    const backend: Backend = { socket: keep(connect(Number(port), hostname)), client }
    let rest = Buffer.alloc(0)
    backend.socket.on('data', (chunk: Buffer) => {
      backend.client?.write(chunk)
      rest = Buffer.concat([rest, chunk])
      let isIdle = false
      for (let size = sizeOf(rest); rest.length >= size; size = sizeOf(rest)) {
        isIdle = rest[0] === readyForQuery && rest[5] === noTransaction
        rest = rest.subarray(size)
      }
      if (!isIdle) return
      backend.client = null
      idle.push(backend)
    })
    backend.socket.on('close', () => {
      backend.client?.destroy()
      const at = idle.indexOf(backend)
      if (at >= 0) idle.splice(at, 1)
    })
    return backend
  }

  const serve = (client: Socket) => {
    // First to sign in with.
    let backend = openBackend(client)
    client.on('data', (chunk: Buffer) => {
      if (backend.client !== client) {
        // The one that was used last, as PgBouncer does it.
        const next = chunk[0] === terminate ? undefined : idle.pop()
        if (!next) return client.destroy()
        backend = next
        backend.client = client
      }
      return backend.socket.write(chunk)
    })
    // What it has begun ends with it.
    client.on('close', () => {
      if (backend.client === client) backend.socket.destroy()
    })
  }

  const server = createServer((client) => serve(keep(client)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: Object.assign(new URL(databaseUrl), {
      hostname: '127.0.0.1',
      port: String((server.address() as AddressInfo).port),
    }).href,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

const readyForQuery = 'Z'.charCodeAt(0)
const noTransaction = 'I'.charCodeAt(0)
const terminate = 'X'.charCodeAt(0)

/** Of the message at the beginning: its letter, then its length. */
const sizeOf = (bytes: Buffer): number => (bytes.length < 5 ? Number.POSITIVE_INFINITY : 1 + bytes.readInt32BE(1))
