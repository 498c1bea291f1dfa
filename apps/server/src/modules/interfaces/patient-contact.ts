import { type Patient, type PatientInput, patientContact } from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { isZipValidForState } from '../lookups/queries.ts'
import { changePatient, type PatientCall } from '../patients/service.ts'
import type { IncomingPatient } from './incoming-order.ts'

export type Contact = Partial<
  Pick<
    PatientInput,
    | 'patientAddr1'
    | 'patientAddr2'
    | 'patientCity'
    | 'patientStateId'
    | 'patientZip'
    | 'patientHomePhone'
    | 'patientWorkPhone'
  >
>

/** A state of the United States by its two letters, or any state by its name. */
export const findState = async (db: Db, code: string): Promise<{ id: number } | undefined> => {
  if (code === '') return undefined
  const { rows } = await sql<{ id: number }>`select s.id from state s join country c on c.id = s.country_id
    where (c.iso2 = 'US' and s.code = upper(${code})) or lower(s.long_name) = lower(${code}) order by c.iso2 = 'US' desc, s.id limit 1`.execute(
    db,
  )
  return rows[0]
}

/** Address and phones that can be stored; invalid ones are left out, because they must not hold the order. */
export const readContact = async (db: Db, before: Patient, sent: IncomingPatient): Promise<Contact> => {
  const state = sent.state ? await findState(db, sent.state) : undefined
  const wanted = {
    patientAddr1: sent.addr1,
    patientAddr2: sent.addr2,
    patientCity: sent.city,
    patientZip: sent.zip,
    patientHomePhone: sent.homePhone,
    patientWorkPhone: sent.workPhone,
  }
  const contact: Contact = {}
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined) continue
    const parsed = patientContact[name as keyof typeof wanted].safeParse(value)
    if (parsed.success) Object.assign(contact, { [name]: parsed.data })
  }
  if (state) contact.patientStateId = state.id
  const zip = contact.patientZip === undefined ? before.patientZip : contact.patientZip
  if (!(await isZipValidForState(db, contact.patientStateId ?? before.patientStateId, zip))) {
    delete contact.patientZip
    delete contact.patientStateId
  }
  return contact
}

/** Stores address and phones of a message. With `isOnlyMissing` existing values are kept. */
export const saveContact = async (
  call: PatientCall,
  patient: Patient,
  sent: IncomingPatient,
  { requisitionId, isOnlyMissing }: { requisitionId: number; isOnlyMissing: boolean },
): Promise<Patient> => {
  const contact = await readContact(call.db, patient, sent)
  const hasAddress = [patient.patientAddr1, patient.patientCity, patient.patientZip].some((part) => part !== null)
  const names = Object.keys(contact) as (keyof Contact)[]
  const isPhone = (name: keyof Contact) => name === 'patientHomePhone' || name === 'patientWorkPhone'
  const kept = names.filter((name) => !isOnlyMissing || (isPhone(name) ? patient[name] === null : !hasAddress))
  if (kept.length === 0) return patient
  const change = Object.fromEntries(kept.map((name) => [name, contact[name]])) as Contact
  return changePatient(call, patient, change, null, { requisitionId })
}
