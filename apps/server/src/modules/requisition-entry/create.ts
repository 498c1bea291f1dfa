import { can } from '@lis/contract/access/permissions.ts'
import { birthDateError, type Patient } from '@lis/contract/patients.ts'
import {
  companyDefaultsKey,
  type Orderable,
  type RequisitionInput,
  type RequisitionPresets,
} from '@lis/contract/requisitions/create.ts'
import { usualContainer } from '@lis/contract/specimens.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { AppError, forbidden, invalid, invalidFields, notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { getChosenTestIds, orderTests } from '../lab-tests/ordering.ts'
import { activeCodes, isClientInScope } from '../lookups/queries.ts'
import type { PatientCall } from '../patients/service.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import { receiveSpecimen } from '../specimens/service.ts'
import { historyCodeTypes, newHistoryRow } from './clinical-history.ts'
import { choosePatient, writePatient } from './create-patient.ts'
import { askBirthDay } from './identity.ts'
import { type CheckedOrder, checkOrders, orderCodeTypes, requireCollected } from './order-checks.ts'
import { askAboutOrder } from './order-questions.ts'
import { openReview } from './patient-review.ts'

/** A new order that has passed all checks. */
export interface CheckedCreate {
  input: RequisitionInput
  colaId: number
  collectedAt: string
  order: CheckedOrder
  history: ReturnType<typeof newHistoryRow>
}

/** Further columns of a loaded row, with the patient and day it was loaded for, which later corrections do not change. */
interface LoadColumns {
  load_key: string
  load_patient_key: string
  load_collected_on: string
  ext_accession_id: string | null
  is_fasting: boolean | null
}

export interface NewRequisition extends CheckedCreate {
  id: number
  patientId: number
  load?: LoadColumns
  isFasting?: boolean | null
  isToCollect?: boolean
}

interface CreateOptions {
  /** Called when the order corrects the record of a known patient. */
  onPatientChanged?: (before: Patient, after: Patient) => Promise<void>
  /** Absent in loads and for messages of partners, which cannot ask. */
  questions?: Questions
  isFasting?: boolean | null
  /** The sample is not taken yet: the given time is that of the order. */
  isToCollect?: boolean
}

/** A new requisition with its patient, tests, history and first status, all or nothing. */
export const createRequisition = async (
  call: PatientCall,
  input: RequisitionInput,
  { onPatientChanged: onChanged, questions, isFasting = null, isToCollect = false }: CreateOptions = {},
): Promise<{ id: number; isForReview: boolean }> => {
  const { db } = call
  const [first] = await checkRequisitions(call, [input])
  if (first instanceof AppError) throw first
  const checked = first as CheckedCreate
  const testIds = await getChosenTestIds(db, input)
  const whose = await choosePatient(call, input, questions)
  if (questions) {
    const patientIds = whose.known ? [whose.known.id] : (whose.candidates ?? [])
    const { collectedAt, order } = checked
    await askAboutOrder({ ...call, questions }, { input, patientIds, testIds, collectedAt, zone: order.clientZone })
    askBirthDay({ ...call, questions }, input.patientDob, whose.known?.patientDob)
    questions.requireAnswers()
  }
  const [id] = (await nextRequisitionIds(db, 1)) as [number]
  const { patient, waiting } = await writePatient(call, input, whose, { requisitionId: id, questions, onChanged })
  await storeRequisitions(call, [{ ...checked, id, patientId: patient.id, isFasting, isToCollect }], questions?.history)
  await orderTests(call, id, input)
  await receiveSpecimens(call, id, input.specimens)
  if (waiting) await openReview(call, id, patient, { ...waiting, reason: questions?.history })
  return { id, isForReview: waiting !== null }
}

/** Receives the specimens that came with the order; their errors are named by position. */
const receiveSpecimens = async (call: PatientCall, id: number, specimens: RequisitionInput['specimens']) => {
  if (specimens.length > 0 && !can(call.actor.role, 'specimens.add')) throw forbidden()
  for (const [index, specimen] of specimens.entries()) {
    await receiveSpecimen(call, id, specimen).catch((error) => {
      if (!(error instanceof AppError) || error.errors === undefined) throw error
      throw invalidFields(error.errors.map((one) => ({ ...one, field: `specimens.${index}.${one.field}` })))
    })
  }
}

