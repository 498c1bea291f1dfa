import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { expect } from 'vitest'
import type { Caller, TestApp } from './app.ts'

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export interface ClientKey {
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  jwk: Record<string, unknown> & { kid: string }
  alg: string
}

export const makeKey = async (kid: string, alg = 'ES384'): Promise<ClientKey> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, alg, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

let jti = 0

/** An assertion as a well-behaved client signs it; `claims` and `header` replace parts of it. */
export const signAssertion = (
  clientId: string,
  { privateKey, alg, jwk }: ClientKey,
  audience: string,
  { claims = {}, header = {} }: { claims?: JWTPayload; header?: Record<string, unknown> } = {},
): Promise<string> =>
  new SignJWT({
    iss: clientId,
    sub: clientId,
    aud: audience,
    exp: Math.floor(Date.now() / 1000) + 240,
    jti: `jti-${++jti}-${Date.now()}`,
    ...claims,
  })
    .setProtectedHeader({ alg, kid: jwk.kid, typ: 'JWT', ...header })
    .sign(privateKey)

/** A form to the token address, as the engineer of another system would send it. */
export const askToken = (test: TestApp, form: Record<string, string>, headers: Record<string, string> = {}) =>
  test.inject({
    method: 'POST',
    url: '/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
  })

export const basic = (clientId: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export interface TestClient {
  id: number
  clientId: string
  clientSecret: string
  token: string
}

/** A client with a secret, and a token of all its scopes. */
export const makeApiClient = async (
  test: TestApp,
  admin: Caller,
  input: Record<string, unknown>,
): Promise<TestClient> => {
  const { status, body } = await admin.post('api_clients', {
    name: 'Portal',
    scopes: ['system/*.cruds'],
    useSecret: 1,
    ...input,
  })
  expect([status, body]).toMatchObject([200, {}])
  const answer = await askToken(test, {}, basic(body.data.clientId, body.data.clientSecret))
  expect(answer.status).toBe(200)
  return { ...body.data, token: answer.body.access_token }
}
