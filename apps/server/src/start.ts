import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { newPassword } from '@lis/contract/validation.ts'
import { seedLookups } from '../seeds/lookups.ts'
import { readSetting, recordYearsSetting, writeSetting } from '../seeds/settings.ts'
import { refuseDemoOfRealData } from './demo.ts'
import { jobDefinitions } from './jobs.ts'
import { deliveryMessages } from './modules/deliveries/message-outcomes.ts'
import { registerHandlers } from './modules/domain-event-handlers.ts'
import { startInstruments } from './modules/instruments/start-instruments.ts'
import { startInterfaces } from './modules/interfaces/start-interfaces.ts'
import { type Background, startBackground } from './modules/jobs/background.ts'
import { changedFileJob } from './modules/stored-files/jobs.ts'
import { startViewAlerts } from './modules/view-alerts/start-view-alerts.ts'
import { startWebhooks } from './modules/webhooks/send.ts'
import { AccessLog } from './platform/audit/access-log.ts'
import { type Config, ConfigError, readConfig } from './platform/config.ts'
import { parseAddress } from './platform/db/address.ts'
import { watchConnections } from './platform/db/connection-tracking.ts'
import type { Trx } from './platform/db/db.ts'
import { DatabaseHosts } from './platform/db/hosts.ts'
import { LargeReads } from './platform/db/large-reads.ts'
import { isOfNewerProgram, migrate } from './platform/db/migrate.ts'
import { appRole, openPool, type Pool, unrestrictedRole } from './platform/db/pool.ts'
import { scopedDatabases, systemScope } from './platform/db/scope.ts'
import { openEventHub } from './platform/events/hub.ts'
import { CallQueue } from './platform/http/call-queue.ts'
import type { PoolContext, PoolMessage } from './platform/identity/pool/context.ts'
import { embeddedProvider } from './platform/identity/pool/embedded-provider.ts'
import { prepareJobs } from './platform/jobs/prepare.ts'
import { startJob } from './platform/jobs/start-job.ts'
import { type Log, openLog } from './platform/log.ts'
import type { Transports } from './platform/messaging/message.ts'
import { closeTransports, openTransports } from './platform/messaging/open-transports.ts'
import { queueMessage } from './platform/messaging/outbox.ts'
import { type OpenDatabase, openDatabase, requireReplica } from './platform/open-database.ts'
import { exportOperatingFigures } from './platform/operating-figures.ts'
import { openReportSeal } from './platform/pdf/seal.ts'
import type { Services } from './platform/services.ts'
import { StartError } from './platform/start-error.ts'
import { openObjectStore, requireListPermission } from './platform/storage/open-object-store.ts'
import { FileAlarm } from './platform/storage/verified.ts'
import { startTelemetry } from './platform/telemetry.ts'

export interface AssembledServices {
  services: Services
  /** Connects as the owner of the schema. */
  databaseUrl: string
  stop: () => Promise<void>
}

/** Brings the schema, the lookup data and the queues up to date, as the owner of the database. */
export const prepareDatabase = async (url: string, recordYears?: number) => {
  await withOwner(url, async (owner) => {
    await migrate(owner)
    // The older program of an update would switch off what the newer one has added.
    if (!(await isOfNewerProgram(owner))) await seedLookups(owner)
    if (recordYears !== undefined && (await readSetting(owner, recordYearsSetting)) !== recordYears)
      await writeSetting(owner, recordYearsSetting, recordYears)
  })
  await prepareJobs(url, jobDefinitions)
}

const withOwner = async (url: string, work: (owner: Pool) => Promise<void>) => {
  const owner = openPool(url, { max: 2, name: 'lis-start' })
  try {
    await work(owner)
  } finally {
    await owner.end()
  }
}

const maxSystemConnections = 6
/** A statement that still runs after this time is cancelled; its caller has given up long before. */
const longestStatement = '5min'
/** As long as a job that makes a large report may take. */
const longestFileStatement = '30min'

/**
 * Builds the parts behind their interfaces on a database that is up to date. Tests build several: only the handlers of domain events,
 * which never differ, are global.
 */
