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
} from '@aws-sdk/client-cognito-identity-provider'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { toUnreachable } from '../aws.ts'
import type { Db } from '../db/db.ts'
import { IdentityError, type IdentityErrorName, type IdentityProvider, type NewIdentity } from './provider.ts'

export interface CognitoOptions {
  region: string
  userPoolId: string
  clientId: string
  /** Another address than the cloud's own, e.g. an emulator. */
  endpoint?: string
  credentials?: CognitoIdentityProviderClientConfig['credentials']
  /** Where the pool's tokens come from; derived from region and pool unless told. */
  issuer?: string
}

/** A pool outside, through the official client. Only the link between its `sub` and our user is kept in our database. */
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

  /** The account's `sub`. One that we made ourselves, and that nobody here has because its call was lost, is taken over. */
  const makeAccount = async (db: Db, { userId, userName, temporaryPassword }: NewIdentity): Promise<string> => {
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
          MessageAction: 'SUPPRESS', // the invitation is ours
          UserAttributes,
        }),
      )
      return subOf(User?.Attributes)
    } catch (error) {
      if (!(error instanceof IdentityError && error.name === 'UsernameExistsException')) throw error
      const sub = await findLost(db, userId, userName, email)
      if (!sub) throw error
      await send(new AdminUpdateUserAttributesCommand({ ...account, UserAttributes }))
      await send(new AdminSetUserPasswordCommand({ ...account, Password: temporaryPassword, Permanent: false }))
      await send(new AdminEnableUserCommand(account))
      return sub
    }
  }
  /**
   * The account there that is this person's own: linked already, or made by a call whose answer, or whose transaction, was lost. Nobody
   * has ever signed in to such a one, and its mail address is the person's; anything else may be somebody else's.
   */
  const findLost = async (db: Db, userId: number, Username: string, email: string): Promise<string | undefined> => {
    const { UserAttributes, UserStatus } = await send(new AdminGetUserCommand({ UserPoolId, Username }))
    const sub = subOf(UserAttributes)
    const holder = await db.selectFrom('identity_user').select('user_id').where('sub', '=', sub).executeTakeFirst()
    const isLost =
      UserStatus === 'FORCE_CHANGE_PASSWORD' &&
      UserAttributes?.some(({ Name, Value }) => Name === 'email' && Value?.toLowerCase() === email.toLowerCase())
    return (holder ? holder.user_id === userId : isLost) ? sub : undefined
  }
  const signOut = async (_: Db, Username: string) => {
    await send(new AdminUserGlobalSignOutCommand({ UserPoolId, Username }))
  }
  return {
    publicSettings: {
      endpoint: options.endpoint ?? `https://cognito-idp.${region}.amazonaws.com/`,
      clientId: ClientId,
      region,
    },
    verifyAccessToken: async (token) => {
      const refused = () => new IdentityError('NotAuthorizedException', 'Invalid Access Token')
      const { payload } = await jwtVerify(token, keys, { algorithms: ['RS256'], issuer }).catch(() => {
        throw refused()
      })
      const { sub, username, origin_jti: origin, auth_time: authTime } = payload as Record<string, unknown>
      const isWhole = typeof sub === 'string' && typeof username === 'string' && typeof authTime === 'number'
      if (!isWhole || payload.token_use !== 'access' || payload.client_id !== ClientId) throw refused()
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
      const sub = await makeAccount(db, identity)
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
    // What is deleted there is gone, and a new account bears a new `sub`.
    restoreUser: async (db, identity) => {
      const sub = await makeAccount(db, identity)
      await db
        .insertInto('identity_user')
        .values({ sub, user_id: identity.userId })
        .onConflict((oc) => oc.column('user_id').doUpdateSet({ sub }))
        .execute()
      return { isNew: true }
    },
    // A pool outside counts by itself, tells nobody, and forgets after minutes.
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
    // The pool outside has no call for one sign-in by its origin; the session on our side has ended, and the token runs out.
    revoke: async () => undefined,
    passwordSetAt: async () => null,
    sendResetLink: async (Username, asker) => {
      await send(new ForgotPasswordCommand({ ClientId, Username })).catch((error: unknown) => {
        if (!(error instanceof IdentityError)) throw error
        const isOnlyInvited = error.name === 'NotAuthorizedException' && onlyInvited.test(error.message)
        // Whether a name exists, and whether its owner has ever been here, is nobody's business.
        if (asker && (isOnlyInvited || error.name === 'UserNotFoundException')) return
        throw isOnlyInvited ? new IdentityError('OnlyInvitedException', error.message) : error
      })
    },
    // The code in its mail is no link of ours, and only the pool can tell whether it is good.
    checkResetLink: async () => undefined,
    // A pool outside sends a code of its own with ForgotPassword; its mail template leads to the reset page with that code.
    beginReset: async () => ({ challengeName: 'CONFIRMATION_CODE' }),
    finishReset: async ({ userName: Username, newPassword: Password, code: ConfirmationCode }) => {
      await send(new ConfirmForgotPasswordCommand({ ClientId, Username, Password, ConfirmationCode }))
    },
    confirmForgotPassword: async (Username, ConfirmationCode, Password) => {
      await send(new ConfirmForgotPasswordCommand({ ClientId, Username, ConfirmationCode, Password }))
    },
    changePassword: async (AccessToken, PreviousPassword, ProposedPassword) => {
      await send(new ChangePasswordCommand({ AccessToken, PreviousPassword, ProposedPassword }))
    },
  }
}

const subOf = (attributes: readonly AttributeType[] | undefined): string => {
  const sub = attributes?.find(({ Name }) => Name === 'sub')?.Value
  if (!sub) throw new Error('The user pool answered without a sub')
  return sub
}

/** A manager of users vouches for them; unverified ones would get no code. */
const contactAttributes = ({ email, phone }: { email: string; phone: string }) => [
  { Name: 'email', Value: email },
  { Name: 'email_verified', Value: 'true' },
  { Name: 'phone_number', Value: `+${phone}` },
  { Name: 'phone_number_verified', Value: 'true' },
]

// The pool has one name for many refusals; only these words tell that the account waits for its first own password.
const onlyInvited = /cannot be reset in the current state/i
