import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { outageMessage } from '../../db/outage.ts'
import { retryAfterSeconds } from '../../errors.ts'
import { validationMessages } from '../../validation-messages.ts'
import { type Origin, originOf } from '../origin.ts'
import { IdentityError } from '../provider.ts'
import {
  associateSoftwareToken,
  changeOwnPassword,
  describeUser,
  globalSignOut,
  setMfaPreference,
  verifySoftwareToken,
} from './account.ts'
import { clientId, type PoolContext, poolId } from './context.ts'
import { deviceHeader, newDevice } from './devices.ts'
import { publicKeys } from './keys.ts'
import { confirmResetCode, sendResetCode } from './reset.ts'
import { answerChallenge, signIn } from './sign-in.ts'
import { refreshTokens, revokeByToken } from './tokens.ts'

const text = z.string().max(8192)
const name = z.string().max(4096)
const ourClient = z.string().max(128)
const texts = z.record(z.string().max(64), text)
const mfaChoice = z.object({ Enabled: z.boolean().optional(), PreferredMfa: z.boolean().optional() }).optional()

type Operation = (pool: PoolContext, input: unknown, origin: Origin) => Promise<unknown>

const operation =
  <S extends z.ZodType>(
    schema: S,
    run: (pool: PoolContext, input: z.output<S>, origin: Origin) => Promise<unknown>,
  ): Operation =>
  async (pool, input, origin) => {
    const parsed = schema.safeParse(input, validationMessages)
    if (!parsed.success) throw new IdentityError('InvalidParameterException', parsed.error.issues[0]?.message ?? '')
    const { ClientId } = parsed.data as { ClientId?: string }
    if (ClientId !== undefined && ClientId !== clientId)
      throw new IdentityError('NotAuthorizedException', `Unknown ClientId`)
    return (await run(pool, parsed.data, origin)) ?? {}
  }

const renewalFlows = ['REFRESH_TOKEN_AUTH', 'REFRESH_TOKEN'] as const

/** SRP, the default of browser libraries, would need a password verifier that is far easier to attack than argon2id (docs/security.md). */
const initiateAuth = operation(
  z.object({ AuthFlow: z.string().max(64), ClientId: ourClient, AuthParameters: texts.default({}) }),
  async (pool, { AuthFlow, AuthParameters }, origin) => {
    if (AuthFlow === 'USER_PASSWORD_AUTH')
      return signIn(pool, AuthParameters.USERNAME ?? '', AuthParameters.PASSWORD ?? '', origin)
    if (!renewalFlows.some((flow) => flow === AuthFlow))
      throw new IdentityError('InvalidParameterException', `${AuthFlow} is not supported; use USER_PASSWORD_AUTH`)
    return {
      AuthenticationResult: await refreshTokens(pool, AuthParameters.REFRESH_TOKEN ?? ''),
      ChallengeParameters: {},
    }
  },
)

const respondToAuthChallenge = operation(
  z.object({
    ClientId: ourClient,
    ChallengeName: z.enum(['SMS_MFA', 'SOFTWARE_TOKEN_MFA', 'NEW_PASSWORD_REQUIRED']),
    Session: text,
    ChallengeResponses: texts,
  }),
  (pool, input, origin) =>
    answerChallenge(
      pool,
      {
        name: input.ChallengeName,
        session: input.Session,
        userName: input.ChallengeResponses.USERNAME ?? '',
        responses: input.ChallengeResponses,
      },
      origin,
    ),
)

/** Anyone may call these; each call carries its own proof of identity. */
const operations = new Map<string, Operation>(
  Object.entries({
    InitiateAuth: initiateAuth,
    RespondToAuthChallenge: respondToAuthChallenge,
    ForgotPassword: operation(z.object({ ClientId: ourClient, Username: name }), async (pool, input, origin) => {
      await sendResetCode(pool, input.Username, origin)
      return { CodeDeliveryDetails: { AttributeName: 'email', DeliveryMedium: 'EMAIL', Destination: '***' } }
    }),
    ConfirmForgotPassword: operation(
      z.object({ ClientId: ourClient, Username: name, ConfirmationCode: text, Password: text }),
      (pool, input, origin) => confirmResetCode(pool, input.Username, input.ConfirmationCode, input.Password, origin),
    ),
    ChangePassword: operation(
      z.object({ AccessToken: text, PreviousPassword: text, ProposedPassword: text }),
      (pool, input, origin) =>
        changeOwnPassword(pool, input.AccessToken, input.PreviousPassword, input.ProposedPassword, origin),
    ),
    GetUser: operation(z.object({ AccessToken: text }), (pool, input) => describeUser(pool, input.AccessToken)),
    AssociateSoftwareToken: operation(z.object({ AccessToken: text }), (pool, input) =>
      associateSoftwareToken(pool, input.AccessToken),
    ),
    VerifySoftwareToken: operation(z.object({ AccessToken: text, UserCode: text }), (pool, input, origin) =>
      verifySoftwareToken(pool, input.AccessToken, input.UserCode, origin),
    ),
    SetUserMFAPreference: operation(
      z.object({ AccessToken: text, SMSMfaSettings: mfaChoice, SoftwareTokenMfaSettings: mfaChoice }),
      (pool, input, origin) =>
        setMfaPreference(pool, input.AccessToken, input.SMSMfaSettings, input.SoftwareTokenMfaSettings, origin),
    ),
    RevokeToken: operation(z.object({ ClientId: ourClient, Token: text }), (pool, input) =>
      revokeByToken(pool.db, input.Token),
    ),
    GlobalSignOut: operation(z.object({ AccessToken: text }), (pool, input, origin) =>
      globalSignOut(pool, input.AccessToken, origin),
    ),
  }),
)

