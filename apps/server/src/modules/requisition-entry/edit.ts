import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import type { RequisitionUpdate } from '@lis/contract/requisitions/edit.ts'
import {
  conditionsBetween,
  displayStatus,
  isEditable,
  isReleaseBySelect,
  neverSkipped,
  refusals,
  type StatusCode,
  statusOf,
} from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { announce } from '../../platform/domain-events.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall, WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { updateClientZoneIssues } from '../issues/service.ts'
import { askHowDelivered, findNeverSent } from '../life-cycle/never-sent.ts'
import { findCandidates, setStatus } from '../life-cycle/service.ts'
import { differences } from '../patients/service.ts'
import { findRequisition } from '../requisition-detail/queries.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { type CheckedOrder, type Order, requireCollected, requireOrder } from './order-checks.ts'
import { askAboutAge, askAboutCentrifuged, askAboutExternalId } from './order-questions.ts'
import { propagateOrder } from './propagate-changes.ts'

/** Requisitions can be edited until they are resulted. */
export const requireEditable = (id: number, status: StatusCode) => {
  if (!isEditable(status)) throw conflict(`Requisition #${id} is ${displayStatus(status)} and can no longer be edited`)
}

/** Changes what is given: the fields of the card, the status alone, or the ICD note alone. */
export const updateRequisition = async (
  call: WriteCallWithQuestions,
  id: number,
  { reqStatusCode, legacyIcdNote, ...fields }: RequisitionUpdate,
  expected: number | null,
): Promise<{ id: number; version: number }> => {
  const { db, actor } = call
  const { status_code: status } = await lockRequisition(db, actor, id)
  const before = await getDetail(call, id)
  await requireVersion(db, 'requisition', expected, before)
  const isCard = Object.values(fields).some((value) => value !== undefined)
  if (isCard) requireEditable(id, status)
  const columns = {
    ...(isCard ? await cardColumns(call, fields, before) : {}),
    ...(legacyIcdNote !== undefined && { legacy_icd_note: legacyIcdNote }),
  }
  if (isCard) await askAboutCard(call, before, columns)
  if (Object.keys(columns).length > 0) await saveColumns(call, before, columns)
  if (fields.clientId !== undefined && fields.clientId !== before.clientId)
    await updateClientZoneIssues(db, fields.clientId, id)
  if (reqStatusCode !== undefined && reqStatusCode !== status) {
    await moveBySelect(call, id, { from: status, to: reqStatusCode })
  }
  const { version } = await getDetail(call, id)
  return { id, version }
}

interface CardColumns {
  collected_at?: string
  collected_zone?: string
  centrifuged_time?: string | null
  client_id?: number
  ext_order_id?: string | null
}

/** Asks only about what the edit has changed. */
const askAboutCard = async (call: WriteCallWithQuestions, before: RequisitionDetail, saved: CardColumns) => {
  const { client_id: clientId = before.clientId, ext_order_id: extOrderId = before.extOrderId } = saved
  if (clientId !== before.clientId || extOrderId !== before.extOrderId)
    await askAboutExternalId(call, { clientId, extOrderId }, before.id)
  const { collected_at: collectedAt = before.dateCollected, collected_zone: zone = before.collectedTz } = saved
  const { centrifuged_time: centrifuged = before.timeCentrifuged } = saved
  const isMoved = Date.parse(collectedAt) !== Date.parse(before.dateCollected)
  if (isMoved) askAboutAge(call, collectedAt, zone)
  if (isMoved || centrifuged !== before.timeCentrifuged) askAboutCentrifuged(call, centrifuged, { collectedAt, zone })
  call.questions.requireAnswers()
}

const moveBySelect = async (call: WriteCallWithQuestions, id: number, move: { from: StatusCode; to: StatusCode }) => {
  const { db, actor, requestId } = call
  if (isReleaseBySelect(move.from, move.to)) await requireReleasable(call, id)
  // A requisition moved back from billing was delivered before.
  const isNew = move.to === 'DELIVER' && statusOf(move.from).sortOrder < statusOf(move.to).sortOrder
  const skipped = await findSkipped(call, id, move)
  const how = askHowDelivered(call, isNew ? await findNeverSent(db, [id]) : [], 1)
  const reason = [how, skipped].filter(Boolean).join('; ')
  await setStatus(db, actor, requestId, [id], { ...move, ...(reason && { reason }) })
  if (how) await announce(call, 'deliveredOutside', { requisitionIds: [id], how })
  await announce(call, 'statusMovedBack', { requisitionIds: [id], ...move })
}

