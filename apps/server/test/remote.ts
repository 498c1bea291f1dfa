import type { Pool } from 'pg'
import { multipart, storagePath } from './multipart.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
type Any = any

export interface RemoteReply {
  status: number
  body: Any
}

/** A user's calls over the network to a product in a separate process. Throws when it does not answer. */
export const remote = (url: string, token: string) => {
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<RemoteReply> => {
    const reply = await fetch(`${url}/api/v3.0/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    return { status: reply.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  /** Sends a file as a browser does; the address of the slot is that of the public name, which a test need not have. */
  const send = async ({ fields }: { fields: Record<string, string> }, bytes: Buffer): Promise<number> => {
    const { payload, headers } = multipart(fields, bytes)
    return (await fetch(`${url}${storagePath(fields)}`, { method: 'POST', headers, body: new Uint8Array(payload) }))
      .status
  }
  return { call, send, token, url }
}
export type Remote = ReturnType<typeof remote>

const askPool = async (url: string, operation: string, body: object): Promise<Any> => {
  const reply = await fetch(`${url}/idp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: JSON.stringify({ ClientId: 'lis-web', ...body }),
  })
  if (reply.status !== 200) throw new Error(`${operation}: ${reply.status} ${await reply.text()}`)
  return reply.json()
}

/** The complete sign-in: password, code (read from the outbox), session. */
export const signInAt = async (url: string, pool: Pool, userName: string, password: string): Promise<Remote> => {
  const { Session } = await askPool(url, 'InitiateAuth', {
    AuthFlow: 'USER_PASSWORD_AUTH',
    AuthParameters: { USERNAME: userName, PASSWORD: password },
  })
  const { rows } = await pool.query<{ body: string }>(
    `select m.body from outbox_message m join app_user u on m.recipient = u.phone
     where u.user_name = $1 and m.channel = 'SMS' order by m.id desc limit 1`,
    [userName],
  )
  const code = /\b\d{6}\b/.exec(rows[0]?.body ?? '')?.[0]
  const { AuthenticationResult } = await askPool(url, 'RespondToAuthChallenge', {
    ChallengeName: 'SMS_MFA',
    Session,
    ChallengeResponses: { USERNAME: userName, SMS_MFA_CODE: code },
  })
  const { status, body } = await remote(url, '').call('POST', 'mfa/login', {
    accessToken: AuthenticationResult.AccessToken,
  })
  if (status !== 200) throw new Error(`mfa/login: ${status}`)
  return remote(url, body.data.token)
}
