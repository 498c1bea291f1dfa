import {
  type MergeDifference,
  type MergeField,
  type MergeInput,
  type MergeOutcome,
  mergeFields,
  mergeMessages,
  mergeUndoDays,
  type PatientMerge,
} from '@lis/contract/patient-merges.ts'
import type { Patient, PatientInput } from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findCurrentId } from '../patients/queries.ts'
import { changePatient, decryptSsn, encryptSsn, findSsn, getPatient, type PatientCall } from '../patients/service.ts'
import { propagatePatient, propagateRecord } from './propagate-changes.ts'

/** The ids of what a merge has moved to the kept record, by table. */
interface Moved {
  requisitions: number[]
  insurances: number[]
  changes: number[]
  messages: number[]
  numbers: { partner_id: number; identifier: string; authority: string }[]
}
/** Fields of the kept record that were taken from the other one. */
interface KeptBefore {
  before: Partial<PatientInput>
  after: Partial<PatientInput>
  isOptOutTaken: boolean
}

type Names = readonly [keepId: number, goneId: number]

/** Makes two records of one patient one. A dry run does the same and takes it back, so its answer is what would happen. */
export const mergePatients = async (
  call: PatientCall,
  { keepId, goneId, fields, dryRun }: MergeInput,
): Promise<MergeOutcome> => {
  if (keepId === goneId) throw invalid('goneId', mergeMessages.sameRecord)
  if (!dryRun) return merge(call, keepId, goneId, fields)
  await sql`savepoint merge_try`.execute(call.db)
  const outcome = await merge(call, keepId, goneId, fields)
  await sql`rollback to savepoint merge_try`.execute(call.db)
  return { ...outcome, mergeId: null, undoUntil: null }
}

const merge = async (
  call: PatientCall,
  keepId: number,
  goneId: number,
  fields: MergeInput['fields'],
): Promise<MergeOutcome> => {
  const { db, actor } = call
  await lockRecords(db, [keepId, goneId])
  await requirePresent(db, [keepId, goneId])
  const [keep, gone] = [await getPatient(call, keepId), await getPatient(call, goneId)]
  const differences = await differencesOf(call, keep, gone)
  const requisitions = await readRequisitions(db, goneId)
  const all = [...requisitions, ...(await readRequisitions(db, keepId))].map(({ id }) => id)
  const heldBefore = await listHeldReports(db, all)
  const taken = differences.map(({ field }) => field).filter((field) => fields[field] === 'GONE')
  const keptBefore = await takeFields(call, keep, gone, taken)
  const kept = await getPatient(call, keepId)
  const moved = await moveRecords(call, requisitions, gone, kept)
  await db
    .updateTable('patient')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', goneId)
    .execute()
  const { id, until } = await db
    .insertInto('patient_merge')
    .values({
      kept_id: keepId,
      gone_id: goneId,
      moved: JSON.stringify(moved),
      kept_before: JSON.stringify(withSsn(keptBefore, (ssn) => encryptSsn(call, ssn))),
      merged_by: actor.userId,
    })
    .returning(['id', sql<string>`merged_at + make_interval(days => ${mergeUndoDays})`.as('until')])
    .executeTakeFirstOrThrow()
  await recordMerge(call, 'MERGE', gone, kept)
  const heldNow = await listHeldReports(db, all)
  return {
    mergeId: id,
    reqIds: requisitions.filter(({ isDeleted }) => !isDeleted).map((one) => one.id),
    differences,
    heldReports: heldNow.filter((report) => !heldBefore.includes(report)),
    undoUntil: new Date(until).toISOString(),
  }
}

/** Requisitions before patients, each in the order of ids, as edits lock them. Those that came while it waited are locked too. */
const lockRecords = async (trx: Trx, ids: Names) => {
  const requisitions = sql`select 1 from requisition where patient_id = any(${[...ids]}::bigint[]) order by id for no key update`
  await requisitions.execute(trx)
  await sql`select 1 from patient where id = any(${[...ids]}::bigint[]) order by id for update`.execute(trx)
  await requisitions.execute(trx)
}

