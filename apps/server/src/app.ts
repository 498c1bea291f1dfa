import { randomUUID } from 'node:crypto'
import compress from '@fastify/compress'
import { apiBase, reportBase } from '@lis/contract/kit/route.ts'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { tokenEndpoint } from './modules/api-clients/token-endpoint.ts'
import { demoOutboxRoutes } from './modules/demo-outbox/routes.ts'
import { fhirCalls } from './modules/fhir/calls.ts'
import { fhirServer } from './modules/fhir/server.ts'
import { eventRoutes } from './modules/jobs/events.ts'
import { allDeletedKinds, modules } from './modules.ts'
import { longestAgeMs, SessionCache } from './platform/auth/session-cache.ts'
import { authenticator } from './platform/auth/sessions.ts'
import { systemScope } from './platform/db/scope.ts'
import { registerApiPages } from './platform/http/api-page.ts'
import {
  closeIdleConnectionsOnStop,
  headersTimeoutMs,
  limitConnections,
  timeoutCheckMs,
} from './platform/http/connections.ts'
import { storageRoutes } from './platform/http/disk-routes.ts'
import { handleFrameworkError, registerErrorHandlers } from './platform/http/error-handler.ts'
import { registerHealth, watchHealth } from './platform/http/health.ts'
import { mount } from './platform/http/implement.ts'
import { registerJsonParser } from './platform/http/json-parser.ts'
import { registerMetrics } from './platform/http/metrics.ts'
import { openRateLimits } from './platform/http/rate-limits.ts'
import { labelConnections, logRequests } from './platform/http/request-log.ts'
import { registerSecurityHeaders } from './platform/http/security-headers.ts'
import { registerWebApp } from './platform/http/web-app.ts'
import { registerPool } from './platform/identity/pool/protocol.ts'
import type { Services } from './platform/services.ts'
import { traceRequests } from './platform/telemetry.ts'
import { version } from './platform/version.ts'
import { uniqueConstraintLabels } from './unique-constraint-labels.ts'

// An upload may take as long as its upload slot lives; the body of a form arrives at once.
const longestRequestMs = 20 * 60_000
const longestBodyMs = 30_000

export interface AppOptions {
  /** How long the body of a call may take to arrive. */
  bodyMs?: number
  /** Tests check every reply against the contract. */
  checkReplies?: boolean
  /** How old the last proof may be that a session has not changed. Tests that change the database themselves allow no age. */
  sessionAgeMs?: number
}

/** The complete server without listening, so that tests call the real routes in process. */
export const buildApp = async (
  services: Services,
  { checkReplies = false, bodyMs = longestBodyMs, sessionAgeMs = longestAgeMs }: AppOptions = {},
): Promise<FastifyInstance> => {
  const { config, pool } = services
  const app = fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // logRequests writes a line without the address
    genReqId: () => randomUUID(),
    trustProxy: (_, hop) => hop < config.TRUST_PROXY,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    return503OnClosing: false, // open connections are still answered; new ones are not accepted
    requestTimeout: longestRequestMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: timeoutCheckMs },
    frameworkErrors: handleFrameworkError,
  })
  const connect = await externalOrigins(services)
  logRequests(app)
  registerJsonParser(app)
  closeIdleConnectionsOnStop(app)
  limitConnections(app, { perAddress: config.TRUST_PROXY > 0 ? 0 : config.CONNECTIONS_PER_ADDRESS, bodyMs })
  labelConnections(app)
  traceRequests(app)
  registerMetrics(app, services)
  await registerSecurityHeaders(app, { isHttps: config.publicUrl.startsWith('https:'), connect })
  await app.register(compress, { threshold: 1400, encodings: ['br', 'gzip'], globalDecompression: false })

  const health = watchHealth(services)
  registerErrorHandlers(app, {
    sendPage: await registerWebApp(app, connect),
    apiPrefixes: [
      apiBase,
      reportBase,
      '/fhir',
      '/oauth2',
      '/idp',
      '/storage',
      '/demo',
      '/docs',
      '/metrics',
      '/healthz',
      '/livez',
      '/readyz',
    ],
    uniqueConstraintLabels,
    onFault: health.reportFault,
  })

  const sessions = new SessionCache(services.events, sessionAgeMs)
  const limits = {
    tokenSeconds: config.SESSION_TOKEN_SECONDS,
    idleSeconds: config.SESSION_IDLE_SECONDS,
    absoluteSeconds: config.SESSION_ABSOLUTE_SECONDS,
  }
  const authenticate = authenticator(services.system, limits, sessions)
  // After a sign-out or a changed account the next call sees the change.
  app.addHook('onSend', ({ method }, _, __, done) => {
    if (method !== 'GET') sessions.expire()
    done()
  })
  const rateLimits = openRateLimits(app, pool, {
    callsPerMinute: config.RATE_LIMIT_PER_MINUTE,
    signInsPerMinute: config.SIGN_IN_LIMIT_PER_MINUTE,
  })
  await app.register(async (api) => {
    await rateLimits.registerApi(api)
    mount(api, modules, {
      bases: [apiBase, reportBase],
      services,
      authenticate: rateLimits.rememberTokens(authenticate),
      checkReplies,
      restorableTables: new Set(allDeletedKinds.map(({ table }) => table)),
    })
    await api.register((oauth) => tokenEndpoint(oauth, services))
    await api.register((fhir) => fhirServer(fhir, { services, authenticate: rateLimits.rememberTokens(authenticate) }))
    registerApiPages(api, modules, apiBase, version, fhirCalls)
  })
  if (services.disk) await storageRoutes(app, { store: services.disk, db: services.databases(systemScope) })
  if (config.demo) demoOutboxRoutes(app, pool, services)
  eventRoutes(app, { hub: services.events, services, authenticate, base: apiBase })
  const { identityPool } = services
  if (identityPool) {
    await app.register(
      async (idp) => {
        await rateLimits.registerUserPool(idp)
        registerPool(idp, identityPool)
      },
      { prefix: '/idp' },
    )
  }
  registerHealth(app, health, services.draining)
  return app
}

/** The other origins that the browser calls: an external object store or user pool, if one is configured. */
const externalOrigins = async ({ config, store, disk }: Services): Promise<string[]> => {
  const origins: string[] = []
  // Only the store knows whether the bucket is part of the host name or of the path.
  if (!disk) {
    const { url } = await store.uploadSlot('address', { maxBytes: 1, expiresSeconds: 1 })
    origins.push(new URL(url).origin)
  }
  if (config.COGNITO_REGION)
    origins.push(config.COGNITO_ENDPOINT ?? `https://cognito-idp.${config.COGNITO_REGION}.amazonaws.com`)
  return origins
}
