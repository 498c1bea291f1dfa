import { parseDate } from '@lis/contract/kit/date-range.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { type Patient, type PatientRow, patientMessages } from '@lis/contract/patients.ts'
import { withSingleSpaces } from '@lis/contract/validation.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { invalid } from '../../platform/errors.ts'
import { type Condition, escapeLike, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { currentPatientId, isPatientInScope, requisitionsOfPatient } from '../requisition-record/queries.ts'

const fields = {
  id: sql`p.id`,
  patientFirstName: sql`p.first_name`,
  patientMiddleName: sql`p.middle_name`,
  patientLastName: sql`p.last_name`,
  patientDob: sql`p.dob`,
  patientGenderCode: sql`p.gender_code`,
  patientGenderDesc: lookupDescriptionOrCode('GENDER', sql`p.gender_code`),
  patientRaceCode: sql`p.race_code`,
  patientRaceDesc: lookupDescriptionOrCode('RACE', sql`p.race_code`),
  patientEthnicityCode: sql`p.ethnicity_code`,
  patientEthnicityDesc: lookupDescriptionOrCode('ETHNICITY', sql`p.ethnicity_code`),
  patientSsn: sql`'•••-••-' || p.ssn_last4`,
  patientAddr1: sql`p.addr1`,
  patientAddr2: sql`p.addr2`,
  patientCity: sql`p.city`,
  patientStateId: sql`p.state_id`,
  patientState: sql`s.long_name`,
  patientStateCode: sql`s.code`,
  patientCountryId: sql`p.country_id`,
  patientCountry: sql`c.long_name`,
  patientZip: sql`p.zip`,
  patientEmail: sql`p.email`,
  patientHomePhone: sql`p.home_phone`,
  patientWorkPhone: sql`p.work_phone`,
  version: sql`p.version`,
}
const from = sql`patient p left join state s on s.id = p.state_id left join country c on c.id = p.country_id`

/** Suggestions: the ids are found in the narrow table, and expensive fields are computed only for the few rows that are shown. */
export const patientList = (actor: Actor): ListDefinition => ({
  from,
  keys: { from: sql`patient p`, key: sql`p.id` },
  where: [sql`p.deleted_at is null`, isPatientInScope(actor, sql`p.id`)],
  fields: {
    ...fields,
    reqCount: sql`(select count(*) ${requisitionsOfPatient(actor, sql`p.id`)})::int`,
  },
  sort: { patientLastName: sql`p.name_key` },
  filter: {
    id: isOneOfCurrentIds,
    patientFirstName: beginsWith(sql`sort_key(p.first_name)`),
    patientMiddleName: beginsWith(sql`sort_key(coalesce(p.middle_name, ''))`),
    patientLastName: beginsWith(sql`p.name_key`),
    patientDob: (value) => sql`p.dob = ${requireDay(value)}::date`,
    patientGenderCode: isOneOf(sql`p.gender_code`),
    search: (value) => searchCondition(textOf(value)),
  },
  // Not ordered by the key: the planner would read its index backwards through all patients to find a rare name.
  defaultOrder: sql`p.created_at desc`,
  key: sql`p.id`,
  maxRows: 20,
})

/** The number of a record that was merged finds the kept one. */
function isOneOfCurrentIds(value: FilterValue) {
  const ids = sql`select p.id from patient p where ${isOneOfIds(sql`p.id`, 'id')(value)}`
  return sql`p.id = any(array(select current_patient_id(asked.id) from (${ids}) asked))`
}

const textOf = (value: FilterValue) => [value].flat().join(' ').trim()

/** By the beginning, without regard to case and accents. */
function beginsWith(expression: ReturnType<typeof sql>): Condition {
  return (value) => sql`${expression} like sort_key(${escapeLike(withSingleSpaces(textOf(value)))}) || '%'`
}

const requireDay = (value: FilterValue): string => {
  const day = parseDate(textOf(value))
  if (!day) throw invalid('filter', 'patientDob: Invalid date')
  return day
}

/** One text of names and a birth date in any order: 'Jon Smith 1/2/60'. */
export const readSearch = (text: string, today = new Date().toISOString().slice(0, 10)) => {
  const words: string[] = []
  let days: string[] | undefined
  for (const token of text.split(/[\s,]+/).filter(Boolean)) {
    const parts = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{2}|\d{4})$/.exec(token)
    const years = parts?.[3]?.length === 2 ? [`19${parts[3]}`, `20${parts[3]}`] : [parts?.[3]]
    const found = parts
      ? years.flatMap((year) => parseDate(`${parts[1]}/${parts[2]}/${year}`) ?? []).filter((day) => day <= today)
      : [parseDate(token)].flatMap((day) => day ?? [])
    if (parts || found.length > 0) days = [...(days ?? []), ...found]
    else words.push(token)
  }
  return { words, days }
}

