import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { MllpDecoder, mllpBlock } from '../../apps/server/src/platform/hl7/mllp-decoder.ts'

export interface MllpAddress {
  host: string
  port: number
  /** Set for TLS: the authority of the server, and the certificate of the client. */
  tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>
}

export interface MllpConnection {
  /** Sends a message and waits for its answer; answers come in the order of the messages. */
  ask: (message: string) => Promise<string>
  close: () => void
}

/** The sending side of MLLP. When the connection breaks, every message without an answer is rejected. */
export const openMllpConnection = async ({ host, port, tls }: MllpAddress): Promise<MllpConnection> => {
  const socket: Socket = tls ? connectTls({ host, port, servername: host, ...tls }) : connect(port, host)
  const decoder = new MllpDecoder()
  const waiting: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = []
  socket.setNoDelay(true)
  socket.on('data', (chunk: Buffer) => {
    for (const block of decoder.push(chunk)) waiting.shift()?.resolve(block.toString())
  })
  let fault: Error | null = null
  socket.on('error', (error) => {
    fault = error
  })
  socket.on('close', () => {
    const error = fault ?? new Error('The connection was closed')
    for (const one of waiting.splice(0)) one.reject(error)
  })
  await once(socket, tls ? 'secureConnect' : 'connect')
  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(fault ?? new Error('The connection was closed'))
        waiting.push({ resolve, reject })
        socket.write(mllpBlock(message))
      }),
    close: () => socket.destroy(),
  }
}
