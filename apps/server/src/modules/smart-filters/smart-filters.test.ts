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
const list = (who: Caller, filter: Record<string, string | string[]>) =>
  who.get(`smart_filters?filter=${encodeURIComponent(JSON.stringify(filter))}&page=1&perPage=100`)

describe('smart_filters', () => {
  it('VIEW-25 VIEW-26 VIEW-33 VIEW-34 VIEW-35 VIEW-36 VIEW-40 VIEW-44 saves a view for a screen', async () => {
    const view = aView({ smartScreen: 'sales' })
    const { status, body } = await me.post('smart_filters', view)
    expect([status, body]).toEqual([200, { data: { id: expect.any(Number) }, message: 'Successfully created' }])
    const found = await list(me, { smartScreen: 'sales' })
    expect(found.body).toMatchObject({ data: [{ id: body.data.id, ...view }], total: 1, message: '' })
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
    expect((await me.del(`smart_filters/${id}`)).body).toEqual({
      message: 'Smart filter deleted successfully',
      undoId: expect.any(Number),
    })
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

describe('a view that is changed and shared', () => {
  const find = async (who: Caller, id: number) => (await list(who, { id: String(id) })).body.data[0]
  const create = async (who: Caller, over: Record<string, unknown> = {}): Promise<number> =>
    (await who.post('smart_filters', aView(over))).body.data.id

  it('DAY-02 its owner changes name, values, order and columns; a stale version is refused', async () => {
    const who = await test.as('STF')
    const id = await create(who)
    const change = {
      smartName: 'Late, oldest first',
      smartValues: { patientLastName: { value: 'Roe', viewValue: 'Roe' } },
      sort: [
        { field: 'dateCollected', order: 'ASC' },
        { field: 'clientName', order: 'DESC' },
      ],
      columns: [{ name: 'reqId', isVisible: true, width: 90, isPinned: true }],
      isDefault: true,
      isPinned: true,
    }
    const { status, body } = await who.put(`smart_filters/${id}`, { ...change, version: 1 })
    expect([status, body.data]).toEqual([200, expect.objectContaining({ id, ...change, version: 2 })])
    expect(await find(who, id)).toMatchObject({ ...change, isOwn: true, canChange: true, version: 2 })
    const stale = await who.put(`smart_filters/${id}`, { smartName: 'Other', version: 1 })
    expect([stale.status, stale.body.current.version]).toEqual([409, 2])
    const { rows } = await test.database.owner.query(
      "select old_data, new_data from audit_entry where entity = 'smart_filter' and entity_id = $1 and action = 'UPDATE'",
      [id],
    )
    expect(rows).toMatchObject([{ new_data: { smartName: 'Late, oldest first' } }])
  })

  it('DAY-02 of eight changes of the same version at once, one is saved', async () => {
    const who = await test.as('STF')
    const id = await create(who)
    const writes = Array.from({ length: 8 }, (_, n) =>
      who.put(`smart_filters/${id}`, { smartName: `Race ${n}`, version: 1 }),
    )
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(7).fill(409)])
    expect(await find(who, id)).toMatchObject({ version: 2 })
  })

  it('DAY-02 a name that is taken and wrong values are refused', async () => {
    const who = await test.as('STF')
    await create(who, { smartName: 'Taken' })
    const id = await create(who)
    expect((await who.put(`smart_filters/${id}`, { smartName: 'TAKEN' })).status).toBe(409)
    for (const wrong of [
      { smartName: ' ' },
      { smartValues: {} },
      { sort: [{ field: 'id', order: 'UP' }] },
      { columns: 'x' },
    ])
      expect([(await who.put(`smart_filters/${id}`, wrong)).status, wrong]).toEqual([400, wrong])
  })

  it('DAY-02 others read a shared view, choose it for themselves, and cannot change it', async () => {
    const [owner, reader, stranger] = [await test.as('MGMT'), await test.as('STF'), await test.as('SLS')]
    const id = await create(owner)
    expect(await find(reader, id)).toBeUndefined()
    const shared = await owner.put(`smart_filters/${id}/shares`, { roleCodes: ['STF'], userIds: [] })
    expect([shared.status, shared.body.data]).toMatchObject([200, { roleCodes: ['STF'], userIds: [] }])
    expect(await find(reader, id)).toMatchObject({
      isOwn: false,
      canChange: false,
      ownerName: expect.stringMatching(/\w \w/),
      isPinned: false,
      roleCodes: [],
    })
    expect(await find(stranger, id)).toBeUndefined()
    for (const write of [
      reader.put(`smart_filters/${id}`, { smartName: 'Mine now' }),
      reader.put(`smart_filters/${id}/shares`, { roleCodes: ['ADM'], userIds: [] }),
      reader.del(`smart_filters/${id}`),
    ])
      expect((await write).status).toBe(403)
    for (const write of [
      stranger.put(`smart_filters/${id}`, { smartName: 'Mine now' }),
      stranger.put(`smart_filters/${id}/mine`, { isPinned: true }),
    ])
      expect((await write).status).toBe(404)
    const chosen = await reader.put(`smart_filters/${id}/mine`, { isDefault: true, isPinned: true })
    expect([chosen.status, chosen.body.data]).toMatchObject([200, { isDefault: true, isPinned: true }])
    expect(await find(reader, id)).toMatchObject({ isDefault: true, isPinned: true })
    expect(await find(owner, id)).toMatchObject({ isDefault: false, isPinned: false })
  })

  it('DAY-02 a shared view ends with the sharing, with its deletion and with its owner', async () => {
    const [owner, reader] = [await test.as('MGMT'), await test.as('STF')]
    const ids = [await create(owner), await create(owner), await create(owner)]
    const shares = { roleCodes: [], userIds: [reader.userId] }
    for (const id of ids) await owner.put(`smart_filters/${id}/shares`, shares)
    const seen = async () => (await list(reader, { id: ids.map(String) })).body.total
    const [first, second] = ids as [number, number]
    for (const id of ids) expect(await find(reader, id)).toBeDefined()
    await owner.put(`smart_filters/${first}/shares`, { roleCodes: [], userIds: [] })
    expect(await find(reader, first)).toBeUndefined()
    await owner.del(`smart_filters/${second}`)
    expect(await find(reader, second)).toBeUndefined()
    await test.database.owner.query("update app_user set status_code = 'LCK' where id = $1", [owner.userId])
    expect(await seen()).toBe(0)
  })

  it('DAY-02 a new view is pinned and opens by default at once, if it says so', async () => {
    const owner = await test.as('STF')
    const chosen = await create(owner, { isPinned: 1, isDefault: true })
    const plain = await create(owner)
    expect(await find(owner, chosen)).toMatchObject({ isPinned: true, isDefault: true })
    expect(await find(owner, plain)).toMatchObject({ isPinned: false, isDefault: false })
  })

  it('DAY-02 one view of a screen opens by default', async () => {
    const who = await test.as('STF')
    const [one, other, elsewhere] = [await create(who), await create(who), await create(who, { smartScreen: 'users' })]
    for (const id of [one, elsewhere, other]) await who.put(`smart_filters/${id}/mine`, { isDefault: true })
    const defaults = (await who.get('smart_filters')).body.data.filter((view: { isDefault: boolean }) => view.isDefault)
    expect(defaults.map(({ id }: { id: number }) => id).toSorted()).toEqual([elsewhere, other].toSorted())
  })

  it('DAY-02 a practice shares with its own people only, and nobody with an unknown user', async () => {
    const practice = await test.given.client()
    const [owner, colleague, other] = [
      await test.as('CLNT', practice.id),
      await test.as('CLNT', practice.id),
      await test.as('CLNT', (await test.given.client()).id),
    ]
    const id = await create(owner)
    const share = async (shares: object) => (await owner.put(`smart_filters/${id}/shares`, shares)).status
    expect(await share({ roleCodes: ['CLNT'], userIds: [] })).toBe(400)
    expect(await share({ userIds: [other.userId] })).toBe(400)
    expect(await share({ userIds: [99_999_999] })).toBe(400)
    expect(await share({ userIds: [colleague.userId] })).toBe(200)
    expect(await find(colleague, id)).toMatchObject({ isOwn: false })
    const receivers = (await owner.get('smart_filters/receivers')).body.data.map((user: { id: number }) => user.id)
    expect([receivers.includes(colleague.userId), receivers.includes(other.userId)]).toEqual([true, false])
  })
})
