import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { openConcurrentTransaction, untilBlocked } from '../../../test/concurrent-transaction.ts'
import { loadKit } from '../../../test/csv-loads.ts'
import { rowByRow } from './row-by-row.ts'

const test = openTestApp()
const { csv, load, preview, somebody } = loadKit(test)

let serial = 0
/** A client with everything an order needs. */
const place = async () => {
  const client = await test.given.client({ legacy_client_id: `RQ-${++serial}` })
  const physician = await test.given.physician({ npi_number: '1234567893' })
  const pair = await test.given.clientPhysician(client.id, physician.id)
  const lab = await test.given.lab()
  await sql`insert into client_lab (client_id, lab_id) values (${client.id}, ${lab.id})`.execute(test.database.db)
  const event = await test.given.event(client.id)
  const cola = await sql<{ id: number }>`select collaborator_id as id from client where id = ${client.id}`.execute(
    test.database.db,
  )
  return {
    client,
    row: {
      colaId: cola.rows[0]?.id,
      clientId: client.id,
      orderingClientPhysId: pair.id,
      eventId: event.id,
      labId: lab.id,
      extOrderId: '',
      patientFirstName: 'Maria',
      patientLastName: 'Lopez',
      patientGenderCode: 'FEMALE',
      patientDob: '04/17/1968',
      dateCollected: '11/02/2026 08:15',
      isFasting: '1',
      testCodes: '',
    } as Record<string, unknown>,
  }
}
const ordersOf = async (clientId: number) =>
  (
    await sql<Record<string, unknown>>`
      select r.status_code, r.ext_order_id, r.bill_type_code, r.collected_at, r.is_fasting, r.patient_id, l.test_codes from requisition r
      join requisition_list l on l.requisition_id = r.id where r.client_id = ${clientId} order by r.id`.execute(
      test.database.db,
    )
  ).rows

