import type { Readable } from 'node:stream'

export type Channel = 'EMAIL' | 'SMS' | 'FAX' | 'HL7' | 'PRINT'

/** A message as a transport gets it. */
export interface OutgoingMessage {
  id: number
  /** The same for every attempt at this message and for no other, so that a receiver can tell a repeat. */
  reference: string
  channel: Channel
  to: string
  subject: string | null
  body: string
  attachments: Attachment[]
  /** It runs out soon, and must not queue up behind what does not. */
  isUrgent: boolean
}

export interface Attachment {
  fileName: string
  contentType: string
  /** Opened only when the transport reads it. */
  content: Readable
}

/** How an attempt is told after which nobody knows whether the other side has the message. */
export const unknownOutcomes = {
  stopped: 'The sender stopped before it could report; the message may have left',
  unanswered: 'The gateway did not answer in time',
  unacknowledged: 'The receiver did not acknowledge the message in time',
  closed: 'The receiver closed the connection without an acknowledgement',
  endless: 'The acknowledgement has no end',
  other: 'The receiver acknowledged another message',
}

/** The other side has said no for good: the same message again would get the same answer. */
export class Refused extends Error {}

/** Sends one message and gives what the other side said to it; throws with a reason a person can read, `Refused` where trying again is no use. */
export interface Transport {
  send: (message: OutgoingMessage, signal: AbortSignal) => Promise<string>
  /** Receivers that are reached by a connection of their own; all others share one. */
  dedicatedReceivers?: readonly string[]
  close: () => void
}

/** A channel without a transport has no gateway configured. */
export type Transports = Partial<Record<Channel, Transport>>
