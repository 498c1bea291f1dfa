import { type Patient, patientLabels } from '@lis/contract/patients.ts'
import type { RequisitionInput } from '@lis/contract/requisitions/create.ts'
import { sql } from 'kysely'
import { invalid, invalidFields } from '../../platform/errors.ts'
import { isSameSsn } from '../patients/service.ts'
import type { LoadCall } from './loader.ts'
import type { OrderRow } from './order-rows.ts'

/** Fields that distinguish people of the same name, birth date and sex. */
const distinguishingFields = ['patientMiddleName', 'patientSsn'] as const

type Completable = Pick<Patient, 'patientMiddleName' | 'patientRaceCode' | 'patientEthnicityCode'>

/** A possible patient of a row: from the database or from an earlier row. */
export interface Person extends Completable {
  /** Negative while not stored. */
  id: number
  middleKey: string
  hasSsn: boolean
  /** Null where no number is stored. */
  isOwnSsn: (ssn: string) => boolean | null
  /** Has an order of this client that is not deleted; `isInUse`: of any client. */
  isOrderedHere: boolean
  isInUse: boolean
}

/** Groups the patients of a client by name, birth date and sex. */
export const groupKey = ({ input: { clientId, patientGenderCode }, patientKey }: OrderRow) =>
  `${clientId} ${patientGenderCode} ${patientKey}`

/**
 * Patients of the database with an order of the same client, deleted orders included, by position of the row. `isHeld` locks them, so a
 * concurrent correction is waited for and not overwritten with the old values.
 */
export const findNamesakes = async (
  call: LoadCall,
  orders: readonly OrderRow[],
  isHeld: boolean,
): Promise<Map<number, Person[]>> => {
  type Row = Completable &
    Pick<Person, 'id' | 'middleKey' | 'isOrderedHere' | 'isInUse'> & { place: number; ssn: Buffer | null }
  const order = sql`select from requisition r where r.patient_id = p.id`
  const { rows } = await sql<Row>`
    select w.place::int - 1 as place, p.id, sort_key(p.middle_name) as "middleKey", p.ssn_encrypted as ssn, p.middle_name as "patientMiddleName",
      p.race_code as "patientRaceCode", p.ethnicity_code as "patientEthnicityCode",
      exists (${order} and r.client_id = w.client_id and r.deleted_at is null) as "isOrderedHere",
      exists (${order} and r.deleted_at is null) as "isInUse"
    from unnest(${orders.map(({ nameKey }) => nameKey)}::text[], ${orders.map(({ input }) => input.patientDob)}::date[],
        ${orders.map(({ input }) => input.patientGenderCode)}::text[], ${orders.map(({ input }) => input.clientId)}::int[])
        with ordinality as w(name_key, dob, gender_code, client_id, place)
      join patient p on p.dob = w.dob and p.name_key = w.name_key and p.gender_code = w.gender_code and p.deleted_at is null
    where exists (${order} and r.client_id = w.client_id)
    order by p.id ${isHeld ? sql`for no key update of p` : sql``}`.execute(call.db)
  return Map.groupBy(
    rows.map(({ ssn, ...row }) => ({
      ...row,
      hasSsn: ssn !== null,
      isOwnSsn: (given: string) => isSameSsn(call, ssn, given),
    })),
    ({ place }) => place,
  )
}

/** A new patient, as later rows will find them. */
export const newPerson = (id: number, { input, middleKey }: OrderRow): Person => ({
  id,
  patientMiddleName: input.patientMiddleName,
  patientRaceCode: input.patientRaceCode,
  patientEthnicityCode: input.patientEthnicityCode,
  middleKey,
  ...ssnOf(input.patientSsn),
  isOrderedHere: true,
  isInUse: true,
})

const ssnOf = (ssn: string | null | undefined): Pick<Person, 'hasSsn' | 'isOwnSsn'> => ({
  hasSsn: Boolean(ssn),
  isOwnSsn: (given) => (ssn ? ssn === given : null),
})

