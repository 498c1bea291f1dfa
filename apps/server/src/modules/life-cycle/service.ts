import { type Outcome, type Refusal, undoResultedSeconds } from '@lis/contract/requisitions/moves.ts'
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
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { announce } from '../../platform/domain-events.ts'
import { conflict } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { resolveIssues } from '../issues/service.ts'
import { lockRequisition, requisitionLabel, visibleRequisitions } from '../requisition-record/queries.ts'
import { conditionSql, tabOfCondition } from './move-conditions.ts'

export interface Candidate {
  id: number
  status_code: StatusCode
  label: string
  missing: MoveCondition[]
  /** The laboratory, where it releases reports by signature only. */
  signed_at_lab: string | null
}

/** A call by a person, or by a job, which sees every row. */
export interface MoveCall {
  db: Trx
  actor: AuditActor & Pick<Actor, 'scope'>
  requestId: string | null
}

/** What a move would do, without doing it. */
export const planMove = async (write: MoveCall, ids: readonly number[], move: Move): Promise<Outcome> => {
  const candidates = await findCandidates(write, ids, move.needs)
  return decide(ids, candidates, (candidate) => refusalOf(candidate, move))
}

/** Moves what can be moved, with its history, in the transaction of the call; concurrent calls move each requisition once. */
export const runMove = async (write: MoveCall, ids: readonly number[], move: Move): Promise<Outcome> => {
  await lockRequisitionRows(write.db, ids)
  const outcome = await planMove(write, ids, move)
  await setStatus(write.db, write.actor, write.requestId, outcome.moved, move)
  const onward = moves.find(({ from, how }) => from === move.to && how === 'AUTO')
  if (!onward) return outcome
  const movedOn = (await runMove(write, await findCompleted(write.db, outcome.moved, onward.to), onward)).moved
  return movedOn.length > 0 ? { ...outcome, movedOn } : outcome
}

/**
 * Requisitions with tests whose results are complete already, because of fail codes, and that have never had the status `to`. Those that
 * had it were returned to be corrected, and results can be modified only in the status they have now.
 */
const findCompleted = async (trx: Trx, ids: readonly number[], to: StatusCode): Promise<number[]> => {
  const rows = await trx
    .selectFrom('requisition as r')
    .select('r.id')
    .where('r.id', '=', anyId(ids))
    .where(conditionSql.resultsComplete)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('requisition_test as t')
          .innerJoin('test as c', 'c.id', 't.test_id')
          .select('t.id')
          .whereRef('t.requisition_id', '=', 'r.id')
          .where('t.deleted_at', 'is', null)
          .where((eb) => eb.not('t.is_retest'))
          .where((eb) => eb.not('c.is_calculated')),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('requisition_status_event as e')
            .select('e.id')
            .whereRef('e.requisition_id', '=', 'r.id')
            .where('e.to_code', '=', to),
        ),
      ),
    )
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * After the last fail code was removed from a requisition: if a result is missing now, it returns from Resulted to Processing, where
 * results are entered.
 */
export const reopenIncomplete = async ({ db: trx, actor, requestId }: WriteCall, id: number) => {
  const rows = await trx
    .selectFrom('requisition as r')
    .select('r.id')
    .where('r.id', '=', id)
    .where('r.status_code', '=', sql.lit('RESULT'))
    .where((eb) => eb.not(conditionSql.resultsComplete))
    .execute()
  await setStatus(
    trx,
    actor,
    requestId,
    rows.map((row) => row.id),
    { from: 'RESULT', to: 'PROCESS', reason: 'Fail code taken off' },
  )
}

/** Without a check of scope, which the caller does. In order of id, so that two bulk actions wait for each other instead of deadlocking. */
export const lockRequisitionRows = (trx: Trx, ids: readonly number[]) =>
  sql`select 1 from requisition where id = any(${[...ids]}::bigint[]) and deleted_at is null order by id for no key update`.execute(
    trx,
  )

