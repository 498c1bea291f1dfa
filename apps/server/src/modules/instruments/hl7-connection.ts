import type { Socket } from 'node:net'
import {
  encodeFor,
  fieldValue,
  findSegment,
  type Hl7Message,
  parseMessage,
  rawField,
} from '../../platform/hl7/message.ts'
import { MessageTooLarge, MllpDecoder, maxMessageBytes, mllpBlock } from '../../platform/hl7/mllp-decoder.ts'
import { acknowledge, type Outcome } from '../interfaces/hl7-ack.ts'
import { fault, type Hl7Fault, reasonOf } from '../interfaces/hl7-faults.ts'
import { isVersionAccepted } from '../interfaces/hl7-versions.ts'
import { setLinkMessage, storeTaken } from './link-store.ts'
import type { Connection, ConnectionOptions } from './linked-instrument.ts'
import { waitForWork } from './wait-for-work.ts'

const longestBlockMs = 30_000

const accepted: Record<string, string> = { ORU: 'R01', OUL: 'R22' }

/** Errors for which the whole message is refused. */
const headerFaults = (message: Hl7Message): Hl7Fault[] => {
  const msh = findSegment(message, 'MSH')
  const [type, event] = [fieldValue(message, msh, 9), fieldValue(message, msh, 9, 2)]
  const isKnown = accepted[type] !== undefined
  return [
    ...(isKnown ? [] : [fault(200, 'MSH', 1, 9)]),
    ...(isKnown && accepted[type] !== event ? [fault(201, 'MSH', 1, 9)] : []),
    ...(rawField(msh, 10).trim() === '' ? [fault(101, 'MSH', 1, 10)] : []),
    ...(fieldValue(message, msh, 11) === 'P' ? [] : [fault(202, 'MSH', 1, 11)]),
    ...(isVersionAccepted(fieldValue(message, msh, 12)) ? [] : [fault(203, 'MSH', 1, 12)]),
  ]
}

const contentFaults = (message: Hl7Message): Hl7Fault[] => {
  const observations = message.segments.filter(({ name }) => name === 'OBX')
  return [
    ...(message.isCharsetUnknown ? [fault(103, 'MSH', 1, 18)] : []),
    ...(message.hasBadBytes ? [fault(102, 'MSH', 1, 18)] : []),
    ...(observations.length === 0 ? [fault(100, 'OBX')] : []),
    ...observations
      .filter((obx) => rawField(obx, 3).trim() === '')
      .map(({ sequence }) => fault(101, 'OBX', sequence, 3)),
  ]
}

/** Acknowledges the messages of one connection, each after it is stored. */
export const serveHl7 = (socket: Socket, { services, instrument, queue }: ConnectionOptions): Connection => {
  const decoder = new MllpDecoder()
  let timer: NodeJS.Timeout | undefined
  let chain = Promise.resolve()

  const store = (raw: string, reason: string | null, content?: string) =>
    storeTaken(services, instrument.id, 'HL7', {
      messages: [
        { raw, state: reason === null ? 'COMPLETE' : 'INCOMPLETE', reason, ...(content !== undefined && { content }) },
      ],
      pending: '',
    })

  const answer = async (bytes: Buffer) => {
    const message = parseMessage(bytes)
    const wrongHeader = message ? headerFaults(message) : [fault(100, 'MSH')]
    const faults = wrongHeader.length > 0 || !message ? wrongHeader : contentFaults(message)
    const outcome: Outcome = wrongHeader.length > 0 ? 'AR' : faults.length > 0 ? 'AE' : 'AA'
    const reason = faults.length > 0 ? reasonOf(faults) : null
    // The time of sending alone does not make it a different message.
    await store(message?.text ?? bytes.toString('latin1'), reason, message ? contentOf(message) : undefined)
    if (reason === null) await waitForWork(queue, instrument.id)
    else await setLinkMessage(services, instrument.id, `A message was refused: ${reason}`)
    const { text } = acknowledge(message, outcome, faults)
    if (text !== null && !socket.destroyed)
      socket.write(mllpBlock(encodeFor({ charset: message?.charset ?? 'utf8' }, text)))
  }

  const cutOff = async (reason: string) => {
    socket.destroy()
    await store('', reason)
    await setLinkMessage(services, instrument.id, reason)
  }

  const then = (work: () => Promise<unknown>) => {
    chain = chain.then(work).then(
      () => undefined,
      (error) => {
        // Without an answer the instrument sends it again.
        services.log.error({ err: error, instrumentId: instrument.id }, 'the connection of an instrument has failed')
        socket.destroy()
      },
    )
  }

  socket.on('data', (chunk: Buffer) => {
    try {
      for (const bytes of decoder.push(chunk)) then(() => answer(bytes))
    } catch (error) {
      if (!(error instanceof MessageTooLarge)) throw error
      then(() => cutOff(`More than ${maxMessageBytes / 1024 / 1024} MB without the end of the message`))
    }
    clearTimeout(timer)
    if (decoder.isInBlock)
      timer = setTimeout(() => then(() => cutOff('No end of the message within 30 seconds')), longestBlockMs)
  })
  return {
    closed: async () => {
      clearTimeout(timer)
      if (decoder.isInBlock) then(() => store('', 'The connection ended within a message'))
      await chain
    },
  }
}

const contentOf = (message: Hl7Message): string => {
  const id = rawField(findSegment(message, 'MSH'), 10)
  return [
    id,
    ...message.segments.filter(({ name }) => name !== 'MSH').map(({ name, fields }) => [name, ...fields].join('|')),
  ].join('\r')
}
