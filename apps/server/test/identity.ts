import {
  CognitoIdentityProviderClient,
  InitiateAuthCommand,
  RespondToAuthChallengeCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { beforeAll } from 'vitest'
import { openTestApp } from './app.ts'

const password = 'Correct-Horse-2026!'

/** An application whose user pool is called over HTTP through the official client. Set up before the first test. */
export const openIdentityTest = () => {
  const test = openTestApp({ env: { SIGN_IN_LIMIT_PER_MINUTE: '1000000', TEMPORARY_PASSWORD_DAYS: '3' } })
  const client = {} as CognitoIdentityProviderClient

  beforeAll(async () => {
    const address = await test.app.listen({ port: 0, host: '127.0.0.1' })
    const opened = new CognitoIdentityProviderClient({
      region: 'local',
      endpoint: `${address}/idp`,
      credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
      maxAttempts: 1,
    })
    client.send = opened.send.bind(opened)
  })

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

  return { client, codeSentTo, exchange, fullSignIn, lastMessage, password, person, refresh, respond, signIn, test }
}
