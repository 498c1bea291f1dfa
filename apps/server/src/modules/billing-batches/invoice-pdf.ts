import { showMoney, sumAmounts } from '@lis/contract/money.ts'
import PDFDocument from 'pdfkit'
import { chooseFont, onLine, printed } from '../../platform/pdf/letters.ts'
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
  put(page, 'Total', columns.test, y, { bold: true })
  amountAt(page, showMoney({ amount: total, currencyCode: invoice.currencyCode }), y, true)
  drawNotBilled(page, invoice, y + 30)
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
  /** What is longer takes more lines. */
  width?: number
  /** What does not fit on one line of the width is cut short: names only, never an amount. */
  isShort?: boolean
  align?: 'right'
}

const put = (page: Page, text: string, x: number, y: number, { size = 9, bold, width, isShort, align }: Put = {}) => {
  const shown = printed(text)
  chooseFont(page, shown, bold).fontSize(size)
  page.text(shown, x, y, {
    ...onLine(size),
    lineBreak: width !== undefined,
    ...(width && { width }),
    ...(isShort && { height: size + 3, ellipsis: true }),
    ...(align && { align }),
  })
}

const drawHead = (page: Page, { number, date, from, client }: Invoice) => {
  put(page, 'Invoice', left, 50, { size: 15, bold: true })
  put(page, from, left, 70)
  const { name, legacyId, addr1, addr2, city, state, zip } = client
  const address = [name, addr1, addr2, [city, state, zip].filter(Boolean).join(' ')].filter(Boolean)
  address.forEach((line, index) => {
    put(page, String(line), left, 100 + index * 13, { width: 310, isShort: true })
  })
  ;[`Invoice ${number}`, `Date ${date}`, `Client ${legacyId}`].forEach((line, index) => {
    put(page, line, 380, 100 + index * 13)
  })
  const heads = { Requisition: left, Collected: columns.date, Patient: columns.patient, Test: columns.test }
  for (const [head, x] of Object.entries(heads)) put(page, head, x, 180, { bold: true })
  amountAt(page, 'Amount', 180, true)
}

const drawLines = (page: Page, { items, currencyCode }: Invoice, start: number): number => {
  let y = start
  for (const item of items) {
    for (const charge of item.charges) {
      y = room(page, y)
      put(page, `#${item.reqId}`, left, y)
      put(page, shownDate(item.serviceDate), columns.date, y)
      put(page, `${item.patient.lastName}, ${item.patient.firstName}`, columns.patient, y, {
        width: 135,
        isShort: true,
      })
      put(page, `${charge.testCode} ${charge.testDesc}`, columns.test, y, { width: 145, isShort: true })
      amountAt(page, showMoney({ amount: charge.amount ?? '0.00', currencyCode }), y)
      y += 14
    }
  }
  return y
}

const drawNotBilled = (page: Page, { notBilled }: Invoice, start: number) => {
  if (notBilled.length === 0) return
  let y = room(page, start)
  put(page, 'Not billed on this invoice', left, y, { bold: true })
  y += 14
  for (const { reqId, reason } of notBilled) {
    y = room(page, y)
    put(page, `#${reqId}: ${reason}`, left, y, { width: 512 })
    y = page.y + 3
  }
}

const room = (page: Page, y: number): number => {
  if (y < pageEnd) return y
  page.addPage()
  return left
}

const amountAt = (page: Page, text: string, y: number, bold = false) =>
  put(page, text, columns.amount, y, { width: 82, align: 'right', bold })

const shownDate = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`
