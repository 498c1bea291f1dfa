import type { Readable } from 'node:stream'

export type Channel = 'EMAIL' | 'SMS' | 'FAX' | 'HL7' | 'PRINT'

/** A message as a transport gets it. */
export interface OutgoingMessage {
  id: number
  /** The same for every attempt at this message, so that a receiver recognizes a repeat. */
  reference: string
  channel: Channel
  to: string
  subject: string | null
  body: string
  attachments: Attachment[]
  /** It expires soon, so it must not wait behind messages that do not. */
  isUrgent: boolean
  /** Called with each answer of the receiver as it came, by transports whose receivers answer in a format of their own. */
  onAnswer?: (answer: string) => void
}

export interface Attachment {
  fileName: string
  contentType: string
  /** Opened only when the transport reads it. */
  content: Readable
}

/** Texts of attempts after which it is unknown whether the receiver has the message. */
export const unknownOutcomes = {
  stopped: 'The sender stopped before it could report; the message may have left',
  unanswered: 'The gateway did not answer in time',
  unacknowledged: 'The receiver did not acknowledge the message in time',
  closed: 'The receiver closed the connection without an acknowledgement',
  endless: 'The acknowledgement has no end',
  other: 'The receiver acknowledged another message',
}

/** The receiver has rejected the message for good: a retry would get the same answer. */
export class Refused extends Error {}

/** Sends one message and returns the receiver's reply; throws a readable reason, `Refused` where a retry is useless. */
export interface Transport {
  send: (message: OutgoingMessage, signal: AbortSignal) => Promise<string>
  /** Receivers that have their own connection; all others share one. */
  dedicatedReceivers?: readonly string[]
  close: () => void
}

/** A channel without a transport has no gateway configured. */
export type Transports = Partial<Record<Channel, Transport>>
