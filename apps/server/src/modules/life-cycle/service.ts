import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import {
  deleteConditions,
  displayStatus,
  isDeletable,
  type Move,
  type MoveCondition,
  moves,
  refusals,
  type StatusCode,
} from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { type AuditActor, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { settleIssues } from '../issues/service.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import { conditionSql, mendedAt } from './move-conditions.ts'

export interface Candidate {
  id: number
  status_code: StatusCode
  label: string
  missing: MoveCondition[]
}

/** A call of a person, or the work of a job, which sees every row. */
export interface MoveCall {
  db: Trx
  actor: AuditActor & Pick<Actor, 'scope'>
  requestId: string | null
}

/** Says what a move would do, without doing it. */
export const planMove = async (write: MoveCall, ids: readonly number[], move: Move): Promise<Outcome> => {
  const candidates = await findCandidates(write, ids, move.needs)
  return decide(ids, candidates, (candidate) => refusalOf(candidate, move))
}

/** Moves what can be moved, in one transaction with its history; two people moving the same rows move them once. */
export const runMove = async (write: MoveCall, ids: readonly number[], move: Move): Promise<Outcome> => {
  await lockRequisitionRows(write.db, ids)
  const outcome = await planMove(write, ids, move)
  await setStatus(write.db, write.actor, write.requestId, outcome.moved, move)
  const onward = moves.find(({ from, how }) => from === move.to && how === 'AUTO')
  if (!onward) return outcome
  const movedOn = (await runMove(write, await findFinished(write.db, outcome.moved, onward.to), onward)).moved
  return movedOn.length > 0 ? { ...outcome, movedOn } : outcome
}

/**
 * Those that have something to result and have never been there: fail codes may have finished them before. What comes a second time
 * has been sent back to be corrected, and results can be modified only where it is now.
 */
const findFinished = async (trx: Trx, ids: readonly number[], to: StatusCode): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select r.id from requisition r where r.id = any(${[...ids]}::bigint[]) and ${conditionSql.resultsComplete}
      and exists (select from requisition_test t join test c on c.id = t.test_id
        where t.requisition_id = r.id and t.deleted_at is null and not t.is_retest and not c.is_calculated)
      and not exists (select from requisition_status_event e where e.requisition_id = r.id and e.to_code = ${to})`.execute(
    trx,
  )
  return rows.map(({ id }) => id)
}

/**
 * The last fail code has been taken off the whole requisition: where a result is missing now it is not resulted, and results are entered
 * in Processing only. A wrong click must not keep it from its results.
 */
export const reopenIncomplete = async ({ db: trx, actor, requestId }: WriteCall, id: number) => {
  const { rows } = await sql<{ id: number }>`
    select r.id from requisition r where r.id = ${id} and r.status_code = 'RESULT' and not ${conditionSql.resultsComplete}`.execute(
    trx,
  )
  await setStatus(
    trx,
    actor,
    requestId,
    rows.map((row) => row.id),
    { from: 'RESULT', to: 'PROCESS', reason: 'Fail code taken off' },
  )
}

/** Whatever their scope, for plans that look at it themselves; in the order of their numbers, so that two bulk actions wait for each other. */
export const lockRequisitionRows = (trx: Trx, ids: readonly number[]) =>
  sql`select 1 from requisition where id = any(${[...ids]}::bigint[]) and deleted_at is null order by id for no key update`.execute(
    trx,
  )

/** Those of the requisitions that are in view, with what each of them lacks. */
export const findCandidates = async (
  { db: trx, actor }: Pick<MoveCall, 'db' | 'actor'>,
  ids: readonly number[],
  needs: readonly MoveCondition[],
): Promise<Map<number, Candidate>> => {
  const checks = needs.map((name) => sql`case when not ${conditionSql[name]} then ${sql.lit(name)} end`)
  const missing = checks.length > 0 ? sql`array_remove(array[${sql.join(checks)}]::text[], null)` : sql`'{}'::text[]`
  const { rows } = await sql<Candidate>`
    select r.id, r.status_code, '#' || r.id || ' | ' || p.last_name || ', ' || p.first_name || ' (' || to_char(p.dob, 'MM/DD/YYYY') || ')' as label, ${missing} as missing
    from requisition r join requisition_list l on l.requisition_id = r.id join requisition_patient p on p.requisition_id = r.id
    where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null and ${visibleRequisitions(actor)}`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

const decide = (
  ids: readonly number[],
  candidates: Map<number, Candidate>,
  refuse: (candidate: Candidate) => Why | null,
): Outcome => {
  const result: Outcome = { moved: [], refused: [] }
  for (const id of ids) {
    const candidate = candidates.get(id)
    const why = candidate ? refuse(candidate) : { reason: `Requisition #${id} not found`, tabSlug: null }
    if (why) result.refused.push({ id, label: candidate?.label ?? `#${id}`, ...why })
    else result.moved.push(id)
  }
  return result
}

