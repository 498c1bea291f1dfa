import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminDisableUserCommand,
  AdminEnableUserCommand,
  AdminGetUserCommand,
  AdminSetUserMFAPreferenceCommand,
  AdminSetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  AdminUserGlobalSignOutCommand,
  type AttributeType,
  ChangePasswordCommand,
  CognitoIdentityProviderClient,
  type CognitoIdentityProviderClientConfig,
  CognitoIdentityProviderServiceException,
  ConfirmForgotPasswordCommand,
  ForgotPasswordCommand,
  InitiateAuthCommand,
  RespondToAuthChallengeCommand,
} from '@aws-sdk/client-cognito-identity-provider'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { toUnreachable } from '../aws.ts'
import type { Db } from '../db/db.ts'
import { IdentityError, type IdentityErrorName, type IdentityProvider, type NewIdentity } from './provider.ts'

export interface CognitoOptions {
  region: string
  userPoolId: string
  clientId: string
  /** Another endpoint than that of AWS, e.g. an emulator. */
  endpoint?: string
  credentials?: CognitoIdentityProviderClientConfig['credentials']
  /** The issuer of the pool's tokens; by default derived from region and pool. */
  issuer?: string
}

/** An external pool, through the official client. Our database only stores which `sub` belongs to which user. */
export const cognitoProvider = (options: CognitoOptions): IdentityProvider => {
  const { region, userPoolId: UserPoolId, clientId: ClientId } = options
  const issuer = options.issuer ?? `https://cognito-idp.${region}.amazonaws.com/${UserPoolId}`
  const client = new CognitoIdentityProviderClient({
    region,
    ...(options.endpoint && { endpoint: options.endpoint }),
    ...(options.credentials && { credentials: options.credentials }),
  })
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))
  const send = (async (command: Parameters<typeof client.send>[0]) => {
    try {
      return await client.send(command as never)
    } catch (error) {
      if (error instanceof CognitoIdentityProviderServiceException)
        throw new IdentityError(error.name as IdentityErrorName, error.message)
      throw toUnreachable(error, 'The user pool cannot be reached, please try again')
    }
  }) as typeof client.send

  /** Creates an account and returns its `sub`. An account that an earlier call created without linking it here is reused. */
  const createAccount = async (db: Db, { userId, userName, temporaryPassword }: NewIdentity): Promise<string> => {
    const account = { UserPoolId, Username: userName }
    const { email, phone } = await db
      .selectFrom('app_user')
      .select(['email', 'phone'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    const UserAttributes = contactAttributes({ email, phone })
    try {
      const { User } = await send(
        new AdminCreateUserCommand({
          ...account,
          TemporaryPassword: temporaryPassword,
          MessageAction: 'SUPPRESS', // we send the invitation
          UserAttributes,
        }),
      )
      return subOf(User?.Attributes)
    } catch (error) {
      if (!(error instanceof IdentityError && error.name === 'UsernameExistsException')) throw error
      const sub = await findUnlinked(db, userId, userName, email)
      if (!sub) throw error
      await send(new AdminUpdateUserAttributesCommand({ ...account, UserAttributes }))
      await send(new AdminSetUserPasswordCommand({ ...account, Password: temporaryPassword, Permanent: false }))
      await send(new AdminEnableUserCommand(account))
      return sub
    }
  }
  /**
   * The existing account of this user: already linked, or created by a call whose reply or transaction was lost. Nobody has ever signed in
   * to such an account, and it has the user's mail address; any other account may be someone else's.
   */
  const findUnlinked = async (db: Db, userId: number, Username: string, email: string): Promise<string | undefined> => {
    const { UserAttributes, UserStatus } = await send(new AdminGetUserCommand({ UserPoolId, Username }))
    const sub = subOf(UserAttributes)
    const owner = await db.selectFrom('identity_user').select('user_id').where('sub', '=', sub).executeTakeFirst()
    const isUnlinked =
      UserStatus === 'FORCE_CHANGE_PASSWORD' &&
      UserAttributes?.some(({ Name, Value }) => Name === 'email' && Value?.toLowerCase() === email.toLowerCase())
    return (owner ? owner.user_id === userId : isUnlinked) ? sub : undefined
  }
  const signOut = async (_: Db, Username: string) => {
    await send(new AdminUserGlobalSignOutCommand({ UserPoolId, Username }))
  }
  /** The first step of a sign-in; null for a wrong password. */
  const startSignIn = (USERNAME: string, PASSWORD: string) =>
    send(
      new InitiateAuthCommand({ AuthFlow: 'USER_PASSWORD_AUTH', ClientId, AuthParameters: { USERNAME, PASSWORD } }),
    ).catch(onlyIfWrong(null))
  return {
    publicSettings: {
      endpoint: options.endpoint ?? `https://cognito-idp.${region}.amazonaws.com/`,
      clientId: ClientId,
      region,
    },
    verifyAccessToken: async (token) => {
      const invalidToken = () => new IdentityError('NotAuthorizedException', 'Invalid Access Token')
      const { payload } = await jwtVerify(token, keys, { algorithms: ['RS256'], issuer }).catch(() => {
        throw invalidToken()
      })
      const { sub, username, origin_jti: origin, auth_time: authTime } = payload as Record<string, unknown>
      const isComplete = typeof sub === 'string' && typeof username === 'string' && typeof authTime === 'number'
      if (!isComplete || payload.token_use !== 'access' || payload.client_id !== ClientId) throw invalidToken()
      return {
        sub,
        userName: username,
        origin: typeof origin === 'string' ? origin : String(payload.jti),
        authTime: new Date(authTime * 1000),
      }
    },
    signInDirectly: async (USERNAME, PASSWORD) => {
      const step = await send(
        new InitiateAuthCommand({ AuthFlow: 'USER_PASSWORD_AUTH', ClientId, AuthParameters: { USERNAME, PASSWORD } }),
      )
      return step.AuthenticationResult?.AccessToken ?? null
    },
    createUser: async (db, identity) => {
      const sub = await createAccount(db, identity)
      await db.insertInto('identity_user').values({ sub, user_id: identity.userId }).execute()
      return { sub }
    },
    setPassword: async (_, Username, Password, Permanent) => {
      await send(new AdminSetUserPasswordCommand({ UserPoolId, Username, Password, Permanent }))
    },
    updateContact: async (_, Username, contact) => {
      const UserAttributes = contactAttributes(contact)
      await send(new AdminUpdateUserAttributesCommand({ UserPoolId, Username, UserAttributes }))
    },
    enableUser: async (_, Username) => {
      await send(new AdminEnableUserCommand({ UserPoolId, Username }))
    },
    disableUser: async (_, Username) => {
      await send(new AdminDisableUserCommand({ UserPoolId, Username }))
    },
    deleteUser: async (_, Username) => {
      await send(new AdminDeleteUserCommand({ UserPoolId, Username }))
    },
    // A deleted account cannot be restored there, and a new one has a new `sub`.
    restoreUser: async (db, identity) => {
      const sub = await createAccount(db, identity)
      await db
        .insertInto('identity_user')
        .values({ sub, user_id: identity.userId })
        .onConflict((oc) => oc.column('user_id').doUpdateSet({ sub }))
        .execute()
      return { isNew: true }
    },
    // An external pool counts failed attempts itself, and resets them after minutes.
    forgetAttempts: async () => undefined,
    sendCodesBySms: async (_, Username) => {
      await send(
        new AdminSetUserMFAPreferenceCommand({
          UserPoolId,
          Username,
          SMSMfaSettings: { Enabled: true, PreferredMfa: true },
          SoftwareTokenMfaSettings: { Enabled: false, PreferredMfa: false },
        }),
      )
    },
    signOutEverywhere: signOut,
    // Cognito cannot end one sign-in by its origin; our session has ended, and the token expires.
    revoke: async () => undefined,
    passwordSetAt: async () => null,
    sendResetLink: async (Username, requestedFrom) => {
      await send(new ForgotPasswordCommand({ ClientId, Username })).catch((error: unknown) => {
        if (!(error instanceof IdentityError)) throw error
        const isOnlyInvited = error.name === 'NotAuthorizedException' && onlyInvited.test(error.message)
        // The reply must not tell whether the name exists or has ever signed in.
        if (requestedFrom && (isOnlyInvited || error.name === 'UserNotFoundException')) return
        throw isOnlyInvited ? new IdentityError('OnlyInvitedException', error.message) : error
      })
    },
    // The pool mails its own code, which only the pool can verify.
    checkResetLink: async () => undefined,
    // An external pool sends its own code with ForgotPassword; its mail template links to the reset page with that code.
    beginReset: async () => ({ challengeName: 'CONFIRMATION_CODE' }),
    finishReset: async ({ userName: Username, newPassword: Password, code: ConfirmationCode }) => {
      await send(new ConfirmForgotPasswordCommand({ ClientId, Username, Password, ConfirmationCode }))
    },
    confirmForgotPassword: async (Username, ConfirmationCode, Password) => {
      await send(new ConfirmForgotPasswordCommand({ ClientId, Username, ConfirmationCode, Password }))
    },
    secondFactorOf: async (_, Username) => {
      const { PreferredMfaSetting } = await send(new AdminGetUserCommand({ UserPoolId, Username }))
      if (PreferredMfaSetting === 'SOFTWARE_TOKEN_MFA') return 'TOTP'
      return PreferredMfaSetting === 'SMS_MFA' ? 'SMS' : 'OFF'
    },
    isPasswordRight: async (userName, password) => (await startSignIn(userName, password)) !== null,
    isAppCodeRight: async (USERNAME, password, SOFTWARE_TOKEN_MFA_CODE) => {
      const step = await startSignIn(USERNAME, password)
      if (step?.ChallengeName !== 'SOFTWARE_TOKEN_MFA') return false
      const answer = { USERNAME, SOFTWARE_TOKEN_MFA_CODE }
      return send(
        new RespondToAuthChallengeCommand({
          ClientId,
          ChallengeName: step.ChallengeName,
          Session: step.Session,
          ChallengeResponses: answer,
        }),
      ).then(() => true, onlyIfWrong(false))
    },
    changePassword: async (AccessToken, PreviousPassword, ProposedPassword) => {
      await send(new ChangePasswordCommand({ AccessToken, PreviousPassword, ProposedPassword }))
    },
  }
}

const wrongNames: readonly IdentityErrorName[] = [
  'NotAuthorizedException',
  'CodeMismatchException',
  'ExpiredCodeException',
]
/** The answer for a wrong password or code; any other failure is one. */
const onlyIfWrong =
  <T>(answer: T) =>
  (error: unknown): T => {
    if (error instanceof IdentityError && wrongNames.includes(error.name)) return answer
    throw error
  }

const subOf = (attributes: readonly AttributeType[] | undefined): string => {
  const sub = attributes?.find(({ Name }) => Name === 'sub')?.Value
  if (!sub) throw new Error('The user pool answered without a sub')
  return sub
}

/** Marked as verified, because a manager has entered them; otherwise Cognito would send no codes to them. */
const contactAttributes = ({ email, phone }: { email: string; phone: string }) => [
  { Name: 'email', Value: email },
  { Name: 'email_verified', Value: 'true' },
  { Name: 'phone_number', Value: `+${phone}` },
  { Name: 'phone_number_verified', Value: 'true' },
]

// The pool uses one error name for many cases; only this text tells that the account still has its temporary password.
const onlyInvited = /cannot be reset in the current state/i
