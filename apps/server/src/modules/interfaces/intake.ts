import type { Trx } from '../../platform/db/db.ts'
import { outageMessage } from '../../platform/db/outage.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { fieldValue, type Hl7Message, parseMessage } from '../../platform/hl7/message.ts'
import type { Services } from '../../platform/services.ts'
import { type Ack, acknowledge, type Outcome } from './hl7-ack.ts'
import { fault, type Hl7Fault, reasonOf } from './hl7-faults.ts'
import { type Header, headerFaults, isTestMessage, readHeader } from './hl7-header.ts'
import { readOrder } from './hl7-order.ts'
import { contentFaults, type OrderControl } from './hl7-structure.ts'
import { countAttempt, findFirst, hashOf, isSettled, storeMessage } from './message-store.ts'
import { findSender, type Partner } from './partner-queries.ts'
import { ConcurrentOrder, claimPlacers, findPlacers, isSameOrder, type Placer } from './placers.ts'

export type IntakeServices = Pick<Services, 'config' | 'databases'> & { log: Pick<Services['log'], 'error'> }

export interface Received {
  /** The answer in the format of the message; null if the sender wants none. */
  answer: string | null
  charset: Hl7Message['charset']
  /** Set when there is something to process. */
  work: { messageId: number; partnerId: number } | null
}

/**
 * Stores a message and returns the answer. When it returns, the message is durable. Our own errors are answered too (207),
 * since a repeat would fail again; temporary ones throw, and the sender repeats the message.
 */
export const receiveHl7 = async (services: IntakeServices, bytes: Buffer): Promise<Received> => {
  const message = parseMessage(bytes)
  const inTransaction = (work: (trx: Trx) => Promise<Answer>) =>
    retryOnConflict(() => services.databases(systemScope).transaction().execute(work))
  const charset = message?.charset ?? 'utf8'
  try {
    const received = await inTransaction((trx) =>
      message ? receive(trx, services, bytes, message) : refuseBlock(trx, services, bytes),
    )
    return { charset, ...received }
  } catch (error) {
    if (!message || isPassing(error as Error)) throw error
    services.log.error({ err: error }, 'a message could not be taken')
    return { charset, ...(await inTransaction((trx) => refuseForOurFault(trx, services, bytes, message))) }
  }
}

type Answer = Omit<Received, 'charset'>

const refuseBlock = async (trx: Trx, services: IntakeServices, bytes: Buffer): Promise<Answer> => {
  const faults = [fault(100, 'MSH')]
  const ack = acknowledge(null, 'AR', faults)
  await storeMessage(trx, services, {
    direction: 'IN',
    kind: 'HL7',
    partnerId: null,
    messageType: null,
    controlId: null,
    state: 'REJECTED',
    ackCode: ack.code,
    reason: `The message does not begin with MSH`,
    raw: bytes,
    answer: ack.text,
  })
  return { answer: ack.text, work: null }
}

/** No database, a conflict, a full disk, or a timeout: the next attempt of the sender may succeed. */
const isPassing = (error: { code?: string; message: string }): boolean =>
  outageMessage(error) !== null || /^(40|53|55|57)...$/.test(error.code ?? '')

const refuseForOurFault = async (
  trx: Trx,
  services: IntakeServices,
  bytes: Buffer,
  message: Hl7Message,
): Promise<Answer> => {
  const header = readHeader(message)
  const sender = (await findSender(trx, header.sendingApp, header.sendingFacility)) ?? null
  return refuse(trx, services, { bytes, message, header, sender }, 'AE', [fault(207, 'MSH')])
}

const receive = async (trx: Trx, services: IntakeServices, bytes: Buffer, message: Hl7Message): Promise<Answer> => {
  const header = readHeader(message)
  const sender = await findSender(trx, header.sendingApp, header.sendingFacility)
  const wrongHeader = headerFaults(header, sender)
  if (wrongHeader.length > 0 || !sender)
    return refuse(trx, services, { bytes, message, header, sender }, 'AR', wrongHeader)
  const incoming = { bytes, message, header, sender }
  const repeated = await repeatOf(trx, incoming)
  if (repeated === 'other content')
    return refuse(trx, services, incoming, 'AE', [
      fault(205, 'MSH', 1, 10, 'This control id was used for another message'),
    ])
  if (repeated) return repeated
  const wrongContent = contentFaults(message, header)
  if (wrongContent.length > 0) return refuse(trx, services, incoming, 'AE', wrongContent)
  return accept(trx, services, incoming)
}

interface Incoming {
  bytes: Buffer
  message: Hl7Message
  header: Header
  sender: Partner
}

/** All segments but MSH; a test message, which makes nothing, never has the content of an order. */
const contentOf = ({ segments, delimiters }: Hl7Message, header: Header): Buffer =>
  hashOf(
    [
      ...(isTestMessage(header) ? ['test'] : []),
      ...segments
        .filter(({ name }) => name !== 'MSH')
        .map(({ name, fields }) => [name, ...fields].join(delimiters.field)),
    ].join('\r'),
  )

