import {
  ChangePasswordCommand,
  ConfirmForgotPasswordCommand,
  ForgotPasswordCommand,
  GlobalSignOutCommand,
  RevokeTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIdentityTest } from '../../../test/identity.ts'
import { cleanSignIns } from './pool/clean-sign-ins.ts'

const { client, codeSentTo, exchange, fullSignIn, password, person, refresh, signIn, test } = openIdentityTest()

describe('the clean-up', () => {
  const clean = () => cleanSignIns(test.database.db)
  const count = async (table: string, condition: string, value: unknown) =>
    (await test.database.owner.query(`select count(*)::int as n from ${table} where ${condition}`, [value])).rows[0].n
  const subOf = '(select sub from identity_user where user_id = $1)'

  it('SIGN-54 removes expired challenges, tokens, attempts and sessions, but never the record of the attempts', async () => {
    const who = await person()
    await signIn(who.userName, 'wrong').catch(() => undefined)
    const { AccessToken } = await fullSignIn(who)
    await exchange(AccessToken)
    await signIn(who.userName, 'wrong').catch(() => undefined)
    const left = async () => ({
      challenges: await count('identity_challenge', `sub = ${subOf}`, who.id),
      tokens: await count('identity_refresh_token', `sub = ${subOf}`, who.id),
      attempts: await count('identity_lock', 'user_name = $1', who.userName),
      sessions: await count('session', 'user_id = $1', who.id),
      events: await count('identity_event', 'user_name = $1', who.userName),
    })
    await clean()
    // The address of the last guess, and all addresses together.
    const all = { challenges: 1, tokens: 1, attempts: 2, sessions: 1, events: 5 }
    expect(await left()).toEqual(all)
    const age = (days: number) =>
      test.database.owner.query(`
        update identity_challenge set expires_at = now() - interval '${days} days' where sub = (select sub from identity_user where user_id = ${who.id});
        update identity_refresh_token set expires_at = now() - interval '${days} days' where sub = (select sub from identity_user where user_id = ${who.id});
        update identity_lock set failed_since = now() - interval '${days} days' where user_name = '${who.userName}';
        update session set absolute_expires_at = now() - interval '${days} days' where user_id = ${who.id}`)
    await age(2)
    await clean()
    expect(await left()).toEqual({ ...all, challenges: 0, tokens: 0, attempts: 0 })
    await age(91)
    await clean()
    expect(await left()).toEqual({ ...all, challenges: 0, tokens: 0, attempts: 0, sessions: 0 })
  })

  it('SIGN-54 keeps tokens whose replay must end the family, locks, and mails that count', async () => {
    const [who, locked] = [await person(), await person()]
    const first = await fullSignIn(who)
    const second = (await refresh(first.RefreshToken)).AuthenticationResult
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`, {})
    for (let attempt = 0; attempt < 6; attempt++) await signIn(locked.userName, 'wrong').catch(() => undefined)
    // Begun long ago, and locked only now.
    await test.database.owner.query(
      "update identity_lock set failed_since = now() - interval '2 hours' where user_name = $1",
      [locked.userName],
    )
    await test.database.owner.query(
      "update identity_refresh_token set replaced_at = now() - interval '1 hour' where replaced_at is not null",
    )
    await clean()
    await expect(signIn(locked.userName)).rejects.toMatchObject({ message: expect.stringContaining('Too many') })
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`, {})
    expect(await count('identity_challenge', `kind = 'RESET' and sub = ${subOf}`, who.id)).toBe(1)
    await expect(refresh(first.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    await expect(refresh(second?.RefreshToken ?? '')).rejects.toMatchObject({ name: 'NotAuthorizedException' })
  })

  it('SESS-15 a sign-in whose session was removed opens no new one, even if the pool lets it live longer', async () => {
    const who = await person()
    const { AccessToken, RefreshToken } = await fullSignIn(who)
    await exchange(AccessToken)
    await test.database.owner.query('delete from session where user_id = $1', [who.id])
    await test.database.owner.query(
      `update identity_refresh_token set auth_time = now() - interval '13 hours' where sub = ${subOf}`,
      [who.id],
    )
    const { AuthenticationResult } = await refresh(RefreshToken)
    expect((await exchange(AuthenticationResult?.AccessToken ?? '')).status).toBe(408)
  })
})

describe('the session behind a sign-in', () => {
  const bearerOf = async ({ AccessToken }: { AccessToken: string }) => ({
    authorization: `Bearer ${(await exchange(AccessToken)).body.data.token}`,
  })
  const statusOf = async (headers: Record<string, string>) => (await test.nobody.get('flags', headers)).status
  const endReasons = async ({ id }: { id: number }) =>
    (
      await test.database.owner.query(
        'select end_reason from session where user_id = $1 and ended_at is not null order by created_at',
        [id],
      )
    ).rows.map((row) => row.end_reason)

  it('ends with a global sign-out at the pool, and its streams end at once', async () => {
    const [who, other] = [await person(), await person()]
    const tokens = await fullSignIn(who)
    const [mine, there] = [await bearerOf(tokens), await bearerOf(await fullSignIn(who))]
    const theirs = await bearerOf(await fullSignIn(other))
    const told: string[] = []
    onTestFinished(test.services.events.subscribe({ userId: who.id }, ({ topic }) => void told.push(topic)))
    await client.send(new GlobalSignOutCommand({ AccessToken: tokens.AccessToken }))
    expect([await statusOf(mine), await statusOf(there), await statusOf(theirs)]).toEqual([408, 408, 200])
    expect(await endReasons(who)).toEqual(['SIGN_OUT', 'SIGN_OUT'])
    await expect.poll(() => told).toEqual(['session'])
  })

  it('ends when its refresh token is revoked or replayed, and no other session does', async () => {
    const who = await person()
    const [revoked, stolen, kept] = [await fullSignIn(who), await fullSignIn(who), await fullSignIn(who)]
    const bearers = [await bearerOf(revoked), await bearerOf(stolen), await bearerOf(kept)]
    await client.send(new RevokeTokenCommand({ ClientId: 'lis-web', Token: revoked.RefreshToken }))
    await refresh(stolen.RefreshToken)
    await test.database.owner.query(
      "update identity_refresh_token set replaced_at = now() - interval '1 minute' where replaced_at is not null",
    )
    await expect(refresh(stolen.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    expect(await Promise.all(bearers.map(statusOf))).toEqual([408, 408, 200])
  })

  it('of another device ends when the password is changed at the pool', async () => {
    const who = await person()
    const here = await fullSignIn(who)
    const [mine, there] = [await bearerOf(here), await bearerOf(await fullSignIn(who))]
    await client.send(
      new ChangePasswordCommand({
        AccessToken: here.AccessToken,
        PreviousPassword: password,
        ProposedPassword: 'Another-Horse-2026!',
      }),
    )
    expect([await statusOf(mine), await statusOf(there)]).toEqual([200, 408])
    expect(await endReasons(who)).toEqual(['PASSWORD_CHANGED'])
  })

  it('ends when the password is reset at the pool', async () => {
    const who = await person()
    const mine = await bearerOf(await fullSignIn(who))
    await client.send(new ForgotPasswordCommand({ ClientId: 'lis-web', Username: who.userName }))
    await client.send(
      new ConfirmForgotPasswordCommand({
        ClientId: 'lis-web',
        Username: who.userName,
        ConfirmationCode: await codeSentTo(who.email),
        Password: 'Brand-New-Horse-2026!',
      }),
    )
    expect([await statusOf(mine), await endReasons(who)]).toEqual([408, ['PASSWORD_RESET']])
  })

  it('is renewed, not duplicated, by a refresh', async () => {
    const who = await person()
    const first = await fullSignIn(who)
    const opened = (await exchange(first.AccessToken)).body.data.token
    const renewed = (await refresh(first.RefreshToken)).AuthenticationResult?.AccessToken ?? ''
    const next = (await exchange(renewed)).body.data.token
    const { rows } = await test.database.owner.query('select count(*) as n from session where user_id = $1', [who.id])
    expect(rows[0].n).toBe(1)
    expect((await test.nobody.get('flags', { authorization: `Bearer ${opened}` })).status).toBe(401)
    expect((await test.nobody.get('flags', { authorization: `Bearer ${next}` })).status).toBe(200)
  })

  it('is not revived after it was idle too long', async () => {
    const who = await person()
    const tokens = await fullSignIn(who)
    await exchange(tokens.AccessToken)
    await test.database.owner.query(
      "update session set last_seen_at = now() - interval '31 minutes' where user_id = $1",
      [who.id],
    )
    expect((await exchange(tokens.AccessToken)).status).toBe(408)
  })

  it('SESS-30 log-out ends it and the sign-in at the pool', async () => {
    const who = await person()
    const tokens = await fullSignIn(who)
    const { token } = (await exchange(tokens.AccessToken)).body.data
    const bearer = { authorization: `Bearer ${token}` }
    expect((await test.nobody.put(`mfa/logout/${who.id + 1}`, {}, bearer)).status).toBe(404)
    expect((await test.nobody.put(`mfa/logout/${who.id}`, {}, bearer)).body.message).toBe('Successfully logged out')
    expect((await test.nobody.get('flags', bearer)).status).toBe(408)
    await expect(refresh(tokens.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    expect((await exchange(tokens.AccessToken)).status).toBe(401)
  })

  it('SIGN-33 SESS-26 a password older than 90 days answers 490', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    await test.database.owner.query(
      "update identity_user set password_set_at = now() - interval '91 days' where user_id = $1",
      [who.id],
    )
    const { status, body } = await exchange(AccessToken)
    expect([status, body.code]).toEqual([490, 'passwordExpired'])
    const changed = await test.nobody.put('mfa/profile/chg_exp_pwd', {
      currentPwd: password,
      newPwd: 'Another-Horse-2026!',
      accessToken: AccessToken,
    })
    expect(changed.status).toBe(200)
    expect((await exchange(AccessToken)).status).toBe(200)
  })

  it('SIGN-55 SIGN-56 POST login works only for an account without a second factor', async () => {
    const [service, staff] = [await person({ mfa: 'OFF' }), await person()]
    const { rows } = await test.database.owner.query(
      'select id as "deptId", code as "deptCode", name as "deptName" from department order by id limit 1',
    )
    await test.given.userDepartment(service.id, rows[0].deptId)
    const ok = await test.nobody.post('login', { userName: service.userName, pwd: password })
    const names = { userFirstName: expect.any(String), userLastName: expect.any(String) }
    expect([ok.status, ok.body.data]).toEqual([
      200,
      {
        token: expect.any(String),
        userDepts: rows,
        access: {
          userId: service.id,
          userRoleCode: 'STF',
          userName: service.userName,
          entityId: expect.any(Number),
          ...names,
        },
      },
    ])
    const { token } = ok.body.data
    expect((await test.nobody.get(`users/${service.id}`, { authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await test.nobody.post('login', { userName: staff.userName, pwd: password })).status).toBe(401)
    expect((await test.nobody.post('login', { userName: service.userName, pwd: 'wrong' })).status).toBe(401)
  })

  it('is in the audit with its sign-out', async () => {
    const who = await person()
    const { token } = (await exchange((await fullSignIn(who)).AccessToken)).body.data
    await test.nobody.put(`mfa/logout/${who.id}`, {}, { authorization: `Bearer ${token}` })
    const { rows } = await test.database.owner.query(
      "select action from audit_entry where entity = 'app_user' and entity_id = $1 order by id",
      [who.id],
    )
    expect(rows.map((row) => row.action)).toEqual(['SIGN_IN', 'SIGN_OUT'])
  })
})