export const assembleServices = async (config: Config, databaseUrl: string, log: Log): Promise<AssembledServices> => {
  registerHandlers()
  const size = config.DATABASE_POOL_SIZE
  const direct = new DatabaseHosts(databaseUrl)
  const pooled = config.DATABASE_DIRECT_URL && config.DATABASE_URL ? new DatabaseHosts(config.DATABASE_URL) : null
  const shared = {
    isShared: pooled !== null,
    ...(config.DATABASE_PREPARED !== undefined && { isPrepared: config.DATABASE_PREPARED }),
  }
  const hosts = pooled ?? direct
  const pool = openPool(hosts, { ...shared, max: size, role: appRole, longestStatement })
  const unrestricted = openPool(hosts, {
    ...shared,
    max: size,
    role: unrestrictedRole,
    name: 'lis-all',
    longestStatement,
  })
  // Sessions and accounts are read through a separate pool. A call that reads one inside its transaction can then never wait for a
  // connection that other such calls hold, and the callers' connections need not change their scope for it.
  const system = openPool(hosts, {
    ...shared,
    max: Math.min(maxSystemConnections, size),
    role: appRole,
    name: 'lis-system',
    longestStatement,
  })
  // One for each call that may run at once, and one for the job that makes large reports: none of them waits for another.
  const files = openPool(hosts, {
    ...shared,
    max: config.FILES_AT_ONCE + 1,
    role: appRole,
    name: 'lis-files',
    longestStatement: longestFileStatement,
  })
  const fileDatabases = scopedDatabases(files)
  const replica = config.DATABASE_REPLICA_URL
    ? openPool(new DatabaseHosts(config.DATABASE_REPLICA_URL, { target: 'standby' }), {
        max: config.FILES_AT_ONCE + 2,
        role: appRole,
        name: 'lis-replica',
        longestStatement: longestFileStatement,
      })
    : null
  const largeReads = new LargeReads(
    fileDatabases,
    replica && { pool: replica, databases: scopedDatabases(replica), primary: system, log },
  )
  const pools = [pool, unrestricted, system, files, ...(replica ? [replica] : [])]
  const stopWatching = watchConnections(pools, log)
  const transports = await openTransports(config)
  const identityPool = config.COGNITO_USER_POOL_ID ? null : poolContext(config, system, transports)
  const accessLog = new AccessLog(system, log)
  // On a separate connection: the transaction that found the changed file is about to be rolled back, and holds locks on its report.
  const fileAlarm = new FileAlarm(log, async (key) => {
    await scopedDatabases(system)(systemScope)
      .transaction()
      .execute((trx) => startJob(trx, changedFileJob, { key }, { singletonKey: key }))
  })
  const reportSeal = await openReportSeal(config, log)
  const sealWarning = reportSeal?.warning()
  if (sealWarning) log.warn(sealWarning)
  const services: Services = {
    config,
    reportSeal,
    pool,
    unrestricted,
    system,
    log,
    accessLog,
    ...(await openObjectStore(config, fileAlarm.onChanged)),
    fileAlarm,
    transports,
    databases: scopedDatabases(pool, unrestricted),
    fileDatabases,
    largeReads,
    fileCalls: new CallQueue({ atOnce: config.FILES_AT_ONCE }),
    pools,
    draining: { isDraining: false },
    events: await openEventHub(direct, { onError: (error) => log.warn({ err: error }, 'event connection') }),
    identity: identityPool ? embeddedProvider(identityPool) : await openCognitoProvider(config),
    identityPool,
  }
  return {
    services,
    databaseUrl,
    stop: async () => {
      closeTransports(transports)
      await services.events.close()
      await accessLog.close()
      stopWatching()
      largeReads.close()
      for (const one of pools.toReversed()) await one.end()
    },
  }
}

const poolContext = (config: Config, connections: Pool, transports: Transports): PoolContext => ({
  db: scopedDatabases(connections)(systemScope),
  secret: config.secret,
  issuer: `${config.publicUrl}/idp`,
  publicUrl: config.publicUrl,
  accessTokenSeconds: config.IDP_ACCESS_TOKEN_SECONDS,
  refreshTokenSeconds: config.IDP_REFRESH_TOKEN_SECONDS,
  temporaryPasswordDays: config.TEMPORARY_PASSWORD_DAYS,
  passwordFault: (password: string) => newPassword.safeParse(password).error?.issues[0]?.message ?? null,
  canSendSms: config.demo || transports.SMS !== undefined,
  send: async (trx: Trx, message: PoolMessage) => {
    await queueMessage(trx, message)
  },
})