describe('a load of requisitions', () => {
  it('logs each once, with its patient and tests, in the zone of its client', async () => {
    const { client, row } = await place()
    const file = csv([
      { ...row, extOrderId: 'A-1', testCodes: 'CHOL;HDL' },
      { ...row, extOrderId: 'A-2' },
      { ...row, extOrderId: 'a-1' },
    ])
    const first = await load('REQUISITION', file)
    expect([first.errors, first.row.message]).toEqual([[], '2 of 3 rows loaded, 0 failed, 1 loaded before'])
    const orders = await ordersOf(client.id)
    expect(orders).toMatchObject([
      {
        status_code: 'LOG',
        ext_order_id: 'A-1',
        collected_at: '2026-11-02T13:15:00Z',
        is_fasting: true,
        bill_type_code: 'CLIENT',
        test_codes: 'CHOL,HDL',
      },
      { status_code: 'LOG', ext_order_id: 'A-2', bill_type_code: 'CLIENT', test_codes: '' },
    ])
    // The same person at the same client is one patient.
    expect(orders[0]?.patient_id).toBe(orders[1]?.patient_id)
    const again = await load('REQUISITION', file)
    expect(again.row).toMatchObject({ successCount: 0, errorCount: 0, skippedCount: 3 })
    expect(await ordersOf(client.id)).toHaveLength(2)
  })

  it('distinguishes orders without an id by patient and time, and finds client and physician by their numbers', async () => {
    const { client, row } = await place()
    const { clientId: _, orderingClientPhysId: __, ...rest } = row
    const named = { ...rest, legacyClientId: `RQ-${serial}`, npiNumber: '1234567893' }
    const file = csv([named, { ...named, dateCollected: '11/03/2026 08:15' }, named])
    expect((await load('REQUISITION', file)).row).toMatchObject({ successCount: 2, skippedCount: 1, errorCount: 0 })
    expect(await ordersOf(client.id)).toHaveLength(2)
  })

  it('asks for the pair where two physicians of the client have one NPI', async () => {
    const { client, row } = await place()
    const withSameNpi = await test.given.physician({ npi_number: '1234567893' })
    const pair = await test.given.clientPhysician(client.id, withSameNpi.id)
    const { errors } = await load('REQUISITION', csv([{ ...row, orderingClientPhysId: '', npiNumber: '1234567893' }]))
    expect(errors).toEqual(['Row 2, npiNumber: Two physicians of this client have this NPI: give orderingClientPhysId'])
    const told = { ...row, orderingClientPhysId: pair.id, npiNumber: '1234567893' }
    expect((await load('REQUISITION', csv([told]))).errors).toEqual([])
    const { rows } = await sql<{ physician_id: number }>`
      select physician_id from requisition where client_id = ${client.id}`.execute(test.database.db)
    expect(rows).toEqual([{ physician_id: withSameNpi.id }])
  })

  it('does not skip an order of another patient, or with other tests, as loaded before', async () => {
    const { client, row } = await place()
    const first = { ...row, extOrderId: '555', patientLastName: 'Núñez', testCodes: 'HDL' }
    const plain = { ...row, patientLastName: 'Smith', testCodes: 'CHOL' }
    expect((await load('REQUISITION', csv([first, plain]))).row).toMatchObject({ successCount: 2 })
    const [one, two] = (
      await sql<{ id: number }>`select id from requisition where client_id = ${client.id} order by id`.execute(
        test.database.db,
      )
    ).rows.map(({ id }) => id)
    const rows = csv([
      { ...first, patientLastName: 'NUNEZ' },
      { ...first, patientLastName: 'Jones' },
      { ...first, patientDob: '04/17/1969' },
      { ...first, testCodes: 'HDL;LDL' },
      { ...first, testCodes: '' },
      { ...plain, testCodes: 'TRIG' },
    ])
    const expected = [
      `Row 3, extOrderId: Order 555 is #${one}, of another patient`,
      `Row 4, extOrderId: Order 555 is #${one}, of another patient`,
      `Row 5, testCodes: Order 555 is #${one}, without LDL`,
      `Row 7, testCodes: This order is #${two}, without TRIG`,
    ]
    const { row: counts, errors } = await load('REQUISITION', rows)
    expect(errors).toEqual(expected)
    expect(counts).toMatchObject({ successCount: 0, skippedCount: 2, errorCount: 4 })
    expect((await preview('REQUISITION', rows)).errorCount).toBe(4)
    expect(await ordersOf(client.id)).toHaveLength(2)
  })

  it('does not skip an order with the same number and another collection day as loaded before', async () => {
    const { client, row } = await place()
    const march = { ...row, extOrderId: '559', testCodes: 'HDL', dateCollected: '03/01/2026 23:30' }
    const april = { ...march, dateCollected: '04/01/2026 08:00' }
    const file = csv([march])
    expect((await load('REQUISITION', file)).row).toMatchObject({ successCount: 1 })
    const { rows } = await sql<{ id: number }>`select id from requisition where client_id = ${client.id}`.execute(
      test.database.db,
    )
    const id = rows[0]?.id
    const { row: counts, errors } = await load('REQUISITION', csv([april, march]))
    expect(errors).toEqual([`Row 2, dateCollected: Order 559 is #${id}, collected 03/01/2026`])
    expect(counts).toMatchObject({ successCount: 0, skippedCount: 1, errorCount: 1 })
    // Corrected here: the earlier file is recognized, and so is one with the correct day.
    const right = { dateCollected: '2026-03-02T07:15', answers: { OLD_COLLECTION: 'SAVE' } }
    expect((await (await somebody()).put(`requisitions/${id}`, right)).status).toBe(200)
    const corrected = csv([{ ...march, dateCollected: '03/02/2026 07:00' }])
    for (const known of [file, corrected])
      expect((await load('REQUISITION', known)).row).toMatchObject({ skippedCount: 1, errorCount: 0 })
    expect((await load('REQUISITION', csv([april]))).errors).toEqual([
      `Row 2, dateCollected: Order 559 is #${id}, collected 03/02/2026`,
    ])
    // Of a load of before, only the record can be compared.
    await sql`update requisition set load_collected_on = null where id = ${id}`.execute(test.database.db)
    expect((await load('REQUISITION', file)).row).toMatchObject({ skippedCount: 0, errorCount: 1 })
    expect((await load('REQUISITION', corrected)).row).toMatchObject({ skippedCount: 1, errorCount: 0 })
    expect(await ordersOf(client.id)).toHaveLength(1)
  })

  it('recognizes its rows after corrections, another patient, removed tests or new names', async () => {
    const { client, row } = await place()
    const panel = { ...row, extOrderId: '556', testCodes: 'LIPID;A1C' }
    const file = csv([panel, { ...row, patientFirstName: 'Zita', extOrderId: '557' }])
    expect((await load('REQUISITION', file)).row).toMatchObject({ successCount: 2 })
    const again = { successCount: 0, skippedCount: 2, errorCount: 0 }
    const [order] = await ordersOf(client.id)
    const staff = await somebody()
    const { rows } = await sql<{ id: number; test: number }>`
      select r.id, x.id as test from requisition r join requisition_test x on x.requisition_id = r.id join test t on t.id = x.test_id and t.code = 'A1C'
      where r.client_id = ${client.id}`.execute(test.database.db)
    const { id, test: a1c } = rows[0] as { id: number; test: number }
    expect((await staff.del(`requisitions/${id}/req_tests/${a1c}`)).status).toBe(200)
    const renamed = { patientLastName: 'Lopes', seenPatientId: order?.patient_id }
    expect((await staff.put(`requisitions/${id}/patients/${order?.patient_id}`, renamed)).status).toBe(200)
    expect((await load('REQUISITION', file)).row).toMatchObject(again)
    // The practice has corrected the name too, and names single tests of the panel.
    const corrected = csv([{ ...panel, patientLastName: 'LOPES', testCodes: 'CHOL;HDL' }])
    expect((await load('REQUISITION', corrected)).row).toMatchObject({ skippedCount: 1, errorCount: 0 })
    const other = await test.given.patient({ first_name: 'Ann', last_name: 'Rightful' })
    expect((await staff.put(`requisitions/${id}/patients/${other.id}`, {})).status).toBe(200)
    expect((await load('REQUISITION', file)).row).toMatchObject(again)
    expect(await ordersOf(client.id)).toHaveLength(2)
  })

  it('names in the preview too the rows that use the id of a much earlier row', async () => {
    const { row } = await place()
    const others = Array.from({ length: 100 }, (_, index) => ({ ...row, extOrderId: `F-${index}` }))
    const first = { ...row, extOrderId: '558', testCodes: 'LIPID' }
    const { errors } = await preview(
      'REQUISITION',
      csv([
        first,
        ...others,
        { ...first, testCodes: 'CHOL' },
        { ...first, patientLastName: 'Jones' },
        { ...first, testCodes: 'A1C' },
        { ...first, dateCollected: '11/03/2026 08:15' },
      ]),
    )
    expect(errors.map(({ rowNo, message }) => [rowNo, message])).toEqual([
      [104, 'Order 558 is already in this file, of another patient'],
      [105, 'Order 558 is already in this file, without A1C'],
      [106, 'Order 558 is already in this file, collected 11/02/2026'],
    ])
  })

  it('BATCH-70 gives the same messages in preview and load, without numbers of future requisitions', async () => {
    const { row } = await place()
    const first = { ...row, extOrderId: '560', testCodes: 'HDL' }
    const rows = csv([first, { ...first, patientLastName: 'Jones' }, { ...first, testCodes: 'A1C' }])
    const expected = [
      'Row 3, extOrderId: Order 560 is already in this file, of another patient',
      'Row 4, testCodes: Order 560 is already in this file, without A1C',
    ]
    const seen = await preview('REQUISITION', rows)
    expect(seen.errors.map(({ rowNo, columnName, message }) => `Row ${rowNo}, ${columnName}: ${message}`)).toEqual(
      expected,
    )
    expect((await load('REQUISITION', rows)).errors).toEqual(expected)
  })

  it('loads an order again after it was deleted', async () => {
    const { client, row } = await place()
    const file = csv([{ ...row, extOrderId: 'G-1' }, row])
    expect((await load('REQUISITION', file)).row).toMatchObject({ successCount: 2 })
    const { rows } = await sql<{ id: number }>`
      select id from requisition where client_id = ${client.id} order by id`.execute(test.database.db)
    await deleteOrdersOf(client.id)
    expect((await load('REQUISITION', file)).row).toMatchObject({ successCount: 2, skippedCount: 0, errorCount: 0 })
    expect((await load('REQUISITION', file)).row).toMatchObject({ successCount: 0, skippedCount: 2 })
    expect(await ordersOf(client.id)).toHaveLength(2)
    // The key of the deleted order is in use now: it cannot be restored beside the one that was loaded again.
    const back = test.database.owner.query('update requisition set deleted_at = null where id = $1', [rows[0]?.id])
    await expect(back).rejects.toThrow('requisition_load_key')
  })

  it.each(['C-0420', '12a', '1e3', '99999999999999999999'])(
    'fails the row whose clientId is %s, and no other',
    async (clientId) => {
      const { client, row } = await place()
      const { orderingClientPhysId: _, ...rest } = row
      const named = { ...rest, npiNumber: '1234567893' }
      const { row: counts, errors } = await load(
        'REQUISITION',
        csv([
          { ...named, clientId },
          { ...named, extOrderId: 'I-1' },
        ]),
      )
      expect(counts).toMatchObject({ state: 'DONE', successCount: 1, errorCount: 1 })
      expect(errors).toEqual([
        `Row 2, clientId: ${clientId} is not a number; a Client ID belongs into the column legacyClientId`,
      ])
      expect(await ordersOf(client.id)).toHaveLength(1)
    },
  )

  it('fails only the row with a value that the database refuses', async () => {
    const errors: unknown[] = []
    const loader = rowByRow({
      write: async ({ db }, { value }) => {
        await sql`select ${value}::bigint`.execute(db)
        return true
      },
    })
    await test.database.db.transaction().execute(async (trx) => {
      const call = { db: trx } as unknown as Parameters<typeof loader.apply>[0]
      const rows = ['1', 'NaN', '99999999999999999999', '2'].map((value, index) => ({
        no: index + 2,
        cells: { value },
      }))
      for (const outcome of await loader.apply(call, rows as unknown as Parameters<typeof loader.apply>[1]))
        errors.push([outcome.no, outcome.errors.map(({ message }) => message)])
    })
    expect(errors).toEqual([
      [2, []],
      [3, ['A value has the wrong form']],
      [4, ['A number is too large']],
      [5, []],
    ])
  })

  it('names errors by row and column, in preview and load, and writes nothing of these rows', async () => {
    const { client, row: plain } = await place()
    const row = { ...plain, sbp: '', dbp: '' }
    const rows = [
      { ...row, patientLastName: '', patientDob: '13/45/1968' },
      { ...row, eventId: 999_999 },
      { ...row, testCodes: 'CHOL;NONSENSE' },
      { ...row, dateCollected: '11/02/2099 08:15' },
      { ...row, dateCollected: 'yesterday' },
      { ...row, isFasting: 'maybe' },
      { ...row, sbp: '120', dbp: '180' },
    ]
    const { errors } = await preview('REQUISITION', csv(rows))
    const places = errors.map(({ rowNo, columnName }) => `${rowNo} ${columnName}`)
    expect(places).toEqual([
      '2 patientLastName',
      '2 patientDob',
      '3 eventId',
      '4 testCodes',
      '5 dateCollected',
      '6 dateCollected',
      '7 isFasting',
      '8 sbp',
    ])
    expect((await load('REQUISITION', csv(rows))).row).toMatchObject({ successCount: 0, errorCount: 7 })
    expect(await ordersOf(client.id)).toEqual([])
  })
})

