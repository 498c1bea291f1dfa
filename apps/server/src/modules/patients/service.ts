import type { FieldError } from '@lis/contract/kit/errors.ts'
import { messages } from '@lis/contract/messages.ts'
import {
  type Patient,
  type PatientCoreInput,
  type PatientInput,
  patientCodes,
  patientLabels,
} from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { decrypt, deriveKey, encrypt } from '../../platform/encryption.ts'
import { invalidFields, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Services } from '../../platform/services.ts'
import { type IsActiveCode, isZipValidForState, unknownCodes } from '../lookups/queries.ts'
import { findCountryOfState, findPatient, findPatients, lockPatient } from './queries.ts'

/** A write that may touch a social security number, which is encrypted with the installation's secret. */
export type PatientCall = WriteCall & { services: { config: Pick<Services['config'], 'secret'> } }

type Fields = Partial<PatientInput>

const ssnKey = ({ services }: PatientCall) => deriveKey(services.config.secret, 'patient-ssn')

/** Added to the audit entry, which then also shows in the history of the requisition. */
interface AuditContext {
  requisitionId?: number
  /** The answer of the user to the confirmation. */
  reason?: string | undefined
}

export const getPatient = async ({ db }: { db: Db }, id: number): Promise<Patient> => {
  const found = await findPatient(db, id)
  if (!found) throw notFound('Patient')
  return found
}

/** Locks a patient that the actor may see, or the one it was merged into; one out of scope is not found. */
export const lockVisiblePatient = async ({ db, actor }: WriteCall, id: number): Promise<Patient> => {
  const locked = await lockPatient(db, actor, id)
  if (locked === undefined) throw notFound('Patient')
  return getPatient({ db }, locked)
}

/** Creates the patient; the caller has looked for one of the same name and birth date. */
export const createPatient = async (
  call: PatientCall,
  input: PatientCoreInput & Fields,
  audit: AuditContext,
): Promise<Patient> => {
  const { db, actor, requestId } = call
  const { patientLastName: last, patientFirstName: first, patientDob: dob } = input
  const columns = await columnsOf(call, input, null)
  const { id } = await db
    .insertInto('patient')
    .values({ first_name: first, last_name: last, dob, gender_code: input.patientGenderCode, ...columns })
    .returning('id')
    .executeTakeFirstOrThrow()
  const created = await getPatient({ db }, id)
  await recordAudit(db, actor, requestId, {
    entity: 'patient',
    entityId: id,
    ...audit,
    action: 'CREATE',
    new: readable(created),
  })
  return created
}

