import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PDFDict, PDFDocument, PDFHexString, PDFName, PDFString } from '@cantoo/pdf-lib'
import {
  BarcodeFormat,
  BinaryBitmap,
  DecodeHintType,
  HybridBinarizer,
  MultiFormatReader,
  RGBLuminanceSource,
} from '@zxing/library'
import sharp from 'sharp'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import type { ReportContent, ReportResult } from './content.ts'
import { ageText } from './content-text.ts'
import { encrypt, markSuperseded } from './pdf-edits.ts'
import { renderReport } from './report-pdf.ts'

const result = (over: Partial<ReportResult> = {}): ReportResult => ({
  code: 'CHOL',
  name: 'Cholesterol, total',
  loinc: '2093-3',
  value: '251',
  unit: 'mg/dL',
  range: '<= 199',
  flag: 'H',
  interpretation: 'Unfavorable',
  comment: null,
  failReasons: null,
  earlier: [
    { at: '2026-05-01T13:00:00Z', value: '240' },
    // In London it is December already.
    { at: '2025-12-01T01:00:00Z', zone: 'America/New_York', value: '188' },
  ],
  ...over,
})
const content = (over: Partial<ReportContent> = {}): ReportContent => ({
  requisitionId: 1_000_123,
  patient: { name: 'Doe, Jane', dob: '1970-01-02', sex: 'FEMALE', id: 7 },
  client: {
    name: 'Lakeside Family Medicine',
    id: 'C-0420',
    address: '410 Lake Ave, Madison, WI 53703',
    phone: '16085550142',
  },
  physician: { name: 'Paula Stone, MD', npi: '1234567893' },
  collaborator: { name: 'North Lab', nameFormat: 'REQID' },
  lab: {
    name: 'Main Laboratory',
    director: 'Dr. Ann Director',
    zone: 'America/New_York',
    address: '100 Science Way, Boston, MA 02108',
    phone: '16175550100',
    clia: '22D2104417',
    accreditations: ['CAP 7212345'],
  },
  collectedAt: '2026-11-01T13:00:00Z',
  collectedZone: 'America/Chicago',
  receivedAt: '2026-11-02T15:30:00Z',
  fasting: true,
  extOrderId: 'EXT-1',
  results: [result()],
  pending: [],
  ...over,
})
const info = { versionNo: 1, madeAt: new Date('2026-11-03T12:00:00Z') }
const pagesOf = async (bytes: Buffer) =>
  (await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false })).text

/** Draws the bars as the page does, black on white with a quiet zone, and lets a reader look at them. */
const readBars = (pdf: Buffer): string => {
  const bars = [...pdf.toString('latin1').matchAll(/([\d.]+) ([\d.]+) ([\d.]+) 24 re/g)].map(([, x, , width]) => ({
    from: Number(x),
    to: Number(x) + Number(width),
  }))
  const [scale, quiet] = [4, 60]
  const start = Math.min(...bars.map(({ from }) => from))
  const width = Math.round((Math.max(...bars.map(({ to }) => to)) - start) * scale) + 2 * quiet
  const height = 60
  const light = new Uint8ClampedArray(width * height).fill(255)
  for (const { from, to } of bars)
    for (let x = Math.round((from - start) * scale) + quiet; x < Math.round((to - start) * scale) + quiet; x++)
      for (let y = 0; y < height; y++) light[y * width + x] = 0
  const hints = new Map([[DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat.CODE_128]]])
  const reader = new MultiFormatReader()
  return reader
    .decode(new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(light, width, height))), hints)
    .getText()
}

