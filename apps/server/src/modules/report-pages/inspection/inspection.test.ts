import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../../test/app.ts'
import { unzip } from '../../../../test/unzip.ts'
import type { JobContext } from '../../../platform/jobs/definition.ts'
import { makePackJob } from './job.ts'

const validationPack = mkdtempSync(join(tmpdir(), 'validation-'))
const test = openTestApp({ env: { VALIDATION_PACK_DIR: validationPack } })
let manager: Caller
beforeAll(async () => {
  manager = await test.as('MGMT')
})

const query = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows
const period = { fromDate: '1/01/2026', toDate: '12/31/2026' }

/** Runs the job that a call has queued, as a worker does, and records its result. */
const runJob = async (id: string) => {
  const [job] = await query('select user_id, input from job where id = $1', [id])
  const context = { id, userId: job.user_id, services: test.services, progress: async () => undefined }
  const result = await makePackJob.run(context as unknown as JobContext, job.input)
  await query("update job set state = 'DONE', result = $2 where id = $1", [id, JSON.stringify(result)])
}

const download = async (caller: Caller, jobId: string) => {
  const { status, body } = await caller.get(`report_files/${jobId}`)
  expect(status).toBe(200)
  const { pathname, search } = new URL(body.data.url)
  const { rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
  return unzip(rawPayload)
}
const ordered = async (caller: Caller, labId: number): Promise<string> => {
  const { status, body } = await caller.post('inspection_packs', { labId, ...period })
  expect([status, body.data]).toEqual([200, { jobId: expect.any(String) }])
  return body.data.jobId
}
const rowsOf = (file: Buffer | undefined): Record<string, string>[] =>
  parse(file as Buffer, { columns: true, bom: true })

/** A laboratory with one of everything, in the middle of the period. */
const laboratory = async (name: string) => {
  const lab = await test.given.lab({ name, zone: 'America/New_York' })
  const [chol] = await query("select id from test where code = 'CHOL'")
  const at = '2026-06-10T15:00:00Z'
  const instrument = await test.given.store('instrument', {
    name: `${name} 1`,
    lab_id: lab.id,
    protocol: 'ASTM',
    port: 4000,
  })
  const on = { instrument_id: instrument.id, test_id: chol.id }
  const run = await test.given.store('qc_run', { ...on, ran_at: at, state: 'REJECTED', rules: '[]' })
  await test.given.store('qc_action', {
    ...on,
    cause: `Old reagent of ${name}`,
    action: 'Replaced',
    done_at: at,
    recorded_by_name: 'Ann',
  })
  const { id: reqId } = await test.given.requisition({ lab_id: lab.id })
  const ordered = await test.given.orderedTest(reqId, 'CHOL', { result: '500' })
  const call = await test.given.store('critical_call', {
    requisition_id: reqId,
    requisition_test_id: ordered.id,
    test_id: chol.id,
    value: '500',
    is_critical: true,
    raised_at: at,
    due_at: at,
  })
  await test.given.store('critical_attempt', {
    call_id: call.id,
    outcome: 'REACHED',
    called_to: 'Dr. Who',
    called_at: at,
    created_by_name: 'Ann',
  })
  const doctor = await test.given.user('STF')
  const admin = await test.as('ADM')
  await admin.post(`labs/${lab.id}/signers`, {
    userId: doctor.id,
    deptIds: [],
    qualifications: `MD of ${name}`,
    identityCheckedBy: 'Human resources',
    validFrom: '2026-01-01',
    validTo: null,
  })
  return { labId: lab.id, runId: run.id, reqId }
}

describe("the inspector's pack", () => {
  it('SOUT-10 has every part for one laboratory and period, and a manifest with the hash of each file', async () => {
    const { labId, runId, reqId } = await laboratory('Inspected')
    await laboratory('Other')
    const limit = (await manager.post('critical_limits', { testCode: 'CHOL', hi: '400' })).body.data.id
    await manager.put(`critical_limits/${limit}`, { hi: '450' })
    const jobId = await ordered(manager, labId)
    await runJob(jobId)
    const files = await download(manager, jobId)
    const { 'manifest.json': manifest, ...others } = files
    expect(JSON.parse(String(manifest)).files).toEqual(
      Object.entries(others).map(([name, body]) => ({ name, sha256: createHash('sha256').update(body).digest('hex') })),
    )
    const limits = rowsOf(files['procedures/critical-limits.csv']).filter(({ id }) => id === String(limit))
    expect(limits).toMatchObject([
      { testCode: 'CHOL', versionNo: '1', hi: '400', isInForce: '0' },
      { testCode: 'CHOL', versionNo: '2', hi: '450', validTo: '', isInForce: '1' },
    ])
    expect(rowsOf(files['procedures/laboratory-record.csv']).map(({ name }) => name)).toEqual(['Inspected'])
    expect(rowsOf(files['procedures/test-catalogue.csv']).length).toBeGreaterThan(20)
    expect(rowsOf(files['quality-control/runs.csv'])).toMatchObject([{ id: String(runId), state: 'REJECTED' }])
    expect(rowsOf(files['quality-control/corrective-actions.csv'])).toMatchObject([
      { cause: 'Old reagent of Inspected' },
    ])
    expect(rowsOf(files['critical-calls.csv'])).toMatchObject([{ reqId: String(reqId), value: '500' }])
    expect(files['critical-calls.csv']?.toString()).toContain('Dr. Who')
    expect(rowsOf(files.competency ?? files['competency.csv'])).toMatchObject([
      { qualifications: 'MD of Inspected', identityCheckedBy: 'Human resources', departments: 'all' },
    ])
    expect(rowsOf(files['access-review.csv']).find((row) => row.Sees === 'every requisition')).toBeDefined()
    for (const name of ['corrected-reports.csv', 'turnaround.csv', 'procedures/collaborator-ranges.csv', 'README.txt'])
      expect(Object.keys(files)).toContain(name)
    expect(String(files['validation-pack/not-included.txt'])).toContain('not included')
  })

  it('SOUT-10 has the validation report of the program where there is one', async () => {
    const { id } = await test.given.lab()
    writeFileSync(join(validationPack, 'validation-report.html'), '<h1>Validated</h1>')
    const jobId = await ordered(manager, id)
    await runJob(jobId)
    const files = await download(manager, jobId)
    expect(String(files['validation-pack/validation-report.html'])).toBe('<h1>Validated</h1>')
    expect(Object.keys(files)).not.toContain('validation-pack/not-included.txt')
  })

  it('SOUT-10 is in the access log with the requisitions that it names, and in the audit of the laboratory', async () => {
    const { labId, reqId } = await laboratory('Recorded')
    const jobId = await ordered(manager, labId)
    await runJob(jobId)
    await test.services.accessLog.flush()
    const [row] = await query('select method, route, user_id, requisition_ids from access_log where request_id = $1', [
      jobId,
    ])
    expect(row).toMatchObject({ method: 'JOB', route: 'inspection_packs', user_id: manager.userId })
    expect(row.requisition_ids.map(Number)).toEqual([reqId])
    const manifest = (await download(manager, jobId))['manifest.json'] as Buffer
    const [audit] = await query(
      "select action, new_data from audit_entry where entity = 'lab' and entity_id = $1 order by id desc limit 1",
      [labId],
    )
    expect(audit).toMatchObject({
      action: 'DOWNLOAD',
      new_data: {
        fromDate: '2026-01-01',
        toDate: '2026-12-31',
        manifestSha256: createHash('sha256').update(manifest).digest('hex'),
      },
    })
  })

  it('SOUT-10 is for ADM and MGMT, its file only for the session that asked, and asked for twice it is made once', async () => {
    const { id: labId } = await test.given.lab()
    for (const role of ['STF', 'COLA', 'CLNT', 'PHYS', 'SLS', 'BILL'] as const)
      expect([role, (await (await test.as(role)).post('inspection_packs', { labId, ...period })).status]).toEqual([
        role,
        403,
      ])
    const requester = await test.as('MGMT')
    const jobId = await ordered(requester, labId)
    expect(await ordered(requester, labId)).toBe(jobId)
    expect((await requester.get(`report_files/${jobId}`)).status).toBe(404)
    await runJob(jobId)
    expect((await (await test.as('MGMT')).get(`report_files/${jobId}`)).status).toBe(404)
    expect((await requester.get(`report_files/${jobId}`)).status).toBe(200)
    await query("update app_user set role_code = 'BILL' where id = $1", [requester.userId])
    await expect.poll(async () => (await requester.get(`report_files/${jobId}`)).status).toBe(403)
  })

  it.each([
    ['fromDate', { fromDate: '12/31/2026', toDate: '1/01/2026' }, 'Date From cannot be after Date To'],
    ['fromDate', { fromDate: '1/01/2015', toDate: '1/02/2025' }, 'The period can be at most 10 years'],
    ['fromDate', { fromDate: '2026-01-01' }, 'Invalid date'],
    ['toDate', { toDate: '' }, 'Date To is required'],
    ['labId', { labId: 999_999 }, undefined],
    ['labId', { labId: '' }, 'Laboratory is required'],
  ])('SOUT-10 names %s where %j is wrong', async (field, wrong, message) => {
    const { id: labId } = await test.given.lab()
    const { status, body } = await manager.post('inspection_packs', { labId, ...period, ...wrong })
    expect([status, body.errors.map((error: { field: string }) => error.field)]).toEqual([400, [field]])
    if (message) expect(body.errors[0].message).toBe(message)
  })
})
