import { type DecideInput, decidedText } from '@lis/contract/instrument-results.ts'
import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { announce } from '../../platform/domain-events.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { openModification } from '../lab-tests/ordering.ts'
import { type EntryProblem, saveResults } from '../lab-tests/service.ts'
import { loadTests, type StoredTest } from '../lab-tests/stored-tests.ts'
import { setStatus } from '../life-cycle/service.ts'
import { lockRequisitions } from '../requisition-record/queries.ts'
import { acceptRefusal, hasResult, listReleased, loadKinds, type Refused, replaceableIn } from './accept-refusal.ts'
import { publishReview } from './announce.ts'
import { decideIncomplete } from './decide-results.ts'
import { type HeldResult, placeAgain } from './place.ts'
import { loadQcStates } from './qc-states.ts'
import { recordSource, resultEntry } from './result-entry.ts'
import { listWaiting, lockResults, type StoredResult } from './rows.ts'
import { type Decision, listOthers, recordReviewUndo } from './undo.ts'

export interface Decided {
  done: number[]
  refused: Refused[]
  /** Null if the decision cannot be undone as a whole. */
  undoId?: number
}

type Decide = (call: WriteCall, results: readonly StoredResult[], input: DecideInput) => Promise<Decided>

/** With `dryRun` everything is done and rolled back. */
const decideItems = async (call: WriteCall, input: DecideInput, decide: Decide): Promise<Decided> => {
  const { db } = call
  const ids = input.items.map(({ id }) => id)
  await sql`savepoint review`.execute(db)
  await lockRequisitions(db, call.actor, await listRequisitionIds(db, ids))
  const found = new Map((await lockResults(db, ids)).map((result) => [result.id, result]))
  const open: StoredResult[] = []
  const refused: Refused[] = []
  for (const { id, version } of input.items) {
    const result = found.get(id)
    const why = refusalOf(id, version, result)
    if (why) refused.push(why)
    else open.push(result as StoredResult)
  }
  const decided = await decide(call, open, input)
  if (input.dryRun) await sql`rollback to savepoint review`.execute(db)
  else if (decided.done.length > 0) await publishReview(db)
  return {
    done: decided.done,
    refused: [...refused, ...decided.refused].toSorted((a, b) => a.id - b.id),
    ...(!input.dryRun && decided.undoId !== undefined && { undoId: decided.undoId }),
  }
}

const listRequisitionIds = async (trx: Trx, ids: readonly number[]): Promise<number[]> => {
  const rows = await trx
    .selectFrom('instrument_result')
    .select('requisition_id as id')
    .distinct()
    .where('id', '=', anyId(ids))
    .where('requisition_id', 'is not', null)
    .execute()
  return rows.map(({ id }) => id as number)
}

const refusalOf = (id: number, version: number, result: StoredResult | undefined): Refused | null => {
  if (!result) return { id, code: 'state', message: `Result ${id} not found` }
  if (result.state !== 'HELD' && result.state !== 'REVIEW')
    return {
      id,
      code: result.version === version ? 'state' : 'conflict',
      message: decidedText(result.state, result.decidedByName),
    }
  if (result.version !== version) return { id, code: 'conflict', message: 'This result was changed in the meantime' }
  return null
}

// ── accept ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Stores results like typed ones; other results of the same test no longer count. */
export const acceptResults = (call: WriteCall, input: DecideInput) => decideItems(call, input, accept)

