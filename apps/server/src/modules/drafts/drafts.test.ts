import { maxDraftLength, maxDrafts } from '@lis/contract/drafts.ts'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()
const typed = { baseVersion: 3, body: { userFirstName: 'Ada', deptIds: [1, 2] } }
type Caller = Awaited<ReturnType<typeof test.as>>
const bodies = async (caller: Caller, form: string) =>
  (await caller.get(`drafts/${form}`)).body.data.map(({ id, body }: { id: string; body: object }) => [id, body])

describe('drafts', () => {
  it('PAT-G12 keeps what was typed, replaces it, and forgets it', async () => {
    const me = await test.as('STF')
    expect((await me.get('drafts/user/12')).body.data).toEqual([])
    expect((await me.put('drafts/user/12/a', typed)).status).toBe(200)
    const moments = { startDate: expect.any(String), updateDate: expect.any(String) }
    expect((await me.get('drafts/user/12')).body.data).toEqual([{ id: 'a', ...typed, ...moments }])
    await me.put('drafts/user/12/a', { baseVersion: null, body: {} })
    expect((await me.get('drafts/user/12')).body.data).toMatchObject([{ baseVersion: null, body: {} }])
    await me.del('drafts/user/12/a')
    expect((await me.get('drafts/user/12')).body.data).toEqual([])
  })

  it('keeps several drafts of one form side by side, the latest first, each until its owner removes it', async () => {
    const me = await test.as('STF')
    await me.put('drafts/requisition/new/one', { baseVersion: null, body: { patientLastName: 'Older' } })
    await me.put('drafts/requisition/new/two', { baseVersion: null, body: { patientLastName: 'Newer' } })
    expect(await bodies(me, 'requisition/new')).toEqual([
      ['two', { patientLastName: 'Newer' }],
      ['one', { patientLastName: 'Older' }],
    ])
    await me.del('drafts/requisition/new/two')
    expect(await bodies(me, 'requisition/new')).toEqual([['one', { patientLastName: 'Older' }]])
  })

  it('says when a draft was begun, however long it is typed at', async () => {
    const me = await test.as('STF')
    await me.put('drafts/user/3/a', typed)
    await test.database.owner.query(
      "update draft set started_at = '2026-11-01T10:14:00Z', updated_at = now() - interval '1 hour' where user_id = $1",
      [me.userId],
    )
    await me.put('drafts/user/3/a', typed)
    const [kept] = (await me.get('drafts/user/3')).body.data
    expect(kept.startDate).toBe('2026-11-01T10:14:00.000Z')
    expect(Date.now() - Date.parse(kept.updateDate)).toBeLessThan(60_000)
  })

  it('belongs to one person, one form and one record', async () => {
    const me = await test.as('MGMT')
    const other = await test.as('MGMT')
    await me.put('drafts/user/new/a', typed)
    expect((await other.get('drafts/user/new')).body.data).toEqual([])
    await other.del('drafts/user/new/a')
    expect((await me.get('drafts/user/new')).body.data).toHaveLength(1)
    expect((await me.get('drafts/user/1')).body.data).toEqual([])
    expect((await me.get('drafts/client/new')).body.data).toEqual([])
  })

  it('needs a session, and is limited in size and number', async () => {
    expect((await test.nobody.get('drafts/user/new')).status).toBe(401)
    expect((await test.nobody.put('drafts/user/new/a', typed)).status).toBe(401)
    const me = await test.as('CLNT', (await test.given.client()).id)
    const long = { baseVersion: null, body: { note: 'x'.repeat(maxDraftLength) } }
    expect((await me.put('drafts/user/new/a', long)).status).toBe(400)
    expect((await me.put('drafts/user/a%20b/a', typed)).status).toBe(400)
    expect((await me.put('drafts/user/new/a%20b', typed)).status).toBe(400)
    for (let at = 0; at < maxDrafts; at += 1) await me.put(`drafts/user/new/d${at}`, typed)
    expect((await me.put('drafts/user/new/one-more', typed)).status).toBe(409)
    expect((await me.put('drafts/user/new/d0', { ...typed, body: { a: 1 } })).status).toBe(200)
    expect((await me.get('drafts/user/new')).body.data).toHaveLength(maxDrafts)
  })

  it('is no longer offered after 30 days, and is deleted with the next save', async () => {
    const me = await test.as('STF')
    await me.put('drafts/user/7/a', typed)
    await test.database.owner.query("update draft set updated_at = now() - interval '31 days' where user_id = $1", [
      me.userId,
    ])
    expect((await me.get('drafts/user/7')).body.data).toEqual([])
    await me.put('drafts/user/8/a', typed)
    const { rows } = await test.database.owner.query('select record_key from draft where user_id = $1', [me.userId])
    expect(rows).toEqual([{ record_key: '8' }])
  })
})
