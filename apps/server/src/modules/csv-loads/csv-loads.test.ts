import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { loadColumns } from '@lis/contract/csv-load-columns.ts'
import { csvLoadMessages, type LoadType, loadTypes } from '@lis/contract/csv-loads.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSeedData } from '../../../seeds/seed-data.ts'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { loadKit } from '../../../test/csv-loads.ts'
import { multipart, storagePath } from '../../../test/multipart.ts'
import { once } from '../../../test/once.ts'
import { settledKey } from '../../platform/storage/object-store.ts'
import { writeXlsx } from '../../platform/xlsx.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await somebody()
})

const { csv, load, preview, uploaded, somebody } = loadKit(test)

const workbook = () =>
  buffer(writeXlsx({ name: 'Orders', columns: [{ header: 'clientName' }], rows: [[['Lakeside']]] }))

let serial = 0
const clientRow = async (over: Record<string, unknown> = {}) => {
  const { country_id, state_id } = await test.given.address()
  return {
    legacyClientId: `CSV-${++serial}-${randomUUID().slice(0, 4)}`,
    clientName: `Lakeside ${serial}`,
    clientAddr1: '410 Lake Ave',
    clientCountryId: country_id,
    clientCity: 'Boston',
    clientStateId: state_id,
    clientZip: '02108',
    clientPhone: '16175550142',
    colaId: (await test.given.collaborator()).id,
    clientBillTypeCode: 'CLIENT',
    clientTransmitMethodCode: 'PORTAL',
    labIds: (await test.given.lab()).id,
    clientNote: '',
    ...over,
  }
}
const clientNamed = async (legacyId: string) =>
  (
    await sql<{
      name: string
      note: string | null
    }>`select name, note from client where legacy_client_id = ${legacyId}`.execute(test.database.db)
  ).rows

