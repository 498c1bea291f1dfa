import { type Role, registered } from '@lis/contract/access/roles.ts'
import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { definitions } from './definitions.ts'

const test = openTestApp()

type Row = Record<string, string | number | null>
const rowsAt = async (
  path: string,
  caller: Caller,
  reportCode: string,
  fromDate: string,
  toDate: string,
): Promise<Row[]> => {
  const { status, body } = await caller.get(`${path}/preview?${new URLSearchParams({ reportCode, fromDate, toDate })}`)
  expect([status, body.message]).toEqual([200, ''])
  return body.data.rows
}
const rowsOf = (caller: Caller, reportCode: string, fromDate = '11/01/2026', toDate = '11/05/2026') =>
  rowsAt('summary_reports', caller, reportCode, fromDate, toDate)
const pick = (rows: readonly Row[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]))
const query = (text: string, values: unknown[] = []) => test.database.owner.query(text, values)
const figures = [
  'reqCount',
  'patientCount',
  'testCount',
  'resultedCount',
  'failedCount',
  'releasedReqCount',
  'prevReqCount',
  'changePercent',
]

/** A laboratory in Los Angeles and a client of its own. */
const world = async () => {
  const lab = await test.given.lab({ zone: 'America/Los_Angeles' })
  const collaborator = await test.given.collaborator()
  const client = await test.given.client({ collaborator_id: collaborator.id })
  const received = async (at: string | null, over: object = {}) => {
    const requisition = await test.given.requisition({ client_id: client.id, lab_id: lab.id, ...over })
    if (at) await test.given.specimen(requisition.id, { received_at: at })
    return requisition
  }
  const { rows } = await query('select name from client where id = $1', [client.id])
  return { lab, collaborator, client, received, name: rows[0].name as string }
}
const failed = async (requisitionTestId: number) =>
  query("insert into requisition_test_reason select $1, id from reason where type_code = 'FAIL' order by id limit 1", [
    requisitionTestId,
  ])
const failedWhole = (requisitionId: number) =>
  query("insert into requisition_reason select $1, id from reason where code = '907'", [requisitionId])
const moved = (id: number, to: string, at: string) =>
  query('insert into requisition_status_event (requisition_id, to_code, at) values ($1, $2, $3)', [id, to, at])