/** An order by hand of somebody new, who may be called like somebody known. */
const orderByHand = async (row: Record<string, unknown>, over: Record<string, unknown>) => {
  const { isFasting: _, testCodes: __, ...body } = row
  const rest = { isNewPatient: 1, dateCollected: '2026-11-01T10:05:00-05:00', answers: { OLD_COLLECTION: 'SAVE' } }
  const made = await (await somebody()).post('requisitions', { ...body, ...rest, ...over })
  expect([made.status, made.body.errors]).toEqual([200, undefined])
  const { rows } = await sql<{ patient_id: number }>`
    select patient_id from requisition where id = ${made.body.data.id}`.execute(test.database.db)
  return rows[0]?.patient_id as number
}

const deleteOrdersOf = async (clientId: number) => {
  const staff = await somebody()
  const { rows } = await sql<{ id: number }>`
    select id from requisition where client_id = ${clientId} and deleted_at is null order by id`.execute(
    test.database.db,
  )
  for (const { id } of rows) expect((await staff.del(`requisitions/${id}`)).status).toBe(200)
}

describe('the patient of a loaded requisition', () => {
  it('is never guessed among namesakes: the row says which one, or fails', async () => {
    const { client, row } = await place()
    const one = await orderByHand(row, { patientSsn: '123-45-6789', patientMiddleName: 'Ann' })
    const two = await orderByHand(row, { patientSsn: '987-65-4321' })
    const more = { ...row, patientSsn: '', patientMiddleName: '' }
    const { row: counts, errors } = await load(
      'REQUISITION',
      csv([
        { ...more, extOrderId: 'N-1' },
        { ...more, extOrderId: 'N-2', patientSsn: '987654321' },
        { ...more, extOrderId: 'N-3', patientMiddleName: 'ann' },
        { ...more, extOrderId: 'N-4', patientSsn: '111-22-3333' },
        { ...more, extOrderId: 'N-5', patientSsn: '987654321', patientMiddleName: 'Ann' },
      ]),
    )
    const unclear =
      'patientLastName: 2 patients of this client have this name, birth date and sex, and neither patientSsn nor patientMiddleName tells which one is meant'
    expect(errors).toEqual([`Row 2, ${unclear}`, `Row 5, ${unclear}`])
    expect(counts).toMatchObject({ successCount: 3, errorCount: 2 })
    const orders = await ordersOf(client.id)
    expect(orders.map(({ ext_order_id, patient_id }) => [ext_order_id, patient_id])).toEqual([
      [null, one],
      [null, two],
      ['N-2', two],
      ['N-3', one],
      // The middle name of the patient with this number is unknown.
      ['N-5', two],
    ])
  })

  it('is not used if the row contradicts the record', async () => {
    const { client, row } = await place()
    const known = await orderByHand(row, { patientSsn: '123-45-6789', patientMiddleName: 'Ann' })
    const rows = [
      { ...row, extOrderId: 'C-1', patientSsn: '123-45-6780', patientMiddleName: 'Beth' },
      { ...row, extOrderId: 'C-2', patientSsn: '123 45 6789', patientMiddleName: 'A.' },
      { ...row, extOrderId: 'C-3', patientSsn: '', patientMiddleName: '' },
    ]
    const { errors } = await preview('REQUISITION', csv(rows))
    const differs = (label: string) => `The known patient of this name, birth date and sex has another ${label}`
    expect(errors).toEqual([
      { rowNo: 2, columnName: 'patientMiddleName', message: differs('Middle Name') },
      { rowNo: 2, columnName: 'patientSsn', message: differs('SSN') },
    ])
    expect((await load('REQUISITION', csv(rows))).row).toMatchObject({ successCount: 2, errorCount: 1 })
    expect((await ordersOf(client.id)).map(({ patient_id }) => patient_id)).toEqual([known, known, known])
  })

  it('is found whatever the case and accents in the row, and keeps the name of the record', async () => {
    const { client, row } = await place()
    const named = { ...row, patientFirstName: 'José', patientLastName: 'Núñez' }
    const known = await orderByHand(named, {})
    const rows = [
      { ...named, extOrderId: 'K-1', patientFirstName: 'JOSE', patientLastName: 'NUNEZ' },
      { ...named, extOrderId: 'K-2' },
    ]
    expect((await load('REQUISITION', csv(rows))).errors).toEqual([])
    expect((await ordersOf(client.id)).map(({ patient_id }) => patient_id)).toEqual([known, known, known])
    expect(
      await test.database.db.selectFrom('patient').select(['first_name', 'version']).where('id', '=', known).execute(),
    ).toEqual([{ first_name: 'José', version: 1 }])
    // Two records of the same name are two people until they are merged.
    await orderByHand({ ...named, patientFirstName: 'Jose' }, {})
    const { errors } = await load('REQUISITION', csv([{ ...named, extOrderId: 'K-3' }]))
    expect(errors).toEqual([expect.stringContaining('2 patients of this client have this name, birth date and sex')])
  })

  it('is the same after a wrong load was deleted and repeated, and after the deleted order is restored', async () => {
    const { client, row } = await place()
    const codes = await sql<{ code: string }>`
      select code from lov where type_code = 'RACE' and is_active order by code limit 2`.execute(test.database.db)
    const [wrong, right] = codes.rows.map(({ code }) => code) as [string, string]
    const loaded = { ...row, patientRaceCode: wrong }
    expect((await load('REQUISITION', csv([{ ...loaded, extOrderId: 'W-1' }]))).errors).toEqual([])
    const [first] = await ordersOf(client.id)
    await deleteOrdersOf(client.id)
    expect((await load('REQUISITION', csv([{ ...loaded, extOrderId: 'W-2', patientRaceCode: right }]))).errors).toEqual(
      [],
    )
    expect(await ordersOf(client.id)).toMatchObject([{ patient_id: first?.patient_id }])
    // Nothing depended on the record any more: the errors of the load are corrected.
    const raceOf = async () =>
      (await test.database.owner.query('select race_code from patient where id = $1', [first?.patient_id])).rows[0]
    expect(await raceOf()).toEqual({ race_code: right })
    await test.database.owner.query(
      'update requisition set deleted_at = null where ext_order_id = $1 and client_id = $2',
      ['W-1', client.id],
    )
    expect((await load('REQUISITION', csv([{ ...loaded, extOrderId: 'W-3' }]))).errors).toEqual([])
    expect(await raceOf()).toEqual({ race_code: right })
  })

  it('is a new one if the row contradicts a patient with deleted orders only; a patient with a current order is preferred', async () => {
    const { client, row } = await place()
    const more = { ...row, patientSsn: '', patientMiddleName: '' }
    const wrong = { ...more, extOrderId: 'X-1', patientSsn: '123-45-6789' }
    expect((await load('REQUISITION', csv([wrong]))).errors).toEqual([])
    const [first] = await ordersOf(client.id)
    await deleteOrdersOf(client.id)
    const rows = [
      { ...wrong, patientSsn: '123-45-6780' },
      { ...more, extOrderId: 'X-2' },
    ]
    expect((await load('REQUISITION', csv(rows))).errors).toEqual([])
    const [one, two] = await ordersOf(client.id)
    expect(one?.patient_id).not.toBe(first?.patient_id)
    expect(two?.patient_id).toBe(one?.patient_id)
  })

  it('gets values that only the row has, with an audit entry; existing values stay', async () => {
    const { row } = await place()
    const known = await orderByHand(row, {})
    const { rows: codes } = await sql<{ code: string }>`
      select code from lov where type_code = 'RACE' and is_active order by code limit 2`.execute(test.database.db)
    const [one, other] = codes.map(({ code }) => code) as [string, string]
    const full = {
      ...row,
      patientMiddleName: 'Ann',
      patientSsn: '123-45-6789',
      patientRaceCode: one,
      patientEthnicityCode: '',
    }
    expect((await load('REQUISITION', csv([{ ...full, extOrderId: 'F-1' }]))).errors).toEqual([])
    const recordOf = () =>
      test.database.db
        .selectFrom('patient')
        .select(['middle_name', 'ssn_last4', 'race_code', 'ethnicity_code', 'version'])
        .where('id', '=', known)
        .executeTakeFirst()
    const filled = { middle_name: 'Ann', ssn_last4: '6789', race_code: one, ethnicity_code: 'NA', version: 2 }
    expect(await recordOf()).toEqual(filled)
    const audit = await sql<{ new_data: object }>`
      select new_data from audit_entry where entity = 'patient' and entity_id = ${known} and action = 'EDIT'`.execute(
      test.database.db,
    )
    expect(audit.rows).toEqual([
      { new_data: { patientMiddleName: 'Ann', patientSsn: '•••-••-6789', patientRaceCode: one } },
    ])
    const again = {
      ...full,
      patientMiddleName: 'A',
      patientSsn: '',
      patientRaceCode: other,
      patientEthnicityCode: 'NA',
    }
    expect((await load('REQUISITION', csv([{ ...again, extOrderId: 'F-2' }]))).errors).toEqual([])
    expect(await recordOf()).toEqual(filled)
  })

  it('is distinguished from the patients of earlier rows, in preview and load', async () => {
    const { client, row } = await place()
    const more = { ...row, patientSsn: '', patientMiddleName: '' }
    const others = Array.from({ length: 520 }, (_, index) => ({
      ...more,
      patientLastName: `Row${index}`,
      extOrderId: `P-${index}`,
    }))
    const file = csv([
      { ...more, extOrderId: 'P-A', patientMiddleName: 'Ann' },
      { ...more, extOrderId: 'P-B', patientSsn: '123-45-6789' },
      ...others,
      { ...more, extOrderId: 'P-C', patientMiddleName: 'Beth' },
      { ...more, extOrderId: 'P-D', patientSsn: '123-45-6780' },
      { ...more, extOrderId: 'P-E', patientMiddleName: 'A.' },
    ])
    const differs = (label: string) => `The known patient of this name, birth date and sex has another ${label}`
    const expected = [`Row 524, patientMiddleName: ${differs('Middle Name')}`, `Row 525, patientSsn: ${differs('SSN')}`]
    const checked = await preview('REQUISITION', file)
    expect(checked.errors.map(({ rowNo, columnName, message }) => `Row ${rowNo}, ${columnName}: ${message}`)).toEqual(
      expected,
    )
    expect(await ordersOf(client.id)).toEqual([])
    const { errors, row: counts } = await load('REQUISITION', file)
    expect(errors).toEqual(expected)
    expect(counts).toMatchObject({ totalCount: 525, successCount: checked.goodCount, errorCount: 2 })
    const { rows } = await sql<{ n: number }>`
      select count(distinct patient_id)::int as n from requisition r join patient p on p.id = r.patient_id
      where r.client_id = ${client.id} and p.last_name = 'Lopez'`.execute(test.database.db)
    expect(rows).toEqual([{ n: 1 }])
  })

  it('is created once when two loads add the same new patient at the same time', async () => {
    const { client, row } = await place()
    const rival = await openConcurrentTransaction(test.database)
    // Nobody can be created meanwhile: without the lock, both have found nobody by then.
    await rival.query('lock table patient in share mode')
    const loads = Promise.all(['S-1', 'S-2'].map((extOrderId) => load('REQUISITION', csv([{ ...row, extOrderId }]))))
    await untilBlocked(test.database, 2)
    await rival.commit()
    expect((await loads).map(({ errors }) => errors)).toEqual([[], []])
    const [first, second] = await ordersOf(client.id)
    expect(second?.patient_id).toBe(first?.patient_id)
  })
})

