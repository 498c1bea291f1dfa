import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import {
  billedCodes,
  displayStatus,
  findMove,
  type Move,
  type MoveCondition,
  refusals,
  type StatusCode,
  statusOf,
  undecidedCodes,
} from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import type { JobContext } from '../../platform/jobs/definition.ts'
import { raiseIssue } from '../issues/service.ts'
import { type Candidate, findCandidates, lockRequisitionRows, type MoveCall, setStatus } from '../life-cycle/service.ts'
import { isInsured } from './bill-item.ts'
import { type EarlierBill, findEarlierBills } from './billed-before.ts'
import { claimFault } from './billing-fault.ts'
import { readItemsOfRequisitions } from './queries.ts'

/** Who stands in the history. */
const biller = 'Billing run'

const words: Partial<Record<MoveCondition, string>> = {
  hasBillType: 'bill type',
  hasIcd: 'ICD code',
  hasPrimaryInsurance: 'primary insurance',
}

/** A requisition that the run looks at, with what keeps a claim from being written; null when nothing does. */
interface Checked extends Candidate {
  claimFault: string | null
}

/** What a person reads in the billing notes. */
export const missingNote = ({ missing, claimFault: fault }: Pick<Checked, 'missing' | 'claimFault'>) =>
  `Missing billing information: ${[...missing.map((name) => words[name] ?? name), ...(fault ? [fault] : [])].join(', ')}`

/**
 * Delivered requisitions, and those that lacked something before, become ready to bill, or say as a billing note what is missing.
 * What was billed before it was delivered goes back to the billing status that it had. Run twice it changes nothing the second time.
 */
export const runBilling = async (call: MoveCall, ids: readonly number[], isDry = false): Promise<Outcome> => {
  const { db, actor, requestId } = call
  await lockRequisitionRows(db, ids)
  const found = await findCandidates(call, ids, statusOf('DELIVER').needs)
  const candidates = ids.flatMap((id) => found.get(id) ?? [])
  const open = candidates.filter(({ status_code: code }) => code === 'DELIVER' || code === 'MISSBILL')
  const returned = await returnBilled(call, open, isDry)
  const rest = await checkClaims(
    db,
    open.filter(({ id }) => !returned.has(id)),
  )
  const ready = rest.filter(isComplete)
  const lacking = rest.filter((one) => !isComplete(one))
  const outcome = {
    moved: ready.map(({ id }) => id),
    refused: ids.flatMap((id) => returned.get(id) ?? refusalOf(id, rest.find((one) => one.id === id) ?? found.get(id))),
  }
  if (isDry) return outcome
  const move = async (rows: readonly Candidate[], from: 'DELIVER' | 'MISSBILL', to: 'READYBILL' | 'MISSBILL') => {
    const chosen = rows.filter(({ status_code: code }) => code === from).map(({ id }) => id)
    if (chosen.length > 0) await setStatus(db, actor, requestId, chosen, findMove(from, to, 'BILLINGJOB') as Move)
  }
  await move(ready, 'DELIVER', 'READYBILL')
  await move(ready, 'MISSBILL', 'READYBILL')
  await move(lacking, 'DELIVER', 'MISSBILL')
  await raiseMissing(db, lacking, await noteMissing(db, lacking))
  return outcome
}

const isComplete = ({ missing, claimFault: fault }: Checked) => missing.length === 0 && fault === null

/** What an insurance would not accept is missing information too. Whether this laboratory can claim at all is not the requisition's fault. */
const checkClaims = async (trx: Trx, open: readonly Candidate[]): Promise<Checked[]> => {
  const complete = open.filter(({ missing }) => missing.length === 0).map(({ id }) => id)
  const items = await readItemsOfRequisitions(trx, complete)
  const faults = new Map(items.map((item) => [item.reqId, isInsured(item) ? claimFault(item, true) : null]))
  return open.map((candidate) => ({ ...candidate, claimFault: faults.get(candidate.id) ?? null }))
}

