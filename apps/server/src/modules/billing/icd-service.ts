import { billingQuestions, type IcdInput, icdLabels } from '@lis/contract/billing.ts'
import { icdRangeError, isIcd10Shape } from '@lis/contract/icd-code.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { AskingCall, WriteCall } from '../../platform/http/implement.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { findIcd, icdsOf } from './queries.ts'
import { auditBilling } from './service.ts'

/** The codes that a claim has room for. */
const mostIcds = 12

export const addIcds = async (call: AskingCall, requisitionId: number, { icdIds, customIcd }: IcdInput) => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const before = await icdsOf(db, requisitionId)
  const chosen = await requireIcds(call, icdIds)
  if (customIcd) chosen.push(await takeCustom(call, customIcd))
  const known = new Set(before.map(({ id }) => id))
  const added = chosen.filter(({ id }) => !known.has(id))
  const [first] = chosen
  if (added.length === 0) throw conflict(`${first?.code} is already on this requisition`)
  if (before.length + added.length > mostIcds)
    throw invalid('icdIds', `A requisition has at most ${mostIcds} ICD codes`)
  await sql`insert into requisition_icd (requisition_id, icd_id) select ${requisitionId}, id from unnest(${added.map(({ id }) => id)}::int[]) as id
    on conflict do nothing`.execute(db)
  await auditIcds(call, requisitionId, before, call.questions.history)
}

const requireIcds = async ({ db }: WriteCall, ids: readonly number[]) => {
  const { rows } = await sql<{ id: number; code: string }>`
    select i.id, i.code from unnest(${[...ids]}::bigint[]) with ordinality as n(id, place) join icd i on i.id = n.id and i.is_active
    order by n.place`.execute(db)
  if (rows.length < ids.length) throw invalid('icdIds', messages.invalid(icdLabels.icdIds))
  return rows
}

/** A code that stands in the list is that code, whoever typed it; only a new one becomes one of our own. */
const takeCustom = async ({ db, actor, questions }: AskingCall, custom: { icdCode: string; icdDesc: string }) => {
  const known = await findIcd(db, custom.icdCode)
  if (known) return known
  const fault = icdRangeError(custom.icdCode)
  if (fault) throw invalid('customIcd.icdCode', fault)
  if (!isIcd10Shape(custom.icdCode))
    questions.ask({
      code: billingQuestions.icdShape,
      field: 'customIcd.icdCode',
      message: `${custom.icdCode} is not written like an ICD-10 code (a letter and two digits, then a dot and up to four more).`,
    })
  questions.requireAnswers()
  const { rows } = await sql<{ id: number; code: string }>`
    insert into icd (code, description, is_custom, created_by) values (${custom.icdCode}, ${custom.icdDesc}, true, ${actor.userId})
    on conflict (upper(code)) do update set is_active = true returning id, code`.execute(db)
  return rows[0] as { id: number; code: string }
}

export const removeIcds = async (call: WriteCall, requisitionId: number, ids: readonly number[]) => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const before = await icdsOf(db, requisitionId)
  if (ids.some((id) => !before.some((row) => row.id === id))) throw notFound('ICD code')
  await sql`delete from requisition_icd where requisition_id = ${requisitionId} and icd_id = any(${[...ids]}::int[])`.execute(
    db,
  )
  await auditIcds(call, requisitionId, before)
}

const auditIcds = async (
  call: WriteCall,
  requisitionId: number,
  before: readonly { icdCode: string }[],
  reason?: string,
) => {
  const codes = (rows: readonly { icdCode: string }[]) => ({ icdCodes: rows.map(({ icdCode }) => icdCode).join(', ') })
  const after = await icdsOf(call.db, requisitionId)
  await auditBilling(call, requisitionId, [
    { entity: 'requisition_icd', entityId: requisitionId, old: codes(before), new: codes(after), reason },
  ])
}