describe('a load while somebody corrects the name of its patient', () => {
  it('keeps the corrected name: the row then names somebody else', async () => {
    const { client, row } = await place()
    expect((await load('REQUISITION', csv([{ ...row, extOrderId: 'N-1' }]))).errors).toEqual([])
    const corrected = (await ordersOf(client.id))[0]?.patient_id
    const rival = await openConcurrentTransaction(test.database)
    await rival.query("update patient set last_name = 'Lopes', version = version + 1 where id = $1", [corrected])
    const running = load('REQUISITION', csv([{ ...row, extOrderId: 'N-2' }]))
    await untilBlocked(test.database, 1)
    await rival.commit()
    expect((await running).errors).toEqual([])
    const { rows } = await test.database.owner.query('select last_name from patient where id = $1', [corrected])
    expect(rows).toEqual([{ last_name: 'Lopes' }])
    expect((await ordersOf(client.id))[1]?.patient_id).not.toBe(corrected)
  })

  it('and of the middle name: the row is of the same person, who keeps it', async () => {
    const { client, row } = await place()
    expect((await load('REQUISITION', csv([{ ...row, extOrderId: 'M-1' }]))).errors).toEqual([])
    const id = (await ordersOf(client.id))[0]?.patient_id
    const rival = await openConcurrentTransaction(test.database)
    await rival.query("update patient set middle_name = 'Ana', version = version + 1 where id = $1", [id])
    const running = load('REQUISITION', csv([{ ...row, extOrderId: 'M-2', patientMiddleName: 'A' }]))
    await untilBlocked(test.database, 1)
    await rival.commit()
    expect((await running).errors).toEqual([])
    const { rows } = await test.database.owner.query('select middle_name from patient where id = $1', [id])
    expect(rows).toEqual([{ middle_name: 'Ana' }])
    expect((await ordersOf(client.id))[1]?.patient_id).toBe(id)
  })
})

