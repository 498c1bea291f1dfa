import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()

type Row = Record<string, string | number | null>
const rowsOf = async (
  caller: Caller,
  reportCode: string,
  fromDate = '11/01/2026',
  toDate = '11/05/2026',
): Promise<Row[]> => {
  const { status, body } = await caller.get(
    `qa_reports/preview?${new URLSearchParams({ reportCode, fromDate, toDate })}`,
  )
  expect([status, body.message]).toEqual([200, ''])
  return body.data.rows
}
const pick = (rows: readonly Row[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]))
const query = (text: string, values: unknown[] = []) => test.database.owner.query(text, values)

/** A laboratory in Los Angeles: its days begin eight hours after those of the database (seven until 2 a.m. of 11/01/2026). */
const world = async () => {
  const lab = await test.given.lab({ zone: 'America/Los_Angeles' })
  const client = await test.given.client()
  const requisition = (over: object = {}) => test.given.requisition({ client_id: client.id, lab_id: lab.id, ...over })
  const viewer = await test.as('CLNT', client.id)
  const { rows } = await query(
    'select lab.name as lab, client.name as client from lab, client where lab.id = $1 and client.id = $2',
    [lab.id, client.id],
  )
  return { lab, client, requisition, viewer, names: rows[0] as { lab: string; client: string } }
}

const moved = (id: number, moves: readonly (readonly [from: string | null, to: string, at: string])[]) =>
  Promise.all(
    moves.map(([from, to, at]) =>
      query('insert into requisition_status_event (requisition_id, from_code, to_code, at) values ($1, $2, $3, $4)', [
        id,
        from,
        to,
        at,
      ]),
    ),
  )
const audited = (id: number, action: string, old: object | null, now: object, at: string, actorId: number | null = 7) =>
  query(
    `insert into audit_entry (entity, entity_id, requisition_id, action, actor_id, actor_name, at, old_data, new_data, chain_no, hash)
     values ('requisition', $1::bigint, $1::bigint, $2, $3, 'Jo Doe', $4, $5, $6, 0, '')`,
    [id, action, actorId, at, old && JSON.stringify(old), JSON.stringify(now)],
  )

describe('QATAT', () => {
  it('takes the first pass of each stage that was left in the period, on the clock of the laboratory', async () => {
    const { requisition, viewer, names } = await world()
    const first = await requisition({ status_code: 'ACC' })
    await test.given.specimen(first.id, { received_at: '2026-11-02T18:00:00Z' })
    await moved(first.id, [
      [null, 'LOG', '2026-11-02T17:00:00Z'],
      ['LOG', 'ACC', '2026-11-02T20:00:00Z'],
      ['ACC', 'PROCESS', '2026-11-02T23:30:00Z'],
      ['PROCESS', 'RESULT', '2026-11-05T00:30:00Z'],
      ['RESULT', 'RELEASE', '2026-11-05T02:45:00Z'], // REPORT was skipped
      ['RELEASE', 'ACC', '2026-11-05T03:00:00Z'],
      ['ACC', 'PROCESS', '2026-11-05T09:00:00Z'],
    ])
    // Left at the last instant of 11/05 there, and at the first of 11/06.
    for (const at of ['2026-11-06T07:59:59.999Z', '2026-11-06T08:00:00Z']) {
      const { id } = await requisition()
      await moved(id, [
        [null, 'ACC', '2026-11-04T08:00:00Z'],
        ['ACC', 'PROCESS', at],
      ])
    }
    const rows = await rowsOf(viewer, 'QATAT')
    expect(
      pick(rows, 'stage', 'reqCount', 'medianHours', 'p90Hours', 'maxHours', 'overTargetCount', 'overTargetPercent'),
    ).toEqual([
      ['Receipt to Accessioned', 1, 2, 2, 2, 0, 0],
      ['Accessioned', 2, 25.7, 48, 48, 1, 50],
      ['Processing', 1, 49, 49, 49, 1, 100],
      ['Resulted', 1, 2.3, 2.3, 2.3, 0, 0],
      ['Total', 1, 56, 56, 56, 0, 0],
    ])
    expect(rows.every(({ labName }) => labName === names.lab)).toBe(true)
  })

  it('takes the targets from the settings', async () => {
    const { requisition, viewer } = await world()
    const { id } = await requisition()
    await moved(id, [
      [null, 'ACC', '2026-11-02T08:00:00Z'],
      ['ACC', 'PROCESS', '2026-11-02T10:00:00Z'],
    ])
    await query("insert into setting (key, value) values ('reports.tatTargets', '{\"ACC\": 1}')")
    expect(pick(await rowsOf(viewer, 'QATAT'), 'stage', 'overTargetCount')).toEqual([['Accessioned', 1]])
    await query("delete from setting where key = 'reports.tatTargets'")
  })
})

