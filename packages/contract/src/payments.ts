import { z } from 'zod'
import { bulkIds } from './kit/bulk.ts'
import { isIsoDate } from './kit/date-range.ts'
import { done, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { isAmount, toCents } from './money.ts'
import { dayPart, monthPart, optionalCode, required, requiredCode, yearPart } from './validation.ts'

const id = z.number().int()
const text = z.string().nullable()
/** A decimal text with two places, exact. */
export const amountText = z.string().regex(/^-?[0-9]+\.[0-9]{2}$/)

export const paymentLabels = {
  paymentTypeCode: 'Payment Type',
  payerTypeCode: 'Payer Type',
  payer: 'Paid By',
  amount: 'Amount',
  currencyCode: 'Currency',
  paymentDate: 'Payment Date',
  paymentMonth: 'Payment Month',
  paymentDay: 'Payment Day',
  paymentYear: 'Payment Year',
  paymentNo: 'Check/Confirmation Number',
  paymentNote: 'Note',
  balance: 'Balance',
  createdByName: 'Entered By',
} as const

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const most = 999_999_999_999n
/** '1,234.50': commas are accepted between thousands only, and dropped. */
const grouped = /^-?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
const withoutGroups = (typed: string) => (grouped.test(typed) ? typed.replaceAll(',', '') : typed)
const amount = z
  .union([z.string(), z.number()], { error: messages.required(paymentLabels.amount) })
  .transform((value, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    const typed = withoutGroups(String(value).trim().replace(/^\$/, ''))
    if (typed === '') return refuse(messages.required(paymentLabels.amount))
    const number = Number(typed)
    if (!Number.isFinite(number)) return refuse('Amount must be a number')
    if (Math.abs(number) > 9_999_999_999.99) return refuse('Amount must be at most 9,999,999,999.99')
    if (!isAmount(typed)) return refuse('Amount may have at most two decimals')
    const cents = toCents(typed)
    if (cents === 0n) return refuse('Amount must not be 0')
    return cents > most || cents < -most ? refuse('Amount must be at most 9,999,999,999.99') : typed
  })

/** A payment is positive, a refund negative; an adjustment may be either. */
const signFault = ({ amount: value, paymentTypeCode }: { amount: string; paymentTypeCode: string }) => {
  const isNegative = value.startsWith('-')
  if (paymentTypeCode === 'ADJUST') return null
  if (paymentTypeCode === 'REFUND') return isNegative ? null : 'The amount of a refund must be less than 0'
  return isNegative ? 'Amount must be more than 0' : null
}
const signed = (payment: { amount: string; paymentTypeCode: string }, context: z.RefinementCtx) => {
  const message = signFault(payment)
  if (message) context.addIssue({ code: 'custom', path: ['amount'], message })
}

const fields = z.object({
  paymentTypeCode: requiredCode(paymentLabels.paymentTypeCode),
  payerTypeCode: requiredCode(paymentLabels.payerTypeCode),
  payer: required(paymentLabels.payer, 200),
  amount,
  /** A code of lovs/CURRENCY; if left out, the currency charged, see `paymentCurrency`. */
  currencyCode: optionalCode(paymentLabels.currencyCode),
  paymentNo: required(paymentLabels.paymentNo, 100),
  paymentNote: required(paymentLabels.paymentNote, 1000),
})

/** The default currency of a payment: the currency charged, or US dollars if none or several were. */
export const paymentCurrency = (charges: readonly { currencyCode: string | null }[]): string => {
  const codes = new Set(charges.flatMap(({ currencyCode }) => currencyCode ?? []))
  const [only = 'USD'] = codes
  return codes.size > 1 ? 'USD' : only
}

/** The form: the date in three required parts. */
export const paymentForm = fields
  .extend({
    paymentMonth: monthPart(paymentLabels.paymentMonth),
    paymentDay: dayPart(paymentLabels.paymentDay),
    paymentYear: yearPart(paymentLabels.paymentYear),
  })
  .superRefine((payment, context) => {
    signed(payment, context)
    const { paymentYear, paymentMonth, paymentDay } = payment
    if (!isIsoDate(isoOf(paymentYear, paymentMonth, paymentDay)))
      context.addIssue({ code: 'custom', path: ['paymentDay'], message: messages.invalidDate })
  })
export type PaymentForm = z.infer<typeof paymentForm>

const isoOf = (year: number, month: number, day: number) =>
  `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`

/** M/D/Y as YYYY-MM-DD; null for a date that does not exist. */
const parsePaymentDate = (value: string): string | null => {
  const match = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(value)
  if (!match) return null
  const iso = isoOf(Number(match[3]), Number(match[1]), Number(match[2]))
  return isIsoDate(iso) ? iso : null
}

/** The body to send: the parts as `paymentDate` in M/D/Y. */
export const toPaymentInput = ({ paymentMonth, paymentDay, paymentYear, ...rest }: PaymentForm) => ({
  ...rest,
  paymentDate: `${paymentMonth}/${paymentDay}/${paymentYear}`,
})

export const paymentInput = fields
  .extend({
    paymentDate: z
      .string({ error: messages.required(paymentLabels.paymentDate) })
      .trim()
      .min(1, messages.required(paymentLabels.paymentDate))
      .transform((value, context) => {
        const iso = parsePaymentDate(value)
        if (iso !== null) return iso
        context.addIssue({ code: 'custom', message: messages.invalidDate })
        return z.NEVER
      }),
  })
  .superRefine(signed)
export type PaymentInput = z.infer<typeof paymentInput>

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const payment = z.object({
  id,
  paymentTypeCode: z.string(),
  paymentTypeDesc: z.string(),
  payerTypeCode: z.string(),
  payerTypeDesc: z.string(),
  payer: z.string(),
  amount: amountText,
  currencyCode: z.string(),
  paymentNote: z.string(),
  /** M/D/Y, and the same in parts. */
  paymentDate: z.string(),
  paymentMonth: id,
  paymentDay: id,
  paymentYear: id,
  paymentNo: z.string(),
  /** The balance in this currency after the payment. */
  balance: amountText,
  createdByName: z.string(),
})
export type Payment = z.infer<typeof payment>

/** The client's price of a test; null if there is none. */
const charge = z.object({
  testId: id,
  testCode: z.string(),
  testDesc: z.string(),
  amount: amountText.nullable(),
  currencyCode: text,
})
const balanceRow = z.object({
  currencyCode: z.string(),
  charged: amountText,
  /** Payments less refunds. */
  paid: amountText,
  /** Write-offs, negative when reversed; they change the balance without a payment. */
  adjusted: amountText,
  balance: amountText,
})
const account = z.object({
  /** 1 once a batch was sent, or if the status says it was billed outside the system. */
  isBilled: z.literal([0, 1]),
  /** 1: prices charged by a sent batch. 0: today's prices. */
  isFrozen: z.literal([0, 1]),
  charges: z.array(charge),
  /** Codes of tests without a price; the sums do not include them. */
  missingPrices: z.array(z.string()),
  /** One per currency, never added up. */
  balances: z.array(balanceRow),
  /** The suggested status once everything is paid, by the last payer; null while something is owed or if the status is already set. */
  paidStatusCode: z.enum(['INSPAYRECD', 'PATPAYRECD']).nullable(),
})
export type Account = z.infer<typeof account>

export const paymentQuestions = {
  /** A payment with the same number, payer, date and amount exists. */
  same: 'SAME_PAYMENT',
  /** The amount is more than the balance. */
  overpaid: 'OVERPAYMENT',
} as const

const record = byId.extend({ recordId: idParam })
const access = 'payments.write'

export const paymentRoutes = {
  list: get('requisitions/:id/payments', {
    access: 'requisitionTabs.payments',
    summary: 'In the order of their dates, each with the balance after it',
    params: byId,
    query: listQuery({
      sort: ['id', 'paymentDate', 'amount', 'payer', 'paymentTypeDesc', 'payerTypeDesc', 'paymentNo'],
      filter: ['id', 'payer', 'paymentTypeCode', 'payerTypeCode'],
      defaultPerPage: 10,
    }),
    reply: page(payment),
  }),
  account: get('requisitions/:id/account', {
    access: 'requisitionTabs.payments',
    summary: 'Charges, payments and balance',
    params: byId,
    reply: one(account),
  }),
  add: post('requisitions/:id/payments', {
    access,
    asks: Object.values(paymentQuestions),
    params: byId,
    body: paymentInput,
    reply: newId,
  }),
  remove: del('requisitions/:id/payments/:recordId', { access, params: record, reply: done }),
  removeMany: del('requisitions/:id/payments/bulk_delete', { access, params: byId, query: bulkIds, reply: done }),
}
