import PDFDocument from 'pdfkit'
import sharp from 'sharp'
import { picturesOf } from '../src/platform/ocr/pictures.ts'

/** A paper requisition as scanned, and its content. */
export interface SampleSheet {
  file: Buffer
  kind: 'pdf' | 'png' | 'jpeg'
  expected: Record<string, string>
}

interface Look {
  font: string
  size: number
  /** Degrees. */
  turn: number
  dpi: number
  /** Standard deviation of the noise, of 255. */
  noise: number
  kind: SampleSheet['kind']
}

interface Person {
  client: string
  physician: string
  last: string
  first: string
  dob: [printed: string, iso: string]
  sex: [printed: string, code: string]
  collected: [printed: string, iso: string]
  time: [printed: string, clock: string]
  order: string
  tests: string
}

const looks: readonly Look[] = [
  { font: 'Courier', size: 11, turn: 0, dpi: 150, noise: 0, kind: 'pdf' },
  { font: 'Helvetica', size: 11, turn: 1.5, dpi: 150, noise: 10, kind: 'jpeg' },
  { font: 'Times-Roman', size: 12, turn: -2, dpi: 200, noise: 12, kind: 'png' },
  { font: 'Courier-Bold', size: 11, turn: 3, dpi: 150, noise: 14, kind: 'jpeg' },
  { font: 'Helvetica-Bold', size: 10, turn: -3, dpi: 200, noise: 10, kind: 'pdf' },
  { font: 'Times-Bold', size: 12, turn: 2.5, dpi: 150, noise: 8, kind: 'png' },
  { font: 'Courier', size: 12, turn: -1, dpi: 300, noise: 18, kind: 'jpeg' },
  { font: 'Helvetica-Oblique', size: 11, turn: 0.7, dpi: 200, noise: 14, kind: 'jpeg' },
  { font: 'Times-Roman', size: 11, turn: 3, dpi: 200, noise: 10, kind: 'pdf' },
  { font: 'Courier', size: 10, turn: -2.2, dpi: 200, noise: 16, kind: 'png' },
]

const people: readonly Person[] = [
  ['Harbor Family Practice', 'Gregory Stone', 'Martinez', 'Elena', '03/05/1961', 'F', '11/08/2026', '10:05 AM'],
  ['Northside Cardiology', 'Amara Okafor', 'Johnson', 'William', '12/31/1948', 'M', '11/09/2026', '7:40 AM'],
  ['Lakeview Clinic', 'Susan Whitfield', 'Nguyen', 'Minh', '7/19/1983', 'M', '10/30/2026', '2:15 PM'],
  ['Riverbend Internal Medicine', 'Paul Brandt', 'Kowalski', 'Irene', '01/17/1955', 'F', '11/01/2026', '11:55 AM'],
  ['Cedar Hill Health', 'Helen Ives', 'Abernathy', 'George', '08/08/1938', 'M', '11/10/2026', '12:30 PM'],
  ['Summit Endocrine', 'Victor Delgado', 'Fitzgerald', 'Rose', '06/26/1972', 'F', '11/11/2026', '9:00 AM'],
  ['Bayfront Medical Group', 'Nadia Rahman', 'Schneider', 'Karl', '09/14/1966', 'M', '11/05/2026', '8:20 AM'],
  ['Maple Street Practice', 'Oliver Grant', 'Thompson', 'Daisy', '02/28/2001', 'F', '11/07/2026', '4:45 PM'],
  ['Pinecrest Associates', 'Laura Bennett', 'Alvarez', 'Hugo', '05/30/1990', 'M', '11/03/2026', '6:10 AM'],
  ['Westgate Wellness', 'Daniel Hart', 'Robinson', 'Ida', '10/02/1944', 'F', '11/12/2026', '1:25 PM'],
].map(([client, physician, last, first, dob, sex, day, time], index) => ({
  ...{ client, physician, last, first },
  dob: [dob, isoOf(dob)],
  sex: sex === 'F' ? ['Female', 'FEMALE'] : ['Male', 'MALE'],
  collected: [day, isoOf(day)],
  time: [time, clockOf(time)],
  order: `PO-${48_213 + 977 * index}`,
  tests: ['CHOL, HDL, LDL, TRIG', 'GLU, HBA1C', 'TSH', 'CHOL, TRIG'][index % 4],
})) as Person[]

