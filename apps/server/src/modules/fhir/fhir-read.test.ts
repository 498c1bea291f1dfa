import type { Bundle, DiagnosticReport, Observation, Reference, Resource } from '@medplum/fhirtypes'
import { Client } from 'fhir-kit-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeApiClient } from '../../../test/api-client.ts'
import type { Caller } from '../../../test/app.ts'
import { openDeliveries } from '../../../test/deliveries.ts'
import { expectValid, type FhirCaller, faultsOf, fhirCaller } from '../../../test/fhir.ts'

const world = openDeliveries()
const { test } = world
let admin: Caller
let laboratory: FhirCaller
let practice: FhirCaller
let token: string
let own: Awaited<ReturnType<typeof world.released>>
let base: string
let address: string

const openClient = async (input: Record<string, unknown>) => {
  const client = await makeApiClient(test, admin, input)
  return { token: client.token, caller: fhirCaller(test, client.token) }
}
const idsIn = (bundle: Bundle) =>
  (bundle.entry ?? []).map(({ resource }) => `${resource?.resourceType}/${resource?.id}`)
const find = async (caller: FhirCaller, path: string) => idsIn((await caller.get(path)).body)

beforeAll(async () => {
  admin = await test.as('ADM')
  own = await world.released({ legacy_client_id: 'FHIR-1' })
  await test.given.specimen(own.id)
  address = await test.app.listen({ port: 0, host: '127.0.0.1' })
  base = `${test.services.config.publicUrl}/fhir/R4`
  laboratory = (await openClient({ userRoleCode: 'ADM', scopes: ['system/*.rs'] })).caller
  const opened = await openClient({ userRoleCode: 'CLNT', entityId: own.clientId, scopes: ['system/*.read'] })
  practice = opened.caller
  token = opened.token
})

