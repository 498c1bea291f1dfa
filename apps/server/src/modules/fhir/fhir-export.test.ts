import type { Resource } from '@medplum/fhirtypes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeApiClient } from '../../../test/api-client.ts'
import type { Caller } from '../../../test/app.ts'
import { openDeliveries } from '../../../test/deliveries.ts'
import { expectValid, type FhirCaller, fhirCaller } from '../../../test/fhir.ts'
import { type JobWorker, openWorker } from '../../platform/jobs/worker.ts'
import { exportJob } from './export-job.ts'

const world = openDeliveries()
const { test } = world
let admin: Caller
let practice: FhirCaller
let laboratory: FhirCaller
let other: FhirCaller
let own: Awaited<ReturnType<typeof world.released>>
let foreign: Awaited<ReturnType<typeof world.released>>
let worker: JobWorker | undefined

const startWorker = async () => {
  worker = await openWorker(test.services, [exportJob], { databaseUrl: test.database.url })
}
const stopWorker = async () => {
  await worker?.stop()
  worker = undefined
}
const isAsync = { prefer: 'respond-async' }
const open = async (input: Record<string, unknown>) =>
  fhirCaller(test, (await makeApiClient(test, admin, { scopes: ['system/*.rs'], ...input })).token)

beforeAll(async () => {
  admin = await test.as('ADM')
  own = await world.released()
  foreign = await world.released()
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  practice = await open({ name: 'Practice export', userRoleCode: 'CLNT', entityId: own.clientId })
  laboratory = await open({ userRoleCode: 'ADM' })
  other = await open({ userRoleCode: 'CLNT', entityId: foreign.clientId })
  await startWorker()
})
afterAll(stopWorker)

interface Output {
  type: string
  url: string
  count: number
}

const start = async (caller: FhirCaller, path: string): Promise<string> => {
  const { status, headers } = await caller.get(path, isAsync)
  expect(status).toBe(202)
  return String(headers['content-location'])
}
/** Asks for the state until the files are there. */
const finish = async (caller: FhirCaller, location: string) => {
  for (;;) {
    const reply = await caller.get(location)
    if (reply.status !== 202) return reply
    expect(reply.headers['x-progress']).toBeTruthy()
    await new Promise((done) => setTimeout(done, 100))
  }
}
const resourcesIn = async (output: Output[]): Promise<Resource[]> => {
  const files = await Promise.all(
    output.map(async ({ url, count }) => {
      const { pathname, search } = new URL(url)
      const reply = await test.app.inject({ method: 'GET', url: `${pathname}${search}` })
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/fhir+ndjson'])
      const lines = reply.payload.split('\n').filter(Boolean)
      expect(lines).toHaveLength(count)
      return lines.map((line) => JSON.parse(line) as Resource)
    }),
  )
  return files.flat()
}
const exported = async (caller: FhirCaller, path: string) => {
  const { status, body } = await finish(caller, await start(caller, path))
  expect(status, JSON.stringify(body)).toBe(200)
  return { body, resources: await resourcesIn(body.output) }
}
const namesOf = (resources: readonly Resource[]) => resources.map(({ resourceType, id }) => `${resourceType}/${id}`)

