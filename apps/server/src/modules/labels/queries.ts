import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import type { LabelSource } from './label.ts'

/** In the order of `ids`. */
export const findLabelSources = (db: Db, actor: Actor, ids: readonly number[]): Promise<LabelSource[]> =>
  db
    .selectFrom(
      sql<{ id: number; place: number }>`unnest(${[...ids]}::bigint[]) with ordinality`.as<'wanted'>(
        sql`wanted (id, place)`,
      ),
    )
    .innerJoin('requisition as r', 'r.id', 'wanted.id')
    .innerJoin('requisition_list as l', 'l.requisition_id', 'r.id')
    .innerJoin('requisition_patient as p', 'p.requisition_id', 'r.id')
    .select([
      'r.id',
      'r.collected_at as collectedAt',
      'r.collected_zone as collectedZone',
      'r.is_to_collect as isToCollect',
    ])
    .select(['r.cryo_flag as cryoFlag', 'r.cryo_print_nbr as cryoPrintNbr'])
    .select((eb) => [
      eb.ref('p.first_name').$notNull().as('firstName'),
      eb.ref('p.last_name').$notNull().as('lastName'),
      eb.ref('p.dob').$notNull().as('dob'),
      sql<string>`coalesce(${eb.ref('l.test_codes')}, '')`.as('testCodes'),
      sql<boolean>`'DP' = any(string_to_array(${eb.ref('l.test_codes')}, ','))`.as('isShowDp'),
    ])
    .where('r.deleted_at', 'is', null)
    .where(visibleRequisitions(actor))
    .orderBy('wanted.place')
    .execute()
