import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let me: Caller

beforeAll(async () => {
  me = await test.as('CLNT')
})

let serial = 0
const aView = (over: Record<string, unknown> = {}) => ({
  smartName: `My view ${++serial}`,
  smartScreen: 'requisitions',
  smartValues: {
    patientLastName: { value: 'Doe', viewValue: 'Doe' },
    flag: { value: [1, 2], viewValue: 'STAT, Hold' },
  },
  ...over,
})
const list = (who: Caller, filter: Record<string, string>) =>
  who.get(`smart_filters?filter=${encodeURIComponent(JSON.stringify(filter))}&page=1&perPage=100`)

describe('smart_filters', () => {
  it('VIEW-25 VIEW-26 VIEW-33 VIEW-34 VIEW-35 VIEW-36 VIEW-40 VIEW-44 saves a view for a screen', async () => {
    const view = aView({ smartScreen: 'sales' })
    const { status, body } = await me.post('smart_filters', view)
    expect([status, body]).toEqual([200, { data: { id: expect.any(Number) }, message: 'Successfully created' }])
    const found = await list(me, { smartScreen: 'sales' })
    expect(found.body).toEqual({ data: [{ id: body.data.id, ...view }], total: 1, message: '' })
    const { rows } = await test.database.owner.query(
      "select action, actor_id, new_data from audit_entry where entity = 'smart_filter' and entity_id = $1",
      [body.data.id],
    )
    expect(rows).toMatchObject([{ action: 'CREATE', actor_id: me.userId, new_data: { smartName: view.smartName } }])
  })

  it('VIEW-37 VIEW-38 VIEW-39 reads them by screen and by a part of the name', async () => {
    const who = await test.as('PHYS')
    for (const smartName of ['Urgent', 'not urgent', 'Other']) await who.post('smart_filters', aView({ smartName }))
    await who.post('smart_filters', aView({ smartName: 'Urgent', smartScreen: 'sales' }))
    const names = async (filter: Record<string, string>) =>
      (await list(who, filter)).body.data.map((row: { smartName: string }) => row.smartName)
    expect(await names({ smartScreen: 'requisitions' })).toEqual(['not urgent', 'Other', 'Urgent'])
    expect(await names({ smartScreen: 'requisitions', smartName: 'URG' })).toEqual(['not urgent', 'Urgent'])
  })

  it.each([
    ['VIEW-42', { smartName: '  ' }, 'smartName', 'Smart Filter Name is required'],
    ['VIEW-42', { smartName: undefined }, 'smartName', 'Smart Filter Name is required'],
    ['VIEW-43', { smartValues: {} }, 'smartValues', 'Form is error'],
    ['VIEW-43', { smartValues: undefined }, 'smartValues', 'Form is error'],
    ['VIEW-43', { smartValues: 'x' }, 'smartValues', 'Form is error'],
    ['VIEW-43', { smartValues: { a: { value: '', viewValue: '' }, b: { value: [] } } }, 'smartValues', 'Form is error'],
    ['a wrong', { smartScreen: '../x' }, 'smartScreen', 'Screen is invalid'],
    ['a missing', { smartScreen: null }, 'smartScreen', 'Screen is required'],
    ['a long', { smartName: 'x'.repeat(101) }, 'smartName', 'Smart Filter Name must be at most 100 characters'],
    [
      'a large',
      { smartValues: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, { value: 'x'.repeat(3000) }])) },
      'smartValues',
      'This filter is too large to be saved',
    ],
  ])('%s %j is refused', async (_, over, field, message) => {
    const { status, body } = await me.post('smart_filters', aView(over))
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })

  it('VIEW-G6 a name can be used once per person and screen, whatever its case', async () => {
    await me.post('smart_filters', aView({ smartName: 'Mine' }))
    const again = await me.post('smart_filters', aView({ smartName: 'mINE ' }))
    expect([again.status, again.body.message]).toEqual([409, 'Smart Filter Name is already used'])
    expect((await me.post('smart_filters', aView({ smartName: 'Mine', smartScreen: 'clients' }))).status).toBe(200)
    expect((await (await test.as('CLNT')).post('smart_filters', aView({ smartName: 'Mine' }))).status).toBe(200)
    const racers = await Promise.all([1, 2].map(() => me.post('smart_filters', aView({ smartName: 'Race' }))))
    expect(racers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  it('sent twice with the same key creates one', async () => {
    const [view, key] = [aView(), { 'idempotency-key': 'smart-filter-once' }]
    const replies = await Promise.all([1, 2].map(() => me.post('smart_filters', view, key)))
    expect(replies[0]?.body.data.id).toBe(replies[1]?.body.data.id)
  })

  it('VIEW-27 VIEW-41 VIEW-45 deletes a view; its name is free again', async () => {
    const { id } = (await me.post('smart_filters', aView({ smartName: 'Short-lived' }))).body.data
    expect((await me.del(`smart_filters/${id}`)).body).toEqual({ message: 'Smart filter deleted successfully' })
    expect((await me.del(`smart_filters/${id}`)).status).toBe(404)
    expect((await list(me, { smartName: 'Short-lived' })).body.total).toBe(0)
    expect((await me.post('smart_filters', aView({ smartName: 'Short-lived' }))).status).toBe(200)
  })

  it("VIEW-G9 nobody sees or deletes another person's view, whatever the role", async () => {
    const { id } = (await me.post('smart_filters', aView({ smartName: 'Private' }))).body.data
    for (const role of ['MGMT', 'CLNT'] as const) {
      const other = await test.as(role)
      expect((await list(other, { smartName: 'Private' })).body).toMatchObject({ total: 0, data: [] })
      expect((await list(other, { id: String(id) })).body.total).toBe(0)
      expect((await other.del(`smart_filters/${id}`)).status).toBe(404)
    }
    expect((await list(me, { smartName: 'Private' })).body.total).toBe(1)
  })

  it('keeps no more than a hundred on one screen', async () => {
    const who = await test.as('SLS')
    for (let n = 0; n < 100; n++) await who.post('smart_filters', aView())
    const { status, body } = await who.post('smart_filters', aView())
    expect([status, body.message]).toEqual([409, expect.stringContaining('100 smart views')])
  })

  it.each(['filter=[userId:1]', 'sort=[smartValues,ASC]', 'filter=[id:1 or 1=1]', 'page=0', 'perPage=-2'])(
    'answers %s with 400',
    async (query) => {
      expect((await me.get(`smart_filters?${query}`)).status).toBe(400)
    },
  )
  it.each([`filter=[smartName:${'x'.repeat(5000)}]`, "filter=[smartName:'; drop table smart_filter]", 'page=9999'])(
    'finds nothing for %s',
    async (query) => {
      expect((await me.get(`smart_filters?${query}`)).body.data).toEqual([])
    },
  )

  it.each(roles)('%s: own views for registered users, nothing for a guest', async (role) => {
    const who = await test.as(role)
    const [expected, { status }] = [can(role, 'smartFilter.own') ? 200 : 403, await who.get('smart_filters')]
    expect([status, (await who.post('smart_filters', aView())).status]).toEqual([expected, expected])
  })
})