/** What is still referenced: what only waits to be collected says nothing about a leak. */
const memoryInUse = () => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('renderReport', () => {
  it('prints the record of the laboratory: address, phone, CLIA number, accreditations and director', async () => {
    const [text = ''] = await pagesOf(await renderReport(content(), info))
    for (const part of [
      '100 Science Way, Boston, MA 02108',
      'Phone (617) 555-0100',
      'CLIA 22D2104417',
      'CAP 7212345',
      'Laboratory director: Dr. Ann Director',
    ])
      expect(text).toContain(part)
  })

  it('SOUT-06 prints what was examined, each kind of specimen once', async () => {
    const serum = { type: 'Serum', container: 'Serum separator tube (gold)' }
    const specimens = [serum, { type: 'Whole blood', container: 'EDTA tube (lavender)' }, serum]
    const textOf = async (over: Partial<ReportContent>) => (await pagesOf(await renderReport(content(over), info)))[0]
    expect((await textOf({ specimens }))?.replace(/\s+/g, ' ')).toContain(
      'Specimen Serum, Serum separator tube (gold); Whole blood, EDTA tube (lavender)',
    )
    // Content from before specimens were stored.
    expect(await textOf({})).not.toContain('Specimen')
  })

  it('SOUT-06 says where no reference interval is established, for numbers without an interpretation only', async () => {
    const bare = { range: '', flag: '' as const, interpretation: null, earlier: [] }
    const textOf = async (over: Partial<ReportResult>) =>
      (await pagesOf(await renderReport(content({ results: [result({ ...bare, ...over })] }), info))).join(' ')
    expect(await textOf({})).toMatch(/Not\s+established/)
    expect(await textOf({ value: 'Positive' })).not.toMatch(/Not\s+established/)
    expect(await textOf({ interpretation: 'Normal' })).not.toMatch(/Not\s+established/)
    expect(await textOf({ range: '<= 199' })).not.toMatch(/Not\s+established/)
  })

  it('SOUT-06 names the laboratory of each test that another one has performed, with its address, CLIA number and director', async () => {
    const performedBy = {
      name: 'Cascade Reference Laboratory',
      director: 'Dr. Otto Reference',
      zone: 'America/Los_Angeles',
      address: '9 Hill Road, Portland, OR 97201',
      clia: '38D2104418',
      accreditations: [],
    }
    const results = [result({ code: 'A', name: 'Albumin', performedBy }), result({ performedBy: null })]
    const [text = ''] = await pagesOf(await renderReport(content({ results }), info))
    expect(text.match(/Performed by/g)).toHaveLength(1)
    expect(text.indexOf('Performed by Cascade Reference Laboratory')).toBeLessThan(text.indexOf('Cholesterol'))
    expect(text).toContain('Cascade Reference Laboratory: 9 Hill Road, Portland, OR 97201')
    expect(text).toContain('CLIA 38D2104418')
    expect(text).toContain('Laboratory director: Dr. Otto Reference')
  })

  it('BENCH-30 prints below a result why it was added, beside its comment and the call about it', async () => {
    const notes = { comment: 'Diluted', reflexCause: 'Cholesterol, total 250' }
    const [text = ''] = await pagesOf(await renderReport(content({ results: [result(notes)] }), info))
    expect(text).toContain('Diluted')
    expect(text).toContain('Reflex test, added because of Cholesterol, total 250')
  })

  it('DELIV-01 prints patient, physician and results, which can be read back unchanged', async () => {
    const [text = ''] = await pagesOf(await renderReport(content(), info))
    for (const part of [
      'Main Laboratory',
      'Doe, Jane',
      'Female',
      'born 01/02/1970',
      'Accession # 1000123',
      'Lakeside Family Medicine',
      'C-0420',
      '410 Lake Ave, Madison, WI 53703',
      'Paula Stone, MD',
      '11/01/2026 07:00 CST',
      '11/02/2026 10:30 EST',
      'Cholesterol, total',
      '251',
      'mg/dL',
      '≤ 199',
      'Unfavorable',
      '240 (05/2026), 188 (11/2025)',
      'Laboratory director: Dr. Ann Director',
      'Page 1 of 1',
      'Version 1',
    ])
      expect(text).toContain(part)
  })

  it.each(['Иванова, Мария', 'Παπαδοπούλου, Ελένη', 'Nguyễn, Thị Ánh', 'Żółć, Łucja Çelik Griffith'])(
    'DELIV-01 writes the name %s with its own letters',
    async (name) => {
      const named = content({ patient: { ...content().patient, name }, results: [result({ unit: 'μIU/mL' })] })
      const [text = ''] = await pagesOf(await renderReport(named, info))
      expect(text).toContain(name)
      expect(text).toContain('μIU/mL')
      expect(text).not.toContain('?')
    },
  )

  it('SOUT-07 embeds every font that it names, also beside the place of the seal', async () => {
    const pdf = (await renderReport(content(), { ...info, sealReason: 'Reviewed and approved' }, false)).toString(
      'latin1',
    )
    expect(pdf).toContain('/AcroForm')
    const names = [...pdf.matchAll(/\/BaseFont \/([^\s/]+)/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(name).toMatch(/^[A-Z]{6}\+/)
  })

  it('prints names in other scripts on the same line', async () => {
    const heightOf = async (name: string) => {
      const named = content({ patient: { ...content().patient, name } })
      const pdf = await getDocumentProxy(new Uint8Array(await renderReport(named, info)))
      const { items } = await (await pdf.getPage(1)).getTextContent()
      return items.flatMap((item) => ('str' in item && item.str.startsWith(name) ? [item.transform[5] as number] : []))
    }
    const [latin] = await heightOf('Doe, Jane')
    expect((await heightOf('Иванова'))[0]).toBeCloseTo(latin as number, 1)
  })

  it('keeps rows apart with any script and any number of values', async () => {
    const earlier = ['9876.5', '9876.6', '9876.7'].map((value) => ({ at: '2026-05-01T13:00:00Z', value }))
    const results = [
      result({ name: 'HEMOGLOBIN WWWWWWWWW MMMMMMMM', value: '1', earlier }),
      result({ name: 'Second', value: '2', earlier: [] }),
    ]
    const pdf = await getDocumentProxy(new Uint8Array(await renderReport(content({ results }), info)))
    const { items } = await (await pdf.getPage(1)).getTextContent()
    const heightsOf = (pattern: RegExp) =>
      items.flatMap((item) => ('str' in item && pattern.test(item.str) ? [item.transform[5] as number] : []))
    // Measured from the bottom of the page: all of the first row is above the second.
    const second = Math.max(...heightsOf(/^Second$/))
    for (const part of [/WWW/, /MMM/, /9876/])
      for (const height of heightsOf(part)) expect(height).toBeGreaterThan(second + 7)
    expect(heightsOf(/9876/).length).toBeGreaterThan(1)
  })

  it('prints the accession number as a readable bar code', async () => {
    expect(readBars(await renderReport(content(), info, false))).toBe('1000123')
  })

  it('continues over pages, each with the patient, its number and the bar code', async () => {
    const results = Array.from({ length: 90 }, (_, n) => result({ name: `Test number ${n}`, value: String(n) }))
    const pages = await pagesOf(await renderReport(content({ results }), info))
    expect(pages.length).toBeGreaterThan(2)
    pages.forEach((text, index) => {
      expect(text).toContain('Doe, Jane')
      expect(text).toContain(`Page ${index + 1} of ${pages.length}`)
      expect(text).toContain(`Outside the normal range${index === 0 ? '\n' : ', continued\n'}`)
    })
    for (let n = 0; n < 90; n++) expect(pages.join('\n')).toContain(`Test number ${n}`)
  })

  it('cuts nothing off: long names, comments, reasons and texts wrap', async () => {
    const long = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ')
    const wide = content({
      client: { ...content().client, name: `Practice ${long}` },
      results: [result({ name: `Name ${long}`, value: long, comment: `Comment ${long}` })],
      pending: Array.from({ length: 30 }, (_, n) => `Pending test ${n}`),
    })
    const change = `Cholesterol changed from ${long} to something else`
    const text = (
      await pagesOf(
        await renderReport(wide, {
          ...info,
          versionNo: 2,
          correction: { replacesVersionNo: 1, reason: long, changes: [change] },
        }),
      )
    )
      .join(' ')
      .replace(/\s+/g, ' ')
    for (const part of [
      'word39',
      'to something else',
      'Pending test 29',
      'CORRECTED LABORATORY REPORT',
      'replaces version 1',
    ])
      expect(text).toContain(part)
    expect(text.split('word39').length - 1).toBe(6)
  })

  it('never prints into the footer, wherever the results end', async () => {
    const pending = Array.from({ length: 60 }, (_, n) => `Pending test ${n}`)
    const changes = Array.from({ length: 12 }, (_, n) => `Test ${n} changed from ${'some long words '.repeat(20)} to 5`)
    for (let count = 18; count < 34; count++) {
      const results = Array.from({ length: count }, (_, n) => result({ name: `Test number ${n}` }))
      const correction = { replacesVersionNo: 1, reason: 'x', changes: changes.slice(0, count % 12) }
      const corrected = { ...info, versionNo: 2, correction }
      const pdf = await getDocumentProxy(
        new Uint8Array(await renderReport(content({ results, pending }), count % 2 ? corrected : info)),
      )
      for (let number = 1; number <= pdf.numPages; number++) {
        const { items } = await (await pdf.getPage(number)).getTextContent()
        const low = items.flatMap((item) =>
          'str' in item && item.str.trim() !== '' && item.transform[5] < 60 ? [item.str] : [],
        )
        expect(low.join(' '), `${count} results, page ${number}`).toBe(
          `Main Laboratory Accession # 1000123 Version ${count % 2 ? 2 : 1} Page ${number} of ${pdf.numPages}`,
        )
      }
    }
  })

  it('SOUT-08 prints what is abnormal first, then the comments on the order, then the rest', async () => {
    const results = [
      result({ code: 'A', name: 'Albumin', flag: '', value: '4.1', earlier: [] }),
      result({ code: 'B', name: 'Bilirubin', flag: 'H', value: '2.2', comment: 'Hemolyzed' }),
      result({ code: 'C', name: 'Calcium', flag: '', value: '9.1', earlier: [] }),
      result({ code: 'D', name: 'Glucose', flag: 'L', value: '41' }),
    ]
    const [text = ''] = await pagesOf(
      await renderReport(content({ results, comments: ['Non-fasting specimen'] }), info),
    )
    const order = [
      'Outside the normal range',
      'Bilirubin 2.2 H',
      '240 (05/2026)',
      'Hemolyzed',
      'Glucose 41 L',
      'Comment: Non-fasting specimen',
      'Other results',
      'Albumin 4.1',
      'Calcium 9.1',
    ].map((part) => text.indexOf(part))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order).not.toContain(-1)
  })

  it('SOUT-08 prints borderline limits and the age, and limits with ≤ and ≥', async () => {
    const results = [result({ borderline: '200 - 239' }), result({ name: 'HDL', range: '>= 40', flag: 'L' })]
    const [text = ''] = await pagesOf(await renderReport(content({ results }), info))
    for (const part of ['≤ 199', '≥ 40', 'Borderline', '200 - 239', 'Female', 'born 01/02/1970 (56 years)'])
      expect(text).toContain(part)
    expect(text).not.toMatch(/[<>]=/)
  })

  it.each([
    ['1970-01-02', '56 years'],
    ['2024-11-01', '2 years'],
    ['2024-11-02', '23 months'],
    ['2026-09-15', '6 weeks'],
    ['2026-10-30', '2 days'],
  ])('SOUT-08 gives the age of a patient born %s as %s', (dob, text) => {
    expect(ageText(dob, '2026-11-01T13:00:00Z', 'America/Chicago')).toBe(text)
  })

  describe('SOUT-08 tags', () => {
    interface Node {
      role?: string
      alt?: string
      children?: Node[]
    }
    const rolesIn = (node: Node | null): string[] =>
      node ? [node.role ?? '', ...(node.children ?? []).flatMap(rolesIn)].filter(Boolean) : []
    const read = async (bytes: Uint8Array, password?: string) => {
      const pdf = await getDocumentProxy(new Uint8Array(bytes), password ? { password } : {})
      const trees: Node[] = []
      for (let number = 1; number <= pdf.numPages; number++)
        trees.push((await (await pdf.getPage(number)).getStructTree()) as Node)
      const { info: about } = (await pdf.getMetadata()) as unknown as { info: Record<string, unknown> }
      return { about, marks: await pdf.getMarkInfo(), trees, preferences: await pdf.getViewerPreferences() }
    }
    const results = Array.from({ length: 70 }, (_, n) => result({ name: `Test number ${n}`, flag: n < 3 ? 'H' : '' }))

    it('SOUT-08 marks headings, paragraphs and tables, the language, and a title without the name', async () => {
      const { about, marks, trees, preferences } = await read(await renderReport(content({ results }), info))
      expect(marks).toMatchObject({ Marked: true })
      expect(preferences).toMatchObject({ DisplayDocTitle: true })
      expect(about).toMatchObject({ Language: 'en-US', Title: 'Laboratory report 1000123' })
      expect(JSON.stringify(about)).not.toContain('Doe')
      const roles = rolesIn(trees[0] as Node)
      expect(new Set(roles)).toEqual(new Set(['Root', 'Document', 'H1', 'P', 'H2', 'Table', 'TR', 'TH', 'TD']))
      expect(roles.filter((role) => role === 'H1')).toHaveLength(1)
      expect(roles.filter((role) => role === 'TH')).toHaveLength(16)
      // The head of a further page is repeated, not content.
      expect(trees.length).toBeGreaterThan(1)
      expect(rolesIn(trees[1] as Node)).not.toContain('H1')
      expect(rolesIn(trees[1] as Node)).toContain('TD')
    })

    /** What the tags say instead of the letters as they are drawn. */
    const actualTextsIn = async (bytes: Uint8Array, password?: string): Promise<string[]> => {
      const pdf = await PDFDocument.load(bytes, password ? { password } : {})
      return pdf.context.enumerateIndirectObjects().flatMap(([, object]) => {
        const text = object instanceof PDFDict ? object.lookup(PDFName.of('ActualText')) : undefined
        return text instanceof PDFString || text instanceof PDFHexString ? [text.decodeText()] : []
      })
    }

    it.each(['الأحمد, محمد', 'כהן, שרה', 'शर्मा, अनिता'])(
      'SOUT-07 hold the name %s in its logical order, also in copies',
      async (name) => {
        const patient = { name, dob: '1970-01-02', sex: 'FEMALE', id: 7 }
        const pdf = await renderReport(content({ patient }), info)
        for (const texts of [
          await actualTextsIn(pdf),
          await actualTextsIn(await markSuperseded(pdf, 1, null)),
          await actualTextsIn(await encrypt(pdf, 'secret'), 'secret'),
        ])
          expect(texts.join('\n').normalize('NFC')).toContain(name)
        expect(await actualTextsIn(await renderReport(content(), info))).toEqual([])
      },
    )

    it('SOUT-08 stay in copies that are marked as superseded or protected', async () => {
      const pdf = await renderReport(content({ results }), info)
      for (const copy of [
        await read(await markSuperseded(pdf, 1, null)),
        await read(await encrypt(pdf, 'secret'), 'secret'),
      ]) {
        expect(copy.marks).toMatchObject({ Marked: true })
        expect(copy.about).toMatchObject({ Language: 'en-US', Title: 'Laboratory report 1000123' })
        expect(rolesIn(copy.trees[0] as Node)).toContain('TD')
      }
    })

    it("SOUT-08 prints the collaborator's wording and logo, which says whose it is", async () => {
      const picture = await sharp({ create: { width: 300, height: 120, channels: 3, background: '#c02030' } })
        .jpeg()
        .toBuffer()
      const named = content({
        collaborator: { name: 'North Lab', nameFormat: 'REQID', wording: 'Reported for North Lab by its partner.' },
      })
      const pdf = await renderReport(named, { ...info, logo: picture }, false)
      const [text] = await pagesOf(pdf)
      expect(text).toContain('Reported for North Lab by its partner.')
      expect(pdf.includes(picture)).toBe(true)
      const figures = ({ role, alt, children = [] }: Node): (string | undefined)[] => [
        ...(role === 'Figure' ? [alt] : []),
        ...children.flatMap(figures),
      ]
      expect((await read(pdf)).trees.flatMap(figures)).toEqual(['Logo of North Lab'])
    })
  })

  it('says why there is no result, and that a report is partial', async () => {
    const [text] = await pagesOf(
      await renderReport(
        content({ results: [result({ value: '', failReasons: 'Quantity not sufficient' })], pending: ['HDL'] }),
        info,
      ),
    )
    expect(text).toContain('Not reported: Quantity not sufficient')
    expect(text).toContain('Partial laboratory report')
    expect(text).toContain('Partial report. Still in work: HDL')
  })

  it('renders more than 30 a second with constant memory', async () => {
    const results = Array.from({ length: 16 }, (_, n) => result({ name: `Test number ${n}` }))
    // One name in four needs a font of its own in the file.
    const names = ['Doe, Jane', 'Roe, John', 'Größ, Zoë', 'Nguyễn, Мария']
    const render = (n: number) => {
      const patient = { ...content().patient, name: names[n % names.length] as string }
      return renderReport(content({ requisitionId: 1_000_000 + n, patient, results }), info)
    }
    // A server renders all day: compiling the code and reading the fonts are not part of it.
    for (let n = 0; n < 50; n++) await render(n)
    // Time of a processor, not of the clock: what else runs on the machine does not count.
    const started = process.cpuUsage()
    let middle = 0
    for (let n = 0; n < 400; n++) {
      await render(n)
      if (n === 150) middle = memoryInUse()
    }
    const { user, system } = process.cpuUsage(started)
    const spentMs = (user + system) / 1000
    const grownMegabytes = (memoryInUse() - middle) / 2 ** 20
    console.info(
      `reports: ${(400_000 / spentMs).toFixed(0)} a second on one core, ${grownMegabytes.toFixed(0)} MB more after the last 250`,
    )
    expect(spentMs).toBeLessThan(onQuietMachine(400_000 / 30))
    expect(grownMegabytes).toBeLessThan(100)
  })
})
