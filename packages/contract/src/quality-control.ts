import { z } from 'zod'
import { decimalInput, positiveDecimalInput } from './decimal-input.ts'
import { isIsoDate } from './kit/date-range.ts'
import { done, list, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get, idParam, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { qcRuleActions, qcRules, qcRunStates } from './qc-rules.ts'
import { flag01, isoDate, optionalText, required, requiredCode, requiredId, requiredIds } from './validation.ts'

/** The topic of events about runs and actions. */
export const qcTopic = 'quality-control'

export const qcLabels = {
  instrumentId: 'Instrument',
  testCode: 'Test Code',
  name: 'Material',
  maker: 'Maker',
  materialId: 'Material',
  level: 'Level',
  lotNumber: 'Lot',
  opened: 'Opened',
  expires: 'Expires',
  isParallel: 'Parallel',
  lotId: 'Lot',
  mean: 'Mean',
  sd: 'SD',
  source: 'Source',
  validFrom: 'Valid From',
  validTo: 'Valid To',
  rules: 'Rules',
  everyHours: 'Every Hours',
  everyResults: 'Every Results',
  allowedErrorPct: 'Allowed Error %',
  ranAt: 'Run',
  operator: 'Run by',
  runNo: 'Run No',
  values: 'Values',
  value: 'Value',
  reason: 'Reason',
  cause: 'What was found',
  action: 'What was done',
  doneAt: 'Done',
  password: 'Password',
} as const

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })
const decimal = z.string()

/** An instant with its offset. */
const instant = (label: string) =>
  z
    .string({ error: messages.required(label) })
    .trim()
    .min(1, messages.required(label))
    .max(40, messages.invalid(label))
    .pipe(z.iso.datetime({ offset: true, error: messages.invalid(label) }))
const blankToNull = (value: unknown) => (value === '' || value === undefined ? null : value)
/** An instant, or a day of the instrument's laboratory. */
const instantOrDay = (label: string) => z.union([isoDate(label), instant(label)], { error: messages.invalid(label) })
const optionalDate = (label: string) => z.preprocess(blankToNull, isoDate(label).nullable())
const wholeNumber = (label: string, max: number) =>
  z.coerce
    .number<string | number>({ error: messages.invalid(label) })
    .int(messages.invalid(label))
    .min(1, `${label} must be from 1 to ${max}`)
    .max(max, `${label} must be from 1 to ${max}`)
const optionalNumber = (label: string, max: number) => z.preprocess(blankToNull, wholeNumber(label, max).nullable())

const instrumentId = requiredId(qcLabels.instrumentId)
const testCode = requiredCode(qcLabels.testCode)

// ── materials, lots, targets, plans ─────────────────────────────────────────────────────────────────────────────────

const qcMaterialInput = z.object({
  name: required(qcLabels.name, 100),
  maker: optionalText(qcLabels.maker, 100),
})
export type QcMaterialInput = z.infer<typeof qcMaterialInput>

const lotInput = z.object({
  materialId: requiredId(qcLabels.materialId),
  level: wholeNumber(qcLabels.level, 4),
  lotNumber: required(qcLabels.lotNumber, 50),
  opened: optionalDate(qcLabels.opened),
  /** The last day on which it may be used. */
  expires: isoDate(qcLabels.expires),
  isParallel: flag01.nullish().transform((value) => value ?? 0),
})
export type QcLotInput = z.infer<typeof lotInput>
/** Level and material of a lot do not change: values refer to them. */
const lotUpdate = z.object(updateFields(lotInput.pick({ opened: true, expires: true, isParallel: true }).shape))
export type QcLotUpdate = z.infer<typeof lotUpdate>

const targetInput = z
  .object({
    lotId: requiredId(qcLabels.lotId),
    testCode,
    instrumentId,
    mean: decimalInput(qcLabels.mean),
    sd: positiveDecimalInput(qcLabels.sd),
    source: z.enum(['MAKER', 'OWN'], { error: messages.required(qcLabels.source) }),
    validFrom: instantOrDay(qcLabels.validFrom),
    /** Of a day its end. */
    validTo: z.preprocess(blankToNull, instantOrDay(qcLabels.validTo).nullable()),
  })
  .refine(
    ({ validFrom, validTo }) =>
      validTo === null || Date.parse(validTo) > Date.parse(validFrom) || (validTo === validFrom && isIsoDate(validTo)),
    {
      path: ['validTo'],
      message: `${qcLabels.validTo} must be after ${qcLabels.validFrom}`,
    },
  )
