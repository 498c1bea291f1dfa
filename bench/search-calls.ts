import { can } from '../packages/contract/src/access/permissions.ts'
import type { Role } from '../packages/contract/src/access/roles.ts'
import type { Bench } from './bench.ts'
import type { PairedCall } from './list-calls.ts'
import type { Person } from './people.ts'

const asked = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`

/** What is typed and answered while a person waits: patients, codes, clients, physicians; and one requisition opened. */
export const searchCalls = ({ people, samples }: Bench): PairedCall[] => {
  const person = people.ADM as Person
  const { lastId, patient, clientName, physicianName } = samples
  const [last = '', first = ''] = patient.key.split(', ')
  const [year = '', month = '', day = ''] = patient.dob.split('-')
  const typed = `${first} ${last} ${Number(month)}/${Number(day)}/${year.slice(2)}`
  const begins = (word: string) => `(p.name_key like '${word}%' or p.name_key like '% ${word}%')`
  const described = (type: string) => {
    const code = `${type.toLowerCase()}_code`
    return `(select description from lov where type_code = '${type}' and code = p.${code}) as ${code}_desc`
  }
  const patients = (where: string) => ({
    keys: [
      `select p.id from patient p where p.deleted_at is null and ${where} order by p.created_at desc, p.id limit 25`,
    ],
    rows: `select p.*, ${['GENDER', 'RACE', 'ETHNICITY'].map(described).join(', ')}, s.long_name as "patientState", c.long_name as "patientCountry",
        (select count(*) from requisition r where r.patient_id = p.id and r.deleted_at is null) as "reqCount"
      from patient p left join state s on s.id = p.state_id left join country c on c.id = p.country_id
      join unnest($1::bigint[]) with ordinality k(id, place) on k.id = p.id order by k.place`,
    totals: [`select count(*) as total from patient p where p.deleted_at is null and ${where}`],
  })
  const icd = (where: string) => ({
    rows: `select id, code as "icdCode", description as "icdDesc" from icd t where is_active and (${where}) order by code, id limit 25`,
    totals: [`select count(*) as total from icd t where is_active and (${where})`],
  })
  const option = (table: string, name: string, searched: string, text: string) => ({
    rows: `select id, ${name} as name from ${table} where deleted_at is null and (${searched}) ilike '%${text}%' order by id limit 25`,
    totals: [`select count(*) as total from ${table} where deleted_at is null and (${searched}) ilike '%${text}%'`],
  })
  const page = { perPage: '25', page: '1' }
  const named = (name: string, path: string, bare: PairedCall['bare']): PairedCall => ({ name, person, path, bare })
  return [
    named(
      'patient, name and birth date in one text',
      asked('patients', { ...page, filter: `[search:"${typed}"]` }),
      patients(`${begins(first)} and ${begins(last)} and p.dob = any('{${patient.dob}}')`),
    ),
    named(
      'patient, beginning of the last name',
      asked('patients', { ...page, filter: `[patientLastName:${last}]` }),
      patients(`p.name_key like '${last}%'`),
    ),
    named(
      'ICD, code',
      asked('icds', { ...page, q: 'E11' }),
      icd(`upper(replace(code, '.', '')) like 'E11%' or lower(description) like '%e11%'`),
    ),
    named(
      'ICD, words',
      asked('icds', { ...page, q: 'fracture left' }),
      icd(
        `upper(replace(code, '.', '')) like 'FRACTURE LEFT%' or (lower(description) like '%fracture%' and lower(description) like '%left%')`,
      ),
    ),
    named(
      'client, typed',
      asked('filter_dd/clients', { ...page, filter: `[search:"${clientName}"]` }),
      option('client', 'name', "legacy_client_id || ' ' || name", clientName),
    ),
    named(
      'physician, typed',
      asked('filter_dd/physicians', { ...page, filter: `[search:"${physicianName}"]` }),
      option('physician', 'last_name', "first_name || ' ' || last_name", physicianName),
    ),
    named('requisition, opened', `requisitions/${lastId - 2000}`, {
      rows: `select r.*, p.*, c.name as client_name, cola.name as cola_name, lab.name as lab_name, ph.last_name as phys_last_name, l.test_codes, l.flag_ids, e.name as event_name
        from requisition r join requisition_list l on l.requisition_id = r.id join patient p on p.id = r.patient_id join client c on c.id = r.client_id
        join collaborator cola on cola.id = r.collaborator_id join lab on lab.id = r.lab_id join physician ph on ph.id = r.physician_id
        join client_event e on e.id = r.event_id where r.id = ${lastId - 2000}`,
    }),
    named('billing batches', asked('billing/batch', page), {
      rows: `select b.*, u.first_name || ' ' || u.last_name as by from billing_batch b left join app_user u on u.id = b.created_by
        where b.deleted_at is null order by b.id desc limit 25`,
      totals: ['select count(*) as total from billing_batch where deleted_at is null'],
    }),
  ]
}

/** The status bar: from counters, so that it does not grow with the table. */
export const countCalls = ({ people }: Bench): PairedCall[] => {
  const scopes: Record<string, string> = { CLNT: 'CLNT', COLA: 'COLA', PHYS: 'PHYS', SLS: 'CLNT' }
  return Object.values(people)
    .filter(({ role }) => can(role as Role, 'requisitions.statusBar'))
    .map((person) => {
      const scope = scopes[person.role]
      const which = scope ? `scope = '${scope}' and scope_id = any('{${person.ids.join(',')}}')` : `scope = 'COLA'`
      return {
        name: `status_count, ${person.name}`,
        person,
        path: 'requisitions/status_count',
        bare: {
          rows: `select status_code, sum(n)::bigint as n from (select status_code, n from requisition_count where ${which}
            union all select status_code, n from requisition_count_delta_by_scope where ${which}) x group by 1`,
        },
      }
    })
}
