import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { labSorts, requisitionSorts } from '@lis/contract/requisitions/list.ts'
import { apiViews } from '@lis/contract/requisitions/views.ts'
import { readXlsx } from 'hucre/xlsx'
import { DateTime } from 'luxon'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'
import { unzip } from '../../../test/unzip.ts'
import { fillRows } from '../jobs/maintenance.ts'
import { verifyLists } from './verify-lists.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const ids = (reply: { body: { data: { id: number }[] } }) => reply.body.data.map((row) => row.id)
const filtered = (view: string, filter: Record<string, unknown>, more = '') =>
  `requisitions/${view}?filter=${encodeURIComponent(JSON.stringify(filter))}${more}`

/** A requisition with a patient of this name, in this status. */
const ordered = async (
  over: Parameters<typeof test.given.requisition>[0] = {},
  patient: Parameters<typeof test.given.patient>[0] = {},
) => {
  const { id: patientId } = await test.given.patient(patient)
  return test.given.requisition({ patient_id: patientId, ...over })
}

describe('GET requisitions/{view}', () => {
  const whole = once(async () => {
    const physician = await test.given.physician({ first_name: 'Paula', last_name: 'Ortiz' })
    const rep = await test.given.salesPerson({ rep_code: 'REP-L' })
    const lab = await test.given.lab({ zone: 'America/Los_Angeles' })
    const cola = await test.given.collaborator({ name: 'Meridian' })
    const client = await test.given.client({
      name: 'Acme',
      legacy_client_id: 'AC-1',
      collaborator_id: cola.id,
      transmit_method_code: 'FAX',
    })
    const { id } = await ordered(
      {
        client_id: client.id,
        physician_id: physician.id,
        is_send_notif: true,
        is_dem_qc_pass: true,
        logged_at: '2026-07-02T16:00:00Z',
        lab_id: lab.id,
        collected_at: '2026-07-01T13:00:00Z',
        collected_zone: 'America/New_York',
        bill_type_code: 'CLIENT',
      },
      { first_name: 'Jane', last_name: 'Doe', dob: '1960-01-02', gender_code: 'FEMALE' },
    )
    await test.given.orderedTest(id, 'CHOL')
    await test.given.store('specimen', {
      requisition_id: id,
      type_code: 'SERUM',
      temperature_code: 'FROZEN',
      container_code: 'SST',
      received_at: '2026-07-02T15:00:00Z',
      received_zone: 'America/Los_Angeles',
    })
    await test.given.clientSales(client.id, rep.id)
    const query = (text: string, values: unknown[] = []) => test.database.owner.query(text, values)
    const flagId = (await query('select id from flag order by id limit 1')).rows[0].id
    await query('insert into requisition_flag (requisition_id, flag_id) values ($1, $2)', [id, flagId])
    const reason = (
      await query(
        "insert into requisition_reason (requisition_id, reason_id) select $1, id from reason where type_code = 'PASS' order by id limit 1 returning reason_id",
        [id],
      )
    ).rows[0]
    await test.given.issue(id)
    const { body } = await staff.get(filtered('ALL', { id }))
    expect(body.total).toBe(1)
    const expected = {
      id,
      reqID: id,
      patientFirstName: 'Jane',
      patientLastName: 'Doe',
      patientDob: '1960-01-02',
      patientGenderDesc: 'Female',
      patientAge: expect.any(Number),
      reqStatusDesc: 'Logged',
      physFirstName: 'Paula',
      physLastName: 'Ortiz',
      clientName: 'Acme',
      legacyClientId: 'AC-1',
      colaName: 'Meridian',
      dateCollected: expect.stringMatching(/^2026-07-01T13:00:00/),
      collectedTz: 'America/New_York',
      collectedTzAbbr: 'EDT',
      dateReceived: expect.stringMatching(/^2026-07-02T15:00:00/),
      dateLogged: expect.stringMatching(/^2026-07-02T16:00:00/),
      labTz: 'America/Los_Angeles',
      labTzAbbr: 'PDT',
      reportedStatusDate: null,
      testCodes: 'CHOL',
      reqBillTypeDesc: 'Client',
      insuranceCompany: null,
      flag: String(flagId),
      issueCount: 1,
      reporterDeptcodes: expect.stringMatching(/./),
      partialReport: 0,
      partialRelease: 0,
      tat: expect.any(Number),
      isSendNotif: 1,
      isDemQcPass: 1,
      reqPassCodes: [{ reasonId: reason.reason_id, passCode: expect.any(String), passDesc: expect.any(String) }],
      clientTransmitMethodDesc: 'Secure fax',
      latestTransmitMethodDesc: null,
      latestDeliveryDate: null,
      latestDeliveredByName: null,
      salesRepCode: 'REP-L',
    }
    return { data: body.data[0], expected }
  })

  it('LIST-002..LIST-006 a row has the data of patient, physician, client, collaborator and laboratory', async () => {
    const { data, expected } = await whole()
    expect(data).toMatchObject(expected)
    expect(data.patientAge).toBeGreaterThanOrEqual(66)
    expect(data.tat).toBeGreaterThan(24)
  })

  it.each([
    ['LIST-150', 'id'],
    ['LIST-151', 'reqID'],
    ['LIST-152', 'patientFirstName'],
    ['LIST-153', 'patientLastName'],
    ['LIST-154', 'patientDob'],
    ['LIST-155', 'patientGenderDesc'],
    ['LIST-156', 'patientAge'],
    ['LIST-157', 'reqStatusDesc'],
    ['LIST-158', 'physFirstName'],
    ['LIST-159', 'physLastName'],
    ['LIST-160', 'legacyClientId'],
    ['LIST-161', 'clientName'],
    ['LIST-162', 'dateCollected'],
    ['LIST-163', 'collectedTz'],
    ['LIST-164', 'collectedTzAbbr'],
    ['LIST-165', 'dateReceived'],
    ['LIST-166', 'labTz'],
    ['LIST-167', 'labTzAbbr'],
    ['LIST-168', 'dateLogged'],
    ['LIST-169', 'reportedStatusDate'],
    ['LIST-170', 'testCodes'],
    ['LIST-171', 'reqBillTypeDesc'],
    ['LIST-172', 'insuranceCompany'],
    ['LIST-173', 'flag'],
    ['LIST-174', 'issueCount'],
    ['LIST-175', 'reporterDeptcodes'],
    ['LIST-176', 'partialReport'],
    ['LIST-177', 'partialRelease'],
    ['LIST-178', 'tat'],
    ['LIST-179', 'isSendNotif'],
    ['LIST-180', 'isDemQcPass'],
    ['LIST-181', 'reqPassCodes'],
    ['LIST-182', 'clientTransmitMethodDesc'],
    ['LIST-183', 'latestTransmitMethodDesc'],
    ['LIST-184', 'latestDeliveryDate'],
    ['LIST-185', 'latestDeliveredByName'],
    ['LIST-186', 'salesRepCode'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  const perStatus = once(async () => {
    const client = await test.given.client()
    const made = new Map<string, number>()
    for (const status of ['LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER', 'MISSBILL'])
      made.set(status, (await ordered({ client_id: client.id, status_code: status })).id)
    return { client, made }
  })

  it('LIST-206 the view ALL shows every status', async () => {
    const { client, made } = await perStatus()
    expect(ids(await staff.get(filtered('ALL', { clientId: client.id })))).toEqual([...made.values()])
  })

  it.each([
    ['LIST-208', 'LOG', 'LOG'],
    ['LIST-209', 'ACC', 'ACC'],
    ['LIST-210', 'PROCESS', 'PROCESS'],
    ['LIST-211', 'RESULT', 'RESULT'],
    ['LIST-212', 'REPORT', 'REPORT'],
    ['LIST-213', 'RELEASE', 'RELEASE'],
    ['LIST-214', 'DELIVER', 'DELIVER'],
    ['LIST-215', 'BILL', 'MISSBILL'],
  ])('%s the view %s shows its own status alone, here %s', async (_, view, status) => {
    const { client, made } = await perStatus()
    expect(ids(await staff.get(filtered(view, { clientId: client.id })))).toEqual([made.get(status)])
  })

  it('an unknown view is refused by name', async () => {
    const { status, body } = await staff.get('requisitions/NOPE')
    expect([status, body.errors[0].field]).toEqual([400, 'view'])
  })

  it('TABLE-016 sorts by each offered column both ways, id ascending unless told', async () => {
    const client = await test.given.client()
    const one = await ordered({ client_id: client.id }, { last_name: 'Zimmer', dob: '1950-01-01' })
    const two = await ordered({ client_id: client.id }, { last_name: 'Adams', dob: '1990-01-01' })
    const sorted = async (sort: string) =>
      ids(await staff.get(filtered('ALL', { clientId: client.id }, `&sort=${encodeURIComponent(sort)}`)))
    expect(await sorted('')).toEqual([one.id, two.id])
    expect(await sorted('[patientLastName,DESC]')).toEqual([one.id, two.id])
    expect(await sorted('[patientLastName,ASC]')).toEqual([two.id, one.id])
    expect(await sorted('[patientDob,DESC]')).toEqual([two.id, one.id])
    const { status, body } = await staff.get('requisitions/ALL?sort=%5Btat,DESC%5D')
    expect([status, body.message]).toEqual([400, 'This view cannot be sorted by "tat"'])
  })

  it('DAY-04 sorts every tab by flags, the most urgent first', async () => {
    const client = await test.given.client()
    const made: number[] = []
    for (const code of ['VIP', null, 'STAT']) {
      const { id } = await test.given.requisition({ client_id: client.id })
      made.push(id)
      if (code)
        await test.database.owner.query('insert into requisition_flag select $1, id from flag where code = $2', [
          id,
          code,
        ])
    }
    const [vip, none, stat] = made
    const sorted = async (view: string, order = 'DESC') =>
      ids(await staff.get(filtered(view, { clientId: client.id }, `&sort=%5Bflag,${order}%5D`)))
    for (const view of ['LOG', 'ALL']) expect(await sorted(view)).toEqual([stat, vip, none])
    expect(await sorted('ALL', 'ASC')).toEqual([none, vip, stat])
    const query = (text: string) => test.database.owner.query(text)
    await query("delete from requisition_flag where flag_id = (select id from flag where code = 'VIP')")
    expect(await sorted('ALL', 'ASC')).toEqual([vip, none, stat])
    await query(`update requisition set status_code = 'READYBILL' where client_id = ${client.id}`)
    expect(await sorted('BILL')).toEqual([stat, none, vip])
  })

  it('DAY-04 puts rows into the order of the flags as it is now, a part at a time', async () => {
    const client = await test.given.client()
    const made: number[] = []
    for (const code of ['VIP', 'STAT']) {
      const { id } = await test.given.requisition({ client_id: client.id })
      made.push(id)
      await test.database.owner.query('insert into requisition_flag select $1, id from flag where code = $2', [
        id,
        code,
      ])
    }
    const sorted = async () => ids(await staff.get(filtered('ALL', { clientId: client.id }, '&sort=%5Bflag,DESC%5D')))
    expect(await sorted()).toEqual(made.toReversed())
    const reorder = async (place: number) => {
      await test.database.owner.query("update flag set sort_order = $1 where code = 'VIP'", [place])
      while (await fillRows(test.services.pool, 'flag_order_fill'));
    }
    await reorder(-1)
    try {
      expect(await sorted()).toEqual(made)
    } finally {
      await reorder(2)
    }
  })

  it('DAY-04 orders by further keys, for every role that sees the rows', async () => {
    const client = await test.given.client()
    const made: number[] = []
    for (const lastName of ['Beta', 'Alpha', 'Beta', 'Alpha'])
      made.push((await ordered({ client_id: client.id }, { last_name: lastName, dob: '1950-01-01' })).id)
    const [b1, a1, b2, a2] = made
    const physician = await test.database.owner.query(
      'update requisition set physician_id = (select min(physician_id) from requisition where client_id = $1) where client_id = $1 returning physician_id',
      [client.id],
    )
    const callers = [
      ['ALL', staff],
      ['CLIENTPHYSROLE', await test.as('CLNT', client.id)],
      ['CLIENTPHYSROLE', await test.as('PHYS', physician.rows[0].physician_id)],
    ] as const
    for (const [view, who] of callers) {
      const order = async (sort: string) =>
        ids(await who.get(filtered(view, { clientId: client.id }, `&sort=${encodeURIComponent(sort)}`)))
      expect(await order('[patientLastName,ASC,id,DESC]')).toEqual([a2, a1, b2, b1])
      expect(await order('[patientLastName,DESC,id,ASC]')).toEqual([b1, b2, a1, a2])
      expect((await who.get(`requisitions/${view}?sort=%5Bid,ASC,secret,DESC%5D`)).status).toBe(400)
    }
  })

  it('pages without losing or repeating a row when values are equal', async () => {
    const client = await test.given.client()
    for (let n = 0; n < 7; n++) await ordered({ client_id: client.id }, { last_name: 'Same', first_name: 'Same' })
    const seen: number[] = []
    for (let page = 1; page <= 4; page++)
      seen.push(
        ...ids(
          await staff.get(
            filtered('ALL', { clientId: client.id }, `&page=${page}&perPage=2&sort=%5BpatientLastName,DESC%5D`),
          ),
        ),
      )
    expect(seen).toHaveLength(7)
    expect(new Set(seen).size).toBe(7)
  })
})

describe('filters', () => {
  it('finds by accession number, name parts, accents and birth date', async () => {
    const { id } = await ordered(
      { ext_order_id: 'EXT-777-Q' },
      { first_name: 'Éloïse', last_name: "O'Brien-Ångström", dob: '1961-05-06' },
    )
    const finds = async (filter: Record<string, unknown>) => ids(await staff.get(filtered('ALL', filter)))
    for (const search of [
      String(id),
      'angstrom',
      "o'brien",
      'eloise',
      'Éloïse',
      'ext-777',
      'eloise angstrom',
      'Ångström, Éloïse',
    ]) {
      expect([search, await finds({ search })]).toEqual([search, [id]])
    }
    expect(await finds({ patientLastName: 'ångs' })).toEqual([id])
    expect(await finds({ patientFirstName: 'eloi' })).toEqual([id])
    expect(await finds({ patientLastName: 'eloi' })).toEqual([])
    expect(await finds({ patientDob: '05/06/1961' })).toEqual([id])
    expect(await finds({ search: `${id}9` })).toEqual([])
  })

  it('finds a name of several words however many spaces are typed within it', async () => {
    const { id } = await ordered({}, { first_name: 'Anna Lena', last_name: 'De La Quiroz' })
    for (const filter of [{ patientLastName: 'De  La Quiroz' }, { patientFirstName: 'Anna\u00a0 Lena', reqId: id }])
      expect([filter, ids(await staff.get(filtered('ALL', filter)))]).toEqual([filter, [id]])
  })

  it('finds letters that are more than an accent, written as in the name or plainly, also by two characters for one letter', async () => {
    const finds = async (search: string) => ids(await staff.get(filtered('ALL', { search })))
    for (const [first, last, plain] of [
      ['Łukasz', 'Wójcik-Qx', 'lukasz wojcik-qx'],
      ['Bjørn', 'Sørensen-Qx', 'bjorn sorensen-qx'],
      ['Jürgen', 'Weiß-Qx', 'jurgen weiss-qx'],
    ] as const) {
      const { id } = await ordered({}, { first_name: first, last_name: last })
      for (const search of [`${first} ${last}`, last, `${last}, ${first}`.toUpperCase(), plain, last.normalize('NFD')])
        expect([search, await finds(search)]).toEqual([search, [id]])
    }
  })

  it('a date range means days in the zone of the collection', async () => {
    const client = await test.given.client()
    // 23:30 of the 5th in New York is already the 6th in UTC.
    const { id } = await ordered({
      client_id: client.id,
      collected_at: '2026-03-06T04:30:00Z',
      collected_zone: 'America/New_York',
    })
    const on = async (range: string) =>
      ids(await staff.get(filtered('ALL', { clientId: client.id, dateCollected: range })))
    expect(await on('[03/05/2026-03/05/2026]')).toEqual([id])
    expect(await on('[03/06/2026-03/07/2026]')).toEqual([])
  })

  it('DAY-02 dates may be words that move with the calendar of the laboratory', async () => {
    const zone: string = (await staff.get('home')).body.data.labTz
    const noon = (day: DateTime) => day.set({ hour: 12 }).toUTC().toISO() as string
    const today = DateTime.now().setZone(zone)
    const client = await test.given.client()
    const loggedOn = async (day: DateTime) => (await ordered({ client_id: client.id, logged_at: noon(day) })).id
    const [now, sixBefore, sevenBefore] = [
      await loggedOn(today),
      await loggedOn(today.minus({ days: 6 })),
      await loggedOn(today.minus({ days: 7 })),
    ]
    const [firstOfMonth, lastMonth] = [
      await loggedOn(today.startOf('month')),
      await loggedOn(today.startOf('month').minus({ days: 1 })),
    ]
    const on = async (words: string) =>
      new Set(ids(await staff.get(filtered('ALL', { clientId: client.id, dateLogged: words }))))
    const within = async (words: string) => {
      const found = await on(words)
      return [now, sixBefore, sevenBefore, firstOfMonth, lastMonth].map((id) => found.has(id))
    }
    const isSince = (from: DateTime) =>
      [0, 6, 7].map((days) => today.minus({ days }) >= from).concat([today.startOf('month') >= from])
    expect((await within('today')).slice(0, 3)).toEqual([true, false, false])
    expect((await within('Last 7 days')).slice(0, 3)).toEqual([true, true, false])
    expect(await within('this month')).toEqual([...isSince(today.startOf('month')), false])
    const { body } = await staff.get(`requisitions/ALL?filter=[clientId:${client.id},dateLogged:last 7 days]`)
    expect(ids({ body })).toContain(sixBefore)
  })

  it('date ranges of receipt, log, report and release mean days where the laboratory is', async () => {
    const lab = await test.given.lab({ zone: 'America/Los_Angeles' })
    // 22:30 of the 5th in Los Angeles is the 6th in UTC and in New York.
    const at = '2026-03-06T06:30:00Z'
    const { id } = await ordered({ lab_id: lab.id, logged_at: at, status_code: 'RELEASE' })
    await test.given.store('specimen', {
      requisition_id: id,
      type_code: 'SERUM',
      temperature_code: 'FROZEN',
      container_code: 'SST',
      received_at: at,
      received_zone: 'America/Los_Angeles',
    })
    await test.given.store('report', { requisition_id: id, created_at: at, release_at: at })
    for (const field of ['dateReceived', 'dateLogged', 'dateReported', 'dateReleased']) {
      const on = async (range: string) => ids(await staff.get(filtered('RELEASE', { reqId: id, [field]: range })))
      expect([field, await on('[03/05/2026-03/05/2026]')]).toEqual([field, [id]])
      expect([field, await on('[03/06/2026-03/31/2026]')]).toEqual([field, []])
      expect([field, await on('[02/01/2026-03/04/2026]')]).toEqual([field, []])
      // A long range is looked up by its middle, which the zone of the row cannot change.
      expect([field, await on('[01/01/2026-12/31/2026]')]).toEqual([field, [id]])
    }
  })

  it('by test among what is billed, for everybody and for billing users, who see what is in a batch and as long as it is', async () => {
    const [id, other] = [(await ordered({ status_code: 'BILL' })).id, (await ordered({ status_code: 'BILL' })).id]
    const { rows } = await test.database.owner.query("select id from test where code = 'HDL'")
    for (const requisition of [id, other])
      await test.given.store('requisition_test', { requisition_id: requisition, test_id: rows[0].id })
    const billing = await test.as('BILL')
    const finds = async (who: Caller, filter: Record<string, unknown>) =>
      ids(await who.get(filtered('BILL', { ...filter, reqId: [id, other] })))
    const batch = await test.given.store('billing_batch', {})
    const item = [batch.id, id]
    await test.database.owner.query('insert into billing_batch_item (batch_id, requisition_id) values ($1, $2)', item)
    for (const filter of [{ testCodes: 'HDL' }, { testComboCode: 'LIPID' }, {}]) {
      expect(await finds(staff, filter)).toEqual([id, other])
      expect(await finds(billing, filter)).toEqual([id])
    }
    expect(await finds(staff, { testCodes: 'LPA' })).toEqual([])
    await test.database.owner.query('delete from billing_batch_item where requisition_id = $1', [id])
    expect(await finds(billing, { testCodes: 'HDL' })).toEqual([])
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it('by test code, flag, pass code, fail code, issue department and bill type', async () => {
    const { id } = await ordered({ bill_type_code: 'CLIENT' })
    const other = await ordered()
    const { rows } = await test.database.owner.query(
      "select id, code from test where code in ('HDL', 'LPA') order by code",
    )
    await test.given.store('requisition_test', { requisition_id: id, test_id: rows[0].id })
    const flag = (await test.database.owner.query('select id from flag order by id limit 1')).rows[0].id
    await test.database.owner.query('insert into requisition_flag values ($1, $2)', [id, flag])
    await test.database.owner.query(
      "insert into requisition_reason select $1, id from reason where (type_code, code) in (('PASS','102'), ('FAIL','901'))",
      [id],
    )
    const dept = await test.given.firstId('department')
    await test.given.store('issue', {
      requisition_id: id,
      reporter_department_id: dept,
      resolver_department_id: dept,
      description: 'x',
    })
    const finds = async (filter: Record<string, unknown>) =>
      ids(await staff.get(filtered('ALL', { ...filter, reqId: [id, other.id] })))
    for (const filter of [
      { testCodes: 'HDL' },
      { testCodes: ['HDL', 'LPA'] },
      { testComboCode: 'LIPID' },
      { flag: String(flag) },
      { passCodes: '102' },
      { failCodes: '901' },
      { issueDeptId: String(dept) },
      { hasOpenIssues: '1' },
      { reqBillTypeCode: 'CLIENT' },
    ]) {
      expect([filter, await finds(filter)]).toEqual([filter, [id]])
    }
    const row = (await staff.get(filtered('ALL', { id }))).body.data[0]
    expect(row.reqPassCodes).toEqual([{ reasonId: expect.any(Number), passCode: '102', passDesc: expect.any(String) }])
    expect([row.issueCount, row.flag]).toEqual([1, String(flag)])
    expect(row.reporterDeptcodes).not.toBe('')
  })

  it.each([
    [{ dateCollected: 'yesterday' }, 'dateCollected must be two dates: [MM/DD/YYYY-MM/DD/YYYY]'],
    [{ dateCollected: '[12/31/2026-01/01/2026]' }, 'dateCollected: the first day cannot be after the last'],
    [{ clientId: 'x' }, 'clientId: "x" is not a whole number'],
    [{ dateReleased: '[13/01/2026-13/02/2026]' }, 'dateReleased must be two dates: [MM/DD/YYYY-MM/DD/YYYY]'],
    [{ eventId: '1;2' }, 'eventId: "1;2" is not a whole number'],
    [{ flag: 'red' }, 'flag: "red" is not a whole number'],
    [{ patientDob: '31/31/2000' }, 'patientDob must be a date'],
  ])('refuses %j with the field named', async (filter, message) => {
    const { status, body } = await staff.get(filtered('ALL', filter))
    expect([status, body.message]).toEqual([400, message])
  })

  it('takes quotes, percent signs and SQL for what they are', async () => {
    for (const search of [
      "'; drop table requisition; --",
      '%%%',
      '___',
      '％％％',
      '＿＿＿',
      '\\',
      '\\\\\\',
      '"',
      'x'.repeat(5000),
    ]) {
      const { status, body } = await staff.get(filtered('ALL', { search }))
      expect([search.slice(0, 20), status, body.total]).toEqual([search.slice(0, 20), 200, 0])
    }
  })
})

describe('row scope', () => {
  it('each role sees its own rows in every view, in rows and in the total', async () => {
    const [mine, other] = [await ordered(), await ordered()]
    const row = (
      await test.database.owner.query(
        'select client_id, collaborator_id, physician_id from requisition where id = $1',
        [mine.id],
      )
    ).rows[0]
    const seller = await test.given.salesPerson()
    const boss = await test.given.salesPerson()
    await test.database.owner.query('update sales_person set report_to_id = $2 where id = $1', [seller.id, boss.id])
    await test.database.owner.query('insert into client_sales (client_id, sales_person_id) values ($1, $2)', [
      row.client_id,
      seller.id,
    ])
    const callers: [string, Caller][] = [
      ['CLNT', await test.as('CLNT', row.client_id)],
      ['COLA', await test.as('COLA', row.collaborator_id)],
      ['PHYS', await test.as('PHYS', row.physician_id)],
      ['SLS', await test.as('SLS', seller.id)],
      ['SLS boss', await test.as('SLS', boss.id)],
    ]
    for (const [name, caller] of callers) {
      for (const view of ['ALL', 'CLIENTPHYSROLE', 'LOG']) {
        const reply = await caller.get(`requisitions/${view}`)
        expect([name, view, ids(reply), reply.body.total]).toEqual([name, view, [mine.id], 1])
      }
      expect(ids(await caller.get(filtered('ALL', { id: other.id })))).toEqual([])
      expect(ids(await caller.get(filtered('ALL', { search: String(other.id) })))).toEqual([])
    }
  })

  it('the pages of a physician and of a sales person, put together from several ranges, are those of the whole', async () => {
    const [own, other, foreign] = [await test.given.client(), await test.given.client(), await test.given.client()]
    const [doctor, colleague] = [await test.given.physician(), await test.given.physician()]
    const written = { physician_id: doctor.id }
    const copied = { physician_id: colleague.id, copy_physician_id: doctor.id }
    const both = { physician_id: doctor.id, copy_physician_id: doctor.id }
    const flagged: number[] = []
    for (const [place, one] of [written, copied, both, copied, written, copied, written].entries()) {
      const client_id = place % 2 ? own.id : other.id
      const { id } = await ordered(
        { ...one, client_id, collected_at: `2026-03-0${9 - place}T12:00:00Z` },
        { last_name: `N${place % 3}` },
      )
      // Some have no specimen and come last in the order of receipt.
      if (place % 3)
        await test.given.store('specimen', {
          requisition_id: id,
          type_code: 'SERUM',
          temperature_code: 'FROZEN',
          container_code: 'SST',
          received_at: `2026-03-1${place}T12:00:00Z`,
          received_zone: 'America/New_York',
        })
      if (place !== 2) flagged.push(id)
    }
    const stranger = await ordered({ physician_id: colleague.id, client_id: foreign.id })
    const flag = (await test.database.owner.query('select id from flag order by id limit 1')).rows[0].id
    for (const id of [...flagged, stranger.id])
      await test.database.owner.query('insert into requisition_flag values ($1, $2)', [id, flag])
    const seller = await test.given.salesPerson()
    for (const { id } of [own, other])
      await test.database.owner.query('insert into client_sales (client_id, sales_person_id) values ($1, $2)', [
        id,
        seller.id,
      ])
    for (const caller of [await test.as('PHYS', doctor.id), await test.as('SLS', seller.id)])
      for (const [view, fields] of Object.entries({ ALL: requisitionSorts, LOG: labSorts }))
        for (const sort of ['', ...fields.flatMap((field) => [`[${field},ASC]`, `[${field},DESC]`])]) {
          const path = `requisitions/${view}?sort=${encodeURIComponent(sort)}`
          const whole = await caller.get(`${path}&perPage=-1`)
          expect([sort, ids(whole).length, whole.body.total]).toEqual([sort, 7, 7])
          const pages = await Promise.all([1, 2, 3, 4].map((page) => caller.get(`${path}&perPage=2&page=${page}`)))
          expect(pages.flatMap(ids)).toEqual(ids(whole))
          const marked = [1, 2, 3, 4].map((page) => caller.get(`${path}&filter=[flag:${flag}]&perPage=2&page=${page}`))
          const ofWhole = ids(whole).filter((id) => flagged.includes(id))
          expect((await Promise.all(marked)).flatMap(ids)).toEqual(ofWhole)
        }
  })

  it("a sales person with very many clients finds their requisitions by name and number, and nobody else's", async () => {
    const seller = await test.given.salesPerson()
    const clients = await Promise.all(Array.from({ length: 101 }, () => test.given.client()))
    await test.database.owner.query(
      'insert into client_sales (client_id, sales_person_id) select unnest($1::int[]), $2',
      [clients.map(({ id }) => id), seller.id],
    )
    const named = { first_name: 'Wilhelmine', last_name: 'Überschär' }
    const mine = [
      await ordered({ client_id: clients[0]?.id }, named),
      await ordered({ client_id: clients[100]?.id }, named),
    ]
    const foreign = await ordered({}, named)
    const caller = await test.as('SLS', seller.id)
    const both = mine.map(({ id }) => id)
    const whole = await caller.get('requisitions/ALL')
    expect([ids(whole), whole.body.total]).toEqual([both, 2])
    for (const filter of [
      { search: 'überschär, wilhel' },
      { search: 'ubersch' },
      { patientFirstName: 'helmine' },
      { patientLastName: 'Über' },
      { patientLastName: 'Üb' },
    ]) {
      const found = await caller.get(filtered('ALL', filter))
      expect([filter, ids(found), found.body.total]).toEqual([filter, both, 2])
    }
    for (const number of both)
      expect(ids(await caller.get(filtered('ALL', { search: String(number) })))).toEqual([number])
    expect(ids(await caller.get(filtered('ALL', { search: String(foreign.id) })))).toEqual([])
  })

  it('billing sees what is in a batch', async () => {
    const [inBatch, outside] = [await ordered({ status_code: 'INBILL' }), await ordered({ status_code: 'INBILL' })]
    const batch = await test.given.store('billing_batch', {})
    await test.database.owner.query('insert into billing_batch_item (batch_id, requisition_id) values ($1, $2)', [
      batch.id,
      inBatch.id,
    ])
    const biller = await test.as('BILL')
    const listed = async () => {
      const reply = await biller.get('requisitions/BILL?perPage=-1')
      expect(reply.body.total).toBe(ids(reply).length)
      expect(await verifyLists(test.database.owner)).toEqual([])
      return [inBatch.id, outside.id].map((id) => ids(reply).includes(id))
    }
    expect(await listed()).toEqual([true, false])
    const leaveOut = (reason: string | null) =>
      test.database.owner.query('update billing_batch_item set left_out = $2 where batch_id = $1', [batch.id, reason])
    await leaveOut('No price')
    expect(await listed()).toEqual([false, false])
    await leaveOut(null)
    expect(await listed()).toEqual([true, false])
    // In a second batch as well, moved on while in them, out of one, out of both.
    const second = await test.given.store('billing_batch', {})
    const { owner } = test.database
    await owner.query('update billing_batch_item set is_open = false where batch_id = $1', [batch.id])
    await owner.query('insert into billing_batch_item (batch_id, requisition_id) values ($1, $2)', [
      second.id,
      inBatch.id,
    ])
    expect(await listed()).toEqual([true, false])
    await owner.query("update requisition set status_code = 'BILL' where id = $1", [inBatch.id])
    await owner.query('select requisition_count_fold()')
    expect(await listed()).toEqual([true, false])
    await owner.query('delete from billing_batch_item where batch_id = $1', [batch.id])
    expect(await listed()).toEqual([true, false])
    await owner.query('delete from billing_batch_item where batch_id = $1', [second.id])
    expect(await listed()).toEqual([false, false])
  })

  it('tells how many have a test or one of a combination without counting them', async () => {
    const { id } = await ordered()
    await test.given.orderedTest(id, 'HDL')
    const { id: other } = await ordered()
    await test.given.orderedTest(other, 'CHOL')
    const equal = async (filter: Record<string, unknown>) => {
      const all = await staff.get(filtered('ALL', filter))
      // With a second filter the rows are counted.
      const counted = await staff.get(filtered('ALL', { ...filter, dateCollected: '[01/01/1990-12/31/2090]' }))
      expect(all.body.total).toBe(counted.body.total)
      return all.body.total as number
    }
    const before = await equal({ testCodes: 'HDL' })
    expect(before).toBeGreaterThan(0)
    expect(await equal({ testCodes: ['HDL', 'CHOL'] })).toBeGreaterThan(before)
    expect(await equal({ testCodes: 'NOSUCH' })).toBe(0)
    const { owner } = test.database
    const { rows } = await owner.query('select code from test_combo order by id limit 1')
    await equal({ testComboCode: rows[0]?.code ?? 'NONE' })
    await owner.query('update requisition_test set deleted_at = now() where requisition_id = $1', [id])
    expect(await equal({ testCodes: 'HDL' })).toBe(before - 1)
    await owner.query('select requisition_count_fold()')
    expect(await equal({ testCodes: 'HDL' })).toBe(before - 1)
    expect(await verifyLists(owner)).toEqual([])
  })

  it('LIST-009 every registered role may list, a guest not', async () => {
    for (const role of roles)
      expect([role, (await (await test.as(role)).get('requisitions/ALL')).status]).toEqual([
        role,
        can(role, 'requisitions.list') ? 200 : 403,
      ])
  })
})

describe('totals and status counts', () => {
  it('LIST-033 LIST-034 LIST-035 counts every status, and equals what the views count', async () => {
    await ordered({ status_code: 'ACC' })
    const { body } = await staff.get('requisitions/status_count')
    expect(body.data).toHaveLength(19)
    const count = (code: string) =>
      body.data.find((row: { reqStatusCode: string }) => row.reqStatusCode === code).reqStatusCount
    for (const view of ['LOG', 'ACC', 'PROCESS'] as const)
      expect((await staff.get(`requisitions/${view}?perPage=1`)).body.total).toBe(count(view))
    await test.database.owner.query('select requisition_count_fold()')
    expect((await staff.get('requisitions/status_count')).body.data).toEqual(body.data)
  })

  it('LIST-031 is for super admins alone', async () => {
    for (const role of roles)
      expect([role, (await (await test.as(role)).get('requisitions/status_count')).status]).toEqual([
        role,
        can(role, 'requisitions.statusBar') ? 200 : 403,
      ])
  })

  it('tabs of clients and physicians have the counts of their own requisitions, which others cannot read', async () => {
    const [own, other] = [await test.given.client(), await test.given.client()]
    for (const status_code of ['LOG', 'LOG', 'INBILL']) await ordered({ client_id: own.id, status_code })
    await ordered({ client_id: other.id, status_code: 'ACC' })
    const practice = await test.as('CLNT', own.id)
    const counted = (await practice.get('requisitions/tab_counts')).body.data as {
      reqStatusCode: string
      reqStatusCount: number
    }[]
    expect(
      counted.flatMap(({ reqStatusCode, reqStatusCount }) =>
        reqStatusCount > 0 ? [[reqStatusCode, reqStatusCount]] : [],
      ),
    ).toEqual([
      ['LOG', 2],
      ['INBILL', 1],
    ])
    expect((await practice.get('requisitions/CLIENTPHYSROLE?perPage=1')).body.total).toBe(3)
    for (const role of roles)
      expect([role, (await (await test.as(role)).get('requisitions/tab_counts')).status]).toEqual([
        role,
        role === 'CLNT' || role === 'PHYS' ? 200 : 403,
      ])
  })

  it('the total of every view equals its rows', async () => {
    for (const view of apiViews) {
      const { body } = await staff.get(`requisitions/${view}?perPage=-1`)
      expect([view, body.total]).toEqual([view, body.data.length])
    }
  })
})

describe('export', () => {
  it('LIST-049..LIST-052 LIST-216 LIST-217 is offered to super admins and collaborators', async () => {
    const { id } = await ordered()
    for (const role of roles) {
      const caller = await test.as(role)
      const { status } = await caller.get(`requisitions/ALL/export?filter=${encodeURIComponent(`[id:${id}]`)}`)
      expect([role, status]).toEqual([role, can(role, 'requisitions.export') ? 200 : 403])
    }
    const { body } = await staff.get(
      `/report/v3.0/requisitions/ALL/export?format=csv&filter=${encodeURIComponent(`[id:${id}]`)}`,
    )
    expect(body).toMatchObject({ retval: 'SUCCESS', data: { url: expect.stringMatching(/^http/) } })
    const file = await test.inject({
      method: 'GET',
      url: new URL(body.data.url).pathname + new URL(body.data.url).search,
    })
    expect(file.status).toBe(200)
    expect(file.body).toContain('Req ID,Patient Name,Patient DOB')
    expect(file.body).toContain(String(id))
  })
  it('LIST-216 holds what the tab shows: numbers as numbers, dates as dates by the clocks of their zone, flags by name, text never as a formula', async () => {
    const client = await test.given.client({ name: '=Practice & "Sons" <1>' })
    const { id } = await ordered(
      { client_id: client.id, collected_at: '2026-07-01T13:05:00Z', collected_zone: 'America/New_York' },
      { first_name: 'Zoë', last_name: "O'Neil", dob: '1960-01-02' },
    )
    await test.given.orderedTest(id, 'HDL')
    const flags = (await test.database.owner.query('select id, description from flag order by sort_order, id limit 2'))
      .rows
    for (const flag of flags)
      await test.database.owner.query('insert into requisition_flag values ($1, $2)', [id, flag.id])
    const { body } = await staff.get(`requisitions/ALL/export?filter=${encodeURIComponent(`[id:${id}]`)}`)
    const { pathname, search } = new URL(body.data.url)
    const { rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
    const [heads = [], cells = []] = (await readXlsx(rawPayload)).sheets[0]?.rows ?? []
    expect(Object.fromEntries(heads.map((head, index) => [head, cells[index]]))).toMatchObject({
      'Req ID': id,
      'Patient Name': "O'Neil, Zoë",
      'Patient DOB': new Date('1960-01-02T00:00:00Z'),
      'Current Requisition Status': 'Logged',
      Client: '=Practice & "Sons" <1>',
      'Date Collected': new Date('2026-07-01T09:05:00Z'),
      'Test Codes': 'HDL',
      Flag: flags.map(({ description }) => description).join(', '),
    })
    const styles = (await unzip(rawPayload))['xl/styles.xml']?.toString()
    expect(styles).toContain('formatCode="mm/dd/yy hh:mm &quot;EDT&quot;"')
  })
  it('has the turnaround time as a number of hours in a spreadsheet, and as the screen shows it in a CSV', async () => {
    const { id } = await ordered({ status_code: 'RESULT' })
    await test.given.specimen(id, { received_at: '2026-07-01T13:05:00Z' })
    const exported = async (format: string) => {
      const { body } = await staff.get(`requisitions/RESULT/export?format=${format}&filter=[id:${id}]`)
      const { pathname, search } = new URL(body.data.url)
      return (await test.app.inject({ method: 'GET', url: pathname + search })).rawPayload
    }
    const [heads = [], cells = []] = (await readXlsx(await exported('xlsx'))).sheets[0]?.rows ?? []
    const hours = cells[heads.indexOf('TAT')]
    expect(hours).toEqual(expect.any(Number))
    const text = `${Math.floor(Number(hours) / 24)} d ${Number(hours) % 24} h`
    expect((await exported('csv')).toString()).toContain(text)
  })
  it.each([
    ['LOG', ['Date Collected', 'Date Received', 'Date Logged', 'Test Codes']],
    ['RESULT', ['Partial Report', 'Partial Released', 'Date of Collection', 'Test Codes', 'TAT']],
    [
      'REPORT',
      ['Partial Report', 'Partial Released', 'Date of Collection', 'Test Codes', 'TAT', 'Demographic QC', 'Flag'],
    ],
    ['BILL', ['Bill To', 'Insurance Name', 'Sales Rep']],
  ])('has the columns of %s', async (view, columns) => {
    const { id } = await ordered({ status_code: view })
    const { body } = await staff.get(
      `requisitions/${view}/export?format=csv&filter=${encodeURIComponent(`[id:${id}]`)}`,
    )
    const { pathname, search } = new URL(body.data.url)
    const { payload } = await test.app.inject({ method: 'GET', url: pathname + search })
    expect(payload.split('\n')[0]).toBe(['\ufeffReq ID', 'Patient Name', 'Patient DOB', ...columns].join(','))
    expect(payload.split('\n')[1]).toMatch(new RegExp(`^${id},`))
  })
  it('TABLE-041 without a match there is no file, only the message', async () => {
    const { status, body } = await staff.get(
      `requisitions/LOG/export?filter=${encodeURIComponent("[patientLastName:'; drop table requisition; --%]")}`,
    )
    expect([status, body.retval, body.data, body.message]).toEqual([
      200,
      'EMPTY',
      null,
      'No matching records found for export',
    ])
  })
  it('the billing view is not for collaborators', async () => {
    expect((await (await test.as('COLA')).get('requisitions/BILL/export')).status).toBe(403)
  })
})

describe('reads of patient data', () => {
  it('leave a row with who saw which requisitions', async () => {
    const { id } = await ordered()
    const reader = await test.as('STF')
    await reader.get(filtered('ALL', { id }))
    await test.services.accessLog.flush()
    const { rows } = await test.database.owner.query(
      'select route, requisition_ids from access_log where user_id = $1',
      [reader.userId],
    )
    expect(rows).toEqual([{ route: 'requisitions/{view}', requisition_ids: [id] }])
  })
})
