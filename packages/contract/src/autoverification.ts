import { z } from 'zod'
import { decimalInput, positiveDecimalInput } from './decimal-input.ts'
import { asOfQuery } from './kit/as-of.ts'
import { isIsoDate } from './kit/date-range.ts'
import { done, list, newId, one } from './kit/envelope.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { flag01, optionalId, required, requiredCode, requiredFlag } from './validation.ts'

export const autoverifyLabels = {
  testCode: 'Test Code',
  labId: 'Laboratory',
  colaId: 'Collaborator',
  instrumentId: 'Instrument',
  low: 'Low',
  high: 'High',
  deltaLimit: 'Delta Limit',
  deltaKind: 'Delta Kind',
  deltaDays: 'Delta Days',
  maxSpecimenHours: 'Specimen Hours',
  isActive: 'On',
  reason: 'Reason',
} as const

const id = z.number().int()
const text = z.string().nullable()
const blankToNull = (value: unknown) => (value === '' || value === undefined ? null : value)
const optionalDecimal = (label: string) => z.preprocess(blankToNull, decimalInput(label).nullable())
const optionalWhole = (label: string, max: number) =>
  z.preprocess(
    blankToNull,
    z.coerce
      .number<string | number>({ error: messages.invalid(label) })
      .int(messages.invalid(label))
      .min(1, `${label} must be from 1 to ${max}`)
      .max(max, `${label} must be from 1 to ${max}`)
      .nullable(),
  )

const ruleInput = z.object({
  testCode: requiredCode(autoverifyLabels.testCode),
  /** The most specific rule counts: the instrument before the collaborator, the collaborator before the laboratory. */
  labId: optionalId(autoverifyLabels.labId),
  colaId: optionalId(autoverifyLabels.colaId),
  instrumentId: optionalId(autoverifyLabels.instrumentId),
  /** Both inclusive. */
  low: optionalDecimal(autoverifyLabels.low),
  high: optionalDecimal(autoverifyLabels.high),
  deltaLimit: z.preprocess(blankToNull, positiveDecimalInput(autoverifyLabels.deltaLimit).nullable()),
  deltaKind: z.preprocess(
    blankToNull,
    z.enum(['percent', 'absolute'], { error: messages.invalid(autoverifyLabels.deltaKind) }).nullable(),
  ),
  deltaDays: optionalWhole(autoverifyLabels.deltaDays, 3650),
  maxSpecimenHours: optionalWhole(autoverifyLabels.maxSpecimenHours, 10_000),
})
export type AutoverifyRuleInput = z.infer<typeof ruleInput>
const ruleUpdate = z.object(updateFields(ruleInput.shape))
export type AutoverifyRuleUpdate = z.infer<typeof ruleUpdate>

const rule = z.object({
  id,
  version: id,
  testCode: z.string(),
  labId: id.nullable(),
  colaId: id.nullable(),
  instrumentId: id.nullable(),
  low: text,
  high: text,
  deltaLimit: text,
  deltaKind: z.enum(['percent', 'absolute']).nullable(),
  deltaDays: id.nullable(),
  maxSpecimenHours: id.nullable(),
  isActive: flag01,
  /** Grows with each change. */
  ruleVersion: id,
})
export type AutoverifyRuleRecord = z.infer<typeof rule>

const day = (label: string) =>
  z
    .string({ error: messages.required(label) })
    .refine((value) => isIsoDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value)), messages.invalid(label))
export const tryInput = z
  .object({ fromDate: day('From'), toDate: day('To') })
  .refine(({ fromDate, toDate }) => fromDate.slice(0, 10) <= toDate.slice(0, 10), {
    path: ['toDate'],
    message: 'To cannot be before From',
  })
export type TryInput = z.infer<typeof tryInput>
export const switchInput = z.object({
  isActive: requiredFlag(autoverifyLabels.isActive),
  reason: required(autoverifyLabels.reason, 1000),
})
export type SwitchInput = z.infer<typeof switchInput>

const tried = z.object({
  considered: id,
  wouldPass: id,
  /** Of those that would have passed. */
  laterCorrected: id,
  laterFailed: id,
  critical: id,
  list: z.array(
    z.object({
      reqId: id,
      reqTestId: id,
      value: z.string(),
      processDate: z.string().nullable(),
      wouldPass: flag01,
      reasons: z.array(z.string()),
      wasCorrected: flag01,
      wasFailed: flag01,
      isCritical: flag01,
    }),
  ),
})
export type TriedRule = z.infer<typeof tried>

const state = z.object({ isStopped: flag01, since: text, byName: text, reason: text })
const stateReason = z.object({ reason: required(autoverifyLabels.reason, 1000) })

export const autoverificationRoutes = {
  rules: get('autoverify_rules', { access: 'review.read', query: asOfQuery, reply: list(rule) }),
  createRule: post('autoverify_rules', {
    access: 'autoverify.manage',
    summary: 'A new rule is off until it is switched on',
    body: ruleInput,
    reply: newId,
  }),
  updateRule: put('autoverify_rules/:id', {
    access: 'autoverify.manage',
    summary: 'A changed rule is a new version, and off',
    params: byId,
    body: ruleUpdate,
    reply: one(rule),
  }),
  removeRule: del('autoverify_rules/:id', { access: 'autoverify.manage', params: byId, reply: done }),
  tryRule: post('autoverify_rules/:id/try', {
    access: 'autoverify.manage',
    summary: 'Runs a rule over past results and changes nothing',
    params: byId,
    body: tryInput,
    reply: one(tried),
  }),
  switchRule: put('autoverify_rules/:id/switch', {
    access: 'autoverify.manage',
    params: byId,
    body: switchInput,
    reply: one(rule),
  }),
  state: get('autoverify', { access: 'review.read', reply: one(state) }),
  stop: put('autoverify/stop', { access: 'autoverify.stop', body: stateReason, reply: one(state) }),
  start: put('autoverify/start', { access: 'autoverify.start', body: stateReason, reply: one(state) }),
}
