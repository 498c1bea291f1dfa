import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { readXlsx } from 'hucre/xlsx'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const filter = (text: string) => `filter=${encodeURIComponent(text)}`
const idsOf = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id)
const fileOf = async (url: string) => {
  const { pathname, search } = new URL(url)
  return test.app.inject({ method: 'GET', url: `${pathname}${search}` })
}

describe('GET clients', () => {
  const listed = once(async () => {
    const rep = await test.given.salesPerson({ first_name: 'Rita', last_name: 'Rep' })
    const client = await test.given.client({ name: 'Column Practice', fax_email: 'fax@example.com', zone: 'TZNA' })
    await test.given.clientSales(client.id, rep.id)
    const { body } = await staff.get(`clients?${filter('[clientName:Column Practice]')}`)
    expect(body.total).toBe(1)
    return body.data[0]
  })

  it.each([
    ['CLI-004', 'legacyClientId', expect.stringMatching(/^L/)],
    ['CLI-005', 'clientName', 'Column Practice'],
    ['CLI-006', 'clientPhone', '16175550100'],
    ['CLI-007', 'clientFaxEmail', 'fax@example.com'],
    ['CLI-008', 'clientCountry', 'United States'],
    ['CLI-009', 'clientCity', 'Boston'],
    ['CLI-010', 'clientState', 'Massachusetts'],
    ['CLI-011', 'clientZip', '02101'],
  ])('%s gives %s for its column', async (_, field, value) => {
    expect((await listed())[field]).toEqual(value)
  })

  it('gives the sales rep and the time zone beside its columns', async () => {
    expect(await listed()).toMatchObject({ salesRep: 'Rita Rep', clientTz: 'TZNA' })
  })

  it('CLI-G10 filters by Client ID, name, phone, city, state, country, collaborator, sales rep and missing zone', async () => {
    const { country_id, state_id } = await test.given.address('CA', 'ON')
    const cola = await test.given.collaborator()
    const rep = await test.given.salesPerson()
    const { id } = await test.given.client({
      legacy_client_id: 'FILTER-1',
      name: 'Fílter Practice',
      phone: '14165559999',
      city: 'Thunder Bay',
      country_id,
      state_id,
      collaborator_id: cola.id,
      zone: 'TZNA',
    })
    await test.given.clientSales(id, rep.id)
    for (const text of [
      '[legacyClientId:filter-1]',
      '[clientName:practice,clientCity:thunder]',
      '[clientPhone:4165559999]',
      `[clientStateId:${state_id}]`,
      `[clientCountryId:${country_id}]`,
      `[colaId:${cola.id}]`,
      `[salesId:${rep.id}]`,
      '[isTzMissing:1,clientCity:Thunder Bay]',
      `{id:[${id}]}`,
      '[search:FILTER-1]',
    ]) {
      const { body } = await staff.get(`clients?${filter(text)}`)
      expect([text, body.total, idsOf(body)]).toEqual([text, 1, [id]])
    }
    expect((await staff.get(`clients?${filter('[isTzMissing:0,legacyClientId:FILTER-1]')}`)).body.total).toBe(0)
  })

  it('TABLE-015 TABLE-017 shows ten rows by id, and sorts by every column', async () => {
    for (let n = 0; n < 11; n++) await test.given.client()
    const { body } = await staff.get('clients')
    expect(body.data).toHaveLength(10)
    expect(idsOf(body)).toEqual(idsOf(body).toSorted((a, b) => a - b))
    for (const field of Object.keys(body.data[0]).filter((name) => name !== 'version'))
      expect([field, (await staff.get(`clients?sort=[${field},DESC]`)).status]).toEqual([field, 200])
  })

  it.each([
    ['filter=[nope:1]', 400],
    ['filter=[id:1 or 1=1]', 400],
    ["filter=[clientName:'; drop table client; --]", 200],
    ['filter=[clientName:%25_\\]', 200],
    ['filter=[clientName:%00]', 400],
    ['sort=[clientNote,ASC]', 400],
    ['page=99999', 200],
    ['page=0', 400],
    ['perPage=100000', 400],
  ])('answers %s with %i, never with 500', async (query, status) => {
    expect((await staff.get(`clients?${query}`)).status).toBe(status)
  })
})

describe('Export All', () => {
  it('CLI-012 CLI-148 LOOK-133 gives a workbook that opens, with the filtered rows', async () => {
    await test.given.client({ name: '=Exported Practice' })
    const { body } = await staff.get(`/report/v3.0/clients/export?${filter('[clientName:Exported]')}`)
    expect(body).toMatchObject({ retval: 'SUCCESS', data: { url: expect.any(String) } })
    const file = await fileOf(body.data.url)
    expect(file.statusCode).toBe(200)
    const workbook = await readXlsx(file.rawPayload)
    const rows = workbook.sheets[0]?.rows ?? []
    expect(rows[0]).toEqual([
      'Client ID',
      'Name',
      'Phone',
      'Fax',
      'Country',
      'City',
      'State',
      'Zip',
      'Sales Rep',
      'Collaborator',
      'Timezone',
    ])
    expect([rows.length, rows[1]?.[1]]).toEqual([2, '=Exported Practice'])
    const none = await staff.get(`clients/export?${filter('[clientName:nobody-like-this]')}`)
    expect(none.body).toMatchObject({ retval: 'EMPTY', message: 'No matching records found for export' })
  })
})

