import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPool } from '../src/platform/db/pool.ts'
import { openTestApp } from './app.ts'
import { testDatabaseAt } from './database.ts'
import { type DatabasePair, openDatabasePair } from './database-pair.ts'
import { freePort } from './free-port.ts'
import { onQuietMachine } from './quiet-machine.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

let pair: DatabasePair
let first: TcpProxy
let second: TcpProxy
beforeAll(async () => {
  pair = await openDatabasePair()
  first = await openTcpProxy(Number(new URL(pair.primary.url).port))
  second = await openTcpProxy(Number(new URL(pair.standby.url).port))
})
afterAll(async () => {
  await first?.close()
  await second?.close()
  await pair?.close()
})

/** The address with these ports instead. */
const addressOf = (ports: readonly number[], parameters = 'target_session_attrs=read-write&connect_timeout=2') => {
  const { username, password, pathname } = new URL(pair.primary.url)
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return `postgres://${username}:${password}@${hosts}${pathname}?${parameters}`
}

const lines: Record<string, unknown>[] = []
const test = openTestApp({
  env: { LOG_LEVEL: 'warn' },
  log: { write: (line) => void lines.push(JSON.parse(line)) },
  database: async () => testDatabaseAt(addressOf([second.port, first.port]), pair.folder),
})

const portOf = async (url: string) => {
  const pool = openPool(url, { max: 1, name: 'test-hosts' })
  const began = performance.now()
  try {
    const { rows } = await pool.query<{ port: string }>("select current_setting('port') as port")
    return { port: rows[0]?.port, ms: performance.now() - began }
  } finally {
    await pool.end()
  }
}

describe('several hosts in DATABASE_URL', () => {
  it('SCALE-02 a dead host, a standby, and one that never answers cost at most connect_timeout', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const [primary, standby] = [pair.primary, pair.standby].map(({ url }) => Number(new URL(url).port)) as [
      number,
      number,
    ]
    const ports = [await freePort(), (silent.address() as AddressInfo).port, standby, primary]
    const found = await portOf(addressOf(ports))
    expect(found.port).toBe(String(primary))
    expect(found.ms).toBeLessThan(onQuietMachine(4000))
    for (const [target, port] of [
      ['primary', primary],
      ['standby', standby],
      ['read-only', standby],
      ['prefer-standby', standby],
      ['any', standby],
    ] as const)
      expect(await portOf(addressOf(ports, `target_session_attrs=${target}&connect_timeout=2`))).toMatchObject({
        port: String(port),
      })
    const one = portOf(addressOf(ports.slice(1, 2), 'connect_timeout=2'))
    await expect(one).rejects.toThrow('2 s')
    await expect(portOf(addressOf([standby], 'target_session_attrs=primary'))).rejects.toThrow('is a standby')
    silent.close()
  })

  it('does not end a statement that merely takes long', async () => {
    const pool = openPool(addressOf([first.port, second.port]), { max: 1, name: 'test-long' })
    const { rows } = await pool.query('select pg_sleep(7), 1 as done')
    expect(rows[0].done).toBe(1)
    await pool.end()
  })
})

describe('a primary that stops answering while its connections stay open', () => {
  it('SCALE-02 SCALE-12 is noticed in the middle of a statement; calls answer 503, then 200 once another host is primary', async () => {
    const who = await test.as('ADM')
    const { id } = await test.given.requisition()
    const save = (note: string) =>
      who.post(`requisitions/${id}/bill_notes`, { note }, { 'idempotency-key': `failover ${note}` })
    expect((await save('before')).status).toBe(200)
    await pair.untilReplayed()
    lines.length = 0
    const running = test.services.system.query('select pg_sleep(60)').catch((error: pg.DatabaseError) => error)
    const isRunning = "select from pg_stat_activity where state = 'active' and query = 'select pg_sleep(60)'"
    await expect.poll(async () => (await pair.pools.primary.query(isRunning)).rowCount).toBe(1)
    first.stall()
    const stalledAt = performance.now()
    const replies = await Promise.all([save('during'), who.get(`requisitions/${id}/bill_notes`), save('during too')])
    expect(performance.now() - stalledAt).toBeLessThan(onQuietMachine(15_000))
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(replies[0]?.headers['retry-after']).toBe('5')
    expect(replies[0]?.body.message).toMatch(/please try again$/)
    expect(await running).toBeInstanceOf(Error)
    expect(performance.now() - stalledAt).toBeLessThan(onQuietMachine(15_000))
    expect((await test.inject({ method: 'GET', url: '/readyz' })).status).toBe(503)
    expect((await test.inject({ method: 'GET', url: '/livez' })).status).toBe(200)
    const outage = lines.filter(({ msg }) => String(msg).startsWith('the database is not available'))
    expect(outage).toHaveLength(1)
    expect(outage[0]?.host).toContain(String(first.port))
    expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual(outage)

    await pair.promote()
    const promotedAt = performance.now()
    const statuses: number[] = []
    for (let status = 0; status !== 200; statuses.push(status)) status = (await save('during')).status
    expect(performance.now() - promotedAt).toBeLessThan(onQuietMachine(20_000))
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    const { body } = await who.get(`requisitions/${id}/bill_notes`)
    const notes = body.data.map((row: { note: string }) => row.note)
    expect(notes.filter((note: string) => note === 'before' || note === 'during').sort()).toEqual(['before', 'during'])
  })

  it('SCALE-12 a primary that becomes read-only in the middle of a call answers 503, and the repeat is done once', async () => {
    const who = await test.as('ADM')
    const { id } = await test.given.requisition()
    const save = () => who.post(`requisitions/${id}/bill_notes`, { note: 'once' }, { 'idempotency-key': 'read-only' })
    await pair.pools.standby.query('alter system set default_transaction_read_only = on')
    await pair.pools.standby.query('select pg_reload_conf()')
    const isSet = async () => (await pair.pools.standby.query('show default_transaction_read_only')).rows
    await expect.poll(isSet).toEqual([{ default_transaction_read_only: 'on' }])
    await wait(1000) // all other connections too
    const refused = await save()
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
    await pair.pools.standby.query('alter system reset default_transaction_read_only')
    await pair.pools.standby.query('select pg_reload_conf()')
    await expect.poll(async () => (await save()).status).toBe(200)
    const notes = async () => {
      const { body } = await who.get(`requisitions/${id}/bill_notes`)
      return body.data?.map((row: { note: string }) => row.note)
    }
    await expect.poll(notes).toEqual(['once'])
  })
})