/** Checks new orders except for their patients, in a few statements for all; the result has an error in the place of a refused one. */
export const checkRequisitions = async (
  call: PatientCall,
  inputs: readonly RequisitionInput[],
): Promise<(CheckedCreate | AppError)[]> => {
  const isActive = await activeCodes(call.db, [...orderCodeTypes, ...historyCodeTypes])
  const colaIdOf = (input: RequisitionInput) => (input.collaborator ?? input.colaId) as number
  const orders = await checkOrders(
    call,
    inputs.map((input) => ({ wanted: { ...input, colaId: colaIdOf(input) }, before: null })),
    isActive,
  )
  return inputs.map((input, index) => {
    const order = orders[index] as CheckedOrder | AppError
    if (order instanceof AppError) return order
    try {
      const collectedAt = requireCollected(input.dateCollected, { zone: order.clientZone, dob: input.patientDob })
      const birthFault = birthDateError(input.patientDob, dayAt(Date.now(), order.clientZone))
      if (birthFault) return invalid('patientDob', birthFault)
      return { input, colaId: colaIdOf(input), collectedAt, order, history: newHistoryRow(input, isActive) }
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  })
}

export const nextRequisitionIds = async (trx: Trx, count: number): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('requisition', 'id')) as id from generate_series(1, ${count}::int)`.execute(
    trx,
  )
  return rows.map(({ id }) => Number(id))
}

/** Writes checked requisitions whose patients exist, in a few statements for all. */
export const storeRequisitions = async (call: PatientCall, made: readonly NewRequisition[], reason?: string) => {
  const { db, actor } = call
  await db
    .insertInto('requisition')
    .values(
      made.map(({ id, patientId, input, colaId, order, collectedAt, load, isFasting = null, isToCollect = false }) => ({
        id,
        patient_id: patientId,
        client_id: input.clientId,
        collaborator_id: colaId,
        lab_id: input.labId,
        ordering_client_physician_id: input.orderingClientPhysId,
        physician_id: order.physicianId,
        event_id: input.eventId,
        ext_order_id: input.extOrderId,
        collected_at: collectedAt,
        collected_zone: order.clientZone,
        collect_code: input.collectCode,
        collected_by: input.collectedBy,
        bill_type_code: order.clientBillType,
        created_by: actor.userId,
        is_fasting: isFasting,
        is_to_collect: isToCollect,
        ...load,
      })),
    )
    .execute()
  await db
    .insertInto('patient_history')
    .values(made.map(({ id, history }) => ({ requisition_id: id, ...history })))
    .execute()
  await recordCreation(
    call,
    made.map(({ id }) => id),
    'CREATE',
    reason,
  )
}

/** Writes the first status event and the audit, and notifies open lists. */
export const recordCreation = async (
  call: PatientCall,
  ids: readonly number[],
  action: 'CREATE' | 'COPY',
  reason?: string,
) => {
  const { db, actor, requestId } = call
  await sql`insert into requisition_status_event (requisition_id, from_code, to_code, actor_id)
    select id, null, 'LOG', ${actor.userId}::int from unnest(${[...ids]}::bigint[]) as id`.execute(db)
  const facts = await findCreationFacts(db, actor, ids)
  if (facts.size !== ids.length) throw notFound('Requisition')
  await recordAudit(
    db,
    actor,
    requestId,
    ids.map((id) => ({ entity: 'requisition', entityId: id, requisitionId: id, action, reason, new: facts.get(id) })),
  )
  await publish(db, { topic: 'requisitions', data: { from: null, to: 'LOG', count: ids.length } })
}

/** The audit's data about new requisitions, with names instead of ids. */
const findCreationFacts = async (
  db: Db,
  actor: Actor,
  ids: readonly number[],
): Promise<Map<number, Record<string, unknown>>> => {
  const { rows } = await sql<{
    id: number
    facts: Record<string, unknown>
  }>`select x.id, row_to_json(x)::jsonb - 'id' as facts from (
    select r.id, r.source_requisition_id as "sourceReqId", p.last_name || ', ' || p.first_name as "patientName", p.dob as "patientDob",
      c.name as "clientName", cola.name as "colaName", ph.last_name || ', ' || ph.first_name as "physName", e.name as "eventName",
      lab.name as "labName", r.collected_at as "dateCollected"
    from requisition r join requisition_list l on l.requisition_id = r.id join patient p on p.id = r.patient_id
      join client c on c.id = r.client_id join collaborator cola on cola.id = r.collaborator_id join lab on lab.id = r.lab_id
      join physician ph on ph.id = r.physician_id join client_event e on e.id = r.event_id
    where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null and ${visibleRequisitions(actor)}) x`.execute(db)
  return new Map(rows.map(({ id, facts }) => [Number(id), facts]))
}

/** The initial values of the form. A configured name that does not exist, or not for this client, presets nothing. */
export const findPresets = async (db: Db, actor: Actor, clientId: number | undefined): Promise<RequisitionPresets> => {
  const isFixed = actor.role === 'COLA'
  const { rows } = await sql<RequisitionPresets>`
    with company as (select value ->> 'collaborator' as collaborator, value ->> 'event' as event from setting where key = ${companyDefaultsKey}),
      chosen as (select c.id, c.zone, c.collaborator_id from client c
        where c.id = ${clientId ?? null}::bigint and c.deleted_at is null and ${isClientInScope(actor, sql`c.id`)}),
      cola as (select x.id, x.name from collaborator x where x.deleted_at is null and ${
        isFixed
          ? sql`x.id = ${actor.entityId}`
          : sql`x.id = coalesce((select collaborator_id from chosen),
              (select y.id from collaborator y join company on y.name = company.collaborator where y.deleted_at is null order by y.id limit 1))`
      })
    select case when exists (select from chosen) then coalesce(
          (select lab.id from client_lab cl join lab on lab.id = cl.lab_id join chosen on chosen.id = cl.client_id
            where lab.is_default and lab.deleted_at is null limit 1),
          (select min(cl.lab_id) from client_lab cl join chosen on chosen.id = cl.client_id having count(*) = 1))
        else (select id from lab where is_default and deleted_at is null order by id limit 1) end as "labId",
      (select id from cola) as "colaId", (select name from cola) as "colaName", ${isFixed ? 1 : 0}::int as "isColaFixed",
      (select e.id from client_event e join chosen on chosen.id = e.client_id join company on company.event = e.name
        where e.deleted_at is null order by e.id limit 1) as "eventId",
      (select zone from chosen) as "clientTz"`.execute(db)
  const presets = rows[0] as RequisitionPresets
  if (clientId !== undefined && presets.clientTz === null) throw notFound('Client')
  return presets
}

/** Panels first: most orders name one. */
export const findOrderables = async (db: Db): Promise<Orderable[]> => {
  const { rows } = await sql<Omit<Orderable, 'tubes'> & { types: string[][] }>`
    select 'P' || p.id as key, p.id::int as id, 1 as "isPanel", p.code, p.description as desc,
      array(select t.code from panel_test pt join test t on t.id = pt.test_id and t.deleted_at is null where pt.panel_id = p.id order by t.sort_order) as "testCodes",
      (select coalesce(jsonb_agg(distinct t.specimen_type_codes), '[]') from panel_test pt
        join test t on t.id = pt.test_id and t.deleted_at is null and not t.is_calculated where pt.panel_id = p.id) as types
    from panel p where p.deleted_at is null
    union all
    select 'T' || t.id, t.id::int, 0, t.code, t.description, '{}',
      case when t.is_calculated then '[]' else jsonb_build_array(t.specimen_type_codes) end from test t where t.deleted_at is null
    order by "isPanel" desc, code`.execute(db)
  const words = await descriptionsOf(db)
  return rows.map(({ types, ...row }) => ({
    ...row,
    tubes: [...new Set(types.map((codes) => tubeOf(codes, words)).filter(Boolean))],
  }))
}

/** 'Serum in SST', or what else a test is done from; empty where any tube will do. */
const tubeOf = (types: readonly string[], words: ReadonlyMap<string, string>) =>
  types
    .map((type) => {
      const container = usualContainer(type)
      const specimen = words.get(`SPECIMENTYPE ${type}`) ?? type
      return container ? `${specimen} in ${words.get(`CONTAINERTYPE ${container}`) ?? container}` : specimen
    })
    .join(' or ')

const descriptionsOf = async (db: Db) => {
  const rows = await db
    .selectFrom('lov')
    .select(['type_code', 'code', 'description'])
    .where('type_code', 'in', ['SPECIMENTYPE', 'CONTAINERTYPE'])
    .execute()
  return new Map(rows.map(({ type_code, code, description }) => [`${type_code} ${code}`, description]))
}
