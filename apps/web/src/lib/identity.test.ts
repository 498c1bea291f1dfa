import { describe, expect, it } from 'vitest'
import { createIdentityClient } from './identity.ts'

const pool = (status: number, reply: unknown) => {
  const sent: { target: string | null; body: unknown }[] = []
  const fetchNow: typeof fetch = async (_, init) => {
    sent.push({ target: new Headers(init?.headers).get('x-amz-target'), body: JSON.parse(String(init?.body)) })
    return new Response(JSON.stringify(reply), { status })
  }
  return {
    sent,
    client: createIdentityClient(fetchNow, async () => ({ endpoint: 'http://idp.test/', clientId: 'web' })),
  }
}
const tokens = { AccessToken: 'a', IdToken: 'i', RefreshToken: 'r' }

describe('the user pool client', () => {
  it('SIGN-51 signs in with name and password', async () => {
    const { client, sent } = pool(200, { AuthenticationResult: tokens })
    expect(await client.signIn('staff', 'secret')).toEqual({
      tokens: { accessToken: 'a', idToken: 'i', refreshToken: 'r' },
    })
    expect(sent[0]).toEqual({
      target: 'AWSCognitoIdentityProviderService.InitiateAuth',
      body: {
        ClientId: 'web',
        AuthFlow: 'USER_PASSWORD_AUTH',
        AuthParameters: { USERNAME: 'staff', PASSWORD: 'secret' },
      },
    })
  })
  it('SIGN-24 returns the challenge and where its code was sent', async () => {
    const { client } = pool(200, {
      ChallengeName: 'SMS_MFA',
      Session: 's',
      ChallengeParameters: { CODE_DELIVERY_DESTINATION: '+*********42', USER_ID_FOR_SRP: 'staff' },
    })
    expect(await client.signIn('Staff', 'secret')).toEqual({
      challenge: { name: 'SMS_MFA', session: 's', userName: 'staff', destination: '+*********42' },
    })
  })
  it.each([
    ['Invalid code or auth state for the user.', 'The code was not right. Please sign in again for a new one.'],
    ['Invalid session for the user, session is expired.', 'The sign-in took too long. Please start again.'],
    ['Incorrect username or password.', 'Incorrect username or password.'],
    ['Code mismatch', 'The code was not right. Please enter the code that your app shows now.'],
  ])('explains %s to the user', async (message, words) => {
    const { client } = pool(400, { __type: 'NotAuthorizedException', message })
    await expect(client.signIn('staff', 'secret')).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: words,
    })
  })
  it.each([
    ['SMS_MFA', 'The code was not right. Please sign in again for a new one.'],
    ['SOFTWARE_TOKEN_MFA', 'The code was not right. Please sign in again and enter the code that your app shows then.'],
  ] as const)('says where the next code comes from after a wrong code for %s', async (name, words) => {
    const { client } = pool(400, {
      __type: 'NotAuthorizedException',
      message: 'Invalid code or auth state for the user.',
    })
    const answer = client.answer({ name, session: 's', userName: 'staff', destination: undefined }, '000000')
    await expect(answer).rejects.toMatchObject({ message: words })
  })
  it.each([
    ['SIGN-52', 'SMS_MFA', 'SMS_MFA_CODE'],
    ['SIGN-52', 'SOFTWARE_TOKEN_MFA', 'SOFTWARE_TOKEN_MFA_CODE'],
    ['SIGN-53', 'NEW_PASSWORD_REQUIRED', 'NEW_PASSWORD'],
  ] as const)('%s answers %s with %s', async (_, name, answerName) => {
    const { client, sent } = pool(200, { AuthenticationResult: tokens })
    await client.answer({ name, session: 's', userName: 'staff', destination: undefined }, 'answer')
    expect(sent[0]).toMatchObject({
      target: 'AWSCognitoIdentityProviderService.RespondToAuthChallenge',
      body: { ChallengeName: name, Session: 's', ChallengeResponses: { USERNAME: 'staff', [answerName]: 'answer' } },
    })
  })
  it('SIGN-54 refreshes, and keeps the old refresh token if the pool sends no new one', async () => {
    const { client, sent } = pool(200, { AuthenticationResult: { AccessToken: 'a2', IdToken: 'i2' } })
    expect(await client.refresh({ accessToken: 'a', idToken: 'i', refreshToken: 'r' })).toEqual({
      accessToken: 'a2',
      idToken: 'i2',
      refreshToken: 'r',
    })
    expect(sent[0]?.body).toMatchObject({ AuthFlow: 'REFRESH_TOKEN_AUTH', AuthParameters: { REFRESH_TOKEN: 'r' } })
  })
  it('names an error as the protocol does', async () => {
    const { client } = pool(400, {
      __type: 'com.amazonaws#NotAuthorizedException',
      message: 'Incorrect username or password.',
    })
    await expect(client.signIn('staff', 'wrong')).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: 'Incorrect username or password.',
    })
  })
  it('refuses a challenge without a screen', async () => {
    const { client } = pool(200, { ChallengeName: 'MFA_SETUP', Session: 's' })
    await expect(client.signIn('staff', 'secret')).rejects.toThrow('MFA_SETUP')
  })
})
