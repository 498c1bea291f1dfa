import type { InstrumentResult, ResultCheck } from '@lis/contract/instrument-results.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { sql } from 'kysely'
import { requireDays } from '../../platform/date-filter.ts'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { notFound } from '../../platform/errors.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { normalizedUnit } from '../lab-tests/queries.ts'
import { unitOf } from '../lab-tests/rule-book.ts'
import { isRequisitionFailed } from '../requisition-record/queries.ts'
import { loadQcStates } from './qc-states.ts'

const resultFields = {
  id: sql`i.id`,
  version: sql`i.version`,
  instrumentId: sql`i.instrument_id`,
  instrumentName: sql`k.name`,
  labZone: sql`lab.zone`,
  messageId: sql`i.message_id`,
  specimenId: sql`i.specimen_id`,
  instrumentCode: sql`i.instrument_code`,
  reqId: sql`i.requisition_id`,
  reqTestId: sql`i.requisition_test_id`,
  testCode: sql`t.code`,
  value: sql`i.value`,
  units: sql`i.units`,
  flags: sql`i.flags`,
  abnormalFlag: sql`i.abnormal_flag`,
  operator: sql`i.operator`,
  reagentLot: sql`i.reagent_lot`,
  measuredAt: sql`i.measured_at`,
  receivedAt: sql`i.received_at`,
  clockOffsetSec: sql`i.clock_offset_sec`,
  rawRecord: sql`i.raw_record`,
  state: sql`i.state`,
  reasons: sql`i.reasons`,
}

const from = sql`instrument_result i join instrument k on k.id = i.instrument_id join lab on lab.id = k.lab_id left join test t on t.id = i.test_id`

const filter = {
  id: isOneOfIds(sql`i.id`, 'id'),
  instrumentId: isOneOfIds(sql`i.instrument_id`, 'instrumentId'),
  messageId: isOneOfIds(sql`i.message_id`, 'messageId'),
  specimenId: isOneOf(sql`i.specimen_id`),
  instrumentCode: isOneOf(sql`i.instrument_code`),
  reqId: isOneOfIds(sql`i.requisition_id`, 'reqId'),
  reqTestId: isOneOfIds(sql`i.requisition_test_id`, 'reqTestId'),
  testCode: isOneOf(sql`t.code`),
  state: isOneOf(sql`i.state`),
  // Days of the laboratory; the first two conditions are wider, so that an index can be used.
  receivedAt: (value: FilterValue) => {
    const { from: first, to: last } = requireDays('receivedAt', value)
    return sql`i.received_at >= ${first}::date - interval '1 day' and i.received_at < ${last}::date + interval '2 days'
      and (i.received_at at time zone lab.zone)::date between ${first}::date and ${last}::date`
  },
  search: contains(sql`(i.specimen_id || ' ' || i.instrument_code || ' ' || coalesce(t.code, ''))`),
}

export const resultList: ListDefinition = {
  from,
  where: [],
  fields: resultFields,
  filter,
  defaultOrder: sql`i.id desc`,
  key: sql`i.id`,
}

export const getResult = async (db: Db, id: number) => {
  const found = await findRow<InstrumentResult>(db, resultList, id)
  if (!found) throw notFound('Result')
  const { rows } = await sql<{
    decidedByName: string | null
    decisionReason: string | null
    decision: {
      outcome: 'PASSED' | 'HELD'
      ruleId: number | null
      ruleVersion: number | null
      decidedAt: string
      checks: ResultCheck[]
    } | null
  }>`select i.decided_by_name as "decidedByName", i.decision_reason as "decisionReason",
      (select json_build_object('outcome', d.outcome, 'ruleId', d.rule_id, 'ruleVersion', d.rule_version, 'decidedAt', d.decided_at, 'checks', d.checks)
        from instrument_decision d where d.instrument_result_id = i.id order by d.id desc limit 1) as decision
    from instrument_result i where i.id = ${id}`.execute(db)
  const [{ decision, decidedByName, decisionReason }] = rows as [(typeof rows)[number]]
  return { ...found, decision, decidedByName, decisionReason }
}

/** The patient's latest earlier results of the same test in the same unit, on other requisitions, the latest first. */
const earlier = sql`lateral (select json_agg(json_build_object('value', x.result, 'at', x.process_date) order by x.process_date desc, x.id desc) as trend,
    (array_agg(x.result order by x.process_date desc, x.id desc))[1] as result,
    (array_agg(x.result_num order by x.process_date desc, x.id desc))[1] as result_num, max(x.process_date) as process_date
  from (select x.id, x.result, x.result_num, x.process_date from requisition q join requisition_test x on x.requisition_id = q.id and x.test_id = i.test_id
    where q.patient_id = r.patient_id and q.id <> r.id and q.deleted_at is null and x.deleted_at is null and not x.is_retest and x.result is not null
      and x.process_date < coalesce(i.measured_at, i.received_at) and not ${isRequisitionFailed(sql`q.id`)}
      and ${normalizedUnit(unitOf(sql`q.collaborator_id`, sql`x.test_id`))} is not distinct from ${normalizedUnit(unitOf(sql`r.collaborator_id`, sql`x.test_id`))}
    order by x.process_date desc, x.id desc limit 8) x) e on true`

const waitingFrom = sql`${from} left join requisition r on r.id = i.requisition_id left join requisition_patient p on p.requisition_id = r.id`
const isWaiting = [sql`i.state in ('HELD', 'REVIEW')`]
const reviewFilter: ListDefinition['filter'] = {
  ...filter,
  reasonCode: (value) =>
    sql`exists (select from jsonb_array_elements(i.reasons) x where ${isOneOf(sql`x ->> 'code'`)(value)})`,
  isCritical: isOneOf(flag01(sql`i.is_critical`)),
}
const criticalFirst = sql`i.is_critical desc, lower(k.name), i.instrument_id, i.message_id, i.id`

/** The same rows as `reviewList`, without the joined details; aliases `i`, `k`, `t`, `r` and `p`. */
export const waitingList: ListDefinition = {
  from: waitingFrom,
  where: isWaiting,
  fields: resultFields,
  filter: reviewFilter,
  defaultOrder: criticalFirst,
  key: sql`i.id`,
}

/** What waits for a person. */
export const reviewList = (db: Db): ListDefinition => ({
  from: sql`${waitingFrom} left join ${earlier}`,
  where: isWaiting,
  fields: {
    ...resultFields,
    patientId: sql`r.patient_id`,
    patientName: sql`p.last_name || ', ' || p.first_name`,
    patientDob: sql`p.dob`,
    isCritical: flag01(sql`i.is_critical`),
    previousValue: sql`e.result`,
    previousDate: sql`e.process_date`,
    delta: sql`case when i.value ~ '^[+-]?[0-9]{1,20}([.][0-9]{1,20})?$' then trim_scale(i.value::numeric - e.result_num)::text end`,
    trend: sql`coalesce(e.trend, '[]')`,
  },
  sort: { instrumentName: sql`lower(k.name)` },
  filter: reviewFilter,
  defaultOrder: criticalFirst,
  key: sql`i.id`,
  finishPage: (rows) => addQcStates(db, rows),
})

const addQcStates = async (db: Db, rows: Record<string, unknown>[]) => {
  const stateOf = await loadQcStates(
    db,
    rows.map((row) => row.instrumentId as number),
  )
  return rows.map((row) => ({
    ...row,
    qcState: row.testCode === null ? null : stateOf(row.instrumentId as number, row.testCode as string),
  }))
}