describe('volume', () => {
  it('SUMCLIENT counts what was received on the days of the laboratory, a retest once, and no calculated test', async () => {
    const { client, received, name } = await world()
    const patient = await test.given.patient()
    const one = await received('2026-11-01T07:00:00Z', { patient_id: patient.id }) // 00:00 on 11/01 there
    const two = await received('2026-11-06T07:59:59.999Z', { patient_id: patient.id })
    await received('2026-11-06T08:00:00Z')
    await received(null)
    await received('2026-11-02T20:00:00Z', { deleted_at: '2026-11-03T00:00:00Z' })
    await received('2026-10-27T07:00:00Z') // the first instant of the five days before
    await received('2026-10-27T06:59:59Z')
    const before = await test.given.orderedTest(one.id, 'CHOL', { is_retest: true })
    await test.given.orderedTest(one.id, 'CHOL', { reportable_result: '180', retest_of_id: before.id })
    await test.given.orderedTest(one.id, 'LDL', { reportable_result: '90' })
    await failed((await test.given.orderedTest(one.id, 'HDL')).id)
    await test.given.orderedTest(two.id, 'TRIG')
    await test.given.orderedTest(two.id, 'APOB', { deleted_at: '2026-11-03T00:00:00Z' })
    await test.given.store('report', {
      requisition_id: two.id,
      release_at: '2026-11-05T00:00:00Z',
      lab_qc_status_code: 'RELEASE',
    })
    const rows = await rowsOf(await test.as('CLNT', client.id), 'SUMCLIENT')
    expect(pick(rows, 'rowKind', 'clientName', ...figures)).toEqual([
      ['row', name, 2, 1, 3, 1, 1, 1, 1, 100],
      ['total', 'Total', 2, 1, 3, 1, 1, 1, 1, 100],
    ])
    // Resulted or not, none of its tests counts as performed.
    await failedWhole(one.id)
    expect(pick(await rowsOf(await test.as('CLNT', client.id), 'SUMCLIENT'), ...figures).at(-1)).toEqual([
      2, 1, 3, 0, 2, 1, 1, 100,
    ])
  })

  it('SUMCLIENT shows one day, a client that is silent now, and no change against nothing', async () => {
    const { client, received, collaborator, name } = await world()
    await received('2026-11-03T20:00:00Z')
    const viewer = await test.as('COLA', collaborator.id)
    expect(
      pick(
        await rowsOf(viewer, 'SUMCLIENT', '11/03/2026', '11/03/2026'),
        'reqCount',
        'prevReqCount',
        'changePercent',
      )[0],
    ).toEqual([1, 0, null])
    expect(
      pick(
        await rowsOf(viewer, 'SUMCLIENT', '11/04/2026', '11/04/2026'),
        'clientName',
        'reqCount',
        'prevReqCount',
        'changePercent',
      )[0],
    ).toEqual([name, 0, 1, -100])
    expect(client.id).toBeGreaterThan(0)
  })

  it('takes a day of 25 hours and one of 23 as one day', async () => {
    const { client, received } = await world()
    const viewer = await test.as('CLNT', client.id)
    for (const at of ['2026-11-01T07:00:00Z', '2026-11-02T07:59:00Z', '2026-11-02T08:00:00Z']) await received(at)
    expect(pick(await rowsOf(viewer, 'SUMCLIENT', '11/01/2026', '11/01/2026'), 'reqCount').at(-1)).toEqual([2])
    for (const at of ['2026-03-08T08:00:00Z', '2026-03-09T06:59:00Z', '2026-03-09T07:00:00Z']) await received(at)
    expect(pick(await rowsOf(viewer, 'SUMCLIENT', '3/08/2026', '3/08/2026'), 'reqCount').at(-1)).toEqual([2])
  })

  it('SUMCOLA has one row per collaborator', async () => {
    const { received, collaborator, client } = await world()
    await received('2026-11-03T20:00:00Z')
    const { rows: owner } = await query('select name from collaborator where id = $1', [collaborator.id])
    const rows = await rowsOf(await test.as('CLNT', client.id), 'SUMCOLA')
    expect(pick(rows, 'colaName', 'reqCount', 'changePercent')).toEqual([
      [owner[0].name, 1, null],
      ['Total', 1, null],
    ])
  })

  it('SUMSALES counts a client fully under each of its reps and once in the total; a rep sees the own team only', async () => {
    const { received, client, collaborator } = await world()
    const boss = await test.given.salesPerson({ last_name: 'Abel', first_name: 'Ann', rep_code: 'ABEL' })
    const rep = await test.given.salesPerson({
      last_name: 'Bell',
      first_name: 'Bob',
      rep_code: 'BELL',
      report_to_id: boss.id,
    })
    const other = await test.given.salesPerson({ last_name: 'Cole', first_name: 'Cy', rep_code: 'COLE' })
    const service = await test.given.salesPerson({ type_code: 'SVC' })
    await test.given.clientSales(client.id, rep.id, true)
    await test.given.clientSales(client.id, other.id, false)
    await test.given.clientSales(client.id, service.id, false)
    await received('2026-11-03T20:00:00Z')
    await test.given.client({ collaborator_id: collaborator.id }).then(async ({ id }) => {
      const bare = await received(null, { client_id: id })
      await test.given.specimen(bare.id, { received_at: '2026-11-03T20:00:00Z' })
    })
    const names = ['salesRepCode', 'salesName', 'clientCount', 'reqCount']
    expect(pick(await rowsOf(await test.as('COLA', collaborator.id), 'SUMSALES'), ...names)).toEqual([
      ['BELL', 'Bell, Bob', 1, 1],
      ['COLE', 'Cole, Cy', 1, 1],
      [null, 'None', 1, 1],
      [null, 'Total', 2, 2],
    ])
    for (const person of [rep, boss]) {
      expect(pick(await rowsOf(await test.as('SLS', person.id), 'SUMSALES'), ...names)).toEqual([
        ['BELL', 'Bell, Bob', 1, 1],
        [null, 'Total', 1, 1],
      ])
    }
  })
})

describe('SUMTEST', () => {
  it('counts panels once per requisition, tests once however ordered, and leaves calculated ones out of the total', async () => {
    const { client, received } = await world()
    const { rows: panels } = await query('select id, code from panel order by sort_order, id limit 1')
    const panel = panels[0]
    const [one, two] = [await received('2026-11-03T20:00:00Z'), await received('2026-11-03T20:00:00Z')]
    const ofPanel = { panel_id: panel.id }
    await test.given.orderedTest(one.id, 'CHOL', { ...ofPanel, reportable_result: '1' })
    await test.given.orderedTest(one.id, 'LDL', { ...ofPanel, reportable_result: '1' })
    await test.given.orderedTest(two.id, 'CHOL', { ...ofPanel, deleted_at: '2026-11-04T00:00:00Z' })
    await failed((await test.given.orderedTest(two.id, 'HDL')).id)
    await test.given.orderedTest(two.id, 'HDL', { is_retest: true })
    const viewer = await test.as('CLNT', client.id)
    const told = async () =>
      pick(
        await rowsOf(viewer, 'SUMTEST'),
        'kind',
        'code',
        'orderedCount',
        'resultedCount',
        'failedCount',
        'retestCount',
        'clientCount',
      )
    expect(await told()).toEqual([
      ['Panel', panel.code, 2, 1, 0, 0, 1],
      ['Test', 'CHOL', 1, 1, 0, 0, 1],
      ['Test', 'HDL', 1, 0, 1, 1, 1],
      ['Test', 'LDL', 1, 1, 0, 0, 1],
      ['Test', 'Total', 2, 1, 1, 1, 1],
    ])
    await failedWhole(one.id)
    expect(await told()).toEqual([
      ['Panel', panel.code, 2, 0, 1, 0, 1],
      ['Test', 'CHOL', 1, 0, 1, 0, 1],
      ['Test', 'HDL', 1, 0, 1, 1, 1],
      ['Test', 'LDL', 1, 0, 1, 0, 1],
      ['Test', 'Total', 2, 0, 2, 1, 1],
    ])
  })
})

