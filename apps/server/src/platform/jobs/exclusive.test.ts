import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { startExclusive } from './exclusive.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const start = (lockName: string, databaseUrl = database.url, end: () => Promise<void> | void = () => undefined) => {
  const errors: string[] = []
  let rounds = 0
  const exclusive = startExclusive({
    lockName,
    databaseUrl,
    log: { error: ({ err }: { err: Error }) => errors.push(err.message) } as never,
    everyMs: 20,
    round: async () => {
      rounds++
    },
    end,
  })
  return { stop: exclusive.stop, rounds: () => rounds, errors }
}
const lockConnections = (lockName: string) =>
  database.owner.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    `lis-${lockName}`,
  ])

describe('work of exactly one process', () => {
  it('runs with several hosts in the address, of which one is away', async () => {
    const url = new URL(database.url)
    const several = database.url.replace(url.host, `127.0.0.1:1,${url.host}`)
    const one = start('several-hosts', several)
    await expect.poll(one.rounds).toBeGreaterThan(0)
    expect(one.errors).toEqual([])
    await one.stop()
  })

  it('goes on after its connection was ended, even if what it had begun cannot be ended', async () => {
    let isBroken = false
    const one = start('broken-end', database.url, () => {
      if (isBroken) throw new Error('cannot be ended')
    })
    await expect.poll(one.rounds).toBeGreaterThan(0)
    isBroken = true
    await lockConnections('broken-end')
    await expect.poll(() => one.errors).toContain('cannot be ended')
    const before = one.rounds()
    await expect.poll(one.rounds).toBeGreaterThan(before + 1)
    isBroken = false
    await one.stop()
  })
})
