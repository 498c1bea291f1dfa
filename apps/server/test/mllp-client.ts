import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { MllpDecoder, mllpBlock } from '../src/platform/hl7/mllp-decoder.ts'

/** The system of a partner, as far as its connection goes. */
export interface MllpClient {
  socket: Socket
  /** Sends a message and waits for its answer. */
  ask: (message: string | Buffer) => Promise<string>
  /** Sends bytes as they are. */
  write: (bytes: string | Buffer) => void
  next: () => Promise<string>
  close: () => void
}

/** With `tls` the server must have a certificate for localhost. */
export const openMllpClient = async (
  port: number,
  { host = '127.0.0.1', tls }: { host?: string; tls?: ConnectionOptions | undefined } = {},
): Promise<MllpClient> => {
  const socket: Socket = tls ? connectTls({ host, port, servername: 'localhost', ...tls }) : connect(port, host)
  const decoder = new MllpDecoder()
  const answers: string[] = []
  const waiting: ((answer: string) => void)[] = []
  socket.on('data', (chunk: Buffer) => {
    for (const block of decoder.push(chunk)) {
      const text = block.toString()
      const waiter = waiting.shift()
      if (waiter) waiter(text)
      else answers.push(text)
    }
  })
  socket.on('error', () => undefined)
  const next = () => {
    const ready = answers.shift()
    return ready === undefined ? new Promise<string>((resolve) => waiting.push(resolve)) : Promise.resolve(ready)
  }
  await once(socket, tls ? 'secureConnect' : 'connect')
  return {
    socket,
    next,
    write: (bytes) => socket.write(bytes),
    ask: (message) => {
      socket.write(mllpBlock(message))
      return next()
    },
    close: () => socket.destroy(),
  }
}

/** The fields of a segment of an answer. */
export const segmentsOf = (answer: string, name: string): string[][] =>
  answer
    .split('\r')
    .filter((line) => line.startsWith(name))
    .map((line) => line.split('|'))
