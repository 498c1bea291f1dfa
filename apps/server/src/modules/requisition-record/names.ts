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

interface Cached {
  until: number
  reading: Promise<Read>
  /** What was read last. */
  last: Read | null
}

interface Read {
  /** The rows as text, to be compared. */
  rows: string
  names: ListNames
}

const known = new WeakMap<Services, Cached>()

/** The same object, with the statements made from it, until a name has changed. */
export const listNames = async (db: Db, services: Services): Promise<ListNames> => {
  const cached = known.get(services)
  if (cached && cached.until > Date.now()) return (await cached.reading).names
  const last = cached?.last ?? null
  const fresh: Cached = { until: Date.now() + cacheMs, reading: readNames(db, last), last }
  known.set(services, fresh)
  try {
    fresh.last = await fresh.reading
    return fresh.last.names
  } catch (error) {
    // A failure is not cached: the next attempt may succeed.
    known.delete(services)
    throw error
  }
}

const readNames = async (db: Db, last: Read | null): Promise<Read> => {
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
  const rows = JSON.stringify([lookups, labs, reasons])
  return last?.rows === rows ? last : { rows, names: namesOf(lookups, labs, reasons) }
}

const namesOf = (
  lookups: readonly { type_code: string; code: string; description: string }[],
  labs: readonly { id: number; zone: string }[],
  reasons: readonly { id: number; code: string; description: string }[],
): ListNames => {
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
