import type { LovType } from '@lis/contract/lookups.ts'
import { requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import { type Expression, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { ListDefinition, Sql } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'
import { lookupDescription } from '../lookups/descriptions.ts'

const types = ['COLLECTIONMETHOD', 'GENDER', 'REQBILLTYPE', 'TRANSMITMETHOD'] as const satisfies readonly LovType[]
type NamedType = (typeof types)[number]

/** Expressions for names that requisitions show and that only an upgrade changes: constants instead of subqueries. */
export interface ListNames {
  /** The description of a code; null for no code and for one that is not in the list. */
  lookup: (type: NamedType, code: Expression<unknown>) => Sql
  labZone: (id: Expression<unknown>) => Sql
  /** Reasons by their ids, as JSON. */
  reasons: (ids: Expression<unknown>) => Sql
  /** Statements with these names; null where none are kept. */
  statements: NonNullable<NonNullable<ListDefinition['keys']>['stable']>['statements'] | null
}

/** Reads each name by its key. */
export const namesByKey: ListNames = {
  lookup: lookupDescription,
  labZone: (id) => sql`(select zone from lab where id = ${id})`,
  reasons: (ids) => sql`case when ${ids} = '{}' then '[]'::json else
    (select coalesce(json_agg(json_build_object('reasonId', r.id, 'passCode', r.code, 'passDesc', r.description) order by r.sort_order), '[]')
     from reason r where r.id = any(${ids})) end`,
  statements: null,
}

const cacheMs = 5_000
const known = new WeakMap<Services, { until: number; names: Promise<ListNames> }>()

export const listNames = (db: Db, services: Services): Promise<ListNames> => {
  const cached = known.get(services)
  if (cached && cached.until > Date.now()) return cached.names
  const names = readNames(db)
  known.set(services, { until: Date.now() + cacheMs, names })
  // A failure is not cached: the next attempt may succeed.
  names.catch(() => known.delete(services))
  return names
}

const readNames = async (db: Db): Promise<ListNames> => {
  const [lookups, labs, reasons] = await Promise.all([
    db
      .selectFrom('lov')
      .select(['type_code', 'code', 'description'])
      .where('type_code', 'in', types)
      .orderBy('type_code')
      .orderBy('code')
      .execute(),
    db.selectFrom('lab').select(['id', 'zone']).orderBy('id').execute(),
    db
      .selectFrom('reason')
      .select(['id', 'code', 'description'])
      .where('type_code', '=', 'PASS')
      .orderBy('id')
      .execute(),
  ])
  const byType = new Map(types.map((type) => [type, lookups.filter(({ type_code }) => type_code === type)]))
  return {
    statements: new Map(),
    lookup: (type, code) =>
      constantOf(
        code,
        (byType.get(type) ?? []).map(({ code: key, description }) => [key, description]),
        namesByKey.lookup(type, code),
      ),
    labZone: (id) =>
      constantOf(
        id,
        labs.map((lab) => [lab.id, lab.zone]),
        namesByKey.labZone(id),
      ),
    reasons: (ids) =>
      sql`(case ${ids} when '{}' then '[]'::json${sql.join(reasons.map(oneReason), sql``)} else ${namesByKey.reasons(ids)} end)`,
  }
}

/** Most requisitions that have a pass code have one. */
const oneReason = ({ id, code, description }: { id: number; code: string; description: string }) => {
  const json = JSON.stringify([{ reasonId: id, passCode: code, passDesc: description }])
  return sql` when ${sql.lit(`{${id}}`)}::int[] then ${sql.lit(json)}::json`
}

/** `otherwise` reads what was added since. */
const constantOf = (
  key: Expression<unknown>,
  values: readonly (readonly [string | number, string])[],
  otherwise: Sql,
): Sql => {
  if (values.length === 0) return otherwise
  const cases = values.map(([from, to]) => sql` when ${sql.lit(from)} then ${sql.lit(to)}`)
  return sql`(case when ${key} is null then null else case ${key}${sql.join(cases, sql``)} else ${otherwise} end end)`
}

/** Statuses are part of the program. */
export const statusDescription = (code: Expression<unknown>): Sql => {
  const cases = requisitionStatuses.map(
    ({ code: from, description }) => sql` when ${sql.lit(from)} then ${sql.lit(description)}`,
  )
  return sql`(case ${code}${sql.join(cases, sql``)} end)`
}
