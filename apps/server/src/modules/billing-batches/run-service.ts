import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import {
  billedCodes,
  displayStatus,
  type MoveCondition,
  refusals,
  type StatusCode,
  statusOf,
  undecidedCodes,
} from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { anyId, anyText } from '../../platform/db/expressions.ts'
import { systemScope } from '../../platform/db/scope.ts'
import type { JobContext } from '../../platform/jobs/definition.ts'
import { raiseIssue } from '../issues/service.ts'
import { type Candidate, findCandidates, lockRequisitionRows, type MoveCall, setStatus } from '../life-cycle/service.ts'
import { isInsured } from './bill-item.ts'
import { type EarlierBill, findEarlierBills } from './billed-before.ts'
import { claimFault } from './billing-fault.ts'
import { findOpenBatches, readItemsOfRequisitions } from './queries.ts'

/** The actor's name in the history. */
const actorName = 'Billing run'

const conditionNames: Partial<Record<MoveCondition, string>> = {
  hasBillType: 'bill type',
  hasIcd: 'ICD code',
  hasPrimaryInsurance: 'primary insurance',
}

/** With the reason why it cannot be claimed; null if it can. */
interface CheckedCandidate extends Candidate {
  claimFault: string | null
  isInsured: boolean
}

type Lack = Pick<CheckedCandidate, 'missing' | 'claimFault'>

/** The text of the issue, whose type says that billing information is missing. */
const missingText = ({ missing, claimFault: fault }: Lack) =>
  [...missing.map((name) => conditionNames[name] ?? name), ...(fault ? [fault] : [])].join(', ')

/** The text of the billing note. */
const missingNote = (lack: Lack) => `Missing billing information: ${missingText(lack)}`

/**
 * Makes delivered requisitions, and those that lacked information before, ready to bill, or adds a billing note about what is missing.
 * Requisitions that were billed before return to the billing status they had. Those ready to bill that can no longer be claimed, because
 * the patient, an insurance or the ICD list has changed since, lack information again. Idempotent.
 */
export const runBilling = async (call: MoveCall, ids: readonly number[], isDry = false): Promise<Outcome> => {
  const { db, actor, requestId } = call
  await lockRequisitionRows(db, ids)
  const found = await findCandidates(call, ids, statusOf('DELIVER').needs)
  const candidates = ids.flatMap((id) => found.get(id) ?? [])
  const open = candidates.filter(({ status_code: code }) => code === 'DELIVER' || code === 'MISSBILL')
  const returned = await returnBilled(call, open, isDry)
  const rest = [
    ...(await checkClaims(
      db,
      open.filter(({ id }) => !returned.has(id)),
    )),
    ...(await findUnbillable(
      db,
      candidates.filter(({ status_code: code }) => code === 'READYBILL'),
    )),
  ]
  const ready = rest.filter(isComplete)
  const incomplete = rest.filter((one) => !isComplete(one))
  const outcome = {
    moved: ready.map(({ id }) => id),
    refused: ids.flatMap((id) => returned.get(id) ?? refusalOf(id, rest.find((one) => one.id === id) ?? found.get(id))),
  }
  if (isDry) return outcome
  const move = async (rows: readonly Candidate[], from: StatusCode, to: 'READYBILL' | 'MISSBILL') => {
    const chosen = rows.filter(({ status_code: code }) => code === from).map(({ id }) => id)
    if (chosen.length > 0) await setStatus(db, actor, requestId, chosen, { from, to })
  }
  await move(ready, 'DELIVER', 'READYBILL')
  await move(ready, 'MISSBILL', 'READYBILL')
  await move(incomplete, 'DELIVER', 'MISSBILL')
  await move(incomplete, 'READYBILL', 'MISSBILL')
  await raiseMissingIssues(db, incomplete, await addMissingNotes(db, incomplete))
  return outcome
}

const isComplete = ({ missing, claimFault: fault }: CheckedCandidate) => missing.length === 0 && fault === null

/** What an insurance would refuse counts as missing too. Whether the laboratory can make claims at all is not checked here. */
const checkClaims = async (trx: Trx, open: readonly Candidate[]): Promise<CheckedCandidate[]> => {
  const read = await readItemsOfRequisitions(
    trx,
    open.map(({ id }) => id),
  )
  const items = new Map(read.map((item) => [item.reqId, item]))
  return open.map((candidate) => {
    const item = items.get(candidate.id)
    const insured = item && isInsured(item) ? item : null
    const fault = insured && candidate.missing.length === 0 ? claimFault(insured, true) : null
    return { ...candidate, claimFault: fault, isInsured: insured !== null }
  })
}

/**
 * Those that a batch could not bill because information is missing. A person may have made an incomplete one ready to bill that needs no
 * claim: it stays ready. One in an open batch is checked when the batch is sent.
 */
const findUnbillable = async (trx: Trx, ready: readonly Candidate[]): Promise<CheckedCandidate[]> => {
  if (ready.length === 0) return []
  const taken = await findOpenBatches(
    trx,
    ready.map(({ id }) => id),
  )
  const checked = await checkClaims(
    trx,
    ready.filter(({ id }) => !taken.has(id)),
  )
  return checked.filter((one) => !isComplete(one) && (one.isInsured || one.missing.includes('hasBillType')))
}

