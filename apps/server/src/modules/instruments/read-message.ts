import type { FileColumns } from '@lis/contract/instrument-work.ts'
import type { MeasuredResult } from '../instrument-results/measured.ts'

export interface ReadOptions {
  /** A time as the instrument writes it; null where it is none. */
  toInstant: (time: string) => string | null
  /** Of a file: the content of each column. */
  fileColumns?: FileColumns | null
}

export interface ReadMessage {
  /** The time of the message on the instrument's clock, as sent. */
  sentAt: string
  results: MeasuredResult[]
}
