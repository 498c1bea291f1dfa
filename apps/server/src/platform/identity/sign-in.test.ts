import {
  AssociateSoftwareTokenCommand,
  ChangePasswordCommand,
  ConfirmForgotPasswordCommand,
  ForgotPasswordCommand,
  GetUserCommand,
  GlobalSignOutCommand,
  RespondToAuthChallengeCommand,
  RevokeTokenCommand,
  SetUserMFAPreferenceCommand,
  VerifySoftwareTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openIdentityTest } from '../../../test/identity.ts'
import type { PoolContext } from './pool/context.ts'

const { client, codeSentTo, exchange, fullSignIn, password, person, refresh, respond, signIn, test } =
  openIdentityTest()

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
    // The replay has revoked the family.
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
