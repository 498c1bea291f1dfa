import { generateKeyPairSync } from 'node:crypto'
import {
  AssociateSoftwareTokenCommand,
  ChangePasswordCommand,
  CognitoIdentityProviderClient,
  ConfirmForgotPasswordCommand,
  ForgotPasswordCommand,
  GetUserCommand,
  GlobalSignOutCommand,
  InitiateAuthCommand,
  RespondToAuthChallengeCommand,
  RevokeTokenCommand,
  SetUserMFAPreferenceCommand,
  VerifySoftwareTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { SignJWT, UnsecuredJWT } from 'jose'
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { cleanSignIns } from './pool/clean-sign-ins.ts'
import type { PoolContext } from './pool/context.ts'

const test = openTestApp({ env: { SIGN_IN_LIMIT_PER_MINUTE: '1000000', TEMPORARY_PASSWORD_DAYS: '3' } })
const password = 'Correct-Horse-2026!'
let client: CognitoIdentityProviderClient

beforeAll(async () => {
  const address = await test.app.listen({ port: 0, host: '127.0.0.1' })
  client = new CognitoIdentityProviderClient({
    region: 'local',
    endpoint: `${address}/idp`,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
  })
})

/** A person known to the pool, with a password that is not temporary unless said so. */
const person = async (options: { mfa?: 'SMS' | 'TOTP' | 'OFF'; temporary?: boolean } = {}) => {
  const { id } = await test.given.user('STF')
  const { rows } = await test.database.owner.query('select user_name, phone, email from app_user where id = $1', [id])
  const { user_name: userName, phone, email } = rows[0]
  await test.services.identity.createUser(test.database.db, {
    userId: id,
    userName,
    temporaryPassword: password,
  })
  if (!options.temporary) await test.services.identity.setPassword(test.database.db, userName, password, true)
  if (options.mfa)
    await test.database.owner.query('update identity_user set mfa_preference = $2 where user_id = $1', [
      id,
      options.mfa,
    ])
  return { id, userName: userName as string, phone: phone as string, email: email as string }
}

const signIn = (userName: string, pwd = password) =>
  client.send(
    new InitiateAuthCommand({
      AuthFlow: 'USER_PASSWORD_AUTH',
      ClientId: 'lis-web',
      AuthParameters: { USERNAME: userName, PASSWORD: pwd },
    }),
  )

const respond = (
  name: 'SMS_MFA' | 'NEW_PASSWORD_REQUIRED',
  session: string | undefined,
  responses: Record<string, string>,
) =>
  client.send(
    new RespondToAuthChallengeCommand({
      ClientId: 'lis-web',
      ChallengeName: name,
      Session: session,
      ChallengeResponses: responses,
    }),
  )

const lastMessage = async (to: string): Promise<string> => {
  const { rows } = await test.database.owner.query(
    'select body from outbox_message where recipient = $1 order by id desc limit 1',
    [to],
  )
  return rows[0]?.body ?? ''
}
const codeSentTo = async (to: string) => /\b(\d{6})\b/.exec(await lastMessage(to))?.[1] ?? ''

const fullSignIn = async (who: { userName: string; phone: string }, pwd = password) => {
  const { Session } = await signIn(who.userName, pwd)
  const { AuthenticationResult } = await respond('SMS_MFA', Session, {
    USERNAME: who.userName,
    SMS_MFA_CODE: await codeSentTo(who.phone),
  })
  return AuthenticationResult as { AccessToken: string; RefreshToken: string }
}

const refresh = (token: string) =>
  client.send(
    new InitiateAuthCommand({
      AuthFlow: 'REFRESH_TOKEN_AUTH',
      ClientId: 'lis-web',
      AuthParameters: { REFRESH_TOKEN: token },
    }),
  )

const exchange = (accessToken: string) => test.nobody.post('mfa/login', { accessToken })

describe('signing in with the official client', () => {
  it('SIGN-01 SIGN-24 SIGN-28 SIGN-51 SIGN-52 SIGN-57 SIGN-58 password, SMS code, tokens, session', async () => {
    const who = await person()
    const step = await signIn(who.userName)
    expect(step.ChallengeName).toBe('SMS_MFA')
    expect(step.ChallengeParameters?.CODE_DELIVERY_DESTINATION).toMatch(/^\+\*+\d\d$/)
    const tokens = await respond('SMS_MFA', step.Session, {
      USERNAME: who.userName,
      SMS_MFA_CODE: await codeSentTo(who.phone),
    })
    const { status, body } = await exchange(tokens.AuthenticationResult?.AccessToken ?? '')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      message: 'Successfully login',
      data: {
        token: expect.any(String),
        userDepts: [],
        access: { userId: who.id, userRoleCode: 'STF', userName: who.userName },
      },
    })
    const mine = await test.nobody.get(`users/${who.id}`, { authorization: `Bearer ${body.data.token}` })
    expect(mine.body.data.userName).toBe(who.userName)
  })

  it('SIGN-26 SIGN-53 LOOK-136 a temporary password asks for a new one, then for the code', async () => {
    const who = await person({ temporary: true })
    const step = await signIn(who.userName)
    expect(step.ChallengeName).toBe('NEW_PASSWORD_REQUIRED')
    const next = await respond('NEW_PASSWORD_REQUIRED', step.Session, {
      USERNAME: who.userName,
      NEW_PASSWORD: 'Another-Horse-2026!',
    })
    expect(next.ChallengeName).toBe('SMS_MFA')
    expect((await fullSignIn(who, 'Another-Horse-2026!')).AccessToken).toBeTruthy()
  })

  it('SIGN-39 SIGN-53 a new password that breaks a rule, or repeats an old one, can be followed by a better one', async () => {
    const who = await person({ temporary: true })
    const { Session } = await signIn(who.userName)
    const choose = (next: string) =>
      respond('NEW_PASSWORD_REQUIRED', Session, { USERNAME: who.userName, NEW_PASSWORD: next })
    await expect(choose('short')).rejects.toMatchObject({ name: 'InvalidPasswordException' })
    await expect(choose(password)).rejects.toMatchObject({ name: 'PasswordHistoryPolicyViolationException' })
    expect((await choose('Another-Horse-2026!')).ChallengeName).toBe('SMS_MFA')
    await expect(choose('Yet-Another-Horse-2026!')).rejects.toMatchObject({ name: 'NotAuthorizedException' })
  })

  it('SIGN-26 every temporary password is valid as long as the setting says', async () => {
    const who = await person()
    const daysLeft = async () =>
      (
        await test.database.owner.query(
          `select extract(epoch from temporary_expires_at - now()) / 86400 as days from identity_user where user_id = $1`,
          [who.id],
        )
      ).rows[0].days
    await test.services.identity.setPassword(test.database.db, who.userName, 'Another-Horse-2026!', false)
    expect(Number(await daysLeft())).toBeCloseTo(3, 2)
  })

  it('rejects an expired temporary password', async () => {
    const who = await person({ temporary: true })
    await test.database.owner.query('update identity_user set temporary_expires_at = now() where user_id = $1', [
      who.id,
    ])
    await expect(signIn(who.userName)).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: expect.stringContaining('expired'),
    })
  })

  it('SIGN-27 an account without a second factor gets its tokens directly, and a session for them', async () => {
    const who = await person({ mfa: 'OFF' })
    const { ChallengeName, AuthenticationResult } = await signIn(who.userName)
    expect(ChallengeName).toBeUndefined()
    const { status, body } = await exchange(AuthenticationResult?.AccessToken ?? '')
    expect([status, body.data.access.userId]).toEqual([200, who.id])
  })

  it('SIGN-54 exchanges a refresh token for new tokens, and the old one becomes invalid', async () => {
    const who = await person()
    const first = await fullSignIn(who)
    const second = (await refresh(first.RefreshToken)).AuthenticationResult
    expect(second?.RefreshToken).not.toBe(first.RefreshToken)
    await test.database.owner.query(
      "update identity_refresh_token set replaced_at = now() - interval '1 minute' where replaced_at is not null",
    )
    await expect(refresh(first.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    // The replay has ended the whole family.
    await expect(refresh(second?.RefreshToken ?? '')).rejects.toMatchObject({ name: 'NotAuthorizedException' })
  })

  it('two tabs that refresh at the same time both succeed', async () => {
    const { RefreshToken } = await fullSignIn(await person())
    const both = await Promise.all([refresh(RefreshToken), refresh(RefreshToken)])
    for (const one of both) expect(one.AuthenticationResult?.AccessToken).toBeTruthy()
  })

  it('many devices that renew at the same time do not wait for each other', async () => {
    const who = await person({ mfa: 'OFF' })
    const tokens: string[] = []
    for (let n = 0; n < 20; n++) tokens.push((await signIn(who.userName)).AuthenticationResult?.RefreshToken ?? '')
    const renewed = await Promise.all(tokens.map(refresh))
    expect(new Set(renewed.map(({ AuthenticationResult }) => AuthenticationResult?.RefreshToken)).size).toBe(20)
  })

  it('describes the user, revokes a token, signs out everywhere', async () => {
    const who = await person()
    const tokens = await fullSignIn(who)
    expect((await client.send(new GetUserCommand({ AccessToken: tokens.AccessToken }))).Username).toBe(who.userName)
    await client.send(new RevokeTokenCommand({ ClientId: 'lis-web', Token: tokens.RefreshToken }))
    await expect(refresh(tokens.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    const again = await fullSignIn(who)
    await client.send(new GlobalSignOutCommand({ AccessToken: again.AccessToken }))
    await expect(refresh(again.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    expect((await exchange(again.AccessToken)).status).toBe(401)
  })

  it('SIGN-25 LOOK-135 sets up an authenticator app and signs in with its code, once', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    const { SecretCode } = await client.send(new AssociateSoftwareTokenCommand({ AccessToken }))
    const app = new TOTP({ secret: Secret.fromBase32(SecretCode ?? '') })
    const prefer = () =>
      client.send(
        new SetUserMFAPreferenceCommand({
          AccessToken,
          SoftwareTokenMfaSettings: { Enabled: true, PreferredMfa: true },
        }),
      )
    await expect(prefer()).rejects.toMatchObject({ name: 'InvalidParameterException' })
    await expect(
      client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode: '000000' })),
    ).rejects.toMatchObject({
      name: 'EnableSoftwareTokenMFAException',
    })
    const verified = await client.send(
      new VerifySoftwareTokenCommand({ AccessToken, UserCode: app.generate({ timestamp: Date.now() - 30_000 }) }),
    )
    expect(verified.Status).toBe('SUCCESS')
    await prefer()
    const step = await signIn(who.userName)
    expect(step.ChallengeName).toBe('SOFTWARE_TOKEN_MFA')
    const answer = (session: string | undefined, code: string) =>
      client.send(
        new RespondToAuthChallengeCommand({
          ClientId: 'lis-web',
          ChallengeName: 'SOFTWARE_TOKEN_MFA',
          Session: session,
          ChallengeResponses: { USERNAME: who.userName, SOFTWARE_TOKEN_MFA_CODE: code },
        }),
      )
    const code = app.generate()
    expect((await answer(step.Session, code)).AuthenticationResult?.AccessToken).toBeTruthy()
    const again = await signIn(who.userName)
    await expect(answer(again.Session, code)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
  })

  it('an authenticator app keeps working until the first right code of the next one', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    const newApp = async () => {
      const { SecretCode } = await client.send(new AssociateSoftwareTokenCommand({ AccessToken }))
      return new TOTP({ secret: Secret.fromBase32(SecretCode ?? '') })
    }
    const verify = (UserCode: string) => client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode }))
    // A step that was used is never accepted again: the codes of one app must follow one another.
    const codeOf = (app: TOTP, steps: -1 | 0 | 1) => app.generate({ timestamp: Date.now() + steps * 30_000 })
    const signInWith = async (code: string) => {
      const { Session } = await signIn(who.userName)
      return client.send(
        new RespondToAuthChallengeCommand({
          ClientId: 'lis-web',
          ChallengeName: 'SOFTWARE_TOKEN_MFA',
          Session,
          ChallengeResponses: { USERNAME: who.userName, SOFTWARE_TOKEN_MFA_CODE: code },
        }),
      )
    }
    const first = await newApp()
    await verify(codeOf(first, -1))
    const SoftwareTokenMfaSettings = { Enabled: true, PreferredMfa: true }
    await client.send(new SetUserMFAPreferenceCommand({ AccessToken, SoftwareTokenMfaSettings }))

    const second = await newApp() // 'Use another authenticator app', and then 'Cancel'
    expect((await signInWith(codeOf(first, 0))).AuthenticationResult?.AccessToken).toBeTruthy()
    await expect(signInWith(codeOf(second, 0))).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    await expect(verify(codeOf(first, 1))).rejects.toMatchObject({ name: 'EnableSoftwareTokenMFAException' })

    await verify(codeOf(second, 0))
    await expect(signInWith(codeOf(first, 1))).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    expect((await signInWith(codeOf(second, 1))).AuthenticationResult?.AccessToken).toBeTruthy()
  })

  it('SIGN-25 guesses at the first code of an app count towards the same five, and a right one does not reset earlier guesses', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    const { SecretCode } = await client.send(new AssociateSoftwareTokenCommand({ AccessToken }))
    const app = new TOTP({ secret: Secret.fromBase32(SecretCode ?? '') })
    const verify = (UserCode: string) =>
      client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode })).then(
        ({ Status }) => Status,
        (error: Error) => error.message,
      )
    const outcomes = [await verify('xxxxxx'), await verify(app.generate({ timestamp: Date.now() - 30_000 }))]
    for (let attempt = 0; attempt < 5; attempt++) outcomes.push(await verify('xxxxxx'))
    expect(outcomes).toEqual([
      'Code mismatch',
      'SUCCESS',
      ...Array(4).fill('Code mismatch'),
      'Too many failed attempts. Please try again in 15 minutes.',
    ])
    await expect(signIn(who.userName)).rejects.toMatchObject({ message: expect.stringContaining('Too many') })
    const { rows } = await test.database.owner.query(
      "select action from audit_entry where entity = 'sign_in' and actor_id = $1 order by id desc limit 3",
      [who.id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['PASSWORD', 'LOCK', 'AUTHENTICATOR_FAILED'])
    expect((await exchange(AccessToken)).status).toBe(200)
  })

  it('replacing the second factor is recorded', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    const { SecretCode } = await client.send(new AssociateSoftwareTokenCommand({ AccessToken }))
    const UserCode = new TOTP({ secret: Secret.fromBase32(SecretCode ?? '') }).generate()
    await client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode }))
    const chosen = { Enabled: true, PreferredMfa: true }
    await client.send(new SetUserMFAPreferenceCommand({ AccessToken, SoftwareTokenMfaSettings: chosen }))
    await client.send(new SetUserMFAPreferenceCommand({ AccessToken, SMSMfaSettings: chosen }))
    const { rows } = await test.database.owner.query(
      "select action from audit_entry where entity = 'sign_in' and actor_id = $1 order by id desc limit 3",
      [who.id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['SECOND_FACTOR_SMS', 'SECOND_FACTOR_TOTP', 'AUTHENTICATOR'])
  })

  it('codes by SMS cannot be chosen without a gateway', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    await test.database.owner.query("update identity_user set mfa_preference = 'TOTP' where user_id = $1", [who.id])
    const pool = test.services.identityPool as PoolContext
    pool.canSendSms = false
    onTestFinished(() => {
      pool.canSendSms = true
    })
    const SMSMfaSettings = { Enabled: true, PreferredMfa: true }
    await expect(client.send(new SetUserMFAPreferenceCommand({ AccessToken, SMSMfaSettings }))).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: 'No gateway for SMS is configured (set SMS_GATEWAY_URL)',
    })
    expect((await signIn(who.userName)).ChallengeName).toBe('SOFTWARE_TOKEN_MFA')
  })

  it('changes one’s own password and rejects the last twelve', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    const change = (from: string, to: string) =>
      client.send(new ChangePasswordCommand({ AccessToken, PreviousPassword: from, ProposedPassword: to }))
    await expect(change('wrong', 'Another-Horse-2026!')).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    await expect(change(password, password)).rejects.toMatchObject({ name: 'PasswordHistoryPolicyViolationException' })
    await expect(change(password, 'short')).rejects.toMatchObject({ name: 'InvalidPasswordException' })
    await change(password, 'Another-Horse-2026!')
    await expect(change('Another-Horse-2026!', password)).rejects.toMatchObject({
      name: 'PasswordHistoryPolicyViolationException',
    })
  })

  it('USR-76 SIGN-39 a wrong current password is an error of its field, and the session continues', async () => {
    const who = await person()
    const { AccessToken: accessToken } = await fullSignIn(who)
    const { body: opened } = await exchange(accessToken)
    const headers = { authorization: `Bearer ${opened.data.token}` }
    const change = (currentPwd: string) =>
      test.nobody.put('mfa/profile/chg_pwd', { currentPwd, newPwd: 'Another-Horse-2026!', accessToken }, headers)
    const refused = await change('Wrong-Horse-2026!')
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual([{ field: 'currentPwd', message: 'Current password is not correct' }])
    expect((await change(password)).status).toBe(200)
  })

  it('USR-76 SIGN-39 too many wrong current passwords are an error of the field as well, and the session continues', async () => {
    const who = await person()
    const { AccessToken: accessToken } = await fullSignIn(who)
    const headers = { authorization: `Bearer ${(await exchange(accessToken)).body.data.token}` }
    const wrong = { currentPwd: 'Wrong-Horse-2026!', newPwd: 'Another-Horse-2026!', accessToken }
    for (let attempt = 0; attempt < 5; attempt++) await test.nobody.put('mfa/profile/chg_pwd', wrong, headers)
    const { status, body } = await test.nobody.put('mfa/profile/chg_pwd', { ...wrong, currentPwd: password }, headers)
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'currentPwd', message: 'Too many failed attempts. Please try again in 15 minutes.' }],
    ])
    expect((await test.nobody.get('flags', headers)).status).toBe(200)
  })

  it('USR-76 a changed password signs out every other device, but not this one', async () => {
    const who = await person()
    const [here, there] = [await fullSignIn(who), await fullSignIn(who)]
    const bearerOf = async ({ AccessToken }: { AccessToken: string }) => ({
      authorization: `Bearer ${(await exchange(AccessToken)).body.data.token}`,
    })
    const [mine, other] = [await bearerOf(here), await bearerOf(there)]
    const change = { currentPwd: password, newPwd: 'Another-Horse-2026!', accessToken: here.AccessToken }
    const told: string[] = []
    onTestFinished(test.services.events.subscribe({ userId: who.id }, ({ topic }) => void told.push(topic)))
    expect((await test.nobody.put('mfa/profile/chg_pwd', change, mine)).status).toBe(200)
    // So that open streams of the other device end at once.
    await expect.poll(() => told).toEqual(['session'])
    expect((await test.nobody.get('flags', other)).status).toBe(408)
    await expect(refresh(there.RefreshToken)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    expect((await test.nobody.get('flags', mine)).status).toBe(200)
    expect((await refresh(here.RefreshToken)).AuthenticationResult?.AccessToken).toBeTruthy()
  })

  it('resets a forgotten password by a code that works once', async () => {
    const who = await person()
    await client.send(new ForgotPasswordCommand({ ClientId: 'lis-web', Username: who.userName }))
    const code = await codeSentTo(who.email)
    const confirm = () =>
      client.send(
        new ConfirmForgotPasswordCommand({
          ClientId: 'lis-web',
          Username: who.userName,
          ConfirmationCode: code,
          Password: 'Brand-New-Horse-2026!',
        }),
      )
    await confirm()
    await expect(confirm()).rejects.toMatchObject({ name: 'CodeMismatchException' })
    expect((await fullSignIn(who, 'Brand-New-Horse-2026!')).AccessToken).toBeTruthy()
  })
})

