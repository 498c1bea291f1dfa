import { z } from 'zod'
import { list, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { flag01, optionalText, required, requiredCode, requiredId } from './validation.ts'

/** The topic of events about results of instruments. */
export const reviewTopic = 'review'

export const instrumentResultLabels = {
  receivedAt: 'Received',
  instrumentId: 'Instrument',
  specimenId: 'Specimen',
  instrumentCode: 'Instrument Code',
  testCode: 'Test Code',
  value: 'Result',
  units: 'Units',
  decimals: 'Decimals',
  lotId: 'Lot',
  codes: 'Codes',
  controls: 'Controls',
  reason: 'Reason',
  state: 'State',
  direction: 'Direction',
} as const

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })
const blankToNull = (value: unknown) => (value === '' || value === undefined ? null : value)

// ── codes and controls ──────────────────────────────────────────────────────────────────────────────────────────────

/** What may be the number on a tube: an accession number, with or without the suffix of its label. */
export const accessionNumber = /^0*([1-9]\d{0,14})(?:S|DP)?$/i

const isUnique = (values: readonly string[]) => new Set(values).size === values.length

const codeRow = z.object({
  instrumentCode: required(instrumentResultLabels.instrumentCode, 64),
  testCode: requiredCode(instrumentResultLabels.testCode),
  units: optionalText(instrumentResultLabels.units, 40),
  decimals: z.preprocess(
    blankToNull,
    z.coerce
      .number<string | number>({ error: messages.invalid(instrumentResultLabels.decimals) })
      .int(messages.invalid(instrumentResultLabels.decimals))
      .min(0, 'Decimals must be from 0 to 10')
      .max(10, 'Decimals must be from 0 to 10')
      .nullable(),
  ),
})
const codesInput = z.object({
  codes: z
    .array(codeRow, { error: messages.required(instrumentResultLabels.codes) })
    .max(2000, messages.invalid(instrumentResultLabels.codes))
    .refine((rows) => isUnique(rows.map(({ instrumentCode }) => instrumentCode)), 'An instrument code is given twice'),
})
export type InstrumentCode = z.infer<typeof codeRow>

const controlRow = z.object({
  specimenId: required(instrumentResultLabels.specimenId, 64).refine(
    (value) => !accessionNumber.test(value),
    'This could be the accession number of a patient',
  ),
  lotId: requiredId(instrumentResultLabels.lotId),
})
const controlsInput = z.object({
  controls: z
    .array(controlRow, { error: messages.required(instrumentResultLabels.controls) })
    .max(2000, messages.invalid(instrumentResultLabels.controls))
    .refine((rows) => isUnique(rows.map(({ specimenId }) => specimenId)), 'A specimen number is given twice'),
})
export type InstrumentControl = z.infer<typeof controlRow>

// ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────────

const message = z.object({
  id,
  instrumentId: id,
  instrumentName: z.string(),
  labZone: z.string(),
  direction: z.enum(['IN', 'OUT']),
  state: z.enum(['COMPLETE', 'INCOMPLETE']),
  reason: text,
  receivedAt: time,
  resultCount: id,
})
export type InstrumentMessage = z.infer<typeof message>

// ── results ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const instrumentResultStates = {
  HELD: 'Cannot be placed',
  REVIEW: 'Waits for review',
  VERIFIED: 'Verified by rule',
  ACCEPTED: 'Accepted',
  RERUN: 'Rerun asked for',
  REJECTED: 'Rejected',
  SUPERSEDED: 'Another one counts',
  CONTROL: 'Control',
} as const
export type InstrumentResultState = keyof typeof instrumentResultStates
const resultStates = Object.keys(instrumentResultStates) as InstrumentResultState[]

/** Who has decided about a result that no longer waits. */
export const decidedText = (state: InstrumentResultState, byName: string | null): string => {
  const name = byName ?? 'Somebody else'
  if (state === 'ACCEPTED') return `${name} has accepted this result`
  if (state === 'RERUN') return `${name} has asked for a rerun of this result`
  if (state === 'REJECTED') return `${name} has rejected this result`
  if (state === 'VERIFIED') return 'A rule has verified this result'
  if (state === 'SUPERSEDED') return 'Another result of this test counts now'
  return 'This result no longer waits'
}

export const reasonCodes = [
  'UNKNOWN_SPECIMEN',
  'UNKNOWN_CODE',
  'NOT_ORDERED',
  'UNIT',
  'UNKNOWN_CONTROL',
  'CRITICAL',
  'RELEASED',
  'REPEAT',
  'NO_VALUE',
  'PRELIMINARY',
  'NOT_NUMERIC',
  'QC_OUT',
  'DELTA',
  'FLAG',
  'REPORTABLE',
  'RANGE',
  'ISSUE',
  'SPECIMEN_TYPE',
  'SPECIMEN_AGE',
  'INCOMPLETE',
  'QC_DUE',
  'STOPPED',
  'NO_RULE',
] as const
export type ReasonCode = (typeof reasonCodes)[number]

const reason = z.object({ code: z.enum(reasonCodes), text: z.string() })
export type ResultReason = z.infer<typeof reason>
const check = z.object({ code: z.enum(reasonCodes), passed: z.boolean(), text: z.string() })
export type ResultCheck = z.infer<typeof check>

