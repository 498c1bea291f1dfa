import { sql } from 'kysely'
import type { Sql } from '../../platform/lists.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import type { Reader } from './reader.ts'
import { codeIs, idIs, isOneOfNumbers, referenceParam, tokenParam } from './search-values.ts'
import { ownSystems } from './terms.ts'

// What all types that belong to a requisition have in common; `r` and `l` are its row and its row of the list.

/** Joins the requisition of a column. */
export const ofRequisition = (column: Sql): Sql =>
  sql`join requisition r on r.id = ${column} join requisition_list l on l.requisition_id = r.id`

export const isVisible = ({ actor }: Reader): readonly Sql[] => [sql`r.deleted_at is null`, visibleRequisitions(actor)]

export const requisitionChanged = (made: Sql): Sql => sql`coalesce(requisition_changed_at(r.id), ${made})`

export const ofPatient = (element: string) => referenceParam(element, ['Patient'], isOneOfNumbers(sql`r.patient_id`))

/** The accession number. */
export const accessionParam = tokenParam(({ base }) => [{ system: ownSystems(base).accession, is: idIs(sql`r.id`) }])

/** The accession number, or the number of the system that placed the order. */
export const orderNumberParam = tokenParam(({ base }) => [
  { system: ownSystems(base).accession, is: idIs(sql`r.id`) },
  {
    system: null,
    is: (code, system) => {
      const item = sql`r.id in (select i.requisition_id from interface_order_item i where ${codeIs(sql`i.placer_number`)(code)}`
      // Also found without a system, even if the sender has named one.
      if (system) return sql`${item} and i.placer_system = ${system})`
      return sql`(${codeIs(sql`r.ext_order_id`)(code)} or ${item}))`
    },
  },
])

/**
 * Two rows of a requisition belong to the same ordered item: the panel, or the test that was ordered by itself. The id of the item is that
 * of its first row, which stays the same when tests are removed, added again or retested.
 */
export const isSameItem = (one: string, other: string): Sql => {
  const [a, b] = [sql.ref(`${one}.panel_id`), sql.ref(`${other}.panel_id`)]
  return sql`${sql.ref(`${one}.requisition_id`)} = ${sql.ref(`${other}.requisition_id`)} and ${a} is not distinct from ${b}
    and (${a} is not null or ${sql.ref(`${one}.test_id`)} = ${sql.ref(`${other}.test_id`)})`
}

/** The ServiceRequest that a row of requisition_test belongs to. */
export const itemIdOf = (row: string): Sql =>
  sql`(select min(e.id) from requisition_test e where ${isSameItem('e', row)})`
