import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { factories } from '../test/given.ts'
import { runServer, type ServerProcess, untilReady } from '../test/server-process.ts'
import { readConfig } from './platform/config.ts'
import { runningEmbeddedUrl } from './platform/db/embedded-postgres.ts'
import { openPool } from './platform/db/pool.ts'
import { scopedDatabases, systemScope } from './platform/db/scope.ts'
import { openDatabase, openDatabaseForTool, openDatabaseForWorker } from './platform/open-database.ts'

const running: ServerProcess[] = []
const start = async (env: Record<string, string>, file?: string) => {
  const server = await runServer(env, file)
  running.push(server)
  return server
}
const folders: string[] = []
/** In a folder that nobody but its owner can enter: as root, PostgreSQL itself could not. */
const newDataFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'lis-process-'))
  folders.push(folder)
  return join(folder, 'data')
}
afterEach(async () => {
  for (const server of running.splice(0)) if (server.child.exitCode === null) await server.stop('SIGTERM')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const timeout = 600_000
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Creates a signed-in user directly in the database of a running server. */
const someone = async (folder: string) => {
  const pool = openPool(runningEmbeddedUrl(join(folder, 'postgres')), { max: 2 })
  const given = factories(scopedDatabases(pool)(systemScope))
  const session = await given.session('ADM')
  return { ...session, pool }
}

describe('starting', () => {
  it(
    'answers, keeps its data over a restart, and stops PostgreSQL when it stops',
    async () => {
      const folder = newDataFolder()
      const first = await untilReady(await start({ LIS_DATA_DIR: folder }))
      await expect.poll(() => first.output()).toContain(`Data folder: ${folder}`)
      expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
      const who = await someone(folder)
      const { rows } = await who.pool.query(
        "select pg_backend_pid() as backend, (select setting from pg_settings where name = 'data_directory') as place",
      )
      await who.pool.end()
      expect(await first.stop('SIGTERM'), first.output()).toBe(0)
      expect(isAlive(rows[0].backend)).toBe(false)
      const second = await untilReady(await start({ LIS_DATA_DIR: folder }))
      const reply = await fetch(`${second.url}/api/v3.0/users/${who.userId}`, {
        headers: { authorization: `Bearer ${who.token}` },
      })
      expect(reply.status).toBe(200)
      // Without LIS_DEMO=0 its codes would be shown to everyone.
      const refusesDemo = async (file: string) => {
        const lost = await start({ LIS_DATA_DIR: folder, LIS_DEMO: '' }, file)
        expect(await lost.exited, lost.output()).toBe(1)
        expect(lost.output()).toContain('This is not a demo: set LIS_DEMO=0')
      }
      await refusesDemo('worker.ts')
      expect(await second.stop('SIGINT'), second.output()).toBe(0)
      await refusesDemo('main.ts')
    },
    timeout,
  )

  it('lists every fault of the settings at once and exits with 1', async () => {
    const server = await start({ PORT: '99999', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x', S3_BUCKET: 'b' })
    expect(await server.exited).toBe(1)
    for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'LIS_SECRET', 'S3_ACCESS_KEY_ID'])
      expect(server.output()).toContain(name)
    expect(server.output()).not.toContain('    at ')
  })

  it(
    'create-admin creates no first account in demo mode, which would prevent the demo from starting',
    async () => {
      const answers = { username: 'a.miller', first: 'Ann', last: 'Miller', email: 'a@b.example', phone: '16175550100' }
      const args = Object.entries(answers).flatMap(([name, value]) => [`--${name}`, value])
      const server = await runServer({ LIS_DATA_DIR: newDataFolder(), LIS_DEMO: '' }, 'cli/create-admin.ts', args)
      running.push(server)
      expect(await server.exited).toBe(1)
      expect(server.output()).toContain('There is no demo laboratory here yet. For a real installation set LIS_DEMO=0')
    },
    timeout,
  )

  it('says what to do when the database is down', async () => {
    const port = await freePort()
    const server = await start({
      DATABASE_URL: `postgres://u:secret@127.0.0.1:${port}/lis`,
      LIS_SECRET: 'x'.repeat(32),
    })
    expect(await server.exited).toBe(1)
    expect(server.output()).toContain(`The database at 127.0.0.1:${port}/lis cannot be reached`)
    expect(server.output()).not.toContain('secret')
  })

  it(
    'says what to do when the port or the data folder is in use',
    async () => {
      const port = await freePort()
      const blocker = createServer().listen(port, 'localhost')
      const untouched = newDataFolder()
      const blocked = await start({ PORT: String(port), LIS_DATA_DIR: untouched })
      expect(await blocked.exited).toBe(1)
      expect(blocked.output()).toContain(`Port ${port} is in use`)
      // Checked first: no database was created, nothing was built.
      expect(existsSync(join(untouched, 'postgres'))).toBe(false)
      blocker.close()

      const folder = newDataFolder()
      const holder = await untilReady(await start({ LIS_DATA_DIR: folder }))
      const second = await start({ LIS_DATA_DIR: folder })
      expect(await second.exited).toBe(1)
      expect(second.output()).toContain(`is in use by process ${holder.child.pid}`)
      expect((await fetch(`${holder.url}/healthz`)).status).toBe(200)
    },
    timeout,
  )
})

describe('a worker beside the embedded database', () => {
  it(
    'waits for the server, continues after its restart, and ends when the database has another address',
    async () => {
      const folder = newDataFolder()
      const env = { LIS_DATA_DIR: folder, LIS_WEB: 'vite', LIS_WORKER: 'separate' }
      const worker = await start(env, 'worker.ts')
      await expect.poll(() => worker.output()).toContain('Waiting for a server')
      const first = await untilReady(await start(env))
      await untilReady(worker)
      /** A message without a gateway is not sent, but tried. */
      const isWorkedOn = async () => {
        const pool = openPool(runningEmbeddedUrl(join(folder, 'postgres')), { max: 1 })
        try {
          await pool.query(`insert into outbox_message (channel, recipient, body) values ('SMS', '16175550100', 'x')`)
          const waiting = `select 1 from outbox_message m where not exists (select from outbox_attempt a where a.message_id = m.id)`
          await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(0)
        } finally {
          await pool.end()
        }
      }
      await isWorkedOn()
      expect(await first.stop(), first.output()).toBe(0)
      const second = await untilReady(await start(env))
      await isWorkedOn()
      expect(await second.stop(), second.output()).toBe(0)
      expect(worker.child.exitCode).toBe(null)

      const taken = createServer().listen(Number(readFileSync(join(folder, 'postgres.port'), 'utf8')), '127.0.0.1')
      await untilReady(await start(env))
      taken.close()
      expect(await worker.exited, worker.output()).toBe(1)
      expect(worker.output()).toContain('at another address now')
    },
    timeout,
  )

  it(
    'does not use the database of a tool that holds the folder, such as a restore',
    async () => {
      const config = readConfig({ LIS_DATA_DIR: newDataFolder(), LIS_DEMO: '0' })
      const tool = await openDatabase(config, 'tool')
      try {
        const joined = openDatabaseForWorker(() => undefined)(config)
        const later = new Promise<'waits'>((over) => setTimeout(() => over('waits'), 3000))
        expect(await Promise.race([joined, later])).toBe('waits')
        await expect(openDatabaseForTool(config)).rejects.toThrow(`is in use by process ${process.pid}`)
        // A server of an earlier version does not say what it is.
        const file = join(config.dataDir, 'server.lock')
        writeFileSync(file, readFileSync(file, 'utf8').split(' ').slice(0, 2).join(' '))
        const found = await joined
        expect(found.url).toBe(tool.url)
        await found.close()
      } finally {
        await tool.close()
      }
    },
    timeout,
  )
})

describe('SIGKILL', () => {
  it(
    'of the embedded PostgreSQL makes the server restart it; after one of the server the next start takes over its PostgreSQL',
    async () => {
      const folder = newDataFolder()
      const server = await untilReady(await start({ LIS_DATA_DIR: folder, LIS_WEB: 'vite' }))
      const { userId, token, pool } = await someone(folder)
      const save = async (userLastName: string) =>
        (
          await fetch(`${server.url}/api/v3.0/mfa/profile/${userId}`, {
            method: 'PUT',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ userFirstName: 'Crash', userLastName }),
          })
        ).status
      expect(await save('Before')).toBe(200)
      const postmaster = Number(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
      process.kill(postmaster, 'SIGKILL')
      // Meanwhile calls answer 503, never 500.
      const meanwhile = new Set<number>()
      await expect
        .poll(
          async () => {
            const status = await save('After')
            meanwhile.add(status)
            return status
          },
          { timeout: 180_000 },
        )
        .toBe(200)
      meanwhile.delete(200)
      expect([...meanwhile].filter((status) => status !== 503)).toEqual([])
      const { rows } = await pool.query('select last_name from app_user where id = $1', [userId])
      expect(rows).toEqual([{ last_name: 'After' }])
      await pool.end()
      // Its PostgreSQL is left behind, still running on the folder.
      await server.stop('SIGKILL')
      const next = await untilReady(await start({ LIS_DATA_DIR: folder, LIS_WEB: 'vite' }))
      const headers = { authorization: `Bearer ${token}` }
      const reply = await fetch(`${next.url}/api/v3.0/users/${userId}`, { headers })
      expect(((await reply.json()) as { data: object }).data).toMatchObject({ userLastName: 'After' })
      expect(await next.stop('SIGTERM'), next.output()).toBe(0)
    },
    timeout,
  )
})
