import { messages } from '@lis/contract/messages.ts'
import { formatMoney, type Money, subtractAmounts, sumByCurrency, toCents } from '@lis/contract/money.ts'
import {
  type Account,
  type Payment,
  type PaymentInput,
  paymentCurrency,
  paymentLabels,
  paymentQuestions,
} from '@lis/contract/payments.ts'
import { billedCodes, undecidedCodes } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { anyText } from '../../platform/db/expressions.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall, WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { type Charges, readChargesByRequisition } from './queries.ts'
import { auditBilling, requireCodes } from './service.ts'

/** The payments of a requisition; each balance counts down from `charged`. */
export const paymentList = (requisitionId: number, charged: readonly Money[]): ListDefinition => ({
  from: sql`(select p.*, coalesce(c.amount, 0) - sum(p.amount) over (partition by p.currency_code order by p.payment_date, p.id) as balance
    from payment p left join jsonb_to_recordset(${JSON.stringify(charged)}::jsonb) as c("currencyCode" text, amount numeric) on c."currencyCode" = p.currency_code
    where p.requisition_id = ${requisitionId} and p.deleted_at is null) p left join app_user u on u.id = p.created_by`,
  where: [],
  fields: {
    id: sql`p.id`,
    paymentTypeCode: sql`p.payment_type_code`,
    paymentTypeDesc: lookupDescriptionOrCode('PAYMENTTYPE', sql`p.payment_type_code`),
    payerTypeCode: sql`p.payer_type_code`,
    payerTypeDesc: lookupDescriptionOrCode('PAYERTYPE', sql`p.payer_type_code`),
    payer: sql`p.payer`,
    amount: sql`p.amount::text`,
    currencyCode: sql`p.currency_code`,
    paymentNote: sql`p.payment_note`,
    paymentDate: sql`to_char(p.payment_date, 'FMMM/FMDD/YYYY')`,
    paymentMonth: sql`extract(month from p.payment_date)::int`,
    paymentDay: sql`extract(day from p.payment_date)::int`,
    paymentYear: sql`extract(year from p.payment_date)::int`,
    paymentNo: sql`p.payment_no`,
    balance: sql`p.balance::numeric(14,2)::text`,
    createdByName: sql`coalesce(u.first_name || ' ' || u.last_name, '')`,
  },
  sort: { paymentDate: sql`p.payment_date`, amount: sql`p.amount` },
  filter: {
    id: isOneOfIds(sql`p.id`, 'id'),
    payer: contains(sql`p.payer`),
    paymentTypeCode: isOneOf(sql`p.payment_type_code`),
    payerTypeCode: isOneOf(sql`p.payer_type_code`),
  },
  defaultOrder: sql`p.payment_date`,
  key: sql`p.id`,
})

export const readCharges = async (db: Db, requisitionId: number): Promise<Charges> => {
  const [[, charges] = []] = await readChargesByRequisition(db, [requisitionId])
  return charges ?? { isFrozen: false, charges: [], charged: [] }
}

/** Requisitions may be billed without a batch of ours. In HOLD and NONCOLLECT the status before them decides. */
const readBilledStatus = async (db: Db, requisitionId: number): Promise<{ isBilled: boolean; code: string | null }> => {
  const found = await db
    .selectFrom('requisition as r')
    .select((eb) =>
      eb
        .case()
        .when('r.status_code', '=', anyText(undecidedCodes))
        .then(
          eb
            .selectFrom('requisition_status_event as e')
            .select('e.to_code')
            .whereRef('e.requisition_id', '=', 'r.id')
            .where('e.to_code', '<>', sql<string>`all(${undecidedCodes}::text[])`)
            .orderBy('e.at', 'desc')
            .orderBy('e.id', 'desc')
            .limit(sql.lit(1)),
        )
        .else(eb.ref('r.status_code'))
        .end()
        .as('code'),
    )
    .where('r.id', '=', requisitionId)
    .executeTakeFirst()
  const code = found?.code ?? null
  return { isBilled: billedCodes.some((one) => one === code), code }
}

/** These statuses already say that a payment was received. */
const paidCodes: readonly string[] = ['INSPAYRECD', 'PATPAYRECD']

export const readAccount = async (db: Db, requisitionId: number): Promise<Account> => {
  const { isFrozen, charges, charged } = await readCharges(db, requisitionId)
  const status = await readBilledStatus(db, requisitionId)
  const isBilled = isFrozen || status.isBilled
  const payments = await db
    .selectFrom('payment')
    .select((eb) => [
      'amount',
      'currency_code as currencyCode',
      eb('payment_type_code', '=', 'ADJUST').as('isAdjustment'),
      'payer_type_code as payerTypeCode',
    ])
    .where('requisition_id', '=', requisitionId)
    .where('deleted_at', 'is', null)
    .orderBy('payment_date')
    .orderBy('id')
    .execute()
  const credited = sumByCurrency(payments)
  const paid = sumByCurrency(payments.filter(({ isAdjustment }) => !isAdjustment))
  const adjusted = sumByCurrency(payments.filter(({ isAdjustment }) => isAdjustment))
  const amountIn = (sums: readonly Money[], code: string) =>
    sums.find(({ currencyCode }) => currencyCode === code)?.amount ?? '0.00'
  const currencies = [...new Set([...charged, ...credited].map(({ currencyCode }) => currencyCode))].sort()
  const balances = currencies.map((currencyCode) => ({
    currencyCode,
    charged: amountIn(charged, currencyCode),
    paid: amountIn(paid, currencyCode),
    adjusted: amountIn(adjusted, currencyCode),
    balance: subtractAmounts(amountIn(charged, currencyCode), amountIn(credited, currencyCode)),
  }))
  const isSettled = isBilled && payments.length > 0 && balances.every(({ balance }) => toCents(balance) <= 0n)
  const paidStatusCode = payments.at(-1)?.payerTypeCode === 'INS' ? 'INSPAYRECD' : 'PATPAYRECD'
  return {
    isBilled: isBilled ? 1 : 0,
    isFrozen: isFrozen ? 1 : 0,
    charges: charges.map(({ testId, testCode, testDesc, amount, currencyCode }) => ({
      testId,
      testCode,
      testDesc,
      amount,
      currencyCode: amount === null ? null : currencyCode,
    })),
    missingPrices: charges.filter((charge) => charge.amount === null).map(({ testCode }) => testCode),
    balances,
    paidStatusCode: isSettled && !paidCodes.includes(status.code ?? '') ? paidStatusCode : null,
  }
}