describe('a load of clients', () => {
  const whole = once(async () => {
    const rows = [await clientRow(), await clientRow({ clientNote: '=cmd()' })]
    const { id, row, errors } = await load('CLIENT', csv(rows))
    const expected = {
      id,
      loadDate: expect.any(String),
      loadFileTypeCode: 'CLIENT',
      loadFileTypeDesc: 'Clients',
      totalCount: 2,
      successCount: 2,
      errorCount: 0,
      skippedCount: 0,
      loadByName: expect.stringMatching(/^Test User/),
      state: 'DONE',
      message: '2 of 2 rows loaded, 0 failed',
    }
    return { id, rows, errors, data: row as Record<string, unknown>, expected }
  })

  it('goes init, storage, process, and is listed with its counts BATCH-02 BATCH-72..BATCH-75', async () => {
    const { id, rows, errors, data, expected } = await whole()
    expect(data).toMatchObject(expected)
    expect(errors).toEqual([])
    // Data, never a formula: it is stored unchanged, and escaped in files for spreadsheets.
    expect(await clientNamed(rows[1]?.legacyClientId as string)).toEqual([
      { name: rows[1]?.clientName, note: '=cmd()' },
    ])
    const { rows: audit } =
      await sql`select action, actor_id from audit_entry where entity = 'csv_load' and entity_id = ${id}`.execute(
        test.database.db,
      )
    expect(audit).toEqual([{ action: 'CREATE', actor_id: staff.userId }])
  })

  it.each([
    ['BATCH-61', 'id'],
    ['BATCH-62', 'loadDate'],
    ['BATCH-63', 'loadFileTypeCode'],
    ['BATCH-64', 'loadFileTypeDesc'],
    ['BATCH-65', 'totalCount'],
    ['BATCH-66', 'successCount'],
    ['BATCH-67', 'errorCount'],
    ['BATCH-68', 'loadByName'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('is found by the day of its upload in the laboratory', async () => {
    const { id } = await load('CLIENT', csv([await clientRow()]))
    // 21:30 of the 5th in the laboratory is the 6th in UTC.
    await sql`update csv_load set load_at = '2026-03-06T02:30:00Z' where id = ${id}`.execute(test.database.db)
    const foundOn = async (day: string) => {
      const filter = encodeURIComponent(JSON.stringify({ id, loadDate: `[${day}-${day}]` }))
      return (await staff.get(`bulk_csv_uploader?filter=${filter}`)).body.total
    }
    expect([await foundOn('03/05/2026'), await foundOn('03/06/2026')]).toEqual([1, 0])
  })

  it('adds nothing when the same file is processed again', async () => {
    const file = csv([await clientRow(), await clientRow()])
    await load('CLIENT', file)
    const before = await test.database.db
      .selectFrom('client')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    const { row } = await load('CLIENT', file)
    expect(row).toMatchObject({ totalCount: 2, successCount: 0, errorCount: 0, skippedCount: 2 })
    expect(row.message).toBe('0 of 2 rows loaded, 0 failed, 2 loaded before')
    expect(
      await test.database.db
        .selectFrom('client')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow(),
    ).toEqual(before)
  })

  it('takes no other practice for a client because it has its Client ID, in the database or in the file', async () => {
    const known = await clientRow({ clientName: 'Northgate Clinic' })
    await load('CLIENT', csv([known]))
    const { id } = (await staff.get(`clients?filter=[legacyClientId:${known.legacyClientId}]`)).body.data[0]
    await staff.put(`clients/${id}`, { clientName: 'Northgate Family Practice' })
    const fresh = await clientRow({ clientName: 'Harbor Clinic' })
    const file = csv([
      { ...known, clientName: 'Elm Street Practice' },
      known, // renamed since it was loaded
      { ...known, clientName: 'NORTHGATE  family practice' },
      fresh,
      { ...fresh, clientName: 'Pier Clinic' },
      fresh,
    ])
    const faults = [
      `Row 2, legacyClientId: Client ID ${known.legacyClientId} belongs to Northgate Family Practice`,
      `Row 6, legacyClientId: Client ID ${fresh.legacyClientId} belongs to Harbor Clinic`,
    ]
    const checked = await preview('CLIENT', file)
    expect(checked).toMatchObject({ errorCount: 2 })
    const { row, errors } = await load('CLIENT', file)
    expect(errors).toEqual(faults)
    expect(row).toMatchObject({ totalCount: 6, successCount: 1, errorCount: 2, skippedCount: 3 })
  })

  it('loads the good rows and names every fault of the others by row and column BATCH-57 BATCH-69 BATCH-70 BATCH-76', async () => {
    const good = await clientRow()
    const file = csv([
      { ...(await clientRow()), clientName: '', clientPhone: '12', colaId: 'x' },
      good,
      { ...(await clientRow()), clientBillTypeCode: 'NONE', clientStateId: 999_999 },
    ])
    const { id, row, errors } = await load('CLIENT', file)
    expect(row).toMatchObject({
      totalCount: 3,
      successCount: 1,
      errorCount: 2,
      message: '1 of 3 rows loaded, 2 failed',
    })
    expect(errors).toEqual([
      'Row 2, clientName: Name is required',
      'Row 2, clientPhone: Phone number allowed in format 00(000) 000-0000',
      'Row 2, colaId: There is no collaborator x',
      'Row 4, clientStateId: State is invalid',
      'Row 4, clientBillTypeCode: Bill To is invalid',
    ])
    const one = (await staff.get(`bulk_csv_uploader/${id}/files`)).body.data[0]
    expect(Object.keys(one).sort()).toEqual(['columnName', 'id', 'loadErrorDesc', 'rowNo'])
    expect(await clientNamed(good.legacyClientId as string)).toHaveLength(1)
  })

  it("gives the failed rows back as the user's own file, which can be corrected and sent again", async () => {
    const bad = { ...(await clientRow()), clientName: '', clientNote: '@SUM(1)' }
    const { id } = await load('CLIENT', csv([bad, await clientRow()], ';'))
    const file = await errorFileOf(id)
    const lines = file.split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/;loadError$/)
    expect(lines[1]).toContain("'@SUM(1)")
    expect(lines[1]).toMatch(/;clientName: Name is required$/)
    const corrected = file.replace(`${bad.legacyClientId};`, `${bad.legacyClientId};Corrected`)
    expect((await load('CLIENT', corrected)).row).toMatchObject({ successCount: 1, errorCount: 0 })
    expect(await clientNamed(bad.legacyClientId as string)).toEqual([{ name: 'Corrected', note: '@SUM(1)' }])
    const clean = await load('CLIENT', csv([await clientRow()]))
    expect((await staff.get(`bulk_csv_uploader/${clean.id}/error_file`)).status).toBe(404)
  })

  it('gives the reason and the failed rows before it for a file that cannot be read to its end', async () => {
    const bad = { ...(await clientRow()), clientName: '' }
    const { id, row } = await load('CLIENT', `${csv([bad])}\r\n"never closed`)
    expect(row).toMatchObject({ state: 'FAILED' })
    const lines = (await errorFileOf(id)).split('\n')
    expect(lines[0]).toContain(csvLoadMessages.quoteOpen)
  })

  it('gives the reason alone for a file without a readable header', async () => {
    const { id } = await load('CLIENT', '"never closed')
    expect((await errorFileOf(id)).split('\n')).toEqual([expect.stringContaining(csvLoadMessages.quoteOpen)])
  })
})

const errorFileOf = async (id: number): Promise<string> => {
  const link = await staff.get(`bulk_csv_uploader/${id}/error_file`)
  expect(link.status).toBe(200)
  const { body } = await test.inject({ method: 'GET', url: pathOf(link.body.data.url) })
  return (body as string).replace('\ufeff', '').trim()
}
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')

describe('the preview', () => {
  it('names all errors at once and writes nothing', async () => {
    const [one, two] = [await clientRow(), await clientRow()]
    const known = await clientRow()
    await load('CLIENT', csv([known]))
    const result = await preview('CLIENT', csv([one, { ...two, clientName: '', clientZip: '' }, one, known]))
    expect(result).toEqual({
      totalCount: 4,
      goodCount: 1,
      skippedCount: 2,
      errorCount: 1,
      errorTotal: 2,
      errors: [
        { rowNo: 3, columnName: 'clientName', message: 'Name is required' },
        { rowNo: 3, columnName: 'clientZip', message: 'Zip is required' },
      ],
    })
    expect(await clientNamed(one.legacyClientId as string)).toEqual([])
    const audit =
      await sql`select 1 from audit_entry where new_data ->> 'legacyClientId' = ${one.legacyClientId as string}`.execute(
        test.database.db,
      )
    expect(audit.rows).toEqual([])
  })

  it('finds a file that a first attempt moved before it was rolled back', async () => {
    const fileName = await uploaded(csv([await clientRow()]))
    const { store } = test.services
    const key = `csv-loads/${fileName}`
    // As S3 settles it.
    await store.put(settledKey(key), await store.get(key), 'text/csv')
    await store.remove(key)
    const body = { loadFileTypeCode: 'CLIENT', fileName, originalFileName: 'data.csv' }
    const started = await staff.post('bulk_csv_uploader/preview', body)
    expect(started.status).toBe(200)
    const { input } = await test.database.db
      .selectFrom('job')
      .select('input')
      .where('id', '=', started.body.data.jobId)
      .executeTakeFirstOrThrow()
    expect(input).toMatchObject({ key: settledKey(key) })
  })

  it('refuses a file for its header before any row, with every reason', async () => {
    const row = await clientRow()
    const { clientName: _, ...without } = row
    const result = await preview('CLIENT', csv([{ ...without, colour: 'red' }]).replace('clientZip', 'clientCity'))
    expect(result.errors).toEqual([
      { rowNo: 1, columnName: 'colour', message: 'Unknown column' },
      { rowNo: 1, columnName: 'clientCity', message: 'The column appears twice' },
      { rowNo: 1, columnName: 'clientName', message: 'The column is missing' },
      { rowNo: 1, columnName: 'clientZip', message: 'The column is missing' },
    ])
    expect(result.totalCount).toBe(0)
  })
})

describe('files as spreadsheets write them', () => {
  const loadedNote = async (file: string | Buffer, legacyId: unknown) => {
    const { row, errors } = await load('CLIENT', file)
    expect([row.successCount, errors]).toEqual([1, []])
    return (await clientNamed(legacyId as string))[0]
  }

  it('reads a byte order mark, semicolons, tabs, and quotes across lines', async () => {
    const [a, b, c] = [await clientRow(), await clientRow(), await clientRow({ clientNote: 'one\ntwo "three", four' })]
    await loadedNote(`\ufeff${csv([a])}`, a.legacyClientId)
    await loadedNote(csv([b], ';'), b.legacyClientId)
    expect((await loadedNote(csv([c]), c.legacyClientId))?.note).toBe('one\ntwo "three", four')
    const d = await clientRow()
    await loadedNote(csv([d], '\t'), d.legacyClientId)
  })

  it('reads Windows-1252', async () => {
    const row = await clientRow({ clientName: 'Café Müller' })
    const found = await loadedNote(Buffer.from(csv([row]), 'latin1'), row.legacyClientId)
    expect(found?.name).toBe('Café Müller')
  })

  it('counts rows as the spreadsheet does, over empty lines and quoted line breaks', async () => {
    const [a, b] = [await clientRow({ clientNote: 'x\ny' }), await clientRow({ clientName: '' })]
    const [head, ...lines] = csv([a]).split('\r\n')
    const { errors } = await load('CLIENT', [head, ...lines, '', csv([b]).split('\r\n')[1]].join('\r\n'))
    expect(errors).toEqual(['Row 4, clientName: Name is required'])
  })

  it('says how many cells an incomplete row has', async () => {
    const row = csv([await clientRow()])
    const { errors } = await load('CLIENT', `${row}\r\nonly,three,cells`)
    expect(errors).toEqual(['Row 3: The row has 3 cells, the header has 13'])
  })

  it.each([
    [
      'no rows',
      'legacyClientId,clientName,clientAddr1,clientCountryId,clientCity,clientStateId,clientZip,clientPhone,colaId,clientBillTypeCode,clientTransmitMethodCode,labIds\n',
      'The file has no rows',
    ],
    ['an open quote', 'clientName,"clientAddr1\nx,y', 'A quotation mark is not closed'],
  ])('refuses %s', async (_, content, message) => {
    const { row, errors } = await load('CLIENT', content)
    expect([row.state, row.totalCount, errors[0]]).toEqual(['FAILED', 0, expect.stringContaining(message)])
  })

  it('says that a load was stopped, and why, when its job was cancelled or given up', async () => {
    const fileName = await uploaded(csv([await clientRow()]), staff)
    const started = await staff.post('bulk_csv_uploader/process', {
      loadFileTypeCode: 'CLIENT',
      fileName,
      originalFileName: 'a.csv',
    })
    const { id, jobId } = started.body.data
    const listed = async () => {
      const { state, message } = (await staff.get(`bulk_csv_uploader?filter=[id:${id}]`)).body.data[0]
      return [state, message]
    }
    await test.database.owner.query("update csv_load set state = 'RUNNING', success_count = 3 where id = $1", [id])
    expect(await listed()).toEqual(['RUNNING', null])
    expect((await staff.put(`jobs/${jobId}/cancel`, {})).status).toBe(200)
    const loadedSoFar =
      '3 rows loaded until then, 0 failed. The file can be loaded again; what is loaded is not loaded twice.'
    expect(await listed()).toEqual(['STOPPED', `Cancelled. ${loadedSoFar}`])
    await test.database.owner.query(
      "update job set state = 'FAILED', message = 'It has been recorded.' where id = $1",
      [jobId],
    )
    expect(await listed()).toEqual(['STOPPED', `It has been recorded. ${loadedSoFar}`])
    await test.database.owner.query('delete from job where id = $1', [jobId])
    expect(await listed()).toEqual(['STOPPED', `The work has ended. ${loadedSoFar}`])
  })

  it('refuses a file that is not text, is empty, or was not uploaded BATCH-77', async () => {
    const send = async (fileName: string) =>
      staff.post('bulk_csv_uploader/process', { loadFileTypeCode: 'CLIENT', fileName, originalFileName: 'a.csv' })
    const zip = await send(await uploaded(Buffer.from([0x50, 0x4b, 3, 4, 0, 0])))
    expect([zip.status, zip.body.message]).toEqual([400, 'This is a ZIP file; unpack it and choose the CSV file in it'])
    const unknown = await send(await uploaded(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])))
    expect([unknown.status, unknown.body.message]).toEqual([400, 'The file is not a CSV'])
    const empty = await send(await uploaded(''))
    expect([empty.status, empty.body.message]).toEqual([400, 'The file is empty'])
    const { body } = await staff.post('bulk_csv_uploader/init', { fileName: 'x.csv' })
    expect((await send(body.data.newFileName)).body.message).toBe('The file has not been uploaded')
    expect((await send(`${randomUUID()}.csv`)).body.message).toBe('This file was not uploaded in your session')
    expect((await send('../../etc/passwd')).status).toBe(400)
    expect((await staff.post('bulk_csv_uploader/init', { fileName: 'x.doc' })).body.message).toBe(
      'Only CSV files are accepted',
    )
  })

  it.each<[string, string, () => Promise<Buffer>]>([
    ['an Excel file', 'xlsx', () => workbook()],
    ['an old Excel file', 'xls', async () => Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0])],
  ])('says what to do with %s, by its name and by its content', async (_, ending, content) => {
    const advice = [400, 'This is an Excel file; save it as CSV']
    const init = await staff.post('bulk_csv_uploader/init', { fileName: `orders.${ending}` })
    expect([init.status, init.body.message]).toEqual(advice)
    for (const path of ['preview', 'process']) {
      const body = { loadFileTypeCode: 'CLIENT', fileName: await uploaded(await content()), originalFileName: 'a.csv' }
      const reply = await staff.post(`bulk_csv_uploader/${path}`, body)
      expect([reply.status, reply.body.message]).toEqual(advice)
    }
  })

  it.each([
    ['This is a PDF; a CSV file is needed', Buffer.from('%PDF-1.7\n')],
    ['This is an image; a CSV file is needed', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ])('says %s', async (advice, content) => {
    const body = { loadFileTypeCode: 'CLIENT', fileName: await uploaded(content), originalFileName: 'a.csv' }
    expect((await staff.post('bulk_csv_uploader/preview', body)).body.message).toBe(advice)
  })

  it('lets nothing into the store that is larger than 50 MB, and says so', async () => {
    const { body } = await staff.post('bulk_csv_uploader/init', { fileName: 'x.csv' })
    const { payload, headers } = multipart(body.data.fields, Buffer.alloc(50 * 2 ** 20 + 1, 'x'))
    const reply = await test.inject({ method: 'POST', url: storagePath(body.data.fields), payload, headers })
    expect([reply.status, reply.body.message]).toEqual([413, 'The file is larger than 50 MB'])
    const process = { loadFileTypeCode: 'CLIENT', fileName: body.data.newFileName, originalFileName: 'x.csv' }
    expect((await staff.post('bulk_csv_uploader/process', process)).body.message).toBe('The file has not been uploaded')
  })
})

