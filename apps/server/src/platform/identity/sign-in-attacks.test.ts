import { generateKeyPairSync } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { openIdentityTest } from '../../../test/identity.ts'

const { codeSentTo, exchange, fullSignIn, lastMessage, password, person, respond, signIn, test } = openIdentityTest()

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
    for (const name of [who.userName, 'nobody-has-this-name']) {
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
    // Guesses from everywhere: after fifty in all, unknown devices are refused.
    for (let no = 0; no < 10; no++) await lockFrom(`198.51.100.${no}`, who.userName)
    expect((await signInFrom('203.0.113.1', who.userName)).said).toBe(lockedOut)
    expect((await signInFrom('203.0.113.1', who.userName, password, cookie)).said).toBe('SMS_MFA')
    // It has five separate attempts, and none for another account.
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
    // In turn, and the fastest of each: other work of the machine does not count.
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let run = 0; run < 9; run++) {
      known = Math.min(known, await time(who.userName))
      unknown = Math.min(unknown, await time('no-such-person'))
    }
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
