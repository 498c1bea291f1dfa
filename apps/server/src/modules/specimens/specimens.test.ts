import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

const receipt = (over: object = {}) => ({
  specimenTypeCode: 'SERUM',
  temperatureTypeCode: 'REF',
  containerTypeCode: 'SST',
  ...over,
})
const moment = (over: object = {}) => ({
  dateReceivedMonth: 11,
  dateReceivedDay: 8,
  dateReceivedYear: 2026,
  timeReceivedHours: 3,
  timeReceivedMinutes: 5,
  timeReceivedAmPm: 'pm',
  ...over,
})

describe('GET requisitions/:id/specimens, SPEC-030', () => {
  it('carries every field of a receipt, with names beside codes, SPEC-004..SPEC-007 SPEC-014 SPEC-015', async () => {
    const { id } = await test.given.requisition({ collected_at: '2026-11-08T10:00:00Z' })
    const staff = await test.as('STF')
    await staff.post(`requisitions/${id}/specimens`, receipt({ tubeCount: 2, ...moment() }))
    const { body } = await staff.get(`requisitions/${id}/specimens`)
    expect(body.total).toBe(1)
    expect(body.data[0]).toMatchObject({
      specimenTypeCode: 'SERUM',
      specimenTypeDesc: 'Serum',
      temperatureTypeCode: 'REF',
      temperatureTypeDesc: 'Refrigerated',
      containerTypeCode: 'SST',
      containerTypeDesc: 'Serum separator tube (gold)',
      tubeCount: 2,
      receivedTz: 'America/New_York',
    })
    expect(new Date(body.data[0].dateReceived).toISOString()).toBe('2026-11-08T20:05:00.000Z')
    const { user_name } = await test.database.db
      .selectFrom('app_user')
      .select('user_name')
      .where('id', '=', staff.userId)
      .executeTakeFirstOrThrow()
    expect(body.data[0].specCreateByUsername).toBe(user_name)
  })

  it('lists all of them without paging, SPEC-032', async () => {
    const { id } = await test.given.requisition()
    for (let n = 0; n < 12; n++) await test.given.specimen(id)
    const { body } = await (await test.as('ADM')).get(`requisitions/${id}/specimens`)
    expect([body.data.length, body.total]).toEqual([12, 12])
  })

  it('is open to those who have the tab, within their scope', async () => {
    const client = await test.given.client()
    const own = await test.given.requisition({ client_id: client.id })
    const foreign = await test.given.requisition()
    await test.given.specimen(own.id)
    await test.given.specimen(foreign.id)
    const reader = await test.as('CLNT', client.id)
    expect((await reader.get(`requisitions/${own.id}/specimens`)).body.total).toBe(1)
    expect((await reader.get(`requisitions/${foreign.id}/specimens`)).status).toBe(404)
    expect((await reader.get(`requisitions/${foreign.id}/specimens/life_line`)).status).toBe(404)
    for (const role of ['PHYS', 'BILL', 'GST'] as const)
      expect((await (await test.as(role)).get(`requisitions/${own.id}/specimens`)).status).toBe(403)
    expect((await test.nobody.get(`requisitions/${own.id}/specimens`)).status).toBe(401)
  })
})