describe('a load of physicians', () => {
  const row = (over: Record<string, unknown> = {}) => ({
    physFirstName: 'Alan',
    physMiddleName: '',
    physLastName: `Whitfield${++serial}`,
    physTitle: 'MD',
    npiNumber: '1234567893',
    clientIds: '',
    ...over,
  })

  it('makes a physician once, and adds clients to a known one', async () => {
    const [one, two] = [await test.given.client(), await test.given.client({ legacy_client_id: 'LEG-77' })]
    const file = csv([row({ clientIds: one.id })])
    expect((await load('PHYSICIAN', file)).row).toMatchObject({ successCount: 1 })
    expect((await load('PHYSICIAN', file)).row).toMatchObject({ successCount: 0, skippedCount: 1 })
    const more = csv([{ ...row({ physLastName: 'Other' }), legacyClientId: 'leg-77' }])
    expect((await load('PHYSICIAN', more)).row).toMatchObject({ successCount: 1 })
    const { rows } = await sql<{ last_name: string; clients: number[] }>`
      select p.last_name, array_agg(cp.client_id order by cp.client_id)::int[] as clients from physician p join client_physician cp on cp.physician_id = p.id
      where p.npi_number = '1234567893' group by p.id`.execute(test.database.db)
    expect(rows).toEqual([{ last_name: expect.stringMatching(/^Whitfield/), clients: [one.id, two.id] }])
  })

  it('BATCH-70 refuses a number that two physicians have, unless the name tells which one is meant', async () => {
    const client = await test.given.client()
    const withSameNpi = (first_name: string) =>
      test.given.physician({ npi_number: '1200000036', first_name, last_name: 'Núñez', title: 'MD' })
    const [anna, berta] = [await withSameNpi('Anna'), await withSameNpi('Berta')]
    const npi = { npiNumber: '1200000036', clientIds: client.id }
    const rows = csv([
      row(npi),
      row({ ...npi, physLastName: 'NUNEZ', physFirstName: 'berta' }),
      row({ ...npi, physLastName: 'Núñez', physFirstName: 'Clara' }),
    ])
    const message = `Several physicians have this NPI#, and the name does not tell which one is meant: Núñez, Anna, MD (ID ${anna.id}); Núñez, Berta, MD (ID ${berta.id})`
    const expected = [`Row 2, npiNumber: ${message}`, `Row 4, npiNumber: ${message}`]
    expect((await preview('PHYSICIAN', rows)).errorCount).toBe(2)
    const { row: counts, errors } = await load('PHYSICIAN', rows)
    expect(errors).toEqual(expected)
    expect(counts).toMatchObject({ successCount: 1, errorCount: 2, skippedCount: 0 })
    const { rows: pairs } = await sql<{ id: number }>`
      select physician_id as id from client_physician where client_id = ${client.id}`.execute(test.database.db)
    expect(pairs).toEqual([{ id: berta.id }])
    // Of the same name: nothing in the row distinguishes them.
    const third = await withSameNpi('Berta')
    expect(
      (await load('PHYSICIAN', csv([row({ ...npi, physLastName: 'Núñez', physFirstName: 'Berta' })]))).errors,
    ).toEqual([
      `Row 2, npiNumber: Several physicians have this NPI#, and the name does not tell which one is meant: Núñez, Berta, MD (ID ${berta.id}); Núñez, Berta, MD (ID ${third.id})`,
    ])
  })

  it('refuses a wrong check digit, an unknown title and an unknown client', async () => {
    const { errors } = await load(
      'PHYSICIAN',
      csv([
        row({ npiNumber: '1234567890' }),
        row({ npiNumber: '1999999984', physTitle: 'KING' }),
        row({ npiNumber: '1999999984', clientIds: '99999999' }),
      ]),
    )
    expect(errors.map((error) => error.split(':')[0])).toEqual([
      'Row 2, npiNumber',
      'Row 3, physTitle',
      'Row 4, clientIds',
    ])
  })

  it('loads a correct row after a wrong one with the same number', async () => {
    const { row: counts } = await load(
      'PHYSICIAN',
      csv([row({ npiNumber: '1000000012', physTitle: 'KING' }), row({ npiNumber: '1000000012' })]),
    )
    expect(counts).toMatchObject({ successCount: 1, errorCount: 1, skippedCount: 0 })
  })
})

