import type { DeliveryState } from '@lis/contract/deliveries.ts'
import { sql } from 'kysely'
import { invalid } from '../../platform/errors.ts'
import { contains, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isToCurrentRecipient } from '../life-cycle/current-deliveries.ts'
import { hasFailed, isUnresolvedFailure } from './failures.ts'

const state = sql<DeliveryState>`case when d.state = 'FAILED' then case when m.is_refused then 'REFUSED' else 'FAILED' end when d.state = 'PENDING' then case when d.failure is null then 'QUEUED' else 'RETRYING' end
  when d.opened_at is not null then 'OPENED' when d.confirmed_at is not null then 'CONFIRMED' else 'SENT' end`
const patient = sql`(p.last_name || ', ' || p.first_name)`
const userName = (id: Sql) => sql`(select first_name || ' ' || last_name from app_user where id = ${id})`
/** While a message is being sent, `next_attempt_at` is the end of the sender's lease. */
const nextAttempt = sql`case when m.state = 'FAILED' then m.next_attempt_at end`

const ledger: Omit<ListDefinition, 'where' | 'filter'> = {
  from: sql`report_delivery d join report_version v on v.report_id = d.report_id and v.version_no = d.report_version_no join stored_file f on f.id = v.file_id
    join requisition r on r.id = d.requisition_id join requisition_patient p on p.requisition_id = r.id join client c on c.id = r.client_id
    left join outbox_message m on m.id = d.message_id`,
  fields: {
    id: sql`d.id`,
    reqId: sql`d.requisition_id`,
    reportId: sql`d.report_id`,
    reportOriginalFileName: sql`f.original_name`,
    versionNo: sql`d.report_version_no`,
    currentVersionNo: sql`(select current_version_no from report where id = d.report_id)`,
    transmitMethodCode: sql`d.transmit_method_code`,
    transmitMethodDesc: sql`coalesce((select description from lov where type_code = 'TRANSMITMETHOD' and code = d.transmit_method_code), d.transmit_method_code)`,
    recipientName: sql`d.recipient_name`,
    recipient: sql`d.recipient`,
    deliveryState: state,
    isCorrection: sql`case when d.is_correction then 1 else 0 end`,
    isReceiver: sql`case when ${isToCurrentRecipient} then 1 else 0 end`,
    requestedDate: sql`d.requested_at`,
    requestedByName: userName(sql`d.requested_by`),
    sentDate: sql`coalesce(d.sent_at, d.delivered_at)`,
    confirmedDate: sql`d.confirmed_at`,
    openedDate: sql`d.opened_at`,
    nextAttemptDate: nextAttempt,
    attempts: sql`coalesce(m.attempts, 0)`,
    answer: sql`coalesce(d.failure, d.answer)`,
    sha256: sql`encode(d.sha256, 'hex')`,
    patientName: patient,
    clientName: sql`c.name`,
  },
  sort: { clientName: sql`lower(c.name)`, patientName: sql`lower(${patient})` },
  defaultOrder: sql`d.id desc`,
  key: sql`d.id`,
}

/** Every delivery of one requisition, the newest first. */
export const requisitionDeliveryList = (requisitionId: number): ListDefinition => ({
  ...ledger,
  where: [sql`d.requisition_id = ${requisitionId}::bigint`],
  filter: { id: isOneOfIds(sql`d.id`, 'id') },
})

/** The notifications of the patient that results are ready, the newest first. */
export const requisitionNotificationList = (requisitionId: number): ListDefinition => ({
  from: sql`patient_notification n join outbox_message m on m.id = n.message_id join requisition r on r.id = n.requisition_id join requisition_patient p on p.requisition_id = r.id`,
  where: [sql`n.requisition_id = ${requisitionId}::bigint`],
  fields: {
    id: sql`n.id`,
    transmitMethodDesc: sql`case m.channel when 'EMAIL' then 'E-mail' else m.channel end`,
    recipientName: patient,
    recipient: sql`m.recipient`,
    deliveryState: sql<DeliveryState>`case when m.state = 'SENT' then 'SENT' when m.is_refused then 'REFUSED' when m.state = 'DEAD' then 'FAILED' when ${hasFailed} then 'RETRYING' else 'QUEUED' end`,
    requestedDate: sql`n.requested_at`,
    requestedByName: userName(sql`n.requested_by`),
    sentDate: sql`m.sent_at`,
    nextAttemptDate: nextAttempt,
    attempts: sql`m.attempts`,
    answer: sql`(select a.detail from outbox_attempt a where a.message_id = m.id order by a.id desc limit 1)`,
  },
  filter: { id: isOneOfIds(sql`n.id`, 'id') },
  defaultOrder: sql`n.id desc`,
  key: sql`n.id`,
})

/** Failed deliveries, final or not, and those not delivered after a number of hours; the oldest first. */
export const lateDeliveryList = (hours: number): ListDefinition => ({
  ...ledger,
  where: [
    sql`r.deleted_at is null`,
    // The condition of the index.
    sql`(d.state <> 'DELIVERED' and (d.state = 'PENDING' or not d.is_superseded))`,
    sql`(${isUnresolvedFailure} or (d.state = 'PENDING' and d.requested_at < now() - make_interval(hours => ${hours})))`,
  ],
  filter: {
    hours: () => sql`true`,
    transmitMethodCode: isOneOf(sql`d.transmit_method_code`),
    clientName: contains(sql`c.name`),
    search: contains(sql`(d.requisition_id || ' ' || ${patient} || ' ' || c.name || ' ' || d.recipient)`),
  },
  defaultOrder: sql`d.requested_at`,
})

/** The hours of the filter; the configured ones where it is absent. */
export const parseHours = (value: unknown, setting: number): number => {
  if (value === undefined) return setting
  const hours = Number(value)
  if (!Number.isInteger(hours) || hours < 0 || hours > 8760) throw invalid('hours', 'hours must be from 0 to 8760')
  return hours
}
