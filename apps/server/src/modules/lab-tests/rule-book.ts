import { type RangeOverride, rulesOf, type TestDefinition, type TestRules } from '@lis/contract/results/rules.ts'
import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { DB } from '../../platform/db/types.ts'
import type { Sql } from '../../platform/lists.ts'

type TestRow = Selectable<DB['test']>

/** The rules of every test for some collaborators. */
export interface RuleBook {
  of: (collaboratorId: number, testId: number) => TestRules
  byKey: (collaboratorId: number, resultKey: string) => TestRules
}

/** The unit of a test for a collaborator, as `rulesOf` finds it. */
export const unitOf = (collaboratorId: Sql, testId: Sql) => sql`coalesce(
  (select o.unit from collaborator_test_range o where o.collaborator_id = ${collaboratorId} and o.test_id = ${testId} and o.deleted_at is null),
  (select c.unit from test c where c.id = ${testId}))`

/** Reads the catalogue and the collaborators' own ranges once, because a save or a page asks for the same few tests repeatedly. */
export const loadRuleBook = async (db: Db | Trx, collaboratorIds: readonly number[]): Promise<RuleBook> => {
  const tests = await db.selectFrom('test').selectAll().execute()
  const ranges = await db
    .selectFrom('collaborator_test_range')
    .selectAll()
    .where('collaborator_id', '=', anyId(collaboratorIds))
    .where('deleted_at', 'is', null)
    .execute()
  const definitions = new Map(tests.map((test) => [test.id, definitionOf(test)]))
  const idByKey = new Map(tests.map((test) => [test.result_key, test.id]))
  const own = new Map(ranges.map((range) => [`${range.collaborator_id} ${range.test_id}`, ownRangeOf(range)]))
  const known = new Map<string, TestRules>()
  const of = (collaboratorId: number, testId: number): TestRules => {
    const key = `${collaboratorId} ${testId}`
    const found = known.get(key)
    if (found) return found
    const definition = definitions.get(testId)
    if (!definition) throw new Error(`No test ${testId}`)
    const rules = rulesOf(definition, own.get(key))
    known.set(key, rules)
    return rules
  }
  return {
    of,
    byKey: (collaboratorId, resultKey) => {
      const testId = idByKey.get(resultKey)
      if (testId === undefined) throw new Error(`No test gives ${resultKey}`)
      return of(collaboratorId, testId)
    },
  }
}

const rangeLimits = (row: TestRow | Selectable<DB['collaborator_test_range']>) => ({
  mNormalLo: row.m_normal_lo,
  mNormalHi: row.m_normal_hi,
  mBorderLo: row.m_border_lo,
  mBorderHi: row.m_border_hi,
  mUnfavLo: row.m_unfav_lo,
  mUnfavHi: row.m_unfav_hi,
  fNormalLo: row.f_normal_lo,
  fNormalHi: row.f_normal_hi,
  fBorderLo: row.f_border_lo,
  fBorderHi: row.f_border_hi,
  fUnfavLo: row.f_unfav_lo,
  fUnfavHi: row.f_unfav_hi,
  reportLo: row.report_lo,
  reportHi: row.report_hi,
})

const ownRangeOf = (row: Selectable<DB['collaborator_test_range']>): RangeOverride => ({
  ...rangeLimits(row),
  units: row.unit,
  significantDigits: row.significant_digits,
})

const definitionOf = (row: TestRow): TestDefinition => ({
  ...rangeLimits(row),
  testCode: row.code,
  resultKey: row.result_key,
  units: row.unit,
  resultKind: row.result_kind as TestDefinition['resultKind'],
  options: row.options as unknown as TestDefinition['options'],
  allowedText: row.allowed_text,
  significantDigits: row.significant_digits,
  formula: row.formula as unknown as TestDefinition['formula'],
  validity: row.validity as unknown as TestDefinition['validity'],
  plausibility: {
    rejectLo: row.reject_lo,
    rejectHi: row.reject_hi,
    confirmLo: row.confirm_lo,
    confirmHi: row.confirm_hi,
  },
  deltaCheck:
    row.delta_kind && row.delta_limit !== null && row.delta_within_days !== null
      ? { kind: row.delta_kind as 'percent' | 'absolute', limit: row.delta_limit, withinDays: row.delta_within_days }
      : null,
  interpretationLabels: row.interpretation_labels as unknown as TestDefinition['interpretationLabels'],
})
