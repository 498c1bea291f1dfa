import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  port: number
  /** From now on nothing passes, while every connection stays open and new ones are accepted: a machine that has stopped. */
  stall: () => void
  /** Lets everything through again, for new connections. */
  resume: () => void
  close: () => Promise<void>
}

/** A proxy between a client and a server that can go silent. */
export const openTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const pairs = new Set<readonly [Socket, Socket | null]>()
  let isStalled = false
  const server = createServer((near) => {
    near.on('error', () => undefined)
    const far = isStalled ? null : connect(targetPort, '127.0.0.1')
    pairs.add([near, far])
    if (!far) return near.resume()
    near.on('data', (chunk) => isStalled || far.write(chunk))
    far.on('data', (chunk) => isStalled || near.write(chunk))
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => isStalled || near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    stall: () => {
      isStalled = true
    },
    resume: () => {
      isStalled = false
    },
    close: async () => {
      for (const [near, far] of pairs) {
        near.destroy()
        far?.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}
