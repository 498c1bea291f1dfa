import type { ReasonCode, ReviewResult } from '@lis/contract/instrument-results.ts'

/** Results of one run of an instrument: what it sent in one message. A run shares its faults. */
export interface ReviewRun {
  key: string
  instrumentId: number
  instrumentName: string
  messageId: number
  receivedAt: string
  labZone: string
  rows: ReviewResult[]
  /** The worst of its tests. */
  qcState: ReviewResult['qcState']
}

/** Runs in the order of the rows: the server puts critical results first, and their run comes first with all that it holds. */
export const groupRuns = (rows: readonly ReviewResult[]): ReviewRun[] => {
  const runs = new Map<number, ReviewRun>()
  for (const row of rows) {
    const { instrumentId, instrumentName, messageId, receivedAt, labZone, qcState } = row
    const run = runs.get(messageId)
    if (run) {
      run.rows.push(row)
      run.qcState = worse(run.qcState, qcState)
    } else
      runs.set(messageId, {
        key: String(messageId),
        instrumentId,
        instrumentName,
        messageId,
        receivedAt,
        labZone,
        rows: [row],
        qcState,
      })
  }
  return [...runs.values()]
}

const states = [null, 'IN', 'DUE', 'OUT'] as const
const worse = (one: ReviewResult['qcState'], other: ReviewResult['qcState']) =>
  states.indexOf(other) > states.indexOf(one) ? other : one

/** The kinds of reasons why results wait; a result can have several. */
export const reasonKinds = {
  critical: ['Critical', ['CRITICAL']],
  delta: ['Delta', ['DELTA']],
  qc: ['QC', ['QC_OUT', 'QC_DUE']],
  instrument: ['Instrument', ['FLAG', 'NO_VALUE', 'PRELIMINARY', 'NOT_NUMERIC']],
  range: ['Range', ['RANGE', 'REPORTABLE']],
  repeat: ['Repeat', ['REPEAT', 'RELEASED']],
  specimen: ['Specimen', ['ISSUE', 'SPECIMEN_AGE', 'SPECIMEN_TYPE', 'INCOMPLETE']],
  rule: ['No rule', ['NO_RULE', 'STOPPED']],
  place: ['Not placed', ['UNKNOWN_SPECIMEN', 'UNKNOWN_CODE', 'NOT_ORDERED', 'UNIT', 'UNKNOWN_CONTROL']],
} as const satisfies Record<string, readonly [string, readonly ReasonCode[]]>
export type ReasonKind = keyof typeof reasonKinds
const kinds = Object.keys(reasonKinds) as ReasonKind[]

export const kindOf = (code: ReasonCode): ReasonKind =>
  kinds.find((kind) => (reasonKinds[kind][1] as readonly ReasonCode[]).includes(code)) ?? 'place'

export const isOfKind = ({ reasons }: Pick<ReviewResult, 'reasons'>, kind: ReasonKind): boolean =>
  reasons.some(({ code }) => kindOf(code) === kind)

/** The kinds that occur, with the number of results of each. */
export const countKinds = (rows: readonly ReviewResult[]): { kind: ReasonKind; label: string; count: number }[] =>
  kinds
    .map((kind) => ({ kind, label: reasonKinds[kind][0], count: rows.filter((row) => isOfKind(row, kind)).length }))
    .filter(({ count }) => count > 0)

const neverAccepted: readonly ReasonCode[] = ['NO_VALUE', 'PRELIMINARY']

/** Why a result cannot be accepted; the server has the same rules. */
export const whyNotAccepted = ({ testCode, qcState, reasons }: ReviewResult): string | undefined => {
  if (qcState === 'OUT') return `Quality control of ${testCode} is out of control: a run in control is needed first`
  return reasons.find(({ code }) => neverAccepted.includes(code))?.text
}

/** Several can be tried at once: the dry run shows which cannot be accepted. */
export const whyNoneAccepted = (targets: readonly ReviewResult[]) => {
  const [first] = targets
  if (!first) return undefined
  const reasons = targets.map(whyNotAccepted)
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined
}

/** '1000498 | Castellano, Marisol (…)' without the date; a result without a requisition is named by its tube. */
export const subjectOf = ({ reqId, patientName, specimenId }: ReviewResult): string =>
  reqId === null ? `Specimen ${specimenId}` : `#${reqId} | ${patientName}`

export const testOf = ({ testCode, instrumentCode }: ReviewResult): string => testCode ?? instrumentCode

export const signed = (delta: string): string => (delta.startsWith('-') ? `−${delta.slice(1)}` : `+${delta}`)

/** Earlier results and this one, the oldest first; text has no line. */
export const numbersOf = ({ trend, value }: ReviewResult): number[] => {
  const values = [...trend.map((one) => one.value).reverse(), value].map(Number)
  return values.every(Number.isFinite) ? values : []
}