describe('POST requisitions/:id/specimens, SPEC-031', () => {
  it('is for super admins only, SPEC-003', async () => {
    const client = await test.given.client()
    const { id } = await test.given.requisition({ client_id: client.id })
    for (const role of ['ADM', 'MGMT', 'STF'] as const) {
      const { status, body } = await (await test.as(role)).post(`requisitions/${id}/specimens`, receipt())
      expect([role, status, body.message]).toEqual([role, 200, 'Successfully created'])
    }
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const) {
      const caller = await test.as(role, role === 'CLNT' ? client.id : undefined)
      const { status } = await caller.post(`requisitions/${id}/specimens`, receipt())
      expect([role, status]).toEqual([role, 403])
    }
    expect((await (await test.as('ADM')).post('requisitions/999999999/specimens', receipt())).status).toBe(404)
  })

  it('is received now by default, SPEC-018 SPEC-019', async () => {
    const { id } = await test.given.requisition({ collected_at: new Date(Date.now() - 3_600_000).toISOString() })
    const before = Date.now()
    const { body } = await (await test.as('STF')).post(`requisitions/${id}/specimens`, receipt())
    const row = await test.database.db
      .selectFrom('specimen')
      .selectAll()
      .where('id', '=', body.data.id)
      .executeTakeFirstOrThrow()
    expect(row.tube_count).toBe(1)
    expect(new Date(row.received_at).getTime()).toBeGreaterThanOrEqual(before)
    expect(new Date(row.received_at).getTime()).toBeLessThanOrEqual(Date.now())
  })

  it("reads the time in the laboratory's zone, not in the reader's or the collection's, SPEC-008..SPEC-013", async () => {
    const lab = await test.given.lab({ zone: 'America/Los_Angeles' })
    const { id } = await test.given.requisition({ lab_id: lab.id, collected_at: '2026-07-01T10:00:00Z' })
    const staff = await test.as('STF')
    const received = [
      [
        moment({ dateReceivedMonth: 7, dateReceivedDay: 4, timeReceivedHours: 12, timeReceivedAmPm: 'am' }),
        '2026-07-04T07:05:00.000Z',
      ],
      [
        moment({ dateReceivedMonth: 7, dateReceivedDay: 4, timeReceivedHours: 12, timeReceivedAmPm: 'pm' }),
        '2026-07-04T19:05:00.000Z',
      ],
      [moment({ dateReceivedDay: 8 }), '2026-11-08T23:05:00.000Z'],
    ] as const
    for (const [parts] of received)
      expect((await staff.post(`requisitions/${id}/specimens`, receipt(parts))).status).toBe(200)
    const { body } = await staff.get(`requisitions/${id}/specimens`)
    expect(body.data.map((row: { dateReceived: string }) => new Date(row.dateReceived).toISOString())).toEqual(
      received.map(([, instant]) => instant),
    )
    expect(body.data[0].receivedTz).toBe('America/Los_Angeles')
  })

  it.each([
    [{ dateReceivedMonth: 2, dateReceivedDay: 30 }, 'Invalid date'],
    [
      {
        dateReceivedMonth: 3,
        dateReceivedDay: 8,
        timeReceivedHours: 2,
        timeReceivedMinutes: 30,
        timeReceivedAmPm: 'am',
      },
      'Invalid date',
    ],
    [{ dateReceivedYear: 2126 }, 'The received date and time cannot be in the future'],
    [{ dateReceivedYear: 2025, dateReceivedMonth: 1 }, 'The received date and time cannot be before the collection'],
  ])('refuses a moment that cannot be: %j', async (over, message) => {
    const { id } = await test.given.requisition({ collected_at: '2026-02-01T10:00:00Z' })
    const { status, body } = await (await test.as('STF')).post(`requisitions/${id}/specimens`, receipt(moment(over)))
    expect([status, body.errors]).toEqual([400, [{ field: 'dateReceivedDay', message }]])
  })

  it('names every field that is wrong, SPEC-020..SPEC-023', async () => {
    const { id } = await test.given.requisition()
    const staff = await test.as('STF')
    const empty = await staff.post(`requisitions/${id}/specimens`, { tubeCount: '' })
    expect(empty.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'Specimen Type is required',
      'Temperature is required',
      'Container is required',
      'Number of Tubes is required',
    ])
    const unknown = await staff.post(`requisitions/${id}/specimens`, receipt({ specimenTypeCode: 'GOLD' }))
    expect([unknown.status, unknown.body.errors]).toEqual([
      400,
      [{ field: 'specimenTypeCode', message: 'Specimen Type is invalid' }],
    ])
  })

  it('shows at once in the list of requisitions and in the history', async () => {
    const { id } = await test.given.requisition({ collected_at: '2026-11-08T10:00:00Z' })
    const staff = await test.as('STF')
    await staff.post(`requisitions/${id}/specimens`, receipt(moment()))
    const { body } = await staff.get(`requisitions/${id}`)
    expect(new Date(body.data.dateReceived).toISOString()).toBe('2026-11-08T20:05:00.000Z')
    const audit = await test.database.db
      .selectFrom('audit_entry')
      .select(['entity', 'action'])
      .where('requisition_id', '=', id)
      .where('entity', '=', 'specimen')
      .execute()
    expect(audit).toEqual([{ entity: 'specimen', action: 'SPECIMEN' }])
  })
})