const requireReleasable = async (call: WriteCall, id: number) => {
  const [first] = (await findCandidates(call, [id], neverSkipped)).get(id)?.missing ?? []
  if (first) throw conflict(refusals[first](id), { reason: refusals[first](id) })
}

/** The select may skip every other condition (the page asks before it does); the history says which of those of Released and Delivered it skipped. */
const findSkipped = async (
  call: WriteCall,
  id: number,
  { from, to }: { from: StatusCode; to: StatusCode },
): Promise<string | null> => {
  if (to !== 'RELEASE' && to !== 'DELIVER') return null
  const missing = (await findCandidates(call, [id], conditionsBetween(from, to))).get(id)?.missing ?? []
  if (missing.length === 0) return null
  return `Set although ${[...new Set(missing.map((name) => refusals[name](id)))].join('; ')}`
}

const getDetail = async ({ db, actor }: WriteCall, id: number): Promise<RequisitionDetail> => {
  const found = await findRequisition(db, actor, id)
  if (!found) throw notFound('Requisition')
  return found
}

const saveColumns = async (
  call: WriteCallWithQuestions,
  before: RequisitionDetail,
  columns: Record<string, unknown>,
) => {
  const { db, actor, requestId } = call
  const { id } = before
  await db.updateTable('requisition').set(columns).where('id', '=', id).execute()
  const after = await getDetail(call, id)
  const changed = differences(readable(before, after), readable(after, before))
  if (Object.keys(changed.new).length === 0) return
  await sql`update requisition set version = version + 1 where id = ${id}`.execute(db)
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: id,
    requisitionId: id,
    action: 'EDIT',
    ...changed,
    reason: call.questions.history,
  })
  await propagateOrder(call, before, after)
}

/** The audit's data about a requisition: names, with an id only where two records have the same name. */
const readable = (detail: RequisitionDetail, other: RequisitionDetail): Record<string, unknown> => ({
  colaName: distinguishableName(detail, other, 'colaId', ({ colaName }) => colaName),
  clientName: distinguishableName(detail, other, 'clientId', ({ clientName }) => clientName),
  physName: distinguishableName(
    detail,
    other,
    'physId',
    ({ physLastName, physFirstName }) => `${physLastName}, ${physFirstName}`,
  ),
  copyToClientName: distinguishableName(detail, other, 'copyToClientId', ({ copyToClientName }) => copyToClientName),
  copyToPhysName: distinguishableName(
    detail,
    other,
    'copyToPhysId',
    ({ copyToPhysLastName, copyToPhysFirstName }) =>
      copyToPhysLastName && `${copyToPhysLastName}, ${copyToPhysFirstName}`,
  ),
  eventName: distinguishableName(detail, other, 'eventId', ({ eventName }) => eventName),
  labName: distinguishableName(detail, other, 'labId', ({ labName }) => labName),
  reqBillTypeDesc: detail.reqBillTypeDesc,
  extOrderId: detail.extOrderId,
  extAccessionId: detail.extAccessionId,
  isFasting: detail.isFasting,
  dateCollected: detail.dateCollected,
  collectedTz: detail.collectedTz,
  timeCentrifuged: detail.timeCentrifuged,
  collectDesc: detail.collectDesc,
  collectedBy: detail.collectedBy,
  legacyIcdNote: detail.legacyIcdNote,
})

const distinguishableName = (
  detail: RequisitionDetail,
  other: RequisitionDetail,
  id: 'colaId' | 'clientId' | 'physId' | 'copyToClientId' | 'copyToPhysId' | 'eventId' | 'labId',
  nameOf: (detail: RequisitionDetail) => string | null,
) => {
  const isNamesake = detail[id] !== other[id] && nameOf(detail) === nameOf(other)
  return isNamesake ? `${nameOf(detail)} (${detail[id]})` : nameOf(detail)
}