/** Every word is the beginning of a name of patient `p`, and one of the birth dates is theirs. */
export const searchCondition = (text: string) => {
  const { words, days } = readSearch(text)
  const each = words.map((word) => {
    const begin = sql`sort_key(${escapeLike(word)}) || '%'`
    return sql`(p.name_key like ${begin} or p.name_key like '% ' || ${begin})`
  })
  return sql.join([...each, ...(days ? [sql`p.dob = any(${days}::date[])`] : [sql`true`])], sql` and `)
}

/** Refuses a search that would match too many, such as by one letter (PAT-G8). */
export const requireNarrowSearch = (filters: Record<string, FilterValue>) => {
  const isLong = (value: FilterValue | undefined) => value !== undefined && textOf(value).length >= 2
  const { words, days } = readSearch(textOf(filters.search ?? ''))
  const isNarrow =
    filters.id !== undefined ||
    filters.patientDob !== undefined ||
    isLong(filters.patientLastName) ||
    days !== undefined ||
    words.some(isLong)
  if (!isNarrow) throw invalid('filter', patientMessages.searchTooShort)
}

/** One patient by id; the caller has checked the scope. */
export const findPatient = (db: Db, id: number) =>
  findRow<Patient>(
    db,
    { from, where: [sql`p.deleted_at is null`], fields, filter: {}, defaultOrder: sql`p.id`, key: sql`p.id` },
    id,
  )

/** Many by id, in any order; the caller has checked the scope. */
export const findPatients = async (db: Db, ids: readonly number[]): Promise<Patient[]> => {
  const columns = Object.entries(fields).map(([name, value]) => sql`${value} as ${sql.ref(name)}`)
  const { rows } = await sql<{ row: Patient }>`
    select row_to_json(r) as row from (select ${sql.join(columns)} from ${from}
      where p.id = any(${[...ids]}::bigint[]) and p.deleted_at is null) r`.execute(db)
  return rows.map(({ row }) => row)
}

/** The patient as a suggestion, if in scope. */
export const findSuggestion = (db: Db, actor: Actor, id: number) => findRow<PatientRow>(db, patientList(actor), id)

/**
 * Locks the patient until the transaction ends and gives the id: that of the kept record, if this one has been merged. Undefined when it
 * is not in scope.
 */
export const lockPatient = async (trx: Trx, actor: Actor, id: number): Promise<number | undefined> => {
  const current = await findCurrentId(trx, id)
  const found = await trx
    .selectFrom('patient as p')
    .select('p.id')
    .where('p.id', '=', bigint(current))
    .where('p.deleted_at', 'is', null)
    .where(isPatientInScope(actor, sql.ref('p.id')))
    .forNoKeyUpdate()
    .executeTakeFirst()
  // It may have been merged while this call waited for the lock.
  if (!found && (await findCurrentId(trx, id)) !== current) return lockPatient(trx, actor, id)
  return found?.id
}

/** The current record of this number: its own, or the one it was merged into. */
export const findCurrentId = async (db: Db, id: number): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select ${currentPatientId(sql`${id}`)} as id`.execute(db)
  return rows[0]?.id ?? id
}

/**
 * Patients in scope of the same name and birth date. Locks the name and date until the transaction ends, so that the second of two
 * people who enter the same patient at once is asked.
 */
export const lockAndFindDuplicates = async (
  trx: Trx,
  actor: Actor,
  last: string,
  first: string,
  dob: string,
): Promise<number[]> => {
  const key = `${last}, ${first}`
  await sql`select pg_advisory_xact_lock(hashtext('patient:' || sort_key(${key}) || ${dob}::text))`.execute(trx)
  const rows = await trx
    .selectFrom('patient as p')
    .select('p.id')
    .where('p.dob', '=', sql<string>`${dob}::date`)
    .where('p.name_key', '=', sql<string>`sort_key(${key})`)
    .where('p.deleted_at', 'is', null)
    .where(isPatientInScope(actor, sql.ref('p.id')))
    .orderBy('p.id', 'desc')
    .limit(sql.lit(20))
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * The lock of `lockAndFindDuplicates` for many names, always in the same order, so that loads and forms with the same new patient are
 * serialized. The keys are name and birth date, as `sort_key` folds them.
 */
export const lockNames = async (trx: Trx, people: readonly { nameKey: string; dob: string }[]) => {
  await sql`select pg_advisory_xact_lock(hashtext('patient:' || x.key)) from (
    select distinct n.name || n.dob as key from unnest(${people.map(({ nameKey }) => nameKey)}::text[], ${people.map(({ dob }) => dob)}::text[]) as n(name, dob)
    order by 1 offset 0) x`.execute(trx)
}

/** The country of a state; undefined when the state does not exist. */
export const findCountryOfState = async (db: Db, stateId: number): Promise<number | undefined> => {
  const state = await db.selectFrom('state').select('country_id').where('id', '=', bigint(stateId)).executeTakeFirst()
  return state?.country_id
}