/** The requisitions that the actor may see, each with the conditions it does not meet. */
export const findCandidates = async (
  { db: trx, actor }: Pick<MoveCall, 'db' | 'actor'>,
  ids: readonly number[],
  needs: readonly MoveCondition[],
): Promise<Map<number, Candidate>> => {
  const checks = needs.map((name) => sql`case when not ${conditionSql[name]} then ${sql.lit(name)} end`)
  const missing =
    checks.length > 0
      ? sql<MoveCondition[]>`array_remove(array[${sql.join(checks)}]::text[], null)`
      : sql<MoveCondition[]>`'{}'::text[]`
  const rows = await trx
    .selectFrom('requisition as r')
    .innerJoin('requisition_list as l', 'l.requisition_id', 'r.id')
    .innerJoin('requisition_patient as p', 'p.requisition_id', 'r.id')
    .innerJoin('lab', 'lab.id', 'r.lab_id')
    .select((eb) => [
      'r.id',
      eb.ref('r.status_code').$castTo<StatusCode>().as('status_code'),
      requisitionLabel.as('label'),
      missing.as('missing'),
      sql<string | null>`case when lab.is_signature_required then lab.name end`.as('signed_at_lab'),
    ])
    .where('r.id', '=', anyId(ids))
    .where('r.deleted_at', 'is', null)
    .where(visibleRequisitions(actor))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

const decide = (
  ids: readonly number[],
  candidates: Map<number, Candidate>,
  refuse: (candidate: Candidate) => RefusalReason | null,
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

type RefusalReason = Omit<Refusal, 'id' | 'label'>

const refusalOf = (candidate: Candidate, move: Move): RefusalReason | null => {
  const { id, status_code: status } = candidate
  if (status === move.to) return { reason: `Requisition #${id} is already ${displayStatus(status)}`, tabSlug: null }
  if (status !== move.from)
    return {
      reason: `Requisition #${id} is ${displayStatus(status)}, not ${displayStatus(move.from)}`,
      tabSlug: 'status',
    }
  return missingReason(candidate)
}

const missingReason = ({ id, missing, signed_at_lab: lab }: Candidate): RefusalReason | null => {
  const first = missing[0]
  if (!first) return null
  const words = missing.map((name) =>
    name === 'hasReleasedReport' && lab !== null
      ? `${withoutSignature(id)}: ${lab} releases reports by signature only`
      : refusals[name](id),
  )
  return { reason: words.join('; '), tabSlug: tabOfCondition[first] }
}

/** Why a requisition of a laboratory that releases by signature only cannot be released. */
export const withoutSignature = (id: number) => `Requisition #${id} has no signed report`

/** The only place where a status changes: the row, its history, the audit, and an event for open lists. */
export const setStatus = async (
  trx: Trx,
  actor: AuditActor,
  requestId: string | null,
  ids: readonly number[],
  move: Pick<Move, 'from' | 'to' | 'reason'>,
) => {
  if (ids.length === 0) return
  await trx
    .updateTable('requisition')
    .set((eb) => ({ status_code: move.to, status_at: sql<string>`now()`, version: eb('version', '+', 1) }))
    .where('id', '=', anyId(ids))
    .execute()
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
  // After any move, nothing is missing any more or it no longer matters.
  if (move.from === 'MISSBILL') await resolveIssues(trx, ids, 'MISSBILL', actor.name)
  await publish(trx, { topic: 'requisitions', data: { from: move.from, to: move.to, count: ids.length } })
}

/** What a deletion would do, without doing it. */
export const planRemoval = async (write: WriteCall, ids: readonly number[]): Promise<Outcome> =>
  decide(ids, await findCandidates(write, ids, deleteConditions), (candidate) => {
    const { id, status_code: status } = candidate
    if (isDeletable(status)) return missingReason(candidate)
    return { reason: `Requisition #${id} is ${displayStatus(status)} and can no longer be deleted`, tabSlug: 'status' }
  })

/** Deletes requisitions that are still Logged or Accessioned; their audit trail stays. */
export const removeRequisitions = async (write: WriteCall, ids: readonly number[]): Promise<Outcome> => {
  const { db: trx, actor, requestId } = write
  await lockRequisitionRows(trx, ids)
  const outcome = await planRemoval(write, ids)
  if (outcome.moved.length === 0) return outcome
  await trx
    .updateTable('requisition')
    .set((eb) => ({ deleted_at: sql<string>`now()`, version: eb('version', '+', 1) }))
    .where('id', '=', anyId(outcome.moved))
    .execute()
  await recordAudit(
    trx,
    actor,
    requestId,
    outcome.moved.map((id) => ({ entity: 'requisition', entityId: id, requisitionId: id, action: 'DELETE' })),
  )
  await publish(trx, { topic: 'requisitions', data: { deleted: outcome.moved.length } })
  return outcome
}

const undoMove = { from: 'RESULT', to: 'PROCESS', reason: 'Move to Resulted undone' } as const

/** The last result moved the requisition to Resulted automatically; the person who saved it may undo that. */
export const undoResulted = async (call: WriteCall, id: number) => {
  const { db, actor, requestId } = call
  const { status_code: status } = await lockRequisition(db, actor, id)
  if (status !== undoMove.from)
    throw conflict(`Requisition #${id} is ${displayStatus(status)}, not ${displayStatus(undoMove.from)}`)
  const last = await db
    .selectFrom('requisition_status_event')
    .select((eb) => [
      eb
        .and([eb('from_code', '=', undoMove.to), eb('to_code', '=', undoMove.from), eb('actor_id', '=', actor.userId)])
        .as('isOwn'),
      eb('at', '>', sql<string>`now() - make_interval(secs => ${undoResultedSeconds})`).as('isRecent'),
    ])
    .where('requisition_id', '=', bigint(id))
    .orderBy('id', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!last?.isOwn) throw conflict(`Requisition #${id} was not moved to Resulted by a result that you have saved`)
  if (!last.isRecent) throw conflict(`Requisition #${id} was moved to Resulted too long ago to undo it`)
  await setStatus(db, actor, requestId, [id], undoMove)
  await announce(call, 'statusMovedBack', { requisitionIds: [id], from: undoMove.from, to: undoMove.to })
  return { id, reqStatusCode: undoMove.to }
}
