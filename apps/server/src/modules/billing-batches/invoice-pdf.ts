import { showMoney, sumAmounts } from '@lis/contract/money.ts'
import PDFDocument from 'pdfkit'
import type { BillItem } from './bill-item.ts'

/** What one client owes for one batch, in one currency. */
export interface Invoice {
  number: string
  /** MM/DD/YYYY. */
  date: string
  from: string
  currencyCode: string
  client: BillItem['client']
  items: readonly BillItem[]
  /** What is not billed here because a price is missing. */
  notBilled: readonly { reqId: number; reason: string }[]
}

const left = 50
const columns = { date: 120, patient: 190, test: 330, amount: 480 }
const pageEnd = 720

export const renderInvoice = async (invoice: Invoice): Promise<Buffer> => {
  const page = new PDFDocument({ size: 'LETTER', margin: left, info: { Title: `Invoice ${invoice.number}` } })
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.on('end', () => resolve(Buffer.concat(chunks)))
    page.on('error', reject)
  })
  drawHead(page, invoice)
  let y = drawLines(page, invoice, 200)
  const total = invoiceTotal(invoice)
  y = room(page, y + 8)
  page.font('Helvetica-Bold').text('Total', columns.test, y)
  amountAt(page, showMoney({ amount: total, currencyCode: invoice.currencyCode }), y)
  drawNotBilled(page, invoice, y + 30)
  page.end()
  return done
}

/** Exact, in cents. */
export const invoiceTotal = ({ items }: Pick<Invoice, 'items'>): string =>
  sumAmounts(items.flatMap(({ charges }) => charges.flatMap(({ amount }) => (amount === null ? [] : [amount]))))

type Page = InstanceType<typeof PDFDocument>

const drawHead = (page: Page, { number, date, from, client }: Invoice) => {
  page.font('Helvetica-Bold').fontSize(15).text('Invoice', left, 50)
  page.font('Helvetica').fontSize(9).text(from, left, 70)
  const { name, legacyId, addr1, addr2, city, state, zip } = client
  const address = [name, addr1, addr2, [city, state, zip].filter(Boolean).join(' ')].filter(Boolean)
  address.forEach((line, index) => {
    page.text(String(line), left, 100 + index * 13)
  })
  page.text(`Invoice ${number}`, 380, 100).text(`Date ${date}`, 380, 113).text(`Client ${legacyId}`, 380, 126)
  page.font('Helvetica-Bold').text('Requisition', left, 180, { lineBreak: false })
  page
    .text('Collected', columns.date, 180, { lineBreak: false })
    .text('Patient', columns.patient, 180, { lineBreak: false })
  page.text('Test', columns.test, 180, { lineBreak: false })
  amountAt(page, 'Amount', 180)
  page.font('Helvetica')
}

const drawLines = (page: Page, { items, currencyCode }: Invoice, start: number): number => {
  let y = start
  for (const item of items) {
    for (const charge of item.charges) {
      y = room(page, y)
      page
        .text(`#${item.reqId}`, left, y, { lineBreak: false })
        .text(shownDate(item.serviceDate), columns.date, y, { lineBreak: false })
      const name = `${item.patient.lastName}, ${item.patient.firstName}`
      page.text(name, columns.patient, y, { width: 135, height: 12, ellipsis: true })
      page.text(`${charge.testCode} ${charge.testDesc}`, columns.test, y, { width: 145, height: 12, ellipsis: true })
      amountAt(page, showMoney({ amount: charge.amount ?? '0.00', currencyCode }), y)
      y += 14
    }
  }
  return y
}

const drawNotBilled = (page: Page, { notBilled }: Invoice, start: number) => {
  if (notBilled.length === 0) return
  let y = room(page, start)
  page.font('Helvetica-Bold').text('Not billed on this invoice', left, y).font('Helvetica')
  for (const { reqId, reason } of notBilled) {
    y = room(page, y + 14)
    page.text(`#${reqId}: ${reason}`, left, y)
  }
}

const room = (page: Page, y: number): number => {
  if (y < pageEnd) return y
  page.addPage()
  return left
}

const amountAt = (page: Page, text: string, y: number) =>
  page.text(text, columns.amount, y, { width: 82, align: 'right', lineBreak: false })

const shownDate = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`
