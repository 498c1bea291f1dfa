import { formatMoney, sumAmounts } from '@lis/contract/money.ts'
import PDFDocument from 'pdfkit'
import { drawText, heightOfText } from '../../platform/pdf/text.ts'
import type { BillLab } from './bill-item.ts'
import type { BillingProvider } from './claims.ts'
import type { Invoice } from './invoices.ts'

const left = 50
const columns = { date: 106, patient: 166, procedure: 286, test: 336, amount: 480 }
const testWidth = 140
const firstLine = 250
const pageEnd = 720

export const renderInvoice = async (invoice: Invoice): Promise<Buffer> => {
  const page = new PDFDocument({ size: 'LETTER', margin: left, info: { Title: `${invoice.title} ${invoice.number}` } })
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.on('end', () => resolve(Buffer.concat(chunks)))
    page.on('error', reject)
  })
  drawHead(page, invoice)
  let y = drawLines(page, invoice, firstLine)
  const total = invoiceTotal(invoice)
  y = ensureSpace(page, y + 8)
  put(page, 'Total', columns.test, y, { bold: true })
  amountAt(page, formatMoney({ amount: total, currencyCode: invoice.currencyCode }), y, true)
  y = drawPayment(page, invoice, y + 30)
  y = drawOtherLabs(page, invoice, y + 8)
  drawNotBilled(page, invoice, y + 16)
  page.end()
  return done
}

/** Exact, in cents. */
export const invoiceTotal = ({ items }: Pick<Invoice, 'items'>): string =>
  sumAmounts(items.flatMap(({ charges }) => charges.flatMap(({ amount }) => (amount === null ? [] : [amount]))))

type Page = InstanceType<typeof PDFDocument>

interface Put {
  size?: number
  bold?: boolean
  /** Longer texts wrap. */
  width?: number
  /** Cut to one line of the width: for names only, never for amounts. */
  isShort?: boolean
  align?: 'right'
}

const put = (page: Page, text: string, x: number, y: number, { bold = false, ...look }: Put = {}): number =>
  drawText(page, text, x, y, { size: 9, isBold: bold, ...look })

const heightOf = (text: string, width: number): number => heightOfText(text, { size: 9, width })

const drawHead = (page: Page, invoice: Invoice) => {
  const { title, number, date, dueDate, from, payer, reference } = invoice
  put(page, title, left, 50, { size: 15, bold: true })
  letterHead(from, labsOf(invoice)[0]).forEach((line, index) => {
    put(page, line, left, 70 + index * 12, { width: 310, isShort: true })
  })
  const { name, addr1, addr2, city, state, zip } = payer
  const address = [name, addr1, addr2, [city, state, zip].filter(Boolean).join(' ')].filter(Boolean)
  address.forEach((line, index) => {
    put(page, String(line), left, 152 + index * 13, { width: 310, isShort: true })
  })
  const facts = [`${title} ${number}`, `Date ${shownDate(date)}`, `Due ${shownDate(dueDate)}`, reference]
  facts.forEach((line, index) => {
    put(page, line, 380, 152 + index * 13)
  })
  const heads = {
    Requisition: left,
    Collected: columns.date,
    Patient: columns.patient,
    Procedure: columns.procedure,
    Test: columns.test,
  }
  for (const [head, x] of Object.entries(heads)) put(page, head, x, firstLine - 20, { bold: true })
  amountAt(page, 'Amount', firstLine - 20, true)
}

/** The laboratories whose work is billed, that of the first requisition first. */
const labsOf = ({ items }: Pick<Invoice, 'items'>): BillLab[] => [
  ...new Map(items.map(({ lab }) => [`${lab.name} ${lab.clia}`, lab])).values(),
]

