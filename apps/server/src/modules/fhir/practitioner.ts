import type { Practitioner } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import { type BaseRow, defineType, numberKey } from './definition.ts'
import { codeIs, stringParam, tokenParam } from './search-values.ts'
import { systems, withoutEmpty } from './terms.ts'

interface PractitionerRow extends BaseRow {
  firstName: string
  middleName: string | null
  lastName: string
  title: string
  npi: string
  isActive: boolean
}

/** The physicians of the caller's practices, and of the requisitions they see. */
const isInScope = (actor: Actor): Sql => {
  switch (actor.role) {
    case 'ADM':
    case 'MGMT':
    case 'STF':
      return sql`true`
    default:
      return sql`(exists (select from requisition_list l where l.physician_id = ph.id and ${visibleRequisitions(actor)})
        or exists (select from requisition_list l where l.copy_physician_id = ph.id and ${visibleRequisitions(actor)})
        or ${ownPhysician(actor)})`
  }
}

const ownPhysician = ({ role, scope }: Actor): Sql => {
  const ids = [...scope.ids]
  if (role === 'PHYS') return sql`ph.id = any(${ids}::int[])`
  if (role !== 'CLNT' && role !== 'SLS') return sql`false`
  return sql`exists (select from client_physician cp where cp.physician_id = ph.id and cp.client_id = any(${ids}::int[]) and cp.deleted_at is null)`
}

export const practitionerType = defineType<PractitionerRow>({
  type: 'Practitioner',
  from: () => sql`physician ph`,
  where: ({ actor }) => [isInScope(actor)],
  key: sql`ph.id`,
  keyOf: numberKey,
  lastUpdated: sql`coalesce(record_changed_at('physician', ph.id), ph.created_at)`,
  fields: () => ({
    firstName: sql`ph.first_name`,
    middleName: sql`ph.middle_name`,
    lastName: sql`ph.last_name`,
    title: sql`ph.title`,
    npi: sql`ph.npi_number`,
    isActive: sql`ph.deleted_at is null`,
  }),
  params: {
    identifier: tokenParam(() => [{ system: systems.npi, is: codeIs(sql`ph.npi_number`) }]),
    name: stringParam(
      sql`ph.last_name`,
      sql`ph.first_name`,
      sql`ph.first_name || ' ' || ph.last_name`,
      sql`ph.last_name || ', ' || ph.first_name`,
    ),
  },
  sorts: { name: sql`sort_key(ph.last_name || ', ' || ph.first_name)` },
  toResource: (row): Practitioner =>
    withoutEmpty<Practitioner>({
      resourceType: 'Practitioner',
      id: String(row.key),
      meta: { lastUpdated: row.lastUpdated },
      identifier: [{ system: systems.npi, value: row.npi }],
      active: row.isActive,
      name: [
        withoutEmpty({
          family: row.lastName,
          given: [row.firstName, ...(row.middleName ? [row.middleName] : [])],
          suffix: row.title === '' || row.title === 'None' ? [] : [row.title],
        }),
      ],
    }),
  subjects: () => ({}),
})