describe('the service', () => {
  it('IFC-30 describes itself without a token', async () => {
    const nobody = fhirCaller(test, '')
    const { status, body, headers } = await nobody.get('metadata')
    expect([status, headers['content-type']]).toEqual([200, 'application/fhir+json; charset=utf-8'])
    expect(body).toMatchObject({ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1' })
    const observation = body.rest[0].resource.find(({ type }: { type: string }) => type === 'Observation')
    expect(observation.searchParam.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['_id', '_lastUpdated', 'patient', 'status', 'category', 'code', 'date', 'based-on']),
    )
    const smart = await nobody.get('.well-known/smart-configuration')
    expect(smart.body).toMatchObject({
      token_endpoint: `${test.services.config.publicUrl}/oauth2/token`,
      grant_types_supported: ['client_credentials'],
      capabilities: expect.arrayContaining(['client-confidential-asymmetric', 'permission-v2']),
    })
  })

  it.each([
    ['no token', 401, () => fhirCaller(test, '').get('Patient')],
    ['an unknown token', 401, () => fhirCaller(test, 'x'.repeat(43)).get('Patient')],
    ['the session of a person', 403, () => fhirCaller(test, admin.token).get('Patient')],
    ['an unknown parameter', 400, () => practice.get('Patient?shoe-size=9')],
    ['a date that is none', 400, () => practice.get('Observation?date=soon')],
    ['an unknown prefix of a date', 400, () => practice.get('Patient?birthdate=zz2026-01-01')],
    ['a prefix of a date that is not offered', 400, () => practice.get('Observation?date=ap2026')],
    ['an unknown order', 400, () => practice.get('Observation?_sort=height')],
    ['an unknown type', 404, () => practice.get('Medication/1')],
    ['an unknown id', 404, () => practice.get('Patient/999999999')],
    ['an id that can be none', 404, () => practice.get('Patient/none')],
    ['a page that is none', 400, () => practice.get('Patient?_page=x')],
    ['a create', 405, () => practice.post('Patient', { resourceType: 'Patient' })],
    ['a delete', 405, () => practice.send('DELETE', `Patient/${own.patientId}`)],
    ['the history of a type', 405, () => practice.get('Patient/_history')],
    ['the history of everything', 405, () => practice.get('_history')],
    ['a search in all types', 405, () => practice.post('_search', {})],
    ['an operation that is not offered', 405, () => practice.get('$reindex')],
    ['a POST of the CapabilityStatement', 405, () => practice.post('metadata', {})],
    ['XML', 406, () => practice.get('Patient', { accept: 'application/fhir+xml' })],
    ['XML by a parameter', 406, () => practice.get('Patient?_format=xml')],
    ['another version', 412, () => practice.get(`Patient/${own.patientId}`, { 'if-match': 'W/"other"' })],
  ])('IFC-30 answers %s with %i and an OperationOutcome', async (_, status, call) => {
    const reply = await call()
    expect([reply.status, reply.body.resourceType]).toEqual([status, 'OperationOutcome'])
    if (status === 401) expect(reply.headers['www-authenticate']).toContain('Bearer')
    if (status === 405) expect(reply.headers.allow).toBeTruthy()
  })

  it('IFC-30 IFC-32 tells a version by a weak ETag, and 304 when the caller has it', async () => {
    const first = await practice.get(`Patient/${own.patientId}`)
    const tag = String(first.headers.etag)
    expect(tag).toBe(`W/"${first.body.meta.versionId}"`)
    expect((await practice.get(`Patient/${own.patientId}`, { 'if-none-match': tag })).status).toBe(304)
    await test.database.owner.query("update patient set city = 'Lowell' where id = $1", [own.patientId])
    const second = await practice.get(`Patient/${own.patientId}`, { 'if-none-match': tag })
    expect([second.status, second.body.meta.versionId === first.body.meta.versionId]).toEqual([200, false])
  })

  it('IFC-41 opens a type only to a token with its scope, and leaves out includes of others', async () => {
    const { caller } = await openClient({
      userRoleCode: 'CLNT',
      entityId: own.clientId,
      scopes: ['system/Observation.rs', 'system/ServiceRequest.read'],
    })
    expect((await caller.get('Patient')).status).toBe(403)
    expect((await caller.get(`Patient/${own.patientId}`)).status).toBe(403)
    const types = new Set((await find(caller, 'Observation?_include=*')).map((id) => id.split('/')[0]))
    expect([...types]).toEqual(['Observation', 'ServiceRequest'])
    expect(
      (await test.inject({ method: 'GET', url: '/api/v3.0/clients', headers: { authorization: `Bearer ${token}` } }))
        .status,
    ).toBe(403)
  })

  it('IFC-31 IFC-35 is read by a foreign client library, and each read is in the access log under the name of the client', async () => {
    const { token: bearerToken } = await openClient({
      name: 'Foreign portal',
      userRoleCode: 'CLNT',
      entityId: own.clientId,
      scopes: ['system/*.rs'],
    })
    const client = new Client({ baseUrl: `${address}/fhir/R4`, bearerToken })
    const patient = await client.read({ resourceType: 'Patient', id: String(own.patientId) })
    expectValid(patient as Resource)
    const found = (await client.search({
      resourceType: 'DiagnosticReport',
      searchParams: { patient: `Patient/${own.patientId}`, _include: 'DiagnosticReport:result' },
    })) as unknown as Bundle
    expect(idsIn(found)[0]).toBe(`DiagnosticReport/${own.report}`)
    const posted = (await client.search({
      resourceType: 'Observation',
      searchParams: { code: 'http://loinc.org|2093-3' },
      options: { postSearch: true },
    })) as unknown as Bundle
    expect(posted.entry).toHaveLength(1)
    await test.services.accessLog.flush()
    const { rows } = await test.database.owner.query(
      "select route from access_log where user_name = 'Foreign portal' and $1 = any(patient_ids)",
      [own.patientId],
    )
    expect(new Set(rows.map(({ route }) => route))).toEqual(
      new Set(['fhir/R4/Patient/{id}', 'fhir/R4/DiagnosticReport', 'fhir/R4/Observation']),
    )
  })
})

describe('results', () => {
  it('IFC-32 IFC-36 a report that is out names its orders, its Observations and its PDF', async () => {
    const { body } = await practice.get(`DiagnosticReport?identifier=${own.id}&_include=DiagnosticReport:result`)
    const [report, ...observations] = ((body as Bundle).entry ?? []).map(({ resource }) => resource) as [
      DiagnosticReport,
      ...Observation[],
    ]
    expect(report).toMatchObject({
      status: 'final',
      identifier: [{ type: { coding: [{ code: 'FILL' }] }, value: String(own.id) }],
      category: [{ coding: [{ code: 'LAB' }] }],
      presentedForm: [{ contentType: 'application/pdf', url: `${base}/Binary/${own.report}-1` }],
    })
    expect(report.result?.map(({ reference }) => reference)).toEqual(observations.map(({ id }) => `Observation/${id}`))
    const cholesterol = observations.find(({ code }) => code?.text === 'Cholesterol, total')
    expect(cholesterol).toMatchObject({
      status: 'final',
      category: [{ coding: [{ code: 'laboratory' }] }],
      code: { coding: [{ system: 'http://loinc.org', code: '2093-3' }, { code: 'CHOL' }] },
      valueQuantity: { value: 251, unit: 'mg/dL', system: 'http://unitsofmeasure.org', code: 'mg/dL' },
      interpretation: [{ coding: [{ code: 'H' }] }],
      referenceRange: [{ text: expect.any(String) }],
      effectiveDateTime: expect.any(String),
    })
    const pdf = await practice.get(`Binary/${own.report}-1`, { accept: 'application/pdf' })
    expect([pdf.status, pdf.headers['content-type'], String(pdf.body).slice(0, 5)]).toEqual([
      200,
      'application/pdf',
      '%PDF-',
    ])
    const binary = await practice.get(`Binary/${own.report}-1`, { accept: 'application/fhir+json' })
    expect(Buffer.from(binary.body.data, 'base64').subarray(0, 5).toString()).toBe('%PDF-')
  })

  it.each(['application/fhir+json', 'application/pdf'])(
    'IFC-30 IFC-32 a Binary read as %s has a version, its time and a weak ETag, 304 and 412',
    async (accept) => {
      const path = `Binary/${own.report}-1`
      const { body } = await practice.get(path, { accept: 'application/fhir+json' })
      expect(body.meta).toEqual({ versionId: expect.stringMatching(/^\w{16}$/), lastUpdated: expect.any(String) })
      const { headers } = await practice.get(path, { accept })
      const tag = `W/"${body.meta.versionId}"`
      expect([headers.etag, headers['last-modified']]).toEqual([tag, new Date(body.meta.lastUpdated).toUTCString()])
      expect((await practice.get(path, { accept, 'if-none-match': tag })).status).toBe(304)
      expect((await practice.get(path, { accept, 'if-none-match': 'W/"other"' })).status).toBe(200)
      expect((await practice.get(path, { accept, 'if-match': 'W/"other"' })).status).toBe(412)
      expect((await practice.get(path, { accept, 'if-match': tag })).status).toBe(200)
    },
  )

  it('IFC-32 results and reports meet US Core, whose profiles the checks of these tests know', async () => {
    const found = await practice.all('Observation?_revinclude=DiagnosticReport:result&_include=Observation:patient')
    for (const [type, profile, spoilt] of [
      ['Observation', 'us-core-observation-lab', { category: [{ text: 'Laboratory' }] }],
      ['Observation', 'us-core-observation-lab', { code: { text: 'Cholesterol' } }],
      ['DiagnosticReport', 'us-core-diagnosticreport-lab', { effectiveDateTime: undefined }],
      ['DiagnosticReport', 'us-core-diagnosticreport-lab', { issued: undefined }],
      ['Patient', 'us-core-patient', { identifier: [] }],
    ] as const) {
      const resource = found.find(({ resourceType }) => resourceType === type) as Resource
      expect(resource.meta?.profile).toEqual([`http://hl7.org/fhir/us/core/StructureDefinition/${profile}`])
      expect(faultsOf(resource)).toEqual([])
      expect(faultsOf({ ...resource, ...spoilt } as Resource)).not.toEqual([])
    }
  })

  it('IFC-32 every reference resolves for the same token', async () => {
    const types = [
      'ServiceRequest',
      'Specimen',
      'Observation',
      'DiagnosticReport',
      'Task',
      'Patient',
      'Organization',
      'Location',
    ]
    const references = new Set<string>()
    for (const type of types)
      for (const resource of await practice.all(`${type}?_count=2`))
        JSON.stringify(resource, (name, value) => {
          if (name === 'reference') references.add(String(value))
          return value
        })
    expect(references.size).toBeGreaterThan(6)
    for (const reference of references)
      expect([reference, (await practice.get(reference)).status]).toEqual([reference, 200])
  })

  it('IFC-35 a practice sees no result before the report is out, and nothing of another practice', async () => {
    const other = await world.released({ legacy_client_id: 'FHIR-2' })
    const { id } = await test.given.requisition({ client_id: own.clientId, status_code: 'RESULT' })
    const given = await test.given.orderedTest(id, 'CHOL', {
      result: '190',
      result_num: '190',
      reportable_result: '190',
    })
    await world.addReport(id, 'PENDING')
    expect(await find(practice, `Observation?_id=${given.id}`)).toEqual([])
    expect((await practice.get(`Observation/${given.id}`)).status).toBe(404)
    const seen = await laboratory.get(`Observation/${given.id}`)
    expect(seen.body).toMatchObject({ status: 'preliminary', valueQuantity: { value: 190, unit: 'mg/dL' } })
    for (const path of [
      `Patient/${other.patientId}`,
      `DiagnosticReport/${other.report}`,
      `Binary/${other.report}-1`,
      `Specimen/${other.id}-1`,
    ])
      expect([path, (await practice.get(path)).status]).toEqual([path, 404])
    expect(await find(practice, `DiagnosticReport?identifier=${other.id}`)).toEqual([])
    expect(await find(practice, `Patient?_id=${other.patientId}`)).toEqual([])
    expect(await find(practice, `ServiceRequest?requisition=${other.id}`)).toEqual([])
    expect((await find(laboratory, `ServiceRequest?requisition=${other.id}`)).length).toBe(2)
  })

  it('IFC-32 a corrected report is corrected, and one that is withdrawn entered-in-error without results', async () => {
    const { id, report } = await world.released({ legacy_client_id: 'FHIR-3' })
    const statusOf = async () => (await laboratory.get(`DiagnosticReport/${report}`)).body
    const version = (await statusOf()).meta.versionId
    await test.database.owner.query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    const correction = await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, {
      correctionReason: 'Wrong unit',
    })
    expect(correction.status).toBe(200)
    expect(await statusOf()).toMatchObject({ status: 'entered-in-error' })
    expect((await statusOf()).result).toBeUndefined()
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    const corrected = await statusOf()
    expect(corrected).toMatchObject({ status: 'corrected', conclusion: 'Corrected: Wrong unit' })
    expect(corrected.meta.versionId).not.toBe(version)
    const superseded = await laboratory.get(`Binary/${report}-1`, { accept: 'application/fhir+json' })
    const again = await laboratory.get(`Binary/${report}-1`, { accept: 'application/fhir+json' })
    expect(superseded.headers.etag).toBe(again.headers.etag)
    expect((await laboratory.get(`Binary/${report}-2`)).headers.etag).not.toBe(superseded.headers.etag)
    const [first] = corrected.result as Reference[]
    expect((await laboratory.get(String(first?.reference))).body.status).toBe('corrected')
  })
})

