import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { factories } from '../test/given.ts'
import { freePort, newDataFolder, runServer, type ServerProcess, untilReady } from '../test/server-process.ts'
import { verifyAudit } from './platform/audit/verify.ts'
import { runningEmbeddedUrl } from './platform/db/embedded-postgres.ts'
import { openPool } from './platform/db/pool.ts'
import { scopedDatabases, systemScope } from './platform/db/scope.ts'

const running: ServerProcess[] = []
const start = async (env: Record<string, string>) => {
  const server = await runServer(env)
  running.push(server)
  return server
}
afterEach(async () => {
  for (const server of running.splice(0)) if (server.child.exitCode === null) await server.stop('SIGTERM')
})

const timeout = 90_000
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A signed-in person, made straight in the database of a running server. */
const someone = async (folder: string) => {
  const pool = openPool(runningEmbeddedUrl(join(folder, 'postgres')), { max: 2 })
  const given = factories(scopedDatabases(pool)(systemScope))
  const session = await given.session('ADM')
  return { ...session, pool }
}

describe('starting', () => {
  it(
    'answers, keeps its data over a restart, and takes PostgreSQL along when it stops',
    async () => {
      const folder = newDataFolder()
      const first = await untilReady(await start({ LIS_DATA_DIR: folder }))
      expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
      const who = await someone(folder)
      const { rows } = await who.pool.query(
        "select pg_backend_pid() as backend, (select setting from pg_settings where name = 'data_directory') as place",
      )
      await who.pool.end()
      expect(await first.stop('SIGTERM')).toBe(0)
      expect(isAlive(rows[0].backend)).toBe(false)
      const second = await untilReady(await start({ LIS_DATA_DIR: folder }))
      const reply = await fetch(`${second.url}/api/v3.0/users/${who.userId}`, {
        headers: { authorization: `Bearer ${who.token}` },
      })
      expect(reply.status).toBe(200)
      expect(await second.stop('SIGINT')).toBe(0)
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
      const blocked = await start({ PORT: String(port), LIS_DATA_DIR: newDataFolder() })
      expect(await blocked.exited).toBe(1)
      expect(blocked.output()).toContain(`Port ${port} is in use`)
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

describe('SIGKILL in the middle of writes', () => {
  it(
    'loses no acknowledged write, and the audit chain verifies',
    async () => {
      const folder = newDataFolder()
      const acknowledged = new Map<number, string>()
      let server = await untilReady(await start({ LIS_DATA_DIR: folder, DATABASE_POOL_SIZE: '8' }))
      const people = []
      for (let n = 0; n < 4; n++) people.push(await someone(folder))
      for (const person of people) await person.pool.end()

      for (let round = 0; round < 3; round++) {
        const isOver = new AbortController()
        const writers = people.map(async ({ userId, token }) => {
          while (!isOver.signal.aborted) {
            const userLastName = randomUUID()
            const reply = await fetch(`${server.url}/api/v3.0/mfa/profile/${userId}`, {
              method: 'PUT',
              headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
              body: JSON.stringify({ userFirstName: 'Crash', userLastName }),
            }).catch(() => null)
            if (reply?.status === 200) acknowledged.set(userId, userLastName)
            else if (!reply) return
          }
        })
        const before = acknowledged.size
        while (acknowledged.size <= before && acknowledged.size < people.length)
          await new Promise((later) => setTimeout(later, 20))
        await new Promise((later) => setTimeout(later, 150 + Math.random() * 400))
        await server.stop('SIGKILL')
        isOver.abort()
        await Promise.all(writers)
        server = await untilReady(await start({ LIS_DATA_DIR: folder }))
      }

      expect(acknowledged.size).toBe(people.length)
      const pool = openPool(runningEmbeddedUrl(join(folder, 'postgres')), { max: 2 })
      for (const [userId, name] of acknowledged) {
        // Either the last acknowledged name is there, or one that was written after it and whose answer was cut off.
        const { rows } = await pool.query(
          "select new_data->>'userLastName' as name from audit_entry where entity = 'app_user' and entity_id = $1 order by id",
          [userId],
        )
        const names = rows.map((row) => row.name)
        expect(names).toContain(name)
        const current = await pool.query('select last_name from app_user where id = $1', [userId])
        expect(current.rows[0].last_name).toBe(names.at(-1))
      }
      expect((await verifyAudit(pool)).faults).toEqual([])
      await pool.end()
    },
    timeout,
  )
})
