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

/** A practice with one physician, who also works for a second practice. */
const world = async () => {
  const collaborator = await test.given.collaborator()
  const client = await test.given.client({ collaborator_id: collaborator.id })
  const elsewhere = await test.given.client({ name: 'Secret Practice', legacy_client_id: `SECRET-${client.id}` })
  const rep = await test.given.salesPerson()
  await test.given.clientSales(client.id, rep.id)
  const physician = await test.given.physician()
  for (const { id } of [client, elsewhere]) await test.given.clientPhysician(id, physician.id)
  return { collaborator, client, elsewhere, rep, physician }
}

describe('GET physicians', () => {
  const findable = once(async () => {
    const client = await test.given.client({ name: 'Findable Practice', legacy_client_id: 'FIND-1' })
    const { id } = await test.given.physician({
      first_name: 'Filippa',
      last_name: 'Filter',
      npi_number: '1999999984',
      ptan_number: 'PT-9',
    })
    await test.given.clientPhysician(client.id, id)
    return { id, client }
  })

  it.each([
    ['PHY-03', '[physFirstName:filip]'],
    ['PHY-04', '[physLastName:FILTER]'],
    ['PHY-05', '[npiNumber:1999999984]'],
    ['PHY-06', '[clientName:findable]'],
    ['PHY-07', '[legacyClientId:find-1]'],
    ['TABLE-099', '[search:1999999984]'],
  ])('%s filters by %s', async (_, text) => {
    const { id } = await findable()
    const { body } = await staff.get(`physicians?${filter(text)}`)
    expect([body.total, idsOf(body)]).toEqual([1, [id]])
  })

  it('TABLE-106 filters by the id of the physician or of a client', async () => {
    const { id, client } = await findable()
    for (const text of [`[clientId:${client.id}]`, `{id:[${id}]}`])
      expect(idsOf((await staff.get(`physicians?${filter(text)}`)).body)).toEqual([id])
  })

  it('gives what the columns of the list show', async () => {
    const { id } = await findable()
    const { body } = await staff.get(`physicians?${filter('[physLastName:Filter]')}`)
    expect(body.data[0]).toMatchObject({
      id,
      physFirstName: 'Filippa',
      physLastName: 'Filter',
      physTitle: 'MD',
      npiNumber: '1999999984',
      ptanNumber: 'PT-9',
    })
  })

  it('TABLE-015 TABLE-017 shows ten rows by id', async () => {
    for (let n = 0; n < 11; n++) await test.given.physician()
    const { body } = await staff.get('physicians')
    expect(body.data).toHaveLength(10)
    expect(idsOf(body)).toEqual(idsOf(body).toSorted((a, b) => a - b))
  })

  it.each(['id', 'physFirstName', 'physLastName', 'physTitle', 'npiNumber', 'ptanNumber'])(
    'TABLE-100 sorts by %s, up and down',
    async (field) => {
      const client = await test.given.client()
      const make = async (first_name: string, last_name: string, title: string, npi: string, ptan: string) => {
        const made = await test.given.physician({ first_name, last_name, title, npi_number: npi, ptan_number: ptan })
        await test.given.clientPhysician(client.id, made.id)
        return made.id
      }
      const serial = String(client.id).padStart(6, '0')
      // Each column orders the three differently, so that no other column could give the same order.
      const made = [
        await make('Bo', 'Cray', 'NP', `13${serial}01`, 'B-2'),
        await make('Cy', 'Ames', 'DO', `11${serial}02`, 'C-3'),
        await make('Al', 'Bird', 'PA', `12${serial}03`, 'A-1'),
      ]
      const orders: Record<string, number[]> = {
        id: [0, 1, 2],
        physFirstName: [2, 0, 1],
        physLastName: [1, 2, 0],
        physTitle: [1, 0, 2],
        npiNumber: [1, 2, 0],
        ptanNumber: [2, 0, 1],
      }
      const sorted = async (direction: string) =>
        idsOf((await staff.get(`physicians?${filter(`[clientId:${client.id}]`)}&sort=[${field},${direction}]`)).body)
      const up = orders[field]?.map((index) => made[index])
      expect(await sorted('ASC')).toEqual(up)
      expect(await sorted('DESC')).toEqual(up?.toReversed())
    },
  )

  it.each([
    ['filter=[nope:1]', 400],
    ['filter=[clientId:x]', 400],
    ["filter=[clientName:'; drop table physician; --]", 200],
    ['filter=[physLastName:%00]', 400],
    ['sort=[clientName,ASC]', 400],
    ['page=99999', 200],
  ])('answers %s with %i, never with 500', async (query, status) => {
    expect((await staff.get(`physicians?${query}`)).status).toBe(status)
  })

  it('TABLE-115 a download can be asked for by GET with the filter as JSON', async () => {
    await test.given.physician({ last_name: 'Jsonis' })
    const { body } = await staff.get(`physicians/export?${filter('{"physLastName":"Jsonis"}')}&filterActive=true`)
    const workbook = await readXlsx((await fileOf(body.data.url)).rawPayload)
    expect(workbook.sheets[0]?.rows.map((row) => row[2])).toEqual(['Last Name', 'Jsonis'])
  })

  it('PHY-09 PHY-92 exports the filtered list as a workbook that opens', async () => {
    await test.given.physician({ last_name: 'Exportes', title: 'None' })
    const { body } = await staff.get(
      `/report/v3.0/physicians/export?${filter('[physLastName:Exportes]')}&filterActive=1`,
    )
    const workbook = await readXlsx((await fileOf(body.data.url)).rawPayload)
    const rows = workbook.sheets[0]?.rows ?? []
    expect(rows[0]?.slice(0, 6)).toEqual(['ID', 'First Name', 'Last Name', 'Title', 'NPI Number', 'PTAN#'])
    expect([rows.length, rows[1]?.[2]]).toEqual([2, 'Exportes'])
    const none = await staff.get(`physicians/export?${filter('[physLastName:nobody-like-this]')}`)
    expect(none.body).toMatchObject({ retval: 'EMPTY', message: 'No matching records found for export' })
  })
})

