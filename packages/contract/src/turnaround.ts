import { z } from 'zod'
import { parseDate } from './kit/date-range.ts'
import { done, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { flag01, isoDate, optionalId } from './validation.ts'

export const targetLabels = {
  labId: 'Laboratory',
  testId: 'Test',
  panelId: 'Panel',
  priority: 'Priority',
  targetHours: 'Target in hours',
  isWorkingTime: 'Working time only',
} as const

export const priorities = { ROUTINE: 'Routine', STAT: 'STAT' } as const
type Priority = keyof typeof priorities
const priority = z.enum(Object.keys(priorities) as [Priority, ...Priority[]], {
  error: messages.invalid(targetLabels.priority),
})

const maxHours = 9999
const hoursRule = `${targetLabels.targetHours} must be a number above 0 and at most ${maxHours}`
const targetHours = z
  .union([z.number(), z.string().trim().min(1, hoursRule)], { error: messages.required(targetLabels.targetHours) })
  .transform(Number)
  .pipe(z.number({ error: hoursRule }).min(0.01, hoursRule).max(maxHours, hoursRule))

const targetFields = {
  /** Without one: every laboratory. */
  labId: optionalId(targetLabels.labId),
  /** Without test and panel: everything that has no target of its own. */
  testId: optionalId(targetLabels.testId),
  panelId: optionalId(targetLabels.panelId),
  priority: priority.nullish().transform((value) => value ?? ('ROUTINE' as const)),
  targetHours,
  isWorkingTime: flag01.nullish().transform((value) => value ?? 0),
}
export const targetInput = z.object(targetFields)
export type TargetInput = z.infer<typeof targetInput>
const targetUpdate = z.object({ ...updateFields(targetFields), version: z.number().int().optional() })
export type TargetUpdate = z.infer<typeof targetUpdate>

const id = z.number().int()
const text = z.string().nullable()
const target = z.object({
  id,
  version: id,
  labId: id.nullable(),
  labName: text,
  testId: id.nullable(),
  testCode: text,
  panelId: id.nullable(),
  panelCode: text,
  priority,
  targetHours: z.number(),
  isWorkingTime: flag01,
})
export type Target = z.infer<typeof target>

export const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

export const calendarLabels = {
  workDays: 'Working days',
  opens: 'Opens',
  closes: 'Closes',
  holidays: 'Holidays',
} as const

const timeOfDay = (label: string) =>
  z
    .string({ error: messages.required(label) })
    .trim()
    .regex(/^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/, `${label} must be a time from 00:00 to 24:00`)

const daysRule = `${calendarLabels.workDays} must be numbers from 1 (Monday) to 7 (Sunday), at least one`
const workDay = z
  .union([z.number(), z.string().regex(/^[1-7]$/, daysRule)], { error: daysRule })
  .transform(Number)
  .pipe(z.number().int(daysRule).min(1, daysRule).max(7, daysRule))
const inOrder = <T>(values: T[]) => [...new Set(values)].sort()

const calendarFields = {
  workDays: z.array(workDay, { error: daysRule }).min(1, daysRule).transform(inOrder),
  opens: timeOfDay(calendarLabels.opens),
  closes: timeOfDay(calendarLabels.closes),
  holidays: z
    .array(isoDate(calendarLabels.holidays), { error: messages.invalid(calendarLabels.holidays) })
    .max(500, `${calendarLabels.holidays} must be at most 500 days`)
    .transform(inOrder),
}
/** The form has a holiday per line, as MM/DD/YYYY. */
export const calendarForm = z.object({
  ...calendarFields,
  holidays: z.string().transform((lines, context) => {
    const days = lines.split(/[\s,;]+/).filter(Boolean)
    const wrong = days.find((day) => parseDate(day) === undefined)
    if (wrong === undefined) return days.map((day) => parseDate(day) as string)
    context.addIssue({ code: 'custom', message: `${calendarLabels.holidays}: "${wrong}" is not a date as MM/DD/YYYY` })
    return z.NEVER
  }),
})
export type CalendarInput = { workDays: number[]; opens: string; closes: string; holidays: string[] }
const calendarUpdate = z.object({ ...updateFields(calendarFields), version: z.number().int().optional() })
export type CalendarUpdate = z.infer<typeof calendarUpdate>

const calendar = z.object({
  /** Of the laboratory. */
  id,
  workDays: z.array(id),
  opens: z.string(),
  closes: z.string(),
  holidays: z.array(z.iso.date()),
  version: id,
})
export type Calendar = z.infer<typeof calendar>

export const turnaroundRoutes = {
  list: get('tat_targets', {
    access: 'turnaround.read',
    query: listQuery({
      sort: ['id', ...Object.keys(targetLabels)],
      filter: ['id', 'labId', 'testId', 'panelId', 'priority', 'isWorkingTime'],
      defaultPerPage: 100,
    }),
    reply: page(target),
  }),
  one: get('tat_targets/:id', { access: 'turnaround.read', params: byId, reply: one(target) }),
  create: post('tat_targets', { access: 'turnaround.write', body: targetInput, reply: newId }),
  update: put('tat_targets/:id', {
    access: 'turnaround.write',
    params: byId,
    body: targetUpdate,
    reply: one(target),
  }),
  remove: del('tat_targets/:id', { access: 'turnaround.write', params: byId, reply: done }),
  calendar: get('labs/:id/calendar', {
    access: 'turnaround.read',
    summary: 'The working days and hours of a laboratory; Monday to Friday, 8 to 17, where none were entered',
    params: byId,
    reply: one(calendar),
  }),
  updateCalendar: put('labs/:id/calendar', {
    access: 'turnaround.write',
    params: byId,
    body: calendarUpdate,
    reply: one(calendar),
  }),
}
