import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '@lis/contract/access/roles.ts'
import { roles } from '@lis/contract/access/roles.ts'
import type { Home, HomeQueue } from '@lis/contract/home.ts'
import { deskTabStates } from '@lis/contract/interfaces.ts'
import { type Filters, type FilterValue, parseFilter } from '@lis/contract/kit/list-query.ts'
import { type RequisitionView, requisitionViews } from '@lis/contract/requisitions/views.ts'
import { sql } from 'kysely'
import forge from 'node-forge'
import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { readConfig } from '../../platform/config.ts'
import { openReportSeal } from '../../platform/pdf/seal.ts'

const test = openTestApp()

const homeOf = async (caller: Caller): Promise<Home> => {
  const { status, body } = await caller.get('home')
  expect([status, body.message]).toEqual([200, ''])
  return body.data
}
const queueOf = (home: Home, code: string) => home.queues.find((queue) => queue.code === code) as HomeQueue

/** The total of the call beside a number, asked by the same person. */
const totalOf = async (caller: Caller, call: string): Promise<number> => {
  const { status, body } = await caller.get(`${call}${call.includes('?') ? '&' : '?'}page=1&perPage=1`)
  expect([call, status]).toEqual([call, 200])
  return body.total
}

/** What a page asks the server for when it is opened by this link. */
const rowsOfLink = (link: string) => {
  const { pathname, searchParams } = new URL(link, 'http://lis')
  const entries = JSON.parse(searchParams.get('smartFilter') ?? '[]') as { id: string; value: FilterValue }[]
  const filters: Filters = Object.fromEntries(entries.map(({ id, value }) => [id, value]))
  // A list without filters and without a view in its address opens the view that the person has chosen as the first.
  const hasOwnFilters = entries.length > 0 || searchParams.get('view') === '0'
  if (pathname === '/requisitions') {
    const tab = requisitionViews[searchParams.get('status') as RequisitionView].api
    return { path: tab === null ? 'billing/batch' : `requisitions/${tab}`, filters, hasOwnFilters }
  }
  if (pathname === '/interfaces') {
    const state = [...(deskTabStates[searchParams.get('show') as keyof typeof deskTabStates] ?? [])]
    return { path: 'interface_messages', filters: { state }, hasOwnFilters: true }
  }
  if (pathname === '/deliveries') return { path: 'deliveries/late', filters, hasOwnFilters }
  return { ...rowsOfPages[link], hasOwnFilters: true }
}

/** Pages with one list. */
const rowsOfPages: Record<string, { path: string; filters: Filters }> = {
  '/critical-calls': { path: 'critical_calls', filters: { state: ['OPEN', 'TAKEN'] } },
  '/quality-control': { path: 'qc_status', filters: { state: ['OUT', 'DUE'] } },
  '/review': { path: 'review_results', filters: {} },
  '/sign-out': { path: 'sign_out', filters: {} },
  '/test-reports-upload/matching': { path: 'bulk_report_uploader/held', filters: {} },
  '/?show=NEW_RESULTS': { path: 'home/new_results', filters: {} },
  '/?show=WANTED': { path: 'home/wanted', filters: {} },
  '/?show=SILENT': { path: 'home/clients', filters: { isSilent: '1' } },
}

/** One value is the same filter as a list with that value. */
const inLists = ({ filters = {}, ...rest }: { filters?: Filters; path?: string }) => ({
  ...rest,
  filters: Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, [value].flat()])),
})

