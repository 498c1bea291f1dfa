import { dayAt } from '@lis/contract/zoned-time.ts'
import { stringify } from 'csv-stringify/sync'
import { withoutCharge } from '../billing/queries.ts'
import { type BillItem, type BillParty, isInsured, itemCurrency } from './bill-item.ts'
import { type BillingProvider, type Made, writeClaims } from './claims.ts'
import type { Invoice } from './invoice-pdf.ts'

export interface BatchFile {
  name: string
  contentType: string
  body: Buffer
}

/** A requisition and why it is not billed; null when it is. */
export interface Judged {
  item: BillItem
  fault: string | null
}

interface Making {
  batchId: number
  at: Made
  provider: BillingProvider | null
  judged: readonly Judged[]
  /** Only looked at before the batch is sent: nobody may take it for a bill. */
  isDraft?: boolean
}

/** Everything that leaves the house for a batch: a table for people, claims for the clearing house, an invoice per client. */
export const makeFiles = async ({ batchId, at, provider, judged, isDraft = false }: Making): Promise<BatchFile[]> => {
  const billed = judged.filter(({ fault }) => fault === null).map(({ item }) => item)
  const claims = billed.filter(isInsured)
  const files: BatchFile[] = [
    { name: `billing-batch-${batchId}.csv`, contentType: 'text/csv; charset=utf-8', body: table(batchId, judged) },
  ]
  if (provider && claims.length > 0)
    files.push({
      name: `claims-${batchId}.837`,
      contentType: 'application/edi-x12',
      body: Buffer.from(writeClaims(provider, batchId, at, claims, isDraft), 'latin1'),
    })
  const { renderInvoice } = await import('./invoice-pdf.ts')
  for (const invoice of invoicesOf(batchId, at, provider?.name ?? 'Laboratory', judged))
    files.push({
      name: `invoice-${invoice.number}.pdf`,
      contentType: 'application/pdf',
      body: await renderInvoice(invoice),
    })
  return files
}

const headers = [
  'Batch ID',
  'Req ID',
  'Patient Last Name',
  'Patient First Name',
  'DOB',
  'Client',
  'Physician',
  'Physician NPI',
  'Date Collected',
  'Bill To',
  'Insurance Company',
  'Insurance Company Number',
  'Policy Holder',
  'Policy Number',
  'Group Number',
  'ICD Codes',
  'Test Code',
  'Test',
  'Procedure Code',
  'Amount',
  'Currency',
  'Not Billed',
  'Collaborator',
  'Bill To Name',
  'Bill To Address',
]

/** Whom a bill is made out to; for insurances the claim says it. */
const payerOf = ({ billTypeCode, client, collaborator, guarantor, patient }: BillItem): BillParty | null => {
  if (billTypeCode === 'CLIENT') return client
  if (billTypeCode === 'COLA') return collaborator
  if (billTypeCode !== 'PATIENT') return null
  const { firstName, middleName, lastName } = patient
  return guarantor ?? { ...patient, name: [firstName, middleName, lastName].filter(Boolean).join(' ') }
}

const addressOf = ({ addr1, addr2, city, state, zip }: BillParty) =>
  [addr1, addr2, city, [state, zip].filter(Boolean).join(' ')].filter(Boolean).join(', ')

/** One line per test, also of what is not billed, with the reason. A cell never starts a formula. */
const table = (batchId: number, judged: readonly Judged[]): Buffer => {
  const rows = judged.flatMap(({ item, fault }) => {
    const [primary] = item.insurances
    const head = [
      batchId,
      item.reqId,
      item.patient.lastName,
      item.patient.firstName,
      day(item.patient.dob),
      item.client.name,
      `${item.physician.lastName}, ${item.physician.firstName}`,
      item.physician.npi,
      day(item.serviceDate),
      item.billTypeDesc,
      primary?.company,
      primary?.companyNo,
      primary?.policyHolder,
      primary?.policyNo,
      primary?.groupNo,
      item.icdCodes.join(', '),
    ]
    const payer = payerOf(item)
    const tail = [fault, item.collaborator.name, payer?.name, payer && addressOf(payer)]
    const charges = item.billTypeCode === 'NOCHARGE' ? item.charges.map(withoutCharge) : item.charges
    const lines = charges.length > 0 ? charges : [null]
    return lines.map((charge) => [
      ...head,
      charge?.testCode,
      charge?.testDesc,
      charge?.cptCode,
      charge?.amount,
      charge?.amount == null ? null : charge.currencyCode,
      ...tail,
    ])
  })
  return Buffer.from(stringify([headers, ...rows], { bom: true, escape_formulas: true }))
}

const day = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`

/** For bill type client: one per client and currency. What has no price is named on it and not in its total. */
export const invoicesOf = (batchId: number, at: Made, from: string, judged: readonly Judged[]): Invoice[] => {
  const forClients = judged.filter(({ item }) => item.billTypeCode === 'CLIENT')
  const invoices = new Map<string, Invoice & { items: BillItem[] }>()
  for (const { item } of forClients.filter(({ fault }) => fault === null)) {
    const currencyCode = itemCurrency(item) ?? 'USD'
    const number = `${batchId}-${item.client.id}${currencyCode === 'USD' ? '' : `-${currencyCode}`}`
    const known = invoices.get(number)
    if (known) known.items.push(item)
    else
      invoices.set(number, {
        number,
        date: day(dayAt(at.instant, at.zone)),
        from,
        currencyCode,
        client: item.client,
        items: [item],
        notBilled: forClients
          .filter((other) => other.fault !== null && other.item.client.id === item.client.id)
          .map((other) => ({ reqId: other.item.reqId, reason: other.fault ?? '' })),
      })
  }
  return [...invoices.values()]
}
