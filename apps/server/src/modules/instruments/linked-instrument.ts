import type { InstrumentServices } from './link-store.ts'
import type { InstrumentQueue } from './work-queue.ts'

/** An instrument as its connection needs it. */
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
  /** Sends a message of ours, and says later what became of it; false if it cannot. */
  send?: (id: number, message: string) => boolean
  /** The socket has closed: what is left is stored. */
  closed: () => Promise<void>
}
