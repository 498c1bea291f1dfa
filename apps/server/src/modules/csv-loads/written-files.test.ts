import { type LoadType, loadTypes } from '@lis/contract/csv-loads.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { loadKit } from '../../../test/csv-loads.ts'
import { parseIsoTime } from './cells.ts'

const test = openTestApp()
const { csv, load, preview, uploaded, somebody } = loadKit(test)

let serial = 0
const clientRow = async (over: Record<string, unknown> = {}) => {
  const { country_id, state_id } = await test.given.address()
  return {
    legacyClientId: `WF-${++serial}`,
    clientName: `Written ${serial}`,
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
    ...over,
  } as Record<string, unknown>
}

/** A client with everything an order needs. */
const orderRow = async () => {
  const client = await test.given.client({ legacy_client_id: `WO-${++serial}` })
  const physician = await test.given.physician({ npi_number: '1234567893' })
  const pair = await test.given.clientPhysician(client.id, physician.id)
  const lab = await test.given.lab()
  await sql`insert into client_lab (client_id, lab_id) values (${client.id}, ${lab.id})`.execute(test.database.db)
  const event = await test.given.event(client.id)
  const { rows } = await sql<{ cola: string; lab: string; event: string }>`
    select o.name as cola, (select name from lab where id = ${lab.id}) as lab, (select name from client_event where id = ${event.id}) as event
    from client c join collaborator o on o.id = c.collaborator_id where c.id = ${client.id}`.execute(test.database.db)
  return {
    client,
    row: {
      colaId: rows[0]?.cola,
      clientId: client.id,
      orderingClientPhysId: pair.id,
      eventId: rows[0]?.event,
      labId: rows[0]?.lab,
      patientFirstName: 'Maria',
      patientLastName: 'Lopez',
      patientGenderCode: 'female',
      patientDob: '1968-04-17',
      dateCollected: '11/2/2026 8:15 AM',
      testCodes: 'chol;Lipid',
    } as Record<string, unknown>,
  }
}

describe('a file as a spreadsheet writes it', () => {
  it.each([
    ['utf16le', Buffer.from([0xff, 0xfe])],
    ['utf16be', Buffer.from([0xfe, 0xff])],
  ])('is read in %s with tabs, accents and all', async (encoding, mark) => {
    const row = await clientRow({ clientName: `Café Łódź ${encoding}` })
    const little = Buffer.from(csv([row], '\t'), 'utf16le')
    const body = Buffer.concat([mark, encoding === 'utf16le' ? little : little.swap16()])
    const { errors, row: counts } = await load('CLIENT', body)
    expect([errors, counts.successCount]).toEqual([[], 1])
    const { rows } = await sql`select name from client where legacy_client_id = ${row.legacyClientId}`.execute(
      test.database.db,
    )
    expect(rows).toEqual([{ name: row.clientName }])
  })

  it('may name its separator in a line of its own, which is no row', async () => {
    const [good, bad] = [await clientRow(), await clientRow({ clientName: '' })]
    const { errors, row } = await load('CLIENT', `sep=;\r\n${csv([good, bad], ';')}`)
    expect([errors, row.successCount]).toEqual([['Row 3, clientName: Name is required'], 1])
  })

  it('ignores rows with separators only, and the other rows keep their numbers', async () => {
    const [good, bad] = [await clientRow(), await clientRow({ clientName: '' })]
    const [head, one, two] = csv([good, bad]).split('\r\n') as [string, string, string]
    const empty = ','.repeat(head.split(',').length - 1)
    const { errors, row } = await load('CLIENT', [head, empty, one, ' ,,', two, empty, empty].join('\r\n'))
    expect(errors).toEqual(['Row 5, clientName: Name is required'])
    expect(row).toMatchObject({ totalCount: 2, successCount: 1, errorCount: 1 })
  })

  it('may write the names of its columns in any case, with spaces, hyphens or underscores', async () => {
    const row = await clientRow()
    const [head = '', line = ''] = csv([row]).split('\r\n')
    const written = head.replace('clientName', 'CLIENT NAME').replace('clientAddr1', 'client_addr1')
    expect((await load('CLIENT', [written.replace('clientZip', 'Client-Zip'), line].join('\n'))).errors).toEqual([])
  })
})

