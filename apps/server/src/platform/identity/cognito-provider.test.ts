import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  AdminResetUserPasswordCommand,
  CognitoIdentityProviderClient,
  InitiateAuthCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { buildCognitoServer } from '../../../test/cognito/server.ts'
import { cognitoProvider } from './cognito-provider.ts'
import type { PoolContext } from './pool/context.ts'
import type { IdentityProvider } from './provider.ts'

// Our own pool takes the place of an external one: the provider calls it over HTTP through the official client, as it would call the cloud.
const pool = openTestApp({ env: { SIGN_IN_LIMIT_PER_MINUTE: '1000000', TEMPORARY_PASSWORD_DAYS: '3' } })
const here = openTestApp()
let provider: IdentityProvider
let client: CognitoIdentityProviderClient
let server: FastifyInstance
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }

beforeAll(async () => {
  server = await buildCognitoServer(pool.services.identityPool as PoolContext)
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const endpoint = `${address}/idp`
  client = new CognitoIdentityProviderClient({ region: 'local', endpoint, credentials, maxAttempts: 1 })
  // Tokens of the test pool name its public address, which nothing listens at; so their keys are read where it really is.
  provider = cognitoProvider({
    region: 'local',
    userPoolId: 'local_lis',
    clientId: 'lis-web',
    endpoint,
    credentials,
    issuer: endpoint,
  })
  here.services.identity = provider
})

afterAll(() => server.close())

const temporaryPassword = 'Temporary-Horse-2026!'
const password = 'Permanent-Horse-2026!'

const newPerson = async () => {
  const { id } = await here.given.user('STF')
  const { user_name: userName } = (
    await here.database.owner.query('select user_name from app_user where id = $1', [id])
  ).rows[0]
  const { sub } = await provider.createUser(here.database.db, {
    userId: id,
    userName,
    temporaryPassword,
  })
  return { id, userName: userName as string, sub }
}
const signIn = (USERNAME: string, PASSWORD: string) =>
  client.send(
    new InitiateAuthCommand({
      AuthFlow: 'USER_PASSWORD_AUTH',
      ClientId: 'lis-web',
      AuthParameters: { USERNAME, PASSWORD },
    }),
  )

const emailOf = async (id: number): Promise<string> =>
  (await here.database.owner.query('select email from app_user where id = $1', [id])).rows[0].email
/** The temporary passwords of the invitations to an address. */
const invitationsTo = async (email: string): Promise<string[]> => {
  const { rows } = await here.database.owner.query('select body from outbox_message where recipient = $1', [email])
  return rows.flatMap(({ body }) => /Temporary password: (\S+)/.exec(body)?.[1] ?? [])
}

