import { type InterpretationRules, rulesAtResultTime, type TestRules } from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import type { RuleBook } from './rule-book.ts'

/** The ids under which these rules are kept, in their order; those that nobody has judged by before are added. */
export const keepRules = async (trx: Trx, judged: readonly (TestRules | null)[]): Promise<(number | null)[]> => {
  const texts = new Map(
    [...new Set(judged)].flatMap((rules) => (rules ? [[rules, JSON.stringify(rules.interpretationRules)]] : [])),
  )
  // In one order for all: two who add the same at once must not wait for each other.
  const distinct = [...new Set(texts.values())].toSorted()
  if (distinct.length === 0) return judged.map(() => null)
  let known = await findIds(trx, distinct)
  if (known.size < distinct.length) {
    const fresh = distinct.filter((text) => !known.has(text))
    await sql`insert into result_rules (rules) select rules from unnest(${fresh}::text[]::jsonb[]) with ordinality as n(rules, place)
      order by place on conflict do nothing`.execute(trx)
    known = await findIds(trx, distinct)
  }
  return judged.map((rules) => (rules ? (known.get(texts.get(rules) as string) ?? null) : null))
}

const findIds = async (trx: Trx, texts: readonly string[]): Promise<Map<string, number>> => {
  const { rows } = await sql<{ place: number; id: number }>`
    select n.place, r.id from unnest(${[...texts]}::text[]::jsonb[]) with ordinality as n(rules, place) join result_rules r on r.rules = n.rules`.execute(
    trx,
  )
  return new Map(rows.map(({ place, id }) => [texts[Number(place) - 1] as string, id]))
}

/** A test with the rules by which its result was interpreted, where they are kept. */
interface JudgedTest {
  collaboratorId: number
  testId: number
  rulesId: number | null
}

/** The rules by which the result of a test was interpreted; where they are not kept, those of now. */
export type RulesThen = (test: JudgedTest) => TestRules

export const loadRulesThen = async (db: Db | Trx, tests: readonly JudgedTest[], book: RuleBook): Promise<RulesThen> => {
  const kept = await findKeptRules(db, tests)
  // A large load asks for the same few thousands of times.
  const known = new Map<string, TestRules>()
  return ({ collaboratorId, testId, rulesId }) => {
    const now = book.of(collaboratorId, testId)
    if (rulesId === null) return now
    const key = `${collaboratorId} ${testId} ${rulesId}`
    const rules = known.get(key) ?? rulesAtResultTime(now, kept.get(rulesId))
    known.set(key, rules)
    return rules
  }
}

const findKeptRules = async (db: Db | Trx, tests: readonly JudgedTest[]): Promise<Map<number, InterpretationRules>> => {
  const wanted = [...new Set(tests.flatMap(({ rulesId }) => rulesId ?? []))]
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<{ id: number; rules: InterpretationRules }>`
    select id, rules from result_rules where id = any(${wanted}::int[])`.execute(db)
  return new Map(rows.map(({ id, rules }) => [id, rules]))
}