describe('$export', () => {
  it('IFC-34 gives what the client may read as NDJSON files at addresses that need no token', async () => {
    const { body, resources } = await exported(practice, '$export')
    expect(body).toMatchObject({
      transactionTime: expect.stringMatching(/^\d{4}-.*Z$/),
      request: expect.stringContaining('/fhir/R4/$export'),
      requiresAccessToken: false,
      error: [],
    })
    for (const resource of resources) expectValid(resource)
    const searched = await Promise.all(
      ['Patient', 'Organization', 'ServiceRequest', 'Observation', 'DiagnosticReport', 'Task'].map((type) =>
        practice.all(type),
      ),
    )
    expect(namesOf(resources)).toEqual(expect.arrayContaining(namesOf(searched.flat())))
    expect(namesOf(resources)).toContain(`DiagnosticReport/${own.report}`)
    expect(namesOf(resources)).not.toContain(`Patient/${foreign.patientId}`)
  })

  it('IFC-34 IFC-35 Patient/$export leaves out what is not about patients, and what the practice may not see yet', async () => {
    const pending = await test.given.requisition({
      client_id: own.clientId,
      patient_id: own.patientId,
      status_code: 'RESULT',
    })
    const { rows } = await test.database.owner.query("select id from test where code = 'CHOL'")
    const { id: notOut } = await test.given.store('requisition_test', {
      requisition_id: pending.id,
      test_id: rows[0].id,
      result: '4711.25',
      result_num: '4711.25',
      reportable_result: '4711.25',
    })
    const { resources } = await exported(practice, 'Patient/$export')
    expect(new Set(resources.map(({ resourceType }) => resourceType))).not.toContain('Organization')
    expect(namesOf(resources)).toContain(`Patient/${own.patientId}`)
    expect(namesOf(resources)).not.toContain(`Observation/${notOut}`)
    expect(JSON.stringify(resources)).not.toContain('4711.25')
    const all = await exported(laboratory, 'Patient/$export?_type=Observation,Patient')
    expect(new Set(all.resources.map(({ resourceType }) => resourceType))).toEqual(new Set(['Observation', 'Patient']))
    expect(namesOf(all.resources)).toEqual(
      expect.arrayContaining([`Patient/${own.patientId}`, `Patient/${foreign.patientId}`]),
    )
  })

  it('IFC-34 _since gives only what was changed after the transactionTime of the export before', async () => {
    const first = await exported(practice, 'Patient/$export?_type=Patient')
    const since = `Patient/$export?_type=Patient&_since=${encodeURIComponent(first.body.transactionTime)}`
    expect((await exported(practice, since)).resources).toEqual([])
    const { status, body } = await admin.put(`requisitions/${own.id}/patients/${own.patientId}`, {
      patientCity: 'Lowell',
    })
    expect(status, JSON.stringify(body)).toBe(200)
    const { resources } = await exported(practice, since)
    expect(resources).toMatchObject([{ resourceType: 'Patient', id: String(own.patientId) }])
  })

  it('IFC-34 is in the access log with the patients whose data it gave', async () => {
    await exported(practice, 'Patient/$export?_type=DiagnosticReport')
    await test.services.accessLog.flush()
    const { rows } = await test.database.owner.query(
      "select 1 from access_log where user_name = 'Practice export' and route = 'fhir/R4/$export' and $1 = any(patient_ids) and $2 = any(requisition_ids)",
      [own.patientId, own.id],
    )
    expect(rows.length).toBeGreaterThan(0)
  })

  it('IFC-34 an export is seen by its client alone; DELETE answers 202, then 404, and removes the files', async () => {
    const location = await start(practice, 'Patient/$export')
    const { body } = await finish(practice, location)
    expect((await other.get(location)).status).toBe(404)
    expect((await other.send('DELETE', location)).status).toBe(404)
    expect((await practice.send('DELETE', location)).status).toBe(202)
    expect((await practice.get(location)).status).toBe(404)
    expect((await practice.send('DELETE', location)).status).toBe(404)
    const { pathname, search } = new URL(body.output[0].url)
    expect((await test.inject({ method: 'GET', url: `${pathname}${search}` })).status).toBe(404)
  })

  it('IFC-34 a queued export reports its state, is cancelled by DELETE and produces no file', async () => {
    await stopWorker()
    const location = await start(practice, '$export')
    const waiting = await practice.get(location)
    expect([waiting.status, waiting.headers['x-progress']]).toEqual([202, 'Waiting'])
    expect((await practice.send('DELETE', location)).status).toBe(202)
    expect((await practice.get(location)).status).toBe(404)
    await startWorker()
    await exported(practice, 'Patient/$export?_type=Patient')
    const id = location.split('/').at(-1)
    const { rows } = await test.database.owner.query('select 1 from upload_slot where object_key like $1', [`%${id}%`])
    expect(rows).toEqual([])
  })

  it('IFC-34 IFC-40 gives nothing to a client that is revoked before it runs', async () => {
    const client = await makeApiClient(test, admin, { userRoleCode: 'ADM', scopes: ['system/*.rs'] })
    await stopWorker()
    const location = await start(fhirCaller(test, client.token), 'Patient/$export')
    await admin.post(`api_clients/${client.id}/revoke`)
    await startWorker()
    await exported(practice, 'Patient/$export?_type=Patient')
    const { rows } = await test.database.owner.query('select state, result from job where id = $1', [
      location.split('/').at(-1),
    ])
    expect(rows).toEqual([{ state: 'FAILED', result: null }])
  })

  it.each([
    ['no Prefer: respond-async', 400, () => practice.get('$export')],
    ['an unknown parameter', 400, () => practice.get('$export?_typeFilter=x', isAsync)],
    ['an unknown type', 400, () => practice.get('$export?_type=Medication', isAsync)],
    ['a type that is not about patients', 400, () => practice.get('Patient/$export?_type=Organization', isAsync)],
    ['a moment that is none', 400, () => practice.get('$export?_since=yesterday', isAsync)],
    ['another format', 400, () => practice.get('$export?_outputFormat=csv', isAsync)],
    ['an unknown export', 404, () => practice.get('$export/00000000-0000-0000-0000-000000000000')],
    ['a POST', 405, () => practice.post('$export', {}, isAsync)],
  ])('IFC-34 answers %s with %i', async (_, status, call) => {
    const reply = await call()
    expect([reply.status, reply.body.resourceType]).toEqual([status, 'OperationOutcome'])
  })

  it('IFC-34 IFC-41 exports the types of the scope, and refuses others with 403', async () => {
    const narrow = await open({ userRoleCode: 'CLNT', entityId: own.clientId, scopes: ['system/Patient.rs'] })
    expect((await narrow.get('Patient/$export?_type=Observation', isAsync)).status).toBe(403)
    const { resources } = await exported(narrow, 'Patient/$export')
    expect(new Set(resources.map(({ resourceType }) => resourceType))).toEqual(new Set(['Patient']))
  })
})
