import { z } from 'zod'
import { done, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { get, put } from './kit/route.ts'
import { requiredIds } from './validation.ts'

const id = z.number().int()
const time = z.iso.datetime({ offset: true })
const text = z.string().nullable()

const person = { patientFirstName: z.string(), patientLastName: z.string(), patientDob: z.iso.date() }

/** A result as the released report says it. */
const newResultTest = z.object({
  testCode: z.string(),
  testDesc: z.string(),
  result: z.string(),
  units: text,
  /** H above the normal range, L below it, A outside by category; empty if normal or not known. */
  flag: z.enum(['', 'H', 'L', 'A']),
  /** The normal range and the borderline one as the report prints them; empty without limits. */
  range: z.string(),
  borderline: z.string(),
  interpretation: text,
  /** Outside a critical limit: the practice was to be called about it. */
  isCritical: z.union([z.literal(0), z.literal(1)]),
  /** The value before it, as the report prints it. */
  previous: text,
  /** The earlier numbers and this one, the oldest first; empty where a value is not a number. */
  trend: z.array(z.number()),
})
export type NewResultTest = z.infer<typeof newResultTest>

const newResult = z.object({
  reqId: id,
  ...person,
  clientName: z.string(),
  releasedDate: time,
  /** The report was corrected; `changes` says from what to what. */
  isCorrected: z.union([z.literal(0), z.literal(1)]),
  changes: z.array(z.string()),
  abnormalCount: id,
  /** One of its tests is critical. */
  isCritical: z.union([z.literal(0), z.literal(1)]),
  /** Every value is known to be normal, not merely without a flag. */
  isAllNormal: z.union([z.literal(0), z.literal(1)]),
  /** Of the reports whose values are known; a file from elsewhere may have none. */
  tests: z.array(newResultTest),
})
export type NewResult = z.infer<typeof newResult>

export const orderSteps = ['Ordered', 'Received', 'In process', 'Resulted', 'Reported'] as const

/** An order whose report is not released yet. */
const orderOnTheWay = z.object({
  reqId: id,
  ...person,
  testCodes: z.string(),
  step: z.number().int().min(1).max(5),
  stepDesc: z.enum(orderSteps),
  expectedDate: time,
  isLate: z.union([z.literal(0), z.literal(1)]),
})
export type OrderOnTheWay = z.infer<typeof orderOnTheWay>

/** What the laboratory waits for. */
const wantedItem = z.object({
  reqId: id,
  ...person,
  kind: z.enum(['ISSUE', 'BILLING']),
  text: z.string(),
  sinceDate: time,
  link: z.string(),
})
export type WantedItem = z.infer<typeof wantedItem>

/** The page and the call with the rows behind a number. */
const rowsLink = z.object({ link: z.string(), call: z.string() })
export type RowsLink = z.infer<typeof rowsLink>

/** A client of a sales person; the usual interval is the mean of the last 90 days. */
const salesClient = z.object({
  clientId: id,
  clientName: z.string(),
  /** Requisitions logged in the last 30 days, today included, and in the 30 days before. */
  volume30: id,
  volumeBefore: id,
  recent: rowsLink,
  earlier: rowsLink,
  lastOrderDate: time.nullable(),
  isSilent: z.union([z.literal(0), z.literal(1)]),
})
export type SalesClient = z.infer<typeof salesClient>

/** What was billed and what was paid in a month, in one currency. */
const monthMoney = z.object({
  month: z.string(),
  currencyCode: z.string(),
  billed: z.string(),
  received: z.string(),
  open: z.string(),
})
export type MonthMoney = z.infer<typeof monthMoney>

export const homeParts = {
  newResults: z.array(newResult),
  onTheWay: z.array(orderOnTheWay),
  wanted: z.array(wantedItem),
  clients: z.array(salesClient),
  money: z.array(monthMoney),
}

const listed = listQuery({ sort: [], filter: ['reqId'], defaultPerPage: 25, maxPerPage: 100 })

export const homePracticeRoutes = {
  newResults: get('home/new_results', {
    access: 'home.results',
    summary: 'Released results that the caller has not marked as reviewed, the latest first',
    query: listed,
    reply: page(newResult),
  }),
  setReviewed: put('home/reviewed', {
    access: 'home.results',
    summary: 'Marks results as reviewed for the caller, or with isReviewed 0 as new again',
    body: z.object({
      reqIds: requiredIds('Requisition'),
      isReviewed: z.union([z.literal(0), z.literal(1)]).default(1),
      asOf: time.optional(),
    }),
    reply: done,
  }),
  wanted: get('home/wanted', {
    access: 'home.results',
    summary: 'What the laboratory wants from the practice, the oldest first',
    query: listed,
    reply: page(wantedItem),
  }),
  clients: get('home/clients', {
    access: 'home.salesClients',
    summary: 'The clients of the caller with their volume; isSilent 1 for those who stopped ordering',
    query: listQuery({
      sort: ['clientName', 'volume30', 'lastOrderDate'],
      filter: ['isSilent', 'clientId'],
      defaultPerPage: 25,
    }),
    reply: page(salesClient),
  }),
}
