import type { Home, HomeQueue } from '@lis/contract/home.ts'
import { parseFilter } from '@lis/contract/kit/list-query.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { fillRows } from '../jobs/maintenance.ts'

const test = openTestApp()

const homeOf = async (caller: Caller): Promise<Home> => (await caller.get('home')).body.data
const queueOf = (home: Home, code: string) => home.queues.find((queue) => queue.code === code) as HomeQueue
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

interface Released {
  flag?: 'H' | 'L' | 'A' | ''
  status?: string
  releasedAt?: string
  hasValues?: boolean
  code?: string
}

/** A requisition with a report whose content says one result. */
const reported = async (
  clientId: number,
  { flag = '', status = 'RELEASE', releasedAt = ago(0.01), hasValues = true, code = 'HBA1C' }: Released = {},
) => {
  const patient = await test.given.patient()
  const { id } = await test.given.requisition({ client_id: clientId, patient_id: patient.id, status_code: 'RELEASE' })
  const { rows } = await sql<{
    owner: object
  }>`select json_build_object('clientId', client_id, 'collaboratorId', collaborator_id) as owner
    from requisition where id = ${id}`.execute(test.database.db)
  const file = await test.given.store('stored_file', {
    object_key: `home-${id}`,
    original_name: `${id}.pdf`,
    content_type: 'application/pdf',
    byte_size: 1,
    sha256: Buffer.from(String(id)),
  })
  const result = {
    code,
    name: 'Hemoglobin A1c',
    loinc: null,
    value: '8.9',
    unit: '%',
    range: '4.0–5.6',
    flag,
    isNormal: flag === '',
  }
  const content = {
    patient: { id: patient.id },
    owner: rows[0]?.owner,
    results: [
      {
        ...result,
        interpretation: null,
        earlier: [
          { at: ago(90), value: '5.5' },
          { at: ago(200), value: '5.1' },
        ],
      },
    ],
  }
  const isReleased = status === 'RELEASE'
  const report = await test.given.store('report', { requisition_id: id })
  await sql`insert into report_version (report_id, version_no, file_id, content, is_made_here)
    values (${report.id}, 1, ${file.id}, ${hasValues ? JSON.stringify(content) : null}::jsonb, true)`.execute(
    test.database.db,
  )
  await sql`update report set lab_qc_status_code = ${status}, release_at = ${isReleased ? releasedAt : null}::timestamptz where id = ${report.id}`.execute(
    test.database.db,
  )
  return id
}

