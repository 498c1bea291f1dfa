import type { Pool } from '../apps/server/src/platform/db/pool.ts'
import { hashPassword } from '../apps/server/src/platform/identity/pool/passwords.ts'
import { call } from './measure.ts'

/** An account with a password; each has its own phone, so that their codes can be distinguished. */
export interface Account {
  userName: string
  phone: string
}

const password = 'Correct-Horse-2026!'

/** Fresh accounts: a former run may have left codes that nobody entered. */
export const openAccounts = async (owner: Pool, count: number): Promise<Account[]> => {
  const hash = await hashPassword(password)
  const accounts = Array.from({ length: count }, (_, index) => ({
    userName: `bench sign-in ${index}`,
    phone: `55501${String(index).padStart(5, '0')}`,
  }))
  for (const { userName, phone } of accounts) {
    await owner.query('update app_user set deleted_at = now() where user_name = $1 and deleted_at is null', [userName])
    await owner.query(
      `with created as (
         insert into app_user (user_name, first_name, last_name, email, phone, role_code)
         values ($1, 'Bench', 'Mark', 'bench@example.com', $2, 'ADM') returning id)
       insert into identity_user (user_id, password_hash, password_set_at) select id, $3, now() from created`,
      [userName, phone, hash],
    )
  }
  return accounts
}

interface PoolReply {
  Session?: string
  AuthenticationResult?: { AccessToken: string }
}

/** Password, code from the message, and the session in exchange for the access token. */
export const signIn = async (url: string, owner: Pool, { userName, phone }: Account) => {
  const { Session } = await askPool(url, 'InitiateAuth', {
    AuthFlow: 'USER_PASSWORD_AUTH',
    AuthParameters: { USERNAME: userName, PASSWORD: password },
  })
  const { rows } = await owner.query<{ body: string }>(
    `select body from outbox_message where recipient like '%' || $1 order by id desc limit 1`,
    [phone],
  )
  const code = /\b(\d{6})\b/.exec(rows[0]?.body ?? '')?.[1] ?? ''
  const { AuthenticationResult } = await askPool(url, 'RespondToAuthChallenge', {
    ChallengeName: 'SMS_MFA',
    Session,
    ChallengeResponses: { USERNAME: userName, SMS_MFA_CODE: code },
  })
  await post(`${url}/api/v3.0/mfa/login`, { accessToken: AuthenticationResult?.AccessToken })
}

const askPool = async (url: string, operation: string, body: object): Promise<PoolReply> =>
  JSON.parse(
    await post(
      `${url}/idp`,
      { ClientId: 'lis-web', ...body },
      { 'x-amz-target': `AWSCognitoIdentityProviderService.${operation}` },
    ),
  )

const post = async (url: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
  const { status, text } = await call({ url, headers }, { method: 'POST', body })
  if (status !== 200) throw new Error(`${url} answered ${status}: ${text.slice(0, 300)}`)
  return text
}
