import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that nothing listens on, below those that the system gives to outgoing connections; other processes look for theirs too. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer()
    try {
      server.listen(port)
      await once(server, 'listening')
      return port
    } catch {
      // In use: another one.
    } finally {
      server.close()
    }
  }
}
