import { afterEach, describe, expect, it } from 'vitest'
import { openTestDatabase } from './database.ts'
import { installCommand, missingPackages } from './packages.ts'
import { openPgBouncer } from './pgbouncer.ts'
import { onQuietMachine } from './quiet-machine.ts'
import { healthUntilExit, runServer, type ServerProcess, untilReady } from './server-process.ts'
import { openTransactionPooler } from './transaction-pooler.ts'

const throughPgBouncer = async (databaseUrl: string) => {
  const bouncer = await openPgBouncer(databaseUrl)
  return { url: bouncer.urlOf(databaseUrl), close: bouncer.close }
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const start = async (through: typeof throughPgBouncer, isDirectGiven: boolean): Promise<ServerProcess> => {
  const database = await openTestDatabase()
  closing.push(database.close)
  const pooler = await through(database.url)
  closing.push(pooler.close)
  const server = await runServer({
    DATABASE_URL: pooler.url,
    ...(isDirectGiven && { DATABASE_DIRECT_URL: database.url }),
    LIS_SECRET: 'x'.repeat(32),
    LIS_DATA_DIR: database.folder,
    LIS_WEB: 'vite',
  })
  closing.push(async () => server.child.exitCode === null && server.stop())
  return server
}

const missing = missingPackages(['pgbouncer'], false)
if (missing.length > 0)
  console.warn(`Without the tests through PgBouncer, which is missing. On Debian: ${installCommand}`)

describe.each([
  { name: 'a stand-in', through: openTransactionPooler, isMissing: false },
  { name: 'PgBouncer', through: throughPgBouncer, isMissing: missing.length > 0 },
])('a server whose DATABASE_URL leads through $name in transaction mode', ({ through, isMissing }) => {
  it.skipIf(isMissing)(
    'SCALE-03 ends with code 1, names DATABASE_DIRECT_URL, and never says that it is ready',
    async () => {
      const began = performance.now()
      const server = await start(through, false)
      expect(await healthUntilExit(server)).not.toContain(200)
      expect(await server.exited, server.output()).toBe(1)
      expect(performance.now() - began).toBeLessThan(onQuietMachine(30_000))
      expect(server.output()).toContain(
        'DATABASE_URL goes through a pooler in transaction or statement mode: set DATABASE_DIRECT_URL to the database itself',
      )
    },
  )

  it.skipIf(isMissing)('SCALE-03 starts and answers with DATABASE_DIRECT_URL', async () => {
    const server = await untilReady(await start(through, true))
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect(await server.stop(), server.output()).toBe(0)
  })
})