describe('who sees which physicians', () => {
  it('LOOK-053 PERM-052 PERM-053 a client user sees those of its practice, and of other practices not even the name', async () => {
    const [own, other] = [await world(), await world()]
    const who = await test.as('CLNT', own.client.id)
    const { body } = await who.get('physicians?perPage=-1')
    expect([body.total, idsOf(body)]).toEqual([1, [own.physician.id]])
    expect(body.data[0]).toMatchObject({
      clientIds: [own.client.id],
      clientName: expect.not.stringContaining('Secret'),
    })
    expect(JSON.stringify(body)).not.toContain('SECRET')
    for (const text of ['[clientName:Secret]', '[legacyClientId:SECRET]', `[clientId:${own.elsewhere.id}]`])
      expect((await who.get(`physicians?${filter(text)}`)).body.total).toBe(0)
    const one = await who.get(`physicians/${own.physician.id}`)
    expect([one.status, one.body.data.clientIds]).toEqual([200, [own.client.id]])
    expect(idsOf((await who.get(`physicians/${own.physician.id}/clients`)).body)).toEqual([own.client.id])
    const csv = (await fileOf((await who.get('physicians/export?format=csv')).body.data.url)).body
    expect([csv.trim().split('\n').length, csv.includes('Secret')]).toEqual([2, false])
    expect((await who.get(`physicians/${other.physician.id}`)).status).toBe(404)
    expect((await who.get(`physicians/${other.physician.id}/clients`)).status).toBe(404)
    expect((await who.get('filter_dd/physicians')).body.total).toBe(1)
  })

  it('a physician who has left the practice is gone for it', async () => {
    const { client, physician } = await world()
    const who = await test.as('CLNT', client.id)
    await staff.del(`clients/${client.id}/physicians/${physician.id}`)
    expect((await who.get('physicians')).body.total).toBe(0)
    expect((await who.get(`physicians/${physician.id}`)).status).toBe(404)
  })

  it('LOOK-055 VIEW-50 VIEW-51 others choose from names in their scope, and learn nothing else', async () => {
    const [mine] = [await world(), await world()]
    for (const who of [
      await test.as('COLA', mine.collaborator.id),
      await test.as('SLS', mine.rep.id),
      await test.as('PHYS', mine.physician.id),
    ]) {
      for (const path of ['physicians?perPage=-1', 'filter_dd/physicians']) {
        const { body } = await who.get(path)
        expect([body.total, idsOf(body)]).toEqual([1, [mine.physician.id]])
        expect(Object.keys(body.data[0]).toSorted()).toEqual(['id', 'physFirstName', 'physLastName'])
      }
      for (const query of ['filter=[npiNumber:1]', 'filter=[clientName:Secret]', 'sort=[npiNumber,ASC]'])
        expect([query, (await who.get(`physicians?${query}`)).status]).toEqual([query, 400])
    }
    expect((await (await test.as('BILL')).get('filter_dd/physicians')).body.total).toBe(0)
    expect((await (await test.as('MGMT')).get('filter_dd/physicians')).body.total).toBeGreaterThan(1)
  })

  it.each(roles)('%s: every reading call', async (role) => {
    const own = await world()
    const entity = { CLNT: own.client.id, COLA: own.collaborator.id, SLS: own.rep.id, PHYS: own.physician.id }
    const who = await test.as(role, entity[role as keyof typeof entity])
    const mayRead = can(role, 'physicians.read') ? 200 : 403
    const mayChoose = can(role, 'lookups.read') ? 200 : 403
    expect((await who.get('physicians')).status).toBe(mayChoose)
    expect((await who.get('filter_dd/physicians')).status).toBe(mayChoose)
    for (const path of [
      `physicians/${own.physician.id}`,
      `physicians/${own.physician.id}/clients`,
      'physicians/export',
    ])
      expect([path, (await who.get(path)).status]).toEqual([path, mayRead])
  })

  it('refuses requests without a session', async () => {
    expect((await test.nobody.get('physicians')).status).toBe(401)
    expect((await test.nobody.get('filter_dd/physicians')).status).toBe(401)
  })
})
