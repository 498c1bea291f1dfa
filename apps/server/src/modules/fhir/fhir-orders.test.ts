import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bundle, Resource } from '@medplum/fhirtypes'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeApiClient } from '../../../test/api-client.ts'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { type FhirCaller, fhirCaller } from '../../../test/fhir.ts'
import { recentlyCollected } from '../../../test/given.ts'

const test = openTestApp()
let admin: Caller
let practice: FhirCaller
let stranger: FhirCaller
let clientId: number
let partnerId: number
let npi: string
const authority = 'urn:oid:1.2.3.4'

const openPartner = async (over: Record<string, unknown> = {}) => {
  const client = await test.given.client()
  const lab = await test.given.lab()
  await test.database.db.insertInto('client_lab').values({ client_id: client.id, lab_id: lab.id }).execute()
  await test.given.event(client.id)
  const physician = await test.given.physician()
  await test.given.clientPhysician(client.id, physician.id)
  const api = await makeApiClient(test, admin, { userRoleCode: 'CLNT', entityId: client.id })
  const { body } = await admin.post('interfaces', {
    name: 'Saltmarsh FHIR',
    kind: 'FHIR',
    clientId: client.id,
    apiClientId: api.id,
    ...over,
  })
  const { rows } = await test.database.owner.query('select npi_number from physician where id = $1', [physician.id])
  return {
    id: body.data.id as number,
    clientId: client.id,
    caller: fhirCaller(test, api.token),
    npi: rows[0].npi_number,
  }
}

beforeAll(async () => {
  admin = await test.as('ADM')
  const partner = await openPartner()
  partnerId = partner.id
  clientId = partner.clientId
  practice = partner.caller
  npi = partner.npi
  const other = await makeApiClient(test, admin, { userRoleCode: 'CLNT', entityId: (await test.given.client()).id })
  stranger = fhirCaller(test, other.token)
})

interface Sent {
  placer?: string
  codes?: string[]
  mrn?: string
  patient?: object
  request?: object
  identifier?: string
  by?: string
  extra?: object[]
  collected?: string
  subject?: string
}

let serial = 0
/** An order as a clinic's system sends it. */
const order = (sent: Sent = {}): Bundle => {
  serial++
  const { placer = `P-${serial}`, codes = ['CHOL'], mrn = `M-${serial}`, patient = {}, request = {}, by = npi } = sent
  const [person, tube] = [`urn:uuid:${randomUUID()}`, `urn:uuid:${randomUUID()}`]
  const subject = { reference: sent.subject ?? person }
  const post = (url: string) => ({ method: 'POST', url })
  const entries = [
    ...codes.map((code, index) => ({
      fullUrl: `urn:uuid:${randomUUID()}`,
      resource: {
        resourceType: 'ServiceRequest',
        identifier: [{ type: { coding: [{ code: 'PLAC' }] }, value: index === 0 ? placer : `${placer}-${index}` }],
        status: 'active',
        intent: 'order',
        priority: 'stat',
        code: { coding: [{ code, display: code }] },
        subject,
        requester: { identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: by } },
        reasonCode: [{ coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'E11.9' }] }],
        specimen: [{ reference: tube }],
        ...request,
      },
      request: post('ServiceRequest'),
    })),
    {
      fullUrl: tube,
      resource: {
        resourceType: 'Specimen',
        subject,
        collection: { collectedDateTime: sent.collected ?? recentlyCollected() },
      },
      request: post('Specimen'),
    },
    ...(sent.subject
      ? []
      : [
          {
            fullUrl: person,
            resource: {
              resourceType: 'Patient',
              identifier: [{ type: { coding: [{ code: 'MR' }] }, system: authority, value: mrn }],
              name: [{ family: `Vargas${serial}`, given: ['Inés'] }],
              birthDate: '1979-05-09',
              gender: 'female',
              ...patient,
            },
            request: post('Patient'),
          },
          {
            fullUrl: `urn:uuid:${randomUUID()}`,
            resource: {
              resourceType: 'Coverage',
              status: 'active',
              beneficiary: { reference: person },
              subscriberId: `POL${serial}`,
              payor: [{ display: 'Medicare' }],
            },
            request: post('Coverage'),
          },
        ]),
    ...(sent.extra ?? []),
  ]
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    identifier: { value: sent.identifier ?? `C-${serial}` },
    entry: entries,
  } as unknown as Bundle
}
const post = (bundle: unknown, caller = practice) => caller.post('', bundle)
const countOf = async (table: string) =>
  Number((await test.database.owner.query(`select count(*) as n from ${table}`)).rows[0].n)
