import type { Address, ContactPoint, HumanName, Patient } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { isPatientInScope } from '../requisition-record/queries.ts'
import { type BaseRow, defineType, numberKey } from './definition.ts'
import { codeIs, codeParam, dayParam, idIs, stringParam, tokenParam } from './search-values.ts'
import { authoritiesOf, authorityIn, ownSystems, systems, typedIdentifier, withoutEmpty } from './terms.ts'

interface PatientRow extends BaseRow {
  firstName: string
  middleName: string | null
  lastName: string
  dob: string
  gender: string
  addr1: string | null
  addr2: string | null
  city: string | null
  state: string | null
  zip: string | null
  country: string | null
  homePhone: string | null
  workPhone: string | null
  email: string | null
  numbers: { identifier: string; authority: string }[]
}

/** Partners `i` whose numbers the caller may see: its own; the laboratory sees all. */
const partnersOf = ({ role, scope, apiClient }: Actor): Sql => {
  const ids = [...scope.ids]
  const own = sql`i.api_client_id = ${apiClient?.id ?? null}::int`
  switch (role) {
    case 'ADM':
    case 'MGMT':
    case 'STF':
      return sql`true`
    case 'CLNT':
    case 'SLS':
      return sql`(${own} or i.client_id = any(${ids}::int[]))`
    case 'COLA':
      return sql`(${own} or i.collaborator_id = any(${ids}::int[]))`
    default:
      return own
  }
}

const numbersOf = (actor: Actor): Sql =>
  sql`interface_patient k join interface_partner i on i.id = k.partner_id and ${partnersOf(actor)} where k.patient_id = p.id`

const authorityIs = (base: string, system: string | null): Sql => {
  if (system === null) return sql`true`
  if (system === '') return sql`k.authority = ''`
  const { names, patterns } = authoritiesOf(base, system)
  return sql`(k.authority = any(${names}::text[]) or k.authority ilike any(${patterns}::text[]))`
}

const gender = sql`case p.gender_code when 'MALE' then 'male' else 'female' end`

export const patientType = defineType<PatientRow>({
  type: 'Patient',
  from: () => sql`patient p`,
  where: ({ actor }) => [sql`p.deleted_at is null`, isPatientInScope(actor, sql`p.id`)],
  key: sql`p.id`,
  keyOf: numberKey,
  joins: sql`left join state s on s.id = p.state_id left join country c on c.id = p.country_id`,
  lastUpdated: sql`coalesce(record_changed_at('patient', p.id), p.created_at)`,
  fields: ({ actor }) => ({
    firstName: sql`p.first_name`,
    middleName: sql`p.middle_name`,
    lastName: sql`p.last_name`,
    dob: sql`p.dob`,
    gender,
    addr1: sql`p.addr1`,
    addr2: sql`p.addr2`,
    city: sql`p.city`,
    state: sql`s.code`,
    zip: sql`p.zip`,
    country: sql`c.iso2`,
    homePhone: sql`p.home_phone`,
    workPhone: sql`p.work_phone`,
    email: sql`p.email`,
    numbers: sql`(select coalesce(json_agg(distinct jsonb_build_object('identifier', k.identifier, 'authority', k.authority)), '[]') from ${numbersOf(actor)})`,
  }),
  params: {
    identifier: tokenParam(({ actor, base }) => [
      { system: ownSystems(base).patient, is: idIs(sql`p.id`) },
      {
        system: null,
        is: (code, system) =>
          sql`exists (select from ${numbersOf(actor)} and ${codeIs(sql`k.identifier`)(code)} and ${authorityIs(base, system)})`,
      },
    ]),
    family: stringParam(sql`p.last_name`),
    given: stringParam(sql`p.first_name`, sql`coalesce(p.middle_name, '')`),
    name: stringParam(
      sql`p.last_name`,
      sql`p.first_name`,
      sql`coalesce(p.middle_name, '')`,
      sql`p.first_name || ' ' || p.last_name`,
      sql`p.last_name || ', ' || p.first_name`,
    ),
    birthdate: dayParam(sql`p.dob`),
    gender: codeParam(systems.gender, () => codeIs(gender)),
  },
  sorts: {
    birthdate: sql`p.dob`,
    family: sql`sort_key(p.last_name)`,
    given: sql`sort_key(p.first_name)`,
    name: sql`p.name_key`,
  },
  toResource: (row, { base }): Patient =>
    withoutEmpty<Patient>({
      resourceType: 'Patient',
      id: String(row.key),
      meta: {
        lastUpdated: row.lastUpdated,
        profile: ['http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient'],
      },
      identifier: [
        typedIdentifier('PI', String(row.key), { system: ownSystems(base).patient }),
        ...row.numbers.map(({ identifier, authority }) =>
          typedIdentifier('MR', identifier, authorityIn(base, authority)),
        ),
      ],
      active: true,
      name: [nameOf(row)],
      telecom: [
        ...phone(row.homePhone, 'home'),
        ...phone(row.workPhone, 'work'),
        ...(row.email ? [{ system: 'email' as const, value: row.email }] : []),
      ],
      gender: row.gender as 'male' | 'female',
      birthDate: row.dob,
      address: addressOf(row),
    }),
  subjects: ({ key }) => ({ patientId: key }),
})

const nameOf = ({ lastName, firstName, middleName }: PatientRow): HumanName => ({
  use: 'official',
  family: lastName,
  given: [firstName, ...(middleName ? [middleName] : [])],
})

export const phone = (digits: string | null, use: 'home' | 'work'): ContactPoint[] =>
  digits ? [{ system: 'phone', value: /^\d+$/.test(digits) ? `+${digits}` : digits, use }] : []

interface Addressed {
  addr1: string | null
  addr2: string | null
  city: string | null
  state: string | null
  zip: string | null
  country: string | null
}

export const addressOf = ({ addr1, addr2, city, state, zip, country }: Addressed): Address[] => {
  const address = withoutEmpty<Address>({
    line: [addr1, addr2].flatMap((line) => line || []),
    city: city ?? undefined,
    state: state ?? undefined,
    postalCode: zip ?? undefined,
    country: country ?? undefined,
  })
  return Object.keys(address).some((name) => name !== 'country') ? [address] : []
}