export const addPayment = async (
  call: WriteCallWithQuestions,
  requisitionId: number,
  input: PaymentInput,
): Promise<{ id: number }> => {
  const { db, actor } = call
  const { lab_zone: zone } = await lockRequisition(db, actor, requisitionId)
  const { balances } = await readAccount(db, requisitionId)
  const currency = input.currencyCode ?? paymentCurrency(balances.filter(({ charged }) => charged !== '0.00'))
  await requireCodes(
    db,
    [
      { field: 'paymentTypeCode', type: 'PAYMENTTYPE', code: input.paymentTypeCode },
      { field: 'payerTypeCode', type: 'PAYERTYPE', code: input.payerTypeCode },
      { field: 'currencyCode', type: 'CURRENCY', code: currency },
    ],
    paymentLabels,
  )
  await requireNotInFuture(db, input.paymentDate, zone)
  await askAboutDuplicate(call, requisitionId, input, currency)
  askAboutOverpayment(call, input, currency, balances)
  call.questions.requireAnswers()
  const { id } = await db
    .insertInto('payment')
    .values({
      requisition_id: requisitionId,
      payment_type_code: input.paymentTypeCode,
      payer_type_code: input.payerTypeCode,
      payer: input.payer,
      amount: input.amount,
      currency_code: currency,
      payment_note: input.paymentNote,
      payment_date: input.paymentDate,
      payment_no: input.paymentNo,
      created_by: actor.userId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const stored = await getPayment(db, requisitionId, id)
  await auditBilling(call, requisitionId, [
    { entity: 'payment', entityId: id, new: stored, reason: call.questions.history },
  ])
  return { id }
}

/** The requisition is locked, so concurrent payments see each other. */
const askAboutDuplicate = async (
  { db, questions }: WriteCallWithQuestions,
  requisitionId: number,
  input: PaymentInput,
  currency: string,
) => {
  const same = await db
    .selectFrom('payment')
    .select('id')
    .where('requisition_id', '=', requisitionId)
    .where('deleted_at', 'is', null)
    .where('payment_date', '=', input.paymentDate)
    .where('amount', '=', input.amount)
    .where('currency_code', '=', currency)
    .where(sql`lower(payment_no)`, '=', input.paymentNo.toLowerCase())
    .where(sql`lower(payer)`, '=', input.payer.toLowerCase())
    .executeTakeFirst()
  if (!same) return
  questions.ask({
    code: paymentQuestions.same,
    field: 'paymentNo',
    message: `A payment ${input.paymentNo} by ${input.payer} with the same date and amount is already on this requisition.`,
  })
}

const askAboutOverpayment = (
  { questions }: WriteCallWithQuestions,
  { amount, paymentTypeCode }: PaymentInput,
  currency: string,
  balances: Account['balances'],
) => {
  const account = balances.find(({ currencyCode }) => currencyCode === currency)
  // While nothing is charged there is no amount to exceed.
  if (!account || toCents(account.charged) <= 0n || paymentTypeCode === 'REFUND') return
  const owed = account.balance
  if (toCents(amount) <= 0n || toCents(amount) <= toCents(owed)) return
  questions.ask({
    code: paymentQuestions.overpaid,
    field: 'amount',
    message: `The amount is more than what is still owed (${formatMoney({ amount: owed, currencyCode: currency })}).`,
  })
}

/** By the laboratory's calendar. */
const requireNotInFuture = async (db: Db, date: string, zone: string) => {
  const { rows } = await sql<{ late: boolean; early: boolean }>`
    select ${date}::date > (now() at time zone ${zone})::date as late, ${date}::date < date '2000-01-01' as early`.execute(
    db,
  )
  if (rows[0]?.late) throw invalid('paymentDate', 'Payment Date must not be in the future')
  if (rows[0]?.early) throw invalid('paymentDate', messages.invalidDate)
}

export const getPayment = async (db: Db, requisitionId: number, id: number): Promise<Omit<Payment, 'balance'>> => {
  const found = await findRow<Payment>(db, paymentList(requisitionId, []), id)
  if (!found) throw notFound('Payment')
  const { balance: _, ...row } = found
  return row
}

/** Deleted payments leave every list and sum; the audit keeps each as it was. */
export const removePayments = async (call: WriteCall, requisitionId: number, ids: readonly number[]) => {
  const { db, actor } = call
  await lockRequisition(db, actor, requisitionId)
  const before = []
  for (const id of ids) before.push(await getPayment(db, requisitionId, id))
  await db
    .updateTable('payment')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', 'in', [...ids])
    .execute()
  await auditBilling(
    call,
    requisitionId,
    before.map((row) => ({ entity: 'payment', entityId: row.id, old: row })),
  )
}