/** Creates many, already checked for duplicates and codes. The ids are in the order of `people`. */
export const createPatients = async (
  call: PatientCall,
  people: readonly { input: PatientCoreInput; requisitionId: number }[],
): Promise<number[]> => {
  const { db, actor, requestId } = call
  if (people.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('patient', 'id'))::bigint as id from generate_series(1, ${people.length}::int)`.execute(
    db,
  )
  const ids = rows.map(({ id }) => Number(id))
  await db
    .insertInto('patient')
    .values(
      people.map(({ input }, index) => ({
        id: ids[index] as number,
        first_name: input.patientFirstName,
        last_name: input.patientLastName,
        dob: input.patientDob,
        gender_code: input.patientGenderCode,
        ...changedColumns(call, input, null),
      })),
    )
    .execute()
  const created = new Map((await findPatients(db, ids)).map((patient) => [patient.id, patient]))
  await recordAudit(
    db,
    actor,
    requestId,
    people.map(({ requisitionId }, index) => ({
      entity: 'patient',
      entityId: ids[index] as number,
      requisitionId,
      action: 'CREATE',
      new: readable(created.get(ids[index] as number) as Patient),
    })),
  )
  return ids
}

/** Changes the sent fields. Without a difference nothing is written and the version stays. */
export const changePatient = async (
  call: PatientCall,
  before: Patient,
  sent: Fields,
  expected: number | null,
  audit: AuditContext = {},
): Promise<Patient> => {
  const { db, actor, requestId } = call
  await requireVersion(db, 'patient', expected, before)
  const columns = await columnsOf(call, sent, before)
  if (Object.keys(columns).length === 0) return before
  await db
    .updateTable('patient')
    .set({ ...columns, version: sql<number>`version + 1` })
    .where('id', '=', before.id)
    .execute()
  const after = await getPatient({ db }, before.id)
  await recordAudit(db, actor, requestId, {
    entity: 'patient',
    entityId: before.id,
    ...audit,
    action: 'EDIT',
    ...differences(readable(before), readable(after)),
  })
  return after
}

/** Returns the full number and records that in the audit. */
export const revealSsn = async (call: PatientCall, id: number, audit: AuditContext): Promise<string | null> => {
  const { db, actor, requestId } = call
  const ssn = await findSsn(call, id)
  if (ssn === null) return null
  await recordAudit(db, actor, requestId, { entity: 'patient', entityId: id, ...audit, action: 'SSN' })
  return ssn.replace(/^(\d{3})(\d{2})(\d{4})$/, '$1-$2-$3')
}

/** The digits of the number, for comparing and copying; they are never displayed. */
export const findSsn = async (call: PatientCall, id: number): Promise<string | null> => {
  const row = await call.db.selectFrom('patient').select('ssn_encrypted').where('id', '=', id).executeTakeFirst()
  return row?.ssn_encrypted ? decrypt(ssnKey(call), row.ssn_encrypted) : null
}

/** The encrypted number, for a record of old values. */
export const encryptSsn = (call: PatientCall, ssn: string | null): string | null =>
  ssn === null ? null : encrypt(ssnKey(call), ssn).toString('base64')
export const decryptSsn = (call: PatientCall, encrypted: string | null): string | null =>
  encrypted === null ? null : decrypt(ssnKey(call), Buffer.from(encrypted, 'base64'))

/** Compares a number with the encrypted one without revealing it; null if there is none. */
export const isSameSsn = (call: PatientCall, encrypted: Buffer | null, ssn: string): boolean | null =>
  encrypted ? decrypt(ssnKey(call), encrypted) === ssn : null

/** The codes that are not in their lookup lists. */
export const patientCodeFaults = (sent: Fields, isActive: IsActiveCode): FieldError[] =>
  (Object.keys(patientCodes) as (keyof typeof patientCodes)[])
    .filter((field) => !isActive(patientCodes[field], sent[field] ?? null))
    .map(fault)

/** What differs between two records, for the audit. */
export const differences = (old: Record<string, unknown>, now: Record<string, unknown>) => {
  const names = Object.keys(now).filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
  const pick = (record: Record<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, record[name] ?? null]))
  return { old: pick(old), new: pick(now) }
}

/** For the audit: names instead of ids, and only the last digits of the social security number. */
const readable = ({ id: _, version: __, patientStateId: ___, patientCountryId: ____, ...rest }: Patient) => {
  const { patientGenderDesc, patientRaceDesc, patientEthnicityDesc, patientStateCode, ...readableFields } = rest
  return readableFields
}

// ── rules and columns ───────────────────────────────────────────────────────────────────────────────────────────────

const columnNames = {
  patientFirstName: 'first_name',
  patientMiddleName: 'middle_name',
  patientLastName: 'last_name',
  patientDob: 'dob',
  patientGenderCode: 'gender_code',
  patientRaceCode: 'race_code',
  patientEthnicityCode: 'ethnicity_code',
  patientAddr1: 'addr1',
  patientAddr2: 'addr2',
  patientCity: 'city',
  patientStateId: 'state_id',
  patientCountryId: 'country_id',
  patientZip: 'zip',
  patientEmail: 'email',
  patientHomePhone: 'home_phone',
  patientWorkPhone: 'work_phone',
} as const
type Plain = keyof typeof columnNames

/** The columns that change, checked against the database. */
const columnsOf = async (call: PatientCall, sent: Fields, before: Patient | null) => {
  const wanted = await withCountry(call, sent, before)
  const names = changedNames(wanted, before)
  await requireKnownCodes(call, wanted, names)
  if (names.includes('patientZip') || names.includes('patientStateId')) {
    const stateId = wanted.patientStateId ?? before?.patientStateId ?? null
    const zip = wanted.patientZip === undefined ? (before?.patientZip ?? null) : wanted.patientZip
    if (!(await isZipValidForState(call.db, stateId, zip))) throw invalidFields([fault('patientZip')])
  }
  return changedColumns(call, wanted, before)
}

const changedNames = (wanted: Fields, before: Patient | null) =>
  (Object.keys(columnNames) as Plain[]).filter(
    (name) => wanted[name] !== undefined && wanted[name] !== (before?.[name] ?? null),
  )

const changedColumns = (call: PatientCall, wanted: Fields, before: Patient | null) => {
  const names = changedNames(wanted, before)
  const columns: Record<string, unknown> = Object.fromEntries(names.map((name) => [columnNames[name], wanted[name]]))
  const { patientSsn: ssn } = wanted
  if (ssn !== undefined && !(ssn === null && (before?.patientSsn ?? null) === null)) {
    columns.ssn_encrypted = ssn === null ? null : encrypt(ssnKey(call), ssn)
    columns.ssn_last4 = ssn === null ? null : ssn.slice(-4)
  }
  return columns as { ethnicity_code?: string }
}

const fault = (field: keyof typeof patientLabels): FieldError => ({
  field,
  message: messages.invalid(patientLabels[field]),
})

/** A state sets its country; both must belong together. */
const withCountry = async ({ db }: WriteCall, sent: Fields, before: Patient | null): Promise<Fields> => {
  const { patientStateId: stateId, patientCountryId: countryId } = sent
  if (stateId === undefined && countryId === undefined) return sent
  const state = stateId === undefined ? before?.patientStateId : stateId
  if (state == null) return sent
  const country = await findCountryOfState(db, state)
  if (country === undefined) throw invalidFields([fault('patientStateId')])
  if (countryId != null && countryId !== country) throw invalidFields([fault('patientStateId')])
  return { ...sent, patientCountryId: country }
}

const requireKnownCodes = async ({ db }: WriteCall, wanted: Fields, changed: readonly Plain[]) => {
  const codes = Object.entries(patientCodes)
    .filter(([field]) => changed.includes(field as Plain))
    .map(([field, type]) => ({ field, type, code: (wanted[field as Plain] ?? null) as string | null }))
  const wrong = await unknownCodes(db, codes)
  if (wrong.length > 0) throw invalidFields(wrong.map(({ field }) => fault(field as keyof typeof patientCodes)))
}
