import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Role } from '@lis/contract/access/roles.ts'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { factories } from '../../../test/given.ts'
import { openSmsGateway } from '../../../test/sms-gateway.ts'
import { SessionCache } from '../../platform/auth/session-cache.ts'
import { authenticator } from '../../platform/auth/sessions.ts'
import { type Config, readConfig } from '../../platform/config.ts'
import { type EventHub, openEventHub } from '../../platform/events/hub.ts'
import { publish } from '../../platform/events/publish.ts'
import { registerErrorHandlers } from '../../platform/http/error-handler.ts'
import { mount } from '../../platform/http/implement.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { findJob } from '../../platform/jobs/job-rows.ts'
import { prepareJobs } from '../../platform/jobs/prepare.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { openLog } from '../../platform/log.ts'
import type { Transport } from '../../platform/messaging/message.ts'
import { type NewMessage, queueMessage } from '../../platform/messaging/outbox.ts'
import { openSmsTransport } from '../../platform/messaging/sms-transport.ts'
import type { Services } from '../../platform/services.ts'
import { type DiskStore, openDiskStore } from '../../platform/storage/disk-store.ts'
import { createUploadSlot } from '../../platform/storage/slots.ts'
import { startBackground } from './background.ts'
import { eventRoutes } from './events.ts'
import { foldCounts, removeExpired, startMaintenance } from './maintenance.ts'
import { jobsModule } from './routes.ts'

const base = '/api/v3.0'
const count = defineJob<{ to: number }>({
  kind: 'count',
  run: async ({ progress }, { to }) => {
    await progress(to, to, 'counted')
    return { to }
  },
})

let database: TestDatabase
let config: Config
let services: Services
let store: DiskStore
let hub: EventHub
let app: FastifyInstance
let url = ''

beforeAll(async () => {
  database = await openTestDatabase()
  config = readConfig({ LIS_DATA_DIR: database.folder, LOG_LEVEL: 'silent' })
  store = openDiskStore({ folder: join(database.folder, 'files'), secret: config.secret, publicUrl: () => url })
  services = { config, pool: database.pool, databases: database.databases, log: openLog('silent') } as Services
  await prepareJobs(database.url, [count])
  hub = await openEventHub(database.url)
  app = fastify()
  const limits = { tokenSeconds: 900, idleSeconds: config.SESSION_IDLE_SECONDS, absoluteSeconds: 43_200 }
  const authenticate = authenticator(database.pool, limits, new SessionCache(hub, 0))
  mount(app, [jobsModule], { bases: [base], services, authenticate, checkReplies: true })
  eventRoutes(app, { hub, services, authenticate, base, heartbeatMs: 100 })
  registerErrorHandlers(app, { sendPage: null, apiPrefixes: [base] })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.close()
  await hub.close()
  await database.close()
})

const someone = async (role: Role) => {
  const { userId, token } = await factories(database.db).session(role)
  const headers = { authorization: `Bearer ${token}` }
  const call = async (method: 'GET' | 'PUT', path: string) => {
    const reply = await fetch(`${url}${base}/${path}`, { method, headers })
    return { status: reply.status, body: (await reply.json()) as { data: unknown; message: string } }
  }
  return { userId, headers, call }
}
const start = (userId: number, to = 3) =>
  database.db.transaction().execute((trx) => startJob(trx, count, { to }, { userId }))

describe('GET jobs/:id', () => {
  it('shows a job to its owner', async () => {
    const owner = await someone('BILL')
    const { id } = await start(owner.userId)
    expect(await owner.call('GET', `jobs/${id}`)).toEqual({
      status: 200,
      body: {
        data: { id, kind: 'count', state: 'QUEUED', done: 0, total: null, message: null, result: null },
        message: '',
      },
    })
  })

  it('hides it from others as if it did not exist, but not from those who manage jobs', async () => {
    const [owner, other, manager] = [await someone('BILL'), await someone('BILL'), await someone('ADM')]
    const { id } = await start(owner.userId)
    const missing = await other.call('GET', `jobs/${randomUUID()}`)
    expect(missing.status).toBe(404)
    expect(await other.call('GET', `jobs/${id}`)).toMatchObject({
      status: 404,
      body: { message: missing.body.message },
    })
    expect((await other.call('PUT', `jobs/${id}/cancel`)).status).toBe(404)
    expect((await manager.call('GET', `jobs/${id}`)).status).toBe(200)
    expect((await other.call('GET', 'jobs/not-a-uuid')).status).toBe(404)
  })
})

describe('PUT jobs/:id/cancel', () => {
  it('ends a job once', async () => {
    const owner = await someone('BILL')
    const { id } = await start(owner.userId)
    expect(await owner.call('PUT', `jobs/${id}/cancel`)).toEqual({ status: 200, body: { message: 'Cancelled' } })
    expect((await findJob(database.db, id))?.state).toBe('CANCELLED')
    expect((await owner.call('PUT', `jobs/${id}/cancel`)).status).toBe(409)
  })
})