const instrumentResult = z.object({
  id,
  version: id,
  instrumentId: id,
  instrumentName: z.string(),
  labZone: z.string(),
  messageId: id,
  specimenId: z.string(),
  instrumentCode: z.string(),
  reqId: id.nullable(),
  reqTestId: id.nullable(),
  testCode: text,
  value: z.string(),
  units: text,
  /** What the instrument says besides the value; N, L and H are no flags. */
  flags: z.array(z.string()),
  abnormalFlag: text,
  operator: text,
  reagentLot: text,
  measuredAt: time.nullable(),
  receivedAt: time,
  clockOffsetSec: id.nullable(),
  rawRecord: z.string(),
  state: z.enum(resultStates),
  reasons: z.array(reason),
})
export type InstrumentResult = z.infer<typeof instrumentResult>

const decision = z.object({
  outcome: z.enum(['PASSED', 'HELD']),
  ruleId: id.nullable(),
  ruleVersion: id.nullable(),
  decidedAt: time,
  checks: z.array(check),
})
const decidedResult = instrumentResult.extend({
  decision: decision.nullable(),
  decidedByName: text,
  decisionReason: text,
})

const reviewResult = instrumentResult.extend({
  patientId: id.nullable(),
  patientName: text,
  patientDob: text,
  isCritical: flag01,
  previousValue: text,
  previousDate: time.nullable(),
  /** The value less the previous one. */
  delta: text,
  /** The patient's latest earlier results of the test in the same unit, the latest first. */
  trend: z.array(z.object({ value: z.string(), at: time })),
  qcState: z.enum(['IN', 'OUT', 'DUE']).nullable(),
})
export type ReviewResult = z.infer<typeof reviewResult>

const reviewRefusals = ['conflict', 'qc', 'reason', 'state', 'value'] as const
export type ReviewRefusal = (typeof reviewRefusals)[number]

const decideInput = z.object({
  items: z
    .array(z.object({ id: requiredId('id'), version: z.number({ error: messages.required('version') }).int() }), {
      error: messages.required('items'),
    })
    .min(1, messages.required('items'))
    .max(500, messages.invalid('items'))
    .refine((items) => new Set(items.map((item) => item.id)).size === items.length, 'A result is given twice'),
  reason: optionalText(instrumentResultLabels.reason, 1000),
  dryRun: z
    .union([z.boolean(), flag01])
    .nullish()
    .transform((value) => value === true || value === 1),
})
export type DecideInput = z.infer<typeof decideInput>
const decideWithReason = decideInput.extend({ reason: required(instrumentResultLabels.reason, 1000) })
const decidedItems = z.object({
  done: z.array(id),
  refused: z.array(z.object({ id, code: z.enum(reviewRefusals), message: z.string() })),
})
export type DecidedItems = z.infer<typeof decidedItems>
const decided = one(decidedItems).extend({ undoId: id.optional() })

const fields = ['id', 'receivedAt', 'measuredAt', 'specimenId', 'testCode', 'state', 'instrumentName']
const filters = [
  'id',
  'instrumentId',
  'messageId',
  'specimenId',
  'instrumentCode',
  'reqId',
  'reqTestId',
  'testCode',
  'state',
  'receivedAt',
  'search',
]

export const instrumentResultRoutes = {
  codes: get('instruments/:id/codes', { access: 'instruments.read', params: byId, reply: list(codeRow) }),
  saveCodes: put('instruments/:id/codes', {
    access: 'instruments.write',
    summary: 'The whole table; results that are held for a code or unit are placed again',
    params: byId,
    body: codesInput,
    reply: list(codeRow),
  }),
  controls: get('instruments/:id/controls', { access: 'instruments.read', params: byId, reply: list(controlRow) }),
  saveControls: put('instruments/:id/controls', {
    access: 'instruments.write',
    summary: 'The whole table',
    params: byId,
    body: controlsInput,
    reply: list(controlRow),
  }),
  messages: get('instrument_messages', {
    access: 'instruments.read',
    summary: 'The newest first',
    query: listQuery({
      sort: ['id', 'receivedAt'],
      filter: ['id', 'instrumentId', 'direction', 'state'],
      defaultPerPage: 100,
    }),
    reply: page(message),
  }),
  message: get('instrument_messages/:id', {
    access: 'instruments.read',
    params: byId,
    reply: one(
      message.extend({
        raw: z.string(),
        /** Those whose results it brings or whose tests it names. */
        requisitions: z.array(z.object({ reqId: id })),
      }),
    ),
  }),
  results: get('instrument_results', {
    access: 'instruments.read',
    summary: 'Every result that an instrument has sent, the newest first',
    query: listQuery({ sort: fields, filter: filters, defaultPerPage: 100 }),
    reply: page(instrumentResult),
  }),
  result: get('instrument_results/:id', { access: 'instruments.read', params: byId, reply: one(decidedResult) }),
  review: get('review_results', {
    access: 'review.read',
    summary: 'What waits for a person: critical results first, then by instrument and run',
    query: listQuery({ sort: fields, filter: [...filters, 'reasonCode', 'isCritical'], defaultPerPage: 100 }),
    reply: page(reviewResult),
  }),
  accept: post('review_results/accept', { access: 'review.decide', body: decideInput, reply: decided }),
  rerun: post('review_results/rerun', {
    access: 'review.decide',
    summary: 'Opens the test for the instrument again',
    body: decideWithReason,
    reply: decided,
  }),
  reject: post('review_results/reject', { access: 'review.decide', body: decideWithReason, reply: decided }),
}
