import { type ReqTest, resultFieldNames } from '@lis/contract/requisition-tests.ts'
import { rangesFor } from '@lis/contract/results/display.ts'
import { resultKeys } from '@lis/contract/results/result-keys.ts'
import {
  type BandName,
  bandOrder,
  type InterpretationRules,
  rulesAtResultTime,
  type Sex,
  type TestRules,
} from '@lis/contract/results/rules.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { invalid } from '../../platform/errors.ts'
import { type Condition, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isRequisitionFailed, type RequisitionHead } from '../requisition-record/queries.ts'
import { type RuleBook, unitOf } from './rule-book.ts'
import { sexOf } from './stored-tests.ts'

const isFlag = (name: string, whenTrue: Sql): Condition => {
  const conditions: Record<string, Sql> = { 1: whenTrue, 0: sql`not (${whenTrue})` }
  return (value) => {
    const condition = conditions[String(value)]
    if (!condition) throw invalid('filter', `${name} must be 0 or 1`)
    return condition
  }
}

const codesOf = (type: 'PASS' | 'FAIL', code: string, desc: string) => sql`coalesce((
  select json_agg(json_build_object('reasonId', re.id, ${sql.lit(code)}::text, re.code, ${sql.lit(desc)}::text, re.description) order by re.code)
  from requisition_test_reason x join reason re on re.id = x.reason_id and re.type_code = ${sql.lit(type)} where x.requisition_test_id = rt.id), '[]')`
const isNumeric = sql`t.result_kind = 'numeric'`

/** Units as `isSameUnit` compares them. */
export const normalizedUnit = (unit: Sql) => sql`lower(translate(${unit}, 'µμ ', 'uu'))`

/** Rule 6 for display: the latest earlier result in the same unit, on another requisition that the reader may see. */
const previous = sql`(select json_build_object('result', x.result, 'reportableResult', x.reportable_result, 'processDate', x.process_date, 'reqId', x.requisition_id)
  from requisition q join requisition_test x on x.requisition_id = q.id and x.test_id = rt.test_id
  where q.patient_id = r.patient_id and q.id <> r.id and q.deleted_at is null and x.deleted_at is null and not x.is_retest and x.result is not null
    and (not ${isNumeric} or x.result_num is not null) and x.process_date < coalesce(rt.process_date, now()) and not ${isRequisitionFailed(sql`q.id`)}
    and ${normalizedUnit(unitOf(sql`q.collaborator_id`, sql`x.test_id`))} is not distinct from ${normalizedUnit(unitOf(sql`r.collaborator_id`, sql`x.test_id`))}
  order by x.process_date desc, x.id desc limit 1)`

interface Reader {
  head: RequisitionHead
  sex: Sex | null
  book: RuleBook
  seesResults: boolean
  mayEdit: boolean
}

/** The tests of one requisition, including those replaced by a retest. */
export const reqTestList = (reader: Reader): ListDefinition => ({
  from: sql`requisition_test rt join requisition r on r.id = rt.requisition_id join test t on t.id = rt.test_id left join panel p on p.id = rt.panel_id
    left join result_rules rr on rr.id = rt.rules_id`,
  where: [sql`rt.requisition_id = ${reader.head.id}`, sql`rt.deleted_at is null`],
  fields: {
    id: sql`rt.id`,
    reqTestId: sql`rt.id`,
    reqId: sql`rt.requisition_id`,
    testId: sql`rt.test_id`,
    testCode: sql`t.code`,
    testDesc: sql`t.description`,
    panelIds: sql`array_remove(array[rt.panel_id], null)`,
    testIds: sql`array[rt.test_id]`,
    panelCode: sql`p.code`,
    processDate: sql`rt.process_date`,
    isCalculated: flag01(sql`t.is_calculated`),
    isRetest: flag01(sql`rt.is_retest`),
    isModifiable: flag01(sql`rt.is_modifiable`),
    isResulted: flag01(sql`rt.reportable_result is not null`),
    testFailCodes: codesOf('FAIL', 'failCode', 'failDesc'),
    testPassCodes: codesOf('PASS', 'passCode', 'passDesc'),
    version: sql`rt.version`,
    instrumentResultId: sql`rt.instrument_result_id`,
    isReflex: flag01(sql`rt.reflex_rule_id is not null`),
    reflexRuleId: sql`rt.reflex_rule_id`,
    result: sql`rt.result`,
    reportableResult: sql`rt.reportable_result`,
    interpretation: sql`rt.interpretation`,
    comment: sql`rt.comment`,
    reagent: sql`rt.reagent`,
    previous: reader.seesResults ? previous : sql`null`,
    storedRules: sql`rr.rules`,
  },
  sort: { testCode: sql`lower(t.code)`, testDesc: sql`lower(t.description)` },
  filter: {
    id: isOneOfIds(sql`rt.id`, 'id'),
    testCodes: (value) =>
      isOneOf(sql`t.code`)([value].flat().flatMap((codes) => codes.split(',').map((code) => code.trim()))),
    testComboCode: (value) =>
      sql`exists (select from test_combo c join test_combo_test ct on ct.test_combo_id = c.id where c.code = ${String(value)} and ct.test_id = t.id)`,
    isRetest: isFlag('isRetest', sql`rt.is_retest`),
    isNonResultedOnly: (value) =>
      String(value) === '0' ? sql`true` : isFlag('isNonResultedOnly', isWithoutResult)(value),
    isCalculated: isFlag('isCalculated', sql`t.is_calculated`),
  },
  defaultOrder: sql`t.sort_order, rt.is_retest`,
  key: sql`rt.id`,
  finish: (row) => finishTest(row as unknown as StoredRow, reader) as unknown as Record<string, unknown>,
})