describe('Patient/{id}/$everything', () => {
  it('IFC-34 gives all that is known of one patient, and only to those who may see them', async () => {
    const ids = await find(practice, `Patient/${own.patientId}/$everything`)
    expect(ids[0]).toBe(`Patient/${own.patientId}`)
    expect(new Set(ids.map((id) => id.split('/')[0]))).toEqual(
      new Set(['Patient', 'ServiceRequest', 'Specimen', 'Observation', 'DiagnosticReport', 'Task']),
    )
    const stranger = await openClient({
      userRoleCode: 'CLNT',
      entityId: (await test.given.client()).id,
      scopes: ['system/*.rs'],
    })
    expect((await stranger.caller.get(`Patient/${own.patientId}/$everything`)).status).toBe(404)
  })

  it('IFC-43 the page and the document of the API show the FHIR and OAuth calls too', async () => {
    const { body } = await test.inject({ method: 'GET', url: '/docs/api' })
    const { body: document } = await test.inject({ method: 'GET', url: '/api/v3.0/openapi.json' })
    expect(document.paths['/oauth2/token']).toMatchObject({
      servers: [{ url: '/' }],
      post: { 'x-roles': ['everybody'] },
    })
    expect(document.paths['/fhir/R4/Observation/{id}'].get).toMatchObject({
      security: [{ apiClient: [] }],
      parameters: [{ name: 'id', in: 'path', required: true }],
    })
    for (const path of [
      '/oauth2/token',
      '/fhir/R4/metadata',
      '/fhir/R4/Observation/{id}',
      '/fhir/R4/Patient/{id}/$everything',
      '/fhir/R4/Patient/$export',
    ]) {
      expect(body).toContain(path)
      expect(document.paths).toHaveProperty([path])
    }
  })
})

