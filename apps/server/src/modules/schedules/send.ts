import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Schedule, SentSchedule } from '@lis/contract/schedules.ts'
import { type AuditActor, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError } from '../../platform/errors.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import type { Services } from '../../platform/services.ts'
import { storeFile } from '../../platform/storage/stored-files.ts'
import { reportContent, reportContentTypes, reportText } from '../report-pages/file.ts'
import { type Figures, readFigures } from './figures.ts'
import { findPeriod, listPeople, listPeopleByEmail } from './queries.ts'
import { findRequester, isOwnAddress, mayReceive, notAllowed } from './receivers.ts'
import { type Subject, subjectOf } from './subject.ts'
import { tableAsPdf } from './table-pdf.ts'

/** A receiver with the figures that they may see. */
interface Mail {
  to: string
  figures: Figures
  /** The user with whose rights the figures were read. */
  reader: Actor
}

/** Everything read before the transaction of sending. */
export interface ReadSending {
  title: string
  link: string
  mails: Mail[]
  empty: number
  refused: string[]
}

/** Null if the owner may not see it any more: then nothing is sent. */
export const readSending = async (
  services: Services,
  ownerId: number,
  schedule: Schedule,
): Promise<ReadSending | null> => {
  const subject = subjectOf(schedule)
  const owner = subject && (await findRequester(services, subject, { id: ownerId }))
  if (!subject || !owner) return null
  const db = services.databases(systemScope)
  const period = await findPeriod(db, schedule.every, schedule.tz)
  const { readers, refused } = await listReaders(services, db, subject, schedule, owner)
  const known = new Map<string, Promise<Figures>>()
  const figuresOf = (reader: Actor) => {
    const key = JSON.stringify([reader.role, reader.entityId, reader.scope])
    const read = known.get(key) ?? readFigures(services, reader, { subject, period, sendAs: schedule.sendAs })
    known.set(key, read)
    return read
  }
  const mails: Mail[] = []
  let empty = 0
  for (const [to, reader] of readers) {
    const figures = await figuresOf(reader).catch((error) => {
      if (error instanceof AppError && ['invalid', 'forbidden'].includes(error.code)) return error.message
      throw error
    })
    if (typeof figures === 'string') refused.push(`${to}: ${figures}`)
    else if (figures.isEmpty && schedule.onlyWhenNotEmpty === 1) empty++
    else mails.push({ to, figures, reader })
  }
  return { ...headOf(services, subject, schedule, period), mails, empty, refused }
}

/** Each address once. An address of the laboratory that never had an account gets the figures of the owner. */
const listReaders = async (services: Services, db: Db, subject: Subject, schedule: Schedule, owner: Actor) => {
  const { userIds, roleCodes, emails, sendAs } = schedule
  const readers = new Map<string, Actor>()
  const refused: string[] = []
  const add = (address: string, reader: Actor | string, name: string) => {
    if (typeof reader === 'string') refused.push(`${name} ${reader}`)
    else readers.set(address.toLowerCase(), reader)
  }
  for (const person of await listPeople(db, { userIds, roleCodes }))
    add(person.email ?? '', await mayReceive(services, subject, person, sendAs), person.name)
  const accounts = await listPeopleByEmail(db, emails)
  const readerOf = (address: string) => {
    const account = accounts.find(({ email }) => email?.toLowerCase() === address)
    if (account) return mayReceive(services, subject, account, sendAs)
    return isOwnAddress(services.config, address) ? owner : notAllowed
  }
  for (const address of emails) if (!readers.has(address)) add(address, await readerOf(address), address)
  return { readers, refused }
}

