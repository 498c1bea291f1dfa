import { billingOrders } from '@lis/contract/billing.ts'
import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { selectRequisitionLabel } from '../requisition-record/queries.ts'
import { followBillType } from './insurance-service.ts'
import { getPayment } from './payment-service.ts'
import { billingOf, insurancesOf } from './queries.ts'

const orderName = sql`case x.billing_order ${sql.join(
  Object.entries(billingOrders).map(([order, name]) => sql`when ${sql.lit(Number(order))} then ${sql.lit(name)}`),
  sql` `,
)} end`

const requisitionOf = (table: 'payment' | 'billing_note', id: number) =>
  sql`select requisition_id as "requisitionId" from ${sql.table(table)} where id = ${id}`

interface InsuranceRow {
  requisitionId: number
  billId: number
  billingOrder: number
}
const selectInsurance = (id: number) => sql`
  select b.requisition_id as "requisitionId", b.id as "billId", x.billing_order as "billingOrder"
  from insurance x join billing b on b.id = x.billing_id where x.id = ${id}`

export const deletedBillingKinds: readonly DeletedKind[] = [
  {
    kind: 'payment',
    table: 'payment',
    isVersioned: true,
    record: sql`select (${selectRequisitionLabel(sql`x.requisition_id`)}) || ': ' || x.amount || ' ' || x.currency_code || ', ' || x.payer || ', '
      || to_char(x.payment_date, 'MM/DD/YYYY') from payment x where x.id = d.id`,
    requisition: sql`select x.requisition_id from payment x where x.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const { requisitionId } = await readRow<{ requisitionId: number }>(db, requisitionOf('payment', id))
      await lockUndeletedParents(db, { requisition: requisitionId })
    },
    afterRestore: async ({ db }, id) => {
      const { requisitionId } = await readRow<{ requisitionId: number }>(db, requisitionOf('payment', id))
      return { requisitionId, new: await getPayment(db, requisitionId, id) }
    },
  },
  {
    kind: 'insurance',
    table: 'insurance',
    isVersioned: true,
    record: sql`select (${selectRequisitionLabel(sql`b.requisition_id`)}) || ': ' || ${orderName} || ' ' || x.company_name
      || coalesce(' ' || x.policy_no, '') from insurance x join billing b on b.id = x.billing_id where x.id = d.id`,
    requisition: sql`select b.requisition_id from insurance x join billing b on b.id = x.billing_id where x.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const { requisitionId, billId, billingOrder } = await readRow<InsuranceRow>(db, selectInsurance(id))
      await lockUndeletedParents(db, { requisition: requisitionId })
      const holder = (await insurancesOf(db, billId)).find((other) => other.billingOrder === billingOrder)
      if (holder)
        throw conflict(
          `Billing Order ${billingOrder} (${holder.billingOrderDesc}) is now taken by ${holder.insuranceCompany}`,
        )
    },
    /** A primary insurance says who pays, as when it was added. */
    afterRestore: async (call, id) => {
      const { requisitionId, billId } = await readRow<InsuranceRow>(call.db, selectInsurance(id))
      const all = await insurancesOf(call.db, billId)
      const others = all.filter((row) => row.id !== id)
      await followBillType(call, await billingOf(call.db, requisitionId), others)
      const restored = all.find((row) => row.id === id)
      return { requisitionId, new: { ...restored } }
    },
  },
  {
    kind: 'billingNote',
    table: 'billing_note',
    isVersioned: false,
    record: sql`select (${selectRequisitionLabel(sql`x.requisition_id`)}) || ': ' || left(x.note, 80)
      || case when length(x.note) > 80 then '…' else '' end from billing_note x where x.id = d.id`,
    requisition: sql`select x.requisition_id from billing_note x where x.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const { requisitionId } = await readRow<{ requisitionId: number }>(db, requisitionOf('billing_note', id))
      await lockUndeletedParents(db, { requisition: requisitionId })
    },
    afterRestore: async ({ db }, id) => {
      const { requisitionId, note } = await readRow<{ requisitionId: number; note: string }>(
        db,
        sql`select requisition_id as "requisitionId", note from billing_note where id = ${id}`,
      )
      return { requisitionId, new: { note } }
    },
  },
]
