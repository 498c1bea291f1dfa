import type { Location, Organization } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import { type BaseRow, defineType } from './definition.ts'
import { addressOf, phone } from './patient.ts'
import type { SearchParam } from './reader.ts'
import { codeIs, stringParam, tokenParam } from './search-values.ts'
import { ownSystems, refer, systems, withoutEmpty } from './terms.ts'

const kinds = ['lab', 'client', 'collaborator'] as const
type Kind = (typeof kinds)[number]

/** Organizations of three kinds share one type; the kind is part of the id. */
export const organizationId = (kind: Kind, id: number) => `${kind}-${id}`

const keyOf = (id: string): number | null => {
  const [, kind, number] = /^(lab|client|collaborator)-(\d{1,9})$/.exec(id) ?? []
  return kind === undefined ? null : Number(number) * kinds.length + kinds.indexOf(kind as Kind)
}
const idOf = (key: number) => organizationId(kinds[key % kinds.length] as Kind, Math.floor(key / kinds.length))

interface PartyRow extends BaseRow {
  name: string
  code: string | null
  otherCode: string | null
  isActive: boolean
  phoneNumber: string | null
  addr1: string | null
  addr2: string | null
  city: string | null
  state: string | null
  zip: string | null
  country: string | null
  parent: number | null
}

const isOwn = (actor: Actor, column: Sql): Sql => {
  const ids = [...actor.scope.ids]
  switch (actor.role) {
    case 'ADM':
    case 'MGMT':
    case 'STF':
      return sql`true`
    case 'CLNT':
    case 'SLS':
      return sql`(x.id = any(${ids}::int[]) or exists (select from requisition_list l where ${column} = x.id and ${visibleRequisitions(actor)}))`
    default:
      return sql`exists (select from requisition_list l where ${column} = x.id and ${visibleRequisitions(actor)})`
  }
}

const isOwnCollaborator = (actor: Actor): Sql => {
  const ids = [...actor.scope.ids]
  if (actor.role === 'COLA') return sql`x.id = any(${ids}::int[])`
  if (actor.role === 'CLNT' || actor.role === 'SLS')
    return sql`exists (select from client c where c.id = any(${ids}::int[]) and c.collaborator_id = x.id)`
  return isOwn(actor, sql`l.collaborator_id`)
}

const labs = sql`select x.id * 3 as key, 'lab' as kind, x.id, x.name, x.clia_number as code, x.lab_code as other_code, x.deleted_at is null as is_active, x.phone,
  x.addr1, x.addr2, x.city, x.state_id, x.zip, x.country_id, null::int as parent, timestamptz '2000-01-01' as made_at from lab x`
const clients = (
  actor: Actor,
) => sql`select x.id * 3 + 1, 'client', x.id, x.name, x.legacy_client_id, x.ext_id, x.deleted_at is null, x.phone,
  x.addr1, x.addr2, x.city, x.state_id, x.zip, x.country_id, x.collaborator_id, x.created_at from client x where ${
    actor.role === 'COLA'
      ? sql`x.collaborator_id = any(${[...actor.scope.ids]}::int[])`
      : isOwn(actor, sql`l.client_id`)
  }`
const collaborators = (
  actor: Actor,
) => sql`select x.id * 3 + 2, 'collaborator', x.id, x.name, x.lab_npi, x.alias, x.deleted_at is null, x.phone,
  x.addr1, x.addr2, x.city, x.state_id, x.zip, x.country_id, null, x.created_at from collaborator x where ${isOwnCollaborator(actor)}`

const common = {
  where: () => [],
  key: sql`o.key`,
  keyOf,
  joins: sql`left join state s on s.id = o.state_id left join country c on c.id = o.country_id`,
  lastUpdated: sql`coalesce(record_changed_at(o.kind, o.id), o.made_at)`,
  fields: () => ({
    name: sql`o.name`,
    code: sql`o.code`,
    otherCode: sql`o.other_code`,
    isActive: sql`o.is_active`,
    phoneNumber: sql`o.phone`,
    addr1: sql`o.addr1`,
    addr2: sql`o.addr2`,
    city: sql`o.city`,
    state: sql`s.code`,
    zip: sql`o.zip`,
    country: sql`c.iso2`,
    parent: sql`o.parent`,
  }),
  sorts: { name: sql`sort_key(o.name)` },
  subjects: () => ({}),
}
const nameParam: SearchParam = stringParam(sql`o.name`)

/** Laboratories, and the practices and collaborators in the scope of the caller. */
export const organizationType = defineType<PartyRow>({
  ...common,
  type: 'Organization',
  from: ({ actor }) => sql`(${labs} union all ${clients(actor)} union all ${collaborators(actor)}) o`,
  params: {
    name: nameParam,
    identifier: tokenParam(({ base }) => [
      { system: systems.clia, is: (code) => sql`(o.kind = 'lab' and ${codeIs(sql`o.code`)(code)})` },
      { system: ownSystems(base).client, is: (code) => sql`(o.kind = 'client' and ${codeIs(sql`o.code`)(code)})` },
      { system: systems.npi, is: (code) => sql`(o.kind = 'collaborator' and ${codeIs(sql`o.code`)(code)})` },
    ]),
  },
  toResource: (row, { base }): Organization => {
    const kind = kinds[row.key % kinds.length] as Kind
    const system = { lab: systems.clia, client: ownSystems(base).client, collaborator: systems.npi }[kind]
    return withoutEmpty<Organization>({
      resourceType: 'Organization',
      id: idOf(row.key),
      meta: { lastUpdated: row.lastUpdated },
      identifier: row.code ? [{ system, value: row.code }] : [],
      active: row.isActive,
      name: row.name,
      telecom: phone(row.phoneNumber, 'work').map(({ use: _, ...one }) => one),
      address: addressOf(row),
      partOf: row.parent === null ? undefined : refer('Organization', organizationId('collaborator', row.parent)),
    })
  },
})

/** The addresses of laboratories and practices. */
export const locationType = defineType<PartyRow>({
  ...common,
  type: 'Location',
  from: ({ actor }) => sql`(${labs} union all ${clients(actor)}) o`,
  params: { name: nameParam },
  toResource: (row): Location =>
    withoutEmpty<Location>({
      resourceType: 'Location',
      id: idOf(row.key),
      meta: { lastUpdated: row.lastUpdated },
      status: row.isActive ? 'active' : 'inactive',
      name: row.name,
      mode: 'instance',
      telecom: phone(row.phoneNumber, 'work').map(({ use: _, ...one }) => one),
      address: addressOf(row)[0],
      managingOrganization: refer('Organization', idOf(row.key)),
    }),
})