type Card = Omit<RequisitionUpdate, 'reqStatusCode' | 'legacyIcdNote'>

const cardColumns = async (call: WriteCall, sent: Card, before: RequisitionDetail) => {
  const wanted = withoutForeignCopy({ ...before, ...definedOf(sent) }, sent)
  const order = await requireOrder(call, wanted, before)
  const collected =
    sent.dateCollected === undefined
      ? {}
      : await collectedColumns(call, sent.dateCollected, {
          zone: zoneOf(order, wanted, before),
          dob: before.patientDob,
          id: before.id,
        })
  return {
    collaborator_id: wanted.colaId,
    client_id: wanted.clientId,
    ordering_client_physician_id: wanted.orderingClientPhysId,
    physician_id: order.physicianId,
    copy_to_client_id: wanted.copyToClientId,
    copy_client_physician_id: wanted.copyToClientPhysId,
    copy_physician_id: order.copyPhysicianId,
    event_id: wanted.eventId,
    lab_id: wanted.labId,
    ext_order_id: wanted.extOrderId,
    ext_accession_id: wanted.extAccessionId,
    is_fasting: wanted.isFasting === null ? null : wanted.isFasting === 1,
    centrifuged_time: wanted.timeCentrifuged,
    collect_code: wanted.collectCode,
    collected_by: wanted.collectedBy,
    ...(await billTypeColumn(call, order, wanted, before)),
    ...collected,
  }
}

/**
 * Another client brings its own 'Bill To', as for a new requisition; not where a person has chosen one that differs from the former
 * client's, nor where the primary insurance sets it.
 */
const billTypeColumn = async (
  { db }: WriteCall,
  { clientBillType }: CheckedOrder,
  wanted: Order,
  before: RequisitionDetail,
): Promise<{ bill_type_code?: string | null }> => {
  if (wanted.clientId === before.clientId) return {}
  const followsClient = await db
    .selectFrom('requisition as r')
    .innerJoin('client as c', 'c.id', 'r.client_id')
    .select('r.id')
    .where('r.id', '=', before.id)
    .where((eb) => eb.or([eb('r.bill_type_code', 'is', null), eb('r.bill_type_code', '=', eb.ref('c.bill_type_code'))]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('insurance as i')
            .innerJoin('billing as b', 'b.id', 'i.billing_id')
            .select('i.id')
            .whereRef('b.requisition_id', '=', 'r.id')
            .where('i.billing_order', '=', 1)
            .where('i.bill_type_code', 'is not', null)
            .where('i.deleted_at', 'is', null),
        ),
      ),
    )
    .executeTakeFirst()
  return followsClient ? { bill_type_code: clientBillType } : {}
}

const definedOf = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

/** A physician to copy belongs to a client; another client without another physician means none. */
const withoutForeignCopy = <T extends Order>(wanted: T, sent: Card): T => {
  const isClientNew =
    sent.copyToClientId !== undefined || (sent.clientId !== undefined && wanted.copyToClientId == null)
  return isClientNew && sent.copyToClientPhysId === undefined ? { ...wanted, copyToClientPhysId: null } : wanted
}

const collectedColumns = async (
  { db }: WriteCall,
  text: string,
  { zone, dob, id }: { zone: string; dob: string; id: number },
) => ({
  collected_at: requireCollected(text, { zone, dob, receivedAt: await firstReceived(db, id) }),
  collected_zone: zone,
  is_to_collect: false,
})

/** The client may have moved since: the sample was taken in its zone of that time (CLI-G15). If the client's zone is unknown, it has to be set first. */
const zoneOf = (order: CheckedOrder, wanted: Order, before: RequisitionDetail): string =>
  wanted.clientId === before.clientId && order.clientZone !== 'TZNA' ? before.collectedTz : order.clientZone

const firstReceived = async (db: WriteCall['db'], id: number): Promise<string | null> => {
  const first = await db
    .selectFrom('specimen')
    .select((eb) => eb.fn.min('received_at').as('at'))
    .where('requisition_id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const at = first?.at
  return at ? new Date(at).toISOString() : null
}
