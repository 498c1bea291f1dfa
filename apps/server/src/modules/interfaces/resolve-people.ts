import type { Patient } from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { findPatient } from '../patients/queries.ts'
import type { IncomingOrder, IncomingPatient, IncomingPerson, Problem } from './incoming-order.ts'
import type { Choices } from './message-store.ts'
import type { Partner } from './partner-queries.ts'

export interface ClientOfOrder {
  id: number
  name: string
  zone: string
  collaborator_id: number
  lab_id: number | null
  event_id: number | null
}

/** The client of the partner; for the partner of a collaborator, the client named in the order. */
export const findClient = async (
  db: Db,
  partner: Partner,
  codes: readonly string[],
): Promise<ClientOfOrder | undefined> => {
  const which =
    partner.client_id !== null
      ? sql`c.id = ${partner.client_id}`
      : sql`c.collaborator_id = ${partner.collaborator_id} and (upper(c.legacy_client_id) = upper(w.code) or c.ext_id = w.code)`
  const asked = partner.client_id !== null ? [''] : [...codes]
  const { rows } = await sql<ClientOfOrder & { place: number }>`
    select w.place::int as place, c.id, c.name, c.zone, c.collaborator_id,
      (select l.id from client_lab x join lab l on l.id = x.lab_id and l.deleted_at is null where x.client_id = c.id
        order by l.is_default desc, l.id limit 1) as lab_id,
      (select e.id from client_event e join program g on g.id = e.program_id where e.client_id = c.id and e.deleted_at is null
        order by g.is_default desc, e.id limit 1) as event_id
    from unnest(${asked}::text[]) with ordinality as w(code, place) join client c on ${which}
    where c.deleted_at is null order by w.place, c.id limit 2`.execute(db)
  const [first, second] = rows
  // Two clients under one code of the collaborator: which one is meant must not be guessed.
  return second && second.place === first?.place ? undefined : first
}

export interface PhysicianOfOrder {
  /** Of the pair of client and physician. */
  pair_id: number
  id: number
  name: string
  npi: string
}

export const listPhysicians = async (db: Db, clientId: number): Promise<PhysicianOfOrder[]> => {
  const { rows } = await sql<PhysicianOfOrder>`
    select cp.id as pair_id, ph.id, ph.last_name || ', ' || ph.first_name as name, ph.npi_number as npi
    from client_physician cp join physician ph on ph.id = cp.physician_id and ph.deleted_at is null
    where cp.client_id = ${clientId} and cp.deleted_at is null order by lower(ph.last_name), lower(ph.first_name), ph.id`.execute(
    db,
  )
  return rows
}

/** By NPI, else by name, among the physicians of the client; one that a person has chosen comes first. */
export const findPhysician = async (
  db: Db,
  clientId: number,
  person: IncomingPerson | null,
  chosenId: number | undefined,
): Promise<PhysicianOfOrder | undefined> => {
  const { rows } = await sql<PhysicianOfOrder>`
    select cp.id as pair_id, ph.id, ph.last_name || ', ' || ph.first_name as name, ph.npi_number as npi
    from client_physician cp join physician ph on ph.id = cp.physician_id and ph.deleted_at is null
    where cp.client_id = ${clientId} and cp.deleted_at is null and case
      when ${chosenId ?? null}::bigint is not null then ph.id = ${chosenId ?? null}::bigint
      when ph.npi_number = ${person?.npi ?? ''} then true
      else sort_key(ph.last_name) = sort_key(${person?.lastName ?? ''}) and sort_key(ph.first_name) = sort_key(${person?.firstName ?? ''}) end
    order by ph.npi_number = ${person?.npi ?? ''} desc, ph.id limit 2`.execute(db)
  const [first, second] = rows
  const isUnique = !second || chosenId !== undefined || (first?.npi === person?.npi && second.npi !== person?.npi)
  return isUnique ? first : undefined
}

