import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { statusCodes } from '@lis/contract/requisitions/status.ts'
import type { ApiView } from '@lis/contract/requisitions/views.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/lists.ts'
import { testIdsByCode, testIdsByCombo } from './list-filters.ts'

interface CountScope {
  scope: 'COLA' | 'CLNT' | 'PHYS' | 'BILL'
  /** Null: all ids, which together cover every requisition. */
  ids: readonly number[] | null
}

const seesAll = ({ scope }: Pick<Actor, 'scope'>) => ['ADM', 'MGMT', 'STF'].includes(scope.role)

/** The counters of a person's scope; null where there are none. */
const countScope = ({ scope }: Pick<Actor, 'scope'>): CountScope | null => {
  if (seesAll({ scope })) return { scope: 'COLA', ids: null }
  if (scope.role === 'COLA' || scope.role === 'CLNT' || scope.role === 'PHYS')
    return { scope: scope.role, ids: scope.ids }
  if (scope.role === 'BILL') return { scope: 'BILL', ids: [0] }
  return scope.role === 'SLS' ? { scope: 'CLNT', ids: scope.ids } : null
}

/** Every requisition by its status, from the counters: rows of `status_code` and `n`. */
export const countedByStatus = (): Sql =>
  sql`(select status_code, sum(n)::int as n from ${counted({ scope: 'COLA', ids: null })} group by 1)`

/** Counters and the deltas not added to them yet, read in one statement, so each change counts once. */
const counted = ({ scope, ids }: CountScope, statuses?: readonly string[]): Sql => {
  const ofIds = ids ? sql`and scope_id = any(${[...ids]}::int[])` : sql``
  const only = statuses ? sql`${ofIds} and status_code = any(${[...statuses]}::text[])` : ofIds
  return sql`(select status_code, n from requisition_count where scope = ${sql.lit(scope)} ${only}
    union all select status_code, n from requisition_count_delta_by_scope where scope = ${sql.lit(scope)} ${only}) counted`
}

/**
 * The total of a view without counting its rows, as long as nothing but statuses and a client or a collaborator, or nothing
 * but tests, narrows it. Undefined: the rows must be counted.
 */
export const totalFromCounters = (view: ApiView, actor: Actor, { filters }: ListQuery): Sql | undefined => {
  if (view === 'ALL' && seesAll(actor)) {
    const tests = testCodesOf(filters)
    if (tests) return totalWithTests(tests)
  }
  const { reqStatusCode, ...others } = filters
  const source = Object.keys(others).length === 0 ? countScope(actor) : filteredCountScope(actor, others)
  if (!source) return undefined
  const statuses = reqStatusCode === undefined ? undefined : [reqStatusCode].flat()
  const tab =
    view === 'ALL' || view === 'CLIENTPHYSROLE'
      ? sql``
      : sql`join requisition_status_type t on t.code = counted.status_code and t.tab_code = ${sql.lit(view)}`
  return sql`(select coalesce(sum(n), 0)::bigint from ${counted(source, statuses)} ${tab})`
}

/** The tests of the filter, where it has nothing else. */
const testCodesOf = ({ testCodes, testComboCode, ...others }: ListQuery['filters']): Sql | undefined => {
  if (Object.keys(others).length > 0 || (testCodes === undefined) === (testComboCode === undefined)) return undefined
  const ids = testCodes === undefined ? testIdsByCombo(testComboCode ?? '') : testIdsByCode(testCodes)
  return sql`array(select code from test where id in ${ids})`
}

/** Each requisition is counted under its one combination of tests. */
const totalWithTests = (codes: Sql): Sql => sql`(select coalesce(sum(n), 0)::bigint from (
  select test_codes, n from requisition_tests_count union all select test_codes, n from requisition_tests_count_delta) counted
  where string_to_array(test_codes, ',') && ${codes})`

const filteredCountScope = (actor: Actor, filters: ListQuery['filters']): CountScope | null => {
  const [[name, value] = [], ...more] = Object.entries(filters)
  const isOneId = typeof value === 'string' && /^\d{1,9}$/.test(value)
  if (more.length > 0 || !isOneId || !seesAll(actor)) return null
  if (name === 'clientId') return { scope: 'CLNT', ids: [Number(value)] }
  return name === 'colaId' ? { scope: 'COLA', ids: [Number(value)] } : null
}

/** The number of requisitions in each status, 0 included, in the order of the life cycle. */
export const countByStatus = async (db: Db, actor: Actor): Promise<Map<string, number>> => {
  const source = countScope(actor)
  const counts = new Map(statusCodes.map((code): [string, number] => [code, 0]))
  if (!source) return counts
  const { rows } = await sql<{
    status_code: string
    n: number
  }>`select status_code, sum(n)::bigint as n from ${counted(source)} group by 1`.execute(db)
  for (const row of rows) counts.set(row.status_code, row.n)
  return counts
}
