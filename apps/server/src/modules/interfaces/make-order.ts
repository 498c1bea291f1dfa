import { requisitionInput } from '@lis/contract/requisitions/create.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { invalidInput } from '../../platform/errors.ts'
import { validationMessages } from '../../platform/validation-messages.ts'
import type { PatientCall } from '../patients/service.ts'
import { getPatient } from '../patients/service.ts'
import { createRequisition } from '../requisition-entry/create.ts'
import type { IncomingOrder } from './incoming-order.ts'
import { addDiagnoses, addGuarantor, addInsurances, addNotes } from './order-details.ts'
import { saveContact } from './patient-contact.ts'
import { choiceOf, type OrderedItem } from './resolve-codes.ts'
import type { ResolvedOrder } from './resolve-order.ts'
import type { ClientOfOrder, PhysicianOfOrder } from './resolve-people.ts'

/** Creates the requisition of an order without problems, by the same service as the screen. */
export const makeRequisition = async (
  call: PatientCall,
  order: IncomingOrder,
  resolved: ResolvedOrder,
): Promise<{ id: number; patientId: number }> => {
  const { id } = await createRequisition(call, readInput(order, resolved), { isFasting: order.isFasting })
  const { rows } = await sql<{ patient_id: number }>`select patient_id from requisition where id = ${id}`.execute(
    call.db,
  )
  const patientId = rows[0]?.patient_id as number
  await saveContact(call, await getPatient(call, patientId), order.patient, { requisitionId: id, isOnlyMissing: true })
  if (order.isStat) await flagStat(call, id)
  await addDiagnoses(call, id, order.icds)
  await addInsurances(call, id, order.insurances)
  if (order.guarantor) await addGuarantor(call, id, order.guarantor)
  await addNotes(call, id, order.notes)
  return { id, patientId }
}

const readInput = (order: IncomingOrder, { client, physician, patient, items }: ResolvedOrder) => {
  const { id: clientId, collaborator_id: colaId, lab_id: labId, event_id: eventId } = client as ClientOfOrder
  const { known } = patient
  const sent = order.patient
  const parsed = requisitionInput.safeParse(
    {
      clientId,
      colaId,
      labId,
      eventId,
      orderingClientPhysId: (physician as PhysicianOfOrder).pair_id,
      extOrderId: order.extOrderId.slice(0, longestOrderId),
      dateCollected: order.collected,
      // The record of a known patient is kept: differences in the message do not change it.
      ...(known
        ? {
            patientId: known.id,
            patientFirstName: known.patientFirstName,
            patientLastName: known.patientLastName,
            patientDob: known.patientDob,
            patientGenderCode: known.patientGenderCode,
          }
        : {
            isNewPatient: 1,
            patientFirstName: sent.firstName,
            patientMiddleName: sent.middleName ?? null,
            patientLastName: sent.lastName,
            patientDob: sent.dob,
            patientGenderCode: sent.sex,
          }),
      ...choiceOf(items),
    },
    validationMessages,
  )
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

const longestOrderId = 50

const flagStat = async ({ db, actor, requestId }: PatientCall, id: number) => {
  const { rows } = await sql<{ description: string }>`
    with made as (insert into requisition_flag (requisition_id, flag_id) select ${id}::bigint, id from flag where code = 'STAT'
      on conflict do nothing returning flag_id)
    select f.description from made join flag f on f.id = made.flag_id`.execute(db)
  const [flag] = rows
  if (!flag) return
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: id,
    requisitionId: id,
    action: 'FLAG',
    old: { flags: '' },
    new: { flags: flag.description },
  })
}

/** Stores the placer numbers of the order, and the number of the patient at the partner. */
export const rememberOrder = async (
  trx: Trx,
  partnerId: number,
  order: IncomingOrder,
  made: { id: number; patientId: number; items: readonly OrderedItem[] },
) => {
  await sql`update interface_order set requisition_id = ${made.id}::bigint
    where partner_id = ${partnerId} and placer_number = any(${[...order.placers]}::text[])`.execute(trx)
  await rememberNumber(trx, partnerId, order)
  await rememberItems(trx, partnerId, made.id, made.items)
  await rememberPatient(trx, partnerId, order.patient.identifiers, made.patientId)
}

/** The number of the patient in this order: results are sent under it, even if the partner has several numbers for the patient. */
export const rememberNumber = async (trx: Trx, partnerId: number, { patient, placers }: IncomingOrder) => {
  const [number] = patient.identifiers
  if (!number) return
  await sql`update interface_order set patient_identifier = ${number.identifier}, patient_authority = ${number.authority}
    where partner_id = ${partnerId} and placer_number = any(${[...placers]}::text[])`.execute(trx)
}

export const rememberItems = async (
  trx: Trx,
  partnerId: number,
  requisitionId: number,
  items: readonly OrderedItem[],
) => {
  const of = <T>(pick: (item: OrderedItem) => T) => items.map(pick)
  await sql`insert into interface_order_item (partner_id, placer_number, place, requisition_id, test_id, panel_id, code, name, coding_system, placer_system)
    select ${partnerId}::int, w.placer, w.place, ${requisitionId}::bigint, w.test, w.panel, w.code, nullif(w.name, ''), nullif(w.system, ''), w.placer_system
    from unnest(${of(({ placer }) => placer)}::text[], ${of(({ testId }) => testId)}::int[], ${of(({ panelId }) => panelId)}::int[],
      ${of(({ code }) => code)}::text[], ${of(({ name }) => name)}::text[], ${of(({ system }) => system)}::text[],
      ${of(({ placerSystem }) => placerSystem ?? null)}::text[]) with ordinality as w(placer, test, panel, code, name, system, placer_system, place)`.execute(
    trx,
  )
}

export const rememberPatient = async (
  trx: Trx,
  partnerId: number,
  identifiers: readonly { identifier: string; authority: string }[],
  patientId: number,
) => {
  await sql`insert into interface_patient (partner_id, identifier, authority, patient_id)
    select distinct ${partnerId}::int, w.identifier, w.authority, ${patientId}::bigint
    from unnest(${identifiers.map(({ identifier }) => identifier)}::text[], ${identifiers.map(({ authority }) => authority)}::text[]) as w(identifier, authority)
    on conflict (partner_id, identifier, authority) do update set patient_id = excluded.patient_id`.execute(trx)
}