describe('SUMDIST', () => {
  it('spreads numbers by sex, and options by share', async () => {
    const { collaborator, received } = await world()
    const result = async (
      sex: 'MALE' | 'FEMALE',
      code: string,
      value: string,
      over: object = {},
      status = 'RESULT',
    ) => {
      const patient = await test.given.patient({ gender_code: sex })
      const { id } = await received(null, { patient_id: patient.id, status_code: status })
      const number = Number.isFinite(Number(value)) ? value : null
      await test.given.orderedTest(id, code, {
        result: value,
        result_num: number,
        reportable_result: value,
        process_date: '2026-11-03T20:00:00Z',
        ...over,
      })
      return id
    }
    for (const [value, interpretation] of [
      ['100', 'Normal'],
      ['200', 'Normal'],
      ['300', 'Borderline'],
      ['710', 'Unfavorable'],
    ]) {
      await result('MALE', 'CHOL', value ?? '', { interpretation })
    }
    await result('FEMALE', 'CHOL', '150', { interpretation: 'Normal' })
    await result('FEMALE', 'CHOL', 'N/A')
    await result('FEMALE', 'CHOL', '999', {}, 'PROCESS')
    await failedWhole(await result('FEMALE', 'CHOL', '999'))
    for (const value of ['NEG', 'NEG', 'POS']) await result('FEMALE', 'IGG', value)
    const rows = await rowsOf(await test.as('COLA', collaborator.id), 'SUMDIST')
    const names = [
      'testCode',
      'sex',
      'resultCount',
      'mean',
      'sd',
      'median',
      'normalPercent',
      'borderlinePercent',
      'unfavorablePercent',
      'textCount',
      'aboveCount',
    ]
    expect(pick(rows, ...names)).toEqual([
      ['CHOL', 'MALE (few)', 4, 327.5, 267.75, 250, 50, 25, 25, 0, 1],
      ['CHOL', 'FEMALE (few)', 1, 150, null, 150, 100, 0, 0, 1, 0],
      ['CHOL', 'both', 5, 292, 245.09, 200, 60, 20, 20, 1, 1],
      ['IGG', 'both (few)', 0, null, null, null, 66.7, null, null, 2, 0],
      ['IGG', 'both (few)', 0, null, null, null, null, null, 33.3, 1, 0],
    ])
    expect([rows[0]?.p5, rows[0]?.p95, rows[3]?.units]).toEqual([115, 648.5, 'Negative'])
  })
})