describe('templates', () => {
  it('are those of the specification, with an example row, for each type BATCH-63 BATCH-64', async () => {
    interface Template {
      loadFileTypeCode: LoadType
      loadFileTypeDesc: string
      columns: { name: string; required: boolean; example: string; alternativeTo: string | null }[]
    }
    for (const { loadFileTypeCode, loadFileTypeDesc, columns } of readSeedData<Template>('csv-load-templates')) {
      expect(loadTypes[loadFileTypeCode]).toBe(loadFileTypeDesc)
      expect(loadColumns[loadFileTypeCode]).toEqual(
        columns.map(({ name, required, example, alternativeTo }) => ({
          name,
          isRequired: required,
          example,
          alternativeTo,
        })),
      )
      const link = await staff.get(`bulk_csv_uploader/templates/${loadFileTypeCode}`)
      const file = (await test.inject({ method: 'GET', url: pathOf(link.body.data.url) })).body as string
      expect(file.replace('\ufeff', '').split('\n')[0]).toBe(columns.map(({ name }) => name).join(','))
    }
    expect((await staff.get('bulk_csv_uploader/templates/SECRET')).status).toBe(400)
  })
})

describe('who may', () => {
  it('is open to super admins alone BATCH-50', async () => {
    for (const role of ['ADM', 'MGMT', 'STF'] as const)
      expect((await (await test.as(role)).get('bulk_csv_uploader')).status).toBe(200)
    for (const role of ['CLNT', 'PHYS', 'SLS', 'COLA', 'BILL', 'GST'] as const) {
      const who = await test.as(role)
      expect((await who.get('bulk_csv_uploader')).status).toBe(403)
      expect((await who.get('bulk_csv_uploader/1/files')).status).toBe(403)
      expect((await who.post('bulk_csv_uploader/init', { fileName: 'a.csv' })).status).toBe(403)
      expect((await who.post('bulk_csv_uploader/process', {})).status).toBe(403)
    }
    expect((await test.nobody.get('bulk_csv_uploader')).status).toBe(401)
    expect((await staff.get('bulk_csv_uploader/999999/files')).status).toBe(404)
  })

  it('asks for the load type BATCH-71', async () => {
    const { status, body } = await staff.post('bulk_csv_uploader/process', {
      fileName: 'a.csv',
      originalFileName: 'a.csv',
    })
    expect([status, body.errors[0]]).toEqual([400, { field: 'loadFileTypeCode', message: 'Load Type is required' }])
  })
})
