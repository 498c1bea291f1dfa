import { fillPath } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { modules } from '../../modules.ts'
import { endOverdueViews } from '../jobs/maintenance.ts'

const test = openTestApp()
let admin: Caller
let viewed: Caller
let clientId: number
beforeAll(async () => {
  admin = await test.as('ADM')
  clientId = (await test.given.client()).id
  viewed = await test.as('CLNT', clientId)
})

const reason = 'Sees no reports, says the practice'

/** Calls with the token of the session that `POST users/{id}/view_as` gives. */
const view = async (by: Caller, userId: number) => {
  const { status, body } = await by.post(`users/${userId}/view_as`, { reason })
  expect(status).toBe(200)
  const headers = { authorization: `Bearer ${body.data.token}` }
  return { session: body.data, headers, get: (path: string) => test.nobody.get(path, headers) }
}

const auditOf = async (userId: number) =>
  (
    await test.database.owner.query(
      `select action, reason, actor_id, actor_name, old_data, new_data from audit_entry
       where entity = 'app_user' and entity_id = $1 order by id`,
      [userId],
    )
  ).rows

describe('POST users/{id}/view_as', () => {
  it('DAY-33 gives an administrator a session of its own that reads what the person reads', async () => {
    const { id: own } = await test.given.requisition({ client_id: clientId })
    const { id: other } = await test.given.requisition()
    const { session, headers, get } = await view(admin, viewed.userId)
    expect(session.access).toMatchObject({ userId: viewed.userId, userRoleCode: 'CLNT', entityId: clientId })
    expect(session.viewAs.userId).toBe(viewed.userId)
    const minutes = (Date.parse(session.viewAs.endsAt) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(29)
    expect(minutes).toBeLessThanOrEqual(30)
    expect((await get(`requisitions/${own}`)).status).toBe(200)
    expect((await get(`requisitions/${other}`)).status).toBe(404)
    expect((await get('users')).status).toBe(403)
    // The administrator's own session continues beside it.
    expect((await admin.get(`requisitions/${other}`)).status).toBe(200)
    expect((await test.nobody.put(`mfa/logout/${viewed.userId}`, undefined, headers)).status).toBe(200)
    expect((await get(`requisitions/${own}`)).status).toBe(408)
  })

  it('DAY-33 is for administrators, needs a reason, and an enabled account of somebody else', async () => {
    for (const role of ['MGMT', 'STF', 'CLNT'] as const) {
      const other = await test.as(role, role === 'CLNT' ? clientId : undefined)
      expect((await other.post(`users/${viewed.userId}/view_as`, { reason })).status).toBe(403)
    }
    for (const body of [{}, { reason: '  ' }, { reason: null }]) {
      const refused = await admin.post(`users/${viewed.userId}/view_as`, body)
      expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([400, 'reason'])
    }
    expect((await admin.post(`users/${admin.userId}/view_as`, { reason })).status).toBe(400)
    expect((await admin.post('users/999999999/view_as', { reason })).status).toBe(404)
    const disabled = await test.as('STF')
    await test.database.owner.query(`update app_user set status_code = 'LCK' where id = $1`, [disabled.userId])
    expect((await admin.post(`users/${disabled.userId}/view_as`, { reason })).status).toBe(409)
  })

  const writes = modules
    .flatMap((module) => Object.values(module.routes))
    .filter(({ method, path }) => method !== 'GET' && path !== 'mfa/logout/:userId')

  it('DAY-33 refuses every write before its body is looked at, whatever the body is', async () => {
    // A user who may do nearly everything, so that only the view prevents it.
    const { headers } = await view(admin, (await test.as('MGMT')).userId)
    expect(writes.length).toBeGreaterThan(150)
    const json = { 'content-type': 'application/json' }
    const bodies: { payload?: string; headers: Record<string, string> }[] = [
      { headers: {} },
      { payload: '{"broken', headers: json },
      { payload: '{}', headers: json },
      { payload: 'x'.repeat(2_000_000), headers: { 'content-type': 'application/octet-stream' } },
    ]
    for (const route of writes) {
      for (const base of ['/api/v3.0', '/report/v3.0']) {
        for (const { payload, headers: own } of bodies.slice(0, base === '/api/v3.0' ? 4 : 2)) {
          const { status, body } = await test.inject({
            method: route.method,
            url: `${base}/${fillPath(route, () => '1')}`,
            headers: { ...headers, ...own },
            ...(payload !== undefined && { payload }),
          })
          expect([route.path, status, body.code]).toEqual([route.path, 403, 'view_only'])
        }
      }
    }
  })

  it('DAY-33 ends with the session that opened it, and when its administrator may no longer do it', async () => {
    const other = await test.as('ADM')
    const first = await view(other, viewed.userId)
    await other.put(`mfa/logout/${other.userId}`)
    expect((await first.get('home')).status).toBe(408)
    const third = await test.as('ADM')
    const second = await view(third, viewed.userId)
    expect((await second.get('flags')).status).toBe(200)
    await test.database.owner.query(`update app_user set role_code = 'MGMT' where id = $1`, [third.userId])
    expect((await second.get('flags')).status).toBe(408)
  })

  it('DAY-33 records start, end and each read under both names, and nothing of the person changes', async () => {
    const person = await test.as('CLNT', clientId)
    const { id: reqId } = await test.given.requisition({ client_id: clientId })
    const before = (await auditOf(person.userId)).length
    const { headers, get } = await view(admin, person.userId)
    await get(`requisitions/${reqId}`)
    await get('flags')
    await test.nobody.put(`mfa/logout/${person.userId}`, undefined, headers)
    await test.services.accessLog.flush()
    const { body } = await admin.get(`access_log?userId=${person.userId}&sort=[id,ASC]`)
    expect(body.data.map((row: { method: string; route: string }) => `${row.method} ${row.route}`)).toEqual([
      'POST users/{id}/view_as',
      'GET requisitions/{id}',
      'GET flags',
      'PUT mfa/logout/{userId}',
    ])
    for (const row of body.data)
      expect(row).toMatchObject({ userId: admin.userId, userRoleCode: 'ADM', viewedAsId: person.userId })
    const [start, end] = (await auditOf(person.userId)).slice(before)
    expect(start).toMatchObject({ action: 'VIEW_AS', reason, actor_id: admin.userId })
    expect(end).toMatchObject({ action: 'VIEW_AS_END', actor_id: admin.userId })
    expect(start.actor_name).toMatch(/^.+ as .+$/)
    expect(end.actor_name).toBe(start.actor_name)
    const { rows } = await test.database.owner.query('select last_logon_at from app_user where id = $1', [
      person.userId,
    ])
    expect(rows[0].last_logon_at).toBeNull()
    expect((await person.get('mfa/profile/sessions')).body.data).toHaveLength(1)
  })

  it('DAY-33 records the end of a view whose time is over', async () => {
    const person = await test.as('BILL')
    await view(admin, person.userId)
    await test.database.owner.query(
      `update session set absolute_expires_at = now() - interval '1 second' where user_id = $1 and viewer_session_id is not null`,
      [person.userId],
    )
    await endOverdueViews(test.database.db)
    await endOverdueViews(test.database.db)
    const ends = (await auditOf(person.userId)).filter(({ action }) => action === 'VIEW_AS_END')
    expect(ends).toHaveLength(1)
    expect(ends[0]).toMatchObject({ actor_id: admin.userId })
  })
})
