import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { openPgBouncer } from '../apps/server/test/pgbouncer.ts'
import { healthUntilExit, runServer } from '../apps/server/test/server-process.ts'
import { clusterSecret } from './cluster.ts'
import { runCrash } from './crash.ts'

/** The tests of the row scope, of every call, and of what needs a session. */
const rowScopeTests = [
  'apps/server/test/authorization',
  'apps/server/src/platform/db/scope.test.ts',
  'apps/server/src/platform/db/shared-connections.test.ts',
  'apps/server/test/concurrent-calls.test.ts',
]

/** Everything through PgBouncer in transaction mode; returns what failed. */
export const runPooler = async (rounds: number, say: (line: string) => void): Promise<string[]> => {
  const faults: string[] = []
  for (const mode of ['transaction', 'statement'] as const) faults.push(...(await startsWithout(mode)))
  say('a pooler without DATABASE_DIRECT_URL is refused')
  const code = await runTests()
  if (code !== 0) faults.push(`the tests of the row scope failed through PgBouncer (exit code ${code})`)
  say('the tests of the row scope have run')
  const crash = await runCrash({
    rounds,
    say,
    through: async (databaseUrl) => {
      const bouncer = await openPgBouncer(databaseUrl)
      return { url: bouncer.urlOf(databaseUrl), close: bouncer.close }
    },
  })
  return [...faults, ...crash.faults]
}

/** A server that would start through a pooler it cannot use. */
const startsWithout = async (mode: 'transaction' | 'statement'): Promise<string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'lis-pooler-'))
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'))
  const bouncer = await openPgBouncer(postgres.url, mode)
  try {
    const began = performance.now()
    const server = await runServer({
      DATABASE_URL: bouncer.urlOf(postgres.url),
      LIS_SECRET: clusterSecret,
      LIS_DATA_DIR: join(folder, 'data'),
      LIS_WEB: 'vite',
    })
    const health = await healthUntilExit(server)
    const code = await server.exited
    const seconds = (performance.now() - began) / 1000
    const isRight = code === 1 && seconds < 30 && server.output().includes('DATABASE_DIRECT_URL')
    return [
      ...(isRight ? [] : [`${mode} mode: exit code ${code} after ${seconds} s: ${server.output()}`]),
      ...(health.includes(200) ? [`${mode} mode: /healthz said 200`] : []),
    ]
  } finally {
    await bouncer.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const runTests = () =>
  new Promise<number | null>((done) => {
    spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...rowScopeTests], {
      stdio: 'inherit',
      env: { ...process.env, LIS_TEST_POOLER: 'pgbouncer' },
    }).once('exit', done)
  })
