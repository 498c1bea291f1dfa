import { type NeededSpecimen, specimenHints } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'

/** The specimens of one requisition. The caller must have checked access by `requireRequisition`. */
export const specimenList = (requisitionId: number, needed: readonly NeededSpecimen[]): ListDefinition => ({
  from: sql`specimen s left join app_user u on u.id = s.created_by`,
  where: [sql`s.requisition_id = ${requisitionId}`, sql`s.deleted_at is null`],
  fields: {
    id: sql`s.id`,
    specimenTypeCode: sql`s.type_code`,
    specimenTypeDesc: lookupDescriptionOrCode('SPECIMENTYPE', sql`s.type_code`),
    temperatureTypeCode: sql`s.temperature_code`,
    temperatureTypeDesc: lookupDescriptionOrCode('TEMPERATURETYPE', sql`s.temperature_code`),
    containerTypeCode: sql`s.container_code`,
    containerTypeDesc: lookupDescriptionOrCode('CONTAINERTYPE', sql`s.container_code`),
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

/** The specimen types that each ordered test can use; calculated tests need none. */
export const listNeededSpecimens = (db: Db, requisitionId: number): Promise<NeededSpecimen[]> =>
  db
    .selectFrom('requisition_test as rt')
    .innerJoin('test as t', 't.id', 'rt.test_id')
    .select(['t.code as testCode', 't.specimen_type_codes as specimenTypeCodes'])
    .where('rt.requisition_id', '=', bigint(requisitionId))
    .where('rt.deleted_at', 'is', null)
    .where((eb) => eb.not('rt.is_retest'))
    .where((eb) => eb.not('t.is_calculated'))
    .orderBy('t.sort_order')
    .orderBy('t.code')
    .execute()

export interface StoredSpecimen {
  id: number
  requisition_id: number
  type_code: string
}

export const findSpecimensByRequisition = async (
  db: Db,
  requisitionIds: readonly number[],
): Promise<Map<number, readonly StoredSpecimen[]>> => {
  const rows = await db
    .selectFrom('specimen')
    .select(['id', 'requisition_id', 'type_code'])
    .where('requisition_id', '=', anyId(requisitionIds))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, (row) => row.requisition_id)
}
