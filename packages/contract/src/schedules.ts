import { z } from 'zod'
import { type Role, registered } from './access/roles.ts'
import { isTimeZone } from './clients.ts'
import { done, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { optionalIds, updateFields } from './partial-input.ts'
import { email, optionalCode, optionalId } from './validation.ts'

export const scheduleLabels = {
  reportCode: 'Report',
  smartFilterId: 'Smart view',
  every: 'Every',
  at: 'At',
  tz: 'Time zone',
  userIds: 'People',
  roleCodes: 'Roles',
  emails: 'E-mail addresses',
  sendAs: 'Send as',
  onlyWhenNotEmpty: 'Only when not empty',
} as const
const label = scheduleLabels

export const scheduleIntervals = { DAY: 'Day', WEEK: 'Week', MONTH: 'Month' } as const
export const scheduleFormats = { LINK: 'Link', CSV: 'CSV', XLSX: 'XLSX', PDF: 'PDF' } as const

const every = z.enum(['DAY', 'WEEK', 'MONTH'], { error: messages.invalid(label.every) })
const sendAs = z.enum(['LINK', 'CSV', 'XLSX', 'PDF'], { error: messages.invalid(label.sendAs) })
const at = z
  .string({ error: messages.required(label.at) })
  .trim()
  .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, `${label.at} must be a time from 00:00 to 23:59`)
const mostAddresses = 50
const emails = z
  .array(email(label.emails), { error: messages.invalid(label.emails) })
  .max(mostAddresses, messages.invalid(label.emails))
  .nullish()
  .transform((all) => [...new Set((all ?? []).map((one) => one.toLowerCase()))])
const roleCodes = z
  .array(z.literal(registered), { error: messages.invalid(label.roleCodes) })
  .nullish()
  .transform((codes): Role[] => [...new Set(codes)])

const fields = {
  /** One of the two. */
  reportCode: optionalCode(label.reportCode),
  smartFilterId: optionalId(label.smartFilterId),
  every,
  at,
  /** That of the laboratory unless given. */
  tz: z
    .string()
    .trim()
    .refine(isTimeZone, messages.invalid(label.tz))
    .nullish()
    .transform((zone) => zone ?? null),
  userIds: optionalIds(label.userIds),
  roleCodes,
  emails,
  sendAs: sendAs.nullish().transform((format) => format ?? ('LINK' as const)),
  onlyWhenNotEmpty: z
    .union([z.boolean(), z.literal([0, 1])], { error: messages.invalid(label.onlyWhenNotEmpty) })
    .nullish()
    .transform((value): 0 | 1 => (value ? 1 : 0)),
}
const scheduleInput = z.object(fields)
export type ScheduleInput = z.infer<typeof scheduleInput>
const scheduleUpdate = z.object({
  ...updateFields(fields) /** As read; without it the last write wins. */,
  version: z.number().int().positive().nullish(),
})
export type ScheduleUpdate = z.infer<typeof scheduleUpdate>

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })
const schedule = z.object({
  id,
  version: id,
  reportCode: text,
  reportDesc: text,
  smartFilterId: id.nullable(),
  smartName: text,
  every,
  at: z.string(),
  tz: z.string(),
  userIds: z.array(id),
  roleCodes: z.array(z.string()),
  emails: z.array(z.string()),
  sendAs,
  onlyWhenNotEmpty: z.literal([0, 1]),
  nextDate: time,
  sentDate: time.nullable(),
})
export type Schedule = z.infer<typeof schedule>

/** `refused`: who got nothing, and why. */
const sent = z.object({ sent: id, empty: id, refused: z.array(z.string()) })
export type SentSchedule = z.infer<typeof sent>

const access = 'schedules.own'
export const scheduleRoutes = {
  list: get('schedules', {
    access,
    summary: "The caller's own schedules",
    query: listQuery({
      sort: ['id', 'nextDate'],
      filter: ['id', 'reportCode', 'smartFilterId'],
      defaultPerPage: 100,
    }),
    reply: page(schedule),
  }),
  create: post('schedules', {
    access,
    summary: 'Sends a report or a saved view of requisitions by mail, again and again',
    body: scheduleInput,
    reply: newId,
  }),
  update: put('schedules/:id', { access, params: byId, body: scheduleUpdate, reply: one(schedule) }),
  remove: del('schedules/:id', { access, params: byId, reply: done }),
  send: post('schedules/:id/send', {
    access,
    summary: 'Sends it now; the next regular time stays',
    params: byId,
    reply: one(sent),
  }),
}
