import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
const column = (name: string, over: object = {}) => ({ name, isVisible: true, width: null, isPinned: false, ...over })
const read = async (who: Caller, screen: string) => (await who.get(`list_settings/${screen}`)).body.data

describe('list_settings', () => {
  it('DAY-01 answers the standard columns to somebody who has set nothing', async () => {
    const who = await test.as('STF')
    const settings = await read(who, 'requisitions%2FLogged')
    expect(settings).toMatchObject({
      screen: 'requisitions/Logged',
      isStandard: true,
      sort: [],
      tab: null,
      isFilterOpen: null,
    })
    expect(settings.columns.slice(0, 4)).toEqual([
      column('reqId', { isPinned: true }),
      column('patientLastName', { isPinned: true }),
      column('patientDob'),
      column('collected'),
    ])
    expect(settings.columns).toContainEqual(column('flag', { isVisible: false }))
  })

  it('DAY-01 DAY-03 keeps columns, order, tab, page size and panel per person and list, and forgets them', async () => {
    const [who, other] = [await test.as('STF'), await test.as('STF')]
    const columns = [
      column('reqId', { isPinned: true, width: 120 }),
      column('patientDob'),
      column('patientLastName'),
      column('issues', { isVisible: false }),
    ]
    const sort = [
      { field: 'dateCollected', order: 'DESC' },
      { field: 'clientName', order: 'ASC' },
    ]
    const { status, body } = await who.put('list_settings/requisitions/All', { columns, sort })
    expect([status, body.data.dropped]).toEqual([200, []])
    await who.put('list_settings/requisitions%2FAll', { isFilterOpen: false, perPage: 50 })
    await who.put('list_settings/requisitions', { tab: 'Resulted' })
    const settings = await read(who, 'requisitions%2FAll')
    expect(settings).toMatchObject({ isStandard: false, sort, isFilterOpen: false, perPage: 50 })
    expect(settings.columns.slice(0, 4)).toEqual(columns)
    expect(settings.columns).toContainEqual(column('client'))
    expect(await read(who, 'requisitions/All')).toEqual(settings)
    const all = (await who.get('list_settings')).body.data
    expect(all.map(({ screen, tab }: { screen: string; tab: string }) => [screen, tab])).toEqual([
      ['requisitions', 'Resulted'],
      ['requisitions/All', null],
    ])
    expect(await read(other, 'requisitions%2FAll')).toMatchObject({ isStandard: true, perPage: null })
    const reset = await who.put('list_settings/requisitions%2FAll', { columns: null })
    expect(reset.body.data).toMatchObject({ isStandard: true, sort })
    expect((await who.del('list_settings/requisitions%2FAll')).status).toBe(200)
    expect(await read(who, 'requisitions%2FAll')).toMatchObject({ isStandard: true, sort: [], isFilterOpen: null })
  })

  it('DAY-01 drops unknown names and says which', async () => {
    const who = await test.as('STF')
    const { status, body } = await who.put('list_settings/users', {
      columns: [column('userName'), column('favourite')],
      sort: [{ field: 'password', order: 'ASC' }],
    })
    expect([status, body.data.dropped]).toEqual([200, ['favourite', 'password']])
    expect(body.message).toContain('favourite, password')
    expect(body.data.columns.map(({ name }: { name: string }) => name)).not.toContain('favourite')
    expect(body.data.sort).toEqual([])
  })

  it.each([
    ['a hidden required column', { columns: [column('userName', { isVisible: false })] }],
    ['a column given twice', { columns: [column('userEmail'), column('userEmail')] }],
    ['a width of nothing', { columns: [column('userEmail', { width: 0 })] }],
    ['a width without end', { columns: [column('userEmail', { width: 99_999 })] }],
    ['a wrong order', { sort: [{ field: 'userName', order: 'UP' }] }],
    ['too many columns', { columns: Array.from({ length: 101 }, (_, n) => column(`c${n}`)) }],
    ['a tab that is no name', { tab: '../x' }],
    ['a page of nothing', { perPage: 0 }],
  ])('DAY-01 refuses %s', async (_, body) => {
    const who = await test.as('STF')
    const { status, body: reply } = await who.put('list_settings/users', body)
    expect([status, reply.errors?.[0]?.field?.split('.')[0]]).toEqual([400, Object.keys(body)[0]])
  })

  it('knows only lists', async () => {
    const who = await test.as('STF')
    for (const screen of ['nothing', 'requisitions/Nothing', '__proto__'])
      expect((await who.get(`list_settings/${screen}`)).status).toBe(404)
    expect((await who.put('list_settings/nothing', { tab: 'x' })).status).toBe(404)
    expect((await (await test.as('GST')).get('list_settings/users')).status).toBe(403)
  })

  it('DAY-02 says which views open by default', async () => {
    const who = await test.as('STF')
    const view = { smartName: 'Open', smartScreen: 'users', smartValues: { userName: { value: 'a' } } }
    const { id } = (await who.post('smart_filters', view)).body.data
    const defaults = async () => (await who.get('list_settings')).body.defaultViews
    expect(await defaults()).toEqual([])
    await who.put(`smart_filters/${id}/mine`, { isDefault: true })
    expect(await defaults()).toEqual([{ screen: 'users', id }])
    await who.del(`smart_filters/${id}`)
    expect(await defaults()).toEqual([])
  })

  it('two writes at once keep both changes', async () => {
    const who = await test.as('STF')
    const replies = await Promise.all([
      who.put('list_settings/clients', { perPage: 25 }),
      who.put('list_settings/clients', { isFilterOpen: false }),
    ])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(await read(who, 'clients')).toMatchObject({ perPage: 25, isFilterOpen: false })
  })
})
