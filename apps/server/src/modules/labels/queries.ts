import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import type { LabelSource } from './label.ts'

/** In the order they were asked for. */
export const findLabelSources = async (db: Db, actor: Actor, ids: readonly number[]): Promise<LabelSource[]> => {
  const { rows } = await sql<LabelSource>`
    select r.id, p.first_name as "firstName", p.last_name as "lastName", p.dob, r.collected_at as "collectedAt", r.collected_zone as "collectedZone",
      coalesce(l.test_codes, '') as "testCodes", 'DP' = any(string_to_array(l.test_codes, ',')) as "isShowDp", r.cryo_flag as "cryoFlag", r.cryo_print_nbr as "cryoPrintNbr"
    from unnest(${[...ids]}::bigint[]) with ordinality wanted (id, place) join requisition r on r.id = wanted.id
      join requisition_list l on l.requisition_id = r.id join requisition_patient p on p.requisition_id = r.id
    where r.deleted_at is null and ${visibleRequisitions(actor)} order by wanted.place`.execute(db)
  return rows
}