describe('a load that a conflict undid', () => {
  it('loads every row of the piece when it is run again', async () => {
    const { client, row } = await place()
    const names = ['Maria', 'Nina', 'Zita'] as const
    const lockOf = (name: (typeof names)[number]) =>
      `select pg_advisory_xact_lock(hashtext('patient:' || sort_key('Lopez, ${name}') || '1968-04-17'))`
    const gate = await openConcurrentTransaction(test.database)
    const rival = await openConcurrentTransaction(test.database)
    await gate.query(lockOf('Nina'))
    await rival.query(lockOf('Zita'))
    const running = load(
      'REQUISITION',
      csv(names.map((name, index) => ({ ...row, extOrderId: `D-${index}`, patientFirstName: name }))),
    )
    // The load has Maria and waits at the gate.
    await untilBlocked(test.database, 1)
    // The one that looks for a deadlock is rolled back, and the rival does not look.
    await rival.query(`set local deadlock_timeout = '10min'`)
    const blocked = rival.query(lockOf('Maria'))
    await untilBlocked(test.database, 2)
    // Now the load goes on to Zita: each waits for the other.
    await gate.commit()
    await blocked
    await rival.commit()
    expect((await running).row).toMatchObject({ successCount: 3, skippedCount: 0, errorCount: 0 })
    expect(await ordersOf(client.id)).toHaveLength(3)
  })
})