/** By the record of the laboratory; the settings fill in what the record does not say. */
const letterHead = (from: BillingProvider | null, lab: BillLab | undefined): string[] => {
  const isComplete = Boolean(lab?.addr1 && lab.city && lab.zip)
  const place = isComplete ? placeLines(lab as BillLab) : from ? settingLines(from) : []
  const phone = lab?.phone ?? from?.phone
  const clia = lab?.clia ?? from?.clia
  const numbers = [
    from && `Tax ID ${from.taxId.replace(/^(\d{2})(\d{7})$/, '$1-$2')}`,
    clia !== undefined && clia !== null && `CLIA ${clia}`,
  ].filter(Boolean)
  return [
    lab?.name ?? from?.name ?? 'Laboratory',
    ...place,
    ...(phone ? [`Phone ${shownPhone(phone)}`] : []),
    ...(numbers.length > 0 ? [numbers.join(' · ')] : []),
  ]
}

const placeLines = ({ addr1, addr2, city, state, zip }: BillLab): string[] => [
  [addr1, addr2].filter(Boolean).join(', '),
  [city, state, shownZip(zip ?? '')].filter(Boolean).join(' '),
]
const settingLines = ({ address, city, state, zip }: BillingProvider) => [address, `${city} ${state} ${shownZip(zip)}`]
const shownZip = (zip: string) => zip.replace(/^(\d{5})-?(\d{4})$/, '$1-$2')
const shownPhone = (digits: string) => digits.replace(/^1?(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')

/** A bill over the work of several laboratories names those that are not in its head. */
const drawOtherLabs = (page: Page, invoice: Invoice, start: number): number => {
  const [, ...others] = labsOf(invoice)
  if (others.length === 0) return start
  const words = others.map((lab) =>
    [lab.name, ...placeLines(lab).filter(Boolean), lab.clia && `CLIA ${lab.clia}`].filter(Boolean).join(', '),
  )
  return put(page, `Also with work of ${words.join('; ')}.`, left, ensureSpace(page, start), { width: 512 })
}

const drawPayment = (page: Page, { title, number, dueDate, from }: Invoice, start: number): number => {
  if (!from) return start
  const y = ensureSpace(page, start)
  const words = `Please pay by ${shownDate(dueDate)} to ${from.payTo}. Quote ${title.toLowerCase()} ${number}.`
  return put(page, words, left, y, { width: 512 })
}

const drawLines = (page: Page, { items, currencyCode }: Invoice, start: number): number => {
  let y = start
  for (const item of items) {
    for (const charge of item.charges) {
      const name = `${charge.testCode} ${charge.testDesc}`
      const height = Math.max(11, heightOf(name, testWidth))
      y = ensureSpace(page, y, height)
      put(page, `#${item.reqId}`, left, y)
      put(page, shownDate(item.serviceDate), columns.date, y)
      put(page, `${item.patient.lastName}, ${item.patient.firstName}`, columns.patient, y, {
        width: 115,
        isShort: true,
      })
      put(page, charge.cptCode ?? '', columns.procedure, y)
      amountAt(page, formatMoney({ amount: charge.amount ?? '0.00', currencyCode }), y)
      put(page, name, columns.test, y, { width: testWidth })
      y += height + 3
    }
  }
  return y
}

const drawNotBilled = (page: Page, { notBilled }: Invoice, start: number) => {
  if (notBilled.length === 0) return
  let y = ensureSpace(page, start)
  put(page, 'Not billed on this invoice', left, y, { bold: true })
  y += 14
  for (const { reqId, reason } of notBilled) {
    y = ensureSpace(page, y)
    y = put(page, `#${reqId}: ${reason}`, left, y, { width: 512 }) + 3
  }
}

/** `height` is that of the next line. */
const ensureSpace = (page: Page, y: number, height = 11): number => {
  if (y + height < pageEnd + 11) return y
  page.addPage()
  return left
}

const amountAt = (page: Page, text: string, y: number, bold = false) =>
  put(page, text, columns.amount, y, { width: 82, align: 'right', bold })

const shownDate = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`