const refusalOf = (id: number, candidate: Candidate | CheckedCandidate | undefined): Refusal[] => {
  if (!candidate) return [{ id, label: `#${id}`, reason: `Requisition #${id} not found`, tabSlug: null }]
  const { label, missing, status_code: code } = candidate
  if ('claimFault' in candidate) {
    if (isComplete(candidate)) return []
    const { claimFault: fault } = candidate
    const reasons = [...missing.map((name) => refusals[name](id)), ...(fault ? [`Requisition #${id}: ${fault}`] : [])]
    return [{ id, label, reason: reasons.join('; '), tabSlug: 'billing' }]
  }
  const { group, description } = statusOf(code)
  const status = group === 'Billed' ? description : displayStatus(code)
  return [{ id, label, reason: `Requisition #${id} is ${status}, not Delivered`, tabSlug: 'status' }]
}

/**
 * Returns requisitions that were billed, put back to correct a result, and delivered again, to their billing status. Those that need a
 * decision (`EarlierBill`) become ready to bill instead, and the next batch leaves them to a person.
 */
const returnBilled = async (
  { db, actor, requestId }: MoveCall,
  open: readonly Candidate[],
  isDry: boolean,
): Promise<Map<number, Refusal>> => {
  const delivered = open.filter(({ status_code: code }) => code === 'DELIVER')
  const billed = await findEarlierBills(
    db,
    delivered.map(({ id }) => id),
  )
  const done = delivered.flatMap(({ id, label }) => {
    const before = billed.get(id)
    return before && !before.needsDecision ? [{ id, label, before }] : []
  })
  const statuses = await findLastBilledStatuses(
    db,
    done.map(({ id }) => id),
  )
  const returned = new Map<number, Refusal>()
  for (const { id, label, before } of done) {
    const to = statuses.get(id) ?? 'BILL'
    if (!isDry) {
      await setStatus(db, actor, requestId, [id], { from: 'DELIVER', to, reason: before.reason })
      await addBilledNote(db, id, before)
    }
    const reason = `Requisition #${id}: ${before.reason}; it is '${statusOf(to).description}' again`
    returned.set(id, { id, label, reason, tabSlug: null })
  }
  return returned
}

const addBilledNote = (trx: Trx, id: number, { reason }: EarlierBill) =>
  trx
    .insertInto('billing_note')
    .values({ requisition_id: id, note: `Delivered again. ${reason}` })
    .execute()

/** The last billing status of each: Billed, paid, on hold … */
const findLastBilledStatuses = async (trx: Trx, ids: readonly number[]): Promise<Map<number, StatusCode>> => {
  const rows = await trx
    .selectFrom('requisition_status_event as e')
    .distinctOn('e.requisition_id')
    .select((eb) => ['e.requisition_id as id', eb.ref('e.to_code').$castTo<StatusCode>().as('code')])
    .where('e.requisition_id', '=', anyId(ids))
    .where('e.to_code', '=', anyText([...billedCodes, ...undecidedCodes]))
    .orderBy('e.requisition_id')
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc')
    .execute()
  return new Map(rows.map(({ id, code }) => [id, code]))
}

/** Adds notes, but not the same one every night; returns the requisitions with a new note. */
const addMissingNotes = async (trx: Trx, incomplete: readonly CheckedCandidate[]): Promise<Set<number>> => {
  if (incomplete.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`insert into billing_note (requisition_id, note)
    select x.id, x.note from unnest(${incomplete.map(({ id }) => id)}::bigint[], ${incomplete.map(missingNote)}::text[]) as x(id, note)
    where x.note is distinct from (select n.note from billing_note n where n.requisition_id = x.id and n.created_by is null and n.deleted_at is null order by n.id desc limit 1)
    returning requisition_id as id`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Raises an issue for customer service when information is missing, and again when something else is missing; not every night, so that
 * an issue that was closed on purpose stays closed. `setStatus` resolves it when the requisition leaves the status.
 */
const raiseMissingIssues = async (trx: Trx, incomplete: readonly CheckedCandidate[], noted: ReadonlySet<number>) => {
  if (incomplete.length === 0) return
  const rows = await trx
    .selectFrom('issue as i')
    .innerJoin('issue_type as t', 't.id', 'i.issue_type_id')
    .select('i.requisition_id as id')
    .distinct()
    .where('t.code', '=', sql.lit('MISSBILL'))
    .where('i.deleted_at', 'is', null)
    .where('i.requisition_id', '=', anyId(incomplete.map(({ id }) => id)))
    .execute()
  const known = new Set(rows.map(({ id }) => id))
  for (const candidate of incomplete) {
    const { id, status_code: from } = candidate
    if (known.has(id) && from === 'MISSBILL' && !noted.has(id)) continue
    await raiseIssue(trx, id, 'MISSBILL', { by: actorName, issueNote: missingText(candidate) })
  }
}

const pageSize = 500

/** Runs over all requisitions that are delivered, incomplete or ready to bill, one transaction per page. */
export const runNightlyBilling = async ({ services, progress, signal }: JobContext) => {
  const db = services.databases(systemScope)
  const result = { ready: 0, refused: 0 }
  for (let last = 0; !signal.aborted; ) {
    const rows = await db
      .selectFrom('requisition_list')
      .select('requisition_id as id')
      .where('status_code', 'in', [sql.lit('DELIVER'), sql.lit('MISSBILL'), sql.lit('READYBILL')])
      .where('requisition_id', '>', last)
      .orderBy('requisition_id')
      .limit(pageSize)
      .execute()
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => id)
    const actor = { userId: null, name: actorName, scope: systemScope }
    const outcome = await db.transaction().execute((trx) => runBilling({ db: trx, actor, requestId: null }, ids))
    result.ready += outcome.moved.length
    // Without those that are ready to bill and stay so.
    result.refused += outcome.refused.filter(({ tabSlug }) => tabSlug !== 'status').length
    last = ids.at(-1) ?? last
    await progress(result.ready + result.refused, null)
  }
  return result
}