const target = /^AWSCognitoIdentityProviderService\.([A-Za-z]+)$/

/** Undefined where the body was not JSON. */
interface ParsedBody {
  json: unknown
}

const renewal = z.object({
  AuthFlow: z.enum(renewalFlows),
  AuthParameters: z.object({ REFRESH_TOKEN: text.min(1) }),
})

const isSignedIn = (result: unknown) =>
  typeof result === 'object' && result !== null && 'AuthenticationResult' in result

/** Whether the call only renews tokens, and tries no name, password or code. */
export const isRenewal = ({ headers, body }: FastifyRequest): boolean =>
  target.exec(String(headers['x-amz-target'] ?? ''))?.[1] === 'InitiateAuth' &&
  renewal.safeParse((body as ParsedBody | undefined)?.json).success

/** The embedded pool at /idp. It speaks the JSON protocol of a Cognito user pool, so that the official client libraries work unchanged. */
export const registerPool = (app: FastifyInstance, pool: PoolContext) => {
  app.removeContentTypeParser(['application/json'])
  app.addContentTypeParser(
    ['application/x-amz-json-1.1', 'application/json'],
    { parseAs: 'string', bodyLimit: 64 * 1024 },
    (_, body, done) => {
      try {
        done(null, { json: JSON.parse(String(body) || '{}') } satisfies ParsedBody)
      } catch {
        done(null, { json: undefined } satisfies ParsedBody)
      }
    },
  )
  app.setErrorHandler((error: Error, request, reply) => {
    const outage = outageMessage(error)
    if (outage) {
      request.log.error({ err: error }, 'user pool failed')
      return reply
        .code(503)
        .type('application/x-amz-json-1.1')
        .headers({ 'x-amzn-errortype': 'InternalErrorException', 'retry-after': retryAfterSeconds })
        .send(JSON.stringify({ __type: 'InternalErrorException', message: outage }))
    }
    const known = error instanceof IdentityError ? error : null
    const status = (error as { statusCode?: number }).statusCode
    if (!known && !(status && status < 500)) request.log.error({ err: error }, 'user pool failed')
    const type =
      known?.name ??
      (status === 429
        ? 'TooManyRequestsException'
        : status && status < 500
          ? 'InvalidParameterException'
          : 'InternalErrorException')
    const message =
      known?.message ??
      (status && status < 500 ? error.message : 'Something went wrong on our side. It has been recorded.')
    return reply
      .code(known ? 400 : (status ?? 500))
      .type('application/x-amz-json-1.1')
      .header('x-amzn-errortype', type)
      .send(JSON.stringify({ __type: type, message }))
  })
  app.post('/', async (request, reply) => {
    const called = target.exec(String(request.headers['x-amz-target'] ?? ''))?.[1] ?? ''
    const run = operations.get(called)
    if (!run) throw new IdentityError('UnknownOperationException', 'This operation is not supported')
    const origin = originOf(request)
    const device = origin.device ?? newDevice()
    const result = await run(pool, (request.body as ParsedBody | undefined)?.json, { ...origin, device })
    if (isSignedIn(result) && !isRenewal(request)) reply.header('set-cookie', deviceHeader(pool, device))
    return reply.type('application/x-amz-json-1.1').send(JSON.stringify(result))
  })
  for (const path of ['/.well-known/jwks.json', `/${poolId}/.well-known/jwks.json`]) {
    app.get(path, async (_, reply) => reply.header('cache-control', 'public, max-age=300').send(await publicKeys(pool)))
  }
}
