import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import Cursor from 'pg-cursor'

/**
 * A cursor that can be closed after its connection has ended. The original waits for the database to confirm it, so a call whose connection
 * was lost while it read rows would keep its place in the pool for ever.
 */
export class ClosableCursor extends Cursor {
  override close(): Promise<void>
  override close(done: (error: Error) => void): undefined
  override close(done?: (error: Error) => void): Promise<void> | undefined {
    const closed = this.#closed()
    if (!done) return closed
    closed.then(() => done(undefined as never), done)
  }

  #closed(): Promise<void> {
    const { connection } = this as unknown as { connection: (EventEmitter & { stream: Duplex }) | null }
    if (!connection) return super.close()
    if (connection.stream.destroyed) return Promise.resolve()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    connection.once('end', resolve)
    return Promise.race([super.close(), ended]).finally(() => connection.off('end', resolve))
  }
}