describe('names and codes in place of IDs', () => {
  it('are taken for country, state, laboratories, sales people and collaborator', async () => {
    const [rep, service] = [await test.given.salesPerson(), await test.given.salesPerson({ type_code: 'SVC' })]
    const { rows } = await sql<Record<string, string>>`
      select c.long_name as country, s.code as state, l.name as lab, p.rep_code as rep, v.last_name || ', ' || v.first_name as service, o.name as cola
      from country c, state s, lab l, sales_person p, sales_person v, collaborator o
      where c.iso2 = 'US' and s.country_id = c.id and s.code = 'MA' and l.id = ${(await test.given.lab()).id} and p.id = ${rep.id}
        and v.id = ${service.id} and o.id = ${(await test.given.collaborator()).id}`.execute(test.database.db)
    const known = rows[0] as Record<'country' | 'state' | 'lab' | 'rep' | 'service' | 'cola', string>
    const named = await clientRow({
      clientCountryId: known.country.toUpperCase(),
      clientStateId: known.state.toLowerCase(),
      labIds: known.lab,
      salesIds: known.rep,
      serviceId: known.service,
      colaId: known.cola,
    })
    expect((await load('CLIENT', csv([named]))).errors).toEqual([])
    const unknown = await clientRow({ clientCountryId: 'Utopia', labIds: 'Nowhere', salesIds: 'X999' })
    expect((await load('CLIENT', csv([unknown]))).errors).toEqual([
      'Row 2, clientCountryId: There is no country Utopia',
      'Row 2, labIds: There is no laboratory Nowhere',
      'Row 2, salesIds: There is no sales rep X999',
    ])
  })

  it('are not guessed where two records have the same name', async () => {
    const [one] = [await test.given.lab(), await test.given.lab()]
    const { rows } = await sql<{ name: string }>`
      update lab set name = 'Same Name Laboratory' where id in (${one.id}, (select max(id) from lab)) returning name`.execute(
      test.database.db,
    )
    expect(rows).toHaveLength(2)
    expect((await load('CLIENT', csv([await clientRow({ labIds: 'same name laboratory' })]))).errors).toEqual([
      'Row 2, labIds: Several are called same name laboratory: please give the ID of the laboratory',
    ])
  })

  it('are taken for collaborator, laboratory, event, tests and panels of an order', async () => {
    const { client, row } = await orderRow()
    expect((await load('REQUISITION', csv([row]))).errors).toEqual([])
    const { rows } = await sql<{ at: string; tests: string }>`
      select r.collected_at as at, l.test_codes as tests from requisition r join requisition_list l on l.requisition_id = r.id
      where r.client_id = ${client.id}`.execute(test.database.db)
    expect(rows).toEqual([{ at: '2026-11-02T13:15:00Z', tests: 'CHOL,CHOLHDL,HDL,LDL,NONHDL,TRIG,VLDL' }])
    const { errors } = await load('REQUISITION', csv([{ ...row, eventId: 'No such event', labId: 'No such lab' }]))
    expect(errors).toEqual([
      'Row 2, eventId: There is no event of this client No such event',
      'Row 2, labId: There is no laboratory No such lab',
    ])
  })
})

