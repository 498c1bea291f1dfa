import { z } from 'zod'
import { switchInput, tryInput } from './autoverification.ts'
import { asOfQuery } from './kit/as-of.ts'
import { done, list, newId, one } from './kit/envelope.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { optionalIds, updateFields } from './partial-input.ts'
import { parseDecimal } from './results/decimal.ts'
import { flag01, required, requiredCode } from './validation.ts'

export const reflexLabels = {
  testCode: 'Test Code',
  op: 'Condition',
  value: 'Value',
  addTestCodes: 'Tests',
  addPanelCodes: 'Panels',
  maxSpecimenHours: 'Specimen Hours',
  ruleIds: 'Reflex Rules',
} as const

const reflexOps = ['>', '>=', '<', '<=', '=', 'interpretation', 'text'] as const
export type ReflexOp = (typeof reflexOps)[number]

const id = z.number().int()
const blankToNull = (value: unknown) => (value === '' || value === undefined ? null : value)
const codes = (label: string) =>
  z
    .array(requiredCode(label), { error: messages.invalid(label) })
    .max(200, messages.invalid(label))
    .nullish()
    .transform((values) => [...new Set(values ?? [])])

const ruleFields = z.object({
  testCode: requiredCode(reflexLabels.testCode),
  op: z.enum(reflexOps, { error: messages.required(reflexLabels.op) }),
  value: z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    required(reflexLabels.value, 200),
  ),
  addTestCodes: codes(reflexLabels.addTestCodes),
  addPanelCodes: codes(reflexLabels.addPanelCodes),
  maxSpecimenHours: z.preprocess(
    blankToNull,
    z.coerce
      .number<string | number>({ error: messages.invalid(reflexLabels.maxSpecimenHours) })
      .int(messages.invalid(reflexLabels.maxSpecimenHours))
      .min(1, messages.invalid(reflexLabels.maxSpecimenHours))
      .max(10_000, messages.invalid(reflexLabels.maxSpecimenHours))
      .nullable(),
  ),
})
export type ReflexRuleInput = z.infer<typeof ruleFields>
const ruleUpdate = z.object(updateFields(ruleFields.shape))
export type ReflexRuleUpdate = z.infer<typeof ruleUpdate>

/** A comparison needs a number. */
export const isComparable = ({ op, value }: Pick<ReflexRuleInput, 'op' | 'value'>): boolean =>
  op === 'interpretation' || op === 'text' || parseDecimal(value) !== undefined

const rule = z.object({
  id,
  version: id,
  testCode: z.string(),
  op: z.enum(reflexOps),
  value: z.string(),
  addTestCodes: z.array(z.string()),
  addPanelCodes: z.array(z.string()),
  maxSpecimenHours: id.nullable(),
  isActive: flag01,
  ruleVersion: id,
})
export type ReflexRule = z.infer<typeof rule>

const tried = z.object({
  considered: id,
  /** Results that meet the condition. */
  wouldPass: id,
  /** Of those that meet it. */
  laterCorrected: id,
  laterFailed: id,
  critical: id,
  list: z.array(
    z.object({
      reqId: id,
      reqTestId: id,
      value: z.string(),
      wouldPass: flag01,
      wasCorrected: flag01,
      wasFailed: flag01,
      isCritical: flag01,
    }),
  ),
})
export type TriedReflexRule = z.infer<typeof tried>

const agreed = one(z.object({ ruleIds: z.array(id) }))

export const reflexRoutes = {
  rules: get('reflex_rules', { access: 'review.read', query: asOfQuery, reply: list(rule) }),
  createRule: post('reflex_rules', { access: 'autoverify.manage', body: ruleFields, reply: newId }),
  updateRule: put('reflex_rules/:id', {
    access: 'autoverify.manage',
    summary: 'A changed rule is a new version, and off',
    params: byId,
    body: ruleUpdate,
    reply: one(rule),
  }),
  removeRule: del('reflex_rules/:id', { access: 'autoverify.manage', params: byId, reply: done }),
  tryRule: post('reflex_rules/:id/try', {
    access: 'autoverify.manage',
    summary: 'Which past results meet the condition; changes nothing',
    params: byId,
    body: tryInput,
    reply: one(tried),
  }),
  switchRule: put('reflex_rules/:id/switch', {
    access: 'autoverify.manage',
    params: byId,
    body: switchInput,
    reply: one(rule),
  }),
  agreed: get('clients/:id/reflex_rules', { access: 'review.read', params: byId, reply: agreed }),
  saveAgreed: put('clients/:id/reflex_rules', {
    access: 'clients.write',
    summary: 'The rules that the client agrees to',
    params: byId,
    body: z.object(updateFields({ ruleIds: optionalIds(reflexLabels.ruleIds) })),
    reply: agreed,
  }),
}
