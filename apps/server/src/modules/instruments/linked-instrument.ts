import type { InstrumentServices } from './link-store.ts'
import type { InstrumentQueue } from './work-queue.ts'

/** The data of an instrument that its connection needs. */
export interface LinkedInstrument {
  id: number
  name: string
  labZone: string
  protocol: 'ASTM' | 'HL7'
  host: string | null
  port: number
}

export interface ConnectionOptions {
  services: InstrumentServices
  instrument: LinkedInstrument
  queue: InstrumentQueue
}

export interface Connection {
  /** Sends a message, and reports its outcome later; false if it cannot be sent. */
  send?: (id: number, message: string) => boolean
  /** The socket was closed: the rest is stored. */
  closed: () => Promise<void>
}