describe('dates and times', () => {
  it.each([
    ['11/02/2026 08:15', '2026-11-02T08:15'],
    ['11/2/2026 8:15:30', '2026-11-02T08:15'],
    ['11/02/2026 8:15 pm', '2026-11-02T20:15'],
    ['11/02/2026 12:00 AM', '2026-11-02T00:00'],
    ['11/02/2026 12:00 p.m.', '2026-11-02T12:00'],
    ['2026-11-02 08:15', '2026-11-02T08:15'],
    ['2026-11-02T08:15:00', '2026-11-02T08:15'],
    ['2026-11-02T08:15:00.000Z', '2026-11-02T08:15Z'],
    ['2026-11-02T08:15-0500', '2026-11-02T08:15-05:00'],
    ['11/02/2026 13:15 PM', null],
    ['11/02/2026 24:00', null],
    ['11/02/2026 08:60', null],
    ['02/30/2026 08:15', null],
    ['11/02/26 08:15', null],
    ['11/02/2026', null],
    ['soon', null],
  ])('%s is read as %s', (cell, iso) => expect(parseIsoTime(cell)).toBe(iso))

  it('of an order may be ISO; one that cannot be read names the formats that can', async () => {
    const { row } = await orderRow()
    const iso = { ...row, patientDob: '04/17/1968', dateCollected: '2026-11-02T13:15:00Z' }
    expect((await load('REQUISITION', csv([iso]))).errors).toEqual([])
    // The same moment by the clocks of the client is the same order.
    expect((await load('REQUISITION', csv([row]))).row).toMatchObject({ skippedCount: 1, errorCount: 0 })
    const { errors } = await preview('REQUISITION', csv([{ ...row, patientDob: '17.4.1968', dateCollected: 'noon' }]))
    expect(errors.map(({ columnName, message }) => `${columnName}: ${message}`)).toEqual([
      'patientDob: Invalid date: write MM/DD/YYYY or YYYY-MM-DD',
      'dateCollected: Invalid date and time: write MM/DD/YYYY HH:mm (or hh:mm AM) or YYYY-MM-DD HH:mm',
    ])
  })
})

describe('the example row of a template', () => {
  /** An instrument with a control in use, for the row of a control run. */
  const controlInUse = async () => {
    const { given, database } = test
    const { rows } = await database.owner.query("select id from test where code = 'CHOL'")
    const name = `Analyser ${++instruments}`
    const instrument = await given.store('instrument', { name, lab_id: (await given.lab()).id, protocol: 'ASTM' })
    const material = await given.store('qc_material', { name })
    const lot = await given.store('qc_lot', {
      material_id: material.id,
      level: 1,
      lot_number: name,
      expires: '2090-01-01',
    })
    const target = { lot_id: lot.id, test_id: rows[0].id, instrument_id: instrument.id, mean: '200', sd: '4' }
    await given.store('qc_target', { ...target, source: 'MAKER', valid_from: '2020-01-01T00:00:00Z' })
  }
  let instruments = 0

  it.each(Object.keys(loadTypes) as LoadType[])('of %s can be loaded as it stands', async (type) => {
    await orderRow()
    const { id } = await test.given.requisition({ status_code: 'PROCESS' })
    await test.given.orderedTest(id, 'HDL')
    await controlInUse()
    const staff = await somebody()
    const { body } = await staff.get(`bulk_csv_uploader/templates/${type}`)
    const url = String(body.data.url).replace(/^https?:\/\/[^/]+/, '')
    const file = (await test.inject({ method: 'GET', url })).body as string
    const { errors, row } = await load(type, file)
    expect([errors, row.successCount]).toEqual([[], 1])
  })
})

describe('a large file', () => {
  it('waits in a separate queue', async () => {
    const staff = await somebody()
    const line = `${'x'.repeat(1000)}\n`
    const kindOf = async (content: string, call: 'preview' | 'process') => {
      const fileName = await uploaded(content, staff)
      const started = await staff.post(`bulk_csv_uploader/${call}`, {
        loadFileTypeCode: 'CLIENT',
        fileName,
        originalFileName: 'a.csv',
      })
      const { rows } = await sql<{ kind: string }>`select kind from job where id = ${started.body.data.jobId}`.execute(
        test.database.db,
      )
      return rows[0]?.kind
    }
    const [small, large] = [line, line.repeat(3000)]
    expect([await kindOf(small, 'preview'), await kindOf(large, 'preview')]).toEqual([
      'csv-load.preview',
      'csv-load.preview-large',
    ])
    expect([await kindOf(small, 'process'), await kindOf(large, 'process')]).toEqual([
      'csv-load.process',
      'csv-load.process-large',
    ])
  })
})