/**
 * Somebody of the same name (ignoring case and accents), birth date and sex with an order of the same client is the same person;
 * otherwise the patient is new. Whose sample it is must not be guessed: where there are several, or the row contradicts the only one,
 * the row is refused.
 */
export const choosePerson = (people: readonly Person[], row: OrderRow): Person | null => {
  const all = people.map((person) => ({ person, ...compared(person, row) }))
  const ordered = all.filter(({ person }) => person.isOrderedHere)
  // Data from deleted orders only, perhaps of a wrong load, does not contradict a row that may correct that load.
  const candidates = ordered.length > 0 ? ordered : all.filter(({ contradicted }) => contradicted.length === 0)
  const [only, ...others] = candidates
  if (!only) return null
  if (others.length === 0) {
    if (only.contradicted.length > 0)
      throw invalidFields(
        only.contradicted.map((field) => ({
          field,
          message: `The known patient of this name, birth date and sex has another ${patientLabels[field]}`,
        })),
      )
    return only.person
  }
  const [meant, ...more] = candidates.filter(({ contradicted, isMeant }) => isMeant && contradicted.length === 0)
  if (!meant || more.length > 0)
    throw invalid(
      'patientLastName',
      `${candidates.length} patients of this client have this name, birth date and sex, and neither patientSsn nor patientMiddleName tells which one is meant`,
    )
  return meant.person
}

/** The fields in which the row contradicts a person, and whether any distinguishing field agrees. */
const compared = (person: Person, { input, middleKey }: OrderRow) => {
  const agrees: Record<(typeof distinguishingFields)[number], boolean | null> = {
    patientMiddleName: isSameMiddleName(person.middleKey, middleKey),
    patientSsn: input.patientSsn ? person.isOwnSsn(input.patientSsn) : null,
  }
  return {
    contradicted: distinguishingFields.filter((field) => agrees[field] === false),
    isMeant: distinguishingFields.some((field) => agrees[field] === true),
  }
}

/** An initial agrees with every name that begins with it; null where one of the two is empty. */
const isSameMiddleName = (known: string, given: string): boolean | null => {
  const [one, other] = [known, given].map((name) => name.replace(/[^\p{L}\p{N}]/gu, '')) as [string, string]
  if (!one || !other) return null
  return one.length === 1 || other.length === 1 ? one[0] === other[0] : one === other
}

export type MissingDetails = Partial<Completable & Pick<RequisitionInput, 'patientSsn'>>

/**
 * What only the row knows about an existing patient. Stored values are not overwritten while an order uses them; for a patient whose
 * orders were all deleted the row may correct fields that do not distinguish people.
 */
export const missingDetails = (known: Person, { input: row }: OrderRow): MissingDetails => {
  const [first, then] = known.isInUse ? [known, row] : [row, known]
  const wanted: Completable = {
    patientMiddleName: known.patientMiddleName ?? row.patientMiddleName,
    patientRaceCode: first.patientRaceCode ?? then.patientRaceCode,
    patientEthnicityCode: isSaid(first.patientEthnicityCode) ? first.patientEthnicityCode : then.patientEthnicityCode,
  }
  const changed = (Object.keys(wanted) as (keyof Completable)[]).filter((name) => wanted[name] !== known[name])
  return {
    ...Object.fromEntries(changed.map((name) => [name, wanted[name]])),
    ...(row.patientSsn && !known.hasSsn && { patientSsn: row.patientSsn }),
  }
}
const isSaid = (ethnicity: string | null): ethnicity is string => ethnicity !== null && ethnicity !== 'NA'

/** The person after the row is stored. */
export const withDetails = (known: Person, completion: MissingDetails, { middleKey }: OrderRow): Person => {
  const { patientSsn, ...rest } = completion
  return {
    ...known,
    ...rest,
    ...(rest.patientMiddleName !== undefined && { middleKey }),
    ...(patientSsn && ssnOf(patientSsn)),
    isOrderedHere: true,
    isInUse: true,
  }
}