describe('the signing key', () => {
  const kidOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string

  it('is published and replaced after thirty days, and tokens of the old one stay valid', async () => {
    const who = await person()
    const before = (await fullSignIn(who)).AccessToken
    await test.database.owner.query("update identity_signing_key set created_at = now() - interval '31 days'")
    const after = (await fullSignIn(who)).AccessToken
    expect(kidOf(after)).not.toBe(kidOf(before))
    const { body } = await test.nobody.get('/idp/.well-known/jwks.json')
    expect(body.keys.map((key: { kid: string }) => key.kid).sort()).toEqual([kidOf(before), kidOf(after)].sort())
    expect(JSON.stringify(body)).not.toContain('"d"')
    for (const token of [before, after]) expect((await exchange(token)).status).toBe(200)
  })
})

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

describe('attacks on the sign-in', () => {
  it('SIGN-32 a wrong code is NotAuthorizedException, and the right one is not accepted afterwards', async () => {
    const who = await person()
    const { Session } = await signIn(who.userName)
    const code = await codeSentTo(who.phone)
    const wrong = code === '000000' ? '000001' : '000000'
    await expect(respond('SMS_MFA', Session, { USERNAME: who.userName, SMS_MFA_CODE: wrong })).rejects.toMatchObject({
      name: 'NotAuthorizedException',
    })
    await expect(respond('SMS_MFA', Session, { USERNAME: who.userName, SMS_MFA_CODE: code })).rejects.toMatchObject({
      name: 'NotAuthorizedException',
    })
  })

  it('a code works once', async () => {
    const who = await person()
    const { Session } = await signIn(who.userName)
    const answer = { USERNAME: who.userName, SMS_MFA_CODE: await codeSentTo(who.phone) }
    await respond('SMS_MFA', Session, answer)
    await expect(respond('SMS_MFA', Session, answer)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
  })

  it('codes and links have an expiry, so that they do not wait behind reports', async () => {
    const who = await person()
    await signIn(who.userName)
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const { rows } = await test.database.owner.query(
      `select channel, extract(epoch from expires_at - created_at)::int as seconds from outbox_message
       where recipient in ($1, $2) order by id`,
      [who.phone, who.email],
    )
    expect(rows).toEqual([
      { channel: 'SMS', seconds: 180 },
      { channel: 'EMAIL', seconds: 3600 },
    ])
  })

  it('a code expires after three minutes', async () => {
    const who = await person()
    const { Session } = await signIn(who.userName)
    await test.database.owner.query('update identity_challenge set expires_at = now() where id = $1', [Session])
    await expect(
      respond('SMS_MFA', Session, { USERNAME: who.userName, SMS_MFA_CODE: await codeSentTo(who.phone) }),
    ).rejects.toMatchObject({ name: 'NotAuthorizedException' })
  })

  it("a session cannot be used with another user's name", async () => {
    const [mine, other] = [await person(), await person()]
    const { Session } = await signIn(mine.userName)
    const code = await codeSentTo(mine.phone)
    await expect(respond('SMS_MFA', Session, { USERNAME: other.userName, SMS_MFA_CODE: code })).rejects.toMatchObject({
      name: 'NotAuthorizedException',
    })
  })

  it('five wrong passwords lock the name for fifteen minutes, whether or not it exists', async () => {
    const who = await person()
    for (const name of [who.userName, 'nobody-bears-this-name']) {
      const answers: unknown[] = []
      for (let attempt = 0; attempt < 6; attempt++)
        answers.push(await signIn(name, 'wrong').catch((error: Error) => error.message))
      expect(answers.slice(0, 5)).toEqual(Array(5).fill('Incorrect username or password.'))
      expect(answers[5]).toBe('Too many failed attempts. Please try again in 15 minutes.')
    }
    await expect(signIn(who.userName)).rejects.toMatchObject({
      message: 'Too many failed attempts. Please try again in 15 minutes.',
    })
    await test.database.owner.query(
      "update identity_lock set locked_until = now(), failed_since = now() - interval '16 minutes'",
    )
    expect((await signIn(who.userName)).ChallengeName).toBe('SMS_MFA')
  })

  /** The same call from another address, or with the cookie of a browser. */
  const ask = async (operation: string, body: object, remoteAddress: string, cookie = '') => {
    const reply = await test.inject({
      method: 'POST',
      url: '/idp',
      remoteAddress,
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
        ...(cookie && { cookie }),
      },
      payload: JSON.stringify({ ClientId: 'lis-web', ...body }),
    })
    const { message, ChallengeName, Session } = reply.body
    return { ...reply, said: String(ChallengeName ?? message), session: String(Session) }
  }
  const signInFrom = (address: string, userName: string, pwd = password, cookie = '') =>
    ask(
      'InitiateAuth',
      { AuthFlow: 'USER_PASSWORD_AUTH', AuthParameters: { USERNAME: userName, PASSWORD: pwd } },
      address,
      cookie,
    )
  const lockFrom = async (address: string, userName: string) => {
    for (let attempt = 0; attempt < 6; attempt++) await signInFrom(address, userName, 'wrong')
  }
  const lockedOut = 'Too many failed attempts. Please try again in 15 minutes.'

  it('wrong passwords from one address do not lock out users at another', async () => {
    const who = await person()
    await lockFrom('192.0.2.1', who.userName)
    expect((await signInFrom('192.0.2.1', who.userName)).said).toBe(lockedOut)
    expect((await signInFrom('192.0.2.2', who.userName)).said).toBe('SMS_MFA')
  })

  it('a sign-in elsewhere does not reset the guesses of an address', async () => {
    const who = await person()
    await lockFrom('192.0.2.1', who.userName)
    await fullSignIn(who)
    expect((await signInFrom('192.0.2.1', who.userName)).said).toBe(lockedOut)
  })

  it('one IPv6 subscriber counts as one address', async () => {
    const who = await person()
    for (let attempt = 0; attempt < 5; attempt++)
      await signInFrom(`2001:db8:1:2::${attempt + 1}`, who.userName, 'wrong')
    expect((await signInFrom('2001:db8:1:2:ffff::1', who.userName)).said).toBe(lockedOut)
    expect((await signInFrom('2001:db8:1:3::1', who.userName)).said).toBe('SMS_MFA')
  })

  it('a browser that has signed in before can sign in although its address, or every unknown one, is locked', async () => {
    const who = await person()
    const { session } = await signInFrom('192.0.2.1', who.userName)
    const USERNAME = who.userName
    const ChallengeResponses = { USERNAME, SMS_MFA_CODE: await codeSentTo(who.phone) }
    const answer = { ChallengeName: 'SMS_MFA', Session: session, ChallengeResponses }
    const { headers } = await ask('RespondToAuthChallenge', answer, '192.0.2.1')
    const [cookie = ''] = String(headers['set-cookie']).split('; ')
    expect(headers['set-cookie']).toMatch(/^lis-device=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict/)
    await lockFrom('192.0.2.1', who.userName)
    expect((await signInFrom('192.0.2.1', who.userName)).said).toBe(lockedOut)
    expect((await signInFrom('192.0.2.1', who.userName, password, cookie)).said).toBe('SMS_MFA')
    // The whole world guesses: fifty in all, then nobody unknown is heard.
    for (let no = 0; no < 10; no++) await lockFrom(`198.51.100.${no}`, who.userName)
    expect((await signInFrom('203.0.113.1', who.userName)).said).toBe(lockedOut)
    expect((await signInFrom('203.0.113.1', who.userName, password, cookie)).said).toBe('SMS_MFA')
    // It has five guesses of its own and no more, and none at another account.
    const other = await person()
    await lockFrom('203.0.113.2', other.userName)
    expect((await signInFrom('203.0.113.2', other.userName, password, cookie)).said).toBe(lockedOut)
    for (let attempt = 0; attempt < 5; attempt++) await signInFrom('203.0.113.1', who.userName, 'wrong', cookie)
    expect((await signInFrom('203.0.113.1', who.userName, password, cookie)).said).toBe(lockedOut)
  })

  it('a reset link works while the account is locked, and unlocks it', async () => {
    const who = await person()
    await lockFrom('127.0.0.1', who.userName)
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const token = /\/reset\/([\w-]+)/.exec(await lastMessage(who.email))?.[1] ?? ''
    const reset = { userName: who.userName, newPwd: 'Brand-New-Horse-2026!', token }
    expect((await test.nobody.put('mfa/confirm_pwd', reset)).body.data).toEqual({ challengeName: 'SMS_MFA' })
    const done = { ...reset, verificationCode: await codeSentTo(who.phone) }
    expect((await test.nobody.put('mfa/confirm_pwd', done)).status).toBe(200)
    expect((await fullSignIn(who, reset.newPwd)).AccessToken).toBeTruthy()
  })

  it('right passwords send at most five unanswered codes, also concurrently, and then an error', async () => {
    const who = await person()
    const enough = 'Too many authentication codes were sent to this phone. Please try again in 15 minutes.'
    const sent = async () =>
      (await test.database.owner.query('select 1 from outbox_message where recipient = $1', [who.phone])).rowCount
    const answers: unknown[] = []
    for (let round = 0; round < 3; round++) {
      const some = Array.from({ length: 4 }, () => signIn(who.userName).catch((error: Error) => error.message))
      answers.push(...(await Promise.all(some)))
    }
    expect(answers.filter((answer) => answer === enough)).toHaveLength(7)
    expect(await sent()).toBe(5)
    await test.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    const token = /\/reset\/([\w-]+)/.exec(await lastMessage(who.email))?.[1] ?? ''
    const begun = await test.nobody.put('mfa/confirm_pwd', {
      userName: who.userName,
      newPwd: 'Brand-New-Horse-2026!',
      token,
    })
    expect([begun.status, begun.body.message, await sent()]).toEqual([429, enough, 5])
    await test.database.owner.query(
      `update identity_challenge set created_at = created_at - interval '15 minutes'
       where sub = (select sub from identity_user where user_id = $1)`,
      [who.id],
    )
    // Somebody who signs in with each code is not limited.
    for (let time = 0; time < 7; time++) expect((await fullSignIn(who)).AccessToken).toBeTruthy()
  })

  it('of a hundred concurrent guesses only five are checked', async () => {
    const who = await person()
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => signIn(who.userName, 'wrong').catch((error: Error) => error.message)),
    )
    expect(answers.filter((answer) => answer === 'Incorrect username or password.')).toHaveLength(5)
  })

  it('guesses at codes count towards the same five, however often the password was right', async () => {
    const who = await person()
    const outcomes: string[] = []
    for (let attempt = 0; attempt < 7; attempt++) {
      const step = await signIn(who.userName).catch((error: Error) => error)
      if (step instanceof Error) outcomes.push(step.message)
      else
        outcomes.push(
          await respond('SMS_MFA', step.Session, { USERNAME: who.userName, SMS_MFA_CODE: 'xxxxxx' }).then(
            () => 'in',
            (error: Error) => error.message,
          ),
        )
    }
    expect(outcomes.filter((outcome) => outcome.startsWith('Invalid code'))).toHaveLength(5)
    expect(outcomes.at(-1)).toContain('Too many failed attempts')
  })

  it('a disabled account is rejected like a wrong password', async () => {
    const who = await person()
    await test.database.owner.query("update app_user set status_code = 'LCK' where id = $1", [who.id])
    await expect(signIn(who.userName)).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: 'Incorrect username or password.',
    })
  })

  it('an unknown name takes as long as a wrong password', async () => {
    const who = await person()
    const time = async (name: string) => {
      await test.database.owner.query('delete from identity_lock')
      const started = performance.now()
      await signIn(name, 'wrong').catch(() => undefined)
      return performance.now() - started
    }
    const median = async (name: string) => {
      const times: number[] = []
      for (let run = 0; run < 9; run++) times.push(await time(name))
      return times.sort((a, b) => a - b)[4] ?? 0
    }
    const [known, unknown] = [await median(who.userName), await median('no-such-person')]
    // The hash alone takes longer than this margin: without it the unknown name would answer in a fraction of the time.
    expect(unknown).toBeGreaterThan(known * 0.5)
  })

  it('a 10 MB user name is rejected without an internal error', async () => {
    const { status } = await test.inject({
      method: 'POST',
      url: '/idp',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSCognitoIdentityProviderService.InitiateAuth',
      },
      payload: JSON.stringify({
        AuthFlow: 'USER_PASSWORD_AUTH',
        ClientId: 'lis-web',
        AuthParameters: { USERNAME: 'x'.repeat(10_000_000), PASSWORD: 'y' },
      }),
    })
    expect(status).toBe(413)
  })

  it.each([
    'not json',
    '[]',
    '5',
    '{"AuthFlow":"NOPE"}',
    '{"AuthFlow":"USER_PASSWORD_AUTH","ClientId":"other","AuthParameters":{}}',
  ])('%s is a 400', async (payload) => {
    const { status } = await test.inject({
      method: 'POST',
      url: '/idp',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSCognitoIdentityProviderService.InitiateAuth',
      },
      payload,
    })
    expect(status).toBe(400)
  })

  it('a token with alg none, or signed by another key, is rejected', async () => {
    const who = await person()
    const { AccessToken } = await fullSignIn(who)
    const claims = JSON.parse(Buffer.from(AccessToken.split('.')[1] ?? '', 'base64url').toString())
    const header = JSON.parse(Buffer.from(AccessToken.split('.')[0] ?? '', 'base64url').toString())
    const none = new UnsecuredJWT(claims).encode()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const forged = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
    const tampered = `${AccessToken.slice(0, -4)}AAAA`
    for (const token of [none, forged, tampered, 'x', `${AccessToken}.x`])
      expect((await exchange(token)).status).toBe(401)
  })

  it('every attempt is recorded', async () => {
    const who = await person()
    await signIn(who.userName, 'wrong').catch(() => undefined)
    await fullSignIn(who)
    const { rows } = await test.database.owner.query(
      'select kind, succeeded from identity_event where user_name = $1 order by id',
      [who.userName],
    )
    expect(rows).toEqual([
      { kind: 'PASSWORD', succeeded: false },
      { kind: 'PASSWORD', succeeded: true },
      { kind: 'CODE', succeeded: true },
      { kind: 'SIGN_IN', succeeded: true },
    ])
    const audit = await test.database.owner.query(
      "select action from audit_entry where entity = 'sign_in' and actor_id = $1 order by id",
      [who.id],
    )
    expect(audit.rows.map((row) => row.action)).toEqual(['PASSWORD_FAILED', 'PASSWORD', 'CODE', 'SIGN_IN'])
  })

  it('a lock is in the audit, without the name if it is unknown', async () => {
    const typed = 'My-Secret-Password-1!'
    for (let attempt = 0; attempt < 7; attempt++) await signIn(typed, 'wrong').catch(() => undefined)
    const { rows } = await test.database.owner.query(
      "select action, actor_name, a::text as whole from audit_entry a where action = 'LOCK' order by id desc limit 1",
    )
    expect([rows[0].action, rows[0].actor_name, rows[0].whole.includes(typed)]).toEqual([
      'LOCK',
      '(unknown name)',
      false,
    ])
  })
})

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