const messageOf = async (controlId: string) =>
  (await admin.get(`interface_messages?filter=[controlId:${controlId}]&sort=[id,DESC]`)).body.data[0]
const located = (body: Bundle) =>
  (body.entry ?? []).map(({ response }) => [response?.status, response?.location?.split('/')[0]])

describe('POST /fhir/R4', () => {
  it('IFC-33 IFC-22 makes a requisition of a Bundle, by the service of the screen, and answers in the order of the request', async () => {
    const bundle = order({ codes: ['CHOL', 'HDL'], identifier: 'FIRST' })
    const { status, body } = await post(bundle)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.type).toBe('transaction-response')
    expect(located(body)).toEqual([
      ['201 Created', 'ServiceRequest'],
      ['201 Created', 'ServiceRequest'],
      ['201 Created', 'Specimen'],
      ['201 Created', 'Patient'],
      ['201 Created', 'Coverage'],
    ])
    for (const { response } of (body as Bundle).entry ?? [])
      expect((await practice.get(String(response?.location))).status).toBe(200)
    const [first, second] = (body as Bundle).entry?.map(({ response }) => response?.location) ?? []
    expect(first).not.toBe(second)
    const one = (await practice.get(String(first))).body
    expect(one).toMatchObject({
      status: 'active',
      priority: 'stat',
      identifier: [
        { type: { coding: [{ code: 'PLAC' }] }, value: `P-${serial}` },
        { type: { coding: [{ code: 'FILL' }] } },
      ],
      code: { coding: expect.arrayContaining([expect.objectContaining({ code: 'CHOL' })]) },
      reasonCode: [{ coding: [{ code: 'E11.9' }] }],
    })
    const message = await messageOf('FIRST')
    expect(message).toMatchObject({
      kind: 'FHIR',
      direction: 'IN',
      state: 'ACCEPTED',
      ackCode: '200',
      messageType: 'Bundle',
    })
    expect(String(message.reqId)).toBe(one.requisition.value)
    const requisition = (await admin.get(`requisitions/${message.reqId}`)).body.data
    expect(requisition).toMatchObject({ reqStatusCode: 'LOG', clientId, extOrderId: `P-${serial}` })
    const { rows } = await test.database.owner.query(
      "select actor_name, new_data->>'Source' as source from audit_entry where requisition_id = $1 order by id limit 1",
      [message.reqId],
    )
    expect(rows[0]).toEqual({ actor_name: 'Saltmarsh FHIR', source: 'FHIR FIRST' })
    const found = await practice.get(`Patient?identifier=${authority}|M-${serial}`)
    expect(found.body.entry[0].resource.identifier).toMatchObject([
      { type: { coding: [{ code: 'PI' }] } },
      { type: { coding: [{ code: 'MR' }] }, system: authority },
    ])
    const task = (await practice.get(`Task?based-on=${first}`)).body.entry[0].resource
    expect(task).toMatchObject({
      status: 'requested',
      focus: { reference: first },
      businessStatus: { coding: [{ code: 'LOG' }] },
    })
  })

  it('IFC-33 repeated, it gets the same answer and has no effect; with other content it is 409', async () => {
    const bundle = order({ placer: 'ONCE', mrn: 'ONCE', identifier: 'ONCE-1' })
    const first = await post(bundle)
    const before = await countOf('requisition')
    const again = await post(bundle)
    expect([again.status, located(again.body)]).toEqual([200, located(first.body)])
    const { entry } = bundle
    const other = await post({ ...bundle, identifier: { value: 'ONCE-2' }, entry: [...(entry ?? [])].reverse() })
    expect([
      other.status,
      other.body.entry.map(({ response }: { response: { status: string } }) => response.status),
    ]).toEqual([200, ['200 OK', '200 OK', '200 OK', '200 OK']])
    expect((await post(order({ placer: 'ONCE', mrn: 'ONCE' }))).status).toBe(409)
    expect((await post({ ...order(), identifier: { value: 'ONCE-1' } })).status).toBe(409)
    expect(await countOf('requisition')).toBe(before)
    const many = await Promise.all(Array.from({ length: 6 }, () => post(bundle)))
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await countOf('requisition')).toBe(before)
  })

  it('IFC-33 holds what a person must decide: 202 with a Task that waits, until it is settled on the desk', async () => {
    const before = await countOf('requisition')
    const { status, body, headers } = await post(order({ codes: ['NO-SUCH'], identifier: 'HELD-1' }))
    expect([status, body.issue[0].severity]).toEqual([202, 'information'])
    expect(await countOf('requisition')).toBe(before)
    const address = String(headers.location)
    expect((await practice.get(address)).body).toMatchObject({ resourceType: 'Task', status: 'on-hold' })
    expect((await stranger.get(address)).status).toBe(404)
    const message = await messageOf('HELD-1')
    const detail = (await admin.get(`interface_messages/${message.id}`)).body.data
    expect(detail).toMatchObject({
      problems: [{ code: 'UNKNOWN_TEST', path: 'ServiceRequest.code', value: 'NO-SUCH' }],
    })
    expect(detail.fields.length).toBeGreaterThan(5)
    const { rows } = await test.database.owner.query("select id from test where code = 'HDL'")
    const settled = await admin.post(`interface_messages/${message.id}/reprocess`, {
      codes: [{ code: 'NO-SUCH', testId: rows[0].id }],
    })
    expect(settled.body.data.state).toBe('ACCEPTED')
    const task = (await practice.get(address)).body
    expect([task.status, (await practice.get(task.focus.reference)).status]).toEqual(['completed', 200])
  })

  it('IFC-33 never guesses a patient: the same identifier with another name is held', async () => {
    await post(order({ mrn: 'SAME', patient: { name: [{ family: 'Right', given: ['Ann'] }] } }))
    const { status } = await post(
      order({ mrn: 'SAME', patient: { name: [{ family: 'Wrong', given: ['Ann'] }] }, identifier: 'WRONG' }),
    )
    expect([status, (await messageOf('WRONG')).reason]).toEqual([202, expect.stringContaining('another last name')])
  })

  it('IFC-33 cancels and changes by the placer number', async () => {
    const { body } = await post(order({ placer: 'MOVING', mrn: 'MOVING', codes: ['CHOL'], identifier: 'MOVE-1' }))
    const { reqId } = await messageOf('MOVE-1')
    const changed = order({ placer: 'MOVING', mrn: 'MOVING', codes: ['HDL'], identifier: 'MOVE-2' })
    Object.assign(changed, {
      entry: changed.entry?.map((one) =>
        one.resource?.resourceType === 'ServiceRequest'
          ? { ...one, request: { method: 'PUT', url: 'ServiceRequest?identifier=|MOVING' } }
          : one.resource?.resourceType === 'Patient'
            ? { ...one, resource: { ...one.resource, name: [{ family: `Vargas${serial - 1}`, given: ['Inés'] }] } }
            : one,
      ),
    })
    expect((await post(changed)).status).toBe(200)
    expect((await practice.get(String(body.entry[0].response.location))).body.status).toBe('revoked')
    const cancelled = order({ placer: 'MOVING', mrn: 'MOVING', identifier: 'MOVE-3', request: { status: 'revoked' } })
    expect((await post(cancelled)).status).toBe(200)
    expect((await practice.get(`ServiceRequest?requisition=${reqId}`)).body.total).toBe(0)
    expect((await post(order({ placer: 'NEVER', request: { status: 'revoked' } }))).status).toBe(404)
  })

  it('IFC-33 takes an order for a patient who is known here, and for nobody that the client may not see', async () => {
    const { body } = await post(order())
    const patient = body.entry.find(({ response }: { response: { location: string } }) =>
      response.location.startsWith('Patient/'),
    ).response.location
    expect((await post(order({ subject: patient }))).status).toBe(200)
    const foreign = await test.given.patient()
    const before = await countOf('requisition')
    expect((await post(order({ subject: `Patient/${foreign.id}` }))).status).toBe(404)
    expect(await countOf('requisition')).toBe(before)
  })

  it('IFC-31 IFC-32 finds the number of a partner by its own system alone, and gives one to a number without', async () => {
    const base = `${test.services.config.publicUrl}/fhir/R4/identifiers`
    const ids = async (identifier: string) => {
      const { status, body } = await practice.get(`Patient?identifier=${encodeURIComponent(identifier)}`)
      expect(status).toBe(200)
      return ((body as Bundle).entry ?? []).map(({ resource }) => resource?.id)
    }
    const known = (await post(order({ identifier: 'NUMBER-1' }))).status
    const patientId = String((await messageOf('NUMBER-1')).patientId)
    // The number of the second patient is the id of the first one.
    await post(order({ mrn: patientId, identifier: 'NUMBER-2' }))
    const second = String((await messageOf('NUMBER-2')).patientId)
    expect([known, await ids(`${base}/patient|${patientId}`)]).toEqual([200, [patientId]])
    expect(await ids(`${authority}|${patientId}`)).toEqual([second])
    expect((await ids(patientId)).toSorted()).toEqual([patientId, second].toSorted())
    expect(await ids(`http://wrong.example|${patientId}`)).toEqual([])
    expect(await ids(`${authority}|`)).toEqual(expect.arrayContaining([patientId, second]))
    const plain = { identifier: [{ type: { coding: [{ code: 'MR' }] }, value: 'PLAIN' }] }
    await post(order({ patient: plain, identifier: 'NUMBER-3' }))
    const third = String((await messageOf('NUMBER-3')).patientId)
    const { identifier } = (await practice.get(`Patient/${third}`)).body
    expect(identifier).toMatchObject([{}, { system: `${base}/authority/none`, value: 'PLAIN' }])
    expect(await ids(`${base}/authority/none|PLAIN`)).toEqual([third])
    await test.database.owner.query("update interface_patient set authority = 'SM & Co' where identifier = 'PLAIN'")
    const named = (await practice.get(`Patient/${third}`)).body.identifier[1]
    expect(named).toMatchObject({ system: `${base}/authority/SM%20%26%20Co` })
    expect(await ids(`${named.system}|PLAIN`)).toEqual([third])
    expect(await ids(`${base}/authority/none|PLAIN`)).toEqual([])
    await test.database.owner.query(
      "update interface_patient set authority = 'SM&1.2.9&ISO' where identifier = 'PLAIN'",
    )
    expect(await ids('urn:oid:1.2.9|PLAIN')).toEqual([third])
    expect(await ids('urn:oid:2.9|PLAIN')).toEqual([])
  })

  it('IFC-31 IFC-36 finds an order by the placer number with its system, and by the code of the sender', async () => {
    const { rows } = await test.database.owner.query("select id from test where code = 'HDL'")
    await admin.put(`interfaces/${partnerId}/codes`, { codes: [{ code: 'HD-L', testId: rows[0].id }] })
    const placers = 'urn:oid:1.2.3.5'
    const { body } = await post(
      order({
        identifier: 'TOKEN',
        request: {
          identifier: [{ type: { coding: [{ code: 'PLAC' }] }, system: placers, value: 'TOKEN' }],
          code: { coding: [{ system: 'urn:oid:1.2.3.6', code: 'HD-L', display: 'HDL' }] },
        },
      }),
    )
    const location = body.entry[0].response.location as string
    const one = (await practice.get(location)).body
    expect(one.identifier[0]).toMatchObject({ system: placers, value: 'TOKEN' })
    expect(one.code.coding).toContainEqual({ system: 'urn:oid:1.2.3.6', code: 'HD-L', display: 'HDL' })
    const found = async (parameter: string, token: string) => {
      const reply = await practice.get(`ServiceRequest?${parameter}=${encodeURIComponent(token)}`)
      return ((reply.body as Bundle).entry ?? []).map(({ resource }) => `ServiceRequest/${resource?.id}`)
    }
    for (const token of ['TOKEN', '|TOKEN', `${placers}|TOKEN`, `${placers}|`])
      expect([token, await found('identifier', token)]).toEqual([token, [location]])
    for (const token of ['HD-L', 'urn:oid:1.2.3.6|HD-L'])
      expect([token, await found('code', token)]).toEqual([token, [location]])
    expect(await found('identifier', 'http://wrong.example|TOKEN')).toEqual([])
    expect(await found('code', 'http://wrong.example|HD-L')).toEqual([])
    expect(await found('code', 'http://loinc.org|HD-L')).toEqual([])
  })

  it('IFC-30 IFC-33 changes an order by PUT only in the version that ifMatch names: otherwise 412', async () => {
    const { body } = await post(order({ placer: 'VERSION', mrn: 'VERSION', identifier: 'VERSION-1' }))
    const location = body.entry[0].response.location as string
    const family = `Vargas${serial}`
    const change = (ifMatch: string, identifier: string) => {
      const bundle = order({ placer: 'VERSION', mrn: 'VERSION', codes: ['HDL'], identifier })
      for (const one of bundle.entry ?? []) {
        if (one.resource?.resourceType === 'ServiceRequest')
          one.request = { method: 'PUT', url: 'ServiceRequest?identifier=|VERSION', ifMatch }
        if (one.resource?.resourceType === 'Patient') one.resource.name = [{ family, given: ['Inés'] }]
      }
      return bundle
    }
    const refused = await post(change('W/"other"', 'VERSION-2'))
    expect([refused.status, refused.body.issue[0].expression]).toEqual([412, ['Bundle.entry.request.ifMatch']])
    expect(await messageOf('VERSION-2')).toMatchObject({ state: 'REJECTED', ackCode: '412' })
    const { headers, body: before } = await practice.get(location)
    expect(before.status).toBe('active')
    const right = change(String(headers.etag), 'VERSION-3')
    expect((await post(right)).status).toBe(200)
    expect((await practice.get(location)).body.status).toBe('revoked')
    // Repeated, it is answered like the first time.
    expect((await post(right)).status).toBe(200)
  })

  it('IFC-30 IFC-33 of several changes that name the same version at once one is made, and the others are 412', async () => {
    const { body } = await post(order({ placer: 'RACE', mrn: 'RACE', identifier: 'RACE-0' }))
    const family = `Vargas${serial}`
    const { headers } = await practice.get(body.entry[0].response.location as string)
    const change = (code: string) => {
      const bundle = order({ placer: 'RACE', mrn: 'RACE', codes: [code], identifier: `RACE-${code}` })
      for (const one of bundle.entry ?? []) {
        if (one.resource?.resourceType === 'ServiceRequest')
          one.request = { method: 'PUT', url: 'ServiceRequest?identifier=|RACE', ifMatch: String(headers.etag) }
        if (one.resource?.resourceType === 'Patient') one.resource.name = [{ family, given: ['Inés'] }]
      }
      return bundle
    }
    // All are stored before the first is processed: a lock of the partner holds the work back.
    const { owner } = test.database
    const blocker = await owner.connect()
    try {
      await blocker.query('begin')
      await blocker.query("select pg_advisory_xact_lock(hashtext('interface-work'), $1::int)", [partnerId])
      const codes = ['HDL', 'CHOL', 'TRIG']
      const replies = codes.map((code) => post(change(code)))
      for (let stored = 0; stored < codes.length; await wait(20)) {
        const { rows } = await blocker.query(
          "select count(*)::int as n from interface_message where state = 'RECEIVED' and control_id like 'RACE-%'",
        )
        stored = rows[0].n
      }
      await blocker.query('commit')
      const statuses = (await Promise.all(replies)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 412, 412])
      const refused = codes[statuses.indexOf(412)] as string
      expect(await messageOf(`RACE-${refused}`)).toMatchObject({ state: 'REJECTED', ackCode: '412' })
      expect((await post(change(refused))).status).toBe(412)
    } finally {
      blocker.release()
    }
  })

  it('IFC-33 IFC-15 never takes the address of another system for a patient of ours with the same id', async () => {
    const known = (await post(order())).body.entry.find(({ response }: { response: { location: string } }) =>
      response.location.startsWith('Patient/'),
    ).response.location as string
    const there = 'https://ehr.example/fhir'
    const before = [await countOf('requisition'), await countOf('patient')]
    const foreign = order({ subject: `${there}/${known}` })
    // Relative, in entries that have their address on the other system.
    const relative = order({ subject: known })
    for (const [index, one] of (relative.entry ?? []).entries())
      one.fullUrl = `${there}/${one.resource?.resourceType}/${index + 1}`
    for (const one of relative.entry ?? [])
      if (one.resource?.resourceType === 'ServiceRequest') delete one.resource.specimen
    for (const bundle of [foreign, relative]) {
      const reply = await post(bundle)
      expect([reply.status, reply.body.issue[0].expression]).toEqual([422, ['ServiceRequest.subject']])
    }
    expect([await countOf('requisition'), await countOf('patient')]).toEqual(before)
    const ours = await post(
      order({ subject: `${test.services.config.publicUrl}/fhir/R4/${known}`, identifier: 'OURS' }),
    )
    expect([ours.status, `Patient/${(await messageOf('OURS')).patientId}`]).toEqual([200, known])
  })

  it('IFC-33 takes entries with absolute addresses of their own system, linked by them or relative to them', async () => {
    const foreign = await test.given.patient()
    const there = 'https://ehr.example/fhir'
    const addressOf = (type: string) => `${there}/${type}/${foreign.id}`
    const bundle = order({ identifier: 'ABSOLUTE' })
    const person = bundle.entry?.find(({ resource }) => resource?.resourceType === 'Patient')?.fullUrl as string
    const tube = bundle.entry?.find(({ resource }) => resource?.resourceType === 'Specimen')?.fullUrl as string
    for (const one of bundle.entry ?? []) one.fullUrl = addressOf(String(one.resource?.resourceType))
    const text = JSON.stringify(bundle)
      .replaceAll(tube, `Specimen/${foreign.id}`)
      .replaceAll(`"${person}"`, `"${addressOf('Patient')}"`)
    const { status, body } = await post(text)
    expect([status, JSON.stringify(body)]).toEqual([200, expect.anything()])
    expect((await messageOf('ABSOLUTE')).patientId).not.toBe(foreign.id)
    const desk = await admin.get(`interface_messages/${(await messageOf('ABSOLUTE')).id}`)
    expect(desk.body.data.preview.patientName).toContain(`Vargas${serial}`)
  })

  it.each(['Organization', 'ServiceRequest', 'Specimen', 'Practitioner'])(
    'IFC-33 IFC-35 answers 404 to a Bundle that names a %s of somebody else, and stores nothing',
    async (type) => {
      const other = await openPartner()
      const { body } = await post(order({ by: other.npi }), other.caller)
      const order1 = body.entry[0].response.location as string
      const tube = body.entry[1].response.location as string
      const physician = await test.database.owner.query('select id from physician where npi_number = $1', [other.npi])
      const reference = {
        Organization: `Organization/client-${other.clientId}`,
        ServiceRequest: order1,
        Specimen: tube,
        Practitioner: `Practitioner/${physician.rows[0].id}`,
      }[type]
      expect((await other.caller.get(String(reference))).status).toBe(200)
      const before = [await countOf('requisition'), await countOf('patient')]
      const element = {
        Organization: 'performer',
        ServiceRequest: 'basedOn',
        Specimen: 'specimen',
        Practitioner: 'performer',
      }
      const reply = await post(order({ request: { [element[type as keyof typeof element]]: [{ reference }] } }))
      expect([reply.status, reply.body.issue[0].diagnostics]).toEqual([404, `${reference} is not known`])
      expect([await countOf('requisition'), await countOf('patient')]).toEqual(before)
    },
  )

  it.each<[string, number, () => unknown]>([
    ['no Bundle', 400, () => ({ resourceType: 'Patient' })],
    ['a batch', 400, () => ({ ...order(), type: 'batch' })],
    ['no entries', 400, () => ({ ...order(), entry: [] })],
    [
      '5,000 entries',
      400,
      () => ({ ...order(), entry: Array.from({ length: 5000 }, () => ({ resource: { resourceType: 'Patient' } })) }),
    ],
    ['text that is no JSON', 400, () => '{"resourceType":'],
    ['a birth date that is none', 400, () => order({ patient: { birthDate: '1979-13-41' } })],
    ['a sex that is none', 400, () => order({ patient: { gender: 'F' } })],
    ['no last name', 422, () => order({ patient: { name: [{ given: ['Ann'] }] } })],
    ['no identifier of the patient', 422, () => order({ patient: { identifier: [] } })],
    ['no placer number', 422, () => order({ request: { identifier: [] } })],
    ['no test', 422, () => order({ request: { code: undefined } })],
    ['a plan', 422, () => order({ request: { intent: 'plan' } })],
    [
      'an unresolved reference',
      400,
      () => order({ request: { specimen: [{ reference: `urn:uuid:${randomUUID()}` }] } }),
    ],
    [
      'circular references',
      422,
      () => {
        const bundle = order({ codes: ['CHOL', 'HDL'] })
        const [one, other] = bundle.entry as [
          { fullUrl: string; resource: Resource },
          { fullUrl: string; resource: Resource },
        ]
        Object.assign(one.resource, { basedOn: [{ reference: other.fullUrl }] })
        Object.assign(other.resource, { basedOn: [{ reference: one.fullUrl }] })
        return bundle
      },
    ],
    ['a test message', 422, () => ({ ...order(), meta: { tag: [{ code: 'HTEST' }] } })],
  ])('IFC-33 refuses %s with %i and stores nothing', async (_, status, make) => {
    const before = [await countOf('requisition'), await countOf('patient')]
    const reply = await post(make())
    expect([reply.status, reply.body.resourceType], JSON.stringify(reply.body)).toEqual([status, 'OperationOutcome'])
    expect([await countOf('requisition'), await countOf('patient')]).toEqual(before)
  })

  it('IFC-33 is open only to the client of an active FHIR interface with the right to create', async () => {
    expect((await post(order(), stranger)).status).toBe(403)
    expect((await fhirCaller(test, '').post('', order())).status).toBe(401)
    const reader = await makeApiClient(test, admin, {
      userRoleCode: 'CLNT',
      entityId: clientId,
      scopes: ['system/*.rs'],
    })
    expect((await post(order(), fhirCaller(test, reader.token))).status).toBe(403)
    await admin.put(`interfaces/${partnerId}`, { isActive: 0 })
    expect((await post(order())).status).toBe(403)
    await admin.put(`interfaces/${partnerId}`, { isActive: 1 })
  })

  it('IFC-41 IFC-33 asks the scope of each type that a Bundle makes or changes, and names the one that is missing', async () => {
    const partner = await openPartner()
    const withScopes = async (scopes: string[]) => {
      const api = await makeApiClient(test, admin, { userRoleCode: 'CLNT', entityId: partner.clientId, scopes })
      await admin.put(`interfaces/${partner.id}`, { apiClientId: api.id })
      return fhirCaller(test, api.token)
    }
    const before = [await countOf('requisition'), await countOf('patient'), await countOf('interface_message')]
    const narrow = await withScopes(['system/ServiceRequest.c', 'system/Specimen.c', 'system/Patient.c'])
    const refused = await post(order({ by: partner.npi }), narrow)
    expect([refused.status, refused.body.issue[0]]).toMatchObject([
      403,
      { code: 'forbidden', diagnostics: 'The access token does not have the scope system/Coverage.c' },
    ])
    expect([await countOf('requisition'), await countOf('patient'), await countOf('interface_message')]).toEqual(before)
    const makes = await withScopes(['system/*.c'])
    expect((await post(order({ by: partner.npi, placer: 'SCOPED' }), makes)).status).toBe(200)
    const changed = (bundle: Bundle) => ({
      ...bundle,
      entry: bundle.entry?.map((one) =>
        one.resource?.resourceType === 'ServiceRequest'
          ? { ...one, request: { method: 'PUT', url: 'ServiceRequest?identifier=|SCOPED' } }
          : one,
      ),
    })
    for (const bundle of [
      changed(order({ by: partner.npi, placer: 'SCOPED', codes: ['HDL'] })),
      order({ by: partner.npi, placer: 'SCOPED', request: { status: 'revoked' } }),
    ]) {
      const reply = await post(bundle, makes)
      expect([reply.status, reply.body.issue[0].diagnostics]).toEqual([
        403,
        'The access token does not have the scope system/ServiceRequest.u',
      ])
    }
  })

  it('IFC-33 waits for approval where the interface asks for it, and creates no order from test messages of a test interface', async () => {
    const strict = await openPartner({ autoAccept: 0 })
    expect((await post(order({ by: strict.npi }), strict.caller)).status).toBe(202)
    const trial = await openPartner({ isTest: 1 })
    const before = await countOf('requisition')
    const real = order({ by: trial.npi })
    const { status, body } = await post({ ...real, meta: { tag: [{ code: 'HTEST' }] } }, trial.caller)
    expect([status, body.type]).toEqual([200, 'transaction-response'])
    // The order itself is never answered as the test message was.
    expect((await post(real, trial.caller)).status).toBe(409)
    expect(await countOf('requisition')).toBe(before)
  })
})
