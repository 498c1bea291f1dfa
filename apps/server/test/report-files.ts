import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'

/** The patient of a generated file. */
export interface ReportPerson {
  reqId: number
  firstName: string
  middleName?: string
  lastName: string
  /** ISO. */
  dob: string
}

interface Asked {
  query: (text: string, values: unknown[]) => Promise<{ rows: Record<string, string>[] }>
}

/** The lines that identify the requisition of a file. */
export const proofOf = async (owner: Asked, reqId: number): Promise<string> => {
  const { rows } = await owner.query(
    `select p.first_name || ' ' || p.last_name as name, p.dob::text from requisition r join patient p on p.id = r.patient_id where r.id = $1`,
    [reqId],
  )
  return `Requisition: #${reqId}\nPatient: ${rows[0]?.name}\nDOB: ${rows[0]?.dob}`
}

type Draw = (page: PDFKit.PDFDocument) => void

export const makePdf = (draw: Draw, options: PDFKit.PDFDocumentOptions = {}): Promise<Buffer> =>
  new Promise((done, fail) => {
    const page = new PDFDocument({ size: 'LETTER', margin: 40, ...options })
    const chunks: Buffer[] = []
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.once('end', () => done(Buffer.concat(chunks)))
    page.once('error', fail)
    draw(page)
    page.end()
  })

const us = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8)}/${iso.slice(0, 4)}`
const long = (iso: string) =>
  new Date(`${iso}T00:00:00Z`).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
const cells = (page: PDFKit.PDFDocument, y: number, ...texts: string[]) => {
  texts.forEach((text, index) => {
    page.text(text, 50 + index * 130, y, { lineBreak: false })
  })
}
const body: Draw = (page) => {
  cells(page, 300, 'Test', 'Result', 'Units', 'Interpretation')
  cells(page, 315, 'Cholesterol, total', '182', 'mg/dL', 'Normal')
  page.text(
    'Performed by Lakeside Laboratory, 410 Lake Ave, Madison WI 53703. Phone 16085550142. Patient was fasting.',
    50,
    700,
  )
}

/** The layouts in which laboratories print the patient of a report. */
export const layouts: Record<string, (person: ReportPerson) => Draw> = {
  rows:
    ({ reqId, firstName, lastName, dob }) =>
    (page) => {
      page.fontSize(9)
      cells(page, 96, 'Requisition', `#${reqId}`)
      cells(page, 109, 'Patient', `${firstName} ${lastName}   F   born ${dob}`)
      cells(page, 122, 'Collected', '11/02/2026 08:15 CST')
      body(page)
    },
  labels:
    ({ reqId, firstName, middleName, lastName, dob }) =>
    (page) => {
      page.fontSize(9)
      page.text(
        `Patient Name: ${lastName}, ${firstName}${middleName ? ` ${middleName}` : ''}   DOB: ${us(dob)}   Sex: F`,
        50,
        80,
      )
      page.text(`Req ID: ${reqId}   Collected: 11/02/2026`, 50, 95)
      body(page)
    },
  table:
    ({ reqId, firstName, lastName, dob }) =>
    (page) => {
      page.fontSize(9)
      cells(page, 80, 'Accession', 'Name', 'Date of Birth')
      cells(page, 93, String(reqId), `${lastName.toUpperCase()}, ${firstName.toUpperCase()}`, long(dob))
      body(page)
    },
  plain:
    ({ reqId, firstName, lastName, dob }) =>
    (page) => {
      page.fontSize(9)
      page.text(`${firstName} ${lastName}`, 50, 80)
      page.text(us(dob), 50, 95)
      page.text(`No. ${reqId}`, 50, 110)
      body(page)
    },
}

/** A scanned page; with the number as a bar code if there is one. */
export const makeScan = async (barCode: string | null): Promise<Buffer> => {
  const picture = await barCodePng(barCode ?? 'NO-NUMBER-HERE')
  return makePdf((page) => {
    // Without a bar code a blank picture represents a page without recognized text.
    if (barCode) page.image(picture, 60, 60, { width: 220 })
    else page.image(blank, 40, 40, { width: 400, height: 500 })
  })
}

const blank = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
  'base64',
)

let isPrepared = false

export const barCodePng = async (text: string): Promise<Buffer> => {
  if (!isPrepared) {
    const file = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm')
    prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(file)).buffer } })
    isPrepared = true
  }
  const { image, error } = await writeBarcode(text, { format: 'Code128', scale: 3 })
  if (!image) throw new Error(error)
  return Buffer.from(await image.arrayBuffer())
}

export const makeReport = (person: ReportPerson, layout = 'rows'): Promise<Buffer> =>
  makePdf((layouts[layout] as (typeof layouts)[string])(person))