type Why = Omit<Refusal, 'id' | 'label'>

const refusalOf = (candidate: Candidate, move: Move): Why | null => {
  const { id, status_code: status } = candidate
  if (status === move.to) return { reason: `Requisition #${id} is already ${displayStatus(status)}`, tabSlug: null }
  if (status !== move.from)
    return {
      reason: `Requisition #${id} is ${displayStatus(status)}, not ${displayStatus(move.from)}`,
      tabSlug: 'status',
    }
  return lackOf(candidate)
}

const lackOf = ({ id, missing }: Candidate): Why | null => {
  const first = missing[0]
  return first ? { reason: missing.map((name) => refusals[name](id)).join('; '), tabSlug: mendedAt[first] } : null
}

/** The one place where a status changes: the row, its history, the audit, and word of it to every open list. */
export const setStatus = async (
  trx: Trx,
  actor: AuditActor,
  requestId: string | null,
  ids: readonly number[],
  move: Pick<Move, 'from' | 'to' | 'reason'>,
) => {
  if (ids.length === 0) return
  await sql`update requisition set status_code = ${move.to}, status_at = now(), version = version + 1 where id = any(${[...ids]}::bigint[])`.execute(
    trx,
  )
  await sql`insert into requisition_status_event (requisition_id, from_code, to_code, reason, actor_id)
    select id, ${move.from}, ${move.to}, ${move.reason ?? null}, ${actor.userId} from unnest(${[...ids]}::bigint[]) as id`.execute(
    trx,
  )
  await recordAudit(
    trx,
    actor,
    requestId,
    ids.map((id) => ({
      entity: 'requisition',
      entityId: id,
      requisitionId: id,
      action: 'STATUS',
      ...(move.reason && { reason: move.reason }),
      old: { reqStatusCode: move.from },
      new: { reqStatusCode: move.to },
    })),
  )
  // Whoever or whatever moves it on: nothing is missing any more, or it does not matter.
  if (move.from === 'MISSBILL') await settleIssues(trx, ids, 'MISSBILL', actor.name)
  await publish(trx, { topic: 'requisitions', data: { from: move.from, to: move.to, count: ids.length } })
}

/** Says which of them could be deleted, without doing it. */
export const planRemoval = async (write: WriteCall, ids: readonly number[]): Promise<Outcome> =>
  decide(ids, await findCandidates(write, ids, deleteConditions), (candidate) => {
    const { id, status_code: status } = candidate
    if (isDeletable(status)) return lackOf(candidate)
    return { reason: `Requisition #${id} is ${displayStatus(status)} and can no longer be deleted`, tabSlug: 'status' }
  })

/** Deletes what is still Logged or Accessioned; it leaves every screen and keeps its audit trail. */
export const removeRequisitions = async (write: WriteCall, ids: readonly number[]): Promise<Outcome> => {
  const { db: trx, actor, requestId } = write
  await lockRequisitionRows(trx, ids)
  const outcome = await planRemoval(write, ids)
  if (outcome.moved.length === 0) return outcome
  await sql`update requisition set deleted_at = now(), version = version + 1 where id = any(${outcome.moved}::bigint[])`.execute(
    trx,
  )
  await recordAudit(
    trx,
    actor,
    requestId,
    outcome.moved.map((id) => ({ entity: 'requisition', entityId: id, requisitionId: id, action: 'DELETE' })),
  )
  await publish(trx, { topic: 'requisitions', data: { deleted: outcome.moved.length } })
  return outcome
}
