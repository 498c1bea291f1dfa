import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { inflateSync } from 'node:zlib'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { openTestApp } from '../../../test/app.ts'
import { appendToChain, openConcurrentTransaction, untilBlocked } from '../../../test/concurrent-transaction.ts'

// A real printer as far as the product can tell: it listens, takes everything, and closes.
const received: string[] = []
const printer = createServer((socket) => {
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (part) => {
    text += part
  })
  socket.on('end', () => received.push(text))
})
const port = 20_000 + (process.pid % 20_000)
const test = openTestApp({ env: { LABEL_PRINTER: `127.0.0.1:${port}` } })

beforeAll(async () => {
  await new Promise<void>((done) => printer.listen(port, '127.0.0.1', done))
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(file)).buffer } })
})
afterAll(() => void printer.close())

const ordered = async (testCodes: readonly string[], over: Parameters<typeof test.given.requisition>[0] = {}) => {
  const patient = await test.given.patient({ first_name: 'Zoë', last_name: 'Größ', dob: '1960-01-02' })
  const requisition = await test.given.requisition({
    patient_id: patient.id,
    collected_at: '2026-11-09T03:05:00Z',
    collected_zone: 'America/Los_Angeles',
    ...over,
  })
  for (const code of testCodes) {
    const { id } = await test.database.db
      .selectFrom('test')
      .select('id')
      .where('code', '=', code)
      .executeTakeFirstOrThrow()
    await test.given.store('requisition_test', { requisition_id: requisition.id, test_id: id })
  }
  return requisition.id
}

const fetchFile = async (url: string) => {
  const { pathname, search } = new URL(url, 'http://localhost')
  return (await test.app.inject({ url: pathname + search })).rawPayload
}

/** Draws the bars of each page of the file, black on white, and lets a reader look at them. */
const barCodesIn = async (pdf: Buffer): Promise<string[]> => {
  const found: string[] = []
  const scale = 8
  for (const page of contentsOf(pdf)) {
    const bars = [...page.matchAll(/([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re/g)].map((match) =>
      match.slice(1).map(Number),
    )
    const [width, height] = [144 * scale, 72 * scale]
    const data = new Uint8ClampedArray(width * height * 4).fill(255)
    for (const [x = 0, y = 0, w = 0, h = 0] of bars)
      for (let row = Math.round(y * scale); row < Math.round((y + h) * scale); row++)
        for (let column = Math.round(x * scale); column < Math.round((x + w) * scale); column++)
          data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3)
    const [code] = await readBarcodes({ data, width, height } as unknown as Blob, {
      formats: ['Code128'],
      tryHarder: true,
    })
    found.push(code?.text ?? 'unreadable')
  }
  return found
}

const contentsOf = (pdf: Buffer): string[] =>
  [...pdf.toString('latin1').matchAll(/\/Filter \/FlateDecode\s*>>\s*stream\r?\n/g)].flatMap((match) => {
    const from = match.index + match[0].length
    const content = inflateSync(pdf.subarray(from, pdf.indexOf('endstream', from))).toString('latin1')
    return content.includes(' re') ? [content] : []
  })

const textsOf = async (pdf: Buffer) =>
  (await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: false })).text

const print = async (reqIds: readonly number[], labelType: string, output: string, over: object = {}) =>
  (await test.as('STF')).post('labels/print', { reqIds, labelType, output, ...over })

