import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scopedDatabases, systemScope } from '../apps/server/src/platform/db/scope.ts'
import { factories, type Given } from '../apps/server/test/given.ts'
import { type MailServer, openMailServer } from '../apps/server/test/mail-server.ts'
import { type Remote, remote } from '../apps/server/test/remote.ts'
import { findFaults, waitUntilIdle } from './check.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { startLoad } from './load.ts'
import { openProxy, type PlainProxy } from './proxy.ts'

let mail: MailServer
let proxy: PlainProxy
let cluster: Cluster
let given: Given
const limit = 600

beforeAll(async () => {
  mail = await openMailServer()
  proxy = await openProxy()
  cluster = await openCluster({
    servers: 3,
    workers: 2,
    publicPort: proxy.port,
    env: { SMTP_URL: mail.url, DATABASE_POOL_SIZE: '4', SIGN_IN_LIMIT_PER_MINUTE: String(limit) },
  })
  proxy.leadTo(cluster.servers.map(({ url }) => url))
  given = factories(scopedDatabases(cluster.pool)(systemScope))
})
afterAll(async () => {
  await cluster?.close()
  await proxy?.close()
  await mail?.close()
})

const someone = async (): Promise<Remote & { userId: number }> => {
  const { userId, token } = await given.session('ADM')
  return { ...remote(proxy.url, token), userId }
}

/** What a browser receives on its event stream, until it is closed. */
const listen = async (url: string, token: string) => {
  const end = new AbortController()
  const reply = await fetch(`${url}/api/v3.0/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: end.signal,
  })
  const heard: string[] = []
  const reading = (async () => {
    for await (const chunk of reply.body ?? []) heard.push(Buffer.from(chunk).toString())
  })().catch(() => undefined)
  return {
    text: () => heard.join(''),
    close: async () => {
      end.abort()
      await reading
    },
  }
}

describe('three servers and two workers behind a plain proxy', () => {
  it('a session opened at one server is valid at all at once, and ended at one it is ended at all', async () => {
    const who = await someone()
    for (const { url } of cluster.servers)
      expect((await remote(url, who.token).call('GET', `users/${who.userId}`)).status).toBe(200)
    expect((await who.call('PUT', `mfa/logout/${who.userId}`, {})).status).toBe(200)
    for (const { url } of cluster.servers)
      expect((await remote(url, who.token).call('GET', `users/${who.userId}`)).status).not.toBe(200)
  })

  it('what is written at one server is read at all others in the next call', async () => {
    const who = await someone()
    for (const [n, { url }] of cluster.servers.entries()) {
      const userLastName = `Writer${n}`
      await remote(url, who.token).call('PUT', `mfa/profile/${who.userId}`, { userFirstName: 'Ada', userLastName })
      for (const other of cluster.servers) {
        const { body } = await remote(other.url, who.token).call('GET', `users/${who.userId}`)
        expect(body.data.userLastName).toBe(userLastName)
      }
    }
  })

  it('a browser gets the events of work done at another server', async () => {
    const who = await someone()
    const streams = await Promise.all(cluster.servers.map(({ url }) => listen(url, who.token)))
    const { id } = await given.requisition({ status_code: 'ACC' })
    const [, second] = cluster.servers
    const moved = await remote(second?.url ?? '', who.token).call(
      'PUT',
      `requisitions/ACC/next_status/bulk_move?id=${id}`,
      { callSource: 'ACC' },
    )
    expect(moved.body.data.moved).toEqual([id])
    for (const stream of streams) await expect.poll(stream.text).toContain('event: requisitions')
    for (const stream of streams) await stream.close()
  })

  it('a file sent to one server is registered by another and fetched from a third; a slot works once, at any server', async () => {
    const who = await someone()
    const { id } = await given.requisition()
    const at = (n: number) => remote(cluster.servers[n]?.url ?? '', who.token)
    const slot = (
      await at(0).call('POST', `requisitions/${id}/upload`, { fileName: 'scan.pdf', docTypeCode: 'SCANREQ' })
    ).body.data
    const bytes = Buffer.from('%PDF-1.7\nonce')
    const sent = await Promise.all([0, 1, 2].map((n) => at(n).send(slot, bytes)))
    expect(sent.sort()).toEqual([204, 403, 403])
    const file = { originalFileName: 'scan.pdf', fileName: slot.newFileName }
    expect((await at(2).call('POST', `requisitions/${id}/scanreqs`, file)).status).toBe(200)
    const [document] = (await at(0).call('GET', `requisitions/${id}/docs`)).body.data
    const { body } = await at(1).call('GET', `requisitions/${id}/docs/${document.id}/view`)
    const address = new URL(body.data.url)
    const fetched = await fetch(`${cluster.servers[2]?.url}${address.pathname}${address.search}`)
    expect([fetched.status, Buffer.from(await fetched.arrayBuffer())]).toEqual([200, bytes])
  })

  it('a call repeated at another server with its Idempotency-Key is done once', async () => {
    const who = await someone()
    const { id } = await given.requisition()
    const headers = { 'idempotency-key': 'the same everywhere' }
    const replies = await Promise.all(
      cluster.servers.map(({ url }) =>
        remote(url, who.token).call('POST', `requisitions/${id}/bill_notes`, { note: 'Once' }, headers),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    const { rows } = await cluster.pool.query('select count(*) as n from billing_note where requisition_id = $1', [id])
    expect(rows[0].n).toBe(1)
  })

  it('counts the calls of one address over all servers', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.7' }
    const ask = async (url: string) => (await fetch(`${url}/idp/.well-known/jwks.json`, { headers })).status
    // Counted by the minute: two of them would let twice as many pass.
    const leftMs = 60_000 - (Date.now() % 60_000)
    if (leftMs < 45_000) await wait(leftMs)
    let served = 0
    let refused = 0
    for (const end = Date.now() + 45_000; refused === 0 && Date.now() < end; await wait(250)) {
      const statuses = await Promise.all(
        cluster.servers.flatMap(({ url }) => Array.from({ length: 25 }, () => ask(url))),
      )
      refused += statuses.filter((status) => status === 429).length
      served += statuses.filter((status) => status === 200).length
    }
    // Servers that counted each for itself would have let three times the limit pass. They exchange their counts once a second.
    expect(refused).toBeGreaterThan(0)
    expect(served).toBeLessThan(2 * limit)
  })
})

it('one server and one worker are killed under load: no call is sent more than twice, nothing is lost, jobs finish', async () => {
  const load = await startLoad(cluster, () => proxy.url)
  const [, victim] = cluster.servers
  const [, worker] = cluster.workers
  const reach = (n: number) => expect.poll(load.answered, { timeout: 180_000 }).toBeGreaterThan(n)
  await reach(60)
  await Promise.all([victim?.kill(), worker?.kill()])
  const diedAt = new Date()
  await reach(load.answered() + 60)
  await load.stop()
  await worker?.start()
  expect(load.faults).toEqual([])
  expect(load.mostRepeats()).toBeLessThanOrEqual(1)
  expect(await waitUntilIdle(cluster, { seconds: 180, diedAt })).toEqual([])
  expect(await findFaults(cluster, load.ledger, mail, proxy.url)).toEqual([])
})
