import { usDate } from '@lis/contract/kit/date-range.ts'
import {
  centrifugedQuestion,
  orderQuestions,
  type RequisitionInput,
  requisitionLabels,
} from '@lis/contract/requisitions/create.ts'
import { dayAt, wallTimeAt } from '@lis/contract/zoned-time.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import type { WriteCallWithQuestions } from '../../platform/http/implement.ts'
import type { Sql } from '../../platform/lists.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

interface NewOrder {
  input: RequisitionInput
  /** The patient, or those it may be; none for a new one. */
  patientIds: readonly number[]
  testIds: readonly number[]
  collectedAt: string
  zone: string
}

/** Asks before an order is saved that looks like a duplicate or a typing error (DAY-12). */
export const askAboutOrder = async (call: WriteCallWithQuestions, order: NewOrder) => {
  await askAboutDuplicate(call, order)
  await askAboutExternalId(call, order.input)
  askAboutAge(call, order.collectedAt, order.zone)
}

const findIds = async (trx: Trx, actor: Actor, condition: Sql): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select r.id from requisition r join requisition_list l on l.requisition_id = r.id
    where r.deleted_at is null and ${visibleRequisitions(actor)} and ${condition} order by r.id limit 50`.execute(trx)
  return rows.map(({ id }) => id)
}

const named = (ids: readonly number[]) => ids.map((id) => `#${id}`).join(', ')

/** The patient is locked by now, so concurrent orders see each other. */
const askAboutDuplicate = async ({ db, actor, questions }: WriteCallWithQuestions, order: NewOrder) => {
  const { input, patientIds, testIds, collectedAt, zone } = order
  if (patientIds.length === 0) return
  const tests = sql`from requisition_test x where x.requisition_id = r.id and x.deleted_at is null and not x.is_retest`
  const reqIds = await findIds(
    db,
    actor,
    sql`r.patient_id = any(${[...patientIds]}::bigint[]) and r.client_id = ${input.clientId}::bigint
      and (r.collected_at at time zone ${zone})::date = ${dayAt(collectedAt, zone)}::date
      and case when ${testIds.length} = 0 then not exists (select ${tests})
        else exists (select ${tests} and x.test_id = any(${[...testIds]}::int[])) end`,
  )
  if (reqIds.length === 0) return
  questions.ask({
    code: orderQuestions.duplicate,
    field: 'dateCollected',
    message: `This patient already has an order of this client with the same day of collection: ${named(reqIds)}.`,
    reqIds,
  })
}

/** `ownId` is the order itself, if it exists already. */
export const askAboutExternalId = async (
  { db, actor, questions }: WriteCallWithQuestions,
  { clientId, extOrderId }: Pick<RequisitionInput, 'clientId' | 'extOrderId'>,
  ownId: number | null = null,
) => {
  if (extOrderId === null) return
  await sql`select pg_advisory_xact_lock(hashtext('external-order:' || ${clientId}::text || ':' || lower(${extOrderId}::text)))`.execute(
    db,
  )
  const reqIds = await findIds(
    db,
    actor,
    sql`r.client_id = ${clientId}::bigint and lower(r.ext_order_id) = lower(${extOrderId})
      and r.id is distinct from ${ownId}::bigint`,
  )
  if (reqIds.length === 0) return
  questions.ask({
    code: orderQuestions.sameExternalId,
    field: 'extOrderId',
    message: `${requisitionLabels.extOrderId} ${extOrderId} was used by this client before: ${named(reqIds)}.`,
    reqIds,
  })
}

const oldDays = 90
const dayMs = 86_400_000

const agoOf = (days: number) => {
  const years = Math.round(days / 365.25)
  return days <= 365 ? `${days} days ago` : `about ${years} ${years === 1 ? 'year' : 'years'} ago`
}

/** For a sample collected long ago: a year is easily mistyped. */
export const askAboutAge = (
  { questions }: Pick<WriteCallWithQuestions, 'questions'>,
  collectedAt: string,
  zone: string,
) => {
  const ageMs = Date.now() - Date.parse(collectedAt)
  if (ageMs <= oldDays * dayMs) return
  questions.ask({
    code: orderQuestions.oldCollection,
    field: 'dateCollected',
    message: `The sample was collected ${agoOf(Math.floor(ageMs / dayMs))}, on ${usDate(dayAt(collectedAt, zone))}.`,
  })
}

/** Both in the time zone of the collection. */
export const askAboutCentrifuged = (
  { questions }: Pick<WriteCallWithQuestions, 'questions'>,
  timeCentrifuged: string | null,
  { collectedAt, zone }: { collectedAt: string; zone: string },
) => {
  const { hours, minutes } = wallTimeAt(collectedAt, zone)
  const collected = `${twoDigits(hours)}:${twoDigits(minutes)}`
  if (timeCentrifuged === null || timeCentrifuged >= collected) return
  questions.ask({
    code: centrifugedQuestion,
    field: 'timeCentrifuged',
    message: `The sample was centrifuged at ${timeCentrifuged}, but collected at ${collected}.`,
  })
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
