import { randomUUID } from 'node:crypto'
import compress from '@fastify/compress'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import { apiBase, reportBase } from '@lis/contract/kit/route.ts'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { collisions } from './collisions.ts'
import { allDeletedKinds } from './deleted-kinds.ts'
import { accessLogModule } from './modules/access-log/routes.ts'
import { batchFilesModule } from './modules/batch-files/routes.ts'
import { billingModule, paymentsModule } from './modules/billing/routes.ts'
import { billingBatchesModule } from './modules/billing-batches/routes.ts'
import { clientRecordsModule } from './modules/clients/record-routes.ts'
import { clientsModule } from './modules/clients/routes.ts'
import { collaboratorsModule } from './modules/collaborators/routes.ts'
import { configModule } from './modules/config/routes.ts'
import { csvLoadsModule } from './modules/csv-loads/routes.ts'
import { deletedRecordsModule } from './modules/deleted-records/routes.ts'
import { deliveriesModule } from './modules/deliveries/routes.ts'
import { demoOutboxRoutes } from './modules/demo-outbox/routes.ts'
import { documentsModule } from './modules/documents/routes.ts'
import { draftsModule } from './modules/drafts/routes.ts'
import { freezerModule, specLocationsModule } from './modules/freezer/routes.ts'
import { issuesModule } from './modules/issues/routes.ts'
import { eventRoutes } from './modules/jobs/events.ts'
import { jobsModule } from './modules/jobs/routes.ts'
import { labNotesModule } from './modules/lab-notes/routes.ts'
import { testsModule } from './modules/lab-tests/routes.ts'
import { labelsModule } from './modules/labels/routes.ts'
import { requisitionMoveModule } from './modules/life-cycle/routes.ts'
import { lookupsModule } from './modules/lookups/routes.ts'
import { notificationsModule } from './modules/notifications/routes.ts'
import { patientsModule } from './modules/patients/routes.ts'
import { physiciansModule } from './modules/physicians/routes.ts'
import { quickJumpModule } from './modules/quick-jump/routes.ts'
import { miscReportsModule, qaReportsModule, summaryReportsModule } from './modules/report-pages/routes.ts'
import { reportsModule } from './modules/reports/routes.ts'
import { requisitionDetailModule, requisitionRecordModule } from './modules/requisition-detail/routes.ts'
import { requisitionCreateModule } from './modules/requisition-entry/create-routes.ts'
import { requisitionEditModule } from './modules/requisition-entry/edit-routes.ts'
import { patientChangesModule } from './modules/requisition-entry/patient-change-routes.ts'
import { requisitionCellModule } from './modules/requisition-list/cell-routes.ts'
import { requisitionDownloadModule } from './modules/requisition-list/download-routes.ts'
import { requisitionListModule } from './modules/requisition-list/routes.ts'
import { salesModule } from './modules/sales/routes.ts'
import { serialResultsModule } from './modules/serial-results/routes.ts'
import { sessionModule } from './modules/session/routes.ts'
import { smartFiltersModule } from './modules/smart-filters/routes.ts'
import { specimensModule } from './modules/specimens/routes.ts'
import { usersModule } from './modules/users/routes.ts'
import { authenticator } from './platform/auth/sessions.ts'
import { asWork } from './platform/db/held.ts'
import { systemScope } from './platform/db/scope.ts'
import { registerApiPages } from './platform/http/api-page.ts'
import { readJsonBodies } from './platform/http/bodies.ts'
import { headMs, limitConnections, lookMs } from './platform/http/connections.ts'
import { storageRoutes } from './platform/http/disk-routes.ts'
import { refuseUnreadable, registerErrorHandlers } from './platform/http/error-handler.ts'
import { watchHealth } from './platform/http/health.ts'
import { type Module, mount } from './platform/http/implement.ts'
import { registerMetrics } from './platform/http/metrics.ts'
import { SeenTokens, SharedRateLimits } from './platform/http/rate-limit-store.ts'
import { contentPolicy, pageNonce, registerWebApp } from './platform/http/web-app.ts'
import { isRenewal, registerPool } from './platform/identity/pool/protocol.ts'
import type { Services } from './platform/services.ts'
import { version } from './platform/version.ts'

