import { canAll } from '@lis/contract/access/permissions.ts'
import { type Role, registered } from '@lis/contract/access/roles.ts'
import { readXlsx } from 'hucre/xlsx'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSeedData } from '../../../seeds/seed-data.ts'
import { type Caller, openTestApp } from '../../../test/app.ts'
import type { JobContext } from '../../platform/jobs/definition.ts'
import { definitions, type ReportKind } from './definitions.ts'
import { makeReportJob } from './jobs.ts'
import { findRequisitionEstimate } from './queries.ts'
import { isLongPeriod } from './run.ts'

const test = openTestApp()

const all = (['QA', 'SUMMARY'] as const).flatMap((kind) =>
  definitions[kind].map((definition) => ({ kind, definition })),
)
const pathOf = (kind: ReportKind) => (kind === 'QA' ? 'qa_reports' : 'summary_reports')
const empty = { fromDate: '1/01/2001', toDate: '1/01/2001' }

const previewOf = (caller: Caller, kind: ReportKind, query: Record<string, string>) =>
  caller.get(`${pathOf(kind)}/preview?${new URLSearchParams(query)}`)
const fileOf = async (url: string) => {
  const { pathname, search } = new URL(url)
  const { statusCode, rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
  return { statusCode, rows: (await readXlsx(rawPayload)).sheets[0]?.rows ?? [] }
}
const mayRun = (role: Role, access: (typeof all)[number]['definition']['access'] = []) => canAll(role, access)

describe('the lists', () => {
  it.each([
    ['REP-33 REP-24..REP-26', 'QA'],
    ['REP-34', 'SUMMARY'],
  ] as const)('%s answer with id, reportCode and reportDesc in the order of the seeds', async (_, kind) => {
    const { status, body } = await (await test.as('STF')).get(pathOf(kind))
    expect(status).toBe(200)
    expect(body.data.map(({ reportCode }: { reportCode: string }) => reportCode)).toEqual(
      definitions[kind].map(({ code }) => code),
    )
    expect(body.data[0]).toEqual({
      id: expect.any(Number),
      reportCode: expect.any(String),
      reportDesc: expect.stringMatching(/\w/),
      purpose: expect.stringMatching(/\w/),
    })
  })

  it('REP-04 are open to every registered role and to nobody else', async () => {
    for (const role of registered) {
      const caller = await test.as(role)
      for (const kind of ['QA', 'SUMMARY'] as const) {
        const { status, body } = await caller.get(pathOf(kind))
        const own = definitions[kind].filter(({ access }) => mayRun(role, access)).map(({ code }) => code)
        expect([role, status, body.data.map((item: { reportCode: string }) => item.reportCode)]).toEqual([
          role,
          200,
          own,
        ])
      }
    }
    const guest = await test.as('GST')
    const report = { ...empty, reportCode: 'QAPEND' }
    for (const caller of [guest, test.nobody]) {
      const expected = caller === guest ? 403 : 401
      expect((await caller.get('qa_reports')).status).toBe(expected)
      expect((await previewOf(caller, 'QA', report)).status).toBe(expected)
      expect((await caller.post('qa_reports/download', report)).status).toBe(expected)
      expect((await caller.post('summary_reports/download', report)).status).toBe(expected)
      expect((await caller.post('adhoc_reqs/download', { colaId: 1, reqIds: [1] })).status).toBe(expected)
      expect((await caller.post('event_reqs/download', { clientId: 1, eventId: 1 })).status).toBe(expected)
    }
  })

  it('REP-42 answer under the report API too', async () => {
    const staff = await test.as('STF')
    expect((await staff.get('/report/v3.0/qa_reports')).body.data).toHaveLength(9)
    const report = { ...empty, reportCode: 'SUMCOLA' }
    expect((await staff.post('/report/v3.0/summary_reports/download', report)).body.data.url).toMatch(/^http/)
  })
})

describe('every report', () => {
  it.each(all)(
    '$definition.code has the columns that its row in the seeds promises (REP-G5)',
    ({ kind, definition }) => {
      const seeds = readSeedData<{ reportCode: string; columns: { name: string; type: string }[] }>(
        kind === 'QA' ? 'qa-reports' : 'summary-reports',
      )
      const types: Record<string, string> = { 'decimal(1)': 'decimal1', 'decimal(2)': 'decimal2' }
      const promised = seeds.find(({ reportCode }) => reportCode === definition.code)?.columns
      expect(definition.columns.map(({ name, type }) => ({ name, type }))).toEqual(
        promised?.map(({ name, type }) => ({ name, type: types[type] ?? type })),
      )
    },
  )

  it.each(all)(
    '$definition.code runs for each role that may, and is refused to the others',
    async ({ kind, definition }) => {
      for (const role of registered) {
        const caller = await test.as(role)
        const report = { ...empty, reportCode: definition.code }
        const expected = mayRun(role, definition.access) ? 200 : 403
        expect([role, (await previewOf(caller, kind, report)).status]).toEqual([role, expected])
        expect([role, (await caller.post(`${pathOf(kind)}/download`, report)).status]).toEqual([role, expected])
      }
    },
  )

  it.each(all)(
    'REP-35 REP-36 REP-40 $definition.code of an empty period is a file with its headers and totals of 0',
    async ({ kind, definition }) => {
      const staff = await test.as('STF')
      const report = { ...empty, reportCode: definition.code }
      const { status, body } = await staff.post(`${pathOf(kind)}/download`, report)
      expect([status, body.data.jobId]).toEqual([200, null])
      const { statusCode, rows } = await fileOf(body.data.url)
      expect([statusCode, rows[0]]).toEqual([200, definition.columns.map(({ header }) => header)])
      const numbers = rows.slice(1).flatMap((row) => row.filter((cell) => typeof cell === 'number'))
      expect(numbers.filter((value) => value !== 0)).toEqual([])
      const shown = (await previewOf(staff, kind, report)).body.data
      expect([shown.rowCount, shown.chart.points]).toEqual([rows.length - 1, []])
    },
  )
})

describe('results that are not released', () => {
  const reports = [
    ['QA', 'QAOOR'],
    ['SUMMARY', 'SUMDIST'],
  ] as const

  it('LIST-054 LIST-055 DELIV-G1 are in no report of a physician or of billing, who have no tab with tests; those who have it keep them', async () => {
    const sees: Partial<Record<Role, boolean>> = { STF: true, COLA: true }
    for (const role of registered.filter((one) => one !== 'ADM' && one !== 'MGMT')) {
      const caller = await test.as(role)
      const expected = sees[role] ? 200 : 403
      for (const [kind, reportCode] of reports) {
        const listed = (await caller.get(pathOf(kind))).body.data.map((item: { reportCode: string }) => item.reportCode)
        expect([role, listed.includes(reportCode)]).toEqual([role, sees[role] === true])
        expect([role, (await previewOf(caller, kind, { ...empty, reportCode })).status]).toEqual([role, expected])
        expect([role, (await caller.post(`${pathOf(kind)}/download`, { ...empty, reportCode })).status]).toEqual([
          role,
          expected,
        ])
      }
      // 404: allowed, but there is no such requisition.
      const adHoc = await caller.post('adhoc_reqs/download', { colaId: 1, reqIds: [1] })
      expect([role, adHoc.status]).toEqual([role, sees[role] ? 404 : 403])
    }
  })

  it('are not made by a job either', async () => {
    const { userId } = await test.as('PHYS')
    const context = {
      id: '00000000-0000-4000-8000-000000000002',
      userId,
      services: test.services,
      progress: async () => undefined,
    } as unknown as JobContext
    const input = { kind: 'QA' as const, reportCode: 'QAOOR', fromDate: '2026-10-01', toDate: '2026-10-31' }
    await expect(makeReportJob.run(context, { ...input, sessionId: '' })).rejects.toThrow(
      'The person who asked for this is no longer allowed to do it',
    )
  })
})

describe('what is sent', () => {
  const send = async (over: object) => {
    const { status, body } = await (await test.as('STF')).post('qa_reports/download', {
      ...empty,
      reportCode: 'QAPEND',
      ...over,
    })
    return [status, body.message]
  }

  it.each([
    ['REP-27', { fromDate: '' }, 'Date From is required'],
    ['REP-27', { fromDate: undefined }, 'Date From is required'],
    ['REP-28', { toDate: ' ' }, 'Date To is required'],
    ['REP-37', { fromDate: '2026-01-01' }, 'Invalid date'],
    ['REP-37', { toDate: '2/30/2026' }, 'Invalid date'],
    ['REP-G3', { fromDate: '1/02/2001' }, 'Date From cannot be after Date To'],
    ['REP-35', { reportCode: 'NOSUCH' }, 'Report not found'],
    ['REP-35', { reportCode: 'SUMCLIENT' }, 'Report not found'],
    ['the longest period', { toDate: '1/02/2011' }, 'The period can be at most 10 years'],
  ])('%s refuses %j', async (_, over, message) => {
    expect(await send(over)).toEqual([400, message])
  })

  it.each(['1/01/2001', '1/1/2001', '01/01/2001'])('REP-37 takes %s', async (fromDate) => {
    expect((await send({ fromDate }))[0]).toBe(200)
  })
})

describe('long reports', () => {
  it('are those over many requisitions, as far as the planner can tell', async () => {
    expect([100_000, 100_001].map(isLongPeriod)).toEqual([false, true])
    const { owner } = test.database
    const plan = (from: string, to: string) => findRequisitionEstimate(test.database.db, { from, to })
    const few = await plan('2026-10-01', '2026-10-31')
    expect(few).toBeGreaterThanOrEqual(0)
    expect(isLongPeriod(few)).toBe(false)
    await owner.query('analyze requisition_list')
    expect(await plan('1990-01-01', '1990-01-31')).toBeLessThanOrEqual(1)
  })

  it('are made by a job with progress, within the scope of the user who asked', async () => {
    const mine = await test.given.client({ name: 'Mine' })
    for (const client of [mine, await test.given.client()]) {
      const { id } = await test.given.requisition({ client_id: client.id })
      await test.given.specimen(id, { received_at: '2026-10-02T13:00:00Z' })
    }
    const requester = await test.as('CLNT', mine.id)
    const { userId } = requester
    const { rows } = await test.database.owner.query('select id from session where user_id = $1', [userId])
    const steps: string[] = []
    const context = {
      id: '00000000-0000-4000-8000-000000000001',
      userId,
      services: test.services,
      progress: async (_done: number, _total: number | null, message = '') => void steps.push(message),
    } as unknown as JobContext
    const input = {
      kind: 'SUMMARY' as const,
      reportCode: 'SUMCLIENT',
      fromDate: '2026-10-01',
      toDate: '2026-10-31',
      sessionId: rows[0].id as string,
    }
    const result = await makeReportJob.run(context, input)
    expect(steps).toEqual(['Reading', 'Ready'])
    const job = await test.given.store('job', {
      kind: makeReportJob.kind,
      user_id: userId,
      state: 'DONE',
      result: JSON.stringify(result),
    })
    const { status, body } = await requester.get(`report_files/${job.id}`)
    expect(status).toBe(200)
    const { url } = body.data
    expect((await fileOf(url)).rows.map((row) => row.slice(1, 3))).toEqual([
      ['Client', 'Requisitions'],
      ['Mine', 1],
      ['Total', 1],
    ])

    // Only the requester's, only when it is done, and only for a limited time.
    for (const other of [await test.as('CLNT', mine.id), await test.as('ADM')])
      expect((await other.get(`report_files/${job.id}`)).status).toBe(404)
    await test.database.owner.query("update job set state = 'RUNNING' where id = $1", [job.id])
    expect((await requester.get(`report_files/${job.id}`)).status).toBe(404)
    await test.database.owner.query("update job set state = 'DONE' where id = $1", [job.id])
    await test.database.owner.query('update upload_slot set expires_at = now() where object_key = $1', [
      (result as { key: string }).key,
    ])
    const late = await requester.get(`report_files/${job.id}`)
    expect([late.status, late.body.message]).toEqual([
      404,
      'The file of this report is no longer kept. Please download the report again.',
    ])
  })
})

describe('a long report that one person asks for twice', () => {
  it('is made once for each session, since its file is for the session that asked', async () => {
    await test.database.owner.query(
      `select pg_restore_relation_stats('schemaname', 'public', 'relname', 'requisition_list', 'relpages', 1, 'reltuples', 1e9::real)`,
    )
    onTestFinished(() => void test.database.owner.query('analyze requisition_list'))
    const [one, other] = [await test.as('STF'), await test.as('STF')]
    await test.database.owner.query('update session set user_id = $1 where user_id = $2', [one.userId, other.userId])
    const ask = async (caller: Caller): Promise<string> => {
      const period = { fromDate: '1/01/2020', toDate: '10/31/2026' }
      const { status, body } = await caller.post('summary_reports/download', { reportCode: 'SUMCLIENT', ...period })
      expect([status, body.data]).toEqual([200, { url: null, jobId: expect.any(String) }])
      return body.data.jobId
    }
    const first = await ask(one)
    expect(await ask(one)).toBe(first)
    expect(await ask(other)).not.toBe(first)
  })
})

describe('misc reports', () => {
  const resulted = async (clientId: number) => {
    const patient = await test.given.patient({ last_name: 'Doe', first_name: 'Ann', dob: '1971-03-04' })
    const { id } = await test.given.requisition({ client_id: clientId, patient_id: patient.id })
    const done = { result: '52', reportable_result: '52', process_date: '2026-11-03T14:05:00Z' }
    await test.given.orderedTest(id, 'HDL', done)
    await test.given.orderedTest(id, 'CHOL', { ...done, result: '180', reportable_result: '180' })
    await test.given.orderedTest(id, 'TRIG', { ...done, is_modifiable: true })
    return id
  }

  it('REP-38 REP-40 the ad hoc report has one wide row per requisition and day, with real dates, and names what it did not find', async () => {
    const collaborator = await test.given.collaborator()
    const client = await test.given.client({ collaborator_id: collaborator.id })
    const id = await resulted(client.id)
    const foreign = await resulted((await test.given.client()).id)
    for (const caller of [await test.as('STF'), await test.as('COLA', collaborator.id)]) {
      const { status, body } = await caller.post('adhoc_reqs/download', {
        colaId: collaborator.id,
        reqIds: [id, foreign, id],
      })
      expect([status, body.message]).toEqual([200, `Requisition(s) not found: ${foreign}`])
      const { rows } = await fileOf(body.data.url)
      const [head = [], row = []] = rows
      expect(rows).toHaveLength(2)
      const cell = (name: string) => row[head.indexOf(name)]
      expect([cell('Req ID'), cell('Patient Name'), cell('HDL'), cell('Total Chol')]).toEqual([
        id,
        'Doe, Ann',
        '52',
        '180',
      ])
      expect(cell('Triglycerides') ?? null).toBeNull() // its modification is open
      expect(cell('Patient DOB')).toEqual(new Date('1971-03-04T00:00:00Z'))
      expect(cell('Process Date (EST)')).toEqual(new Date('2026-11-03T09:05:00Z')) // the laboratory's clock
      const none = await caller.post('adhoc_reqs/download', { colaId: collaborator.id, reqIds: [foreign] })
      expect([none.status, none.body.message]).toEqual([404, `Requisition(s) not found: ${foreign}`])
    }
    const [whole, staff] = [await resulted(client.id), await test.as('STF')]
    await test.database.owner.query("insert into requisition_reason select $1, id from reason where code = '907'", [
      whole,
    ])
    const both = await staff.post('adhoc_reqs/download', { colaId: collaborator.id, reqIds: [id, whole] })
    expect((await fileOf(both.body.data.url)).rows.map(([reqId]) => reqId)).toEqual(['Req ID', id])
    for (const caller of [await test.as('CLNT', client.id), await test.as('SLS'), await test.as('BILL')]) {
      expect((await caller.post('adhoc_reqs/download', { colaId: collaborator.id, reqIds: [id] })).status).toBe(403)
    }
  })

  it('REP-39 REP-40 the event report lists who came, within the scope of the reader', async () => {
    const client = await test.given.client()
    const event = await test.given.event(client.id, { name: 'Health day' })
    const { id } = await test.given.requisition({ client_id: client.id, event_id: event.id })
    await test.given.requisition({ client_id: client.id })
    const body = { clientId: client.id, eventId: event.id }
    for (const caller of [await test.as('ADM'), await test.as('CLNT', client.id)]) {
      const reply = await caller.post('event_reqs/download', body)
      expect(reply.status).toBe(200)
      const { rows } = await fileOf(reply.body.data.url)
      expect(rows.slice(1).map(([reqId]) => reqId)).toEqual([id])
      expect(rows[1]?.[rows[0]?.indexOf('Collection Date (EST)') ?? -1]).toEqual(new Date('2026-11-01T08:00:00Z'))
    }
    for (const caller of [await test.as('CLNT'), await test.as('PHYS'), await test.as('BILL')]) {
      expect((await caller.post('event_reqs/download', body)).status).toBe(404)
    }
    const other = await test.given.client()
    expect((await (await test.as('STF')).post('event_reqs/download', { ...body, clientId: other.id })).status).toBe(404)
  })

  it.each([
    ['REP-29', 'adhoc_reqs', { reqIds: [1] }, 'For Lab/Collaborator is required'],
    ['REP-30', 'adhoc_reqs', { colaId: 1 }, 'Requisition(s) is required'],
    ['REP-30', 'adhoc_reqs', { colaId: 1, reqIds: [] }, 'Requisition(s) is required'],
    ['REP-G9', 'adhoc_reqs', { colaId: 1, reqIds: ['x'] }, 'Requisition(s) must be numbers separated by commas'],
    ['REP-31', 'event_reqs', { eventId: 1 }, 'Client is required'],
    ['REP-32', 'event_reqs', { clientId: 1 }, 'Client Event is required'],
  ])('%s %s refuses %j', async (_, path, body, message) => {
    const reply = await (await test.as('STF')).post(`${path}/download`, body)
    expect([reply.status, reply.body.message]).toEqual([400, message])
  })

  it('leave a trace of who took which requisitions away', async () => {
    const client = await test.given.client()
    const event = await test.given.event(client.id)
    const { id } = await test.given.requisition({ client_id: client.id, event_id: event.id })
    const staff = await test.as('STF')
    await staff.post('event_reqs/download', { clientId: client.id, eventId: event.id })
    await test.services.accessLog.flush()
    const { rows } = await test.database.owner.query(
      'select route, requisition_ids from access_log where user_id = $1',
      [staff.userId],
    )
    expect(rows).toEqual([{ route: 'event_reqs/download', requisition_ids: [id] }])
    const { rows: audit } = await test.database.owner.query(
      "select new_data ->> 'reportCode' as code from audit_entry where action = 'REPORT_DOWNLOAD' and actor_id = $1",
      [staff.userId],
    )
    expect(audit).toEqual([{ code: 'EVENT' }])
  })
})