const refusalOf = (id: number, candidate: Candidate | Checked | undefined): Refusal[] => {
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
 * Put back to correct a result and delivered once more: the bill is out, and nothing is missing. Where there is more to charge than the bill
 * contains, or somebody else has to pay, it goes on, and the next batch leaves it to a person; so does what somebody has put back to billing
 * after it was billed.
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
  const settled = delivered.flatMap(({ id, label }) => {
    const before = billed.get(id)
    return before && !before.isOpen ? [{ id, label, before }] : []
  })
  const had = await lastBilledStatus(
    db,
    settled.map(({ id }) => id),
  )
  const returned = new Map<number, Refusal>()
  for (const { id, label, before } of settled) {
    const to = had.get(id) ?? 'BILL'
    if (!isDry) {
      await setStatus(db, actor, requestId, [id], { from: 'DELIVER', to, reason: before.reason })
      await noteBilled(db, id, before)
    }
    const reason = `Requisition #${id}: ${before.reason}; it is '${statusOf(to).description}' again`
    returned.set(id, { id, label, reason, tabSlug: null })
  }
  return returned
}

const noteBilled = (trx: Trx, id: number, { reason }: EarlierBill) =>
  sql`insert into billing_note (requisition_id, note) values (${id}, ${`Delivered again. ${reason}`})`.execute(trx)

/** How far it had come when it left billing: Billed, paid, on hold … */
const lastBilledStatus = async (trx: Trx, ids: readonly number[]): Promise<Map<number, StatusCode>> => {
  const { rows } = await sql<{ id: number; code: StatusCode }>`
    select distinct on (requisition_id) requisition_id as id, to_code as code from requisition_status_event
    where requisition_id = any(${[...ids]}::bigint[]) and to_code = any(${[...billedCodes, ...undecidedCodes]}::text[])
    order by requisition_id, at desc, id desc`.execute(trx)
  return new Map(rows.map(({ id, code }) => [id, code]))
}

/** The same note is not written again every night; answers which are new. */
const noteMissing = async (trx: Trx, lacking: readonly Checked[]): Promise<Set<number>> => {
  if (lacking.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`insert into billing_note (requisition_id, note)
    select x.id, x.note from unnest(${lacking.map(({ id }) => id)}::bigint[], ${lacking.map(missingNote)}::text[]) as x(id, note)
    where x.note is distinct from (select n.note from billing_note n where n.requisition_id = x.id and n.created_by is null and n.deleted_at is null order by n.id desc limit 1)
    returning requisition_id as id`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/**
 * One issue for customer service when a requisition comes to lack something, and again when what it lacks has changed; not every night
 * anew, so that one that was closed on purpose stays closed. It is resolved when the requisition leaves the status (`setStatus`).
 */
const raiseMissing = async (trx: Trx, lacking: readonly Checked[], noted: ReadonlySet<number>) => {
  if (lacking.length === 0) return
  const { rows } = await sql<{
    id: number
  }>`select distinct i.requisition_id as id from issue i join issue_type t on t.id = i.issue_type_id
    where t.code = 'MISSBILL' and i.deleted_at is null and i.requisition_id = any(${lacking.map(({ id }) => id)}::bigint[])`.execute(
    trx,
  )
  const known = new Set(rows.map(({ id }) => id))
  for (const candidate of lacking) {
    const { id, status_code: from } = candidate
    if (known.has(id) && from === 'MISSBILL' && !noted.has(id)) continue
    await raiseIssue(trx, id, 'MISSBILL', { by: biller, issueNote: missingNote(candidate) })
  }
}

const atOnce = 500

/** The nightly run over everything that is delivered or lacks something, a few hundred at a time, each in a transaction of its own. */
export const runNightlyBilling = async ({ services, progress, signal }: JobContext) => {
  const db = services.databases(systemScope)
  const result = { ready: 0, refused: 0 }
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
    result.refused += outcome.refused.length
    last = ids.at(-1) ?? last
    await progress(result.ready + result.refused, null)
  }
  return result
}