/** Every module of the product, listed by hand. */
export const modules: Module[] = [
  configModule,
  sessionModule,
  usersModule,
  lookupsModule,
  jobsModule,
  batchFilesModule,
  csvLoadsModule,
  clientsModule,
  clientRecordsModule,
  physiciansModule,
  collaboratorsModule,
  notificationsModule,
  quickJumpModule,
  salesModule,
  smartFiltersModule,
  draftsModule,
  requisitionListModule,
  requisitionMoveModule,
  requisitionCellModule,
  requisitionDownloadModule,
  requisitionDetailModule,
  testsModule,
  documentsModule,
  issuesModule,
  labNotesModule,
  serialResultsModule,
  requisitionRecordModule,
  specimensModule,
  specLocationsModule,
  freezerModule,
  labelsModule,
  reportsModule,
  qaReportsModule,
  summaryReportsModule,
  miscReportsModule,
  requisitionCreateModule,
  requisitionEditModule,
  patientChangesModule,
  patientsModule,
  deliveriesModule,
  billingModule,
  paymentsModule,
  billingBatchesModule,
  deletedRecordsModule(allDeletedKinds),
  accessLogModule,
]

// A file may take as long as its slot lives; what a form sends is there at once.
const longestRequestMs = 20 * 60_000
const longestBodyMs = 30_000

export interface AppOptions {
  /** How long the body of a call may take to arrive. */
  bodyMs?: number
  /** Tests check every reply against the contract. */
  checkReplies?: boolean
}

/** The whole server without listening, so that tests drive the real routes in process. */
export const buildApp = async (
  services: Services,
  { checkReplies = false, bodyMs = longestBodyMs }: AppOptions = {},
): Promise<FastifyInstance> => {
  const { config, pool } = services
  const app = fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // logRequests writes a line that names no address
    genReqId: () => randomUUID(),
    trustProxy: (_, hop) => hop < config.TRUST_PROXY,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    return503OnClosing: true,
    requestTimeout: longestRequestMs,
    http: { headersTimeout: headMs, connectionsCheckingInterval: lookMs },
    frameworkErrors: refuseUnreadable,
  })
  const connect = await outsideAddresses(services)
  logRequests(app)
  readJsonBodies(app)
  endIdleConnections(app)
  limitConnections(app, { perAddress: config.TRUST_PROXY > 0 ? 0 : config.CONNECTIONS_PER_ADDRESS, bodyMs })
  nameWork(app)
  registerMetrics(app, services.pools, services.fileAlarm, config.METRICS_TOKEN)
  await app.register(helmet, {
    contentSecurityPolicy: false, // set below: the page needs a nonce of its own
    strictTransportSecurity: config.publicUrl.startsWith('https:')
      ? { maxAge: 31_536_000, includeSubDomains: true }
      : false,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
  })
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', contentPolicy(pageNonce(), connect))
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  await app.register(compress, { threshold: 1400, encodings: ['br', 'gzip'], globalDecompression: false })

  const health = watchHealth(services)
  registerErrorHandlers(app, {
    sendPage: await registerWebApp(app, connect),
    apiPrefixes: [apiBase, reportBase, '/idp', '/storage', '/demo', '/docs', '/metrics', '/healthz'],
    collisions,
    onFault: health.note,
  })

  const authenticate = authenticator(services.system, {
    tokenSeconds: config.SESSION_TOKEN_SECONDS,
    idleSeconds: config.SESSION_IDLE_SECONDS,
    absoluteSeconds: config.SESSION_ABSOLUTE_SECONDS,
  })
  const sessionTokens = new SeenTokens()
  const authenticateKnown: typeof authenticate = async (request) => {
    const actor = await authenticate(request)
    if (actor && request.headers.authorization) sessionTokens.add(request.headers.authorization)
    return actor
  }
  const limits = new SharedRateLimits(pool)
  const counts: CallCounts = {
    limits,
    most: (key) =>
      key.startsWith('ip:') || key.startsWith('t:') ? config.RATE_LIMIT_PER_MINUTE : config.SIGN_IN_LIMIT_PER_MINUTE,
  }
  app.addHook('onClose', async () => limits.close())
  await app.register(async (api) => {
    await registerRateLimit(api, counts, 'onRequest', (request) => callerKey(request, sessionTokens))
    mount(api, modules, { bases: [apiBase, reportBase], services, authenticate: authenticateKnown, checkReplies })
    registerApiPages(api, modules, apiBase, version)
  })
  if (services.disk) await storageRoutes(app, { store: services.disk, db: services.databases(systemScope) })
  if (config.demo) demoOutboxRoutes(app, pool)
  eventRoutes(app, { hub: services.events, services, authenticate, base: apiBase })
  const { identityPool } = services
  if (identityPool) {
    await app.register(
      async (idp) => {
        // What a call to the pool asks for stands in its body, which is small.
        await registerRateLimit(idp, counts, 'preValidation', poolCallerKey)
        registerPool(idp, identityPool)
      },
      { prefix: '/idp' },
    )
  }
  app.get('/healthz', async () => {
    await health.check()
    return { status: 'ok', version }
  })
  return app
}

