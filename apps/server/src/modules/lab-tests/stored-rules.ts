import { type InterpretationRules, rulesAtResultTime, type TestRules } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { RuleBook } from './rule-book.ts'

/** Stores the rules that are not stored yet, and returns the id of each, in order. */
export const storeRules = async (trx: Trx, used: readonly (TestRules | null)[]): Promise<(number | null)[]> => {
  const texts = new Map(
    [...new Set(used)].flatMap((rules) => (rules ? [[rules, JSON.stringify(rules.interpretationRules)]] : [])),
  )
  // Always in the same order: two writers who add the same rules must not deadlock.
  const distinct = [...new Set(texts.values())].toSorted()
  if (distinct.length === 0) return used.map(() => null)
  let known = await findIds(trx, distinct)
  if (known.size < distinct.length) {
    const missing = distinct.filter((text) => !known.has(text))
    await sql`insert into result_rules (rules) select rules from unnest(${missing}::text[]::jsonb[]) with ordinality as n(rules, position)
      order by position on conflict do nothing`.execute(trx)
    known = await findIds(trx, distinct)
  }
  return used.map((rules) => (rules ? (known.get(texts.get(rules) as string) ?? null) : null))
}

const findIds = async (trx: Trx, texts: readonly string[]): Promise<Map<string, number>> => {
  const { rows } = await sql<{ position: number; id: number }>`
    select n.position, r.id from unnest(${[...texts]}::text[]::jsonb[]) with ordinality as n(rules, position) join result_rules r on r.rules = n.rules`.execute(
    trx,
  )
  return new Map(rows.map(({ position, id }) => [texts[Number(position) - 1] as string, id]))
}

/** A test with the stored rules of its result. */
interface ResultedTest {
  collaboratorId: number
  testId: number
  rulesId: number | null
}

/** The rules by which the result of a test was interpreted; the current ones if those are not stored. */
export type RulesAtResultTime = (test: ResultedTest) => TestRules

export const loadRulesAtResultTime = async (
  db: Db | Trx,
  tests: readonly ResultedTest[],
  book: RuleBook,
): Promise<RulesAtResultTime> => {
  const stored = await findStoredRules(db, tests)
  // A large load asks for the same few rules thousands of times.
  const known = new Map<string, TestRules>()
  return ({ collaboratorId, testId, rulesId }) => {
    const now = book.of(collaboratorId, testId)
    if (rulesId === null) return now
    const key = `${collaboratorId} ${testId} ${rulesId}`
    const rules = known.get(key) ?? rulesAtResultTime(now, stored.get(rulesId))
    known.set(key, rules)
    return rules
  }
}

const findStoredRules = async (
  db: Db | Trx,
  tests: readonly ResultedTest[],
): Promise<Map<number, InterpretationRules>> => {
  const wanted = [...new Set(tests.flatMap(({ rulesId }) => rulesId ?? []))]
  if (wanted.length === 0) return new Map()
  const rows = await db
    .selectFrom('result_rules')
    .select((eb) => ['id', eb.ref('rules').$castTo<InterpretationRules>().as('rules')])
    .where('id', '=', anyId(wanted))
    .execute()
  return new Map(rows.map(({ id, rules }) => [id, rules]))
}
