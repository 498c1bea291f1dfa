import type { MessageKind } from '../laboratory/partner-messages.ts'

export interface DemoPartner {
  app: string
  facility: string
  autoAccept: boolean
  resultUrl: string | null
  /** OBR-4 of what it orders. */
  tests: readonly string[]
  /** Our test by its code. */
  codes: Readonly<Record<string, string>>
  kinds: readonly (MessageKind | 'unknown code' | 'other birth date')[]
  results: readonly { state: 'SENT' | 'RETRYING' | 'FAILED'; reason: string | null }[]
}

const common = ['LIPID^Lipid panel^L', 'A1C^Hemoglobin A1c^L', 'HSCRP^hs-CRP^L', 'APOB^Apolipoprotein B^L']
const down = { state: 'RETRYING', reason: 'The receiver cannot be reached: connect ECONNREFUSED' } as const

/** The interfaces of the demo: one with codes that nobody has mapped yet, one that works, one whose system does not answer. */
export const demoPartners: readonly DemoPartner[] = [
  {
    app: 'MESA EHR',
    facility: 'BM-04',
    autoAccept: true,
    resultUrl: null,
    tests: common,
    codes: {},
    kinds: [
      'order',
      'order',
      'patient',
      'unknown code',
      'unknown code',
      'unknown code',
      'other birth date',
      'faulty',
      'order',
    ],
    results: [
      { state: 'SENT', reason: null },
      { state: 'FAILED', reason: 'The receiver refused the message: AE PID-3 is not known' },
    ],
  },
  {
    app: 'NORTHGATE',
    facility: 'NG-11',
    autoAccept: true,
    resultUrl: null,
    tests: [...common, 'GLYHB^Glycated Hb^L'],
    codes: { GLYHB: 'A1C' },
    kinds: ['order', 'order', 'change', 'faulty', 'order', 'cancellation'],
    results: [
      { state: 'SENT', reason: null },
      { state: 'SENT', reason: null },
    ],
  },
  {
    app: 'PLAINS HIS',
    facility: 'GP-16',
    autoAccept: false,
    resultUrl: 'mllp://127.0.0.1:6669',
    tests: common,
    codes: {},
    kinds: ['order'],
    results: [down, down, down],
  },
]
