import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { loadKit } from '../../../test/csv-loads.ts'

const test = openTestApp()
const { csv, load, preview } = loadKit(test)

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
      select r.status_code, r.ext_order_id, r.collected_at, r.is_fasting, r.patient_id, l.test_codes from requisition r
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
        test_codes: 'CHOL,HDL',
      },
      { status_code: 'LOG', ext_order_id: 'A-2', test_codes: '' },
    ])
    // The same person at the same client is one patient.
    expect(orders[0]?.patient_id).toBe(orders[1]?.patient_id)
    const again = await load('REQUISITION', file)
    expect(again.row).toMatchObject({ successCount: 0, errorCount: 0, skippedCount: 3 })
    expect(await ordersOf(client.id)).toHaveLength(2)
  })

  it('tells orders without an id apart by patient and moment, and finds client and physician by their numbers', async () => {
    const { client, row } = await place()
    const { clientId: _, orderingClientPhysId: __, ...rest } = row
    const named = { ...rest, legacyClientId: `RQ-${serial}`, npiNumber: '1234567893' }
    const file = csv([named, { ...named, dateCollected: '11/03/2026 08:15' }, named])
    expect((await load('REQUISITION', file)).row).toMatchObject({ successCount: 2, skippedCount: 1, errorCount: 0 })
    expect(await ordersOf(client.id)).toHaveLength(2)
  })

  it('names what is wrong by row and column, in the preview as in the load, and writes nothing of it', async () => {
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