/** A view is identified by its number: its name is free text and might contain a patient name. */
const headOf = (
  { config }: Services,
  subject: Subject,
  schedule: Schedule,
  { from, to }: { from: string; to: string },
) => {
  if ('viewId' in subject)
    return {
      title: `Smart view ${subject.viewId}`,
      link: `${config.publicUrl}/requisitions?view=${subject.viewId}`,
    }
  const tab = subject.kind === 'QA' ? 'qaReports' : 'summaryReports'
  const { code } = subject.definition
  return {
    title: `${schedule.reportDesc ?? code}, ${from} to ${to}`,
    link: `${config.publicUrl}/insights/${tab}/${code}?from=${from}&to=${to}`,
  }
}

interface SendCall {
  trx: Trx
  services: Services
  by: AuditActor
  requestId: string | null
}

/** The mails with their files, the audit, and a mail to the owner about receivers who got nothing; all in one transaction. */
export const storeSending = async (
  call: SendCall,
  ownerId: number,
  schedule: Schedule,
  { title, link, mails, empty, refused }: ReadSending,
): Promise<SentSchedule> => {
  const { trx, services, by, requestId } = call
  const files = new Map<Figures, number>()
  for (const { to, figures, reader } of mails) {
    const attachmentIds =
      schedule.sendAs === 'LINK'
        ? []
        : [files.get(figures) ?? (await storeAsFile(call, title, schedule.sendAs, figures))]
    if (attachmentIds[0] !== undefined) {
      files.set(figures, attachmentIds[0])
      noteDisclosed(services, reader, figures)
    }
    await queueMessage(trx, {
      channel: 'EMAIL',
      to,
      subject: title,
      body: `${title}: ${figures.summary}.\n\n${link}`,
      attachmentIds,
    })
  }
  await recordAudit(trx, by, requestId, {
    entity: 'schedule',
    entityId: schedule.id,
    action: 'SEND',
    new: {
      Subject: title,
      'Send as': schedule.sendAs,
      Receivers: mails.map(({ to }) => to).join(', '),
      ...(empty > 0 && { 'Not sent, empty': empty }),
      ...(refused.length > 0 && { 'Not sent': refused.join('; ') }),
    },
  })
  if (refused.length > 0)
    await mailOwner(
      trx,
      ownerId,
      `'${title}' was not sent to everyone`,
      `Not sent to:\n${refused.map((line) => `- ${line}`).join('\n')}\n\nChange the schedule under Insights, Schedules: ${services.config.publicUrl}/insights`,
    )
  return { sent: mails.length, empty, refused }
}

export const mailOwner = async (trx: Trx, ownerId: number, subject: string, body: string) => {
  const [owner] = await listPeople(trx, { userIds: [ownerId], roleCodes: [] })
  if (owner?.email && owner.isActive) await queueMessage(trx, { channel: 'EMAIL', to: owner.email, subject, body })
}

/** Files that are sent are in the access log, under the user with whose rights they were read. */
const noteDisclosed = ({ accessLog }: Services, actor: Actor, { reqIds }: Figures) => {
  if (reqIds.length > 0)
    accessLog.record({ actor, requestId: randomUUID(), method: 'JOB', route: 'schedules/:id/send' }, { reqIds })
}

const storeAsFile = async (
  { trx, services }: SendCall,
  title: string,
  format: Exclude<Schedule['sendAs'], 'LINK'>,
  { columns, rows }: Figures,
): Promise<number> => {
  const body =
    format === 'PDF'
      ? await tableAsPdf({
          title,
          headers: columns.map(({ header }) => header),
          rows: rows.map((row) => columns.map((column) => reportText(column, row))),
        })
      : await buffer(reportContent(format, { name: title, columns, rows }))
  const extension = format.toLowerCase()
  const { id } = await storeFile(trx, services.store, {
    key: `schedules/${randomUUID()}.${extension}`,
    body,
    originalName: `${title}.${extension}`,
    contentType: format === 'PDF' ? 'application/pdf' : reportContentTypes[format],
    createdBy: null,
  })
  return id
}

export const requireSending = (read: ReadSending | null): ReadSending => {
  if (!read) throw new AppError('forbidden', 'You can no longer see what this schedule sends')
  return read
}