export type QcTargetInput = z.infer<typeof targetInput>

const chosenRule = z.object({
  rule: z.enum(qcRules, { error: 'Rule is unknown' }),
  action: z.enum(qcRuleActions, { error: 'Action must be WARN or REJECT' }),
})
const planInput = z.object({
  testCode,
  instrumentId,
  rules: z
    .array(chosenRule, { error: messages.required(qcLabels.rules) })
    .min(1, messages.required(qcLabels.rules))
    .max(qcRules.length, messages.invalid(qcLabels.rules))
    .refine((rules) => new Set(rules.map(({ rule }) => rule)).size === rules.length, 'A rule is chosen twice'),
  everyHours: optionalNumber(qcLabels.everyHours, 1000),
  everyResults: optionalNumber(qcLabels.everyResults, 100_000),
  allowedErrorPct: z.preprocess(blankToNull, positiveDecimalInput(qcLabels.allowedErrorPct).nullable()),
})
export type QcPlanInput = z.infer<typeof planInput>

const material = z.object({ id, version: id, name: z.string(), maker: text })
const lot = z.object({
  id,
  version: id,
  materialId: id,
  materialName: z.string(),
  maker: text,
  level: id,
  lotNumber: z.string(),
  opened: text,
  expires: z.string(),
  isParallel: flag01,
})
export type QcLot = z.infer<typeof lot>
const target = z.object({
  id,
  lotId: id,
  level: id,
  lotNumber: z.string(),
  testCode: z.string(),
  instrumentId: id,
  mean: decimal,
  sd: decimal,
  source: z.enum(['MAKER', 'OWN']),
  validFrom: time,
  validTo: time.nullable(),
})
const proposal = z.object({
  n: id,
  mean: decimal.nullable(),
  sd: decimal.nullable(),
  cv: decimal.nullable(),
  isReady: flag01,
})
/** How many runs an own target needs. */
export const minRunsOfTarget = 20
const plan = z.object({
  id,
  version: id,
  testCode: z.string(),
  instrumentId: id,
  rules: z.array(chosenRule),
  everyHours: id.nullable(),
  everyResults: id.nullable(),
  allowedErrorPct: decimal.nullable(),
})

// ── runs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const runInput = z.object({
  instrumentId,
  testCode,
  ranAt: instant(qcLabels.ranAt),
  /** The signed-in user, if it is missing. */
  operator: optionalText(qcLabels.operator, 100),
  runNo: z.preprocess((value) => (typeof value === 'number' ? String(value) : value), optionalText(qcLabels.runNo, 50)),
  values: z
    .array(z.object({ lotId: requiredId(qcLabels.lotId), value: decimalInput(qcLabels.value) }), {
      error: messages.required(qcLabels.values),
    })
    .min(1, messages.required(qcLabels.values))
    .max(20, messages.invalid(qcLabels.values)),
})
export type QcRunInput = z.infer<typeof runInput>

const state = z.enum(qcRunStates)
const brokenRule = z.object({
  rule: z.enum(qcRules),
  action: z.enum(qcRuleActions),
  levels: z.array(id),
  valueIds: z.array(id),
})
const run = z.object({
  id,
  instrumentId: id,
  testCode: z.string(),
  runNo: text,
  ranAt: time,
  operator: text,
  state,
  isVoid: flag01,
  voidReason: text,
  values: z.array(
    z.object({
      id,
      lotId: id,
      level: id,
      value: decimal,
      /** With 4 decimals, for display; null if it was not evaluated. */
      z: decimal.nullable(),
      state,
      isParallel: flag01,
    }),
  ),
  broken: z.array(brokenRule),
})
export type QcRun = z.infer<typeof run>

