import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import type { Transport } from './message.ts'

/** Where in the text of a message the transport puts what only it knows: its reference, and the first attachment in base 64. */
export const referenceMark = '{reference}'
export const attachmentMark = '{attachment}'

const start = 0x0b
const end = Buffer.from([0x1c, 0x0d])

/** HL7 version 2 over MLLP (or over TLS, `mllps:`): one connection per message, done when the other side has acknowledged it. */
export const openMllpTransport = ({ url }: { url: string }): Transport => {
  const { protocol, hostname: host, port } = new URL(url)
  const address = { host, port: Number(port) || 2575 }
  const open = () => (protocol === 'mllps:' ? connectTls({ ...address, servername: host }) : connect(address))
  return {
    send: async ({ body, reference, attachments }, signal) => {
      const [file] = attachments
      const document = file ? (await buffer(file.content)).toString('base64') : ''
      const text = body.replaceAll(referenceMark, reference).replaceAll(attachmentMark, () => document)
      const answer = await exchange(open(), Buffer.concat([Buffer.from([start]), Buffer.from(text), end]), signal)
      return acknowledged(answer, reference)
    },
    close: () => undefined,
  }
}

const longestAnswer = 1024 * 1024

/** Sends one block and gives the first block that comes back. */
const exchange = (socket: Socket, block: Buffer, signal: AbortSignal): Promise<string> =>
  new Promise<string>((resolve, reject) => {
    let received = Buffer.alloc(0)
    const fail = (reason: string) => () => reject(new Error(reason))
    signal.addEventListener('abort', fail('The receiver did not acknowledge the message in time'), { once: true })
    socket.once('error', (error) => reject(new Error(`The receiver cannot be reached: ${error.message}`)))
    socket.once('close', fail('The receiver closed the connection without an acknowledgement'))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const stop = received.indexOf(end)
      if (stop >= 0) resolve(received.subarray(received.indexOf(start) + 1, stop).toString())
      else if (received.length > longestAnswer) reject(new Error('The acknowledgement has no end'))
    })
    socket.write(block)
  }).finally(() => socket.destroy())

/** AA and CA accept; everything else is a refusal in the receiver's own words. */
const acknowledged = (answer: string, reference: string): string => {
  const segments = answer.split(/[\r\n]+/)
  const [, code = '', control = '', text = ''] = segments.find((one) => one.startsWith('MSA'))?.split('|') ?? []
  const fault = segments.find((one) => one.startsWith('ERR'))
  if (control !== reference) throw new Error(`The receiver acknowledged another message: ${answer.slice(0, 200)}`)
  if (code === 'AA' || code === 'CA') return `${code} ${control} ${text}`.trim()
  throw new Error(`The receiver refused the message: ${[code, text, fault].filter(Boolean).join(' ').slice(0, 300)}`)
}
