import { beforeAll, describe, expect, it } from 'vitest'
import { makeApiClient } from '../../../test/api-client.ts'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

let serial = 0
const partnerOf = async (over: Record<string, unknown> = {}) => ({
  name: `Saltmarsh ${++serial}`,
  kind: 'HL7',
  clientId: (await test.given.client()).id,
  sendingApp: `SALTMARSH${serial}`,
  sendingFacility: 'SM-2041',
  ...over,
})
const fieldsOf = (body: { errors: { field: string }[] }) => body.errors.map(({ field }) => field)

describe('interfaces', () => {
  it('IFC-01 are made, read, changed and deleted, with their defaults', async () => {
    const sent = await partnerOf({ resultUrl: 'mllp://results.example:6661' })
    const { status, body } = await admin.post('interfaces', sent)
    expect(status).toBe(200)
    const path = `interfaces/${body.data.id}`
    expect((await admin.get(path)).body.data).toMatchObject({
      ...sent,
      colaId: null,
      isActive: 1,
      isTest: 0,
      autoAccept: 1,
    })
    expect((await admin.put(path, { isTest: 1 })).body.data).toMatchObject({ ...sent, isTest: 1, isActive: 1 })
    const listed = await admin.get(`interfaces?filter=${encodeURIComponent(`[sendingApp:${sent.sendingApp}]`)}`)
    expect(listed.body).toMatchObject({ total: 1, data: [{ name: sent.name, clientName: expect.any(String) }] })
    expect((await admin.del(path)).status).toBe(200)
    expect((await admin.get(path)).status).toBe(404)
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ kind: undefined }, 'kind'],
    [{ clientId: null }, 'clientId'],
    [{ colaId: 1 }, 'colaId'],
    [{ sendingApp: '' }, 'sendingApp'],
    [{ sendingFacility: null }, 'sendingFacility'],
    [{ kind: 'FHIR', sendingApp: null, sendingFacility: null }, 'apiClientId'],
    [{ resultUrl: 'http://results.example' }, 'resultUrl'],
    [{ resultUrl: 'mllp://results.example:99999' }, 'resultUrl'],
    [{ clientId: 999_999 }, 'clientId'],
  ])('IFC-01 name the field of %j', async (over, field) => {
    const { status, body } = await admin.post('interfaces', await partnerOf(over))
    expect([status, fieldsOf(body)]).toEqual([400, [field]])
  })

  it('IFC-01 have each application and facility once among the active ones, also of two that are made at once', async () => {
    const pair = { sendingApp: 'TWICE', sendingFacility: 'HERE' }
    const made = await Promise.all([
      admin.post('interfaces', await partnerOf(pair)),
      admin.post('interfaces', await partnerOf(pair)),
    ])
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const idle = await admin.post('interfaces', await partnerOf({ ...pair, isActive: 0 }))
    expect(idle.status).toBe(200)
    expect((await admin.put(`interfaces/${idle.body.data.id}`, { isActive: 1 })).status).toBe(409)
  })

  it('IFC-01 need an API client that is there, and name the field', async () => {
    const fhir = { kind: 'FHIR', sendingApp: null, sendingFacility: null }
    const deleted = await makeApiClient(test, admin, { userRoleCode: 'ADM' })
    await admin.del(`api_clients/${deleted.id}`)
    for (const apiClientId of [999_999, deleted.id]) {
      const { status, body } = await admin.post('interfaces', await partnerOf({ ...fhir, apiClientId }))
      expect([status, fieldsOf(body)]).toEqual([400, ['apiClientId']])
    }
    const client = await makeApiClient(test, admin, { userRoleCode: 'ADM' })
    const made = await admin.post('interfaces', await partnerOf({ ...fhir, apiClientId: client.id }))
    const changed = await admin.put(`interfaces/${made.body.data.id}`, { apiClientId: deleted.id })
    expect([changed.status, fieldsOf(changed.body)]).toEqual([400, ['apiClientId']])
  })

  it('IFC-01 have each API client once among the active ones, also of two that are made at once', async () => {
    const { id: apiClientId } = await makeApiClient(test, admin, { userRoleCode: 'ADM' })
    const fhir = { kind: 'FHIR', sendingApp: null, sendingFacility: null, apiClientId }
    const inputs = [await partnerOf(fhir), await partnerOf(fhir)]
    const made = await Promise.all(inputs.map((one) => admin.post('interfaces', one)))
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const first = made.find(({ status }) => status === 200)?.body.data.id
    await admin.put(`interfaces/${first}`, { isActive: 0 })
    expect((await admin.post('interfaces', await partnerOf(fhir))).status).toBe(200)
    expect((await admin.put(`interfaces/${first}`, { isActive: 1 })).status).toBe(409)
  })

  it('IFC-01 are not restored to an API client that another one uses, or that has been deleted', async () => {
    const { id: apiClientId } = await makeApiClient(test, admin, { userRoleCode: 'ADM' })
    const fhir = { kind: 'FHIR', sendingApp: null, sendingFacility: null, apiClientId }
    const make = async () => (await admin.post('interfaces', await partnerOf(fhir))).body.data.id as number
    const first = await make()
    await admin.del(`interfaces/${first}`)
    const second = await make()
    const restore = () => admin.put(`deleted_records/interface/${first}/restore`)
    expect((await restore()).status).toBe(409)
    await admin.del(`interfaces/${second}`)
    await admin.del(`api_clients/${apiClientId}`)
    expect((await restore()).body.message).toContain('has been deleted')
  })

  it('IFC-01 are read by staff, managed by administrators, and hidden from everybody else', async () => {
    const { id } = await test.given.interfacePartner()
    const staff = await test.as('STF')
    expect((await staff.get('interfaces')).status).toBe(200)
    expect((await staff.put(`interfaces/${id}`, { isTest: 1 })).status).toBe(403)
    for (const role of ['SLS', 'BILL', 'COLA', 'CLNT', 'PHYS', 'GST'] as const)
      expect((await (await test.as(role)).get('interfaces')).status).toBe(403)
  })
})

describe('the codes of an interface', () => {
  it('IFC-02 are replaced as a whole', async () => {
    const { id } = await test.given.interfacePartner()
    const path = `interfaces/${id}/codes`
    const { rows } = await test.database.owner.query(
      "select (select id from test where code = 'CHOL') as test, (select id from panel where code = 'LIPID') as panel",
    )
    const { test: testId, panel: panelId } = rows[0]
    await admin.put(path, { codes: [{ code: 'OLD', testId }] })
    const { body } = await admin.put(path, {
      codes: [
        { code: 'GLYHB', testId },
        { code: 'FATS', panelId },
      ],
    })
    const expected = [
      { code: 'FATS', testId: null, testCode: null, panelId, panelCode: 'LIPID' },
      { code: 'GLYHB', testId, testCode: 'CHOL', panelId: null, panelCode: null },
    ]
    expect(body.data).toEqual(expected)
    expect((await admin.get(path)).body.data).toEqual(expected)
  })

  it.each([
    [[{ code: '', testId: 1 }], 'codes.0.code'],
    [[{ code: 'X' }], 'codes.0.testId'],
    [[{ code: 'X', testId: 999_999 }], 'codes.0.testId'],
    [
      [
        { code: 'X', testId: 1 },
        { code: 'X', testId: 2 },
      ],
      'codes.1.code',
    ],
  ])('IFC-02 name the field of %j', async (codes, field) => {
    const { id } = await test.given.interfacePartner()
    const { status, body } = await admin.put(`interfaces/${id}/codes`, { codes })
    expect([status, fieldsOf(body)]).toEqual([400, [field]])
  })
})