/** A well-formed NPI that belongs to another physician contradicts the name. */
export const physicianProblem = (person: IncomingPerson | null, path: string): Problem => {
  if (!person) return { code: 'MISSING_FIELD', path, value: '', message: 'The ordering physician is missing' }
  const name = [person.lastName, person.firstName].filter(Boolean).join(', ')
  const value = person.npi || name
  return {
    code: 'UNKNOWN_PHYSICIAN',
    path,
    value,
    message: `Unknown physician ${[name, person.npi].filter(Boolean).join(' ')}`,
  }
}

// ── the patient ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface PatientOfOrder {
  /** Null for a new patient, or while the patient is not determined. */
  known: Patient | null
  problems: Problem[]
  candidates: Candidate[]
}

export interface Candidate {
  patientId: number
  why: string
}

const none: Omit<PatientOfOrder, 'problems'> = { known: null, candidates: [] }

/**
 * The patients of the partner's numbers in the message. A number stored with only the namespace of its authority is found by
 * that namespace, until the full authority is known.
 */
export const findByIdentifiers = async (
  db: Db,
  partnerId: number,
  identifiers: IncomingPatient['identifiers'],
): Promise<number[]> => {
  const { rows } = await sql<{ patient_id: number }>`
    select distinct x.patient_id from unnest(${identifiers.map(({ identifier }) => identifier)}::text[], ${identifiers.map(({ authority }) => authority)}::text[]) as w(identifier, authority)
      join interface_patient x on x.partner_id = ${partnerId} and x.identifier = w.identifier and x.authority = case
        when exists (select from interface_patient e where e.partner_id = ${partnerId} and e.identifier = w.identifier and e.authority = w.authority)
          then w.authority
        when exists (select from interface_partner i where i.id = ${partnerId} and i.kind = 'HL7') then nullif(split_part(w.authority, '&', 1), '') end
      join patient p on p.id = x.patient_id and p.deleted_at is null`.execute(db)
  return rows.map((row) => row.patient_id)
}

interface Alike {
  id: number
  same_name: boolean
  same_dob: boolean
  same_sex: boolean
  gender_code: string
}

export const conflictProblem = (
  order: { patient: IncomingPatient; paths: Pick<IncomingOrder['paths'], 'patient'> },
  message: string,
): Problem => ({
  code: 'PATIENT_CONFLICT',
  path: order.paths.patient,
  value: order.patient.identifiers[0]?.identifier ?? '',
  message,
})

/**
 * Finds the patient by the partner's own number or by name, birth date and sex. Contradictions and several matches are problems
 * for a user; the patient is never guessed.
 */
export const findOrderPatient = async (
  db: Db,
  partner: Partner,
  order: Pick<IncomingOrder, 'patient' | 'paths' | 'patientId'>,
  choices: Choices,
): Promise<PatientOfOrder> => {
  const { patient } = order
  const named = choices.newPatient ? undefined : (choices.patientId ?? order.patientId)
  if (named !== undefined) {
    const known = await findPatient(db, named)
    return known ? { ...none, known, problems: [] } : unresolved(order, 'The chosen patient does not exist', [])
  }
  if (choices.newPatient) return { ...none, problems: missingIdentity(order) }
  const numbered = await findByIdentifiers(db, partner.id, patient.identifiers)
  if (numbered.length > 1)
    return unresolved(order, 'The identifiers belong to different patients', numbered.map(likely('same MRN')))
  const [own] = numbered
  if (own !== undefined) return checkOwn(db, order, own)
  const missing = missingIdentity(order)
  if (missing.length > 0) return { ...none, problems: missing }
  return findAlike(db, order)
}

const likely = (why: string) => (patientId: number) => ({ patientId, why })

const unresolved = (
  order: Pick<IncomingOrder, 'patient' | 'paths'>,
  message: string,
  candidates: Candidate[],
): PatientOfOrder => ({ known: null, problems: [conflictProblem(order, message)], candidates })