describe('who sees which clients', () => {
  /** A client with its partner, sales rep and physician. */
  const world = async () => {
    const collaborator = await test.given.collaborator()
    const client = await test.given.client({ collaborator_id: collaborator.id })
    const rep = await test.given.salesPerson()
    await test.given.clientSales(client.id, rep.id)
    const physician = await test.given.physician()
    await test.given.clientPhysician(client.id, physician.id)
    return { collaborator, client, rep, physician }
  }

  it('LOOK-052 LOOK-054 PERM-050 PERM-051 a client user sees its own practice alone: rows, total, choices, export, record', async () => {
    const [own, other] = [await world(), await world()]
    const who = await test.as('CLNT', own.client.id)
    const { body } = await who.get('clients?perPage=-1')
    expect([body.total, idsOf(body), body.data[0].clientCity]).toEqual([1, [own.client.id], 'Boston'])
    expect((await who.get(`clients?${filter(`[id:${other.client.id}]`)}`)).body.total).toBe(0)
    const choices = (await who.get('filter_dd/clients')).body
    expect([choices.total, Object.keys(choices.data[0]).toSorted()]).toEqual([
      1,
      ['clientName', 'id', 'legacyClientId'],
    ])
    const csv = await fileOf((await who.get('clients/export?format=csv')).body.data.url)
    expect(csv.body.trim().split('\n')).toHaveLength(2)
    expect((await who.get(`clients/${own.client.id}`)).status).toBe(200)
    expect((await who.get(`clients/${other.client.id}`)).status).toBe(404)
  })

  it('VIEW-49 others choose from names in their scope, and learn nothing else', async () => {
    const [mine] = [await world(), await world()]
    for (const who of [
      await test.as('COLA', mine.collaborator.id),
      await test.as('SLS', mine.rep.id),
      await test.as('PHYS', mine.physician.id),
    ]) {
      for (const path of ['clients?perPage=-1', 'filter_dd/clients']) {
        const { body } = await who.get(path)
        expect([body.total, idsOf(body)]).toEqual([1, [mine.client.id]])
        expect(Object.keys(body.data[0]).toSorted()).toEqual(['clientName', 'id', 'legacyClientId'])
      }
      for (const query of ['filter=[clientPhone:617]', 'filter=[isTzMissing:1]', 'sort=[clientZip,ASC]'])
        expect([query, (await who.get(`clients?${query}`)).status]).toEqual([query, 400])
    }
    expect((await (await test.as('BILL')).get('clients')).body.total).toBe(0)
    expect((await (await test.as('ADM')).get('filter_dd/clients')).body.total).toBeGreaterThan(1)
    expect((await (await test.as('GST')).get('filter_dd/clients')).status).toBe(403)
    expect((await test.nobody.get('clients')).status).toBe(401)
  })

  it.each(roles)('CLI-002 %s: every call about a client, its own and a foreign one', async (role) => {
    const [own, other] = [await world(), await world()]
    const who = await test.as(
      role,
      {
        CLNT: own.client.id,
        COLA: own.collaborator.id,
        SLS: own.rep.id,
        PHYS: own.physician.id,
      }[role as string],
    )
    const isSuper = ['ADM', 'MGMT', 'STF'].includes(role)
    const foreign = isSuper ? 200 : 404
    const choices = ['physicians', 'labs', 'events']
    for (const name of [...choices, 'sales', 'users', 'docs', 'prices', 'histories']) {
      const mayAsk = can(role, choices.includes(name) ? 'lookups.read' : 'clients.read')
      const isOwn = isSuper || ['CLNT', 'COLA', 'SLS', 'PHYS'].includes(role)
      const replies = [
        await who.get(`clients/${own.client.id}/${name}?perPage=-1`),
        await who.get(`clients/${other.client.id}/${name}`),
      ]
      const statuses = replies.map(({ status }) => status)
      expect([name, statuses]).toEqual([name, mayAsk ? [isOwn ? 200 : 404, foreign] : [403, 403]])
    }
    expect((await who.get('clients/export')).status).toBe(can(role, 'clients.read') ? 200 : 403)
    if (!can(role, 'clients.read') && can(role, 'lookups.read') && role !== 'BILL') {
      const { body } = await who.get(`clients/${own.client.id}/physicians`)
      expect(Object.keys(body.data[0]).toSorted()).toEqual(['clientPhysId', 'id', 'physFirstName', 'physLastName'])
      expect((await who.get(`clients/${own.client.id}/physicians?filter=[npiNumber:1]`)).status).toBe(400)
    }
  })
})
