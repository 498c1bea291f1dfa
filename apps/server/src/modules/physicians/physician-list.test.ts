import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { readXlsx } from 'hucre/xlsx'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

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
  it('PHY-03..PHY-07 PHY-10..PHY-15 filters by name, NPI, client name and Client ID', async () => {
    const client = await test.given.client({ name: 'Findable Practice', legacy_client_id: 'FIND-1' })
    const { id } = await test.given.physician({
      first_name: 'Filippa',
      last_name: 'Filter',
      npi_number: '1999999984',
      ptan_number: 'PT-9',
    })
    await test.given.clientPhysician(client.id, id)
    for (const text of [
      '[physFirstName:filip]',
      '[physLastName:FILTER]',
      '[npiNumber:1999999984]',
      '[clientName:findable]',
      '[legacyClientId:find-1]',
      `[clientId:${client.id}]`,
      `{id:[${id}]}`,
      '[search:1999999984]',
    ]) {
      const { body } = await staff.get(`physicians?${filter(text)}`)
      expect([text, body.total, idsOf(body)]).toEqual([text, 1, [id]])
    }
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

  it('TABLE-015 TABLE-017 shows ten rows by id, and sorts by every column', async () => {
    for (let n = 0; n < 11; n++) await test.given.physician()
    const { body } = await staff.get('physicians')
    expect(body.data).toHaveLength(10)
    expect(idsOf(body)).toEqual(idsOf(body).toSorted((a, b) => a - b))
    for (const field of ['id', 'physFirstName', 'physLastName', 'physTitle', 'npiNumber', 'ptanNumber'])
      expect((await staff.get(`physicians?sort=[${field},DESC]`)).status).toBe(200)
  })

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

  it('lets nobody in without a session', async () => {
    expect((await test.nobody.get('physicians')).status).toBe(401)
    expect((await test.nobody.get('filter_dd/physicians')).status).toBe(401)
  })
})