function isoOf(text = '') {
  const [month = '', day = '', year = ''] = text.split('/')
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

function clockOf(text = '') {
  const [, hours = '', minutes = '', half = ''] = /^(\d+):(\d\d) (AM|PM)$/.exec(text) ?? []
  return `${String((Number(hours) % 12) + (half === 'PM' ? 12 : 0)).padStart(2, '0')}:${minutes}`
}

/** Ten sheets: printed and typed, straight and turned, clean and noisy, with the labels in changing order. */
export const sampleSheetCount = people.length
export const sampleSheet = (index: number): Promise<SampleSheet> =>
  sheetOf(people[index] as Person, looks[index] as Look, index)

const sheetOf = async (person: Person, look: Look, at: number): Promise<SampleSheet> => {
  const rows: [label: string, printed: string, name: string, value: string][] = [
    ['Client', person.client, 'clientName', person.client],
    ['Physician', person.physician, 'physicianName', person.physician],
    ['Last Name', person.last, 'patientLastName', person.last],
    ['First Name', person.first, 'patientFirstName', person.first],
    ['Date of Birth', person.dob[0], 'patientDob', person.dob[1]],
    ['Gender', person.sex[0], 'patientGenderCode', person.sex[1]],
    ['Date Collected', person.collected[0], 'dateCollected', person.collected[1]],
    ['Time Collected', person.time[0], 'timeCollected', person.time[1]],
    ['External Order ID', person.order, 'extOrderId', person.order],
    ['Tests', person.tests, 'testCodes', person.tests],
  ]
  const turned = [...rows.slice(at), ...rows.slice(0, at)]
  const page = await pageOf(
    turned.map(([label, printed]) => [label, printed]),
    look,
  )
  return {
    ...{ kind: look.kind, file: await scanned(page, look) },
    expected: Object.fromEntries(rows.map(([, , name, value]) => [name, value])),
  }
}

/** A sheet with these lines, `[label, printed]`, as a scanner gives it: a picture that is a little turned and has some noise. */
export const scannedSheet = async (rows: readonly (readonly [string, string])[]): Promise<Buffer> => {
  const look: Look = { font: 'Courier', size: 11, turn: 1, dpi: 200, noise: 8, kind: 'jpeg' }
  return scanned(await pageOf(rows, look), look)
}

/** The sheet as it was printed. */
const pageOf = (rows: readonly (readonly [string, string])[], { font, size }: Look): Promise<Buffer> =>
  new Promise((done) => {
    const doc = new PDFDocument({ size: 'LETTER', margin: 60 })
    const parts: Buffer[] = []
    doc.on('data', (part: Buffer) => parts.push(part)).on('end', () => done(Buffer.concat(parts)))
    doc
      .font(font)
      .fontSize(size + 5)
      .text('Laboratory Requisition', 72, 64)
    for (const [index, [label, printed]] of rows.entries()) {
      const top = 120 + index * (size + 16)
      doc.font(font).fontSize(size).text(`${label}:`, 72, top).text(printed, 240, top)
    }
    doc.end()
  })

/** The same from a scanner: turned, with noise, at its resolution. */
const scanned = async (page: Buffer, { turn, dpi, noise, kind }: Look): Promise<Buffer> => {
  const { page: picture } = await picturesOf(page, 'pdf', { maxPages: 1 })
  const sheet = await sharp(await picture(0))
    .resize({ width: Math.round(8.5 * dpi) })
    .png()
    .toBuffer()
  const turnedSheet = await sharp(sheet).rotate(turn, { background: '#ffffff' }).png().toBuffer()
  const noisy = sharp(turnedSheet)
    .toColourspace('srgb')
    .composite(noise === 0 ? [] : [{ input: await grainOf(noise), blend: 'soft-light', tile: true }])
  if (kind === 'png') return noisy.png().toBuffer()
  const jpeg = await noisy.jpeg({ quality: 75 }).toBuffer()
  return kind === 'jpeg' ? jpeg : wrapped(jpeg, dpi)
}

const grainOf = (sigma: number) =>
  sharp({
    create: {
      width: 509,
      height: 499,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma },
    },
  })
    .png()
    .toBuffer()

/** A PDF that is nothing but a picture, as scanners make them. */
const wrapped = async (jpeg: Buffer, dpi: number): Promise<Buffer> => {
  const { width, height } = await sharp(jpeg).metadata()
  const size: [number, number] = [(width * 72) / dpi, (height * 72) / dpi]
  return new Promise((done) => {
    const doc = new PDFDocument({ size, margin: 0 })
    const parts: Buffer[] = []
    doc.on('data', (part: Buffer) => parts.push(part)).on('end', () => done(Buffer.concat(parts)))
    doc.image(jpeg, 0, 0, { width: size[0], height: size[1] })
    doc.end()
  })
}

/** A PDF of blank pages. */
export const manyPages = (count: number): Promise<Buffer> =>
  new Promise((done) => {
    const doc = new PDFDocument({ size: 'LETTER' })
    const parts: Buffer[] = []
    doc.on('data', (part: Buffer) => parts.push(part)).on('end', () => done(Buffer.concat(parts)))
    for (let page = 1; page < count; page++) doc.addPage()
    doc.end()
  })
