import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../src/platform/log.ts'
import { requireReplica } from '../src/platform/open-database.ts'
import { StartError } from '../src/platform/start-error.ts'
import { openTestApp } from './app.ts'
import { testDatabaseAt } from './database.ts'
import { type DatabasePair, openDatabasePair } from './database-pair.ts'

let pair: DatabasePair
beforeAll(async () => {
  pair = await openDatabasePair()
})
afterAll(() => pair?.close())

const test = openTestApp({
  database: async () => ({
    ...testDatabaseAt(pair.primary.url, pair.folder),
    replicaUrl: pair.standby.url,
  }),
})

const counts = () => ({ ...test.services.largeReads.counts })
const metric = async (line: string) => {
  const { body } = await test.inject({ method: 'GET', url: '/metrics' })
  return Number(
    String(body)
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length),
  )
}
const lag = () => metric('lis_replica_lag_seconds')
const readsOf = (target: string) => metric(`lis_replica_reads_total{target="${target}"}`)
const untilSampled = () => expect.poll(lag).toBe(0)

/** The client names of the export, read from the stored file. */
const exportedNames = async (who: Awaited<ReturnType<typeof test.as>>) => {
  const { status, body } = await who.get('clients/export?format=csv')
  expect(status).toBe(200)
  if (body.data === null) return ''
  const { pathname, search } = new URL(body.data.exportUrl, 'http://localhost')
  return String((await test.inject({ method: 'GET', url: pathname + search })).body)
}

describe('exports and reports beside a replica', () => {
  it('SCALE-04 come from the replica and contain what their reader has just written', async () => {
    await untilSampled()
    const admin = await test.as('ADM')
    for (let round = 0; round < 5; round++) {
      await test.given.client({ name: `Just written ${round}` })
      expect(await exportedNames(admin)).toContain(`Just written ${round}`)
    }
    expect(await readsOf('replica')).toBeGreaterThanOrEqual(4)
    const before = counts()
    const report = { reportCode: 'QATAT', fromDate: '01/01/2026', toDate: '01/31/2026' }
    expect((await admin.get(`qa_reports/preview?${new URLSearchParams(report)}`)).status).toBe(200)
    expect(counts()).toEqual({ ...before, replica: before.replica + 1 })
    const made = await admin.post('qa_reports/download', report)
    expect(made.status).toBe(200)
    expect(counts()).toEqual({ ...before, replica: before.replica + 2 })
  })

  it('SCALE-04 show each reader only the rows of the own scope, also on the replica', async () => {
    const client = await test.given.client()
    const own = await test.given.requisition({ client_id: client.id })
    const foreign = await test.given.requisition()
    await pair.untilReplayed()
    const before = counts()
    const scope = { role: 'CLNT', ids: [client.id] }
    const rows = await test.services.largeReads.run(scope, (db) =>
      db.selectFrom('requisition').select('id').where('id', 'in', [own.id, foreign.id]).execute(),
    )
    expect(rows).toEqual([{ id: own.id }])
    expect(counts().replica).toBe(before.replica + 1)
  })

  it('SCALE-04 go to the primary while the replica has not replayed a write; an idle primary is no lag', async () => {
    await wait(2500)
    await untilSampled()
    const admin = await test.as('ADM')
    await pair.untilReplayed()
    await pair.pools.standby.query('select pg_wal_replay_pause()')
    const name = 'Not replayed yet'
    await test.given.client({ name })
    const before = counts()
    expect(await exportedNames(admin)).toContain(name)
    expect(counts()).toEqual({ ...before, primary: before.primary + 1 })
    await expect.poll(lag).toBeGreaterThan(1)
    await pair.pools.standby.query('select pg_wal_replay_resume()')
    await untilSampled()
    expect(await exportedNames(admin)).toContain(name)
    expect(counts()).toEqual({ replica: before.replica + 1, primary: before.primary + 1 })
  })

  it('SCALE-04 a replica that is a primary is refused at start, and no longer read from when it becomes one', async () => {
    const log = openLog('silent')
    await expect(requireReplica(pair.primary.url, log)).rejects.toThrow(StartError)
    await expect(requireReplica(pair.standby.url, log)).resolves.toBeUndefined()
    await expect(requireReplica('postgres://nobody@127.0.0.1:1/none', log)).resolves.toBeUndefined()
    await pair.promote()
    await expect.poll(lag).toBeNaN()
    const before = counts()
    await exportedNames(await test.as('ADM'))
    expect(counts()).toEqual({ ...before, primary: before.primary + 1 })
  })
})