describe('a specimen without ordered test', () => {
  const testId = async (code: string) =>
    (await test.database.owner.query('select id from test where code = $1', [code])).rows[0].id as number
  const issuesOf = async (id: number): Promise<[string, string, string][]> =>
    (await (await test.as('STF')).get(`requisitions/${id}/issues`)).body.data.map(
      (issue: { issueCode: string; issueStatusCode: string; resolverDeptName: string }) => [
        issue.issueCode,
        issue.issueStatusCode,
        issue.resolverDeptName,
      ],
    )

  it('raises one issue for client services, which is resolved with the first test and raised again when the last one is removed', async () => {
    const { id } = await test.given.requisition()
    const staff = await test.as('STF')
    await staff.post(`requisitions/${id}/specimens`, receipt())
    await staff.post(`requisitions/${id}/specimens`, receipt())
    expect(await issuesOf(id)).toEqual([['NOTEST', 'OPEN', 'Client Services']])
    expect((await staff.get(`requisitions/${id}`)).body.data.issueCount).toBe(1)

    const { body } = await staff.post(`requisitions/${id}/req_tests`, { panelIds: [], testIds: [await testId('CHOL')] })
    expect(await issuesOf(id)).toEqual([['NOTEST', 'RESOLVED', 'Client Services']])
    const audit = await test.database.db
      .selectFrom('audit_entry')
      .select(['actor_id', 'actor_name'])
      .where('requisition_id', '=', id)
      .where('entity', '=', 'issue')
      .execute()
    expect(audit).toEqual(Array(2).fill({ actor_id: null, actor_name: 'Accessioning' }))

    await staff.del(`requisitions/${id}/req_tests/${body.data.id}`)
    expect((await issuesOf(id)).map(([code, status]) => [code, status])).toEqual([
      ['NOTEST', 'OPEN'],
      ['NOTEST', 'RESOLVED'],
    ])
  })

  it('raises no issue if a test is ordered', async () => {
    const { id } = await test.given.requisition()
    await test.given.store('requisition_test', { requisition_id: id, test_id: await testId('CHOL') })
    await (await test.as('STF')).post(`requisitions/${id}/specimens`, receipt())
    expect(await issuesOf(id)).toEqual([])
  })
})

describe('GET requisitions/:id/specimens/life_line', () => {
  it('lists everything that happened to a sample, from collection to discard, in order', async () => {
    const client = await test.given.client()
    const lab = await test.given.lab()
    const { id } = await test.given.requisition({
      client_id: client.id,
      lab_id: lab.id,
      collected_at: '2026-11-01T10:00:00Z',
      logged_at: '2026-11-01T12:00:00Z',
      collect_code: 'VENI',
      centrifuged_time: '07:30',
      collected_by: 'T. Ngata',
    })
    const box = await test.given.freezerBox(lab.id)
    const staff = await test.as('STF')
    await staff.post(`requisitions/${id}/specimens`, receipt({ ...moment({ dateReceivedDay: 2 }) }))
    const { body: placed } = await staff.post(`requisitions/${id}/spec_locs`, {
      specLocTypeCode: 'SERUM',
      sampleSizeCode: 'CRYO10',
      aliquot: 1,
      trackerIds: [box.slotIds[12]],
    })
    await staff.del(`requisitions/${id}/spec_locs/bulk_discard?id=${placed.data.ids[0]}`)
    const { body } = await staff.get(`requisitions/${id}/specimens/life_line`)
    expect(body.data.map(({ kind, detail }: { kind: string; detail: string }) => [kind, detail])).toEqual([
      ['COLLECTED', 'Venipuncture, centrifuged 07:30 EST'],
      ['LOGGED', null],
      ['RECEIVED', 'Serum, Serum separator tube (gold), 1 tube, Refrigerated'],
      ['PLACED', expect.stringMatching(/^Serum aliquot: Freezer \d+ › 1 › A › B\d+ › B4$/)],
      ['DISCARDED', expect.stringContaining('› B4')],
    ])
    const [collected, , received, put] = body.data
    expect(collected).toMatchObject({ byName: 'T. Ngata', zone: 'America/New_York', specimenId: null })
    expect([put.specimenId, received.byName]).toEqual([received.specimenId, expect.stringMatching(/^Test User/)])

    const practice = await (await test.as('CLNT', client.id)).get(`requisitions/${id}/specimens/life_line`)
    expect(practice.body.data.map(({ kind }: { kind: string }) => kind)).toEqual(['COLLECTED', 'LOGGED', 'RECEIVED'])
  })

  it('lists the order of a test before its result, also after a retest, which is a separate event', async () => {
    const { id } = await test.given.requisition({ status_code: 'PROCESS' })
    const created_at = '2026-11-01T12:00:00Z'
    const ordered = await test.given.orderedTest(id, 'HDL', { created_at })
    await test.given.orderedTest(id, 'CHOL', { created_at })
    const staff = await test.as('STF')
    const path = `requisitions/${id}/req_tests`
    await staff.put(`${path}/bulk_edit`, { reqTests: [{ reqTestId: ordered.id, result: '52.4' }] })
    expect((await staff.put(`${path}/${ordered.id}/retest`, {})).status).toBe(200)
    const { body } = await staff.get(`requisitions/${id}/specimens/life_line`)
    const events = (body.data as { kind: string; title: string; detail: string }[]).filter(({ kind }) =>
      ['ORDERED', 'RESULTED'].includes(kind),
    )
    expect(events.map(({ title, detail }) => [title, detail])).toEqual([
      ['Tests ordered', 'CHOL, HDL'],
      ['Tests resulted', 'HDL'],
      ['Retest', 'HDL'],
    ])
  })
})

