import type { ReflexOp } from '@lis/contract/reflex.ts'
import { displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { raiseIssue } from '../issues/service.ts'
import { orderTests, recalculateAll } from '../lab-tests/ordering.ts'
import { loadRuleBook } from '../lab-tests/rule-book.ts'
import { setStatus } from '../life-cycle/service.ts'
import { meets } from './condition.ts'

interface Candidate {
  requisitionId: number
  status: StatusCode
  colaId: number
  reqTestId: number
  testId: number
  testCode: string
  result: string | null
  reportable: string
  interpretation: string | null
  ruleId: number
  ruleVersion: number
  op: ReflexOp
  value: string
  maxSpecimenHours: number | null
  specimenHours: number
  specimenTypes: string[]
  /** Tests and panels of the rule that were removed from the catalogue. */
  gone: string[]
}

/** Adds what the reflex rules say after results have become final, each rule once per requisition. */
export const applyReflexRules = async (write: WriteCall, requisitionIds: readonly number[]) => {
  const candidates = await listCandidates(write.db, requisitionIds)
  if (candidates.length === 0) return
  const book = await loadRuleBook(write.db, [...new Set(candidates.map(({ colaId }) => colaId))])
  for (const one of candidates)
    if (meets(one, { ...one, digits: book.of(one.colaId, one.testId).digits })) await applyRule(write, one)
}

const applyRule = async (write: WriteCall, one: Candidate) => {
  const { db, actor, requestId } = write
  const { requisitionId, ruleId, ruleVersion, reqTestId, testCode, reportable } = one
  const toAdd = await listToAdd(db, one)
  if (toAdd.length === 0 && one.gone.length === 0) return
  const cause = `${testCode} ${reportable}`
  const problem = problemOf(one, toAdd)
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('reflex_event')
    .values({
      requisition_id: requisitionId,
      rule_id: ruleId,
      rule_version: ruleVersion,
      requisition_test_id: reqTestId,
      value: reportable,
      problem,
    })
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) return
  if (problem !== null) {
    await raiseIssue(db, requisitionId, 'REFLEX', {
      by: 'Reflex tests',
      issueDesc: `Reflex test not added: ${problem}`,
      issueNote: `Because of ${cause}`,
    })
    return
  }
  const added = await orderTests(write, requisitionId, { panelIds: [], testIds: toAdd.map(({ id }) => id) })
  await sql`update requisition_test set reflex_rule_id = ${ruleId}::int where id = ${anyId(added.map(({ id }) => id))}`.execute(
    db,
  )
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'REFLEX',
    reason: `Because of ${cause}`,
    new: { added: added.map(({ code }) => code).join(', '), rule: ruleId, ruleVersion },
  })
  await recalculateAll(write, requisitionId)
  if (one.status === 'RESULT')
    await setStatus(db, actor, requestId, [requisitionId], {
      from: 'RESULT',
      to: 'PROCESS',
      // Without the value: more people see why a requisition was moved than may see results.
      reason: `Reflex test because of ${testCode}`,
    })
}

interface AddedTest {
  id: number
  code: string
  types: string[]
}

/** Why the tests cannot be added, as text. */
const problemOf = (one: Candidate, toAdd: readonly AddedTest[]): string | null => {
  const { gone, maxSpecimenHours, specimenHours, specimenTypes, status } = one
  if (gone.length > 0) return `${gone.join(', ')} cannot be ordered`
  const without = toAdd.filter(({ types }) =>
    types.length === 0 ? specimenTypes.length === 0 : !types.some((type) => specimenTypes.includes(type)),
  )
  if (without.length > 0) return `There is no specimen for ${without.map(({ code }) => code).join(', ')}`
  if (maxSpecimenHours !== null && specimenHours > maxSpecimenHours)
    return `The specimen is ${Math.floor(specimenHours)} hours old; the limit is ${maxSpecimenHours}`
  if (!['LOG', 'ACC', 'PROCESS', 'RESULT'].includes(status)) return `The requisition is ${displayStatus(status)}`
  return null
}

/** Final results with a rule that is on, that the client agrees to, and that has not been applied to the requisition. */
const listCandidates = async (trx: Trx, requisitionIds: readonly number[]): Promise<Candidate[]> => {
  const { rows } = await sql<Candidate>`
    select r.id as "requisitionId", r.status_code as status, r.collaborator_id as "colaId", rt.id as "reqTestId", rt.test_id as "testId",
      t.code as "testCode", rt.result, rt.reportable_result as reportable, rt.interpretation, a.id as "ruleId", a.rule_version as "ruleVersion",
      a.op, a.value, a.max_specimen_hours as "maxSpecimenHours", extract(epoch from now() - r.collected_at)::float8 / 3600 as "specimenHours",
      array(select distinct s.type_code from specimen s where s.requisition_id = r.id and s.deleted_at is null) as "specimenTypes",
      array(select coalesce(x.code, p.code) from reflex_rule_test y left join test x on x.id = y.test_id left join panel p on p.id = y.panel_id
        where y.rule_id = a.id and coalesce(x.deleted_at, p.deleted_at) is not null) as gone
    from requisition_test rt join requisition r on r.id = rt.requisition_id join test t on t.id = rt.test_id
    join reflex_rule a on a.test_id = rt.test_id and a.is_active and a.deleted_at is null
    join client_reflex_rule c on c.client_id = r.client_id and c.rule_id = a.id
    where rt.requisition_id = ${anyId(requisitionIds)} and rt.deleted_at is null and not rt.is_retest and not rt.is_modifiable
      and rt.reportable_result is not null and r.deleted_at is null
      and not exists (select from reflex_event e where e.requisition_id = r.id and e.rule_id = a.id)
    order by r.id, rt.id, a.id`.execute(trx)
  return rows
}

/** Tests of the rule and of its panels that are not ordered yet. */
const listToAdd = async (trx: Trx, { requisitionId, ruleId }: Candidate): Promise<AddedTest[]> => {
  const { rows } = await sql<AddedTest>`
    select distinct t.id, t.code, t.specimen_type_codes as types from reflex_rule_test y left join panel_test pt on pt.panel_id = y.panel_id
    join test t on t.id = coalesce(y.test_id, pt.test_id) and t.deleted_at is null
    where y.rule_id = ${ruleId}::int and not exists (select from requisition_test x
      where x.requisition_id = ${requisitionId}::bigint and x.test_id = t.id and x.deleted_at is null and not x.is_retest)
    order by t.code`.execute(trx)
  return rows
}
