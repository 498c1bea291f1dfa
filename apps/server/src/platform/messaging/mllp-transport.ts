import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { Refused, type Transport } from './message.ts'

/** Where in the text of a message the transport puts what only it knows: its reference, and the first attachment in base 64. */
export const referenceMark = '{reference}'
export const attachmentMark = '{attachment}'

const start = 0x0b
const end = Buffer.from([0x1c, 0x0d])

export interface MllpOptions {
  /** For everybody who has no receiver of their own. */
  url?: string | undefined
  /** By the code that the message is addressed to. */
  receivers?: ReadonlyMap<string, string>
}

const open = (url: string) => {
  const { protocol, hostname: host, port } = new URL(url)
  const address = { host, port: Number(port) || 2575 }
  return protocol === 'mllps:' ? connectTls({ ...address, servername: host }) : connect(address)
}

/** HL7 version 2 over MLLP (or over TLS, `mllps:`): one connection per message, done when the other side has acknowledged it. */
export const openMllpTransport = ({ url, receivers }: MllpOptions): Transport => {
  return {
    ownLines: [...(receivers?.keys() ?? [])],
    send: async ({ to, body, reference, attachments }, signal) => {
      const receiver = receivers?.get(to) ?? url
      if (!receiver) throw new Error(`No HL7 receiver for ${to} is configured (set HL7_RECEIVERS or HL7_URL)`)
      const [file] = attachments
      const document = file ? (await buffer(file.content)).toString('base64') : ''
      const text = body.replaceAll(referenceMark, reference).replaceAll(attachmentMark, () => document)
      const answer = await exchange(
        open(receiver),
        Buffer.concat([Buffer.from([start]), Buffer.from(text), end]),
        signal,
      )
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

/** What a receiver says of itself, not of the message: a record that is locked, an error inside (table 0357). */
const passing = ['206', '207']

/** AA and CA accept; everything else is a refusal in the receiver's own words, final unless it speaks of the receiver's own trouble. */
const acknowledged = (answer: string, reference: string): string => {
  const segments = answer.split(/[\r\n]+/)
  const [, code = '', control = '', text = ''] = segments.find((one) => one.startsWith('MSA'))?.split('|') ?? []
  const fault = segments.find((one) => one.startsWith('ERR'))
  if (control !== reference) throw new Error(`The receiver acknowledged another message: ${answer.slice(0, 200)}`)
  if (code === 'AA' || code === 'CA') return `${code} ${control} ${text}`.trim()
  const reason = `The receiver refused the message: ${[code, text, fault].filter(Boolean).join(' ').slice(0, 300)}`
  const isFinal = ['AE', 'AR', 'CE', 'CR'].includes(code) && !passing.includes(errorCode(fault))
  throw isFinal ? new Refused(reason) : new Error(reason)
}

/** ERR-3, the number of the error. */
const errorCode = (fault: string | undefined) => fault?.split('|')[3]?.split('^')[0] ?? ''
