import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileTopic } from '@lis/contract/kit/events.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../seeds/demo/load-demo.ts'
import { jobDefinitions } from '../src/jobs.ts'
import { openWorker } from '../src/platform/jobs/worker.ts'
import { type Caller, findUnreleased, openTestApp } from './app.ts'
import { expectWithin } from './quiet-machine.ts'
import { remote } from './remote.ts'

const test = openTestApp()
const people: Caller[] = []
let url: string
let ids: number[]
beforeAll(async () => {
  await loadDemo(test.database.owner, {
    requisitions: 1500,
    asOf: new Date('2026-03-10T00:00:00Z'),
    passwordHash: 'hash of the demo password',
    reportFiles: (key, pdf) => test.services.store.put(key, pdf, 'application/pdf'),
  })
  for (let n = 0; n < 12; n++) people.push(await test.as('MGMT'))
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}`
  const { body } = await person(0).call('GET', 'requisitions/RELEASE?perPage=50')
  ids = body.data.map(({ id }: { id: number }) => id)
})

/** Calls through a socket, as a user of the laboratory; one after the other when there are more calls than users. */
const person = (n: number) => remote(url, (people[n % people.length] as Caller).token)
const times = (count: number, call: (n: number) => Promise<{ status: number }>) =>
  Array.from({ length: count }, async (_, n) => (await call(n)).status)
const each = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

const listMs = async () => {
  const begun = performance.now()
  const { status } = await person(0).call('GET', 'requisitions/ALL?perPage=25')
  expect(status).toBe(200)
  return performance.now() - begun
}
const isAtRest = async () => {
  expect(await findUnreleased(test.services.pools)).toEqual([])
  await expectWithin(100, listMs, 10)
}

const exportAll = (n: number) => person(n).call('GET', 'requisitions/ALL/export')
const bulkDownload = (n: number) =>
  person(n).call('POST', 'requisitions/bulk_download', { reqIds: ids, callSource: 'RELEASE' })
const report = (n: number) =>
  person(n).call('POST', 'qa_reports/download', { reportCode: 'QAPEND', fromDate: '2/01/2026', toDate: '2/28/2026' })
const makeReports = (n: number) =>
  person(n).call('POST', 'requisitions/bulk_reports', { reqIds: [ids[n % ids.length]] })

/** Requests much, and reads only the first bytes. */
const readHalf = async (n: number) => {
  const { port } = test.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const { token } = people[n % people.length] as Caller
  const path = n % 2 === 0 ? 'requisitions/ALL?perPage=500' : 'requisitions/ALL/export'
  socket.write(`GET /api/v3.0/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  if (n % 2 === 0) await once(socket, 'readable')
  return socket
}

describe('calls that make a file', () => {
  it('all get their file when three users request ten at once', async () => {
    expect(await Promise.all(times(10, (n) => exportAll(n % 3)))).toEqual(each(10, 200))
    await isAtRest()
  })

  it('do not delay the lists of others', async () => {
    for (let n = 0; n < 5; n++) await listMs()
    await expectWithin(100, async () => {
      const exports = Promise.all(times(10, (n) => exportAll(1 + (n % 3))))
      const beside: number[] = []
      let isOver = false
      void exports.finally(() => {
        isOver = true
      })
      while (!isOver) beside.push(await listMs())
      expect(await exports).toEqual(each(10, 200))
      return beside.sort((one, other) => one - other)[Math.floor(beside.length / 2)]
    })
  })

  it('are rejected with a message when one user requests more than a few at once', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => exportAll(4)))
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body } of refused)
      expect([status, body.message]).toEqual([
        429,
        'Several files are being made for you already, please wait for one of them',
      ])
    await isAtRest()
  })

  it('notify the user that a file waits for others', async () => {
    const told: unknown[] = []
    const stop = test.services.events.subscribe({ topic: fileTopic }, ({ userId, data }) => told.push([userId, data]))
    // All slots are in use for longer than the silent wait.
    const places = people.slice(6, 8).map(({ userId }) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const signal = new AbortController().signal
      void test.services.fileCalls.run({ userId, signal, onWait: () => undefined }, () => promise)
      return resolve
    })
    const file = exportAll(5)
    await expect.poll(() => told).toEqual([[people[5]?.userId, { ahead: 0 }]])
    for (const leave of places) leave()
    expect((await file).status).toBe(200)
    stop()
  })

  it('release every connection when fifty of each kind come at once with fifty replies that are not read', async () => {
    const worker = await openWorker(test.services, jobDefinitions, { databaseUrl: test.database.url })
    const half = await Promise.all(Array.from({ length: 50 }, (_, n) => readHalf(n)))
    const statuses = await Promise.all(
      [exportAll, bulkDownload, report, makeReports].flatMap((call) => times(50, call)),
    )
    for (const socket of half) socket.destroy()
    // Rejected as too many, or served; never an internal error.
    expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([])
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(50)
    await expect.poll(() => unfinishedJobs(), { timeout: 150_000 }).toBe(0)
    await worker.stop()
    await isAtRest()
  })

  it('survive callers who disconnect at any moment of an export', async () => {
    const { port } = test.app.server.address() as AddressInfo
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const { token } = people[n % people.length] as Caller
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => undefined)
        const format = n % 2 === 0 ? 'csv' : 'xlsx'
        const head = `GET /api/v3.0/requisitions/ALL/export?format=${format} HTTP/1.1\r\nHost: x\r\n`
        socket.write(`${head}Authorization: Bearer ${token}\r\n\r\n`)
        await sleep(n * 15)
        socket.destroy()
      }),
    )
    await isAtRest()
    expect((await exportAll(0)).status).toBe(200)
  })

  it('release their connection when the file cannot be written', async () => {
    const folder = join(test.database.folder, 'files', 'exports')
    rmSync(folder, { recursive: true, force: true })
    writeFileSync(folder, 'in the way')
    const statuses = await Promise.all(times(6, exportAll))
    rmSync(folder)
    expect(statuses).toEqual(each(6, 503))
    await isAtRest()
    expect((await exportAll(0)).status).toBe(200)
  })
})

const unfinishedJobs = async () => {
  const { rows } = await test.database.owner.query(
    "select count(*)::int as count from job where state in ('QUEUED', 'RUNNING')",
  )
  return rows[0].count as number
}

describe('perPage -1', () => {
  it('returns every row of a list, and an error where the list has more than allowed', async () => {
    const { status, body } = await person(0).call('GET', 'requisitions/ALL?perPage=-1')
    const message = 'perPage -1 (all) gives at most 500 rows here, and 1500 match: ask for pages, or export the list'
    expect([status, body.errors]).toEqual([400, [{ field: 'perPage', message }]])
    const few = await person(0).call('GET', `requisitions/ALL?perPage=-1&filter=[id:${ids[0]}]`)
    expect([few.status, few.body.data.length, few.body.total]).toEqual([200, 1, 1])
    const clients = await person(0).call('GET', 'clients?perPage=-1')
    expect([clients.status, clients.body.data.length]).toEqual([200, clients.body.total])
  })
})

describe('/healthz', () => {
  it('queries the pools that calls use', async () => {
    const { unrestricted } = test.services
    const taken = await Promise.all(Array.from({ length: unrestricted.options.max }, () => unrestricted.connect()))
    expect((await fetch(`${url}/healthz`)).status).toBe(503)
    for (const client of taken) client.release()
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})
