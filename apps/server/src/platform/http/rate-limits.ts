import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../auth/actor.ts'
import type { Pool } from '../db/pool.ts'
import { isRenewal } from '../identity/pool/protocol.ts'
import { SeenTokens, SharedRateLimits } from './rate-limit-store.ts'

interface Limits {
  callsPerMinute: number
  signInsPerMinute: number
}

type Authenticate = (request: FastifyRequest) => Promise<Actor | null>

const windowMs = 60_000

/** Limits how many calls and sign-ins a session or an address makes per minute, counted over all processes. */
export const openRateLimits = (app: FastifyInstance, pool: Pool, { callsPerMinute, signInsPerMinute }: Limits) => {
  const counters = new SharedRateLimits(pool)
  const sessionTokens = new SeenTokens()
  app.addHook('onClose', async () => counters.close())
  const register = (
    scope: FastifyInstance,
    hook: 'onRequest' | 'preValidation',
    keyGenerator: (request: FastifyRequest) => string,
  ) =>
    scope.register(rateLimit, {
      max: (_, key) => (isSignInKey(key) ? signInsPerMinute : callsPerMinute),
      timeWindow: windowMs,
      hook,
      keyGenerator,
      store: class {
        incr(
          key: string,
          done: (error: Error | null, result: { current: number; ttl: number }) => void,
          timeWindow: number,
        ) {
          done(null, counters.hit(key, timeWindow))
        }
        child() {
          return this
        }
      },
    })
  return {
    /** Wraps the authentication so that each token that opens a session gets its own counter. */
    rememberTokens:
      (authenticate: Authenticate): Authenticate =>
      async (request) => {
        const actor = await authenticate(request)
        if (actor && request.headers.authorization) sessionTokens.add(request.headers.authorization)
        return actor
      },
    registerApi: (api: FastifyInstance) => register(api, 'onRequest', (request) => callerKey(request, sessionTokens)),
    /** Reads the body, which is small: it says which operation of the user pool is called. */
    registerUserPool: (idp: FastifyInstance) => register(idp, 'preValidation', userPoolCallerKey),
  }
}

const signInKey = (ip: string) => `sign-in:${ip}`
const isSignInKey = (key: string) => key.startsWith('sign-in:')

/**
 * Per session where there is one, else per address: a busy practice behind one address does not lock itself out. A token gets its own
 * counter only after it has opened a session; otherwise a caller with a new invented token per call would never be limited. Sign-ins
 * have a separate counter, so that opening pages does not use it up, and so do wall boards, which read again every few seconds.
 */
const callerKey = ({ headers, ip, routeOptions }: FastifyRequest, tokens: SeenTokens) => {
  const { isSignIn, isOpenedByKey } = routeOptions.config as { isSignIn?: boolean; isOpenedByKey?: boolean }
  if (isSignIn) return signInKey(ip)
  if (isOpenedByKey) return `key:${ip}`
  const hash = headers.authorization && tokens.hashOf(headers.authorization)
  return hash ? `t:${hash}` : `ip:${ip}`
}

/**
 * Every call to the user pool is a sign-in, except the renewal of tokens. After an outage everyone in a practice renews at once from
 * one address, so renewals count like any other call.
 */
const userPoolCallerKey = (request: FastifyRequest) => (isRenewal(request) ? `ip:${request.ip}` : signInKey(request.ip))