describe('an external pool through the official client', () => {
  it('creates a user there and stores its sub here', async () => {
    const who = await newPerson()
    const { rows } = await here.database.owner.query(
      'select sub, password_hash from identity_user where user_id = $1',
      [who.id],
    )
    expect(rows).toEqual([{ sub: who.sub, password_hash: null }])
    expect((await signIn(who.userName, temporaryPassword)).ChallengeName).toBe('NEW_PASSWORD_REQUIRED')
  })

  it('SIGN-26 a temporary password is valid there as long as the setting of the pool says', async () => {
    const { userName } = await newPerson()
    const daysLeft = async () => {
      const { rows } = await pool.database.owner.query(
        `select extract(epoch from i.temporary_expires_at - now()) / 86400 as days
         from identity_user i join app_user u on u.id = i.user_id where u.user_name = $1`,
        [userName],
      )
      return Number(rows[0].days)
    }
    expect(await daysLeft()).toBeCloseTo(3, 2)
    await provider.setPassword(here.database.db, userName, password, true)
    await provider.setPassword(here.database.db, userName, temporaryPassword, false)
    expect(await daysLeft()).toBeCloseTo(3, 2)
  })

  it('sets a password, disables, enables, sends codes by SMS again, deletes', async () => {
    const { userName } = await newPerson()
    await provider.setPassword(here.database.db, userName, password, true)
    expect((await signIn(userName, password)).ChallengeName).toBe('SMS_MFA')
    await provider.disableUser(here.database.db, userName)
    await expect(signIn(userName, password)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    expect((await client.send(new AdminGetUserCommand({ UserPoolId: 'local_lis', Username: userName }))).Enabled).toBe(
      false,
    )
    await provider.enableUser(here.database.db, userName)
    expect((await signIn(userName, password)).ChallengeName).toBe('SMS_MFA')
    await pool.database.owner.query(
      `update identity_user set mfa_preference = 'TOTP' where user_id = (select id from app_user where user_name = $1)`,
      [userName],
    )
    expect((await signIn(userName, password)).ChallengeName).toBe('SOFTWARE_TOKEN_MFA')
    await provider.sendCodesBySms(here.database.db, userName)
    expect((await signIn(userName, password)).ChallengeName).toBe('SMS_MFA')
    await provider.signOutEverywhere(here.database.db, userName)
    await client.send(new AdminResetUserPasswordCommand({ UserPoolId: 'local_lis', Username: userName }))
    await provider.deleteUser(here.database.db, userName)
    await expect(
      client.send(new AdminGetUserCommand({ UserPoolId: 'local_lis', Username: userName })),
    ).rejects.toMatchObject({ name: 'UserNotFoundException' })
  })

  it('updates the mail address and phone in the pool', async () => {
    const { userName } = await newPerson()
    await provider.updateContact(here.database.db, userName, { email: 'new@example.com', phone: '16175550199' })
    const { UserAttributes } = await client.send(
      new AdminGetUserCommand({ UserPoolId: 'local_lis', Username: userName }),
    )
    expect(UserAttributes).toEqual(
      expect.arrayContaining([
        { Name: 'email', Value: 'new@example.com' },
        { Name: 'phone_number', Value: '+16175550199' },
      ]),
    )
    await expect(
      provider.updateContact(here.database.db, 'nobody', { email: 'a@example.com', phone: '1' }),
    ).rejects.toMatchObject({ name: 'UserNotFoundException' })
  })

  it('creates a deleted account again when its user is restored, and invites the user', async () => {
    const who = await newPerson()
    const manager = await here.as('MGMT')
    expect((await manager.del(`mfa/users/${who.id}`)).status).toBe(200)
    await expect(signIn(who.userName, temporaryPassword)).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    const { status, body } = await manager.put(`deleted_records/user/${who.id}/restore`)
    const email = await emailOf(who.id)
    expect([status, body.message]).toEqual([
      200,
      `Successfully restored. An invitation with a temporary password goes to ${email}.`,
    ])
    const { rows } = await here.database.owner.query('select sub from identity_user where user_id = $1', [who.id])
    expect(rows).toHaveLength(1)
    expect(rows[0].sub).not.toBe(who.sub)
    const [invited = ''] = await invitationsTo(email)
    expect((await signIn(who.userName, invited)).ChallengeName).toBe('NEW_PASSWORD_REQUIRED')
  })

  it('restores a user again after the reply or the transaction of the first attempt was lost', async () => {
    const who = await newPerson()
    const manager = await here.as('MGMT')
    await manager.del(`mfa/users/${who.id}`)
    const lost = here.database.db.transaction().execute(async (trx) => {
      await provider.restoreUser(trx, { userId: who.id, userName: who.userName, temporaryPassword })
      await provider.disableUser(trx, who.userName)
      throw new Error('lost')
    })
    await expect(lost).rejects.toThrow('lost')
    const { status, body } = await manager.put(`deleted_records/user/${who.id}/restore`)
    const email = await emailOf(who.id)
    expect([status, body.message]).toEqual([
      200,
      `Successfully restored. An invitation with a temporary password goes to ${email}.`,
    ])
    const there = await client.send(new AdminGetUserCommand({ UserPoolId: 'local_lis', Username: who.userName }))
    const sub = there.UserAttributes?.find(({ Name }) => Name === 'sub')?.Value
    const { rows } = await here.database.owner.query('select sub from identity_user where user_id = $1', [who.id])
    expect([rows, there.Enabled]).toEqual([[{ sub }], true])
    const [invited = ''] = await invitationsTo(email)
    expect((await signIn(who.userName, invited)).ChallengeName).toBe('NEW_PASSWORD_REQUIRED')
  })

  it('restores a disabled user as disabled, and invites nobody', async () => {
    const who = await newPerson()
    const manager = await here.as('MGMT')
    expect((await manager.put(`users/${who.id}`, { userStatusCode: 'LCK' })).status).toBe(200)
    expect((await manager.del(`mfa/users/${who.id}`)).status).toBe(200)
    expect((await manager.put(`deleted_records/user/${who.id}/restore`)).body.message).toBe(
      'Successfully restored. The account is disabled, as it was; enable it and send a password link.',
    )
    const there = await client.send(new AdminGetUserCommand({ UserPoolId: 'local_lis', Username: who.userName }))
    expect([there.Enabled, await invitationsTo(await emailOf(who.id))]).toEqual([false, []])
  })

  it('does not reuse an account that someone else has created there with the same name', async () => {
    const who = await newPerson()
    const manager = await here.as('MGMT')
    await manager.del(`mfa/users/${who.id}`)
    const other = await here.given.user('STF')
    await provider.createUser(here.database.db, {
      userId: other.id,
      userName: who.userName,
      temporaryPassword,
    })
    const { status, body } = await manager.put(`deleted_records/user/${who.id}/restore`)
    expect([status, body.message]).toEqual([409, `The user pool has another account named ${who.userName}`])
  })

  it('USR-59 reports at the Username field that the pool has another account of that name', async () => {
    const userName = `taken-${Date.now()}`
    const other = await here.given.user('STF')
    await provider.createUser(here.database.db, { userId: other.id, userName, temporaryPassword })
    const { status, body } = await (await here.as('MGMT')).post('mfa/users', {
      userFirstName: 'Ada',
      userLastName: 'Lovelace',
      userEmail: 'ada@example.com',
      userName,
      userPhone: '1 (617) 555-0123',
      userRoleCode: 'ADM',
      deptIds: [await here.given.firstId('department')],
      isSubscribed: 0,
    })
    const message = `The user pool has another account named ${userName}`
    expect([status, body.errors]).toEqual([400, [{ field: 'userName', message }]])
  })

  it.each([
    ['has another mail address', { email: 'another@example.com' }],
    ['is in use', { isUsed: true }],
  ])(
    'nor one that nobody here has, but that %s',
    async (_, { email, isUsed }: { email?: string; isUsed?: boolean }) => {
      const who = await newPerson()
      const manager = await here.as('MGMT')
      await manager.del(`mfa/users/${who.id}`)
      await client.send(
        new AdminCreateUserCommand({
          UserPoolId: 'local_lis',
          Username: who.userName,
          TemporaryPassword: temporaryPassword,
          UserAttributes: [
            { Name: 'email', Value: email ?? (await emailOf(who.id)) },
            { Name: 'phone_number', Value: '+16175550100' },
          ],
        }),
      )
      if (isUsed) await provider.setPassword(here.database.db, who.userName, password, true)
      const { status, body } = await manager.put(`deleted_records/user/${who.id}/restore`)
      expect([status, body.message]).toEqual([409, `The user pool has another account named ${who.userName}`])
    },
  )

  it('passes on the errors of the pool by name', async () => {
    const { userName } = await newPerson()
    await expect(provider.setPassword(here.database.db, userName, 'short', true)).rejects.toMatchObject({
      name: 'InvalidPasswordException',
    })
    await expect(provider.disableUser(here.database.db, 'nobody')).rejects.toMatchObject({
      name: 'UserNotFoundException',
    })
    await expect(provider.verifyAccessToken('nonsense')).rejects.toMatchObject({ name: 'NotAuthorizedException' })
    await expect(provider.sendResetLink('nobody', { ip: '127.0.0.1', userAgent: undefined })).resolves.toBeUndefined()
  })

  /** A pool that refuses one operation and accepts all others. */
  const refusing = async (operation: string, name: string, message: string) => {
    const taken: { called: string; body: Record<string, unknown> }[] = []
    const server = createServer(async (request, response) => {
      const called = String(request.headers['x-amz-target']).split('.')[1] ?? ''
      const isRefused = called === operation
      taken.push({ called, body: (await json(request)) as Record<string, unknown> })
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
      response.end(JSON.stringify(isRefused ? { __type: name, message } : {}))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    here.services.identity = cognitoProvider({
      region: 'local',
      userPoolId: 'local_lis',
      clientId: 'lis-web',
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    })
    onTestFinished(() => {
      here.services.identity = provider
      server.close()
    })
    return taken
  }

  it('USR-63 invites a user again who has never signed in, since the pool sends no reset; to anonymous callers it reveals nothing', async () => {
    const who = await newPerson()
    const manager = await here.as('MGMT')
    const email = (await here.database.owner.query('select email from app_user where id = $1', [who.id])).rows[0].email
    const words = 'User password cannot be reset in the current state.'
    const taken = await refusing('ForgotPassword', 'NotAuthorizedException', words)
    const asked = await here.nobody.put(`mfa/forgot_pwd/${who.userName}`)
    expect([asked.status, asked.body.message, taken.length]).toEqual([
      200,
      'If this account exists, a link to reset the password has been sent.',
      1,
    ])
    const { status, body } = await manager.put(`mfa/reset_pwd/${who.id}`, { adminId: manager.userId })
    expect([status, body.message]).toEqual([200, `An invitation with a new temporary password goes to ${email}.`])
    const invitation = (
      await here.database.owner.query('select body from outbox_message where recipient = $1', [email])
    ).rows[0].body as string
    const [, Password = ''] = /Temporary password: (\S+)/.exec(invitation) ?? []
    expect(taken.at(-1)).toEqual({
      called: 'AdminSetUserPassword',
      body: { UserPoolId: 'local_lis', Username: who.userName, Password, Permanent: false },
    })
  })

  it.each([
    ['LimitExceededException', 'Attempt limit exceeded, please try after some time.', 429],
    ['InvalidParameterException', 'Cannot reset password for the user as there is no registered email', 409],
    ['NotAuthorizedException', 'User is disabled.', 409],
    ['UserNotFoundException', 'The user pool does not know this person', 409],
  ])(
    'USR-63 a reset that the pool refuses (%s) has a clear message, and signs nobody out',
    async (name, message, expected) => {
      const who = await newPerson()
      const manager = await here.as('MGMT')
      await refusing('ForgotPassword', name, message)
      const { status, body } = await manager.put(`mfa/reset_pwd/${who.id}`, { adminId: manager.userId })
      expect([status, body.message]).toEqual([expected, message])
    },
  )

  it('reports a pool that does not answer as the pool, and not as the database', async () => {
    const { id } = await newPerson()
    const manager = await here.as('MGMT')
    const endpoint = 'http://127.0.0.1:1'
    here.services.identity = cognitoProvider({
      region: 'local',
      userPoolId: 'local_lis',
      clientId: 'lis-web',
      endpoint,
      credentials,
    })
    onTestFinished(() => {
      here.services.identity = provider
    })
    const { status, body } = await manager.del(`mfa/users/${id}`)
    expect([status, body.message]).toEqual([503, 'The user pool cannot be reached, please try again'])
  })

  it('the embedded pool itself offers no administration', async () => {
    const { status, body } = await pool.inject({
      method: 'POST',
      url: '/idp/',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSCognitoIdentityProviderService.AdminDeleteUser',
      },
      payload: JSON.stringify({ UserPoolId: 'local_lis', Username: 'x' }),
    })
    expect([status, body.__type]).toEqual([400, 'UnknownOperationException'])
  })
})
