import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import {
  displayStatus,
  findMove,
  type Move,
  type MoveCondition,
  refusals,
  statusOf,
} from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import type { JobContext } from '../../platform/jobs/definition.ts'
import { raiseIssue } from '../issues/service.ts'
import {
  type Candidate,
  findCandidates,
  lockRequisitionRows,
  type MoveCall,
  setStatus,
} from '../requisitions/service.ts'

/** Who stands in the history. */
const biller = 'Billing run'

const words: Partial<Record<MoveCondition, string>> = {
  hasBillType: 'bill type',
  hasIcd: 'ICD code',
  hasPrimaryInsurance: 'primary insurance',
}

/** What a person reads in the billing notes. */
export const missingNote = (missing: readonly MoveCondition[]) =>
  `Missing billing information: ${missing.map((name) => words[name] ?? name).join(', ')}`

/**
 * Delivered requisitions, and those that lacked something before, become ready to bill, or say as a billing note what is missing.
 * Run twice it changes nothing the second time.
 */
export const runBilling = async (call: MoveCall, ids: readonly number[]): Promise<Outcome> => {
  const { db, actor, requestId } = call
  await lockRequisitionRows(db, ids)
  const found = await findCandidates(call, ids, statusOf('DELIVER').needs)
  const candidates = ids.flatMap((id) => found.get(id) ?? [])
  const open = candidates.filter(({ status_code: code }) => code === 'DELIVER' || code === 'MISSBILL')
  const ready = open.filter(({ missing }) => missing.length === 0)
  const lacking = open.filter(({ missing }) => missing.length > 0)
  const move = async (rows: readonly Candidate[], from: 'DELIVER' | 'MISSBILL', to: 'READYBILL' | 'MISSBILL') => {
    const chosen = rows.filter(({ status_code: code }) => code === from).map(({ id }) => id)
    if (chosen.length > 0) await setStatus(db, actor, requestId, chosen, findMove(from, to, 'BILLINGJOB') as Move)
  }
  await move(ready, 'DELIVER', 'READYBILL')
  await move(ready, 'MISSBILL', 'READYBILL')
  await move(lacking, 'DELIVER', 'MISSBILL')
  await raiseMissing(db, lacking, await noteMissing(db, lacking))
  return {
    moved: ready.map(({ id }) => id),
    refused: ids.flatMap((id) => refusalOf(id, found.get(id), ready)),
  }
}

const refusalOf = (id: number, candidate: Candidate | undefined, ready: readonly Candidate[]): Refusal[] => {
  if (!candidate) return [{ id, label: `#${id}`, reason: `Requisition #${id} not found`, tabSlug: null }]
  if (ready.includes(candidate)) return []
  const { label, missing, status_code: code } = candidate
  if (code === 'DELIVER' || code === 'MISSBILL')
    return [{ id, label, reason: missing.map((name) => refusals[name](id)).join('; '), tabSlug: 'billing' }]
  const { group, description } = statusOf(code)
  const status = group === 'Billed' ? description : displayStatus(code)
  return [{ id, label, reason: `Requisition #${id} is ${status}, not Delivered`, tabSlug: 'status' }]
}

/** The same note is not written again every night; answers which are new. */
const noteMissing = async (trx: Trx, lacking: readonly Candidate[]): Promise<Set<number>> => {
  if (lacking.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`insert into billing_note (requisition_id, note)
    select x.id, x.note from unnest(${lacking.map(({ id }) => id)}::bigint[], ${lacking.map(({ missing }) => missingNote(missing))}::text[]) as x(id, note)
    where x.note is distinct from (select n.note from billing_note n where n.requisition_id = x.id and n.created_by is null and n.deleted_at is null order by n.id desc limit 1)
    returning requisition_id as id`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/**
 * One issue for customer service when a requisition comes to lack something, and again when what it lacks has changed; not every night
 * anew, so that one that was closed on purpose stays closed. It is resolved when the requisition leaves the status (`setStatus`).
 */
const raiseMissing = async (trx: Trx, lacking: readonly Candidate[], noted: ReadonlySet<number>) => {
  if (lacking.length === 0) return
  const { rows } = await sql<{
    id: number
  }>`select distinct i.requisition_id as id from issue i join issue_type t on t.id = i.issue_type_id
    where t.code = 'MISSBILL' and i.deleted_at is null and i.requisition_id = any(${lacking.map(({ id }) => id)}::bigint[])`.execute(
    trx,
  )
  const known = new Set(rows.map(({ id }) => id))
  for (const { id, status_code: from, missing } of lacking) {
    if (known.has(id) && from === 'MISSBILL' && !noted.has(id)) continue
    await raiseIssue(trx, id, 'MISSBILL', { by: biller, issueNote: missingNote(missing) })
  }
}

const atOnce = 500

/** The nightly run over everything that is delivered or lacks something, a few hundred at a time, each in a transaction of its own. */
export const runNightlyBilling = async ({ services, progress, signal }: JobContext) => {
  const db = services.databases(systemScope)
  const result = { ready: 0, missing: 0 }
  for (let last = 0; !signal.aborted; ) {
    const { rows } = await sql<{ id: number }>`
      select requisition_id as id from requisition_list where status_code in ('DELIVER', 'MISSBILL') and requisition_id > ${last} order by requisition_id limit ${atOnce}`.execute(
      db,
    )
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => id)
    const actor = { userId: null, name: biller, scope: systemScope }
    const outcome = await db.transaction().execute((trx) => runBilling({ db: trx, actor, requestId: null }, ids))
    result.ready += outcome.moved.length
    result.missing += outcome.refused.length
    last = ids.at(-1) ?? last
    await progress(result.ready + result.missing, null)
  }
  return result
}