/** A call about a result of the requisition. */
const called = async (
  reqId: number,
  code: string,
  over: { raised_at: string; is_critical?: boolean; state?: string },
) => {
  const db = test.database.db
  const { id: testId } = await db.selectFrom('test').select('id').where('code', '=', code).executeTakeFirstOrThrow()
  const ordered = await db
    .selectFrom('requisition_test')
    .select('id')
    .where('requisition_id', '=', reqId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  await test.given.store('critical_call', {
    requisition_id: reqId,
    requisition_test_id: ordered?.id ?? (await test.given.orderedTest(reqId, code)).id,
    test_id: testId,
    value: '8.9',
    is_critical: true,
    due_at: over.raised_at,
    ...over,
  })
}

describe('GET home of a practice', () => {
  it('HOME-03 shows new results of released reports, abnormal ones first, with the value before', async () => {
    const client = await test.given.client()
    const normal = await reported(client.id)
    const abnormal = await reported(client.id, { flag: 'H', releasedAt: ago(2) })
    await reported(client.id, { flag: 'H', status: 'PENDING' })
    await reported((await test.given.client()).id, { flag: 'H' })
    const home = await homeOf(await test.as('CLNT', client.id))
    expect(home.failed).toEqual({})
    expect(home.newResults?.map(({ reqId }) => reqId)).toEqual([abnormal, normal])
    expect(home.newResults?.[0]).toMatchObject({
      patientFirstName: 'Pat',
      tests: [{ testCode: 'HBA1C', result: '8.9', units: '%', flag: 'H', previous: '5.5', trend: [5.1, 5.5, 8.9] }],
    })
    expect(home.newResults?.map(({ abnormalCount, isAllNormal }) => [abnormalCount, isAllNormal])).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect(queueOf(home, 'NEW_RESULTS').count).toBe(2)
  })

  it('HOME-03 puts a critical result first, however many are newer, for the practice and its physician', async () => {
    const client = await test.given.client()
    const critical = await reported(client.id, { code: 'HDL', flag: 'L', releasedAt: ago(20) })
    await called(critical, 'HDL', { raised_at: ago(20.1) })
    const abnormal = await reported(client.id, { flag: 'H', releasedAt: ago(1) })
    for (let number = 0; number < 51; number++) await reported(client.id)
    const { physician } = (
      await sql<{
        physician: number
      }>`select physician_id as physician from requisition where id = ${critical}`.execute(test.database.db)
    ).rows[0] as { physician: number }
    for (const caller of [await test.as('CLNT', client.id), await test.as('PHYS', physician)]) {
      const { newResults } = await homeOf(caller)
      expect(newResults?.[0]).toMatchObject({
        reqId: critical,
        isCritical: 1,
        abnormalCount: 1,
        tests: [{ testCode: 'HDL', isCritical: 1 }],
      })
    }
    const { newResults } = await homeOf(await test.as('CLNT', client.id))
    expect(newResults).toHaveLength(25)
    expect(newResults?.filter(({ reqId }) => reqId === abnormal)).toEqual([])
    const { body } = await (await test.as('CLNT', client.id)).get(`home/new_results?filter=[reqId:${critical}]`)
    expect(body.data).toMatchObject([{ reqId: critical, isCritical: 1 }])
  })

  it.each([
    [
      'the value was corrected before the release',
      'HDL',
      [
        { at: 3, isCritical: true, state: 'SUPERSEDED' },
        { at: 2.5, isCritical: false },
      ],
      0,
    ],
    [
      'the value was corrected after the release',
      'HDL',
      [
        { at: 3, isCritical: true, state: 'SUPERSEDED' },
        { at: 1, isCritical: false },
      ],
      1,
    ],
    ['only a result that is not released is critical', 'HDL', [{ at: 1, isCritical: true }], 0],
    ['only a test that is not in the report is critical', 'CHOL', [{ at: 3, isCritical: true }], 0],
  ])('HOME-03 calls a released result critical as it was released: %s', async (_, code, calls, isCritical) => {
    const client = await test.given.client()
    const id = await reported(client.id, { code: 'HDL', releasedAt: ago(2) })
    for (const { at, ...call } of calls)
      await called(id, code, {
        raised_at: ago(at),
        is_critical: call.isCritical,
        state: 'state' in call ? call.state : 'OPEN',
      })
    const { newResults } = await homeOf(await test.as('CLNT', client.id))
    expect(newResults).toMatchObject([
      { reqId: id, isCritical, isAllNormal: 1 - isCritical, tests: [{ testCode: 'HDL', isCritical }] },
    ])
  })

  it('HOME-03 a result stays new until it is marked as reviewed, per person, and is new again when it is corrected', async () => {
    const client = await test.given.client()
    const id = await reported(client.id)
    const [one, other] = [await test.as('CLNT', client.id), await test.as('CLNT', client.id)]
    const { asOf } = await homeOf(one)
    expect((await one.put('home/reviewed', { reqIds: [id], asOf })).status).toBe(200)
    expect((await homeOf(one)).newResults).toEqual([])
    expect((await homeOf(other)).newResults).toHaveLength(1)
    await sql`update report set first_release_at = release_at, release_at = now() + interval '1 second' where requisition_id = ${id}`.execute(
      test.database.db,
    )
    expect((await homeOf(one)).newResults).toHaveLength(1)
    await one.put('home/reviewed', { reqIds: [id], isReviewed: 0 })
    expect((await homeOf(one)).newResults).toHaveLength(1)
  })

  it('HOME-03 a result stays new after a month, and what was released long before the account is not new', async () => {
    const client = await test.given.client()
    const reader = await test.as('CLNT', client.id)
    await sql`update app_user set created_at = now() - interval '100 days' where id = ${reader.userId}`.execute(
      test.database.db,
    )
    const old = await reported(client.id, { releasedAt: ago(90) })
    await reported(client.id, { releasedAt: ago(140) })
    const home = await homeOf(reader)
    expect(home.newResults?.map(({ reqId }) => reqId)).toEqual([old])
    expect(queueOf(home, 'NEW_RESULTS').count).toBe(1)
  })

  it('HOME-03 a correction of what was released long before the account is new, also one from before its column', async () => {
    const client = await test.given.client()
    const reader = await test.as('CLNT', client.id)
    const id = await reported(client.id, { releasedAt: ago(140) })
    expect((await homeOf(reader)).newResults).toEqual([])
    await sql`update report set first_release_at = release_at, release_at = now() where requisition_id = ${id}`.execute(
      test.database.db,
    )
    expect((await homeOf(reader)).newResults).toMatchObject([{ reqId: id }])
    await test.database.owner.query('update requisition_list set corrected_at = null where requisition_id = $1', [id])
    expect((await homeOf(reader)).newResults).toEqual([])
    while (await fillRows(test.services.pool, 'corrected_at_fill'));
    expect((await homeOf(reader)).newResults).toMatchObject([{ reqId: id }])
  })

  it('HOME-03 a result out of scope cannot be marked', async () => {
    const id = await reported((await test.given.client()).id)
    const stranger = await test.as('CLNT')
    expect((await stranger.put('home/reviewed', { reqIds: [id] })).status).toBe(404)
    expect((await (await test.as('STF')).put('home/reviewed', { reqIds: [id] })).status).toBe(403)
  })

  it('HOME-03 shows orders on the way with their step, and what is wanted', async () => {
    const client = await test.given.client()
    const logged = await test.given.requisition({ client_id: client.id })
    const processing = await test.given.requisition({ client_id: client.id, status_code: 'PROCESS' })
    const missing = await test.given.requisition({ client_id: client.id, status_code: 'MISSBILL' })
    await test.given.issue(logged.id, {
      description: 'Please draw again',
      created_by: (await test.given.user('STF')).id,
    })
    const caller = await test.as('CLNT', client.id)
    const home = await homeOf(caller)
    expect(home.onTheWay?.map(({ reqId, step }) => [reqId, step])).toEqual([
      [processing.id, 3],
      [logged.id, 1],
    ])
    expect(home.wanted?.map(({ reqId, text }) => [reqId, text])).toEqual([
      [logged.id, 'Please draw again'],
      [missing.id, 'Billing information is missing'],
    ])
    expect([queueOf(home, 'ON_THE_WAY').count, queueOf(home, 'WANTED').count]).toEqual([2, 2])
  })

  it.each(['PHYS', 'COLA'] as const)('HOME-03 %s has the same for its requisitions', async (role) => {
    const client = await test.given.client()
    const id = await reported(client.id, { flag: 'L' })
    const { rows } = await sql<{ physician: number; collaborator: number }>`
      select physician_id as physician, collaborator_id as collaborator from requisition where id = ${id}`.execute(
      test.database.db,
    )
    const caller = await test.as(role, role === 'PHYS' ? rows[0]?.physician : rows[0]?.collaborator)
    const home = await homeOf(caller)
    expect(home.newResults?.map(({ reqId }) => reqId)).toEqual([id])
    expect([home.onTheWay, home.wanted]).toEqual([[], []])
    expect((await homeOf(await test.as(role))).newResults).toEqual([])
  })
})

describe('a report without stored values', () => {
  it('HOME-03 is new, and is not said to be normal', async () => {
    const client = await test.given.client()
    const id = await reported(client.id, { hasValues: false })
    const { newResults } = await homeOf(await test.as('CLNT', client.id))
    expect(newResults).toMatchObject([{ reqId: id, tests: [], isAllNormal: 0 }])
  })
})

describe('GET home of sales and billing', () => {
  it('HOME-03 compares what the clients of a sales person order, and names those who fell silent', async () => {
    const person = await test.given.salesPerson()
    const [busy, silent] = [await test.given.client(), await test.given.client()]
    for (const client of [busy, silent]) await test.given.clientSales(client.id, person.id)
    for (const days of [1, 5, 9, 40]) await test.given.requisition({ client_id: busy.id, logged_at: ago(days) })
    for (const days of [80, 82, 84, 86]) await test.given.requisition({ client_id: silent.id, logged_at: ago(days) })
    const seller = await test.as('SLS', person.id)
    const home = await homeOf(seller)
    expect(home.failed).toEqual({})
    const client = (id: number) => home.clients?.find(({ clientId }) => clientId === id)
    expect(client(busy.id)).toMatchObject({ volume30: 3, volumeBefore: 1, isSilent: 0 })
    expect(client(silent.id)).toMatchObject({ volume30: 0, volumeBefore: 0, isSilent: 1 })
    for (const { volume30, volumeBefore, recent, earlier } of home.clients ?? [])
      for (const [count, { link, call }] of [[volume30, recent] as const, [volumeBefore, earlier] as const]) {
        expect([call, (await seller.get(`${call}&page=1&perPage=1`)).body.total]).toEqual([call, count])
        const filters = new URL(link, 'http://lis').searchParams.get('smartFilter') ?? '[]'
        expect(
          Object.fromEntries(JSON.parse(filters).map((one: { id: string; value: string }) => [one.id, one.value])),
        ).toEqual(parseFilter(new URLSearchParams(call.split('?')[1]).get('filter') ?? ''))
      }
    expect(Date.parse(client(silent.id)?.lastOrderDate as string)).toBeCloseTo(Date.parse(ago(80)), -5)
    expect([queueOf(home, 'SILENT').count, queueOf(home, 'OPEN').count, queueOf(home, 'DELIVERED').count]).toEqual([
      1, 8, 0,
    ])
  })

  it('HOME-03 shows billing the batches that are not sent, and the money by month', async () => {
    await test.given.store('billing_batch', { record_count: 3 })
    await test.given.store('billing_batch', { record_count: 3, send_status_code: 'SENT' })
    const { id } = await test.given.requisition()
    const today = new Date().toISOString().slice(0, 10)
    const payment = await test.given.store('payment', {
      requisition_id: id,
      payment_type_code: 'CHECK',
      payer_type_code: 'PATIENT',
      payer: 'Pat',
      amount: '25.00',
      payment_note: '',
      payment_date: today,
      payment_no: '1',
    })
    const biller = await test.as('BILL')
    const home = await homeOf(biller)
    expect(home.failed).toEqual({})
    expect(home.queues.map(({ code }) => code).sort()).toEqual(['BATCHES', 'MISSING_BILLING', 'READY_TO_BILL'])
    expect(queueOf(home, 'BATCHES').count).toBe(1)
    expect(home.money).toEqual([
      { month: today.slice(0, 7), currencyCode: 'USD', billed: '0.00', received: '25.00', open: '-25.00' },
    ])
    await sql`update payment set deleted_at = now() where id = ${payment.id}`.execute(test.database.db)
    expect((await homeOf(biller)).money?.[0]?.received ?? '0.00').toBe('0.00')
  })
})
