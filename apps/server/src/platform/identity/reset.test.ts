import { ForgotPasswordCommand } from '@aws-sdk/client-cognito-identity-provider'
import { describe, expect, it } from 'vitest'
import { openIdentityTest } from '../../../test/identity.ts'

const { client, codeSentTo, exchange, fullSignIn, lastMessage, password, person, refresh, signIn, test } =
  openIdentityTest()

describe('the reset page', () => {
  const next = 'Brand-New-Horse-2026!'
  const linkSentTo = async (email: string) => /\/reset\/([\w-]+)/.exec(await lastMessage(email))?.[1] ?? ''
  const confirm = (body: Record<string, unknown>) => test.nobody.put('mfa/confirm_pwd', body)
  const aMinutePasses = ({ id }: { id: number }) =>
    test.database.owner.query(
      `update identity_challenge set created_at = created_at - interval '1 minute'
       where sub = (select sub from identity_user where user_id = $1)`,
      [id],
    )

  const foreign = [{ field: 'userName', message: 'This is not the Username that the link was sent to' }]
  const attemptsOn = async (userName: string) =>
    (await test.database.owner.query('select failed_count from identity_lock where user_name = $1', [userName])).rows[0]
      ?.failed_count ?? 0

  it('SIGN-G3 a mistyped Username is an error of its field; the link stays valid, and the attempt counts only for its own account', async () => {
    const [who, other] = [await person(), await person()]
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const reset = { newPwd: next, token: await linkSentTo(who.email) }
    for (const userName of [other.userName, `${who.userName}x`, other.userName]) {
      const { status, body } = await confirm({ ...reset, userName })
      expect([status, body.errors]).toEqual([400, foreign])
    }
    expect([await attemptsOn(other.userName), await attemptsOn(who.userName)]).toEqual([0, 3])
    const code = { ...reset, userName: other.userName, verificationCode: '123456' }
    expect((await confirm(code)).body.errors).toEqual(foreign)
    expect((await confirm({ ...reset, userName: who.userName.toUpperCase() })).body.data).toEqual({
      challengeName: 'SMS_MFA',
    })
    expect((await confirm({ ...reset, userName: other.userName })).body.errors).toEqual(foreign)
    expect((await confirm({ ...reset, userName: other.userName })).status).toBe(401)
  })

  it('SIGN-G3 a link can be checked before anything is typed, without using it or counting an attempt', async () => {
    const who = await person()
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const token = await linkSentTo(who.email)
    const check = async (link = token) => {
      const { status, body } = await test.nobody.put('mfa/check_link', { token: link })
      return [status, body.message]
    }
    const dead = [400, 'This link is no longer valid. Please request a new one.']
    for (let time = 0; time < 7; time++) expect(await check()).toEqual([200, 'This link is valid'])
    expect(await check('x'.repeat(43))).toEqual(dead)
    expect(await attemptsOn(who.userName)).toBe(0)
    const setStatus = (status: string) =>
      test.database.owner.query('update app_user set status_code = $2 where id = $1', [who.id, status])
    await setStatus('LCK')
    expect(await check()).toEqual([400, 'This account is disabled. Please ask your administrator.'])
    await setStatus('ACT')
    const reset = { userName: who.userName, newPwd: next, token }
    await confirm(reset)
    await confirm({ ...reset, verificationCode: await codeSentTo(who.phone) })
    expect(await check()).toEqual(dead)
  })

  it('an invalid link counts no attempt for the typed name', async () => {
    const who = await person()
    for (let attempt = 0; attempt < 7; attempt++) {
      const { body } = await confirm({ userName: who.userName, newPwd: next, token: 'x'.repeat(43) })
      expect(body.message).toBe('This link is no longer valid. Please request a new one.')
    }
    expect(await attemptsOn(who.userName)).toBe(0)
  })

  it('SIGN-G10 its code is valid for three minutes, and a new one voids it', async () => {
    const who = await person()
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const reset = { userName: who.userName, newPwd: next, token: await linkSentTo(who.email) }
    await confirm(reset)
    const old = await codeSentTo(who.phone)
    expect(await lastMessage(who.phone)).toContain('valid for 3 minutes')
    const { rows } = await test.database.owner.query(
      `select extract(epoch from c.expires_at - c.created_at)::int as code, extract(epoch from o.expires_at - o.created_at)::int as message
       from identity_challenge c, outbox_message o
       where c.sub = (select sub from identity_user where user_id = $1) and c.detail #>> '{}' = 'mfa' and o.recipient = $2`,
      [who.id, who.phone],
    )
    expect(rows).toEqual([{ code: 180, message: 180 }])
    let newest = old
    while (newest === old) {
      await confirm(reset)
      newest = await codeSentTo(who.phone)
    }
    expect((await confirm({ ...reset, verificationCode: old })).status).toBe(400)
    expect((await confirm({ ...reset, verificationCode: newest })).status).toBe(200)
  })

  it('its mails contain the unsubscribe link, like every mail to a user', async () => {
    const who = await person()
    const { rows } = await test.database.owner.query('select subscription_token from app_user where id = $1', [who.id])
    const unsubscribe = `/unsubscribe/${rows[0].subscription_token}`
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    expect(await lastMessage(who.email)).toContain(unsubscribe)
    await aMinutePasses(who)
    await client.send(new ForgotPasswordCommand({ ClientId: 'lis-web', Username: who.userName }))
    expect(await lastMessage(who.email)).toMatch(/reset code is \d{6}/)
    expect(await lastMessage(who.email)).toContain(unsubscribe)
  })

  it('SIGN-07 SIGN-08 SIGN-23 SIGN-59 SIGN-60 SIGN-61 changes the password only after the second factor', async () => {
    const who = await person()
    const asked = await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    expect([asked.status, asked.body.message]).toEqual([
      200,
      'If this account exists, a link to reset the password has been sent.',
    ])
    const reset = { userName: who.userName, newPwd: next, token: await linkSentTo(who.email) }
    const first = await confirm(reset)
    expect([first.status, first.body.data]).toEqual([200, { challengeName: 'SMS_MFA' }])
    expect((await signIn(who.userName, password)).ChallengeName).toBe('SMS_MFA')
    await confirm(reset)
    const wrong = await confirm({ ...reset, verificationCode: 'xxxxxx' })
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      'Authentication failed. Please enter a valid authentication code.',
    ])
    const second = await confirm({ ...reset, verificationCode: await codeSentTo(who.phone) })
    expect([second.status, second.body.message]).toEqual([200, 'Password successfully changed'])
    expect((await fullSignIn(who, next)).AccessToken).toBeTruthy()
  })

  it('a link works once, for one name, until the next one is sent', async () => {
    const [who, other] = [await person(), await person()]
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const old = await linkSentTo(who.email)
    expect((await confirm({ userName: other.userName, newPwd: next, token: old })).body.errors).toEqual(foreign)
    await aMinutePasses(who)
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    expect((await confirm({ userName: who.userName, newPwd: next, token: old })).status).toBe(400)
    const reset = { userName: who.userName, newPwd: next, token: await linkSentTo(who.email) }
    await confirm(reset)
    await confirm({ ...reset, verificationCode: await codeSentTo(who.phone) })
    expect((await confirm(reset)).status).toBe(400)
  })

  it('repeated requests send one mail a minute and five an hour, and the last link stays valid', async () => {
    const who = await person()
    const mails = async () =>
      (await test.database.owner.query('select 1 from outbox_message where recipient = $1', [who.email])).rowCount
    const ask = () => test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const replies = await Promise.all(Array.from({ length: 6 }, ask))
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.message}`)).size).toBe(1)
    expect(await mails()).toBe(1)
    const link = await linkSentTo(who.email)
    await client.send(new ForgotPasswordCommand({ ClientId: 'lis-web', Username: who.userName }))
    expect([await mails(), await linkSentTo(who.email)]).toEqual([1, link])
    for (let n = 2; n <= 7; n++) {
      await aMinutePasses(who)
      await ask()
    }
    expect(await mails()).toBe(5)
    const reset = { userName: who.userName, newPwd: next, token: await linkSentTo(who.email) }
    expect((await confirm(reset)).status).toBe(200)
    await test.services.identity.sendResetLink(who.userName, null) // by a user manager
    expect(await mails()).toBe(6)
  })

  it('SIGN-G6 ends every session of the account', async () => {
    const who = await person()
    const tokens = await fullSignIn(who)
    const bearer = { authorization: `Bearer ${(await exchange(tokens.AccessToken)).body.data.token}` }
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const reset = { userName: who.userName, newPwd: next, token: await linkSentTo(who.email) }
    await confirm(reset)
    await confirm({ ...reset, verificationCode: await codeSentTo(who.phone) })
    await expect(refresh(tokens.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    expect((await test.nobody.get('flags', bearer)).status).toBe(408)
  })

  it('of a disabled account says so only to the holder of its link, and changes nothing', async () => {
    const who = await person()
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const reset = { userName: who.userName, newPwd: next, token: await linkSentTo(who.email) }
    await confirm(reset)
    const code = await codeSentTo(who.phone)
    const setStatus = (status: string) =>
      test.database.owner.query('update app_user set status_code = $2 where id = $1', [who.id, status])
    await setStatus('LCK')
    for (const step of [reset, { ...reset, verificationCode: code }]) {
      const { status, body } = await confirm(step)
      expect([status, body.message]).toEqual([400, 'This account is disabled. Please ask your administrator.'])
    }
    const dead = 'This link is no longer valid. Please request a new one.'
    for (const userName of [who.userName, 'nobody-at-all'])
      expect((await confirm({ ...reset, userName, token: 'x'.repeat(43) })).body.message).toBe(dead)
    const asked = await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    expect([asked.status, asked.body.message, await linkSentTo(who.email)]).toEqual([
      200,
      'If this account exists, a link to reset the password has been sent.',
      reset.token,
    ])
    await setStatus('ACT')
    expect((await fullSignIn(who)).AccessToken).toBeTruthy()
  })

  it('an unknown name takes as long as a known one', async () => {
    const who = await person()
    for (const name of [who.userName, 'nobody-at-all']) {
      const started = performance.now()
      await test.nobody.put(`mfa/forgot_pwd/${name}`)
      expect([name, performance.now() - started > 145]).toEqual([name, true])
    }
  })

  it('an unknown name gets the same reply, and nothing is sent', async () => {
    const { rows: before } = await test.database.owner.query('select count(*) as n from outbox_message')
    const { status, body } = await test.nobody.put('mfa/forgot_pwd/nobody-at-all')
    expect([status, body.message]).toEqual([200, 'If this account exists, a link to reset the password has been sent.'])
    const { rows: after } = await test.database.owner.query('select count(*) as n from outbox_message')
    expect(after).toEqual(before)
  })

  it.each([
    ['SIGN-44', 'No-Number-In-Here!', 'Password must contain at least 1 number.'],
    ['SIGN-45', 'no-uppercase-2026!', 'Password must contain at least 1 uppercase and lowercase letter. '],
    ['SIGN-46', 'NO-LOWERCASE-2026!', 'Password must contain at least 1 uppercase and lowercase letter. '],
    ['SIGN-47', 'NoSpecialChars2026', 'Password must contain at least 1 special character !@#$%^&*()~'],
    ['SIGN-48', 'Short-2026!', '16 characters minimum password length'],
  ])('%s refuses %s', async (_, newPwd, message) => {
    const { status, body } = await confirm({ userName: 'x', newPwd, token: 'y' })
    expect([status, body.errors]).toEqual([400, [{ field: 'newPwd', message }]])
  })
})