/** Where the browser may talk to besides us: an outside store or user pool, when one is configured. */
const outsideAddresses = async ({ config, store, disk }: Services): Promise<string[]> => {
  const addresses: string[] = []
  // Only the store knows whether the bucket stands in the name of the host or in the path.
  if (!disk) {
    const { url } = await store.uploadSlot('address', { maxBytes: 1, expiresSeconds: 1 })
    addresses.push(new URL(url).origin)
  }
  if (config.COGNITO_REGION)
    addresses.push(config.COGNITO_ENDPOINT ?? `https://cognito-idp.${config.COGNITO_REGION}.amazonaws.com`)
  return addresses
}

/** One line per call with its route pattern, never the address: addresses carry names, tokens and filters. */
const logRequests = (app: FastifyInstance) => {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
  })
}

/** A connection to the database that is held for long is reported with its route. */
const nameWork = (app: FastifyInstance) => {
  app.addHook('preHandler', (request, _, done) =>
    asWork(`${request.method} ${request.routeOptions.url ?? 'none'}`, done),
  )
}

/** A browser keeps its connections open for the next call; while we close there is none, so each one ends when it falls silent. */
const endIdleConnections = (app: FastifyInstance) => {
  let timer: NodeJS.Timeout
  app.addHook('preClose', async () => {
    timer = setInterval(() => app.server.closeIdleConnections(), 50)
  })
  app.addHook('onClose', async () => clearInterval(timer))
}

interface CallCounts {
  limits: SharedRateLimits
  /** Calls a minute, by what the key counts. */
  most: (key: string) => number
}

const countedMs = 60_000

const registerRateLimit = (
  api: FastifyInstance,
  { limits, most }: CallCounts,
  hook: 'onRequest' | 'preValidation',
  keyGenerator: (request: FastifyRequest) => string,
) =>
  api.register(rateLimit, {
    max: (_, key) => most(key),
    timeWindow: countedMs,
    hook,
    keyGenerator,
    store: class {
      incr(
        key: string,
        done: (error: Error | null, result: { current: number; ttl: number }) => void,
        timeWindow: number,
      ) {
        done(null, limits.hit(key, timeWindow))
      }
      child() {
        return this
      }
    },
  })

/**
 * Per session where there is one, else per address: one busy practice behind one address does not lock itself out. A token counts for
 * itself only after it has opened a session; else whoever sends a new invention with each call would never be counted. Signing in has
 * a count of its own, so that opening pages does not use it up.
 */
const callerKey = ({ headers, ip, routeOptions }: FastifyRequest, tokens: SeenTokens) => {
  if ((routeOptions.config as { isSignIn?: boolean }).isSignIn) return `sign-in:${ip}`
  const hash = headers.authorization && tokens.hashOf(headers.authorization)
  return hash ? `t:${hash}` : `ip:${ip}`
}

/**
 * Everything at the pool is a sign-in but the renewal of tokens. After an outage a whole practice renews at once from one address: those
 * count like any call.
 */
const poolCallerKey = (request: FastifyRequest) => (isRenewal(request) ? `ip:${request.ip}` : `sign-in:${request.ip}`)
