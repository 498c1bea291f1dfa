import { birthDayFault, type Patient } from '@lis/contract/patients.ts'
import { companyDefaults, type RequisitionInput, type RequisitionPresets } from '@lis/contract/requisitions/create.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { publish } from '../../platform/events/publish.ts'
import { AppError, conflict, invalid, notFound } from '../../platform/http/errors.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { activeCodes, isClientInScope } from '../lookups/queries.ts'
import { changePatient, createPatient, type PatientCall, requirePatient } from '../patients/service.ts'
import { historyCodeTypes, newHistoryRow } from './clinical-history.ts'
import { type CheckedOrder, checkOrders, orderCodeTypes, requireCollected } from './order-checks.ts'
import { findCreationFacts } from './queries.ts'

/** A new order of which all that can be asked has been asked. */
export interface CheckedCreate {
  input: RequisitionInput
  colaId: number
  collectedAt: string
  order: CheckedOrder
  history: ReturnType<typeof newHistoryRow>
}

/** What a row of a load says besides, and whose order and day it was, whatever becomes of the patient's name and the moment of collection. */
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
}

interface CreateOptions {
  /** What follows for the other requisitions of a known patient whose record the order corrects. */
  onPatientChanged?: (before: Patient, after: Patient) => Promise<void>
}

/** A new requisition with its patient, history and first status, all or nothing. */
export const createRequisition = async (
  call: PatientCall,
  input: RequisitionInput,
  { onPatientChanged }: CreateOptions = {},
): Promise<{ id: number }> => {
  const [checked] = await checkRequisitions(call, [input])
  if (checked instanceof AppError) throw checked
  const [id] = (await nextRequisitionIds(call.db, 1)) as [number]
  const patient = await patientFor(call, input, id, onPatientChanged)
  await storeRequisitions(call, [{ ...(checked as CheckedCreate), id, patientId: patient.id }])
  return { id }
}

/** Checks new orders, their patients apart, in a few statements for all; what is wrong with one of them stands in its place. */
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
      const birthFault = birthDayFault(input.patientDob, dayAt(Date.now(), order.clientZone))
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

/** Writes requisitions that have been checked and whose patients are there: a handful of statements for the whole list. */
export const storeRequisitions = async (call: PatientCall, made: readonly NewRequisition[]) => {
  const { db, actor } = call
  await db
    .insertInto('requisition')
    .values(
      made.map(({ id, patientId, input, colaId, order, collectedAt, load }) => ({
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
        ...load,
      })),
    )
    .execute()
  await db
    .insertInto('patient_history')
    .values(made.map(({ id, history }) => ({ requisition_id: id, ...history })))
    .execute()
  await recordBeginning(
    call,
    made.map(({ id }) => id),
    'CREATE',
  )
}

/** The first rows of their histories, the audit, and word of it to every open list. */
export const recordBeginning = async (call: PatientCall, ids: readonly number[], action: 'CREATE' | 'COPY') => {
  const { db, actor, requestId } = call
  await sql`insert into requisition_status_event (requisition_id, from_code, to_code, actor_id)
    select id, null, 'LOG', ${actor.userId}::int from unnest(${[...ids]}::bigint[]) as id`.execute(db)
  const facts = await findCreationFacts(db, actor, ids)
  if (facts.size !== ids.length) throw notFound('Requisition')
  await recordAudit(
    db,
    actor,
    requestId,
    ids.map((id) => ({ entity: 'requisition', entityId: id, requisitionId: id, action, new: facts.get(id) })),
  )
  await publish(db, { topic: 'requisitions', data: { from: null, to: 'LOG', count: ids.length } })
}

/** A known patient, changed or not, or a new one. */
const patientFor = async (
  call: PatientCall,
  input: RequisitionInput,
  requisitionId: number,
  onChanged: CreateOptions['onPatientChanged'],
): Promise<Patient> => {
  const { db } = call
  const { patientId, isNewPatient, isPatientEdited, patientVersion } = input
  const sent = patientOf(input)
  if (patientId === null || isNewPatient === 1)
    return createPatient(call, sent, { requisitionId, isConfirmed: isNewPatient === 1 })
  const known = await requirePatient(call, patientId)
  if (isPatientEdited === 1) {
    const changed = await changePatient(call, known, sent, patientVersion, { requisitionId })
    await onChanged?.(known, changed)
    return changed
  }
  const isOther = (['patientFirstName', 'patientLastName', 'patientDob'] as const).some(
    (name) => known[name] !== sent[name],
  )
  if (!isOther) return known
  // Somebody may have corrected the record since it was chosen; whose sample this is must not be guessed. Who says which version was in
  // view is shown both; choosing the same row again would only send the same again.
  await requireVersion(db, 'patient', patientVersion, known)
  throw conflict("The patient's record is different by now. Please choose the patient again.")
}

/** What a requisition says of its patient. */
export const patientOf = (input: RequisitionInput) => ({
  patientFirstName: input.patientFirstName,
  patientMiddleName: input.patientMiddleName,
  patientLastName: input.patientLastName,
  patientDob: input.patientDob,
  patientGenderCode: input.patientGenderCode,
  patientRaceCode: input.patientRaceCode,
  patientEthnicityCode: input.patientEthnicityCode,
  patientSsn: input.patientSsn,
})

/** What the form starts with. A name that does not exist, or that the client does not have, presets nothing. */
export const findPresets = async (db: Db, actor: Actor, clientId: number | undefined): Promise<RequisitionPresets> => {
  const isFixed = actor.role === 'COLA'
  const { rows } = await sql<RequisitionPresets>`
    with company as (select value ->> 'collaborator' as collaborator, value ->> 'event' as event from setting where key = ${companyDefaults}),
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