const ofTest = {
  instrumentId: z.preprocess(blankToNull, idParam.nullable()),
  testCode: optionalText(qcLabels.testCode, 64),
}
const date = (label: string) =>
  z.preprocess(
    blankToNull,
    z
      .string()
      .refine((value) => isIsoDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value)), messages.invalid(label))
      .nullable(),
  )
const period = { from: date('from'), to: date('to') }
const paging = {
  page: z.coerce.number<string | number>().int().min(1).max(1_000_000).default(1),
  perPage: z.coerce.number<string | number>().int().min(1).max(500).default(100),
}
const runsQuery = z.object({ ...ofTest, ...period, ...paging })
export type QcRunsQuery = z.infer<typeof runsQuery>

// ── control, actions, look-backs ────────────────────────────────────────────────────────────────────────────────────

const status = z.object({
  instrumentId: id,
  instrumentName: z.string(),
  testCode: z.string(),
  testDesc: z.string(),
  labZone: z.string(),
  state: z.enum(['IN', 'OUT', 'DUE']),
  since: time.nullable(),
  lastGoodRunAt: time.nullable(),
  nextDueAt: time.nullable(),
  openActions: id,
  heldCount: id,
  lookBackCount: id,
})
export type QcStatus = z.infer<typeof status>

const actionInput = z.object({
  instrumentId,
  testCode,
  cause: required(qcLabels.cause, 1000),
  action: required(qcLabels.action, 1000),
  doneAt: instant(qcLabels.doneAt),
})
export type QcActionInput = z.infer<typeof actionInput>
const action = z.object({
  id,
  instrumentId: id,
  testCode: z.string(),
  cause: z.string(),
  action: z.string(),
  doneAt: time,
  recordedAt: time,
  recordedBy: z.string(),
  signedAt: time.nullable(),
  signedBy: text,
})
export type QcAction = z.infer<typeof action>

const lookbackOutcomes = ['CONFIRMED', 'REPEATED', 'WAIVED'] as const
const lookback = z.object({
  id,
  qcRunId: id,
  instrumentId: id,
  reqId: id,
  reqTestId: id,
  patientId: id,
  patientName: z.string(),
  reqStatusCode: z.string(),
  testCode: z.string(),
  value: text,
  processDate: time.nullable(),
  isReleased: flag01,
  state: z.enum(['OPEN', ...lookbackOutcomes]),
  reason: text,
  settledAt: time.nullable(),
  settledBy: text,
})
export type QcLookback = z.infer<typeof lookback>
const settleInput = z
  .object({
    ids: requiredIds('ids', 10_000),
    outcome: z.enum(lookbackOutcomes, { error: messages.required('Outcome') }),
    reason: optionalText(qcLabels.reason, 1000),
  })
  .refine(({ outcome, reason }) => outcome !== 'WAIVED' || reason !== null, {
    path: ['reason'],
    message: messages.required(qcLabels.reason),
  })
export type SettleInput = z.infer<typeof settleInput>

const statisticsRow = z.object({
  lotId: id,
  lotNumber: z.string(),
  level: id,
  instrumentId: id,
  testCode: z.string(),
  /** YYYY-MM of the laboratory. */
  month: z.string(),
  n: id,
  mean: decimal.nullable(),
  sd: decimal.nullable(),
  cv: decimal.nullable(),
  bias: decimal.nullable(),
  biasPct: decimal.nullable(),
  rejectedShare: decimal,
  sigma: decimal.nullable(),
})
export type QcStatistics = z.infer<typeof statisticsRow>

const chartPoint = z.object({
  runId: id,
  lotId: id,
  value: decimal,
  z: decimal.nullable(),
  state,
})
const chart = z.object({
  testCode: z.string(),
  units: text,
  runs: z.array(
    z.object({
      id,
      ranAt: time,
      state,
      isVoid: flag01,
      operator: text,
      broken: z.array(z.object({ rule: z.enum(qcRules), action: z.enum(qcRuleActions), levels: z.array(id) })),
    }),
  ),
  levels: z.array(
    z.object({
      level: id,
      lots: z.array(z.object({ lotId: id, lotNumber: z.string(), materialName: z.string(), isParallel: flag01 })),
      target: z.object({ mean: decimal, sd: decimal, source: z.enum(['MAKER', 'OWN']) }).nullable(),
      points: z.array(chartPoint),
    }),
  ),
  actions: z.array(action),
})
export type QcChart = z.infer<typeof chart>