const missingIdentity = ({ patient, paths }: Pick<IncomingOrder, 'patient' | 'paths'>): Problem[] => [
  ...(patient.firstName === ''
    ? [{ code: 'MISSING_FIELD' as const, path: paths.name, value: '', message: 'The first name is missing' }]
    : []),
  ...(patient.dob
    ? []
    : [{ code: 'MISSING_FIELD' as const, path: paths.dob, value: '', message: 'The birth date is missing' }]),
  ...(patient.sex
    ? []
    : [{ code: 'MISSING_FIELD' as const, path: paths.sex, value: '', message: 'The sex is missing' }]),
]

/** The patient of this number must have the same last name, birth date and sex; missing fields do not contradict. */
const checkOwn = async (
  db: Db,
  order: Pick<IncomingOrder, 'patient' | 'paths'>,
  id: number,
): Promise<PatientOfOrder> => {
  const known = (await findPatient(db, id)) as Patient
  const differences = await contradictions(db, known, order.patient)
  if (differences.length === 0) return { known, problems: [], candidates: [] }
  return {
    known: null,
    problems: [conflictProblem(order, `The patient of this identifier has another ${differences.join(', another ')}`)],
    candidates: [{ patientId: id, why: 'same MRN' }, ...(await findSimilar(db, order.patient, id))],
  }
}

/** Which of last name, birth date and sex differ. Case, accents and spaces alone are no difference. */
export const contradictions = async (db: Db, known: Patient, patient: IncomingPatient): Promise<string[]> => {
  const { rows } = await sql<{
    is_same: boolean
  }>`select regexp_replace(sort_key(normalize(${known.patientLastName}::text, NFC)), '\\s', '', 'g')
    = regexp_replace(sort_key(normalize(${patient.lastName}::text, NFC)), '\\s', '', 'g') as is_same`.execute(db)
  return [
    ...(rows[0]?.is_same ? [] : ['last name']),
    ...(patient.dob && patient.dob !== known.patientDob ? ['birth date'] : []),
    ...(patient.sex && patient.sex !== known.patientGenderCode ? ['sex'] : []),
  ]
}

const findAlike = async (db: Db, order: Pick<IncomingOrder, 'patient' | 'paths'>): Promise<PatientOfOrder> => {
  const { patient } = order
  const { rows } =
    await sql<Alike>`select p.id, true as same_name, true as same_dob, p.gender_code = ${patient.sex} as same_sex, p.gender_code
    from patient p where p.dob = ${patient.dob}::date and p.name_key = sort_key(${`${patient.lastName}, ${patient.firstName}`})
      and p.deleted_at is null order by p.id limit 20`.execute(db)
  const same = rows.filter((row) => row.same_sex)
  const [only] = same
  if (only && same.length === 1) return { ...none, known: (await findPatient(db, only.id)) ?? null, problems: [] }
  if (same.length > 1)
    return unresolved(
      order,
      `${same.length} patients look alike`,
      same.map(({ id }) => ({ patientId: id, why: 'same name, birth date and sex' })),
    )
  if (rows.length > 0)
    return unresolved(
      order,
      'A patient of this name and birth date has another sex',
      rows.map(({ id }) => ({ patientId: id, why: 'other sex' })),
    )
  return { ...none, problems: [] }
}

/** Similar patients: the same birth date and last name, or the same full name. */
const findSimilar = async (db: Db, patient: IncomingPatient, besides: number): Promise<Candidate[]> => {
  const { rows } = await sql<{
    id: number
    same_dob: boolean
  }>`select p.id, p.dob = ${patient.dob ?? null}::date as same_dob from patient p
    where p.deleted_at is null and p.id <> ${besides} and (p.name_key = sort_key(${`${patient.lastName}, ${patient.firstName}`})
      or (p.dob = ${patient.dob ?? null}::date and p.name_key like sort_key(${patient.lastName}) || ',%'))
    order by p.dob = ${patient.dob ?? null}::date desc nulls last, p.id limit 5`.execute(db)
  return rows.map(({ id, same_dob: sameDob }) => ({ patientId: id, why: sameDob ? 'same birth date' : 'same name' }))
}
