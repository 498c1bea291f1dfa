import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { AutoverifyRule } from './decide.ts'

/** Columns of `autoverify_rule a`. */
export const ruleColumns = sql`a.id, a.lab_id as "labId", a.collaborator_id as "colaId", a.instrument_id as "instrumentId",
  a.low, a.high, a.delta_limit as "deltaLimit", a.delta_kind as "deltaKind", a.delta_days as "deltaDays",
  a.max_specimen_hours as "maxSpecimenHours", a.rule_version as "ruleVersion"`

export const listRulesOf = async (db: Db, testIds: readonly number[]): Promise<AutoverifyRule[]> => {
  const { rows } = await sql<AutoverifyRule>`
    select ${ruleColumns}, a.test_id as "testId", a.is_active as "isActive", a.was_active as "wasActive"
    from autoverify_rule a where a.test_id = ${anyId(testIds)} and a.deleted_at is null order by a.id`.execute(db)
  return rows
}

/** Waits for a concurrent stop, so that nothing is verified after it. */
export const isStopped = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('autoverify_switch').select('is_stopped').forShare().executeTakeFirstOrThrow()).is_stopped
