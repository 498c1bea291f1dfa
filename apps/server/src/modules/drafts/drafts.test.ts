import { maxDraftLength } from '@lis/contract/drafts.ts'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()
const typed = { baseVersion: 3, body: { userFirstName: 'Ada', deptIds: [1, 2] } }

describe('drafts', () => {
  it('PAT-G12 keeps what was typed, replaces it, and forgets it', async () => {
    const me = await test.as('STF')
    expect((await me.get('drafts/user/12')).body.data).toBeNull()
    expect((await me.put('drafts/user/12', typed)).status).toBe(200)
    expect((await me.get('drafts/user/12')).body.data).toEqual({ ...typed, updateDate: expect.any(String) })
    await me.put('drafts/user/12', { baseVersion: null, body: {} })
    expect((await me.get('drafts/user/12')).body.data).toMatchObject({ baseVersion: null, body: {} })
    await me.del('drafts/user/12')
    expect((await me.get('drafts/user/12')).body.data).toBeNull()
  })

  it('belongs to one person, one form and one record', async () => {
    const me = await test.as('MGMT')
    const other = await test.as('MGMT')
    await me.put('drafts/user/new', typed)
    expect((await other.get('drafts/user/new')).body.data).toBeNull()
    await other.del('drafts/user/new')
    expect((await me.get('drafts/user/new')).body.data).not.toBeNull()
    expect((await me.get('drafts/user/1')).body.data).toBeNull()
    expect((await me.get('drafts/client/new')).body.data).toBeNull()
  })

  it('is for nobody without a session, and has a size', async () => {
    expect((await test.nobody.get('drafts/user/new')).status).toBe(401)
    expect((await test.nobody.put('drafts/user/new', typed)).status).toBe(401)
    const me = await test.as('CLNT', (await test.given.client()).id)
    const long = { baseVersion: null, body: { note: 'x'.repeat(maxDraftLength) } }
    expect((await me.put('drafts/user/new', long)).status).toBe(400)
    expect((await me.put('drafts/user/a%20b', typed)).status).toBe(400)
  })

  it('is no longer offered after 30 days, and goes with the next one', async () => {
    const me = await test.as('STF')
    await me.put('drafts/user/7', typed)
    await test.database.owner.query("update draft set updated_at = now() - interval '31 days' where user_id = $1", [
      me.userId,
    ])
    expect((await me.get('drafts/user/7')).body.data).toBeNull()
    await me.put('drafts/user/8', typed)
    const { rows } = await test.database.owner.query('select record_key from draft where user_id = $1', [me.userId])
    expect(rows).toEqual([{ record_key: '8' }])
  })
})
