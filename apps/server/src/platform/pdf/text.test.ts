import { PDFDocument as OpenedPdf, PDFDict, PDFName } from '@cantoo/pdf-lib'
import PDFDocument from 'pdfkit'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { labelsAsPdf } from '../../modules/labels/label-pdf.ts'
import { tableAsPdf } from '../../modules/schedules/table-pdf.ts'
import { renderDossier } from '../../modules/sign-out/dossier-pdf.ts'
import { drawText, heightOfText, widthOfText } from './text.ts'
import { layOut } from './text-layout.ts'

const drawn = (...texts: string[]) =>
  new Promise<Buffer>((done) => {
    const page = new PDFDocument({ size: 'LETTER', margin: 0 })
    const parts: Buffer[] = []
    page.on('data', (part: Buffer) => parts.push(part))
    page.on('end', () => done(Buffer.concat(parts)))
    texts.forEach((text, index) => {
      drawText(page, text, 48, 48 + index * 30, { isBold: index % 2 === 1 })
    })
    page.end()
  })
const directionMarks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const textOf = async (pdf: Buffer) => {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: true })
  return text.normalize('NFC').replace(directionMarks, '')
}
/** Each font of a file with what it is, whether the file has it, and whether its characters are known. */
const fontsIn = async (pdf: Buffer) => {
  const { context } = await OpenedPdf.load(pdf)
  const dicts = context.enumerateIndirectObjects().flatMap(([, object]) => (object instanceof PDFDict ? [object] : []))
  const named = (dict: PDFDict, entry: string) => dict.get(PDFName.of(entry))?.toString()
  const fonts = dicts.filter((dict) => named(dict, 'Type') === '/Font' && named(dict, 'Subtype') !== '/CIDFontType2')
  const isEmbedded = dicts
    .filter((dict) => named(dict, 'Type') === '/FontDescriptor')
    .every((dict) => dict.has(PDFName.of('FontFile2')))
  return fonts.map((dict) => ({
    name: named(dict, 'BaseFont')?.replace(/^\/[A-Z]{6}\+/, ''),
    isSubset: /^\/[A-Z]{6}\+/.test(named(dict, 'BaseFont') ?? ''),
    hasUnicode: dict.has(PDFName.of('ToUnicode')),
    isEmbedded,
  }))
}
const names = [
  '王, 小明',
  '山田, さくら',
  '김, 민수',
  '黃, 龍',
  'الأحمد, محمد',
  'כהן, שרה',
  'शर्मा, अमित',
  'น้ำทิพย์, สมชาย',
  'Nguyễn, Thị Ánh',
  'Иванова, Мария',
  'Doe, Jane',
]

describe('texts in every script', () => {
  it.each(names)('SOUT-07 can be taken out of the file as they were written: %s', async (name) => {
    const text = await textOf(await drawn(name, `${name}   Female   born 01/02/1970 (56 years)`, `Patient ${name}`))
    expect(text.split(name)).toHaveLength(4)
  })

  it('SOUT-07 embed every font as a subset with its characters, and only fonts that the text needs', async () => {
    const fonts = await fontsIn(await drawn(...names))
    for (const font of fonts) expect(font).toMatchObject({ isSubset: true, hasUnicode: true, isEmbedded: true })
    expect(fonts.length).toBeGreaterThan(8)
    const western = await fontsIn(await drawn('Doe, Jane', 'Größ, Zoë'))
    expect(western.map(({ name }) => name)).toEqual(['Arimo-Regular', 'Arimo-Bold'])
    const pdf = await drawn('王, 小明')
    expect((await fontsIn(pdf)).map(({ name }) => name)).toEqual(['NotoSansSC-Regular', 'Arimo-Regular'])
    expect(pdf.length).toBeLessThan(20_000)
  })

  const glyphsOf = (text: string) =>
    layOut(text, false)
      .flatMap(({ runs }) => runs)
      .flatMap(({ glyphs }) => glyphs)
      .map(({ glyph }) => glyph)
  const read = (text: string) =>
    glyphsOf(text)
      .map((glyph) => glyph.text)
      .join('')

  it('SOUT-07 are drawn from right to left if read so, with numbers and Latin words from left to right', () => {
    expect(read('אבג')).toBe('גבא')
    expect(read('ID אבג 12')).toBe('ID 12 גבא')
    expect(read('אב (גד) Sarah')).toBe(')דג( בא Sarah')
  })

  it('SOUT-07 turn a bracket round that opens from the right', () => {
    const outline = (text: string, letter: string) => glyphsOf(text).find((glyph) => glyph.text === letter)?.outline
    expect(outline('אב (גד)', '(')).toEqual(outline('a)', ')'))
  })

  it.each([
    ['لا', 'two letters of Arabic that join are narrower than single ones'],
    ['क्ष', 'a conjunct of Devanagari is narrower than its letters'],
  ])('SOUT-07 are shaped: %s, %s', (word) => {
    const single = Array.from(word).reduce((sum, letter) => sum + widthOfText(letter, {}), 0)
    expect(widthOfText(word, {})).toBeLessThan(single * 0.95)
  })

  it('SOUT-07 wrap, also without spaces', () => {
    expect(heightOfText('王小明'.repeat(20), { width: 100 })).toBeGreaterThan(40)
    expect(heightOfText('محمد الأحمد '.repeat(8), { width: 100 })).toBeGreaterThan(30)
    for (const { width } of layOut('สมชาย'.repeat(30), false, 5000)) expect(width).toBeLessThanOrEqual(5001)
  })
})

describe('a character that no font has', () => {
  const strange = 'Ann \u{13000}'
  const message = /No font here can print \u{13000}/u

  it('SOUT-07 refuses labels, tables and dossiers with 409, and is named', async () => {
    const label = { barCode: '1', title: strange, lines: [], codeLines: [] }
    for (const make of [
      async () => labelsAsPdf('BARCODE', [label]),
      async () => tableAsPdf({ title: 'List', headers: ['Name'], rows: [[strange]] }),
      async () => renderDossier({ requisition: { patient: strange } }, 1),
    ])
      await expect(make()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(message) })
  })

  it('SOUT-07 is not needed for a name on a label', async () => {
    const label = { barCode: '1', title: 'الأحمد, محمد', lines: ['王, 小明'], codeLines: ['शर्मा'] }
    const text = await textOf(await labelsAsPdf('BARCODE', [label]))
    for (const name of ['الأحمد, محمد', '王, 小明', 'शर्मा']) expect(text).toContain(name)
  })
})