describe('SUMDELIV', () => {
  it('shows every method, attempts of the queue, and what became of each delivery', async () => {
    const { client, received } = await world()
    const { id } = await received(null)
    const file = await test.given.store('stored_file', {
      object_key: `d${id}`,
      original_name: 'a.pdf',
      content_type: 'application/pdf',
      byte_size: 1,
      sha256: Buffer.from('00', 'hex'),
    })
    const report = await test.given.store('report', { requisition_id: id })
    await query('insert into report_version (report_id, version_no, file_id) values ($1, 1, $2)', [report.id, file.id])
    const deliver = async (
      method: string,
      state: string,
      attempts: number,
      requested: string,
      delivered: string | null,
    ) => {
      const message =
        attempts > 0
          ? await test.given.store('outbox_message', { channel: 'EMAIL', recipient: 'a@b.c', body: 'x' })
          : null
      for (let n = 1; n <= attempts; n++)
        await test.given.store('outbox_attempt', { message_id: message?.id ?? 0, succeeded: n === attempts })
      await test.given.store('report_delivery', {
        requisition_id: id,
        report_id: report.id,
        report_version_no: 1,
        transmit_method_code: method,
        recipient: `${method}${requested}`,
        message_id: message?.id ?? null,
        state,
        requested_at: requested,
        delivered_at: delivered,
      })
    }
    await deliver('EMAIL', 'DELIVERED', 1, '2026-11-03T20:00:00Z', '2026-11-03T20:10:00Z')
    await deliver('EMAIL', 'DELIVERED', 3, '2026-11-05T20:00:00Z', '2026-11-09T20:00:00Z')
    await deliver('EMAIL', 'FAILED', 5, '2026-11-03T21:00:00Z', null)
    await deliver('FAX', 'PENDING', 1, '2026-11-03T20:00:00Z', null)
    await deliver('PORTAL', 'DELIVERED', 0, '2026-11-03T20:00:00Z', '2026-11-03T20:00:00Z')
    await deliver('PORTAL', 'DELIVERED', 0, '2026-11-06T08:00:00Z', '2026-11-06T20:00:00Z')
    const rows = await rowsOf(await test.as('CLNT', client.id), 'SUMDELIV')
    expect(
      pick(
        rows,
        'transmitMethodDesc',
        'deliveryCount',
        'successCount',
        'failedCount',
        'pendingCount',
        'attemptCount',
        'firstTryPercent',
        'medianMinutes',
      ),
    ).toEqual([
      ['E-mail', 3, 2, 1, 0, 9, 33.3, 2885],
      ['Secure fax', 1, 0, 0, 1, 1, 0, null],
      ['Portal', 1, 1, 0, 0, 1, 100, 0],
      ['Print', 0, 0, 0, 0, 0, null, null],
      [expect.stringContaining('HL7'), 0, 0, 0, 0, 0, null, null],
      ['Total', 5, 3, 1, 1, 11, 40, 10],
    ])
  })
})

