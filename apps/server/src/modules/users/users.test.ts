import { setTimeout as sleep } from 'node:timers/promises'
import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { openConcurrentTransaction, untilBlocked } from '../../../test/concurrent-transaction.ts'
import { once } from '../../../test/once.ts'
import type { PoolContext } from '../../platform/identity/pool/context.ts'
import { formatTimeInZone } from '../../platform/zones.ts'

const test = openTestApp()
let manager: Caller
let deptId: number

beforeAll(async () => {
  manager = await test.as('MGMT')
  deptId = await test.given.firstId('department')
})

let serial = 0
const aUser = (over: Record<string, unknown> = {}) => ({
  userFirstName: 'Ada',
  userLastName: 'Lovelace',
  userEmail: `ada${++serial}@example.com`,
  userName: `ada.${serial}`,
  userPhone: '1 (617) 555-0123',
  userRoleCode: 'ADM',
  deptIds: [deptId],
  isSubscribed: 0,
  ...over,
})

const created = async (over: Record<string, unknown> = {}) =>
  (await manager.post('mfa/users', aUser(over))).body.data.id as number

describe('POST mfa/users', () => {
  const whole = once(async () => {
    const client = await test.given.client({ name: 'Acme Practice' })
    const input = aUser({ userRoleCode: 'CLNT', entityId: client.id, isSubscribed: 1 })
    const { status, body } = await manager.post('mfa/users', input)
    expect([status, body.message]).toEqual([200, 'Successfully created'])
    const { data } = (await manager.get(`users/${body.data.id}`)).body
    const expected = {
      id: body.data.id,
      userId: body.data.id,
      userFirstName: 'Ada',
      userLastName: 'Lovelace',
      userPhone: '16175550123',
      userEmail: input.userEmail,
      userName: input.userName,
      userRoleCode: 'CLNT',
      userRoleDesc: 'Client',
      userStatusCode: 'ACT',
      userStatusDesc: expect.stringMatching(/./),
      deptIds: [deptId],
      depts: [{ deptId, deptName: expect.any(String) }],
      isSubscribed: 1,
      entityId: client.id,
      entityName: 'Acme Practice',
      userCreateDate: expect.stringMatching(/^20/),
      lastLogonDate: null,
      tempPwdExpiredDate: expect.stringMatching(/^20/),
      version: 1,
    }
    return { data, expected }
  })

  it('USR-59 creates a user that can be read with every field', async () => {
    const { data, expected } = await whole()
    expect(data).toMatchObject(expected)
    expect(new Date(data.tempPwdExpiredDate).getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000)
  })

  it.each([
    ['USR-15', 'id'],
    ['USR-16', 'userId'],
    ['USR-17', 'userFirstName'],
    ['USR-18', 'userLastName'],
    ['USR-19', 'userPhone'],
    ['USR-20', 'userEmail'],
    ['USR-21', 'userName'],
    ['USR-22', 'userRoleCode'],
    ['USR-23', 'userRoleDesc'],
    ['USR-24', 'userStatusCode'],
    ['USR-25', 'userStatusDesc'],
    ['USR-26', 'deptIds'],
    ['USR-27', 'depts'],
    ['USR-28', 'isSubscribed'],
    ['USR-29', 'entityId'],
    ['USR-30', 'entityName'],
    ['USR-31', 'userCreateDate'],
    ['USR-32', 'lastLogonDate'],
    ['USR-33', 'tempPwdExpiredDate'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('PERM-009 LOOK-145 a guest is a role that a user can have, and opens nothing', async () => {
    const listed = (await manager.get('roles')).body.data
    expect(listed).toContainEqual(expect.objectContaining({ userRoleCode: 'GST', userRoleDesc: 'Guest' }))
    const id = await created({ userRoleCode: 'GST' })
    expect((await manager.get(`users/${id}`)).body.data).toMatchObject({ userRoleCode: 'GST', userRoleDesc: 'Guest' })
    const guest = await test.as('GST')
    for (const path of ['requisitions/ALL', 'clients', 'roles']) expect((await guest.get(path)).status).toBe(403)
  })

  it('USR-34 isSubscribed is 0 unless given', async () => {
    const { isSubscribed: _, ...without } = aUser()
    const { body } = await manager.post('mfa/users', without)
    expect((await manager.get(`users/${body.data.id}`)).body.data.isSubscribed).toBe(0)
  })

  it.each([
    ['USR-48', 'userFirstName', 'First Name is required'],
    ['USR-49', 'userLastName', 'Last Name is required'],
    ['USR-50', 'userEmail', 'Email is required'],
    ['USR-51', 'deptIds', 'Department is required'],
    ['USR-52', 'userName', 'Username is required'],
    ['USR-53', 'userRoleCode', 'Role is required'],
  ])('%s names the missing %s', async (_, field, message) => {
    const { status, body } = await manager.post('mfa/users', aUser({ [field]: undefined }))
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })

  it.each([
    ['USR-41', 'CLNT', 'Client is required'],
    ['USR-42', 'COLA', 'Collaborator is required'],
    ['USR-43', 'PHYS', 'Physician is required'],
    ['USR-44', 'SLS', 'Sales is required'],
    ['USR-45', 'STF', 'Lab is required'],
  ])('%s USR-46 %s needs its entity', async (_, userRoleCode, message) => {
    const { status, body } = await manager.post('mfa/users', aUser({ userRoleCode }))
    expect([status, body.errors]).toEqual([400, [{ field: 'entityId', message }]])
  })

  it('refuses an entity that does not exist', async () => {
    const { status, body } = await manager.post('mfa/users', aUser({ userRoleCode: 'CLNT', entityId: 999_999 }))
    expect([status, body.message]).toEqual([400, 'Client is invalid'])
  })

  it.each(['6175550123', '123', '', 'abc', '+1 617 555 01'])(
    'USR-54 USR-55 refuses the phone %s',
    async (userPhone) => {
      const { status, body } = await manager.post('mfa/users', aUser({ userPhone }))
      expect([status, body.message]).toEqual([400, 'Phone number allowed in format 00(000) 000-0000'])
    },
  )

  it('refuses a name that is taken, whatever its case, and names the field', async () => {
    const taken = aUser()
    await manager.post('mfa/users', taken)
    const { status, body } = await manager.post('mfa/users', aUser({ userName: String(taken.userName).toUpperCase() }))
    expect([status, body.errors]).toEqual([400, [{ field: 'userName', message: 'Username is already taken' }]])
  })

  it('two people who take one name at once make one user', async () => {
    const replies = await Promise.all([
      manager.post('mfa/users', aUser({ userName: 'samename' })),
      manager.post('mfa/users', aUser({ userName: 'samename' })),
    ])
    expect(replies.map(({ status }) => status).sort()).not.toEqual([200, 200])
    expect(replies.every(({ status }) => status < 500)).toBe(true)
  })

  it('invites by mail with a temporary password that keeps the rules and an unsubscribe link', async () => {
    const input = aUser()
    await manager.post('mfa/users', input)
    const { rows } = await test.database.owner.query('select body from outbox_message where recipient = $1', [
      input.userEmail,
    ])
    const password = /Temporary password: (\S+)/.exec(rows[0].body)?.[1] ?? ''
    expect(password.length).toBeGreaterThanOrEqual(16)
    for (const rule of [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*()~]/]) expect(password).toMatch(rule)
    expect(rows[0].body).toContain('/unsubscribe/')
  })

  it('sent twice with the same key creates one user and gives the same answer', async () => {
    const input = aUser()
    const key = { 'idempotency-key': `create-${input.userName}` }
    const [first, second] = await Promise.all([
      manager.post('mfa/users', input, key),
      manager.post('mfa/users', input, key),
    ])
    expect(first.body.data.id).toBe(second.body.data.id)
    expect((await manager.post('mfa/users', aUser(), key)).status).toBe(409)
  })

  it.each(roles.filter((role) => !can(role, 'users.write')))('refuses %s', async (role) => {
    expect((await (await test.as(role)).post('mfa/users', aUser())).status).toBe(403)
  })
})

describe('PUT mfa/users/{id}', () => {
  const change = (over: Record<string, unknown> = {}) => {
    const { userName: _, ...rest } = aUser(over)
    return rest
  }

  it('USR-60 changes the user and says from what to what in the audit', async () => {
    const id = await created()
    const { status, body } = await manager.put(`mfa/users/${id}`, change({ userLastName: 'Byron' }))
    expect([status, body.message, body.data.userLastName, body.data.version]).toEqual([
      200,
      'Successfully updated',
      'Byron',
      2,
    ])
    const { rows } = await test.database.owner.query(
      "select action, old_data, new_data from audit_entry where entity = 'app_user' and entity_id = $1 order by id",
      [id],
    )
    expect(rows.map((row) => row.action)).toEqual(['CREATE', 'UPDATE'])
    expect([rows[1].old_data.userLastName, rows[1].new_data.userLastName]).toEqual(['Lovelace', 'Byron'])
  })

  it.each(['123456', '12'])('USR-56 USR-57 refuses the phone %s', async (userPhone) => {
    const { status, body } = await manager.put(`mfa/users/${await created()}`, change({ userPhone }))
    expect([status, body.message]).toEqual([400, 'Invalid phone number'])
  })

  it('tells the user pool of another phone or mail address, and of nothing else', async () => {
    const told: unknown[] = []
    const { identity } = test.services
    const { updateContact } = identity
    identity.updateContact = async (_, userName, contact) => {
      told.push([userName, contact])
    }
    try {
      const input = aUser()
      const { userName, ...form } = input
      const id = (await manager.post('mfa/users', input)).body.data.id as number
      await manager.put(`mfa/users/${id}`, { ...form, userFirstName: 'Augusta' })
      expect(told).toEqual([])
      await manager.put(`mfa/users/${id}`, { ...form, userPhone: '1 (617) 555-0199' })
      expect(told).toEqual([[userName, { email: form.userEmail, phone: '16175550199' }]])
    } finally {
      identity.updateContact = updateContact
    }
  })

  it('USR-56 takes a phone of seven digits', async () => {
    expect((await manager.put(`mfa/users/${await created()}`, change({ userPhone: '5550123' }))).status).toBe(200)
  })

  it('shows the second of two writers what the first has saved', async () => {
    const id = await created()
    const first = await manager.put(`mfa/users/${id}`, change({ userLastName: 'First' }), { 'if-match': '"1"' })
    const second = await manager.put(`mfa/users/${id}`, change({ userLastName: 'Second' }), { 'if-match': '"1"' })
    expect([first.status, second.status, second.body.current.userLastName]).toEqual([200, 409, 'First'])
  })

  it('USR-G10 a new role ends the sessions of the user and clears the entity', async () => {
    const client = await test.given.client()
    const who = await test.as('CLNT', client.id)
    expect((await who.get('flags')).status).toBe(200)
    await test.services.identity.createUser(test.database.db, {
      userId: who.userId,
      userName: '',
      temporaryPassword: 'x',
    })
    const { body } = await manager.put(`mfa/users/${who.userId}`, change({ userRoleCode: 'BILL', entityId: client.id }))
    expect([body.data.userRoleCode, body.data.entityId]).toEqual(['BILL', null])
    expect((await who.get('flags')).status).toBe(408)
  })

  it('does not let anybody change the own role', async () => {
    const { status, body } = await manager.put(`mfa/users/${manager.userId}`, change({ userRoleCode: 'ADM' }))
    expect([status, body.message]).toEqual([400, 'You cannot change your own role'])
  })

  it('is 404 for a user that does not exist', async () => {
    expect((await manager.put('mfa/users/999999', change())).status).toBe(404)
  })

  it.each(roles.filter((role) => !can(role, 'users.write')))('refuses %s', async (role) => {
    expect((await (await test.as(role)).put(`mfa/users/${await created()}`, change())).status).toBe(403)
  })
})

describe('enable, disable, reset, delete', () => {
  const withIdentity = async (role: 'BILL' | 'ADM' = 'BILL') => {
    const who = await test.as(role)
    await test.services.identity.createUser(test.database.db, {
      userId: who.userId,
      userName: '',
      temporaryPassword: 'x',
    })
    return who
  }

  it('USR-36 USR-G10 event streams end at once with the account, the role or the sign-in', async () => {
    const listening = async (who: Caller) => {
      const subscribed = vi.spyOn(test.services.events, 'subscribe')
      const stream = who.get('events')
      await expect.poll(() => subscribed.mock.calls.length).toBeGreaterThan(0)
      subscribed.mockRestore()
      return { isOver: async () => (await Promise.race([stream, sleep(60_000, undefined)]))?.status === 200 }
    }
    const [off, other, gone] = [await withIdentity(), await withIdentity(), await withIdentity('ADM')]
    const [one, two, three] = [await listening(off), await listening(other), await listening(gone)]
    await manager.put(`users/${off.userId}`, { userStatusCode: 'LCK' })
    expect(await one.isOver()).toBe(true)
    const { userName: _, ...role } = aUser({ userRoleCode: 'MGMT' })
    expect((await manager.put(`mfa/users/${other.userId}`, role)).status).toBe(200)
    expect(await two.isOver()).toBe(true)
    const { id } = (await gone.get('mfa/profile/sessions')).body.data[0]
    expect((await gone.del(`mfa/profile/sessions/${id}`)).status).toBe(200)
    expect(await three.isOver()).toBe(true)
  })

  it('USR-35 USR-36 USR-37 USR-39 LOOK-127 LOOK-128 the switch changes between ACT and LCK, and disabling ends sessions at once', async () => {
    const who = await withIdentity()
    const off = await manager.put(`users/${who.userId}`, { userStatusCode: 'LCK' })
    expect([off.status, off.body.data.userStatusCode, off.body.message]).toEqual([200, 'LCK', 'Successfully updated'])
    expect((await who.get('flags')).status).toBe(408)
    expect((await manager.put(`users/${who.userId}`, { userStatusCode: 'ACT' })).body.data.userStatusCode).toBe('ACT')
    // Enabling the account does not bring the ended session back.
    expect((await who.get('flags')).status).toBe(408)
  })

  it.each([
    ['delete', (who: Caller, id: number) => who.del(`mfa/users/${id}`)],
    ['disable', (who: Caller, id: number) => who.put(`users/${id}`, { userStatusCode: 'LCK' })],
    ['demote', (who: Caller, id: number) => who.put(`mfa/users/${id}`, aUser({ userRoleCode: 'ADM' }))],
  ])('leaves a manager of users when two %s each other at the same moment', async (_, act) => {
    const [one, two] = [await test.as('MGMT'), await test.as('MGMT')]
    const rival = await openConcurrentTransaction(test.database)
    // Both have been authorized as managers by then.
    await rival.query("select pg_advisory_xact_lock(hashtext('app_user.managers'))")
    const both = Promise.all([act(one, two.userId), act(two, one.userId)])
    await untilBlocked(test.database, 2)
    await rival.commit()
    expect((await both).map(({ status }) => status).toSorted()).toEqual([200, 403])
    const { rows } = await test.database.owner.query(
      "select count(*)::int as n from app_user where id = any($1) and role_code = 'MGMT' and status_code = 'ACT' and deleted_at is null",
      [[one.userId, two.userId]],
    )
    expect(rows).toEqual([{ n: 1 }])
  })

  it('does not let anybody disable or delete the own account', async () => {
    expect((await manager.put(`users/${manager.userId}`, { userStatusCode: 'LCK' })).status).toBe(400)
    expect((await manager.del(`mfa/users/${manager.userId}`)).status).toBe(409)
  })

  it('refuses another status', async () => {
    expect((await manager.put(`users/${await created()}`, { userStatusCode: 'XXX' })).status).toBe(400)
  })

  it('cannot smuggle other fields through the status call', async () => {
    const id = await created()
    await manager.put(`users/${id}`, { userStatusCode: 'ACT', userRoleCode: 'MGMT', userFirstName: 'Mallory' })
    expect((await manager.get(`users/${id}`)).body.data).toMatchObject({ userRoleCode: 'ADM', userFirstName: 'Ada' })
  })

  it('USR-63 USR-64 sends the password link; another adminId is refused', async () => {
    const input = aUser()
    const { id } = (await manager.post('mfa/users', input)).body.data
    const { status, body } = await manager.put(`mfa/reset_pwd/${id}`, { adminId: manager.userId })
    expect([status, body.message]).toEqual([200, 'Password reset link sent'])
    const { rows } = await test.database.owner.query(
      'select body from outbox_message where recipient = $1 order by id desc limit 1',
      [input.userEmail],
    )
    expect(rows[0].body).toMatch(/\/reset\/[\w-]{43}/)
    expect((await manager.put(`mfa/reset_pwd/${id}`, { adminId: manager.userId + 1 })).status).toBe(400)
  })

  it('USR-63 the audit names who sent a password link, and says nowhere that its receiver asked for it', async () => {
    const { id } = (await manager.post('mfa/users', aUser())).body.data
    await manager.put(`mfa/reset_pwd/${id}`, { adminId: manager.userId })
    const { rows } = await test.database.owner.query(
      "select action, actor_id from audit_entry where entity = 'app_user' and entity_id = $1 and action <> 'CREATE'",
      [id],
    )
    expect(rows).toEqual([{ action: 'SEND_RESET_LINK', actor_id: manager.userId }])
    const { rowCount } = await test.database.owner.query('select 1 from audit_entry where actor_id = $1', [id])
    expect(rowCount).toBe(0)
  })

  it('shows users locked out by wrong passwords, and unlocks them at once', async () => {
    const id = await created()
    const { userName } = (await manager.get(`users/${id}`)).body.data
    await test.database.owner.query(
      "insert into identity_lock (user_name, failed_count, locked_until) values ($1, 5, now() + interval '15 minutes')",
      [userName.toUpperCase()],
    )
    const [shown] = (await manager.get(`users?filter=[userName:${userName}]`)).body.data
    expect(shown.id).toBe(id)
    expect(Date.parse(shown.lockedUntilDate)).toBeGreaterThan(Date.now())
    const { status, body } = await manager.put(`mfa/users/${id}/unlock`)
    expect([status, body.data.lockedUntilDate]).toEqual([200, null])
    // A second time changes nothing more.
    expect((await manager.put(`mfa/users/${id}/unlock`)).status).toBe(200)
    const { rows } = await test.database.owner.query(
      "select actor_name from audit_entry where entity = 'app_user' and entity_id = $1 and action = 'UNLOCK'",
      [id],
    )
    expect(rows).toHaveLength(1)
    expect((await manager.put('mfa/users/999999/unlock')).status).toBe(404)
  })

  it('sends codes by SMS to a user who has lost the authenticator app, and ends their sessions', async () => {
    const person = await test.as('STF')
    expect((await manager.put(`mfa/users/${person.userId}/second_factor`)).body.message).toBe(
      'The user pool does not know this person',
    )
    await test.database.owner.query(
      `insert into identity_user (user_id, mfa_preference, totp_secret, totp_verified_at) values ($1, 'TOTP', '\\x00', now())`,
      [person.userId],
    )
    expect((await manager.put(`mfa/users/${person.userId}/second_factor`)).body.message).toBe(
      'Codes go to the phone now',
    )
    const { rows } = await test.database.owner.query(
      `select mfa_preference, totp_secret, (select count(*)::int from audit_entry where entity = 'app_user' and entity_id = user_id
         and action = 'RESET_SECOND_FACTOR') as audited from identity_user where user_id = $1`,
      [person.userId],
    )
    expect(rows).toEqual([{ mfa_preference: 'SMS', totp_secret: null, audited: 1 }])
    expect((await person.get(`users/${person.userId}`)).status).toBe(408)
    expect((await manager.put('mfa/users/999999/second_factor')).status).toBe(404)
  })

  it('refuses to reset the second factor of an account without one, without an SMS gateway, and of oneself', async () => {
    const id = await created()
    await test.database.owner.query(`update identity_user set mfa_preference = 'OFF' where user_id = $1`, [id])
    const without = await manager.put(`mfa/users/${id}/second_factor`)
    expect([without.status, without.body.message]).toEqual([409, 'This account signs in without a second factor'])
    const { rows } = await test.database.owner.query('select mfa_preference from identity_user where user_id = $1', [
      id,
    ])
    expect(rows).toEqual([{ mfa_preference: 'OFF' }])
    expect((await manager.put(`mfa/users/${manager.userId}/second_factor`)).status).toBe(409)
    const pool = test.services.identityPool as PoolContext
    try {
      pool.canSendSms = false
      const { status, body } = await manager.put(`mfa/users/${id}/second_factor`)
      expect([status, body.message]).toEqual([409, 'No gateway for SMS is configured (set SMS_GATEWAY_URL)'])
    } finally {
      pool.canSendSms = true
    }
  })

  it('USR-63 sends no link to a disabled account, and says why', async () => {
    const input = aUser()
    const { id } = (await manager.post('mfa/users', input)).body.data
    const links = async () =>
      (
        await test.database.owner.query("select 1 from outbox_message where recipient = $1 and body like '%/reset/%'", [
          input.userEmail,
        ])
      ).rows.length
    const ask = () => manager.put(`mfa/reset_pwd/${id}`, { adminId: manager.userId })
    await manager.put(`users/${id}`, { userStatusCode: 'LCK' })
    const { status, body } = await ask()
    expect([status, body.message, await links()]).toEqual([409, 'This account is disabled. Enable it first.', 0])
    await manager.put(`users/${id}`, { userStatusCode: 'ACT' })
    expect([(await ask()).status, await links()]).toEqual([200, 1])
  })

  it('USR-61 deletes softly: the user leaves every screen and cannot sign in, the audit stays', async () => {
    const [one, two] = [await withIdentity(), await withIdentity()]
    const { status, body } = await manager.del(`mfa/users/bulk_delete?id=${one.userId},${two.userId}`)
    expect([status, body.message]).toEqual([200, 'Successfully deleted'])
    for (const who of [one, two]) {
      expect((await manager.get(`users/${who.userId}`)).status).toBe(404)
      expect((await who.get('flags')).status).toBe(408)
    }
    const { rows } = await test.database.owner.query(
      "select count(*) as n from audit_entry where entity = 'app_user' and action = 'DELETE' and entity_id = any($1)",
      [[one.userId, two.userId]],
    )
    expect(rows[0].n).toBe(2)
  })

  it('deletes all or nothing', async () => {
    const who = await withIdentity()
    expect((await manager.del(`mfa/users/bulk_delete?id=${who.userId},999999`)).status).toBe(404)
    expect((await manager.get(`users/${who.userId}`)).status).toBe(200)
  })

  it.each(['', 'abc', '1,x', '1;2'])('refuses the ids "%s" and names them', async (ids) => {
    const { status, body } = await manager.del(`mfa/users/bulk_delete?id=${encodeURIComponent(ids)}`)
    expect([status, body.errors[0].field]).toEqual([400, 'id'])
  })

  it.each(roles.filter((role) => !can(role, 'users.manage')))(
    '%s may neither switch nor send links nor unlock nor delete',
    async (role) => {
      const [who, id] = [await test.as(role), await created()]
      expect((await who.put(`users/${id}`, { userStatusCode: 'LCK' })).status).toBe(403)
      expect((await who.put(`mfa/reset_pwd/${id}`, {})).status).toBe(403)
      expect((await who.put(`mfa/users/${id}/unlock`)).status).toBe(403)
      expect((await who.put(`mfa/users/${id}/second_factor`)).status).toBe(403)
      expect((await who.del(`mfa/users/${id}`)).status).toBe(403)
    },
  )
})

describe('GET users', () => {
  it('USR-02 USR-03 lists, filters, sorts and counts', async () => {
    await manager.post('mfa/users', aUser({ userLastName: 'Zuse', userFirstName: 'Konrad' }))
    const { body } = await manager.get(`users?filter=${encodeURIComponent('[userLastName:zuse]')}`)
    expect([body.total, body.data[0].userFirstName]).toEqual([1, 'Konrad'])
    const sorted = await manager.get(`users?sort=${encodeURIComponent('[userLastName,DESC]')}&perPage=1`)
    expect(sorted.body.data[0].userLastName).toBe('Zuse')
    const byDept = await manager.get(`users?filter=${encodeURIComponent(`[deptId:${deptId}]`)}&perPage=-1`)
    expect(byDept.body.data.every((row: { deptIds: number[] }) => row.deptIds.includes(deptId))).toBe(true)
  })

  it.each(roles.filter((role) => !can(role, 'users.list')))('is refused for %s', async (role) => {
    const who = await test.as(role)
    expect((await who.get('users')).status).toBe(403)
    expect((await who.get('/report/v3.0/users/export')).status).toBe(403)
  })

  it.each(roles.filter((role) => can(role, 'profile.own') && !can(role, 'users.list')))(
    "USR-62 %s reads the own record and nobody else's",
    async (role) => {
      const who = await test.as(role)
      expect((await who.get(`users/${who.userId}`)).status).toBe(200)
      expect((await who.get(`users/${manager.userId}`)).status).toBe(404)
    },
  )

  it('USR-65 TABLE-045 TABLE-046 exports the filtered users as XLSX by a signed link', async () => {
    await manager.post('mfa/users', aUser({ userLastName: 'Export=Test', userFirstName: '=cmd()' }))
    const { body } = await manager.get(
      `/report/v3.0/users/export?filter=${encodeURIComponent('[userLastName:Export]')}&filterActive=true`,
    )
    expect(body).toMatchObject({ retval: 'SUCCESS', data: { url: expect.any(String) } })
    expect(body.data.url).toBe(body.data.exportUrl)
  })

  it('TABLE-086 exports the last sign-in as the screen shows it: by the clocks of the laboratory, whose zone it names', async () => {
    const { labTz } = (await test.nobody.get('config')).body.data
    const { id } = (await manager.post('mfa/users', aUser({ userLastName: 'Clockwork' }))).body.data
    await test.database.db
      .updateTable('app_user')
      .set({ last_logon_at: '2026-11-08T15:05:00Z' })
      .where('id', '=', id)
      .execute()
    const { body } = await manager.get(
      `users/export?format=csv&filter=${encodeURIComponent('[userLastName:Clockwork]')}`,
    )
    const { pathname, search } = new URL(body.data.url, 'http://localhost')
    const csv = (await test.app.inject({ url: pathname + search })).payload
    expect(csv).toContain(formatTimeInZone('2026-11-08T15:05:00Z', labTz))
    expect(formatTimeInZone('2026-11-08T15:05:00Z', 'America/New_York')).toBe('11/08/26 10:05 EST')
  })

  it('TABLE-041 says so when nothing matches', async () => {
    const { body } = await manager.get(`users/export?filter=${encodeURIComponent('[userName:nobody-like-this]')}`)
    expect(body).toEqual({ retval: 'EMPTY', data: null, message: 'No matching records found for export' })
  })
})

describe('the own profile', () => {
  it('USR-75 USR-71 USR-72 changes first and last name, nothing else, and only the own', async () => {
    const who = await test.as('PHYS')
    const { status, body } = await who.put(`mfa/profile/${who.userId}`, {
      userFirstName: 'Grace',
      userLastName: 'Hopper',
      userRoleCode: 'MGMT',
    })
    expect([status, body.data.userFirstName, body.data.userLastName, body.data.userRoleCode]).toEqual([
      200,
      'Grace',
      'Hopper',
      'PHYS',
    ])
    expect((await who.put(`mfa/profile/${manager.userId}`, { userFirstName: 'x', userLastName: 'y' })).status).toBe(404)
  })
  it.each([
    ['USR-73', 'userFirstName', 'First Name is required'],
    ['USR-74', 'userLastName', 'Last Name is required'],
  ])('%s names the missing %s', async (_, field, message) => {
    const who = await test.as('BILL')
    const { status, body } = await who.put(`mfa/profile/${who.userId}`, {
      userFirstName: 'a',
      userLastName: 'b',
      [field]: '  ',
    })
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
  })
  it('lists the own sessions and ends one', async () => {
    const who = await test.as('BILL')
    const { body } = await who.get('mfa/profile/sessions')
    expect(body.data).toMatchObject([{ isCurrent: 1 }])
    const stranger = await test.as('BILL')
    expect((await stranger.del(`mfa/profile/sessions/${body.data[0].id}`)).status).toBe(404)
    expect((await who.del(`mfa/profile/sessions/${body.data[0].id}`)).status).toBe(200)
    expect((await who.get('mfa/profile/sessions')).status).toBe(408)
  })
  it('says how long a password is good, unless a pool outside decides', async () => {
    const { config, identityPool } = test.services
    onTestFinished(() => {
      Object.assign(test.services, { config, identityPool })
    })
    const passwordDays = async () => (await test.nobody.get('config')).body.data.passwordDays
    test.services.config = { ...config, PASSWORD_DAYS: 30 }
    expect(await passwordDays()).toBe(30)
    test.services.identityPool = null
    expect(await passwordDays()).toBe(null)
  })
  it('does not list a session that was left alone for too long', async () => {
    const who = await test.as('BILL')
    const add = (minutes: number) =>
      test.database.owner.query(
        `insert into session (token_hash, user_id, token_expires_at, absolute_expires_at, last_seen_at, user_agent)
         values (gen_random_uuid()::text::bytea, $1, now(), now() + interval '1 hour', now() - make_interval(mins => $2), 'at ' || $2)`,
        [who.userId, minutes],
      )
    await add(29)
    await add(31)
    const { body } = await who.get('mfa/profile/sessions')
    expect(body.data.map(({ device }: { device: string }) => device)).toContain('at 29')
    expect(body.data).toHaveLength(2)
  })
})

describe('unsubscribe and resubscribe', () => {
  const tokenOf = async (id: number) =>
    (await test.database.owner.query('select subscription_token from app_user where id = $1', [id])).rows[0]
      .subscription_token

  it('USR-83 USR-84 USR-77 USR-78 work without a session and answer a message', async () => {
    const id = await created({ isSubscribed: 1 })
    const token = await tokenOf(id)
    const off = await test.nobody.put(`users/${token}/unsubscribe`)
    expect([off.status, off.body.message]).toEqual([200, 'You have been unsubscribed.'])
    expect((await manager.get(`users/${id}`)).body.data.isSubscribed).toBe(0)
    expect((await test.nobody.put(`users/${token}/resubscribe`, {})).body.message).toBe('You have been resubscribed.')
    expect((await manager.get(`users/${id}`)).body.data.isSubscribed).toBe(1)
  })
  it('USR-87 USR-88 an unknown token is refused with a message', async () => {
    for (const token of ['00000000-0000-4000-8000-000000000000', 'abc', '1']) {
      const { status, body } = await test.nobody.put(`users/${token}/unsubscribe`)
      expect([400, 404]).toContain(status)
      expect(body.message).toBe('This link is not valid.')
    }
  })
})
