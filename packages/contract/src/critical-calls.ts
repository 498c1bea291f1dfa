import { z } from 'zod'
import { decimalInput } from './decimal-input.ts'
import { asOfQuery } from './kit/as-of.ts'
import { done, list, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { flag01, optionalId, optionalText, required, requiredCode } from './validation.ts'

/** The topic of events about calls. */
export const criticalTopic = 'critical-calls'

export const criticalLabels = {
  testCode: 'Test Code',
  sexCode: 'Sex',
  ageFrom: 'Age From',
  ageTo: 'Age To',
  colaId: 'Collaborator',
  lo: 'Low',
  hi: 'High',
  callMinutes: 'Minutes',
  outcome: 'Outcome',
  calledTo: 'Taken by',
  role: 'Role',
  phone: 'Number called',
  calledAt: 'Time of the call',
  readBack: 'Read Back',
  note: 'Note',
  reason: 'Reason',
} as const

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })
const blankToNull = (value: unknown) => (value === '' || value === undefined ? null : value)
const optionalDecimal = (label: string) => z.preprocess(blankToNull, decimalInput(label).nullable())
const whole = (label: string, min: number, max: number) =>
  z.coerce
    .number<string | number>({ error: messages.invalid(label) })
    .int(messages.invalid(label))
    .min(min, `${label} must be from ${min} to ${max}`)
    .max(max, `${label} must be from ${min} to ${max}`)

const defaultCallMinutes = 30

const limitInput = z.object({
  testCode: requiredCode(criticalLabels.testCode),
  sexCode: z.preprocess(
    blankToNull,
    z.enum(['MALE', 'FEMALE'], { error: messages.invalid(criticalLabels.sexCode) }).nullable(),
  ),
  /** Completed years at the collection, both inclusive. */
  ageFrom: z.preprocess(blankToNull, whole(criticalLabels.ageFrom, 0, 150).nullable()),
  ageTo: z.preprocess(blankToNull, whole(criticalLabels.ageTo, 0, 150).nullable()),
  colaId: optionalId(criticalLabels.colaId),
  /** Critical is below `lo` or above `hi`; exactly at the limit is not. */
  lo: optionalDecimal(criticalLabels.lo),
  hi: optionalDecimal(criticalLabels.hi),
  callMinutes: z.preprocess(
    (value) => blankToNull(value) ?? defaultCallMinutes,
    whole(criticalLabels.callMinutes, 1, 10_080),
  ),
})
export type CriticalLimitInput = z.infer<typeof limitInput>
const limitUpdate = z.object(updateFields(limitInput.shape))
export type CriticalLimitUpdate = z.infer<typeof limitUpdate>

const limit = z.object({
  id,
  version: id,
  testCode: z.string(),
  sexCode: z.enum(['MALE', 'FEMALE']).nullable(),
  ageFrom: id.nullable(),
  ageTo: id.nullable(),
  colaId: id.nullable(),
  lo: text,
  hi: text,
  callMinutes: id,
})
export type CriticalLimit = z.infer<typeof limit>

const callStates = ['OPEN', 'TAKEN', 'CLOSED', 'SUPERSEDED'] as const
const attemptOutcomes = ['REACHED', 'NOANSWER', 'MESSAGE'] as const

const attempt = z.object({
  id,
  outcome: z.enum(attemptOutcomes),
  calledTo: text,
  role: text,
  phone: text,
  calledAt: time,
  readBack: text,
  readBackOk: flag01.nullable(),
  note: text,
  calledBy: z.string(),
})
const call = z.object({
  id,
  version: id,
  reqId: id,
  reqTestId: id,
  patientId: id,
  patientName: z.string(),
  patientDob: z.string(),
  clientName: z.string(),
  testCode: z.string(),
  testDesc: z.string(),
  value: z.string(),
  units: text,
  /** The value that this one corrects. */
  replacesValue: text,
  isCritical: flag01,
  lo: text,
  hi: text,
  raisedAt: time,
  dueAt: time,
  state: z.enum(callStates),
  isLate: flag01,
  /** 1 the department, 2 management. */
  escalation: id,
  takenById: id.nullable(),
  takenByName: text,
  /** The patient's latest earlier results of the test in the same unit, the latest first. */
  trend: z.array(z.object({ value: z.string(), at: time })),
  /** Whom to call, in this order. */
  contacts: z.array(z.object({ name: z.string(), role: z.string(), phone: z.string() })),
  attempts: z.array(attempt),
  closedAt: time.nullable(),
  closedByName: text,
  closeReason: text,
})
export type CriticalCall = z.infer<typeof call>

const attemptInput = z
  .object({
    outcome: z.enum(attemptOutcomes, { error: messages.required(criticalLabels.outcome) }),
    calledTo: optionalText(criticalLabels.calledTo, 200),
    role: optionalText(criticalLabels.role, 100),
    phone: optionalText(criticalLabels.phone, 40),
    calledAt: z.preprocess(
      blankToNull,
      z.iso.datetime({ offset: true, error: messages.invalid(criticalLabels.calledAt) }).nullable(),
    ),
    /** The value as it was read back, typed again. */
    readBack: z.preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      optionalText(criticalLabels.readBack, 100),
    ),
    note: optionalText(criticalLabels.note, 1000),
  })
  .superRefine(({ outcome, calledTo, readBack }, context) => {
    if (outcome !== 'REACHED') return
    const addMissing = (path: 'calledTo' | 'readBack') =>
      context.addIssue({ code: 'custom', path: [path], message: messages.required(criticalLabels[path]) })
    if (calledTo === null) addMissing('calledTo')
    if (readBack === null) addMissing('readBack')
  })
export type CriticalAttemptInput = z.infer<typeof attemptInput>

export const criticalCallRoutes = {
  limits: get('critical_limits', { access: 'critical.call', query: asOfQuery, reply: list(limit) }),
  createLimit: post('critical_limits', { access: 'critical.call', body: limitInput, reply: newId }),
  updateLimit: put('critical_limits/:id', {
    access: 'critical.call',
    params: byId,
    body: limitUpdate,
    reply: one(limit),
  }),
  removeLimit: del('critical_limits/:id', { access: 'critical.call', params: byId, reply: done }),
  list: get('critical_calls', {
    access: 'critical.call',
    summary: 'Open calls first, by the time that is left',
    query: listQuery({
      sort: ['id', 'raisedAt', 'dueAt', 'closedAt', 'testCode', 'patientName'],
      filter: ['id', 'state', 'reqId', 'patientId', 'testCode', 'closedAt'],
      defaultPerPage: 100,
    }),
    reply: page(call),
  }),
  one: get('critical_calls/:id', { access: 'critical.call', params: byId, reply: one(call) }),
  take: post('critical_calls/:id/take', {
    access: 'critical.call',
    summary: 'Takes a call; one that another person has only with a reason',
    params: byId,
    body: z.preprocess((value) => value ?? {}, z.object({ reason: optionalText(criticalLabels.reason, 1000) })),
    reply: one(call),
  }),
  attempt: post('critical_calls/:id/attempts', {
    access: 'critical.call',
    summary: 'REACHED with the same value read back closes the call; everything else leaves it open',
    params: byId,
    body: attemptInput,
    reply: one(call.extend({ readBackOk: flag01.nullable() })),
  }),
  close: post('critical_calls/:id/close', {
    access: 'critical.call',
    summary: 'Closes a call without a read-back, with a reason',
    params: byId,
    body: z.object({ reason: required(criticalLabels.reason, 1000) }),
    reply: one(call),
  }),
}