const requirePresent = async (trx: Trx, ids: Names) => {
  const rows = await trx.selectFrom('patient').select(['id', 'deleted_at']).where('id', 'in', ids).execute()
  for (const id of ids) {
    if (rows.some((row) => row.id === id && row.deleted_at === null)) continue
    const current = await findCurrentId(trx, id)
    if (current !== id) throw conflict(`Patient ${id} has been merged into patient ${current} already`)
    throw notFound(`Patient ${id}`)
  }
}

const shown = (patient: Patient, field: MergeField): string | null =>
  field === 'patientStateId' ? patient.patientState : patient[field]

const differencesOf = async (call: PatientCall, keep: Patient, gone: Patient): Promise<MergeDifference[]> => {
  const isSameSsn = (await findSsn(call, keep.id)) === (await findSsn(call, gone.id))
  return mergeFields
    .filter((field) => (field === 'patientSsn' ? !isSameSsn : keep[field] !== gone[field]))
    .map((field) => ({ field, keep: shown(keep, field), gone: shown(gone, field) }))
}

const readRequisitions = async (db: Db, patientId: number): Promise<{ id: number; isDeleted: boolean }[]> => {
  const { rows } = await sql<{ id: number; isDeleted: boolean }>`
    select r.id, r.deleted_at is not null as "isDeleted" from requisition r where r.patient_id = ${patientId} order by r.id`.execute(
    db,
  )
  return rows
}