const follow = async (headers: Record<string, string>) => {
  const reply = await fetch(`${url}${base}/events`, { headers })
  let text = ''
  let isOpen = true
  void (async () => {
    for await (const chunk of reply.body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(chunk)
  })()
    .catch(() => undefined)
    .finally(() => {
      isOpen = false
    })
  await expect.poll(() => text).toContain('retry:')
  return { text: () => text, isOpen: () => isOpen }
}

describe('GET events', () => {
  it('wants a session', async () => {
    expect((await fetch(`${url}${base}/events`)).status).toBe(401)
  })

  it("carries the person's own events and nobody else's", async () => {
    const [one, other] = [await someone('BILL'), await someone('BILL')]
    const [mine, theirs] = [await follow(one.headers), await follow(other.headers)]
    await publish(database.db, { topic: 'notification', userId: one.userId, data: { text: 'for one' } })
    await publish(database.db, { topic: 'internal', data: { text: 'for processes' } })
    await expect.poll(mine.text).toContain('event: notification\ndata: {"text":"for one"}\n\n')
    await publish(database.db, { topic: 'last', userId: other.userId, data: 1 })
    await expect.poll(theirs.text).toContain('event: last')
    expect(theirs.text()).not.toContain('for one')
    expect(mine.text() + theirs.text()).not.toContain('for processes')
  })

  it('tells everybody with a list that requisitions have moved, and not which', async () => {
    const [reader, guest] = [
      await follow((await someone('CLNT')).headers),
      await follow((await someone('GST')).headers),
    ]
    await publish(database.db, { topic: 'requisitions', data: { from: 'LOG', to: 'ACC', count: 7 } })
    await expect.poll(reader.text).toContain('event: requisitions\ndata: {}\n\n')
    expect(reader.text() + guest.text()).not.toContain('ACC')
    expect(guest.text()).not.toContain('requisitions')
  })

  it('tells that something may have been missed', async () => {
    const { text } = await follow((await someone('BILL')).headers)
    await database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lis-events' and datname = current_database()`,
    )
    await expect.poll(text).toContain('event: resync')
  })

  it('ends with the session, and does not keep an idle one alive', async () => {
    const [out, idle] = [await someone('BILL'), await someone('BILL')]
    const [first, second] = [await follow(out.headers), await follow(idle.headers)]
    await database.pool.query('update session set ended_at = now() where user_id = $1', [out.userId])
    await database.pool.query(`update session set last_seen_at = now() - interval '31 minutes' where user_id = $1`, [
      idle.userId,
    ])
    await expect.poll(() => [first.isOpen(), second.isOpen()]).toEqual([false, false])
  })

  it('closes the oldest when one person opens too many', async () => {
    const { headers } = await someone('BILL')
    const streams = [await follow(headers)]
    for (let n = 0; n < 8; n++) streams.push(await follow(headers))
    await expect.poll(() => streams.map((stream) => stream.isOpen())).toEqual([false, ...Array(8).fill(true)])
  })
})

describe('the background', () => {
  it('works on jobs and sends messages, and stops', async () => {
    const owner = await someone('BILL')
    const { text } = await follow(owner.headers)
    const background = await startBackground({
      services,
      definitions: [count],
      databaseUrl: database.url,
      store,
      disk: store,
      transports: {},
    })
    const { id } = await start(owner.userId, 5)
    const message = await database.db
      .transaction()
      .execute((trx) => queueMessage(trx, { channel: 'SMS', to: '1', body: 'x' }))
    await expect.poll(async () => (await findJob(database.db, id))?.state).toBe('DONE')
    await expect.poll(text).toContain('"state":"DONE","done":5,"total":5')
    const stateOf = async () =>
      (await database.pool.query('select state from outbox_message where id = $1', [message.id])).rows[0].state
    await expect.poll(stateOf).toBe('SENT')
    await background.stop()
  })
})

