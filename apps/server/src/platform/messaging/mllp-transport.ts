import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { Refused, type Transport, unknownOutcomes } from './message.ts'

/** Placeholders in the text of a message for its reference and for the first attachment in base 64. */
export const referencePlaceholder = '{reference}'
export const attachmentPlaceholder = '{attachment}'

/** One body may hold several messages: the last is the new one, the others withdraw earlier ones. */
export const messagesIn = (body: string): string[] => body.split(/(?<=\r)(?=MSH\|)/)

/** The messages of a body as they are sent, but for the document. A receiver that stores only 20 characters of MSH-10 keeps each apart. */
export const addressMessages = (body: string, reference: string): { control: string; text: string }[] =>
  messagesIn(body).map((message, index, { length }) => {
    const control = index === length - 1 ? reference : `w${index + 1}-${reference.slice(4)}`
    return { control, text: message.replaceAll(referencePlaceholder, control) }
  })

const startOfBlock = 0x0b
const endOfBlock = Buffer.from([0x1c, 0x0d])

export interface MllpOptions {
  /** For all receivers that are not in `receivers`. */
  url?: string | undefined
  /** By the code that the message is addressed to. */
  receivers?: ReadonlyMap<string, string>
}

/** A message can be addressed to a receiver itself instead of to a code. */
export const isMllpAddress = (to: string) => /^mllps?:\/\//.test(to)

const open = (url: string) => {
  const { protocol, hostname: host, port } = new URL(url)
  const address = { host, port: Number(port) || 2575 }
  return protocol === 'mllps:' ? connectTls({ ...address, servername: host }) : connect(address)
}

/**
 * HL7 version 2 over MLLP (or over TLS, `mllps:`): one connection per message, which is sent when the receiver has acknowledged it. Several
 * are sent one after the other; a retry sends all of them again, each with the same control id.
 */
export const openMllpTransport = ({ url, receivers }: MllpOptions): Transport => {
  return {
    dedicatedReceivers: [...(receivers?.keys() ?? [])],
    send: async ({ to, body, reference, attachments, onAnswer }, signal) => {
      const receiver = isMllpAddress(to) ? to : (receivers?.get(to) ?? url)
      if (!receiver) throw new Error(`No HL7 receiver for ${to} is configured (set HL7_RECEIVERS or HL7_URL)`)
      const [file] = attachments
      const document = file ? (await buffer(file.content)).toString('base64') : ''
      const messages = addressMessages(body, reference)
      const answers: string[] = []
      for (const [index, { control, text }] of messages.entries()) {
        signal.throwIfAborted()
        const whole = text.replaceAll(attachmentPlaceholder, () => document)
        const block = Buffer.concat([Buffer.from([startOfBlock]), Buffer.from(whole), endOfBlock])
        const what = messages.length > 1 ? `message ${index + 1} of ${messages.length}` : 'the message'
        const answer = await exchange(open(receiver), block, signal)
        onAnswer?.(answer)
        answers.push(requireAcknowledgement(answer, control, what))
      }
      return answers.join('; ')
    },
    close: () => undefined,
  }
}

const longestAnswer = 1024 * 1024

/** Sends one block and returns the first block of the reply. */
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
      const stop = received.indexOf(endOfBlock)
      if (stop >= 0) resolve(received.subarray(received.indexOf(startOfBlock) + 1, stop).toString())
      else if (received.length > longestAnswer) reject(new Error(unknownOutcomes.endless))
    })
    socket.write(block)
  }).finally(() => socket.destroy())

/** Errors of the receiver, not of the message: a locked record, an internal error (table 0357). */
const temporaryErrors = ['206', '207']

/** AA and CA accept; any other code throws the receiver's text, as a final refusal unless the error is temporary. */
const requireAcknowledgement = (answer: string, reference: string, what: string): string => {
  const segments = answer.split(/[\r\n]+/)
  const [, code = '', control = '', text = ''] = segments.find((one) => one.startsWith('MSA'))?.split('|') ?? []
  const fault = segments.find((one) => one.startsWith('ERR'))
  if (control !== reference) throw new Error(`${unknownOutcomes.other}: ${answer.slice(0, 200)}`)
  if (code === 'AA' || code === 'CA') return `${code} ${control} ${text}`.trim()
  const reason = `The receiver refused ${what}: ${[code, text, fault].filter(Boolean).join(' ').slice(0, 300)}`
  const isFinal = ['AE', 'AR', 'CE', 'CR'].includes(code) && !temporaryErrors.includes(errorCode(fault))
  throw isFinal ? new Refused(reason) : new Error(reason)
}

/** ERR-3, the error code. */
const errorCode = (fault: string | undefined) => fault?.split('|')[3]?.split('^')[0] ?? ''
