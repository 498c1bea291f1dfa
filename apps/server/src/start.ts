import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { newPassword } from '@lis/contract/validation.ts'
import { seedLookups } from '../seeds/lookups.ts'
import { refuseDemoOfRealData } from './demo.ts'
import { jobDefinitions } from './jobs.ts'
import { deliveryMessages } from './modules/deliveries/message-outcomes.ts'
import { registerHandlers } from './modules/domain-event-handlers.ts'
import { type Background, startBackground } from './modules/jobs/background.ts'
import { changedFileJob } from './modules/stored-files/jobs.ts'
import { AccessLog } from './platform/audit/access-log.ts'
import { type Config, ConfigError, readConfig } from './platform/config.ts'
import type { Trx } from './platform/db/db.ts'
import { watchConnections } from './platform/db/held.ts'
import { migrate } from './platform/db/migrate.ts'
import { appRole, openPool, type Pool, wideRole } from './platform/db/pool.ts'
import { scopedDatabases, systemScope } from './platform/db/scope.ts'
import { openEventHub } from './platform/events/hub.ts'
import { LongCalls } from './platform/http/long-calls.ts'
import type { PoolContext, PoolMessage } from './platform/identity/pool/context.ts'
import { embeddedProvider } from './platform/identity/pool/embedded-provider.ts'
import { prepareJobs } from './platform/jobs/prepare.ts'
import { startJob } from './platform/jobs/start-job.ts'
import { type Log, openLog } from './platform/log.ts'
import type { Transports } from './platform/messaging/message.ts'
import { closeTransports, openTransports } from './platform/messaging/open-transports.ts'
import { queueMessage } from './platform/messaging/outbox.ts'
import { type OpenDatabase, openDatabase } from './platform/open-database.ts'
import type { Services } from './platform/services.ts'
import { StartError } from './platform/start-error.ts'
import { openObjectStore, refuseBlindStore } from './platform/storage/open-object-store.ts'
import { FileAlarm } from './platform/storage/verified.ts'

export interface AssembledServices {
  services: Services
  /** Connects as the owner of the schema. */
  databaseUrl: string
  stop: () => Promise<void>
}

/** Brings the schema, the lookup data and the queues up to date, as the owner of the database. */
export const prepareDatabase = async (url: string) => {
  await withOwner(url, async (owner) => {
    await migrate(owner)
    await seedLookups(owner)
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

const mostSystem = 6
/** A statement that is still running then is given up; its caller has gone long before. */
const longestStatement = '5min'
/** As long as the job that makes long reports may take. */
const longestFileStatement = '30min'

/**
 * Builds the parts behind their interfaces on a database that is up to date. Tests build several: only the handlers of domain events,
 * which never differ, are global.
 */
export const assembleServices = async (config: Config, databaseUrl: string, log: Log): Promise<AssembledServices> => {
  registerHandlers()
  const size = config.DATABASE_POOL_SIZE
  const pool = openPool(databaseUrl, { max: size, role: appRole, longestStatement })
  const wide = openPool(databaseUrl, { max: size, role: wideRole, name: 'lis-all', longestStatement })
  // Questions about sessions and accounts have connections of their own. A call that asks one inside its transaction can then
  // never wait for a connection that other such calls hold, and the connections of the callers need not change their scope for it.
  const system = openPool(databaseUrl, {
    max: Math.min(mostSystem, size),
    role: appRole,
    name: 'lis-system',
    longestStatement,
  })
  // As many as calls run at once, and one for the job that makes long reports: none of them ever waits for another.
  const files = openPool(databaseUrl, {
    max: config.FILES_AT_ONCE + 1,
    role: appRole,
    name: 'lis-files',
    longestStatement: longestFileStatement,
  })
  const pools = [pool, wide, system, files]
  const stopWatching = watchConnections(pools, log)
  const transports = await openTransports(config)
  const identityPool = config.COGNITO_USER_POOL_ID ? null : poolContext(config, system, transports)
  const accessLog = new AccessLog(system, log)
  // By a connection of its own: the transaction that met the file is about to be undone, and holds what the report hangs on.
  const fileAlarm = new FileAlarm(log, async (key) => {
    const tell = (trx: Trx) => startJob(trx, changedFileJob, { key }, { singletonKey: key })
    await scopedDatabases(system)(systemScope).transaction().execute(tell)
  })
  const services: Services = {
    config,
    pool,
    wide,
    system,
    log,
    accessLog,
    ...(await openObjectStore(config, fileAlarm.onChanged)),
    fileAlarm,
    transports,
    databases: scopedDatabases(pool, wide),
    fileDatabases: scopedDatabases(files),
    fileCalls: new LongCalls({ atOnce: config.FILES_AT_ONCE }),
    pools,
    events: await openEventHub(databaseUrl, { onError: (error) => log.warn({ err: error }, 'event connection') }),
    identity: identityPool ? embeddedProvider(identityPool) : await cognitoOf(config),
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
      for (const one of [files, system, wide, pool]) await one.end()
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

const cognitoOf = async (config: Config) => {
  // Large, and only needed where the pool is outside.
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
  const log = openLog(config.LOG_LEVEL)
  const database = await open(config)
  try {
    await prepareDatabase(database.url)
    if (config.demo) await withOwner(database.url, refuseDemoOfRealData)
    const { store, disk } = await openObjectStore(config)
    if (!disk) await refuseBlindStore(store)
    const assembled = await assembleServices(config, database.url, log)
    return {
      ...assembled,
      stop: async () => {
        await assembled.stop()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Jobs and upkeep of this process. */
export const startWork = ({ services, databaseUrl }: AssembledServices): Promise<Background> =>
  startBackground({
    services,
    store: services.store,
    disk: services.disk,
    transports: services.transports,
    owner: deliveryMessages,
    definitions: jobDefinitions,
    databaseUrl,
  })

/** Runs a program of ours: faults a person can mend are told in a sentence, the rest with its stack; either way exit code 1. */
export const runProgram = async (program: (config: Config) => Promise<void>) => {
  // Until the program has taken over (stopOnSignal), an interrupt ends it at once; what it has started hears of it on exit.
  process.on('SIGINT', exitAtOnce)
  process.on('SIGTERM', exitAtOnce)
  try {
    const file = join(import.meta.dirname, '../../../.env')
    if (existsSync(file)) process.loadEnvFile(file)
    await program(readConfig(process.env))
  } catch (error) {
    const isPlain = error instanceof ConfigError || error instanceof StartError
    console.error(isPlain ? (error as Error).message : error)
    process.exitCode = 1
    // Something may still hold the process open; the message has been written, so it can go.
    setTimeout(() => process.exit(1), 500).unref()
  }
}

const exitAtOnce = () => process.exit(1)

/** Room for PostgreSQL to write its last checkpoint to a slow disk; whoever cannot wait sends a second signal. */
const longestStopSeconds = 60

/** Calls `stop` once on the first Ctrl-C or SIGTERM; a second one, or a minute, ends the process the hard way. */
export const stopOnSignal = (stop: () => Promise<void>) => {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(1)
    stopping = true
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