describe('bar code labels', () => {
  it('are six per requisition, with S on the fifth and DP on the sixth where it is ordered, LIST-234..LIST-236', async () => {
    const plain = await ordered(['CHOL'])
    const withDp = await ordered(['DP'])
    const { body } = await print([plain, withDp], 'BARCODE', 'PDF')
    expect(body.data.labelCount).toBe(12)
    const titles = (await textsOf(await fetchFile(body.data.url))).map((text) => /^\d+(?:DP|S)?/.exec(text)?.[0])
    expect(titles).toEqual([
      ...Array(4).fill(`${plain}`),
      `${plain}S`,
      `${plain}`,
      ...Array(4).fill(`${withDp}`),
      `${withDp}S`,
      `${withDp}DP`,
    ])
  })

  it('can be scanned again: the bars hold the accession number, in a page of exactly the label', async () => {
    const id = await ordered(['CHOL', 'DP'])
    const { body } = await print([id], 'BARCODE', 'PDF')
    const pdf = await fetchFile(body.data.url)
    expect(await barCodesIn(pdf)).toEqual(Array(6).fill(String(id)))
    expect([...pdf.toString('latin1').matchAll(/\/MediaBox \[([^\]]*)\]/g)].map(([, box]) => box)).toEqual(
      Array(6).fill('0 0 144 72'),
    )
  })

  it('name each of many tests, in the file and for the printer, LIST-237', async () => {
    const codes = 'A1C,APOA1,APOB,APOBA1,CHOL,CHOLHDL,HDL,HSCRP,LDL,LPA,NONHDL,SDLDL,TRIG,VLDL'
    const id = await ordered(codes.split(','))
    const { body } = await print([id], 'BARCODE', 'PDF')
    const texts = await textsOf(await fetchFile(body.data.url))
    expect(texts).toHaveLength(6)
    for (const text of texts) {
      expect(text.split(/Col \d\d\/\d\d\/\d\d/)[1]?.replace(/\s/g, '')).toBe(codes)
      expect(text).not.toContain('...')
    }
    const zpl = (await fetchFile((await print([id], 'BARCODE', 'ZPL')).body.data.url)).toString('utf8')
    const [first = ''] = zpl.split('^XZ')
    const lines = [...first.matchAll(/\^FH_\^FD(.*)\^FS/g)].map(([, text]) => text)
    expect(lines.slice(3).join('')).toBe(codes)
  })

  it('name patient, birth date, day of collection where it was, and the tests in two lines, LIST-237 LIST-238', async () => {
    const id = await ordered(['CHOL', 'HDL', 'TRIG'])
    const { body } = await print([id], 'BARCODE', 'PDF')
    const [first] = await textsOf(await fetchFile(body.data.url))
    expect(first).toContain('Größ, Zoë')
    expect(first).toContain('DOB 01/02/60')
    expect(first).toContain('Col 11/08/26')
    const zpl = (await fetchFile((await print([id], 'BARCODE', 'ZPL')).body.data.url)).toString('utf8')
    const lines = [...zpl.matchAll(/\^FH_\^FD(.*)\^FS/g)].map(([, text]) => text)
    expect(lines[3]).toHaveLength(9)
    expect([lines[3], lines[4]].join('')).toBe('CHOL,HDL,TRIG')
  })
})

describe('a name in other letters', () => {
  it.each([
    ['Иванова', 'Мария', 'Иванова, Мария'],
    ['Nguyễn', 'Thị Ánh', 'Nguyễn, Thị Ánh'],
    ['王', '小明', '王, 小明'],
    ['الأحمد', 'محمد', 'الأحمد, محمد'],
    ['शर्मा', 'अमित', 'शर्मा, अमित'],
  ])('%s, %s is printed on the label as %s', async (last_name, first_name, shown) => {
    const patient = await test.given.patient({ first_name, last_name })
    const id = await ordered(['CHOL'], { patient_id: patient.id })
    const { body } = await print([id], 'BARCODE', 'PDF')
    const pdf = await fetchFile(body.data.url)
    for (const text of await textsOf(pdf)) expect(text).toContain(shown)
    expect(await barCodesIn(pdf)).toEqual(Array(6).fill(String(id)))
  })

  it('SOUT-07 is refused where no font has its letters, and they are named', async () => {
    const patient = await test.given.patient({ first_name: 'Li', last_name: 'ᏣᎳᎩ' })
    const { status, body } = await print([await ordered(['CHOL'], { patient_id: patient.id })], 'BARCODE', 'PDF')
    expect([status, body.message]).toEqual([409, expect.stringContaining('No font here can print Ꮳ Ꮃ Ꭹ in')])
  })
})

describe('cryo labels', () => {
  it('are as many as the requisition says, with number, birth date and flag, LIST-232 LIST-233', async () => {
    const id = await ordered([], { cryo_print_nbr: 3, cryo_flag: 'C' })
    const { body } = await print([id], 'CRYO', 'PDF')
    const pdf = await fetchFile(body.data.url)
    expect(await textsOf(pdf)).toEqual(Array(3).fill(`${id}_010260C`))
    expect(await barCodesIn(pdf)).toEqual(Array(3).fill(String(id)))
    expect(pdf.toString('latin1')).toContain('/MediaBox [0 0 92.16 36]')
  })

  it('can be printed of a requisition that does not say how many, as every order that is entered here, LIST-232 LIST-233', async () => {
    const staff = await test.as('STF')
    const { body: made } = await staff.post('requisitions', await test.given.requisitionBody())
    const plain = made.data.id
    const counted = await ordered([], { cryo_print_nbr: 3, cryo_flag: 'C' })
    const { body } = await print([plain, counted], 'CRYO', 'PDF', { cryoCount: 2 })
    expect(body.data.labelCount).toBe(5)
    expect(await textsOf(await fetchFile(body.data.url))).toEqual([
      ...Array(2).fill(`${plain}_010260`),
      ...Array(3).fill(`${counted}_010260C`),
    ])
    const { status, body: refused } = await print([plain], 'CRYO', 'PDF', { cryoCount: 21 })
    expect([status, refused.message]).toEqual([400, 'Labels per requisition must be 1 to 20'])
  })

  it('are none where none are wanted, and that is said', async () => {
    const { status, body } = await print([await ordered(['CHOL'])], 'CRYO', 'PDF')
    expect([status, body.message]).toEqual([400, 'No cryo labels are to be printed for this selection'])
  })
})

