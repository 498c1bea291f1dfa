import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scopedDatabases, systemScope } from '../apps/server/src/platform/db/scope.ts'
import { factories } from '../apps/server/test/given.ts'
import { remote } from '../apps/server/test/remote.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { openReadyProxy } from './ready-proxy.ts'

let proxy: Awaited<ReturnType<typeof openReadyProxy>>
let cluster: Cluster
beforeAll(async () => {
  proxy = await openReadyProxy()
  // Longer than the default: on a busy machine the looks of the proxy may be late.
  cluster = await openCluster({ servers: 2, workers: 1, publicPort: proxy.port, env: { DRAIN_SECONDS: '10' } })
  proxy.watch(cluster.servers.map(({ url }) => url))
})
afterAll(async () => {
  await proxy?.close()
  await cluster?.close()
})

const ask = (url: string, path: string) => fetch(`${url}${path}`).catch(() => null)

it('SCALE-10 two servers are restarted one by one under load behind a proxy that only looks at /readyz: no call fails', async () => {
  const given = factories(scopedDatabases(cluster.pool)(systemScope))
  const { token } = await given.session('ADM')
  const { id } = await given.requisition()
  await expect.poll(proxy.ready).toBe(2)
  const failed: unknown[] = []
  const written: string[] = []
  let answered = 0
  let isOver = false
  const one = async (n: number) => {
    for (let turn = 0; !isOver; turn++) {
      const note = `rolling ${n}.${turn}`
      const call = remote(proxy.url, token).call
      const reply = await (turn % 3 === 0
        ? call('POST', `requisitions/${id}/bill_notes`, { note })
        : call('GET', `requisitions/${id}/bill_notes`)
      ).catch((error: Error) => ({ status: 0, body: String(error.cause ?? error) }))
      if (reply.status !== 200) failed.push(reply)
      else if (turn % 3 === 0) written.push(note)
      answered++
      await wait(20)
    }
  }
  const callers = Array.from({ length: 6 }, (_, n) => one(n))
  for (const server of cluster.servers) {
    const before = answered
    const ending = server.stop()
    await expect.poll(() => ask(server.url, '/readyz').then((reply) => reply?.status)).toBe(503)
    const health = await ask(server.url, '/healthz')
    expect([health?.status, health?.headers.get('connection')]).toEqual([200, 'close'])
    expect((await ask(server.url, '/livez'))?.status).toBe(200)
    expect(await ending, server.output()).toBe(0)
    await server.start()
    await expect.poll(proxy.ready, { timeout: 120_000 }).toBe(2)
    expect(answered).toBeGreaterThan(before)
  }
  isOver = true
  await Promise.all(callers)
  expect(failed).toEqual([])
  const { rows } = await cluster.pool.query<{ note: string }>(
    `select note from billing_note where requisition_id = $1 and note like 'rolling%'`,
    [id],
  )
  expect(rows.map(({ note }) => note).sort()).toEqual(written.sort())
}, 600_000)