/** The first answer to a repeated message; null for a new one. */
const repeatOf = async (trx: Trx, { message, header, sender }: Incoming): Promise<Answer | 'other content' | null> => {
  const first = await findFirst(trx, sender.id, header.controlId)
  if (!first) return null
  if (!first.content_hash?.equals(contentOf(message, header))) return 'other content'
  await countAttempt(trx, first.id)
  const work = first.state === 'RECEIVED' ? { messageId: first.id, partnerId: sender.id } : null
  return { answer: first.answer, work }
}

const baseOf = ({ bytes, message, header, sender }: Omit<Incoming, 'sender'> & { sender: Partner | null }) => ({
  direction: 'IN' as const,
  kind: 'HL7' as const,
  partnerId: sender?.id ?? null,
  messageType: [header.type, header.event].filter(Boolean).join('^'),
  controlId: header.controlId,
  raw: bytes,
  contentHash: contentOf(message, header),
})

const refuse = async (
  trx: Trx,
  services: IntakeServices,
  incoming: Omit<Incoming, 'sender'> & { sender: Partner | null },
  outcome: Outcome,
  faults: readonly Hl7Fault[],
): Promise<Answer> => {
  const ack = acknowledge(incoming.message, outcome, faults)
  const isFree = faults.some(({ code }) => code === 205 || code === 207)
  await storeMessage(trx, services, {
    ...baseOf(incoming),
    state: 'REJECTED',
    ackCode: ack.code,
    reason: reasonOf(faults),
    answer: ack.text,
    // After a wrong header, or an error of ours, the same control id can be used again; a message refused for its content is refused again.
    isFirst: outcome === 'AE' && !isFree,
  })
  return { answer: ack.text, work: null }
}

const accept = async (trx: Trx, services: IntakeServices, incoming: Incoming): Promise<Answer> => {
  const { message, header, sender } = incoming
  const order = header.type === 'ADT' || isTestMessage(header) ? null : readOrder(message)
  const hash = contentOf(message, header)
  const taken = order ? await findPlacers(trx, sender.id, order.placers) : []
  const unknown = order ? unknownPlacers(message, order.control, taken) : []
  if (unknown.length > 0) return refuse(trx, services, incoming, 'AE', unknown)
  if (order?.control === 'NW' && taken.length > 0) {
    if (!isSameOrder(taken, order.placers, hash))
      return refuse(trx, services, incoming, 'AE', duplicatePlacers(message, taken))
    return store(trx, services, incoming, acknowledge(message, 'AA', []), {
      state: 'ACCEPTED',
      reason: 'The order has come before and was not made again',
      requisitionId: taken[0]?.requisition_id ?? null,
    })
  }
  const answer = await store(trx, services, incoming, acknowledge(message, 'AA', []), { state: 'RECEIVED' })
  if (order && order.control !== 'CA' && answer.work) {
    const isClaimed = await claimPlacers(trx, sender.id, order.placers, answer.work.messageId, hash)
    if (!isClaimed && order.control === 'NW') throw new ConcurrentOrder()
  }
  return answer
}

const duplicatePlacers = (message: Hl7Message, taken: readonly Placer[]): Hl7Fault[] => {
  const numbers = new Set(taken.map((one) => one.placer_number))
  return readPlacers(message)
    .filter(({ placer }) => numbers.has(placer))
    .map(({ sequence }) => fault(205, 'ORC', sequence, 2, 'This placer number was used for another order'))
}

/** Every number in a CA must be known; an XO needs one known number and may add others. */
const unknownPlacers = (message: Hl7Message, control: OrderControl, taken: readonly Placer[]): Hl7Fault[] => {
  if (control === 'NW' || (control === 'XO' && taken.length > 0)) return []
  const numbers = new Set(taken.map((one) => one.placer_number))
  return readPlacers(message)
    .filter(({ placer }) => !numbers.has(placer))
    .map(({ sequence }) => fault(204, 'ORC', sequence, 2, 'The placer number is not known'))
}

const readPlacers = (message: Hl7Message) =>
  message.segments
    .filter(({ name }) => name === 'ORC')
    .map((orc) => ({ sequence: orc.sequence, placer: fieldValue(message, orc, 2) }))

const store = async (
  trx: Trx,
  services: IntakeServices,
  incoming: Incoming,
  ack: Ack,
  how: { state: 'RECEIVED' | 'ACCEPTED'; reason?: string; requisitionId?: number | null },
): Promise<Answer> => {
  const stored = await storeMessage(trx, services, {
    ...baseOf(incoming),
    ...how,
    ackCode: ack.code,
    answer: ack.text,
    isFirst: true,
  })
  // The same message arrived over another connection at the same time.
  if (!stored) throw new ConcurrentOrder()
  const work = isSettled(how.state) ? null : { messageId: stored.id, partnerId: incoming.sender.id }
  return { answer: ack.text, work }
}

/** Records for the desk why a connection was closed. */
export const recordClosedConnection = async (services: IntakeServices, reason: string) => {
  await services
    .databases(systemScope)
    .transaction()
    .execute((trx) =>
      storeMessage(trx, services, {
        direction: 'IN',
        kind: 'HL7',
        partnerId: null,
        messageType: null,
        controlId: null,
        state: 'REJECTED',
        ackCode: null,
        reason,
        raw: null,
      }),
    )
}
