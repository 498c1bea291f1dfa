import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { Refused, type Transport, unknownOutcomes } from './message.ts'

/** Where in the text of a message the transport puts what only it knows: its reference, and the first attachment in base 64. */
export const referencePlaceholder = '{reference}'
export const attachmentPlaceholder = '{attachment}'

/** One body may hold several messages, the last of which is what the others make way for. */
export const messagesIn = (body: string): string[] => body.split(/(?<=\r)(?=MSH\|)/)

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

/**
 * HL7 version 2 over MLLP (or over TLS, `mllps:`): one connection per message, done when the other side has acknowledged it. Of several,
 * each waits for the one before; tried again, all of them go again, each under the control id that it had.
 */
export const openMllpTransport = ({ url, receivers }: MllpOptions): Transport => {
  return {
    dedicatedReceivers: [...(receivers?.keys() ?? [])],
    send: async ({ to, body, reference, attachments }, signal) => {
      const receiver = receivers?.get(to) ?? url
      if (!receiver) throw new Error(`No HL7 receiver for ${to} is configured (set HL7_RECEIVERS or HL7_URL)`)
      const [file] = attachments
      const document = file ? (await buffer(file.content)).toString('base64') : ''
      const messages = messagesIn(body)
      const answers: string[] = []
      for (const [index, message] of messages.entries()) {
        signal.throwIfAborted()
        const isLast = index === messages.length - 1
        // No longer than the reference: some receivers keep no more than the 20 characters of MSH-10.
        const control = isLast ? reference : `w${index + 1}-${reference.slice(4)}`
        const text = message.replaceAll(referencePlaceholder, control).replaceAll(attachmentPlaceholder, () => document)
        const block = Buffer.concat([Buffer.from([start]), Buffer.from(text), end])
        const what = messages.length > 1 ? `message ${index + 1} of ${messages.length}` : 'the message'
        answers.push(acknowledged(await exchange(open(receiver), block, signal), control, what))
      }
      return answers.join('; ')
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
    signal.addEventListener('abort', fail(unknownOutcomes.unacknowledged), { once: true })
    let isOpen = false
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      isOpen = true
    })
    socket.once('error', ({ message }) =>
      reject(
        new Error(isOpen ? `${unknownOutcomes.closed}: ${message}` : `The receiver cannot be reached: ${message}`),
      ),
    )
    socket.once('close', fail(unknownOutcomes.closed))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const stop = received.indexOf(end)
      if (stop >= 0) resolve(received.subarray(received.indexOf(start) + 1, stop).toString())
      else if (received.length > longestAnswer) reject(new Error(unknownOutcomes.endless))
    })
    socket.write(block)
  }).finally(() => socket.destroy())

/** What a receiver says of itself, not of the message: a record that is locked, an error inside (table 0357). */
const passing = ['206', '207']

/** AA and CA accept; everything else is a refusal in the receiver's own words, final unless it speaks of the receiver's own trouble. */
const acknowledged = (answer: string, reference: string, what: string): string => {
  const segments = answer.split(/[\r\n]+/)
  const [, code = '', control = '', text = ''] = segments.find((one) => one.startsWith('MSA'))?.split('|') ?? []
  const fault = segments.find((one) => one.startsWith('ERR'))
  if (control !== reference) throw new Error(`${unknownOutcomes.other}: ${answer.slice(0, 200)}`)
  if (code === 'AA' || code === 'CA') return `${code} ${control} ${text}`.trim()
  const reason = `The receiver refused ${what}: ${[code, text, fault].filter(Boolean).join(' ').slice(0, 300)}`
  const isFinal = ['AE', 'AR', 'CE', 'CR'].includes(code) && !passing.includes(errorCode(fault))
  throw isFinal ? new Refused(reason) : new Error(reason)
}

/** ERR-3, the number of the error. */
const errorCode = (fault: string | undefined) => fault?.split('|')[3]?.split('^')[0] ?? ''