describe('the label printer, LIST-231', () => {
  it('gets the labels in its own language, names as names and not as commands', async () => {
    const patient = await test.given.patient({ first_name: '^XZ~JA_', last_name: 'Nguyễn' })
    const id = await ordered(['CHOL'], { patient_id: patient.id })
    received.length = 0
    const { status, body } = await print([id], 'BARCODE', 'PRINTER')
    expect([status, body.message, body.data.url]).toEqual([200, '6 labels sent to the printer', null])
    await expect.poll(() => received.length).toBe(1)
    const [zpl = ''] = received
    expect(zpl.match(/\^XA/g)).toHaveLength(6)
    expect(zpl.match(/\^XZ/g)).toHaveLength(6)
    expect(zpl).toContain(`^BCN,62,N,N,N,A^FD${id}^FS`)
    expect(zpl).toContain('^PW406^LL203')
    expect(zpl).toContain('Nguyễn, _5EXZ_7EJA_5F')
    const rows = await test.database.db
      .selectFrom('audit_entry')
      .select('action')
      .where('requisition_id', '=', id)
      .execute()
    expect(rows).toEqual([{ action: 'LABEL' }])
    const { body: life } = await (await test.as('STF')).get(`requisitions/${id}/specimens/life_line`)
    expect(life.data.at(-1)).toMatchObject({
      kind: 'LABELLED',
      title: 'Labels printed',
      detail: '6 bar code labels',
    })
  })

  it('records no printing for labels sent as a file', async () => {
    const id = await ordered(['CHOL'])
    await print([id], 'BARCODE', 'PDF')
    const staff = await test.as('STF')
    const { body: life } = await staff.get(`requisitions/${id}/specimens/life_line`)
    expect(life.data.at(-1)).toMatchObject({ kind: 'LABELLED', title: 'Labels downloaded' })
    const { body: history } = await staff.get(`requisitions/${id}/req_hists`)
    expect(history.data[0].reqActionDesc).toBe('Labels downloaded')
  })

  it('gets them once, even when the history of the requisition is written concurrently', async () => {
    const id = await ordered(['CHOL'])
    received.length = 0
    const rival = await openConcurrentTransaction(test.database)
    await rival.query(appendToChain, [id])
    const printing = print([id], 'BARCODE', 'PRINTER')
    await untilBlocked(test.database, 1)
    await rival.commit()
    expect((await printing).status).toBe(200)
    await expect.poll(() => received.length).toBeGreaterThan(0)
    expect(received).toHaveLength(1)
  })
})

describe('a printer that does not answer', () => {
  const off = openTestApp({ env: { LABEL_PRINTER: '127.0.0.1:1' } })
  const without = openTestApp()

  it('is a Printing error, and nothing is written down, LIST-239', async () => {
    const { id } = await off.given.requisition()
    const staff = await off.as('STF')
    const { status, body } = await staff.post('labels/print', { reqIds: [id], labelType: 'BARCODE', output: 'PRINTER' })
    expect([status, body.message]).toEqual([503, 'Printing error'])
    const rows = await off.database.db.selectFrom('audit_entry').select('id').where('requisition_id', '=', id).execute()
    expect(rows).toEqual([])
  })

  it('is distinguished from no printer', async () => {
    expect((await (await off.as('STF')).get('labels/printer')).body.data).toEqual({ isAvailable: true })
    const staff = await without.as('STF')
    expect((await staff.get('labels/printer')).body.data).toEqual({ isAvailable: false })
    const { id } = await without.given.requisition()
    const { status, body } = await staff.post('labels/print', { reqIds: [id], labelType: 'BARCODE', output: 'PRINTER' })
    expect([status, body.message]).toEqual([400, 'No label printer is set up'])
  })
})

describe('who prints', () => {
  it('super admins, of requisitions that are there', async () => {
    const id = await ordered(['CHOL'])
    const request = { reqIds: [id], labelType: 'BARCODE', output: 'PDF' }
    for (const role of ['ADM', 'MGMT', 'STF'] as const)
      expect((await (await test.as(role)).post('labels/print', request)).status).toBe(200)
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const) {
      const caller = await test.as(role)
      expect((await caller.post('labels/print', request)).status).toBe(403)
      expect((await caller.get('labels/printer')).status).toBe(403)
    }
    expect((await test.nobody.post('labels/print', request)).status).toBe(401)
    expect((await print([id, 999_999_999], 'BARCODE', 'PDF')).status).toBe(404)
    expect((await print([], 'BARCODE', 'PDF')).status).toBe(400)
    expect((await print([id], 'STICKER', 'PDF')).body.errors[0].field).toBe('labelType')
  })
})
