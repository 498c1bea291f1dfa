import { billingQuestions, type IcdInput, icdLabels } from '@lis/contract/billing.ts'
import { icdRangeError, isIcd10Shape } from '@lis/contract/icd-code.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { anyId } from '../../platform/db/expressions.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall, WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { findIcd, listIcds } from './queries.ts'
import { auditBilling } from './service.ts'

/** As many as a claim can hold. */
const mostIcds = 12

export const addIcds = async (call: WriteCallWithQuestions, requisitionId: number, { icdIds, customIcd }: IcdInput) => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const before = await listIcds(db, requisitionId)
  const chosen = await requireIcds(call, icdIds)
  if (customIcd) chosen.push(await findOrCreateCustom(call, customIcd))
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

/** A typed code that is listed is the listed one; only an unknown one becomes a custom code. */
const findOrCreateCustom = async (
  { db, actor, questions }: WriteCallWithQuestions,
  custom: { icdCode: string; icdDesc: string },
) => {
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
  return db
    .insertInto('icd')
    .values({ code: custom.icdCode, description: custom.icdDesc, is_custom: true, created_by: actor.userId })
    .onConflict((oc) => oc.expression(sql`upper(code)`).doUpdateSet({ is_active: true }))
    .returning(['id', 'code'])
    .executeTakeFirstOrThrow()
}

export const removeIcds = async (call: WriteCall, requisitionId: number, ids: readonly number[]) => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const before = await listIcds(db, requisitionId)
  if (ids.some((id) => !before.some((row) => row.id === id))) throw notFound('ICD code')
  await db
    .deleteFrom('requisition_icd')
    .where('requisition_id', '=', requisitionId)
    .where('icd_id', '=', anyId(ids))
    .execute()
  await auditIcds(call, requisitionId, before)
}

const auditIcds = async (
  call: WriteCall,
  requisitionId: number,
  before: readonly { icdCode: string }[],
  reason?: string,
) => {
  const codes = (rows: readonly { icdCode: string }[]) => ({ icdCodes: rows.map(({ icdCode }) => icdCode).join(', ') })
  const after = await listIcds(call.db, requisitionId)
  await auditBilling(call, requisitionId, [
    { entity: 'requisition_icd', entityId: requisitionId, old: codes(before), new: codes(after), reason },
  ])
}
