import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { demoAccounts, demoPassword, ensureDemoData, ensureWebApp } from './demo.ts'
import type { Config } from './platform/config.ts'
import { parseAddress } from './platform/db/address.ts'
import { listen } from './platform/http/listen.ts'
import { type OpenDatabase, openDatabase } from './platform/open-database.ts'
import type { Services } from './platform/services.ts'
import { StartError } from './platform/start-error.ts'
import { type AssembledServices, runProgram, startServices, startWork, stopOnSignal } from './start.ts'

await runProgram(async (config) => {
  // Checked first, so that the error comes before anything slow.
  await requireFreePort(config)
  const database = await openDatabase(config)
  // Independent of each other, so they are prepared in parallel.
  const [assembled] = await Promise.all([startWithData(config, database), ensureWebApp()])
  const { services } = assembled
  const work = config.LIS_WORKER === 'in-process' ? await startWork(assembled) : null
  const app = await buildApp(services)
  const stop = async () => {
    await app.close()
    await work?.stop()
    await assembled.stop()
  }
  try {
    await listen(app, { port: config.PORT, host: config.HOST })
  } catch (error) {
    await stop()
    throw portError(config, error)
  }
  stopOnSignal(stop, () => drain(services))
  printWelcome(config)
})

/** Says at `/readyz` that no more calls should come, and answers those that still do. */
async function drain({ config, draining }: Services) {
  draining.isDraining = true
  await wait(config.DRAIN_SECONDS * 1000)
}

async function requireFreePort(config: Config) {
  const probe = createServer()
  try {
    await once(probe.listen(config.PORT, config.HOST), 'listening')
  } catch (error) {
    throw portError(config, error)
  }
  await once(probe.close(), 'close')
}

function portError({ PORT, HOST }: Config, error: unknown) {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new StartError(
      `Port ${PORT} is in use. Stop what uses it, or start with another one, e.g. PORT=${PORT + 1} npm start`,
    )
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`The server cannot listen on ${HOST}, port ${PORT} (${code}). Set HOST and PORT to others.`)
  return error
}

async function startWithData(config: Config, database: OpenDatabase): Promise<AssembledServices> {
  const assembled = await startServices(config, async () => database)
  if (!config.demo) return assembled
  try {
    await ensureDemoData(assembled.services.system)
    return assembled
  } catch (error) {
    await assembled.stop()
    throw error
  }
}

function printWelcome(config: Config) {
  const lines = [`Lab Information System (LIS) is ready at ${config.publicUrl}`, `Data folder: ${config.dataDir}`]
  if (config.DATABASE_URL) lines.push(`Database: ${parseAddress(config.DATABASE_URL).label} (DATABASE_URL)`)
  if (config.demo) {
    lines.push(
      '',
      `Demo accounts: ${demoAccounts.join(', ')}`,
      `Password:      ${demoPassword}`,
      `Codes and mails arrive at ${config.publicUrl}/demo/outbox`,
    )
  } else lines.push('', 'No account yet? npm run create-admin')
  console.log(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
}