export const qualityControlRoutes = {
  materials: get('qc_materials', { access: 'qc.read', reply: list(material) }),
  createMaterial: post('qc_materials', { access: 'qc.manage', body: qcMaterialInput, reply: newId }),
  lots: get('qc_lots', { access: 'qc.read', reply: list(lot) }),
  createLot: post('qc_lots', { access: 'qc.manage', body: lotInput, reply: newId }),
  updateLot: put('qc_lots/:id', {
    access: 'qc.manage',
    summary: 'A parallel lot takes over when isParallel becomes 0',
    params: byId,
    body: lotUpdate,
    reply: one(lot),
  }),
  targets: get('qc_targets', { access: 'qc.read', query: z.object(ofTest), reply: list(target) }),
  proposal: get('qc_targets/proposal', {
    access: 'qc.read',
    summary: `Mean and SD of all runs that are not void; ready from ${minRunsOfTarget} runs on`,
    query: z.object({ lotId: idParam, testCode, instrumentId: idParam }),
    reply: one(proposal),
  }),
  createTarget: post('qc_targets', { access: 'qc.manage', body: targetInput, reply: newId }),
  plans: get('qc_plans', { access: 'qc.read', query: z.object(ofTest), reply: list(plan) }),
  savePlan: put('qc_plans', {
    access: 'qc.manage',
    summary: 'Creates or replaces the plan of a test on an instrument',
    body: planInput,
    reply: one(plan),
  }),
  runs: get('qc_runs', { access: 'qc.read', summary: 'The newest first', query: runsQuery, reply: page(run) }),
  run: get('qc_runs/:id', { access: 'qc.read', params: byId, reply: one(run) }),
  createRun: post('qc_runs', { access: 'qc.run', body: runInput, reply: one(run) }),
  voidRun: post('qc_runs/:id/void', {
    access: 'qc.run',
    params: byId,
    body: z.object({ reason: required(qcLabels.reason, 1000) }),
    reply: one(run),
  }),
  chart: get('qc_chart', {
    access: 'qc.read',
    summary: 'The runs of a test on an instrument with their targets, for Levey-Jennings charts',
    query: z.object({
      instrumentId: idParam,
      testCode,
      days: z.coerce.number<string | number>().int().min(1).max(400).default(30),
    }),
    reply: one(chart),
  }),
  status: get('qc_status', {
    access: 'qc.read',
    summary: 'Out of control first, then what is due',
    query: listQuery({
      sort: ['instrumentName', 'testCode', 'state'],
      filter: ['instrumentId', 'testCode', 'state'],
      defaultPerPage: -1,
    }),
    reply: page(status),
  }),
  actions: get('qc_actions', { access: 'qc.read', query: z.object(ofTest), reply: list(action) }),
  createAction: post('qc_actions', { access: 'qc.run', body: actionInput, reply: newId }),
  signAction: post('qc_actions/:id/sign', {
    access: 'qc.run',
    summary: 'Signs a corrective action with the own password, once the test is in control and its results are settled',
    params: byId,
    body: z.object({ password: z.string({ error: messages.required(qcLabels.password) }).max(256) }),
    reply: one(action),
  }),
  lookbacks: get('qc_lookbacks', {
    access: 'qc.read',
    query: z.object({
      ...ofTest,
      ...paging,
      state: z.preprocess(blankToNull, z.enum(['OPEN', ...lookbackOutcomes]).nullable()),
      qcRunId: z.preprocess(blankToNull, idParam.nullable()),
      reqId: z.preprocess(blankToNull, idParam.nullable()),
    }),
    reply: page(lookback),
  }),
  settle: post('qc_lookbacks/settle', {
    access: 'qc.run',
    summary: "WAIVED also needs 'qc.release' and a reason",
    body: settleInput,
    reply: done,
  }),
  statistics: get('qc_statistics', {
    access: 'qc.read',
    query: z.object({ ...ofTest, ...period, lotId: z.preprocess(blankToNull, idParam.nullable()) }),
    reply: list(statisticsRow),
  }),
}
