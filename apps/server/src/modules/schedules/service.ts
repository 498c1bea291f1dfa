import { superAdmins } from '@lis/contract/access/roles.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { type Schedule, type ScheduleInput, type ScheduleUpdate, scheduleLabels } from '@lis/contract/schedules.ts'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { forbidden, invalid, notFound } from '../../platform/errors.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Services } from '../../platform/services.ts'
import { listSmartFilterReceivers } from '../smart-filters/service.ts'
import { endSchedule, findSchedule, insertSchedule, listPeople, listPeopleByEmail, updateSchedule } from './queries.ts'
import { findRequester, isOwnAddress, mayReceive } from './receivers.ts'
import { findView, mayRoleSee, type Subject, subjectOf } from './subject.ts'

type Call = WriteCall & { services: Services }

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'schedule', entityId: id, ...record })

export const getSchedule = async (db: Db, actor: Actor, id: number): Promise<Schedule> => {
  const found = await findSchedule(db, actor.userId, id)
  if (!found) throw notFound('Schedule')
  return found
}

export const createSchedule = async (call: Call, input: ScheduleInput): Promise<{ id: number }> => {
  const checked = await requireValid(call, input)
  const { id } = await insertSchedule(call.db, call.actor.userId, checked)
  await audit(call, id, { action: 'CREATE', new: checked })
  return { id }
}

export const changeSchedule = async (
  call: Call,
  id: number,
  { version = null, ...sent }: ScheduleUpdate,
): Promise<Schedule> => {
  const { db, actor } = call
  await getSchedule(db, actor, id)
  await lockRow(db, 'schedule', id, 'update')
  const before = await getSchedule(db, actor, id)
  await requireVersion(db, 'schedule', version, before)
  const input = await requireValid(call, mergeUpdate<ScheduleInput>(inputOf(before), sent))
  await updateSchedule(db, id, input)
  await audit(call, id, { action: 'UPDATE', old: inputOf(before), new: input })
  return getSchedule(db, actor, id)
}

export const removeSchedule = async (call: WriteCall, id: number) => {
  const before = await getSchedule(call.db, call.actor, id)
  if (!(await endSchedule(call.db, id))) throw notFound('Schedule')
  await audit(call, id, { action: 'DELETE', old: inputOf(before) })
}

const inputOf = ({
  reportCode,
  smartFilterId,
  every,
  at,
  tz,
  userIds,
  roleCodes,
  emails,
  sendAs,
  onlyWhenNotEmpty,
}: Schedule): ScheduleInput => ({
  reportCode,
  smartFilterId,
  every,
  at,
  tz,
  userIds,
  roleCodes: roleCodes as ScheduleInput['roleCodes'],
  emails,
  sendAs,
  onlyWhenNotEmpty: onlyWhenNotEmpty as 0 | 1,
})

const requireValid = async (call: Call, input: ScheduleInput): Promise<ScheduleInput> => {
  const subject = await requireSubject(call, input)
  if (input.userIds.length + input.roleCodes.length + input.emails.length === 0)
    throw invalid('userIds', 'Name at least one person, role or e-mail address')
  await requirePeople(call, subject, input)
  await requireRoles(call, subject, input)
  await requireEmails(call, subject, input)
  return { ...input, tz: input.tz ?? (await getHomeZone(call.db)) }
}

const requireSubject = async ({ db, actor }: Call, input: ScheduleInput): Promise<Subject> => {
  if ((input.reportCode === null) === (input.smartFilterId === null))
    throw invalid(
      'reportCode',
      `Choose a ${scheduleLabels.reportCode} or a ${scheduleLabels.smartFilterId}, one of them`,
    )
  const subject = subjectOf(input)
  if (!subject) throw invalid('reportCode', 'Report not found')
  if (!mayRoleSee(actor.role, subject)) throw forbidden()
  if ('viewId' in subject && !(await findView(db, actor, subject.viewId)))
    throw invalid('smartFilterId', 'Only views of requisitions that you can see are sent')
  return subject
}

const requirePeople = async ({ db, actor, services }: Call, subject: Subject, { userIds, sendAs }: ScheduleInput) => {
  if (userIds.length === 0) return
  const known = new Set((await listSmartFilterReceivers(db, actor)).map(({ id }) => id)).add(actor.userId)
  const unknown = userIds.find((id) => !known.has(id))
  if (unknown !== undefined) throw invalid('userIds', `You cannot send to user ${unknown}`)
  const people = await listPeople(db, { userIds, roleCodes: [] })
  for (const person of people) {
    const reason = await mayReceive(services, subject, person, sendAs)
    if (typeof reason === 'string') throw invalid('userIds', `${person.name}: ${reason}`)
  }
}

/** Users outside the laboratory write to people of their own practice or company, as they share views. */
const requireRoles = async ({ actor }: Call, subject: Subject, { roleCodes }: ScheduleInput) => {
  if (roleCodes.length > 0 && !(superAdmins as readonly string[]).includes(actor.role))
    throw invalid('roleCodes', 'You can send to people, not to a role')
  const refused = roleCodes.find((role) => !mayRoleSee(role, subject))
  if (refused) throw invalid('roleCodes', `The role ${refused} may not see this report`)
}

/** A file leaves the product, so it only goes to the laboratory; a link also goes to users who may open it. */
const requireEmails = async ({ db, services }: Call, subject: Subject, { emails, sendAs }: ScheduleInput) => {
  const foreign = emails.filter((address) => !isOwnAddress(services.config, address))
  if (foreign.length === 0) return
  if (sendAs !== 'LINK')
    throw invalid('emails', `A file is only sent to addresses of the laboratory: ${foreign.join(', ')} is not one`)
  const people = await listPeopleByEmail(db, foreign)
  for (const address of foreign) {
    const person = people.find(({ email }) => email?.toLowerCase() === address)
    const actor = person && (await findRequester(services, subject, person))
    if (!actor) throw invalid('emails', `A link goes to people who may see the report: ${address} is not one`)
  }
}
