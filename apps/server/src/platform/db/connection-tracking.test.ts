import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { heldConnections, watchConnections, withConnectionLabel } from './connection-tracking.ts'

const lines: string[] = []
const test = openTestApp({
  env: { LOG_LEVEL: 'warn', DATABASE_POOL_SIZE: '1' },
  log: { write: (line) => void lines.push(line) },
})

describe('a connection of the database', () => {
  it('is tracked with the work that holds it until it is released', async () => {
    const { pool } = test.services
    const client = await withConnectionLabel('GET /example', () => pool.connect())
    expect(heldConnections(pool)).toMatchObject([{ pool: 'lis', work: 'GET /example' }])
    client.release()
    await withConnectionLabel('GET /other', () => pool.query('select 1'))
    expect(heldConnections(pool)).toEqual([])
  })

  it('is reported once with its route when it is held for long', async () => {
    const reports: { work: string }[] = []
    // On a busy machine other connections are held for 50 ms too.
    const slowLists = () => reports.filter(({ work }) => work === 'GET /api/v3.0/clients')
    const stop = watchConnections(
      test.services.pools,
      { warn: (report: { work: string }) => reports.push(report) } as never,
      50,
      10,
    )
    const staff = await test.as('STF')
    const owner = await test.database.owner.connect()
    await owner.query('begin')
    await owner.query('lock table client in access exclusive mode')
    const call = staff.get('clients')
    try {
      await expect.poll(slowLists).toHaveLength(1)
      await wait(50)
    } finally {
      await owner.query('rollback')
      owner.release()
    }
    expect((await call).status).toBe(200)
    stop()
    expect(slowLists()).toEqual([{ pool: 'lis-all', work: 'GET /api/v3.0/clients', seconds: expect.any(Number) }])
  })

  it('that is never released is named in the timeout of a caller who waits for it', async () => {
    const { unrestricted } = test.services
    const client = await withConnectionLabel('job example', () => unrestricted.connect())
    const { status, body } = await (await test.as('STF')).get('clients').finally(() => client.release())
    expect([status, body.message]).toEqual([503, 'The server is busy, please try again in a moment'])
    expect(lines.map((line) => JSON.parse(line).err?.heldBy)).toContainEqual({ 'job example': 1 })
  })
})
