import { noResponseError } from './api-error.ts'
import type { IdentityTokens } from './session-store.ts'

export interface IdentitySettings {
  endpoint: string
  clientId: string
}

/** The next step of a sign-in. */
export interface Challenge {
  name: 'SMS_MFA' | 'SOFTWARE_TOKEN_MFA' | 'NEW_PASSWORD_REQUIRED'
  session: string
  userName: string
  /** Where the code was sent, masked: '+*********42'. */
  destination: string | undefined
}
export type SignInStep = { challenge: Challenge } | { tokens: IdentityTokens }

/** A refusal by the user pool, with the protocol's name for it. */
export class IdentityError extends Error {
  override readonly name: string
  /** Status of the response. */
  readonly status: number
  constructor(name: string, message: string, status = 400) {
    super(message)
    this.name = name
    this.status = status
  }
  /** Not a refusal: the pool, or a proxy in front of it, is busy or broken. */
  get isPassing() {
    return this.status === 429 || this.status >= 500 || temporaryErrors.includes(this.name)
  }
}
const unknownError = 'UnknownError'
const temporaryErrors = [unknownError, 'TooManyRequestsException', 'LimitExceededException', 'InternalErrorException']

/** How a user receives sign-in codes. */
export type SecondFactor = 'SMS_MFA' | 'SOFTWARE_TOKEN_MFA'

interface PoolReply {
  PreferredMfaSetting?: string
  SecretCode?: string
  ChallengeName?: string
  Session?: string
  ChallengeParameters?: Record<string, string>
  AuthenticationResult?: { AccessToken: string; IdToken: string; RefreshToken?: string }
}

const answerNames = {
  SMS_MFA: 'SMS_MFA_CODE',
  SOFTWARE_TOKEN_MFA: 'SOFTWARE_TOKEN_MFA_CODE',
  NEW_PASSWORD_REQUIRED: 'NEW_PASSWORD',
} as const

/** The calls of the Cognito protocol that a sign-in needs, to the embedded pool or a real one. */
export const createIdentityClient = (fetchNow: typeof fetch, settings: () => Promise<IdentitySettings>) => {
  const send = async (
    operation: string,
    body: { ChallengeName?: Challenge['name']; [name: string]: unknown },
    signal?: AbortSignal,
  ): Promise<PoolReply> => {
    const { endpoint, clientId } = await settings()
    const response = await fetchNow(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
      },
      body: JSON.stringify({ ClientId: clientId, ...body }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      throw noResponseError(error)
    })
    const reply = (await response.json().catch(() => ({}))) as PoolReply & { __type?: string; message?: string }
    if (response.ok) return reply
    throw new IdentityError(
      reply.__type?.split('#').at(-1) ?? unknownError,
      userMessage(reply.message ?? 'Unknown Error', body.ChallengeName),
      response.status,
    )
  }
  return {
    signIn: async (userName: string, password: string): Promise<SignInStep> =>
      toStep(
        await send('InitiateAuth', {
          AuthFlow: 'USER_PASSWORD_AUTH',
          AuthParameters: { USERNAME: userName, PASSWORD: password },
        }),
        userName,
      ),
    answer: async ({ name, session, userName }: Challenge, answer: string): Promise<SignInStep> =>
      toStep(
        await send('RespondToAuthChallenge', {
          ChallengeName: name,
          Session: session,
          ChallengeResponses: { USERNAME: userName, [answerNames[name]]: answer },
        }),
        userName,
      ),
    refresh: async (tokens: IdentityTokens, signal?: AbortSignal): Promise<IdentityTokens> => {
      const reply = await send(
        'InitiateAuth',
        { AuthFlow: 'REFRESH_TOKEN_AUTH', AuthParameters: { REFRESH_TOKEN: tokens.refreshToken } },
        signal,
      )
      return toTokens(reply, tokens.refreshToken)
    },
    /** The second factor in use; null for an account without one. */
    secondFactor: async (accessToken: string): Promise<SecondFactor | null> => {
      const { PreferredMfaSetting: name } = await send('GetUser', { AccessToken: accessToken })
      return name === 'SMS_MFA' || name === 'SOFTWARE_TOKEN_MFA' ? name : null
    },
    /** A new secret for an authenticator app; takes effect once a code made from it has been verified. */
    newAuthenticator: async (accessToken: string): Promise<string> =>
      (await send('AssociateSoftwareToken', { AccessToken: accessToken })).SecretCode ?? '',
    verifyAuthenticator: async (accessToken: string, code: string): Promise<void> => {
      await send('VerifySoftwareToken', { AccessToken: accessToken, UserCode: code })
    },
    chooseFactor: async (accessToken: string, factor: SecondFactor): Promise<void> => {
      const choice = (name: SecondFactor) => ({ Enabled: name === factor, PreferredMfa: name === factor })
      await send('SetUserMFAPreference', {
        AccessToken: accessToken,
        SMSMfaSettings: choice('SMS_MFA'),
        SoftwareTokenMfaSettings: choice('SOFTWARE_TOKEN_MFA'),
      })
    },
  }
}

/** Replaces a pool's technical messages by ones for users. */
const userMessage = (message: string, challenge: Challenge['name'] | undefined): string => {
  if (message.startsWith('Invalid code'))
    return challenge === 'SOFTWARE_TOKEN_MFA'
      ? 'The code was not right. Please sign in again and enter the code that your app shows then.'
      : 'The code was not right. Please sign in again for a new one.'
  if (message.startsWith('Code mismatch'))
    return 'The code was not right. Please enter the code that your app shows now.'
  if (message.startsWith('Invalid session')) return 'The sign-in took too long. Please start again.'
  return message
}

const toStep = (reply: PoolReply, userName: string): SignInStep => {
  const name = reply.ChallengeName
  if (!name) return { tokens: toTokens(reply) }
  if (!(name in answerNames))
    throw new IdentityError('UnknownChallenge', `This sign-in asks for ${name}, which is not supported.`)
  const parameters = reply.ChallengeParameters ?? {}
  return {
    challenge: {
      name: name as Challenge['name'],
      session: reply.Session ?? '',
      // The pool's user name may differ from the typed one (an e-mail address, other case).
      userName: parameters.USER_ID_FOR_SRP ?? userName,
      destination: parameters.CODE_DELIVERY_DESTINATION,
    },
  }
}

/** A pool that does not rotate refresh tokens sends none back: the old one stays valid. */
const toTokens = ({ AuthenticationResult: result }: PoolReply, oldRefreshToken = ''): IdentityTokens => {
  if (!result) throw new IdentityError(unknownError, 'Unknown Error')
  return {
    accessToken: result.AccessToken,
    idToken: result.IdToken,
    refreshToken: result.RefreshToken ?? oldRefreshToken,
  }
}