describe('maintenance', () => {
  it('sends a sign-in code at once, however many reports wait for a hanging mail server', async () => {
    const gateway = await openSmsGateway(() => 200)
    let release: (answer: string) => void = () => undefined
    const answer = new Promise<string>((resolve) => (release = resolve))
    const hanging = { send: () => answer, close: () => undefined }
    const transports = { EMAIL: hanging, SMS: openSmsTransport({ url: gateway.url }) }
    const queue = (message: NewMessage) => database.db.transaction().execute((trx) => queueMessage(trx, message))
    for (let n = 0; n < 30; n++) await queue({ channel: 'EMAIL', to: `p${n}@example.org`, body: 'Report' })
    const maintenance = startMaintenance({ services, store, disk: store, transports })
    const sending = `select 1 from outbox_message where state = 'SENDING' and channel = 'EMAIL'`
    await expect.poll(async () => (await database.pool.query(sending)).rowCount).toBe(10)
    await queue({ channel: 'SMS', to: '15551234567', body: 'Code 1', expiresInSeconds: 180 })
    await expect.poll(() => gateway.calls.length).toBe(1)
    expect((await database.pool.query(sending)).rowCount).toBe(10)
    release('250 taken')
    await maintenance.stop()
    gateway.close()
  })

  it('delays no other receiver when one accepts and never answers, with its own connection or the shared one', async () => {
    let release: (answer: string) => void = () => undefined
    const never = new Promise<string>((resolve) => (release = resolve))
    const inHand = new Map<string, number>()
    const send: Transport['send'] = async ({ to }) => {
      if (to === 'C-2') return 'AA'
      const line = to === 'C-1' ? to : 'engine'
      inHand.set(line, (inHand.get(line) ?? 0) + 1)
      return never
    }
    const mail = { send: async () => '250 taken', close: () => undefined }
    const transports = { EMAIL: mail, HL7: { send, dedicatedReceivers: ['C-1', 'C-2'], close: () => undefined } }
    const queue = (message: NewMessage) => database.db.transaction().execute((trx) => queueMessage(trx, message))
    for (let n = 0; n < 30; n++) {
      await queue({ channel: 'HL7', to: 'C-1', body: 'Report' })
      await queue({ channel: 'HL7', to: `X-${n}`, body: 'Report' })
    }
    const maintenance = startMaintenance({ services, store, disk: store, transports })
    await expect.poll(() => Object.fromEntries(inHand)).toEqual({ 'C-1': 2, engine: 2 })
    for (let n = 0; n < 30; n++) await queue({ channel: 'HL7', to: 'C-2', body: 'Report' })
    await queue({ channel: 'EMAIL', to: 'ann@example.org', body: 'Report' })
    const left = `select count(*) as n from outbox_message where state <> 'SENT' and recipient in ('C-2', 'ann@example.org')`
    await expect.poll(async () => (await database.pool.query(left)).rows[0].n).toBe(0)
    expect(Object.fromEntries(inHand)).toEqual({ 'C-1': 2, engine: 2 })
    await database.owner.query(
      `update outbox_message set next_attempt_at = now() + interval '1 day' where state = 'QUEUED'`,
    )
    release('AA')
    await maintenance.stop()
  })

  it('fails in none of its rounds with the rights of the server', async () => {
    const failed: unknown[] = []
    const log = { ...services.log, error: (line: unknown) => failed.push(line) } as unknown as Services['log']
    const maintenance = startMaintenance({ services: { ...services, log }, store, disk: store, transports: {} })
    // The first rounds begin at once; a loop that is stopped logs nothing any more.
    await wait(1500)
    await maintenance.stop()
    expect(failed).toEqual([])
  })

  it('folds counts only when there is something to fold', async () => {
    expect((await foldCounts(database.pool)).rowCount).toBe(0)
    await database.owner.query(
      `insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, n) values ('LOGGED', 1, 2, 3, 1)`,
    )
    expect((await foldCounts(database.pool)).rowCount).toBe(1)
    expect((await database.pool.query('select count(*) from requisition_count_delta')).rows[0].count).toBe(0)
  })

  it('removes expired data and keeps the rest', async () => {
    const slot = { sessionId: randomUUID(), purpose: 'TEST' }
    await database.db.transaction().execute(async (trx) => {
      await createUploadSlot(trx, store, { ...slot, key: 'old' })
      await createUploadSlot(trx, store, { ...slot, key: 'new' })
    })
    await database.owner.query(`
      update upload_slot set expires_at = now() - interval '1 day' where object_key = 'old';
      insert into idempotency_key (user_id, key, route, request_hash, created_at) values
        (1, 'old-key-1', 'x', '', now() - interval '3 days'), (1, 'new-key-1', 'x', '', now() - interval '1 day');
      insert into rate_limit (bucket, hits, window_start) values ('old', 1, now() - interval '2 hours'), ('new', 1, now());
      insert into identity_lock (user_name, failed_since) values ('old', now() - interval '2 hours'), ('new', now());
      insert into job (kind, state, finished_at) values ('ancient', 'DONE', now() - interval '91 days')`)
    await removeExpired(database.db, store, store)
    const { rows } = await database.pool.query(`select
      (select array_agg(object_key) from upload_slot) as slots, (select array_agg(key) from idempotency_key) as keys,
      (select array_agg(bucket) from rate_limit) as buckets,
      (select array_agg(user_name::text) from identity_lock) as attempts, (select count(*) from job where kind = 'ancient') as jobs`)
    expect(rows[0]).toEqual({ slots: ['new'], keys: ['new-key-1'], buckets: ['new'], attempts: ['new'], jobs: 0 })
  })
})