describe('QAPEND', () => {
  it('sorts what waits by age and shows every status; delivered ones and other days never count', async () => {
    const { requisition, viewer, names } = await world()
    const us = (hoursAgo: number) => {
      const date = new Date(Date.now() - hoursAgo * 3_600_000)
      return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`
    }
    const ids: number[] = []
    for (const [status, hours] of [
      ['ACC', 23],
      ['ACC', 24],
      ['PROCESS', 300],
      ['DELIVER', 30],
      ['ACC', 2000],
    ] as const) {
      const { id } = await requisition({ status_code: status })
      await test.given.specimen(id, { received_at: new Date(Date.now() - hours * 3_600_000).toISOString() })
      ids.push(id)
    }
    const logged = await requisition({ status_code: 'LOG' })
    await query("update requisition set logged_at = now() - interval '50 hours' where id = $1", [logged.id])
    const rows = await rowsOf(viewer, 'QAPEND', us(400), us(-48))
    expect(
      pick(
        rows,
        'labName',
        'reqStatusDesc',
        'age0to1',
        'age1to2',
        'age2to5',
        'age5to10',
        'ageOver10',
        'total',
        'oldestReqId',
      ),
    ).toEqual([
      [names.lab, 'Logged', 0, 0, 1, 0, 0, 1, logged.id],
      [names.lab, 'Accessioned', 1, 1, 0, 0, 0, 2, ids[1]],
      [names.lab, 'Processing', 0, 0, 0, 0, 1, 1, ids[2]],
      [names.lab, 'Resulted', 0, 0, 0, 0, 0, 0, null],
      [names.lab, 'Reported', 0, 0, 0, 0, 0, 0, null],
      [names.lab, 'Released', 0, 0, 0, 0, 0, 0, null],
      [names.lab, 'Total', 1, 1, 1, 0, 1, 4, ids[2]],
      ['All laboratories', 'Total', 1, 1, 1, 0, 1, 4, ids[2]],
    ])
  })
})

describe('QAFAIL', () => {
  const failIds = async () =>
    (await query("select id, code from reason where type_code = 'FAIL' order by sort_order, id limit 2")).rows as {
      id: number
      code: string
    }[]
  const fail = (testId: number, reasonId: number) =>
    query('insert into requisition_test_reason (requisition_test_id, reason_id) values ($1, $2)', [testId, reasonId])

  it('counts a test once under each reason and once in all, at the moment the code was set', async () => {
    const { requisition, viewer, names } = await world()
    const [one, two] = await failIds()
    if (!one || !two) throw new Error('two reasons')
    const { id } = await requisition()
    await moved(id, [['LOG', 'ACC', '2026-11-02T20:00:00Z']])
    const chol = await test.given.orderedTest(id, 'CHOL')
    await test.given.orderedTest(id, 'HDL', { result: '50', reportable_result: '50' })
    await fail(chol.id, one.id)
    await fail(chol.id, two.id)
    await audited(
      id,
      'TEST',
      { 'CHOL failCodes': '' },
      { 'CHOL failCodes': [one.code, two.code].sort().join(', ') },
      '2026-11-03T20:00:00Z',
    )
    await query('insert into requisition_reason (requisition_id, reason_id) values ($1, $2)', [id, one.id])
    await audited(id, 'FAIL', { failCodes: '' }, { failCodes: one.code }, '2026-11-03T20:00:00Z')
    // Set before the period; the order of another day.
    const early = await requisition()
    const ldl = await test.given.orderedTest(early.id, 'CHOL')
    await fail(ldl.id, one.id)
    await audited(early.id, 'TEST', null, { 'CHOL failCodes': one.code }, '2026-11-01T06:59:59Z')
    // Replaced by a retest that has its result.
    const again = await requisition()
    const before = await test.given.orderedTest(again.id, 'HDL', {
      is_retest: true,
      process_date: '2026-11-04T20:00:00Z',
    })
    await fail(before.id, two.id)
    await test.given.orderedTest(again.id, 'HDL', { reportable_result: '51', result: '51', retest_of_id: before.id })
    const rows = await rowsOf(viewer, 'QAFAIL')
    expect(
      pick(
        rows,
        'rowKind',
        'failCode',
        'clientName',
        'testCode',
        'failCount',
        'testCount',
        'failPercent',
        'retestedCount',
      ),
    ).toEqual([
      ['row', one.code, names.client, null, 1, 1, 100, 0],
      ['row', one.code, names.client, 'CHOL', 1, 1, 100, 0],
      ['subtotal', one.code, 'Total', null, 2, 2, 100, 0],
      ['row', two.code, names.client, 'CHOL', 1, 1, 100, 0],
      ['row', two.code, names.client, 'HDL', 1, 1, 100, 1],
      ['subtotal', two.code, 'Total', null, 2, 2, 100, 1],
      ['total', null, null, null, 3, 3, 100, 1],
    ])
  })

  it('REP-35 calls nothing of a requisition that has failed as a whole later resulted', async () => {
    const { requisition, viewer } = await world()
    const [one] = await failIds()
    if (!one) throw new Error('a reason')
    const { id } = await requisition()
    const before = await test.given.orderedTest(id, 'HDL', { is_retest: true, process_date: '2026-11-04T20:00:00Z' })
    await fail(before.id, one.id)
    await test.given.orderedTest(id, 'HDL', { reportable_result: '51', result: '51', retest_of_id: before.id })
    const resulted = async () =>
      (await rowsOf(viewer, 'QAFAIL')).find(({ testCode }) => testCode === 'HDL')?.retestedCount
    expect(await resulted()).toBe(1)
    await query('insert into requisition_reason (requisition_id, reason_id) values ($1, $2)', [id, one.id])
    expect(await resulted()).toBe(0)
  })

  it('counts from the time each code of a whole requisition was set, also beside others', async () => {
    const { requisition, viewer } = await world()
    const [one, two] = await failIds()
    if (!one || !two) throw new Error('two reasons')
    const codesIn = async (from: string, to: string) =>
      (await rowsOf(viewer, 'QAFAIL', from, to))
        .filter(({ rowKind }) => rowKind === 'row')
        .map(({ failCode }) => failCode)
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toLocaleDateString('en-US')

    const { id } = await requisition({ status_code: 'ACC', logged_at: '2026-09-02T12:00:00Z' })
    const staff = await test.as('STF')
    const { status } = await staff.put(`requisitions/${id}/fail_codes`, { failIds: [one.id, two.id] })
    expect(status).toBe(200)
    expect(await codesIn('09/01/2026', '09/30/2026')).toEqual([])
    expect(await codesIn(day(-1), day(1))).toEqual([one.code, two.code].sort())

    // One of two is removed again: the other keeps its time.
    const early = await requisition({ logged_at: '2026-09-02T12:00:00Z' })
    await query('insert into requisition_reason (requisition_id, reason_id) values ($1, $2)', [early.id, one.id])
    const both = [one.code, two.code].join(',')
    await audited(early.id, 'FAIL', { failCodes: '' }, { failCodes: both }, '2026-10-02T20:00:00Z')
    await audited(early.id, 'FAIL', { failCodes: both }, { failCodes: one.code }, '2026-10-07T20:00:00Z')
    expect(await codesIn('10/01/2026', '10/05/2026')).toEqual([one.code])
    expect(await codesIn('10/06/2026', '10/08/2026')).toEqual([])
  })

  it('leaves the percentage empty where nothing was accessioned, and calculated tests out', async () => {
    const { requisition, viewer } = await world()
    const [one] = await failIds()
    const { id } = await requisition()
    for (const code of ['CHOL', 'LDL'])
      await fail((await test.given.orderedTest(id, code, { process_date: '2026-11-03T20:00:00Z' })).id, one?.id ?? 0)
    const rows = await rowsOf(viewer, 'QAFAIL')
    expect(pick(rows, 'testCode', 'failCount', 'testCount', 'failPercent')[0]).toEqual(['CHOL', 1, 0, null])
    expect(rows).toHaveLength(3)
  })
})

describe('QACORR', () => {
  const report = async (reqId: number, results: Record<string, string>, version = 1) => {
    const file = await test.given.store('stored_file', {
      object_key: `k${reqId}${version}${Math.random()}`,
      original_name: `r${version}.pdf`,
      content_type: 'application/pdf',
      byte_size: 1,
      sha256: Buffer.from('00', 'hex'),
    })
    const { id } = await test.given.store('report', {
      requisition_id: reqId,
      current_version_no: version,
      release_at: '2026-11-03T20:00:00Z',
    })
    const { rows } = await query('select patient_id, client_id, collaborator_id from requisition where id = $1', [
      reqId,
    ])
    const { patient_id, client_id: clientId, collaborator_id: collaboratorId } = rows[0]
    const content = {
      patient: { id: patient_id },
      owner: { clientId, collaboratorId },
      results: Object.entries(results).map(([code, value]) => ({ code, value })),
    }
    await query(
      'insert into report_version (report_id, version_no, file_id, is_correction, correction_reason, content) values ($1, $2, $3, $4, $5, $6)',
      [id, version, file.id, version > 1, version > 1 ? 'why' : null, JSON.stringify(content)],
    )
    return id
  }
  const event = (reportId: number, action: string, at: string, version = 1) =>
    query('insert into report_event (report_id, version_no, action_code, at) values ($1, $2, $3, $4)', [
      reportId,
      version,
      action,
      at,
    ])

  it('tells corrected from repeated, and a correction from the rest of a partial release', async () => {
    const { requisition, client, names } = await world()
    const { rows: owners } = await query('select collaborator_id as id from client where id = $1', [client.id])
    const viewer = await test.as('COLA', owners[0].id)
    const { id } = await requisition()
    const first = await report(id, { CHOL: '180' })
    await event(first, 'RELEASE', '2026-11-02T20:00:00Z')
    await event(await report(id, { CHOL: '180', HDL: '50' }), 'RELEASE', '2026-11-03T20:00:00Z') // only adds a test
    const changed = await report(id, { CHOL: '181' })
    await event(changed, 'RELEASE', '2026-11-04T20:30:00Z')
    await event(changed, 'REPEAT', '2026-11-05T20:00:00Z')
    await event(changed, 'REPEAT', '2026-11-05T21:00:00Z')
    await event(changed, 'REPEAT', '2026-11-06T08:00:00Z') // the day after, over there
    const other = await requisition()
    await event(await report(other.id, { CHOL: '1' }, 2), 'RELEASE', '2026-11-04T21:00:00Z', 2)
    const rows = await rowsOf(viewer, 'QACORR')
    expect(pick(rows, 'rowKind', 'reqId', 'kind', 'eventDate', 'hoursAfterRelease')).toEqual([
      ['row', id, 'Corrected', '2026-11-04T12:30:00 PST', 48],
      ['row', other.id, 'Corrected', '2026-11-04T13:00:00 PST', 0],
      ['subtotal', null, 'Corrected', null, null],
      ['row', id, 'Repeated', '2026-11-05T12:00:00 PST', 72],
      ['row', id, 'Repeated', '2026-11-05T13:00:00 PST', 73],
      ['subtotal', null, 'Repeated', null, null],
    ])
    expect(rows[0]).toMatchObject({
      clientName: names.client,
      reportOriginalFileName: 'r1.pdf',
      firstReleaseDate: '2026-11-02T12:00:00 PST',
    })
    expect([rows[2]?.note, rows[5]?.note]).toEqual([
      '2 of 4 released reports (50.0 %)',
      '2 of 4 released reports (50.0 %)',
    ])
    // Released again in another period: it belongs to the one of its first release.
    const { rows: again } = await query(
      "update report set first_release_at = release_at, release_at = '2026-11-12T20:00:00Z' where id = $1 returning id",
      [first],
    )
    expect(again).toHaveLength(1)
    expect((await rowsOf(viewer, 'QACORR'))[2]?.note).toBe('2 of 4 released reports (50.0 %)')
    const later = await rowsOf(viewer, 'QACORR', '11/10/2026', '11/14/2026')
    expect(later.at(-1)?.note).toBe('0 of 0 released reports')
  })

  it('shows no more than the tabs of a requisition: no lab note, no lab QC, no file of a former patient', async () => {
    const { requisition, viewer: practice, client } = await world()
    const { rows: owners } = await query('select collaborator_id as id from client where id = $1', [client.id])
    const seller = await test.given.salesPerson()
    await test.given.clientSales(client.id, seller.id)
    const [partner, sales, staff] = [
      await test.as('COLA', owners[0].id),
      await test.as('SLS', seller.id),
      await test.as('STF'),
    ]
    const { id } = await requisition()
    const made = await report(id, { CHOL: '180' }, 2)
    await event(made, 'RELEASE', '2026-11-02T20:00:00Z', 2)
    await event(made, 'REPEAT', '2026-11-03T20:00:00Z', 2)
    await query(
      "insert into lab_note (requisition_id, type_id, note) select $1, id, 'Tubes were swapped' from lab_note_type where code = 'CORR'",
      [id],
    )
    const moved = await requisition()
    await event(await report(moved.id, { CHOL: '180' }, 3), 'RELEASE', '2026-11-02T21:00:00Z', 3)
    await query('update requisition set patient_id = $2 where id = $1', [moved.id, (await test.given.patient()).id])
    const told = async (who: Caller) =>
      (await rowsOf(who, 'QACORR'))
        .filter(({ rowKind, reqId }) => rowKind === 'subtotal' || [id, moved.id].includes(Number(reqId)))
        .map(({ rowKind, reqId, kind, note }) => (rowKind === 'row' ? [reqId, kind, note] : kind))
    const note = 'Tubes were swapped'
    expect(await told(practice)).toEqual([[id, 'Corrected', null], 'Corrected'])
    expect(await told(sales)).toEqual([[id, 'Corrected', note], 'Corrected'])
    expect(await told(partner)).toEqual([[id, 'Corrected', null], 'Corrected', [id, 'Repeated', null], 'Repeated'])
    expect(await told(staff)).toEqual([
      ...[[id, 'Corrected', note], [moved.id, 'Corrected', null], 'Corrected'],
      ...[[id, 'Repeated', note], 'Repeated'],
    ])
  })
})

describe('QADEMQC', () => {
  it('has one row per requisition that a person failed, with its first failure and the valid pass', async () => {
    const { requisition, viewer, names } = await world()
    const open = await requisition()
    const passed = await requisition({ is_dem_qc_pass: true })
    for (const [id, value, at] of [
      [open.id, 0, '2026-11-02T20:00:00Z'],
      [open.id, 1, '2026-11-02T21:00:00Z'],
      [open.id, 0, '2026-11-03T20:00:00Z'],
      [passed.id, 0, '2026-11-04T20:00:00Z'],
      [passed.id, 1, '2026-11-09T22:30:00Z'],
    ] as const)
      await audited(id, 'DEMQC', { isDemQcPass: 1 - value }, { isDemQcPass: value }, at)
    await audited(
      (await requisition()).id,
      'DEMQC',
      { isDemQcPass: 1 },
      { isDemQcPass: 0 },
      '2026-11-02T20:00:00Z',
      null,
    ) // a job
    await audited((await requisition()).id, 'DEMQC', { isDemQcPass: 1 }, { isDemQcPass: 0 }, '2026-11-06T08:00:00Z')
    for (let n = 0; n < 4; n++) await moved((await requisition()).id, [['RESULT', 'REPORT', '2026-11-02T20:00:00Z']])
    const rows = await rowsOf(viewer, 'QADEMQC')
    expect(pick(rows, 'rowKind', 'reqId', 'failedDate', 'passedDate', 'hoursToFix', 'failedBy')).toEqual([
      ['row', open.id, '2026-11-02T12:00:00 PST', null, null, 'Jo Doe'],
      ['row', passed.id, '2026-11-04T12:00:00 PST', '2026-11-09T14:30:00 PST', 122, 'Jo Doe'],
      ['subtotal', null, null, null, null, 'Total'],
      ['total', null, null, null, null, 'Total'],
    ])
    expect([rows[2]?.clientName, rows[2]?.reqStatusDesc]).toEqual([
      names.client,
      '2 failed, 1 open, 50.0 % of 4 reported',
    ])
  })
})

describe('QAISSUE', () => {
  it('counts what was opened, closed and open at the end, by age', async () => {
    const { requisition, viewer } = await world()
    const { id } = await requisition()
    const issue = (created_at: string, over: object = {}) => test.given.issue(id, { created_at, ...over })
    const closed = (closed_at: string) => ({ status_code: 'CLOSED', closed_at })
    await issue('2026-10-20T20:00:00Z', closed('2026-11-02T20:00:00Z')) // closed only
    await issue('2026-11-02T20:00:00Z', closed('2026-11-03T00:30:00Z')) // both
    await issue('2026-11-06T07:00:00Z', { status_code: 'RESOLVED' }) // one hour before the end
    await issue('2026-11-04T20:00:00Z', closed('2026-11-06T08:00:00Z')) // closed after the end: open
    await issue('2026-10-01T20:00:00Z') // opened before
    await issue('2026-11-06T08:00:00Z') // after the end
    const rows = await rowsOf(viewer, 'QAISSUE')
    expect(
      pick(
        rows,
        'rowKind',
        'openedCount',
        'closedCount',
        'openCount',
        'age0to1',
        'age1to3',
        'age3to7',
        'ageOver7',
        'medianHoursToClose',
      ),
    ).toEqual(['row', 'subtotal', 'total'].map((kind) => [kind, 3, 2, 3, 1, 1, 0, 1, 158.3]))
  })
})

describe('QANOTEST', () => {
  it('lists specimens that nobody asked a test of, and those that no test can use', async () => {
    const { requisition, viewer, names } = await world()
    const [bare, mixed, past] = [
      await requisition(),
      await requisition({ status_code: 'ACC' }),
      await requisition({ status_code: 'PROCESS' }),
    ]
    const at = { received_at: '2026-11-02T20:00:00Z' }
    await test.given.specimen(bare.id, { ...at, tube_count: 2 })
    await test.given.specimen(mixed.id, { received_at: '2026-11-03T20:00:00Z', type_code: 'SERUM' })
    await test.given.specimen(mixed.id, { ...at, type_code: 'EDTAWB' })
    await test.given.orderedTest(mixed.id, 'A1C')
    await test.given.specimen(past.id, at)
    await test.given.specimen((await requisition()).id, { received_at: '2026-11-01T06:59:00Z' })
    const rows = await rowsOf(viewer, 'QANOTEST')
    expect(pick(rows, 'reqId', 'clientName', 'specimenTypeDesc', 'tubeCount', 'dateReceived')).toEqual([
      [bare.id, names.client, 'Serum', 2, '2026-11-02T12:00:00 PST'],
      [mixed.id, names.client, 'Serum (no test for this specimen)', 1, '2026-11-03T12:00:00 PST'],
      [null, names.client, '2 specimens', 3, null],
      [null, 'All clients', '2 specimens', 3, null],
    ])
  })
})

describe('QAOOR', () => {
  it("compares the rounded value with the collaborator's own limits, else with the default ones", async () => {
    const { requisition, client } = await world()
    const { rows: owner } = await query('select collaborator_id as id from client where id = $1', [client.id])
    const viewer = await test.as('COLA', owner[0].id)
    const { rows: tests } = await query("select id from test where code = 'HDL'")
    await test.given.store('collaborator_test_range', {
      collaborator_id: owner[0].id,
      test_id: tests[0].id,
      report_lo: '40',
      report_hi: '60',
    })
    const result = async (code: string, value: string, over: object = {}) => {
      const { id } = await requisition()
      await test.given.orderedTest(id, code, {
        result: value,
        result_num: value,
        reportable_result: value,
        process_date: '2026-11-03T20:00:00Z',
        ...over,
      })
      return id
    }
    const low = await result('HDL', '39')
    await result('HDL', '39.6') // rounds onto the limit
    await result('HDL', '60')
    const high = await result('CHOL', '701', { reportable_result: '> 700' })
    await result('CHOL', 'N/A', { result_num: null })
    await result('CHOL', '900', { is_retest: true })
    await result('CHOL', '900', { is_modifiable: true })
    await result('CHOL', '900', { process_date: '2026-11-06T08:00:00Z' })
    const doubtful = await result('CHOL', '900')
    await query("insert into requisition_reason select $1, id from reason where code = '907'", [doubtful])
    const rows = await rowsOf(viewer, 'QAOOR')
    expect(
      pick(rows, 'reqId', 'testCode', 'result', 'reportableResult', 'limitLo', 'limitHi', 'direction', 'testPassCodes'),
    ).toEqual([
      [high, 'CHOL', '701', '> 700', 20, 700, 'Above', null],
      [null, 'CHOL', null, null, null, null, '0 below, 1 above', '100.0 % of 1 results'],
      [low, 'HDL', '39', '39', 40, 60, 'Below', null],
      [null, 'HDL', null, null, null, null, '1 below, 0 above', '33.3 % of 3 results'],
    ])
    expect(rows[0]?.processDate).toBe('2026-11-03T12:00:00 PST')
  })

  it('takes the limits and digits by which a result was interpreted, not those of now', async () => {
    const { requisition, client } = await world()
    const { rows: owner } = await query('select collaborator_id as id from client where id = $1', [client.id])
    const cola = owner[0].id as number
    const staff = await test.as('STF')
    const { rows: tests } = await query("select id from test where code = 'HDL'")
    const own = (over: object) => ({ testId: tests[0].id, colaSigDigits: 0, units: 'mg/dL', ...over })
    const range = await staff.post(`collaborators/${cola}/test_ranges`, {
      colaRanges: [own({ colaReportLo: 40, colaReportHi: 60 })],
    })
    const entered = async (result: string) => {
      const { id } = await requisition({ status_code: 'PROCESS' })
      const { id: reqTestId } = await test.given.orderedTest(id, 'HDL')
      expect(
        (await staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result }] })).status,
      ).toBe(200)
      await query("update requisition_test set process_date = '2026-11-03T20:00:00Z' where id = $1", [reqTestId])
      return id
    }
    const low = await entered('39')
    await entered('39.6') // rounds onto the limit
    const changed = own({ colaSigDigits: 1, colaReportLo: 30, colaReportHi: 50 })
    expect((await staff.put(`collaborators/${cola}/test_ranges/${range.body.data.id}`, changed)).status).toBe(200)
    await entered('39')
    const high = await entered('51')
    const shown = ['reqId', 'reportableResult', 'limitLo', 'limitHi', 'direction', 'testPassCodes']
    expect(pick(await rowsOf(await test.as('COLA', cola), 'QAOOR'), ...shown)).toEqual([
      [low, '<40', 40, 60, 'Below', null],
      [high, '>50.0', 30, 50, 'Above', null],
      [null, null, null, null, '1 below, 1 above', '50.0 % of 4 results'],
    ])
  })

  it("takes a collaborator's two limits as a pair, and no limit of the catalogue in another unit", async () => {
    const { requisition, client } = await world()
    const { rows: owner } = await query('select collaborator_id as id from client where id = $1', [client.id])
    const viewer = await test.as('COLA', owner[0].id)
    const own = async (code: string, range: object) => {
      const { rows } = await query('select id from test where code = $1', [code])
      await test.given.store('collaborator_test_range', {
        collaborator_id: owner[0].id,
        test_id: rows[0].id,
        ...range,
      })
    }
    const result = async (code: string, value: string) => {
      const { id } = await requisition()
      await test.given.orderedTest(id, code, {
        result: value,
        result_num: value,
        reportable_result: value,
        process_date: '2026-11-03T20:00:00Z',
      })
      return id
    }
    await own('HDL', { report_lo: '40' })
    await own('CHOL', { unit: 'mmol/L' })
    await own('TRIG', { unit: 'MG / dl' }) // another spelling of the same unit
    const low = await result('HDL', '39')
    await result('HDL', '5000') // no upper limit of its own, so none
    await result('CHOL', '5.2') // 20 to 700 are limits in mg/dL
    const high = await result('TRIG', '90000')
    expect(
      pick(
        (await rowsOf(viewer, 'QAOOR')).filter(({ rowKind }) => rowKind === 'row'),
        'reqId',
        'testCode',
        'limitLo',
        'limitHi',
        'direction',
      ),
    ).toEqual([
      [low, 'HDL', 40, null, 'Below'],
      [high, 'TRIG', expect.any(Number), expect.any(Number), 'Above'],
    ])
  })
})

describe('QACRIT', () => {
  it('BENCH-42 is the share of critical calls that were closed within their limit, by laboratory and test', async () => {
    const { lab, requisition, names } = await world()
    const [staff, { id }] = [await test.as('STF'), await requisition()]
    const ordered = await test.given.orderedTest(id, 'TRIG')
    const [{ test_id }] = (await query('select test_id from requisition_test where id = $1', [ordered.id])).rows
    const call = (raised_at: string, over: object) =>
      test.given.store('critical_call', {
        requisition_id: id,
        requisition_test_id: ordered.id,
        test_id,
        value: '1240',
        is_critical: true,
        raised_at,
        due_at: '2026-11-03T18:30:00Z',
        state: 'CLOSED',
        ...over,
      })
    await call('2026-11-03T18:00:00Z', { closed_at: '2026-11-03T18:30:00Z' })
    await call('2026-11-03T18:00:00Z', { closed_at: '2026-11-03T18:10:00Z' })
    await call('2026-11-03T18:00:00Z', { closed_at: '2026-11-03T19:00:00Z' })
    await call('2026-11-03T18:00:00Z', { state: 'OPEN', due_at: '2999-01-01T00:00:00Z' })
    await call('2026-11-03T18:00:00Z', { state: 'SUPERSEDED' })
    await call('2026-11-06T08:00:00Z', { closed_at: '2026-11-06T08:01:00Z' })
    const period = `reportCode=QACRIT&fromDate=11/01/2026&toDate=11/05/2026&labId=${lab.id}`
    const { rows } = (await staff.get(`qa_reports/preview?${period}`)).body.data
    const shown = ['callCount', 'withinCount', 'lateCount', 'openCount', 'withinPercent', 'medianMinutes']
    expect(pick(rows, 'rowKind', 'labName', 'testCode', ...shown)).toEqual([
      ['row', names.lab, 'TRIG', 4, 2, 1, 1, 66.7, 30],
      ['subtotal', names.lab, 'Total', 4, 2, 1, 1, 66.7, 30],
      ['total', 'All laboratories', 'Total', 4, 2, 1, 1, 66.7, 30],
    ])
    const { data } = (await staff.get(`insights?tab=qaReports&${period}`)).body
    expect(data[0].headline).toEqual({ value: 66.7, unit: '%', text: '2 of 3 calls within the limit, 1 open' })
  })
})