const listHeldReports = async (db: Db, requisitionIds: readonly number[]): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select p.id from report p where p.requisition_id = any(${[...requisitionIds]}::bigint[]) and p.deleted_at is null
      and p.lab_qc_status_code = 'HOLD' order by p.id`.execute(db)
  return rows.map(({ id }) => id)
}

// ── the kept record ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Writes the chosen fields of the other record into the kept one. */
const takeFields = async (
  call: PatientCall,
  keep: Patient,
  gone: Patient,
  taken: readonly MergeField[],
): Promise<KeptBefore> => {
  const after = await valuesOf(call, gone, taken)
  const before = await valuesOf(call, keep, taken)
  await correct(call, keep, after)
  // Who asked not to be notified under either number is not.
  const { rows } = await sql`update patient k set is_notify_opt_out = true from patient g
    where k.id = ${keep.id} and g.id = ${gone.id} and g.is_notify_opt_out and not k.is_notify_opt_out returning k.id`.execute(
    call.db,
  )
  return { before, after, isOptOutTaken: rows.length > 0 }
}

const valuesOf = async (call: PatientCall, patient: Patient, fields: readonly MergeField[]) => ({
  ...Object.fromEntries(fields.map((field) => [field, patient[field]])),
  ...(fields.includes('patientStateId') && { patientCountryId: patient.patientCountryId }),
  ...(fields.includes('patientSsn') && { patientSsn: await findSsn(call, patient.id) }),
})

/** Both values of the number converted: it is stored encrypted. */
const withSsn = (kept: KeptBefore, convert: (ssn: string | null) => string | null): KeptBefore => {
  const of = (values: Partial<PatientInput>) =>
    values.patientSsn === undefined ? values : { ...values, patientSsn: convert(values.patientSsn) }
  return { ...kept, before: of(kept.before), after: of(kept.after) }
}

const correct = async (call: PatientCall, patient: Patient, sent: Partial<PatientInput>) => {
  const after = await changePatient(call, patient, sent, null)
  await propagatePatient(call, patient, after)
}

// ── what belongs to the record ──────────────────────────────────────────────────────────────────────────────────────

const moveRecords = async (
  call: PatientCall,
  requisitions: readonly { id: number; isDeleted: boolean }[],
  from: Patient,
  to: Patient,
): Promise<Moved> => {
  const { db } = call
  const ids = requisitions.map(({ id }) => id)
  await moveRequisitions(call, ids, from, to)
  const { rows: insurances } = await sql<{
    id: number
  }>`update insurance set patient_id = ${to.id} where patient_id = ${from.id} returning id`.execute(db)
  const { rows: changes } = await sql<{
    id: number
  }>`update patient_change set patient_id = ${to.id} where patient_id = ${from.id} returning id`.execute(db)
  const { rows: messages } = await sql<{
    id: number
  }>`update interface_message set patient_id = ${to.id} where patient_id = ${from.id} returning id`.execute(db)
  const { rows: numbers } = await sql<Moved['numbers'][number]>`
    update interface_patient set patient_id = ${to.id} where patient_id = ${from.id} returning partner_id, identifier, authority`.execute(
    db,
  )
  const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
  return {
    requisitions: ids,
    insurances: idsOf(insurances),
    changes: idsOf(changes),
    messages: idsOf(messages),
    numbers,
  }
}

/** Also deleted ones: they may be restored. Reports that print what differs between the records are held. */
const moveRequisitions = async (call: WriteCall, ids: readonly number[], from: Patient, to: Patient) => {
  const { db, actor, requestId } = call
  if (ids.length === 0) return
  await sql`select move_requisitions(${[...ids]}::bigint[], ${from.id}, ${to.id})`.execute(db)
  const named = ({ id, patientLastName, patientFirstName, patientDob }: Patient) => ({
    patientRecord: id,
    patientName: `${patientLastName}, ${patientFirstName}`,
    patientDob,
  })
  const [old, now] = [named(from), named(to)]
  const isSameName = old.patientName === now.patientName && old.patientDob === now.patientDob
  const [before, after] = isSameName ? [{ patientRecord: from.id }, { patientRecord: to.id }] : [old, now]
  await recordAudit(
    db,
    actor,
    requestId,
    ids.map((id) => ({
      entity: 'requisition',
      entityId: id,
      requisitionId: id,
      action: 'MERGE',
      old: before,
      new: after,
    })),
  )
  await propagateRecord(call, ids, from, to)
}

const recordMerge = ({ db, actor, requestId }: WriteCall, action: 'MERGE' | 'UNDO', gone: Patient, kept: Patient) =>
  recordAudit(db, actor, requestId, [
    { entity: 'patient', entityId: gone.id, action, old: { patientRecord: gone.id }, new: { patientRecord: kept.id } },
    { entity: 'patient', entityId: kept.id, action, new: { mergedRecord: gone.id } },
  ])

// ── undo ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Puts back what was moved and is still there; what came to the kept record later stays with it. */
export const undoMerge = async (call: PatientCall, id: number): Promise<{ id: number; reqIds: number[] }> => {
  const { db, actor } = call
  const found = await readMerge(db, id)
  await lockRecords(db, [found.keptId, found.goneId])
  const { keptId, goneId, moved, keptBefore, isOver, isUndone } = await readMerge(db, id)
  if (isUndone) throw conflict('The merge has been undone already')
  if (isOver) throw conflict(`A merge can be undone for ${mergeUndoDays} days`)
  const current = await findCurrentId(db, keptId)
  if (current !== keptId)
    throw conflict(`Patient ${keptId} has been merged into patient ${current} since. Please undo that first.`)
  await sql`update patient_merge set undone_at = now(), undone_by = ${actor.userId} where id = ${id}`.execute(db)
  await sql`update patient set deleted_at = null, version = version + 1 where id = ${goneId}`.execute(db)
  const [merged, gone] = [await getPatient(call, keptId), await getPatient(call, goneId)]
  const requisitions = await readRequisitions(db, keptId)
  const back = requisitions.filter((one) => moved.requisitions.includes(one.id))
  await moveRequisitions(
    call,
    back.map((one) => one.id),
    merged,
    gone,
  )
  await moveBack(db, moved, keptId, goneId)
  await restoreFields(
    call,
    merged,
    withSsn(keptBefore, (encrypted) => decryptSsn(call, encrypted)),
  )
  await recordMerge(call, 'UNDO', gone, merged)
  return { id, reqIds: back.filter(({ isDeleted }) => !isDeleted).map((one) => one.id) }
}

interface StoredMerge {
  keptId: number
  goneId: number
  moved: Moved
  keptBefore: KeptBefore
  isOver: boolean
  isUndone: boolean
}

const readMerge = async (trx: Trx, id: number): Promise<StoredMerge> => {
  const { rows } = await sql<StoredMerge>`
    select kept_id as "keptId", gone_id as "goneId", moved, kept_before as "keptBefore", undone_at is not null as "isUndone",
      merged_at + make_interval(days => ${mergeUndoDays}) <= now() as "isOver"
    from patient_merge where id = ${id} for update`.execute(trx)
  const [found] = rows
  if (!found) throw notFound('Merge')
  return found
}

const moveBack = async (trx: Trx, { insurances, changes, messages, numbers }: Moved, from: number, to: number) => {
  const move = (table: string, ids: readonly number[]) =>
    sql`update ${sql.table(table)} set patient_id = ${to} where id = any(${[...ids]}::bigint[]) and patient_id = ${from}`.execute(
      trx,
    )
  await move('insurance', insurances)
  await move('patient_change', changes)
  await move('interface_message', messages)
  await sql`update interface_patient x set patient_id = ${to} from json_to_recordset(${JSON.stringify(numbers)}::json)
      as m(partner_id int, identifier text, authority text)
    where x.partner_id = m.partner_id and x.identifier = m.identifier and x.authority = m.authority and x.patient_id = ${from}`.execute(
    trx,
  )
}

/** A field that somebody has corrected since keeps the correction. */
const restoreFields = async (call: PatientCall, kept: Patient, { before, after, isOptOutTaken }: KeptBefore) => {
  const now = { ...kept, patientSsn: await findSsn(call, kept.id) }
  const names = (Object.keys(before) as (keyof PatientInput)[]).filter((name) => now[name] === after[name])
  await correct(call, kept, Object.fromEntries(names.map((name) => [name, before[name]])))
  if (isOptOutTaken) await sql`update patient set is_notify_opt_out = false where id = ${kept.id}`.execute(call.db)
}

// ── the list ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The records that were merged into this one, or into the current one of this number. */
export const listMerges = async (db: Db, patientId: number): Promise<PatientMerge[]> => {
  const { rows } = await sql<{ row: PatientMerge }>`
    select row_to_json(x) as row from (
      select m.id, m.kept_id as "keepId", m.gone_id as "goneId", p.last_name || ', ' || p.first_name as "goneName", p.dob as "goneDob",
        array(select r.id from requisition r where r.id = any(array(select jsonb_array_elements_text(m.moved -> 'requisitions')::bigint))
          and r.deleted_at is null order by r.id) as "reqIds",
        case when m.merged_by is not null then (select concat_ws(' ', u.first_name, u.last_name) from app_user u where u.id = m.merged_by) end as "mergedBy",
        m.merged_at as "mergeDate", m.merged_at + make_interval(days => ${mergeUndoDays}) as "undoUntil",
        case when m.undone_by is not null then (select concat_ws(' ', u.first_name, u.last_name) from app_user u where u.id = m.undone_by) end as "undoneBy",
        m.undone_at as "undoDate",
        m.undone_at is null and m.merged_at + make_interval(days => ${mergeUndoDays}) > now() and current_patient_id(m.kept_id) = m.kept_id as "canUndo"
      from patient_merge m join patient p on p.id = m.gone_id
      where m.kept_id = any(merged_patient_ids(current_patient_id(${patientId})))
      order by m.id desc) x`.execute(db)
  return rows.map(({ row }) => row)
}
