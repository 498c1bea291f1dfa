import { stringify } from 'csv-stringify/sync'
import { withoutCharge } from '../billing/queries.ts'
import { type BillParty, type CheckedItem, isInsured } from './bill-item.ts'
import { type BillingProvider, type FileTime, writeClaims } from './claims.ts'
import { invoicesOf, payerOf } from './invoices.ts'

export interface BatchFile {
  name: string
  contentType: string
  body: Buffer
}

interface BatchFilesInput {
  batchId: number
  at: FileTime
  provider: BillingProvider | null
  checked: readonly CheckedItem[]
  /** Before the batch is sent; nobody must take it for a bill. */
  isDraft?: boolean
}

/** All files of a batch: a table for people, claims for the clearing house, and an invoice or statement per payer. */
export const makeBatchFiles = async ({
  batchId,
  at,
  provider,
  checked,
  isDraft = false,
}: BatchFilesInput): Promise<BatchFile[]> => {
  const billed = checked.filter(({ fault }) => fault === null).map(({ item }) => item)
  const claims = billed.filter(isInsured)
  const files: BatchFile[] = [
    { name: `billing-batch-${batchId}.csv`, contentType: 'text/csv; charset=utf-8', body: table(batchId, checked) },
  ]
  if (provider && claims.length > 0)
    files.push({
      name: `claims-${batchId}.837`,
      contentType: 'application/edi-x12',
      body: Buffer.from(writeClaims(provider, batchId, at, claims, isDraft), 'latin1'),
    })
  const { renderInvoice } = await import('./invoice-pdf.ts')
  for (const invoice of invoicesOf(batchId, at, provider, checked))
    files.push({
      name: `${invoice.title.toLowerCase()}-${invoice.number}.pdf`,
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

const addressOf = ({ addr1, addr2, city, state, zip }: BillParty) =>
  [addr1, addr2, city, [state, zip].filter(Boolean).join(' ')].filter(Boolean).join(', ')

/** One line per test, including those not billed, with the reason. Formulas are escaped. */
const table = (batchId: number, checked: readonly CheckedItem[]): Buffer => {
  const rows = checked.flatMap(({ item, fault }) => {
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

/** MM/DD/YYYY. */
const day = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`