const openCognitoProvider = async (config: Config) => {
  // Loaded only for an external pool: the library is large.
  const { cognitoProvider } = await import('./platform/identity/cognito-provider.ts')
  return cognitoProvider({
    region: config.COGNITO_REGION ?? '',
    userPoolId: config.COGNITO_USER_POOL_ID ?? '',
    clientId: config.COGNITO_CLIENT_ID ?? '',
    ...(config.COGNITO_ENDPOINT && { endpoint: config.COGNITO_ENDPOINT }),
  })
}

/** Everything a server or a worker needs, in order: database, schema, lookup data, parts. */
export const startServices = async (
  config: Config,
  open: (config: Config) => Promise<OpenDatabase> = openDatabase,
): Promise<AssembledServices> => {
  const stopTelemetry = await startTelemetry(config.OTEL_EXPORTER_OTLP_ENDPOINT)
  const log = openLog(config.LOG_LEVEL, undefined, config.DATABASE_URL && parseAddress(config.DATABASE_URL).label)
  const database = await open(config)
  try {
    await prepareDatabase(database.url, config.RECORD_YEARS)
    if (config.DATABASE_REPLICA_URL) await requireReplica(config.DATABASE_REPLICA_URL, log)
    if (config.demo) await withOwner(database.url, refuseDemoOfRealData)
    const { store, disk } = await openObjectStore(config)
    if (!disk) await requireListPermission(store)
    const assembled = await assembleServices(config, database.url, log)
    exportOperatingFigures(assembled.services)
    return {
      ...assembled,
      stop: async () => {
        await stopTelemetry()
        await assembled.stop()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Starts the jobs, the maintenance, the interfaces, the connections of instruments and the alerts on views of this process. */
export const startWork = async ({ services, databaseUrl }: AssembledServices): Promise<Background> => {
  const background = await startBackground({
    services,
    store: services.store,
    disk: services.disk,
    transports: services.transports,
    owner: deliveryMessages,
    definitions: jobDefinitions,
    databaseUrl,
  })
  const interfaces = startInterfaces({ services, databaseUrl })
  const webhooks = startWebhooks(services)
  const instruments = startInstruments({ services, databaseUrl })
  const viewAlerts = startViewAlerts({ services, databaseUrl })
  return {
    worker: background.worker,
    stop: async () => {
      await viewAlerts.stop()
      await instruments.stop()
      await interfaces.stop()
      await webhooks.stop()
      await background.stop()
    },
  }
}

/** Runs a program: errors that a person can fix are printed as one sentence, others with their stack; both end with exit code 1. */
export const runProgram = async (program: (config: Config) => Promise<void>) => {
  // Until the program handles signals itself (stopOnSignal), an interrupt ends it at once; child processes are stopped by exit handlers.
  process.on('SIGINT', exitAtOnce)
  process.on('SIGTERM', exitAtOnce)
  try {
    const file = join(import.meta.dirname, '../../../.env')
    if (existsSync(file)) process.loadEnvFile(file)
    await program(readConfig(process.env))
  } catch (error) {
    const isFixable = error instanceof ConfigError || error instanceof StartError
    console.error(isFixable ? (error as Error).message : error)
    process.exitCode = 1
    // Something may still keep the process alive; the message has been written.
    setTimeout(() => process.exit(1), 500).unref()
  }
}

const exitAtOnce = () => process.exit(1)

/** Time for PostgreSQL to write its last checkpoint to a slow disk; a second signal ends the process at once. */
const longestStopSeconds = 60

/**
 * Calls `stop` once on the first Ctrl-C or SIGTERM; on a second one, or after a minute, the process exits at once. A SIGTERM, which comes
 * from a service manager, first calls `drain`.
 */
export const stopOnSignal = (stop: () => Promise<void>, drain: () => Promise<void> = async () => undefined) => {
  let stopping = false
  const onSignal = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    if (signal === 'SIGTERM') await drain()
    setTimeout(() => {
      console.error(`Not stopped after ${longestStopSeconds} seconds: ended at once. What was confirmed is kept.`)
      process.exit(1)
    }, longestStopSeconds * 1000).unref()
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.off('SIGINT', exitAtOnce)
  process.off('SIGTERM', exitAtOnce)
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}
