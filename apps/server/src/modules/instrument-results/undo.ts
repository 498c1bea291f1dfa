import { displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { counted, recordUndo } from '../../platform/db/undo.ts'
import { announce } from '../../platform/domain-events.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { openModification } from '../lab-tests/ordering.ts'
import { saveResults } from '../lab-tests/service.ts'
import { setStatus } from '../life-cycle/service.ts'
import { lockRequisitions } from '../requisition-record/queries.ts'
import type { UndoKind } from '../undo/service.ts'
import { publishReview } from './announce.ts'
import { recordSource } from './result-entry.ts'
import { lockResults, type StoredResult } from './rows.ts'

export type Decision = 'ACCEPTED' | 'RERUN' | 'REJECTED'

/** A result with its previous state, and its state after the decision. */
interface DecidedResult {
  id: number
  version: number
  before: string
  requisitionId: number | null
  requisitionTestId: number | null
  testVersion: number | null
}

interface ReviewDecision {
  decision: Decision
  results: DecidedResult[]
  /** Other results of the same tests, which the decision set aside. */
  others: { id: number; state: string }[]
}

const kind = 'REVIEW'
const verbs = { ACCEPTED: 'Accept', RERUN: 'Rerun', REJECTED: 'Reject' } as const

/** Other results of these tests that an acceptance will set aside. */
export const listOthers = async ({ db }: WriteCall, accepted: readonly StoredResult[]) => {
  const { rows } = await sql<{ id: number; state: string }>`
    select o.id, o.state from instrument_result o
    where o.requisition_test_id = ${anyId(accepted.map(({ requisitionTestId }) => requisitionTestId as number))}
      and not (o.id = ${anyId(accepted.map(({ id }) => id))}) and o.state in ('HELD', 'REVIEW', 'VERIFIED', 'ACCEPTED', 'RERUN')`.execute(
    db,
  )
  return rows
}

export const recordReviewUndo = async (
  call: WriteCall,
  decision: Decision,
  before: readonly Pick<StoredResult, 'id' | 'state'>[],
  others: ReviewDecision['others'] = [],
): Promise<number> => {
  const { rows } = await sql<Omit<DecidedResult, 'before'>>`
    select i.id, i.version, i.requisition_id as "requisitionId", i.requisition_test_id as "requisitionTestId", t.version as "testVersion"
    from instrument_result i left join requisition_test t on t.id = i.requisition_test_id
    where i.id = ${anyId(before.map(({ id }) => id))} order by i.id`.execute(call.db)
  const stateOf = new Map(before.map(({ id, state }) => [id, state]))
  const results = rows.map((row) => ({ ...row, before: stateOf.get(row.id) as string }))
  const description = `${verbs[decision]} ${counted(results.length, 'result')}`
  const data: ReviewDecision = { decision, results, others }
  return recordUndo(call, { kind, description, count: results.length, data })
}

/**
 * Puts results back on the review queue. An accepted one is removed from its test again, unless a report was made or it had
 * other consequences: a call to the practice or a reflex order cannot be undone.
 */
export const reviewUndo: UndoKind<ReviewDecision> = {
  kind,
  lock: async ({ db, actor }, { results }) => {
    const requisitionIds = [...new Set(results.flatMap(({ requisitionId }) => requisitionId ?? []))]
    await lockRequisitions(db, actor, requisitionIds)
    await lockResults(
      db,
      results.map(({ id }) => id),
    )
  },
  findObstacles: async (db, { decision, results }) => {
    const { rows } = await sql<Standing>`
      select m.id, i.version = m.version as "isSame", decided.code, r.id as "requisitionId", r.status_code as status,
        t.version is not distinct from m."testVersion" as "isTestSame",
        exists (select from report p where p.requisition_id = r.id and p.deleted_at is null) as "hasReport",
        exists (select from critical_call c where c.requisition_test_id = t.id) as "hasCall",
        exists (select from requisition_test x join reflex_rule u on u.id = x.reflex_rule_id
          where x.requisition_id = r.id and x.deleted_at is null and u.test_id = t.test_id) as "hasReflex"
      from json_to_recordset(${JSON.stringify(results)}::json) as m(id bigint, version int, "testVersion" int)
      join instrument_result i on i.id = m.id left join requisition_test t on t.id = i.requisition_test_id
      left join test decided on decided.id = t.test_id left join requisition r on r.id = i.requisition_id order by m.id`.execute(
      db,
    )
    return rows.flatMap((row) => obstacleOf(decision, row) ?? [])
  },
  undo: async (call, { decision, results, others }) => {
    if (decision === 'ACCEPTED') await takeOffTests(call, results)
    const { db, actor, requestId } = call
    await sql`update instrument_result i set state = m.before, version = i.version + 1, decided_by = null, decided_by_name = null,
        decided_at = null, decision_reason = null
      from json_to_recordset(${JSON.stringify(results)}::json) as m(id bigint, before text) where i.id = m.id`.execute(
      db,
    )
    await sql`update instrument_result i set state = m.state, version = i.version + 1
      from json_to_recordset(${JSON.stringify(others)}::json) as m(id bigint, state text) where i.id = m.id`.execute(db)
    await recordAudit(
      db,
      actor,
      requestId,
      results.map(({ id, before }) => ({
        entity: 'instrument_result',
        entityId: id,
        action: 'UNDO',
        old: { state: decision },
        new: { state: before },
      })),
    )
    const back = await lockResults(
      db,
      results.map(({ id }) => id),
    )
    await recordSource(
      call,
      back.filter(({ requisitionId }) => requisitionId !== null),
      `${verbs[decision]} undone`,
    )
    await publishReview(db)
  },
}

interface Standing {
  id: number
  code: string | null
  requisitionId: number | null
  status: StatusCode | null
  isSame: boolean
  isTestSame: boolean
  hasReport: boolean
  hasCall: boolean
  hasReflex: boolean
}

const obstacleOf = (decision: Decision, row: Standing): string | undefined => {
  const { id, code, requisitionId, status, isSame, isTestSame, hasReport, hasCall, hasReflex } = row
  if (!isSame) return `Somebody has decided about result ${id} since`
  if (decision !== 'ACCEPTED' || status === null) return undefined
  const of = `${code} of requisition #${requisitionId}`
  if (status !== 'PROCESS' && (status !== 'RESULT' || hasReport))
    return `Requisition #${requisitionId} is ${displayStatus(status)} and has its report`
  if (!isTestSame) return `${of} has been changed since`
  if (hasCall) return `${of} is critical: its call is on the list`
  return hasReflex ? `${of} has added tests to the order` : undefined
}

const takeOffTests = async (call: WriteCall, results: readonly DecidedResult[]) => {
  const { db, actor, requestId } = call
  const requisitionIds = [...new Set(results.map(({ requisitionId }) => requisitionId as number))]
  const { rows } = await sql<{ id: number }>`
    select id from requisition where id = ${anyId(requisitionIds)} and status_code = 'RESULT' order by id`.execute(db)
  const moved = rows.map(({ id }) => id)
  const move = { from: 'RESULT', to: 'PROCESS', reason: 'Undo' } as const
  await setStatus(db, actor, requestId, moved, move)
  if (moved.length > 0) await announce(call, 'statusMovedBack', { requisitionIds: moved, from: move.from, to: move.to })
  const opened: number[] = []
  for (const { requisitionId, requisitionTestId } of results) {
    await openModification(call, requisitionId as number, requisitionTestId as number)
    opened.push(requisitionTestId as number)
  }
  const { problems } = await saveResults(
    call,
    results.map(({ requisitionId, requisitionTestId }) => ({
      requisitionId: requisitionId as number,
      reqTestId: requisitionTestId as number,
      result: '',
      isConfirmed: true,
    })),
  )
  if (problems[0]) throw conflict(problems[0].message)
  await announce(call, 'resultsChanged', { requisitionIds, opened })
}