const rowsOfCall = (call: string) => {
  const [path, query = ''] = call.split('?')
  return { path, filters: parseFilter(new URLSearchParams(query).get('filter') ?? ''), hasOwnFilters: true }
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

describe('GET home', () => {
  it('HOME-01 says role and time, and each number is the total of its call, for every role', async () => {
    const client = await test.given.client()
    for (const hours of [1, 30]) {
      const { id } = await test.given.requisition({ client_id: client.id, logged_at: hoursAgo(hours) })
      await test.given.issue(id)
    }
    for (const role of roles.filter((one) => one !== 'GST')) {
      const caller = await test.as(role as Role, role === 'CLNT' ? client.id : undefined)
      const home = await homeOf(caller)
      expect([home.userRoleCode, home.failed]).toEqual([role, {}])
      expect(Math.abs(Date.parse(home.asOf) - Date.now())).toBeLessThan(60_000)
      for (const { code, count, call } of home.queues)
        expect([role, code, count]).toEqual([role, code, await totalOf(caller, call)])
    }
  })

  it('HOME-01 links each queue to the page with the rows of its call, with no Smart View of the person, for every role', async () => {
    for (const role of roles.filter((one) => one !== 'GST')) {
      const { queues } = await homeOf(await test.as(role as Role))
      for (const { code, link, call } of queues)
        expect([code, inLists(rowsOfLink(link))]).toEqual([code, inLists(rowsOfCall(call))])
    }
  })

  it('HOME-01 orders queues by how close the oldest row is to its limit, empty ones last', async () => {
    const caller = await test.as('STF')
    await test.given.requisition({ logged_at: hoursAgo(20) })
    const before = await homeOf(caller)
    const receive = queueOf(before, 'RECEIVE')
    expect(receive.first).toMatch(/^#\d+ \| Patient\d+, Pat \(01\/02\/1970\)$/)
    expect(receive.link).toBe('/requisitions?status=Logged&view=0')
    expect(Date.parse(receive.limitDate as string) - Date.parse(receive.oldestDate as string)).toBe(24 * 3_600_000)
    const used = before.queues.map(({ oldestDate, limitDate }) =>
      oldestDate === null || limitDate === null
        ? -1
        : (Date.now() - Date.parse(oldestDate)) / (Date.parse(limitDate) - Date.parse(oldestDate)),
    )
    expect(used).toEqual([...used].sort((one, other) => other - one))
    const waiting = before.queues.map(({ count }) => Number(count) > 0)
    expect(waiting).toEqual([...waiting].sort((one, other) => Number(other) - Number(one)))
  })

  it.each([
    [1, 'OK'],
    [19, 'WARN'],
    [25, 'LATE'],
  ])('HOME-01 a queue whose oldest row waits %d of 24 hours is %s', async (hours, state) => {
    await sql`update requisition set logged_at = now()`.execute(test.database.db)
    await test.given.requisition({ logged_at: hoursAgo(hours) })
    expect(queueOf(await homeOf(await test.as('ADM')), 'RECEIVE').state).toBe(state)
  })

  it('HOME-01 lists the requisitions that the person changed or opened, the latest first', async () => {
    const staff = await test.as('STF')
    const created = await staff.post('requisitions', await test.given.requisitionBody())
    expect(created.status).toBe(200)
    const { id } = await test.given.requisition()
    await staff.get(`requisitions/${id}`)
    await test.services.accessLog.flush()
    const { recent } = await homeOf(staff)
    expect(recent?.map(({ reqId, event }) => [reqId, event])).toEqual([
      [id, 'Opened'],
      [created.body.data.id, 'Created'],
    ])
    expect(recent?.[0]).toMatchObject({ reqStatusCode: 'LOG', reqStatusDesc: 'Logged', patientFirstName: 'Pat' })
    expect((await homeOf(await test.as('STF'))).recent).toEqual([])
  })

  it('HOME-01 counts the rows of pinned views in the scope of the person', async () => {
    const client = await test.given.client()
    await test.given.requisition({ client_id: client.id })
    await test.given.requisition()
    const caller = await test.as('CLNT', client.id)
    const saved = await caller.post('smart_filters', {
      smartName: 'Logged ones',
      smartScreen: 'requisitions/AllForClient',
      smartValues: { reqStatusCode: { value: 'LOG', viewValue: 'Logged' } },
    })
    expect((await homeOf(caller)).pinnedViews).toEqual([])
    expect((await caller.put(`smart_filters/${saved.body.data.id}/mine`, { isPinned: true })).status).toBe(200)
    const [view] = (await homeOf(caller)).pinnedViews ?? []
    expect(view).toMatchObject({ id: saved.body.data.id, smartName: 'Logged ones', count: 1 })
    expect(await totalOf(caller, view?.call as string)).toBe(1)
    expect(view?.link).toBe(`/requisitions?view=${saved.body.data.id}`)
  })
})

describe('GET home of the laboratory', () => {
  it('HOME-02 has the queues of the laboratory for super roles only, and none of features that do not exist', async () => {
    const codes = ['HELD_FILE', 'HELD_MESSAGE', 'ISSUES', 'LATE_DELIVERY', 'PROCESS', 'RECEIVE']
    for (const role of ['ADM', 'MGMT', 'STF'] as const) {
      const home = await homeOf(await test.as(role))
      expect(home.queues.map(({ code }) => code).sort()).toEqual(expect.arrayContaining(codes))
      expect(Object.keys(home)).toEqual(expect.arrayContaining(['turnaround', 'flow', 'hours']))
    }
    const home = await homeOf(await test.as('CLNT'))
    expect(home.queues.filter(({ code }) => codes.includes(code))).toEqual([])
    expect(home).not.toHaveProperty('flow')
  })

  it('HOME-02 counts the open issues that the departments of the person reported', async () => {
    const { id } = await test.given.requisition()
    await test.given.issue(id)
    const staff = await test.as('STF')
    expect(queueOf(await homeOf(staff), 'ISSUES').count).toBe(0)
    await test.given.userDepartment(staff.userId, await test.given.firstId('department'))
    const issues = queueOf(await homeOf(staff), 'ISSUES')
    expect(issues.count).toBeGreaterThan(0)
    expect(issues.count).toBe(await totalOf(staff, issues.call))
    expect(decodeURIComponent(issues.link)).toContain('"id":"issueDeptId"')
  })

  it('HOME-02 says which queues are the work of the departments of the person', async () => {
    const mineOf = async (code: string) => {
      const department = await test.database.db
        .selectFrom('department')
        .select('id')
        .where('code', '=', code)
        .executeTakeFirstOrThrow()
      const reader = await test.as('STF')
      await test.given.userDepartment(reader.userId, department.id)
      const { queues } = await homeOf(reader)
      return queues.filter(({ isMine }) => isMine === 1).map((queue) => queue.code)
    }
    expect((await mineOf('ACC')).sort()).toEqual(['HELD_MESSAGE', 'ISSUES', 'RECEIVE'])
    expect(await mineOf('LAB')).toEqual(expect.arrayContaining(['PROCESS', 'REVIEW', 'QC']))
  })

  it('HOME-02 divides the requisitions of each status by how long they have been in it', async () => {
    for (const days of [0.5, 1.5, 3, 5])
      await test.given.requisition({ status_code: 'RESULT', status_at: hoursAgo(24 * days) })
    const admin = await test.as('ADM')
    const { flow } = await homeOf(admin)
    const counts = (await admin.get('requisitions/status_count')).body.data as {
      reqStatusCode: string
      reqStatusCount: number
    }[]
    for (const { reqStatusCode, count, ages } of flow ?? []) {
      expect([reqStatusCode, count]).toEqual([
        reqStatusCode,
        counts.find((one) => one.reqStatusCode === reqStatusCode)?.reqStatusCount,
      ])
      expect(Object.values(ages).reduce((sum, part) => sum + part, 0)).toBe(count)
    }
    const resulted = flow?.find(({ reqStatusCode }) => reqStatusCode === 'RESULT')
    expect(resulted?.ages).toEqual({ under1Day: 1, from1To2Days: 1, from2To4Days: 1, over4Days: 1 })
  })

  it('HOME-02 counts what was received today by the hour in the zone of the laboratory, beside the usual', async () => {
    const { id } = await test.given.requisition()
    await test.given.specimen(id, { received_at: new Date().toISOString() })
    const week = await test.given.requisition()
    await test.given.specimen(week.id, { received_at: hoursAgo(7 * 24) })
    const home = await homeOf(await test.as('MGMT'))
    const hourOf = (at: Date) =>
      Number(new Intl.DateTimeFormat('en-US', { hour: '2-digit', hourCycle: 'h23', timeZone: home.labTz }).format(at))
    expect(home.hours?.map(({ hour }) => hour)).toEqual(Array.from({ length: 24 }, (_, hour) => hour))
    expect(home.hours?.reduce((sum, { count }) => sum + count, 0)).toBe(1)
    expect(home.hours?.find(({ count }) => count === 1)?.hour).toBe(hourOf(new Date()))
    expect(home.hours?.reduce((sum, { usual }) => sum + usual, 0)).toBeCloseTo(0.25, 0)
  })

  it('HOME-02 says how long the stages took that requisitions left today, and the share within target', async () => {
    const store = (requisition_id: number, from_code: string | null, to_code: string, at: string) =>
      test.given.store('requisition_status_event', { requisition_id, from_code, to_code, at })
    for (const hours of [10, 200]) {
      const { id } = await test.given.requisition({ status_code: 'RELEASE' })
      await test.given.specimen(id, { received_at: hoursAgo(hours) })
      await store(id, 'RESULT', 'REPORT', hoursAgo(hours / 2))
      await store(id, 'REPORT', 'RELEASE', hoursAgo(0))
    }
    const { turnaround } = await homeOf(await test.as('ADM'))
    expect(turnaround).toMatchObject({ released: 2, withinTarget: 1, shareWithinTarget: 50 })
    const stage = (code: string) => turnaround?.stages.find(({ reqStatusCode }) => reqStatusCode === code)
    expect(stage('REPORT')).toMatchObject({ count: 2, p50Hours: 52.5, p90Hours: 100, targetHours: 24 })
    expect(stage('TOTAL')).toMatchObject({ count: 2, p50Hours: 105, p90Hours: 200, targetHours: 120 })
    expect(stage('PROCESS')).toMatchObject({ count: 0, p50Hours: null, p90Hours: null })
  })
})

describe('the certificate of reports', () => {
  it('SOUT-05 is named on the home of an administrator when it ends within 30 days, and on no other', async () => {
    const keys = forge.pki.rsa.generateKeyPair(2048)
    const cert = forge.pki.createCertificate()
    cert.publicKey = keys.publicKey
    cert.serialNumber = '01'
    cert.validity.notBefore = new Date(hoursAgo(24))
    cert.validity.notAfter = new Date(hoursAgo(-20 * 24))
    cert.setSubject([{ name: 'commonName', value: 'Main Laboratory' }])
    cert.sign(keys.privateKey, forge.md.sha256.create())
    const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
    const REPORT_CERT = join(folder, 'laboratory.p12')
    const p12 = forge.asn1.toDer(forge.pkcs12.toPkcs12Asn1(keys.privateKey, [cert], 'secret')).getBytes()
    writeFileSync(REPORT_CERT, Buffer.from(p12, 'binary'))
    const { log, reportSeal } = test.services
    const config = readConfig({ LIS_DATA_DIR: folder, REPORT_CERT, REPORT_CERT_PASSWORD: 'secret' })
    test.services.reportSeal = await openReportSeal(config, log)
    try {
      const day = cert.validity.notAfter.toISOString().slice(0, 10)
      const warning = `The certificate that seals reports (Main Laboratory) expires on ${day}`
      expect((await homeOf(await test.as('ADM'))).warnings).toEqual([warning])
      expect((await homeOf(await test.as('STF'))).warnings).toEqual([])
    } finally {
      test.services.reportSeal = reportSeal
    }
  })
})

describe('a part of home that fails', () => {
  it('HOME-04 is null and named with its reason, and the others come', async () => {
    const admin = await test.as('ADM')
    await test.database.owner.query('alter table report_upload_file rename to report_upload_file_away')
    try {
      const home = await homeOf(admin)
      expect(home.failed).toEqual({ HELD_FILE: 'It could not be read. Try again.' })
      expect(queueOf(home, 'HELD_FILE').count).toBeNull()
      expect(queueOf(home, 'RECEIVE').count).not.toBeNull()
      expect(home.flow).not.toBeNull()
    } finally {
      await test.database.owner.query('alter table report_upload_file_away rename to report_upload_file')
    }
  })
})
