import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { factories, type Given } from '../../../test/given.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import { runServer, type ServerProcess, untilReady } from '../../../test/server-process.ts'
import { type EventHub, openEventHub } from '../events/hub.ts'
import type { Actor } from './actor.ts'
import { SessionCache } from './session-cache.ts'

let database: TestDatabase
let given: Given
beforeAll(async () => {
  database = await openTestDatabase()
  given = factories(database.db)
})
afterAll(() => database.close())

const backendsOfHubs = async (): Promise<number[]> => {
  const { rows } = await database.owner.query(
    `select pid from pg_stat_activity where application_name = 'lis-events' and datname = current_database()`,
  )
  return rows.map(({ pid }) => pid)
}

describe('the session cache', () => {
  let hub: EventHub
  beforeAll(async () => {
    hub = await openEventHub(database.url, { retryMs: 20 })
  })
  afterAll(() => hub.close())

  const actor = (userId: number) => ({ userId }) as Actor
  const long = { valid: 60, unnoted: 60 }
  const opened = (ageMs?: number) => new SessionCache(hub, ageMs)
  const keep = (cache: SessionCache, userId: number, seconds = long) =>
    cache.keep(`key ${userId}`, actor(userId), cache.mark(), seconds)
  const find = (cache: SessionCache, userId: number, isNoted = true) => cache.find(`key ${userId}`, isNoted)
  const announce = (payload: string) => database.owner.query(`select pg_notify('lis_sessions', $1)`, [payload])

  it('gives a session that has not changed, and none that it was not given', async () => {
    const cache = opened()
    keep(cache, 1)
    expect(await find(cache, 1)).toEqual({ userId: 1 })
    expect(await find(cache, 2)).toBeUndefined()
  })

  it('forgets the sessions of a user who has changed, and all of them when anyone may have', async () => {
    const cache = opened(0)
    for (const userId of [1, 2, 3]) keep(cache, userId)
    await announce('1,3')
    expect(await Promise.all([1, 2, 3].map((userId) => find(cache, userId)))).toEqual([
      undefined,
      { userId: 2 },
      undefined,
    ])
    await announce('*')
    expect(await find(cache, 2)).toBeUndefined()
  })

  it('does not keep what was read before a change', async () => {
    const cache = opened(0)
    keep(cache, 9)
    const mark = cache.mark()
    await announce('1')
    expect(await find(cache, 9)).toEqual({ userId: 9 })
    cache.keep('key 1', actor(1), mark, long)
    expect(await find(cache, 1)).toBeUndefined()
  })

  it('lets the database decide when a session may have ended, or a call has to be noted', async () => {
    const cache = opened()
    keep(cache, 1, { valid: 0.05, unnoted: -1 })
    expect(await find(cache, 1, false)).toEqual({ userId: 1 })
    expect(await find(cache, 1, true)).toBeUndefined()
    await wait(60)
    expect(await find(cache, 1, false)).toBeUndefined()
  })

  it('confirms again after a call that has written', async () => {
    let confirmations = 0
    const confirm = () => {
      confirmations++
      return hub.confirm()
    }
    const cache = new SessionCache({ ...hub, confirm }, 60_000)
    keep(cache, 1)
    await find(cache, 1)
    await find(cache, 1)
    expect(confirmations).toBe(1)
    cache.expire()
    await find(cache, 1)
    expect(confirmations).toBe(2)
  })

  it('gives nothing while the connection that listens is lost, silent, or another one', async () => {
    const cache = opened(0)
    keep(cache, 1)
    const [pid] = await backendsOfHubs()
    process.kill(pid as number, 'SIGSTOP')
    try {
      expect(await find(cache, 1)).toBeUndefined()
    } finally {
      process.kill(pid as number, 'SIGCONT')
    }
    await expect.poll(() => find(cache, 1)).toEqual({ userId: 1 })
    await database.owner.query('select pg_terminate_backend($1)', [pid])
    await expect.poll(() => hub.connection()).toBe(2)
    expect(await find(cache, 1)).toBeUndefined()
    keep(cache, 1)
    expect(await find(cache, 1)).toEqual({ userId: 1 })
  })
})

describe('a change of rights in three processes', () => {
  const servers: ServerProcess[] = []
  beforeAll(async () => {
    const env = {
      DATABASE_URL: database.url,
      LIS_SECRET: 'a secret of the tests that is long enough',
      LIS_DATA_DIR: database.folder,
      RATE_LIMIT_PER_MINUTE: '1000000',
    }
    for (let count = 0; count < 3; count++) servers.push(await untilReady(await runServer(env)))
  })
  afterAll(() => Promise.all(servers.map((server) => server.stop())))

  /** Calls every server all the time; `change` gives when it was committed, and the rest is what calls were answered from 50 ms later. */
  const answersAfter = async (path: string, change: (userId: number) => Promise<unknown>) => {
    const withinMs = onQuietMachine(50)
    const { userId, token } = await given.session('ADM')
    const calls: { at: number; status: number; server: number }[] = []
    let isOver = false
    onTestFinished(() => {
      isOver = true
    })
    const caller = async (server: ServerProcess, index: number) => {
      while (!isOver) {
        const at = performance.now()
        const { status } = await fetch(`${server.url}/api/v3.0/${path}`, {
          headers: { authorization: `Bearer ${token}` },
        })
        calls.push({ at, status, server: index })
      }
    }
    const callers = servers.map(caller)
    await expect.poll(() => servers.every((_, index) => calls.some(({ server }) => server === index))).toBe(true)
    await wait(200)
    const began = performance.now()
    const before = [...calls]
    await change(userId)
    const committed = performance.now()
    const late = () => calls.filter(({ at }) => at >= committed + withinMs)
    await expect.poll(() => new Set(late().map(({ server }) => server)).size).toBe(3)
    await wait(200)
    isOver = true
    await Promise.all(callers)
    return { before: statusesOf(before.filter(({ at }) => at < began)), after: statusesOf(late()) }
  }
  /** A busy machine may need several tries. */
  const expectAfter = (change: (userId: number) => Promise<unknown>, status: number, cleanUp = () => {}) =>
    expect
      .poll(() => answersAfter('users', change).finally(cleanUp), { timeout: 60_000 })
      .toEqual({ before: [200], after: [status] })
  const statusesOf = (some: readonly { status: number }[]) => [...new Set(some.map(({ status }) => status))]
  const run = (text: string) => (userId: number) => database.owner.query(text, [userId])

  it('counts within 50 ms: an ended session', async () => {
    const end = run(`update session set ended_at = now(), end_reason = 'TEST' where user_id = $1`)
    await expectAfter(end, 408)
  })

  it('counts within 50 ms: a disabled account', async () => {
    const disable = run(`update app_user set status_code = 'LCK' where id = $1`)
    await expectAfter(disable, 408)
  })

  it('counts within 50 ms: a changed role', async () => {
    const change = run(`update app_user set role_code = 'BILL' where id = $1`)
    await expectAfter(change, 403)
  })

  it('counts within 50 ms where the connection that listens does not answer', async () => {
    const pids = await backendsOfHubs()
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, name)
    }
    const change = async (userId: number) => {
      signal('SIGSTOP')
      await database.owner.query(`update app_user set status_code = 'LCK' where id = $1`, [userId])
    }
    await expectAfter(change, 408, () => signal('SIGCONT'))
  })
})