describe('a wrong receipt', () => {
  it('is corrected with a reason, and the history has both values', async () => {
    const { id } = await test.given.requisition({ collected_at: '2026-11-08T10:00:00Z', status_code: 'ACC' })
    const staff = await test.as('STF')
    await staff.post(`requisitions/${id}/specimens`, receipt({ tubeCount: 2, ...moment() }))
    const [row] = (await staff.get(`requisitions/${id}/specimens`)).body.data
    const path = `requisitions/${id}/specimens/${row.id}`
    expect((await staff.put(path, receipt({ tubeCount: 3 }))).body.errors).toEqual([
      { field: 'reason', message: 'Reason for the correction is required' },
    ])
    const { status, body } = await staff.put(path, receipt({ tubeCount: 3, reason: 'Counted again' }), {
      'if-match': `"${row.version}"`,
    })
    expect([status, body.data]).toEqual([200, { id: row.id, version: row.version + 1 }])
    const [now] = (await staff.get(`requisitions/${id}/specimens`)).body.data
    expect([now.tubeCount, now.dateReceived]).toEqual([3, row.dateReceived])
    const [entry] = (await staff.get(`requisitions/${id}/req_hists`)).body.data
    expect(entry).toMatchObject({
      reason: 'Counted again',
      oldData: [{ key: 'Tube Count', value: '2' }],
      newData: [{ key: 'Tube Count', value: '3' }],
    })
    const late = await staff.put(path, receipt({ tubeCount: 4, reason: 'Old' }), { 'if-match': `"${row.version}"` })
    expect(late.status).toBe(409)
  })

  it('keeps what a correction does not send: three tubes stay three', async () => {
    const { id } = await test.given.requisition({ collected_at: '2026-11-08T10:00:00Z', status_code: 'ACC' })
    const staff = await test.as('STF')
    await staff.post(`requisitions/${id}/specimens`, receipt({ tubeCount: 3, ...moment() }))
    const [before] = (await staff.get(`requisitions/${id}/specimens`)).body.data
    const path = `requisitions/${id}/specimens/${before.id}`
    const corrected = await staff.put(path, { containerTypeCode: 'RED', reason: 'Wrong tube' })
    expect([corrected.status, corrected.body.message]).toEqual([200, 'Successfully updated'])
    const [now] = (await staff.get(`requisitions/${id}/specimens`)).body.data
    expect(now).toMatchObject({
      containerTypeCode: 'RED',
      specimenTypeCode: before.specimenTypeCode,
      temperatureTypeCode: before.temperatureTypeCode,
      tubeCount: 3,
      dateReceived: before.dateReceived,
    })
    const half = await staff.put(path, { dateReceivedDay: 9, reason: 'x' })
    expect([half.status, half.body.errors[0].message]).toEqual([400, 'Received Month is required'])
    expect((await staff.put(path, { temperatureTypeCode: '', reason: 'x' })).body.message).toBe(
      'Temperature is required',
    )
  })

  it('is found only on its own requisition, and corrected by those who receive', async () => {
    const [{ id }, other] = [await test.given.requisition(), await test.given.requisition()]
    const specimen = await test.given.specimen(id)
    const staff = await test.as('STF')
    const body = receipt({ reason: 'x' })
    expect((await staff.put(`requisitions/${other.id}/specimens/${specimen.id}`, body)).status).toBe(404)
    expect((await (await test.as('BILL')).put(`requisitions/${id}/specimens/${specimen.id}`, body)).status).toBe(403)
  })
})

describe('a receipt that looks wrong', () => {
  it('is saved with a hint that tube and order do not match: EDTA blood in a red top tube for a lipid panel', async () => {
    const { id } = await test.given.requisition({ status_code: 'ACC' })
    for (const code of ['CHOL', 'HDL']) await test.given.orderedTest(id, code)
    const staff = await test.as('STF')
    const needed = (await staff.get(`requisitions/${id}/specimens/needed`)).body.data
    expect(needed).toContainEqual({ testCode: 'CHOL', specimenTypeCodes: expect.arrayContaining(['SERUM']) })
    const { status, body } = await staff.post(
      `requisitions/${id}/specimens`,
      receipt({ specimenTypeCode: 'EDTAWB', containerTypeCode: 'RED' }),
    )
    const hints = [
      'This container is not one for this specimen type.',
      'None of the ordered tests is done from this specimen type: CHOL, HDL.',
    ]
    expect([status, body.message]).toEqual([200, `Successfully created. ${hints.join(' ')}`])
    expect((await staff.get(`requisitions/${id}/specimens`)).body.data[0].hints).toEqual(hints)
    const right = await staff.post(`requisitions/${id}/specimens`, receipt())
    expect(right.body.message).toBe('Successfully created')
  })
})
