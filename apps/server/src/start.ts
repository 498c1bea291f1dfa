import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { newPassword } from '@lis/contract/validation.ts'
import { seedLookups } from '../seeds/lookups.ts'
import { type Config, ConfigError, readConfig } from './platform/config.ts'
import type { Trx } from './platform/db/db.ts'
import { StartError } from './platform/db/embedded-postgres.ts'
import { migrate } from './platform/db/migrate.ts'
import { appRole, openPool } from './platform/db/pool.ts'
import { scopedDatabases, systemScope } from './platform/db/scope.ts'
import type { PoolMessage } from './platform/identity/pool/context.ts'
import { embeddedProvider } from './platform/identity/pool/embedded-provider.ts'
import { type Log, openLog } from './platform/log.ts'
import { queueMessage } from './platform/messaging/outbox.ts'
import { openDatabase } from './platform/open-database.ts'
import type { Services } from './platform/services.ts'

export interface AssembledServices {
  services: Services
  stop: () => Promise<void>
}

/** Brings the schema and the lookup data up to date, as the owner of the database. */
export const prepareDatabase = async (url: string) => {
  const owner = openPool(url, { max: 2, name: 'lis-start' })
  try {
    await migrate(owner)
    await seedLookups(owner)
  } finally {
    await owner.end()
  }
}

/** Builds the parts behind their interfaces on a database that is up to date. Nothing here is global: tests build several. */
export const assembleServices = async (config: Config, url: string, log: Log): Promise<AssembledServices> => {
  const pool = openPool(url, { max: config.DATABASE_POOL_SIZE, role: appRole })
  // The user pool has connections of its own, as an outside one would: a call that waits for it inside its own transaction can
  // then never wait for a connection that other such calls hold.
  const identityPool = openPool(url, { max: 4, role: appRole, name: 'lis-identity' })
  const identityContext = {
    db: scopedDatabases(identityPool)(systemScope),
    secret: config.secret,
    issuer: `${config.publicUrl}/idp`,
    publicUrl: config.publicUrl,
    accessTokenSeconds: config.IDP_ACCESS_TOKEN_SECONDS,
    refreshTokenSeconds: config.IDP_REFRESH_TOKEN_SECONDS,
    passwordFault: (password: string) => newPassword.safeParse(password).error?.issues[0]?.message ?? null,
    send: async (trx: Trx, message: PoolMessage) => {
      await queueMessage(trx, message)
    },
  }
  const services: Services = {
    config,
    pool,
    log,
    databases: scopedDatabases(pool),
    identity: embeddedProvider(identityContext),
    identityPool: identityContext,
  }
  return {
    services,
    stop: async () => {
      await identityPool.end()
      await pool.end()
    },
  }
}

/** Everything a server or a worker needs, in order: database, schema, lookup data, parts. */
export const startServices = async (config: Config): Promise<AssembledServices> => {
  const log = openLog(config.LOG_LEVEL)
  const database = await openDatabase(config)
  try {
    await prepareDatabase(database.url)
    const assembled = await assembleServices(config, database.url, log)
    return {
      services: assembled.services,
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

/** Runs a program of ours: faults a person can mend are told in a sentence, the rest with its stack; either way exit code 1. */
export const runProgram = async (program: (config: Config) => Promise<void>) => {
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

/** Calls `stop` once on the first Ctrl-C or SIGTERM; a second one, or 15 seconds, ends the process the hard way. */
export const stopOnSignal = (stop: () => Promise<void>) => {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), 15_000).unref()
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}