const accept: Decide = async (call, chosen, { reason }) => {
  const { results, refused, verified } = await placeHeld(call, chosen)
  const tests = await loadTests(call.db, [...new Set(results.flatMap(({ requisitionId }) => requisitionId ?? []))])
  const testOf = new Map(tests.map((test) => [test.id, test]))
  const waiting = await listWaiting(call.db, [...new Set(results.flatMap(({ requisitionId }) => requisitionId ?? []))])
  const stateOf = await loadQcStates(
    call.db,
    results.map(({ instrumentId }) => instrumentId),
  )
  const kinds = await loadKinds(call.db, tests)
  const released = await listReleased(call.db, tests)
  const first: StoredResult[] = []
  const done: number[] = [...verified]
  const seen = new Set<number>()
  for (const result of results) {
    const test = testOf.get(result.requisitionTestId as number)
    const others = waiting.filter((one) => one.requisitionTestId === result.requisitionTestId && one.id !== result.id)
    const why = acceptRefusal(result, test, {
      isNumeric: kinds.get(test?.testId ?? 0) === 'numeric',
      isOut: test !== undefined && stateOf(result.instrumentId, test.testCode) === 'OUT',
      isOneOfSeveral: others.some(({ status }) => status !== 'P') || (test !== undefined && hasResult(test)),
      isSecond: seen.has(test?.id ?? 0),
      hasReleasedReport: released.has(test?.requisitionId ?? 0),
      reason,
    })
    if (why) refused.push(why)
    else if (hasResult(test as StoredTest)) {
      const problem = await replaceResult(call, result, test as StoredTest)
      if (problem) refused.push(problem)
      else done.push(result.id)
    } else first.push(result)
    if (!why && test) seen.add(test.id)
  }
  if (first.length > 0) {
    const { problems } = await saveResults(call, first.map(confirmed), { isPartial: true })
    refused.push(...problems.map((problem) => refusedEntry(first[problem.index] as StoredResult, problem)))
    const wrong = new Set(problems.map(({ index }) => index))
    done.push(...first.filter((_, index) => !wrong.has(index)).map(({ id }) => id))
  }
  const accepted = results.filter(({ id }) => done.includes(id))
  const isFirst = new Set(first.map(({ id }) => id))
  const others = await listOthers(call, accepted)
  await finishAccept(call, accepted, reason)
  // A result that replaced another one, or was verified when it was placed, is not removed again.
  if (accepted.length === 0 || accepted.length < done.length || !accepted.every(({ id }) => isFirst.has(id)))
    return { done, refused }
  const before = chosen.filter(({ id }) => done.includes(id))
  return { done, refused, undoId: await recordReviewUndo(call, 'ACCEPTED', before, others) }
}

const confirmed = (result: StoredResult) => ({ ...resultEntry(result), isConfirmed: true })

/** Orders, codes and statuses may have changed since a result was held. */
const placeHeld = async (call: WriteCall, chosen: readonly StoredResult[]) => {
  const held = chosen.filter(({ state }) => state === 'HELD')
  const again = held
    .filter(({ isControl }) => !isControl)
    .map((result): HeldResult => ({ ...result, code: result.instrumentCode }))
  const refused: Refused[] = []
  if (again.length > 0) await placeAgain(call, again)
  const now = await lockResults(
    call.db,
    chosen.map(({ id }) => id),
  )
  const results = now.filter(({ state }) => state === 'REVIEW')
  // A rule accepted it as soon as its test was found.
  const verified = now.filter(({ state }) => state === 'VERIFIED').map(({ id }) => id)
  for (const result of now.filter(({ state }) => state !== 'REVIEW' && state !== 'VERIFIED'))
    refused.push({ id: result.id, code: 'state', message: result.reasons.map(({ text }) => text).join('; ') })
  return { results, refused, verified }
}

/**
 * The test has a result: it is opened for modification first, so that the history keeps the previous one. A requisition that is Resulted or
 * Reported goes back to Processing for it.
 */
const replaceResult = async (
  call: WriteCall,
  result: StoredResult,
  { testCode }: StoredTest,
): Promise<Refused | null> => {
  await sql`savepoint replacement`.execute(call.db)
  const { requisitionId, requisitionTestId } = result
  await moveBack(call, requisitionId as number, `Another result of ${testCode} counts`)
  await openModification(call, requisitionId as number, requisitionTestId as number)
  await announce(call, 'resultsChanged', {
    requisitionIds: [requisitionId as number],
    opened: [requisitionTestId as number],
  })
  const { problems } = await saveResults(call, [confirmed(result)])
  const [problem] = problems
  if (!problem) return null
  await sql`rollback to savepoint replacement`.execute(call.db)
  return refusedEntry(result, problem)
}