/** Neither a result nor a fail code. */
const isWithoutResult = sql`rt.reportable_result is null and not exists (select from requisition_test_reason x
  join reason re on re.id = x.reason_id and re.type_code = 'FAIL' where x.requisition_test_id = rt.id)`

type StoredRow = ReqTest & { storedRules: InterpretationRules | null }

const finishTest = ({ storedRules, ...row }: StoredRow, { head, sex, book, seesResults, mayEdit }: Reader): ReqTest => {
  const now = book.of(head.collaborator_id, row.testId)
  const usedRules = rulesAtResultTime(now, storedRules)
  const isOpen = row.isModifiable === 1 || (row.isResulted === 0 && row.testFailCodes.length === 0)
  const isEditable = mayEdit && head.status_code === 'PROCESS' && isOpen && row.isCalculated === 0 && row.isRetest === 0
  // A new value is interpreted by the current rules; a stored one by those of its time.
  const { test, units, digits } = isEditable ? now : usedRules
  const finished: ReqTest = {
    ...row,
    labTz: head.lab_zone,
    units,
    resultKind: test.resultKind,
    options: test.options,
    significantDigits: digits,
    ranges: rangesFor(usedRules, sex),
    band: bandOfStored(usedRules, row),
    isEditable: isEditable ? 1 : 0,
  }
  if (!seesResults) for (const name of resultFieldNames) delete finished[name]
  return finished
}

/** The band of the stored interpretation, so that colour and text always agree. */
const bandOfStored = ({ test }: TestRules, { result, interpretation }: ReqTest): BandName | null => {
  const option = test.options?.find(({ code }) => code === result)
  if (option) return option.band
  if (!interpretation) return null
  return bandOrder.find((name) => test.interpretationLabels?.[name] === interpretation) ?? null
}

export const findSex = async (db: Db, patientId: number): Promise<Sex | null> => {
  const patient = await db.selectFrom('patient').select('gender_code').where('id', '=', patientId).executeTakeFirst()
  return sexOf(patient?.gender_code)
}

/** TEST-G7: one wide row per day of processing in the laboratory's zone, with the current result of each test. */
export const resultedList = ({ id, lab_zone: zone }: RequisitionHead): ListDefinition => ({
  from: sql`(select min(rt.id) as id, max(rt.process_date) as at, ${sql.join(
    resultKeys.map(
      (key) =>
        sql`coalesce(max(rt.reportable_result) filter (where t.result_key = ${sql.lit(key)}), max(rt.reagent) filter (where t.reagent_key = ${sql.lit(key)})) as ${sql.ref(key)}`,
    ),
  )}
    from requisition_test rt join test t on t.id = rt.test_id
    where rt.requisition_id = ${id} and rt.deleted_at is null and not rt.is_retest and rt.reportable_result is not null and rt.process_date is not null
      and not ${isRequisitionFailed(sql`rt.requisition_id`)}
    group by (rt.process_date at time zone ${zone})::date) w`,
  where: [],
  fields: {
    id: sql`w.id`,
    processDate: sql`w.at`,
    labTz: sql`${zone}::text`,
    ...Object.fromEntries(resultKeys.map((key) => [key, sql`w.${sql.ref(key)}`])),
  },
  filter: {},
  defaultOrder: sql`w.at`,
  key: sql`w.id`,
})

const isOrdered = (requisitionId: number, testId: Sql) =>
  sql<boolean>`exists (select from requisition_test x where x.requisition_id = ${requisitionId} and x.test_id = ${testId} and x.deleted_at is null and not x.is_retest)`

export const listPanels = (db: Db, requisitionId: number) =>
  db
    .selectFrom('panel as p')
    .innerJoin('panel_test as pt', 'pt.panel_id', 'p.id')
    .innerJoin('test as t', (join) => join.onRef('t.id', '=', 'pt.test_id').on('t.deleted_at', 'is', null))
    .select((eb) => [
      'p.id',
      'p.id as panelId',
      'p.code as panelCode',
      'p.description as panelDesc',
      eb.fn.agg<string[]>('array_agg', ['t.code']).orderBy('t.sort_order').as('testCodes'),
      flag01(sql`bool_and(${isOrdered(requisitionId, sql`t.id`)})`).as('isOrdered'),
    ])
    .where('p.deleted_at', 'is', null)
    .groupBy('p.id')
    .orderBy('p.sort_order')
    .orderBy('p.id')
    .execute()

export const listSingleTests = (db: Db, requisitionId: number) =>
  db
    .selectFrom('test as t')
    .select((eb) => [
      't.id',
      't.id as testId',
      't.code as testCode',
      't.description as testDesc',
      flag01(eb.ref('t.is_calculated')).as('isCalculated'),
      flag01(isOrdered(requisitionId, sql`t.id`)).as('isOrdered'),
    ])
    .where('t.deleted_at', 'is', null)
    .orderBy('t.sort_order')
    .orderBy('t.id')
    .execute()