describe('search', () => {
  it.each([
    ['Patient?family=doe', 'Patient'],
    ['Patient?name:exact=Doe&given=ja', 'Patient'],
    ['Patient?birthdate=1970-01-02&gender=female', 'Patient'],
    ['Patient?birthdate=lt1980', 'Patient'],
    ['Patient?_lastUpdated=gt2020-01-01', 'Patient'],
    ['Practitioner?name=paula', 'Practitioner'],
    ['Organization?name=client', 'Organization'],
    ['Organization?identifier=FHIR-1', 'Organization'],
    ['Location?name=client', 'Location'],
    ['ServiceRequest?status=completed&code=CHOL', 'ServiceRequest'],
    ['ServiceRequest?authored=ge2020-01-01&status=active,completed', 'ServiceRequest'],
    ['Specimen?accession=ACCESSION', 'Specimen'],
    ['Observation?category=laboratory&date=2026-11-01&status=final', 'Observation'],
    ['Observation?code=http://loinc.org|2093-3', 'Observation'],
    ['DiagnosticReport?status=final&issued=gt2020-01-01&code=11502-2', 'DiagnosticReport'],
    ['DiagnosticReport?date=le2026-11-01&_sort=-issued', 'DiagnosticReport'],
    ['Task?status=completed', 'Task'],
    ['Task?status=http://hl7.org/fhir/task-status|completed', 'Task'],
    ['Patient?gender=http://hl7.org/fhir/administrative-gender|female', 'Patient'],
    ['Patient?gender=|female', 'Patient'],
  ])('IFC-31 finds by %s', async (path, type) => {
    const { status, body } = await practice.get(path.replace('ACCESSION', String(own.id)))
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.total).toBeGreaterThan(0)
    expect(body.entry[0].resource.resourceType).toBe(type)
    expect(body.link[0].relation).toBe('self')
  })

  it.each([
    'Patient?family=nobody',
    'Patient?birthdate=gt1980',
    'Observation?code=http://loinc.org|0000-0',
    'Observation?date=lt2026-11-01',
    'DiagnosticReport?status=partial',
    'Task?status=http://hl7.org/fhir/request-status|completed',
    'Patient?gender=http://wrong.example|female',
    'Coverage?status=active',
  ])('IFC-31 finds nothing by %s', async (path) => {
    const { status, body } = await practice.get(path)
    expect([status, body.total, body.entry]).toEqual([200, 0, undefined])
  })

  it('IFC-31 searches along references, forward and back', async () => {
    const [order] = (await find(practice, `ServiceRequest?requisition=${own.id}&code=CHOL`)) as [string]
    const [observation] = (await find(practice, `Observation?based-on=${order}`)) as [string]
    expect(await find(practice, `DiagnosticReport?result=${observation}`)).toEqual([`DiagnosticReport/${own.report}`])
    expect(await find(practice, `DiagnosticReport?based-on=${order}`)).toEqual([`DiagnosticReport/${own.report}`])
    expect(await find(practice, `Task?based-on=${order}`)).toHaveLength(1)
    const around = await find(
      practice,
      `ServiceRequest?_id=${order.split('/')[1]}&_include=ServiceRequest:patient&_revinclude=DiagnosticReport:based-on&_revinclude=Observation:based-on`,
    )
    expect(around.map((id) => id.split('/')[0]).toSorted()).toEqual([
      'DiagnosticReport',
      'Observation',
      'Patient',
      'ServiceRequest',
    ])
  })

  it('IFC-31 ignores unknown parameters with handling=lenient, and leaves them out of the self link', async () => {
    const { status, body } = await practice.get('Patient?shoe-size=9&family=doe', { prefer: 'handling=lenient' })
    expect([status, body.link[0].url]).toEqual([200, `${base}/Patient?family=doe`])
    const { body: all } = await practice.get('Patient?family=doe&_id:not=0', { prefer: 'handling=lenient' })
    expect([all.link[0].url, all.total]).toEqual([`${base}/Patient?family=doe`, body.total])
    expect((await practice.get('Patient?_id:not=0')).status).toBe(400)
  })

  it('IFC-31 _count is 50 by default, at most 200, and 0 returns only the total', async () => {
    const { body } = await practice.get('Observation?_count=0&_total=accurate')
    expect(body).toMatchObject({ total: expect.any(Number) })
    expect(body.entry).toBeUndefined()
    expect((await practice.get('Observation?_count=many')).status).toBe(400)
    expect((await practice.get('Observation?_total=none')).body.total).toBeUndefined()
  })

  it('IFC-31 _count=0 returns the total, also of more than are counted without being asked', async () => {
    await test.database.owner.query(
      `insert into patient (first_name, last_name, dob, gender_code) select 'Many', 'Counted', '1970-01-01', 'FEMALE' from generate_series(1, 1001)`,
    )
    const { body } = await laboratory.get('Patient?family=counted&_count=0')
    expect([body.total, body.entry]).toEqual([1001, undefined])
    expect((await laboratory.get('Patient?family=counted&_count=1')).body.total).toBeUndefined()
  })

  it.each(['_count=3', '_count=3&_sort=-_lastUpdated', '_count=3&_sort=birthdate'])(
    'IFC-31 pages by %s neither repeat nor lose a row while data changes',
    async (parameters) => {
      const client = await test.given.client()
      const made: string[] = []
      const add = async () => {
        const patient = await test.given.patient({ dob: `19${50 + (made.length % 40)}-01-01` })
        await test.given.requisition({ client_id: client.id, patient_id: patient.id })
        made.push(String(patient.id))
      }
      for (let count = 0; count < 10; count++) await add()
      const { caller } = await openClient({ userRoleCode: 'CLNT', entityId: client.id, scopes: ['system/Patient.rs'] })
      const first = [...made]
      const seen: string[] = []
      for (let next: string | undefined = `Patient?${parameters}`; next; ) {
        const { body }: { body: Bundle } = await caller.get(next)
        seen.push(...(body.entry ?? []).map(({ resource }) => String(resource?.id)))
        next = body.link?.find(({ relation }) => relation === 'next')?.url
        // Meanwhile a row that was shown moves, and a new one is added.
        await admin.put(`patients/${seen[0]}`, { patientDob: '2/3/1999' })
        await test.database.owner.query("update patient set dob = '1949-05-05' where id = $1", [seen[0]])
        await add()
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect(first.filter((id) => !seen.includes(id))).toEqual([])
    },
  )
})
