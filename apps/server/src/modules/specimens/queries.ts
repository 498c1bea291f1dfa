import { type NeededSpecimen, specimenHints } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'

/** A code that has left its list still shows, as itself. */
export const described = (type: string, code: Sql) =>
  sql`coalesce((select description from lov where type_code = ${sql.lit(type)} and code = ${code}), ${code})`

/** What was received for one requisition; who asks must have been let in by `requireRequisition`. */
export const specimenList = (requisitionId: number, needed: readonly NeededSpecimen[]): ListDefinition => ({
  from: sql`specimen s left join app_user u on u.id = s.created_by`,
  where: [sql`s.requisition_id = ${requisitionId}`, sql`s.deleted_at is null`],
  fields: {
    id: sql`s.id`,
    specimenTypeCode: sql`s.type_code`,
    specimenTypeDesc: described('SPECIMENTYPE', sql`s.type_code`),
    temperatureTypeCode: sql`s.temperature_code`,
    temperatureTypeDesc: described('TEMPERATURETYPE', sql`s.temperature_code`),
    containerTypeCode: sql`s.container_code`,
    containerTypeDesc: described('CONTAINERTYPE', sql`s.container_code`),
    tubeCount: sql`s.tube_count`,
    dateReceived: sql`s.received_at`,
    receivedTz: sql`s.received_zone`,
    specCreateByUsername: sql`u.user_name`,
    version: sql`s.version`,
  },
  finish: (row) => ({ ...row, hints: specimenHints(row, needed) }),
  filter: { id: isOneOfIds(sql`s.id`, 'id'), specimenTypeCode: isOneOf(sql`s.type_code`) },
  defaultOrder: sql`s.received_at`,
  key: sql`s.id`,
})

/** What the ordered tests of a requisition can be done from; calculated ones need no tube of their own. */
export const listNeededSpecimens = async (db: Db, requisitionId: number): Promise<NeededSpecimen[]> => {
  const { rows } = await sql<NeededSpecimen>`
    select t.code as "testCode", t.specimen_type_codes as "specimenTypeCodes" from requisition_test rt join test t on t.id = rt.test_id
    where rt.requisition_id = ${requisitionId}::bigint and rt.deleted_at is null and not rt.is_retest and not t.is_calculated order by t.sort_order, t.code`.execute(
    db,
  )
  return rows
}

export interface NewSpecimen {
  requisition_id: number
  type_code: string
  temperature_code: string
  container_code: string
  tube_count: number
  received_at: string
  received_zone: string
  created_by: number
}

export interface StoredSpecimen {
  id: number
  requisition_id: number
  type_code: string
}

/** The tubes of these requisitions, by requisition. */
export const findSpecimensByRequisition = async (
  db: Db,
  requisitionIds: readonly number[],
): Promise<Map<number, readonly StoredSpecimen[]>> => {
  const { rows } = await sql<StoredSpecimen>`
    select id, requisition_id, type_code from specimen where requisition_id = any(${[...requisitionIds]}::bigint[]) and deleted_at is null
    order by id`.execute(db)
  return Map.groupBy(rows, (row) => row.requisition_id)
}