describe('SUMBILL', () => {
  it('counts the first billing, prices per currency, and payments by their own date', async () => {
    const { client, received } = await world()
    const { rows: tests } = await query("select id, code from test where code in ('CHOL', 'HDL', 'TRIG')")
    const idOf = (code: string) => tests.find((row) => row.code === code)?.id
    await test.given.store('client_test_price', { client_id: client.id, test_id: idOf('CHOL'), price: '20.50' })
    await test.given.store('client_test_price', {
      client_id: client.id,
      test_id: idOf('HDL'),
      price: '10.00',
      currency_code: 'EUR',
    })
    const billed = await received(null, { bill_type_code: 'CLIENT' })
    for (const code of ['CHOL', 'HDL', 'TRIG', 'LDL']) await test.given.orderedTest(billed.id, code)
    await moved(billed.id, 'BILL', '2026-10-31T20:00:00Z')
    const inEuro = await received(null, { bill_type_code: 'CLIENT' })
    await test.given.orderedTest(inEuro.id, 'HDL')
    await moved(inEuro.id, 'BILL', '2026-10-31T20:00:00Z')
    await moved(billed.id, 'HOLD', '2026-11-02T20:00:00Z')
    await moved(billed.id, 'BILL', '2026-11-03T20:00:00Z')
    const missing = await received(null, { bill_type_code: 'CLIENT' })
    await moved(missing.id, 'MISSBILL', '2026-10-20T20:00:00Z')
    await moved(missing.id, 'NONCOLLECT', '2026-11-02T20:00:00Z')
    const pay = (type: string, payer: string, amount: string, date: string) =>
      test.given.store('payment', {
        requisition_id: billed.id,
        payment_type_code: type,
        payer_type_code: payer,
        payer: 'p',
        amount,
        payment_note: 'n',
        payment_date: date,
        payment_no: '1',
      })
    await pay('EFT', 'INS', '100.00', '2026-10-15')
    await pay('CARD', 'GUAR', '7.25', '2026-11-05')
    await pay('CHECK', 'COLA', '3.00', '2026-11-05')
    await pay('ADJUST', 'INS', '5.00', '2026-11-05')
    await pay('REFUND', 'PAT', '-2.00', '2026-11-05')
    await pay('CASH', 'PAT', '9.00', '2026-11-06')
    const rows = await rowsOf(await test.as('CLNT', client.id), 'SUMBILL', '10/15/2026', '11/05/2026')
    const names = [
      'month',
      'currencyCode',
      'billedReqCount',
      'billedAmount',
      'insurancePaid',
      'patientPaid',
      'clientPaid',
      'adjustments',
      'refunds',
      'netPaid',
      'missBillCount',
      'nonCollectCount',
    ]
    expect(pick(rows, ...names)).toEqual([
      ['2026-10', 'EUR', 1, 10, 0, 0, 0, 0, 0, 0, 1, 0],
      ['2026-10', 'USD', 1, 20.5, 100, 0, 0, 0, 0, 100, 0, 0],
      ['2026-11', 'EUR', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      ['2026-11', 'USD', 0, 0, 0, 7.25, 3, 5, 2, 3.25, 0, 0],
      ['Total', 'EUR', 1, 10, 0, 0, 0, 0, 0, 0, 1, 1],
      ['Total', 'USD', 1, 20.5, 100, 7.25, 3, 5, 2, 103.25, 0, 0],
      ['Without price', null, null, null, null, null, null, null, null, null, null, null],
    ])
    expect(rows.at(-1)?.reqBillTypeDesc).toBe('HDL, TRIG') // each requisition is billed in one currency
  })

  it("bills without a batch what 'Balance' shows: one currency, no failed test, no calculated one without a result", async () => {
    const { client, received } = await world()
    const { rows: tests } = await query("select id, code from test where code in ('CHOL', 'HDL', 'TRIG', 'LDL')")
    const price = (code: string, amount: string, currency = 'USD') =>
      test.given.store('client_test_price', {
        client_id: client.id,
        test_id: tests.find((row) => row.code === code)?.id,
        price: amount,
        currency_code: currency,
      })
    for (const [code, amount] of Object.entries({ CHOL: '20.00', HDL: '10.00', TRIG: '7.00', LDL: '5.00' }))
      await price(code, amount)
    await price('CHOL', '18.00', 'EUR')
    const { id } = await received(null, { bill_type_code: 'CLIENT', status_code: 'BILL' })
    await moved(id, 'BILL', '2026-10-20T20:00:00Z')
    await test.given.orderedTest(id, 'CHOL', { result: '180', reportable_result: '180' })
    await test.given.orderedTest(id, 'HDL', { result: '50', reportable_result: '50' })
    await failed((await test.given.orderedTest(id, 'TRIG')).id)
    await test.given.orderedTest(id, 'LDL') // 'Not calculated': a part of it failed
    const staff = await test.as('STF')
    const { balances } = (await staff.get(`requisitions/${id}/account`)).body.data
    expect(balances).toMatchObject([{ currencyCode: 'USD', charged: '30.00' }])
    const rows = await rowsOf(await test.as('CLNT', client.id), 'SUMBILL', '10/01/2026', '10/31/2026')
    expect(pick(rows, 'currencyCode', 'billedReqCount', 'billedAmount')).toEqual([
      ['USD', 1, 30],
      ['USD', 1, 30],
    ])
  })

  it('counts the price of the day of billing, whatever it is now, once; and no charge at nothing', async () => {
    const { client, collaborator, received } = await world()
    const { rows: tests } = await query("select id from test where code = 'CHOL'")
    const testId = tests[0].id
    const price = await test.given.store('client_test_price', { client_id: client.id, test_id: testId, price: '20.00' })
    const billed = await received(null, { bill_type_code: 'CLIENT' })
    const free = await received(null, { bill_type_code: 'NOCHARGE' })
    for (const { id } of [billed, free]) {
      await test.given.orderedTest(id, 'CHOL')
      await moved(id, 'BILL', '2026-10-20T20:00:00Z')
    }
    // Billed, then by mistake once more in a second batch: the first is what counts.
    for (const amount of ['20.00', '33.00']) {
      const batch = await test.given.store('billing_batch', { send_status_code: 'SENT' })
      await query('insert into billing_batch_item (batch_id, requisition_id, is_open) values ($1, $2, false)', [
        batch.id,
        billed.id,
      ])
      await query(
        "insert into billing_charge (batch_id, requisition_id, test_id, amount, currency_code) values ($1, $2, $3, $4, 'USD')",
        [batch.id, billed.id, testId, amount],
      )
    }
    await query('update client_test_price set price = 99 where id = $1', [price.id])
    const rows = await rowsOf(await test.as('CLNT', client.id), 'SUMBILL', '10/01/2026', '10/31/2026')
    expect(pick(rows, 'reqBillTypeDesc', 'billedReqCount', 'billedAmount')).toEqual([
      ['Client', 1, 20],
      ['No charge', 1, 0],
      [null, 2, 20],
    ])
    // A collaborator knows no client's prices, and does not learn them from its bills.
    const partner = await rowsOf(await test.as('COLA', collaborator.id), 'SUMBILL', '10/01/2026', '10/31/2026')
    expect(partner.map(({ billedAmount }) => billedAmount)).toEqual([0, 0, 0])
  })

  it('counts what a batch billed under the bill type that it had there, and no charge at nothing, whatever Bill To says now', async () => {
    const { client, received } = await world()
    const { rows: tests } = await query("select id from test where code = 'CHOL'")
    await test.given.store('client_test_price', { client_id: client.id, test_id: tests[0].id, price: '20.00' })
    const batched = async (billType: string, amount: string | null, leftOut: string | null = null) => {
      const { id } = await received(null, { bill_type_code: billType, status_code: 'BILL' })
      await test.given.orderedTest(id, 'CHOL')
      await moved(id, 'BILL', '2026-10-20T20:00:00Z')
      const batch = await test.given.store('billing_batch', { send_status_code: 'SENT', bill_send_at: '2026-10-20' })
      await query(
        'insert into billing_batch_item (batch_id, requisition_id, is_open, bill_type_code, left_out) values ($1, $2, false, $3, $4)',
        [batch.id, id, leftOut ? null : billType, leftOut],
      )
      if (amount !== null)
        await query(
          "insert into billing_charge (batch_id, requisition_id, test_id, amount, currency_code) values ($1, $2, $3, $4, 'USD')",
          [batch.id, id, tests[0].id, amount],
        )
      return id
    }
    const charged = await batched('CLIENT', '100.00')
    const free = await batched('NOCHARGE', null)
    const out = await batched('COLA', null, 'No price for CHOL') // its status was set by hand: billed at the price of today
    await query("update requisition set bill_type_code = 'NOCHARGE' where id = $1", [charged])
    await query("update requisition set bill_type_code = 'CLIENT' where id = $1", [free])
    const reader = await test.as('CLNT', client.id)
    const staff = await test.as('STF')
    const chargedBy = async (id: number) =>
      (await staff.get(`requisitions/${id}/account`)).body.data.balances[0].charged
    expect([await chargedBy(charged), await chargedBy(free), await chargedBy(out)]).toEqual(['100.00', '0.00', '20.00'])
    const rows = await rowsOf(reader, 'SUMBILL', '10/01/2026', '10/31/2026')
    expect(pick(rows, 'reqBillTypeDesc', 'billedReqCount', 'billedAmount')).toEqual([
      ['Client', 1, 100],
      ['Collaborator', 1, 20],
      ['No charge', 1, 0],
      [null, 3, 120],
    ])
  })

  it('shows no missing prices to users who may not see prices', async () => {
    const { client, collaborator, received } = await world()
    const { rows: tests } = await query("select id from test where code = 'CHOL'")
    await test.given.store('client_test_price', { client_id: client.id, test_id: tests[0].id, price: '20.00' })
    const { id } = await received(null, { bill_type_code: 'CLIENT', status_code: 'BILL' })
    for (const code of ['CHOL', 'TRIG']) await test.given.orderedTest(id, code)
    await moved(id, 'BILL', '2026-10-20T20:00:00Z')
    const read = async (caller: Caller) =>
      pick(await rowsOf(caller, 'SUMBILL', '10/01/2026', '10/31/2026'), 'month', 'reqBillTypeDesc', 'billedAmount')
    expect(await read(await test.as('COLA', collaborator.id))).toEqual([
      ['2026-10', 'Client', 0],
      ['Total', null, 0],
    ])
    expect(await read(await test.as('CLNT', client.id))).toEqual([
      ['2026-10', 'Client', 20],
      ['Total', null, 20],
      ['Without price', 'TRIG', null],
    ])
  })
})

describe('SUMUSER', () => {
  const audited = (
    actorId: number,
    entity: string,
    action: string,
    at: string,
    over: { old?: object; now?: object; request?: string } = {},
  ) =>
    query(
      `insert into audit_entry (entity, entity_id, requisition_id, action, actor_id, actor_name, request_id, at, old_data, new_data, chain_no, hash)
       values ($1, $2, case when $1 = 'requisition' then 1 end, $3, $4, 'x', $5, $6, $7, $8, 0, '')`,
      [
        entity,
        Math.floor(Math.random() * 1e9),
        action,
        actorId,
        over.request ?? null,
        at,
        over.old && JSON.stringify(over.old),
        over.now && JSON.stringify(over.now),
      ],
    )

  it('counts what a user did, not what followed by itself; others see only themselves', async () => {
    const lab = await test.given.lab({ zone: 'America/Los_Angeles' })
    const worker = await test.as('STF', lab.id)
    await query("update app_user set created_at = '2026-01-01' where true")
    const at = '2026-11-03T20:00:00Z'
    const move = (from: string, to: string) => ({ old: { reqStatusCode: from }, now: { reqStatusCode: to } })
    const request = '00000000-0000-4000-8000-00000000abcd'
    await audited(worker.userId, 'app_user', 'SIGN_IN', at)
    await audited(worker.userId, 'app_user', 'SIGN_IN', '2026-11-06T08:00:00Z')
    await audited(worker.userId, 'sign_in', 'PASSWORD_FAILED', at)
    await audited(worker.userId, 'sign_in', 'CODE_FAILED', at)
    await audited(worker.userId, 'requisition', 'CREATE', at)
    await audited(worker.userId, 'requisition', 'RESULT', at, { now: { CHOL: '1', HDL: '2', LDL: '3' }, request })
    await audited(worker.userId, 'requisition', 'STATUS', at, { ...move('PROCESS', 'RESULT'), request })
    await audited(worker.userId, 'requisition', 'STATUS', at, move('LOG', 'ACC'))
    await audited(worker.userId, 'report', 'REPORT', at, { now: { labQcStatusCode: 'RELEASE' } })
    for (const route of [
      'reports/{id}/view',
      'requisitions/{id}/download',
      'requisitions/{view}/export',
      'requisitions/{view}',
    ])
      await query(
        "insert into access_log (user_id, user_name, user_role_code, method, route, at) values ($1, '', '', 'GET', $2, $3)",
        [worker.userId, route, at],
      )
    const names = [
      'loginCount',
      'failedLoginCount',
      'reqCreatedCount',
      'resultSavedCount',
      'statusMoveCount',
      'reportReleasedCount',
      'downloadCount',
      'exportCount',
    ]
    const { rows: user } = await query('select user_name from app_user where id = $1', [worker.userId])
    const all = await rowsOf(await test.as('MGMT'), 'SUMUSER')
    expect(
      pick(
        all.filter(({ userName }) => userName === user[0].user_name),
        'userRoleDesc',
        'userStatusDesc',
        ...names,
      ),
    ).toEqual([['Staff', 'Enabled', 1, 2, 1, 2, 1, 1, 2, 1]])
    expect(all.length).toBeGreaterThan(1)
    const client = await test.as('CLNT')
    await query("update app_user set created_at = '2026-01-01', status_code = 'ACT' where id = $1", [client.userId])
    expect(pick(await rowsOf(client, 'SUMUSER'), 'userRoleDesc', ...names)).toEqual([
      ['Client', 0, 0, 0, 0, 0, 0, 0, 0],
    ])
    await query("update app_user set deleted_at = '2026-11-02T00:00:00Z' where id = $1", [worker.userId])
    const after = await rowsOf(await test.as('ADM'), 'SUMUSER')
    expect(after.find(({ userName }) => userName === user[0].user_name)?.userStatusDesc).toBe('Deleted')
  })

  it('counts a move to Processing once, though what fail codes have finished goes on to Resulted by itself', async () => {
    const worker = await test.as('STF')
    const { id } = await test.given.requisition({ status_code: 'ACC' })
    await test.given.specimen(id)
    await failed((await test.given.orderedTest(id, 'CHOL')).id)
    const { body } = await worker.put(`requisitions/ACC/next_status/bulk_move?id=${id}`, { callSource: 'ACC' })
    expect(body.data).toMatchObject({ moved: [id], movedOn: [id] })
    const day = (after: number) => {
      const [year, month, date] = new Date(Date.now() + after * 86_400_000).toISOString().slice(0, 10).split('-')
      return `${month}/${date}/${year}`
    }
    const { rows: user } = await query('select user_name from app_user where id = $1', [worker.userId])
    const countOf = async () =>
      (await rowsOf(worker, 'SUMUSER', day(-1), day(1))).find(({ userName }) => userName === user[0].user_name)
        ?.statusMoveCount
    expect(await countOf()).toBe(1)
    // Nor is a fail code of the whole requisition a move, neither way; the status select is one.
    const other = await test.given.requisition({ status_code: 'PROCESS' })
    await test.given.orderedTest(other.id, 'CHOL')
    const { rows: reasons } = await query("select id from reason where code = '907'")
    await worker.put(`requisitions/${other.id}/fail_codes`, { failIds: [reasons[0].id] })
    await worker.put(`requisitions/${other.id}/fail_codes`, { failIds: [] })
    const { rows: states } = await query(
      'select to_code from requisition_status_event where requisition_id = $1 order by id',
      [other.id],
    )
    expect(states.map(({ to_code }) => to_code)).toEqual(['RESULT', 'PROCESS'])
    expect(await countOf()).toBe(1)
  })
})

describe('row scope', () => {
  /** Something for every report on one requisition. */
  const full = async () => {
    const { client, received, collaborator } = await world()
    const physician = await test.given.physician()
    const rep = await test.given.salesPerson()
    await test.given.clientSales(client.id, rep.id)
    const at = '2026-11-03T20:00:00Z'
    const { id } = await received(at, { physician_id: physician.id, status_code: 'RESULT', bill_type_code: 'CLIENT' })
    await test.given.orderedTest(id, 'CHOL', {
      result: '900',
      result_num: '900',
      reportable_result: '> 700',
      process_date: at,
    })
    await failed((await test.given.orderedTest(id, 'HDL', { process_date: at })).id)
    for (const to of ['ACC', 'BILL']) await moved(id, to, at)
    await query(
      "insert into requisition_status_event (requisition_id, from_code, to_code, at) values ($1, 'ACC', 'PROCESS', $2)",
      [id, at],
    )
    await test.given.issue(id, { created_at: at })
    await query(
      `insert into audit_entry (entity, entity_id, requisition_id, action, actor_id, actor_name, at, new_data, chain_no, hash)
       values ('requisition', $1::bigint, $1::bigint, 'DEMQC', 1, 'x', $2, '{"isDemQcPass": 0}', 0, '')`,
      [id, at],
    )
    const file = await test.given.store('stored_file', {
      object_key: `s${id}`,
      original_name: 'a.pdf',
      content_type: 'application/pdf',
      byte_size: 1,
      sha256: Buffer.from('00', 'hex'),
    })
    const report = await test.given.store('report', { requisition_id: id, current_version_no: 2 })
    await query('insert into report_version (report_id, version_no, file_id) values ($1, 1, $2)', [report.id, file.id])
    await query(
      "insert into report_version (report_id, version_no, file_id, is_correction, correction_reason) values ($1, 2, $2, true, 'why')",
      [report.id, file.id],
    )
    // A correction and not a repetition, which practices and sales do not see.
    await query("insert into report_event (report_id, version_no, action_code, at) values ($1, 2, 'RELEASE', $2)", [
      report.id,
      at,
    ])
    await test.given.store('report_delivery', {
      requisition_id: id,
      report_id: report.id,
      report_version_no: 1,
      transmit_method_code: 'PORTAL',
      recipient: 'x',
      requested_at: at,
    })
    const logged = await received(at, {
      physician_id: physician.id,
      ordering_client_physician_id: (
        await query('select id from client_physician where physician_id = $1', [physician.id])
      ).rows[0].id,
    })
    const batch = await test.given.store('billing_batch', {})
    for (const one of [id, logged.id])
      await query('insert into billing_batch_item (batch_id, requisition_id) values ($1, $2)', [batch.id, one])
    return {
      CLNT: client.id,
      COLA: collaborator.id,
      PHYS: physician.id,
      SLS: rep.id,
      BILL: undefined,
      batchId: batch.id,
    }
  }

  it('holds in every report: own rows are there, foreign ones are not, in rows and in totals', async () => {
    const [mine, theirs] = [await full(), await full()]
    await query('delete from billing_batch_item where batch_id = $1', [theirs.batchId])
    const cases = (['QA', 'SUMMARY'] as const).flatMap((kind) =>
      definitions[kind].map(({ code }) => ({ code, path: kind === 'QA' ? 'qa_reports' : 'summary_reports' })),
    )
    const countNames = [
      'reqCount',
      'failCount',
      'openedCount',
      'orderedCount',
      'deliveryCount',
      'billedReqCount',
      'resultCount',
    ]
    const twice = ['SUMCLIENT', 'SUMCOLA', 'SUMSALES']
    const roles: Role[] = registered.filter((role) => role in mine)
    for (const role of roles) {
      const caller = await test.as(role, mine[role as 'CLNT'])
      const stranger = await test.as(role === 'BILL' ? 'PHYS' : role)
      for (const { code, path } of cases) {
        if (code === 'SUMUSER' || code === 'QAPEND') continue // QAPEND: the same with its own status below
        const listed: { reportCode: string }[] = (await caller.get(path)).body.data
        if (!listed.some(({ reportCode }) => reportCode === code)) continue
        const own = await rowsAt(path, caller, code, '11/01/2026', '11/05/2026')
        const plain = own.filter(({ rowKind }) => rowKind === 'row')
        const counts = plain.flatMap((row) =>
          countNames.flatMap((name) => (typeof row[name] === 'number' ? [row[name]] : [])),
        )
        // One requisition's worth (or two, where both of them count): the foreign ones would double it.
        expect([role, code, counts.length > 0 ? Math.max(...counts) : plain.length]).toEqual([
          role,
          code,
          twice.includes(code) ? 2 : 1,
        ])
        const foreign = await rowsAt(path, stranger, code, '11/01/2026', '11/05/2026')
        const seen = foreign.filter(
          (row) =>
            row.rowKind === 'row' && Object.values(row).some((value) => typeof value === 'number' && value !== 0),
        )
        expect([role, code, seen]).toEqual([role, code, []])
      }
      const pending = await rowsAt('qa_reports', caller, 'QAPEND', '11/01/2026', '11/05/2026')
      expect([role, pending.at(-1)?.total]).toEqual([role, 2])
    }
  })
})
