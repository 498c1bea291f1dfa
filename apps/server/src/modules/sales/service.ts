import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { type SalesInput, type SalesPerson, type SalesUpdate, salesLabels } from '@lis/contract/sales.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import { throwConflictIfAny } from '../../platform/conflicts.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { lockRow } from '../../platform/db/lock-row.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { unknownCodes } from '../lookups/queries.ts'
import {
  countUsesOfSalesPerson,
  findSalesPerson,
  isInTeam,
  isRepCodeTaken,
  lockManager,
  lockReportingLines,
  nextSalesPersonId,
  salesColumns,
} from './queries.ts'

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'sales_person', entityId: id, ...record })

export const getSalesPerson = async (db: Db, id: number): Promise<SalesPerson> => {
  const found = await findSalesPerson(db, id)
  if (!found) throw notFound('Sales person')
  return found
}

export const createSalesPerson = async (call: WriteCall, input: SalesInput): Promise<{ id: number }> => {
  const { db } = call
  const id = await nextSalesPersonId(db)
  await requireValid(db, id, input)
  const repCode = input.salesRepCode ?? (await makeRepCode(db, id, input))
  await db
    .insertInto('sales_person')
    .values({ id, ...salesColumns(input), rep_code: repCode })
    .execute()
  await audit(call, id, { action: 'CREATE', new: withoutDerived(await getSalesPerson(db, id)) })
  return { id }
}

export const updateSalesPerson = async (
  call: WriteCall,
  id: number,
  sent: SalesUpdate,
  expected: number | null,
): Promise<SalesPerson> => {
  const { db } = call
  await lockRow(db, 'sales_person', id, 'update')
  const before = await getSalesPerson(db, id)
  await requireVersion(db, 'sales_person', expected, before)
  const input = mergeUpdate<SalesInput>(before, sent)
  await requireValid(db, id, input, before)
  await db
    .updateTable('sales_person')
    .set({
      ...salesColumns(input),
      rep_code: input.salesRepCode ?? before.salesRepCode,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
  const after = await getSalesPerson(db, id)
  await audit(call, id, { action: 'UPDATE', old: withoutDerived(before), new: withoutDerived(after) })
  return after
}

export const removeSalesPeople = async (call: WriteCall, ids: readonly number[]) => {
  const { db } = call
  const leaving: SalesPerson[] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    await lockRow(db, 'sales_person', id, 'delete')
    leaving.push(await getSalesPerson(db, id))
  }
  const reasons: (string | null)[] = []
  for (const person of leaving) reasons.push(await deletionRefusal(db, person, ids))
  throwConflictIfAny(reasons)
  for (const before of leaving) {
    const { id } = before
    await db
      .updateTable('sales_person')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute()
    await audit(call, id, { action: 'DELETE', old: withoutDerived(before) })
  }
}

const requireValid = async (trx: Trx, id: number, input: SalesInput, before?: SalesPerson) => {
  const { salesTitle, salesRepCode, reportToId } = input
  const title = { field: 'salesTitle', type: 'SALESTITLE', code: salesTitle } as const
  if (salesTitle !== before?.salesTitle && (await unknownCodes(trx, [title])).length > 0)
    throw invalid('salesTitle', messages.invalid(salesLabels.salesTitle))
  if (salesRepCode !== null && (await isRepCodeTaken(trx, salesRepCode, id)))
    throw invalid('salesRepCode', `${salesLabels.salesRepCode} is already used`)
  if (reportToId === null || reportToId === before?.reportToId) return
  await lockReportingLines(trx)
  if (reportToId === id || (await isInTeam(trx, id, reportToId)))
    throw invalid('reportToId', 'This would make the person report to themselves')
  if (!(await lockManager(trx, reportToId))) throw invalid('reportToId', messages.invalid(salesLabels.reportToId))
}

/** Initials and id; if another person already has this code, a number is appended. */
const makeRepCode = async (trx: Trx, id: number, { salesFirstName, salesLastName }: SalesInput): Promise<string> => {
  const initial = (name: string) => [...name][0]?.toUpperCase() ?? ''
  const wanted = `${initial(salesFirstName)}${initial(salesLastName)}${id}`
  let code = wanted
  for (let number = 2; await isRepCodeTaken(trx, code, id); number++) code = `${wanted}-${number}`
  return code
}

const deletionRefusal = async (trx: Trx, person: SalesPerson, leaving: readonly number[]): Promise<string | null> => {
  const { clients, staff, users } = await countUsesOfSalesPerson(trx, person.id, leaving)
  const uses = [
    clients > 0 && `${clients} client(s)`,
    staff > 0 && `${staff} staff`,
    users > 0 && `${users} user(s)`,
  ].filter(Boolean)
  return uses.length > 0
    ? `${person.salesFirstName} ${person.salesLastName} cannot be deleted: still used by ${uses.join(', ')}`
    : null
}

export const withoutDerived = ({ id: _, version: __, reportTo: ___, salesTypeDesc: ____, ...kept }: SalesPerson) => kept