/** To Processing, where it is not there already. Its reports are put on hold. */
const moveBack = async (call: WriteCall, requisitionId: number, reason: string) => {
  const { db, actor, requestId } = call
  const { rows } = await sql<{ from: StatusCode }>`select status_code as "from" from requisition
    where id = ${requisitionId} and status_code = any(${[...replaceableIn]})`.execute(db)
  const [requisition] = rows
  if (!requisition) return
  const move = { from: requisition.from, to: 'PROCESS', reason } as const
  await setStatus(db, actor, requestId, [requisitionId], move)
  await announce(call, 'statusMovedBack', { requisitionIds: [requisitionId], from: move.from, to: move.to })
}

const refusedEntry = ({ id }: StoredResult, { kind, message }: EntryProblem): Refused => ({
  id,
  code: kind === 'changed' || kind === 'locked' ? 'conflict' : 'value',
  message,
})

const finishAccept = async (call: WriteCall, accepted: readonly StoredResult[], reason: string | null) => {
  if (accepted.length === 0) return
  await setState(call, accepted, 'ACCEPTED', reason)
  await sql`update instrument_result o set state = 'SUPERSEDED', version = version + 1
    where o.requisition_test_id = ${anyId(accepted.map(({ requisitionTestId }) => requisitionTestId as number))}
      and not (o.id = ${anyId(accepted.map(({ id }) => id))}) and o.state in ('HELD', 'REVIEW', 'VERIFIED', 'ACCEPTED', 'RERUN')`.execute(
    call.db,
  )
  await recordSource(call, accepted, 'Accepted', reason)
  const requisitionIds = [...new Set(accepted.map(({ requisitionId }) => requisitionId as number))]
  await announce(call, 'resultsChanged', { requisitionIds })
  await decideIncomplete(call, requisitionIds, new Set(accepted.map(({ id }) => id)))
}

// ── rerun and reject ────────────────────────────────────────────────────────────────────────────────────────────────

/** The result does not count, and the instrument is asked for another one. */
export const rerunResults = (call: WriteCall, input: DecideInput) =>
  decideItems(call, input, async (_, results, { reason }) => {
    const open = results.filter(({ state }) => state === 'REVIEW')
    await decideAgainst(call, open, 'RERUN', reason)
    const refused = results
      .filter(({ state }) => state !== 'REVIEW')
      .map(
        ({ id }): Refused => ({ id, code: 'state', message: 'This result belongs to no test that could be run again' }),
      )
    return { done: open.map(({ id }) => id), refused, ...(await undoOf(call, 'RERUN', open)) }
  })

export const rejectResults = (call: WriteCall, input: DecideInput) =>
  decideItems(call, input, async (_, results, { reason }) => {
    await decideAgainst(call, results, 'REJECTED', reason)
    return { done: results.map(({ id }) => id), refused: [], ...(await undoOf(call, 'REJECTED', results)) }
  })

const undoOf = async (call: WriteCall, decision: Decision, results: readonly StoredResult[]) =>
  results.length > 0 && { undoId: await recordReviewUndo(call, decision, results) }

const words = { ACCEPTED: 'Accepted', RERUN: 'Rerun', REJECTED: 'Rejected' } as const

const decideAgainst = async (
  call: WriteCall,
  results: readonly StoredResult[],
  state: 'RERUN' | 'REJECTED',
  reason: string | null,
) => {
  await setState(call, results, state, reason)
  await recordSource(
    call,
    results.filter(({ requisitionId }) => requisitionId !== null),
    words[state],
    reason,
  )
}

const setState = async (
  { db, actor, requestId }: WriteCall,
  results: readonly StoredResult[],
  state: keyof typeof words,
  reason: string | null,
) => {
  if (results.length === 0) return
  await sql`update instrument_result set state = ${state}, version = version + 1, decided_by = ${actor.userId}::int, decided_by_name = ${actor.name},
      decided_at = clock_timestamp(), decision_reason = ${reason}
    where id = ${anyId(results.map(({ id }) => id))}`.execute(db)
  await recordAudit(
    db,
    actor,
    requestId,
    results.map((result) => ({
      entity: 'instrument_result',
      entityId: result.id,
      action: state,
      ...(reason !== null && { reason }),
      old: { state: result.state },
      new: { state, value: result.value },
    })),
  )
}
