import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { crashJob } from '../../../test/crash-worker.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { expectWithin } from '../../../test/quiet-machine.ts'
import type { Trx } from '../db/db.ts'
import { invalid } from '../errors.ts'
import { type EventHub, openEventHub } from '../events/hub.ts'
import type { AppEvent } from '../events/publish.ts'
import { openLog } from '../log.ts'
import type { Services } from '../services.ts'
import { defineJob, type JobContext } from './definition.ts'
import { cancelJob, failLostJobs, findJob, type jobView } from './job-rows.ts'
import { prepareJobs } from './prepare.ts'
import { startJob } from './start-job.ts'
import { type JobWorker, openWorker } from './worker.ts'

let database: TestDatabase
let services: Services
let hub: EventHub
let worker: JobWorker | null = null

type Run = (context: JobContext, input: { n: number }) => Promise<unknown>
let run: Run = async () => undefined
const plain = defineJob<{ n: number }>({ kind: 'plain', run: (context, input) => run(context, input), concurrency: 2 })
const patient = defineJob<{ n: number }>({
  kind: 'patient',
  retry: { limit: 2, delaySeconds: 1, longestDelaySeconds: 1 },
  run: (context, input) => run(context, input),
})
const hourly = defineJob({
  kind: 'by-clock',
  schedule: async () => ({ cron: '* * * * *', zone: 'America/New_York' }),
  run: async () => 'rang',
})
const definitions = [plain, patient, hourly, crashJob]

beforeAll(async () => {
  database = await openTestDatabase()
  services = { pool: database.pool, databases: database.databases, log: openLog('silent') } as Services
  await prepareJobs(database.url, definitions)
  hub = await openEventHub(database.url)
})
afterAll(async () => {
  await worker?.stop(1000)
  await hub.close()
  await database.close()
})
beforeEach(() => {
  run = async () => undefined
})

const options = () => ({ databaseUrl: database.url, superviseSeconds: 1, clockSeconds: 1, pollSeconds: 1 })
const within = <T>(fn: (trx: Trx) => Promise<T>) => database.db.transaction().execute(fn)
const start = (n = 1) => within((trx) => startJob(trx, plain, { n }, { userId: 7 }))
const stateOf = async (id: string) => (await findJob(database.db, id))?.state
const over = (id: string, state = 'DONE') => expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe(state)

describe('preparing', () => {
  it('may be repeated, also by several processes at once', async () => {
    await Promise.all([prepareJobs(database.url, definitions), prepareJobs(database.url, definitions)])
  })

  it('lets the application use the queue but not alter its tables', async () => {
    await expect(database.pool.query('create table jobs.x (a int)')).rejects.toThrow('permission denied')
    expect((await database.pool.query('select count(*) from jobs.queue')).rows[0].count).toBeGreaterThanOrEqual(
      definitions.length,
    )
  })
})

describe('starting', () => {
  it('is part of the transaction that starts it', async () => {
    await expect(
      within(async (trx) => {
        await startJob(trx, plain, { n: 1 }, { userId: 7 })
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    const { rows } = await database.pool.query(
      `select (select count(*) from job) as ours, (select count(*) from jobs.job where name = 'plain') as theirs`,
    )
    expect(rows[0]).toEqual({ ours: 0, theirs: 0 })
  })

  it('returns the running job instead of starting a second one with the same key', async () => {
    const key = { singletonKey: 'load 5' }
    const first = await within((trx) => startJob(trx, plain, { n: 1 }, key))
    const [second, third] = await Promise.all([
      within((trx) => startJob(trx, plain, { n: 2 }, key)),
      within((trx) => startJob(trx, plain, { n: 3 }, key)),
    ])
    expect([second, third]).toEqual([
      { id: first.id, isNew: false },
      { id: first.id, isNew: false },
    ])
    await within((trx) => cancelJob(trx, first.id))
    const next = await within((trx) => startJob(trx, plain, { n: 4 }, key))
    expect(next.isNew).toBe(true)
    await within((trx) => cancelJob(trx, next.id))
  })

  it('rejects an unknown kind', async () => {
    await expect(within((trx) => startJob(trx, 'unknown', {}))).rejects.toThrow('Queue unknown does not exist')
  })
})

describe('a worker', () => {
  beforeAll(async () => {
    worker = await openWorker(services, definitions, options())
  })

  it('runs a job soon after the commit, and stores its result', async () => {
    run = async ({ userId, attempt }, { n }) => ({ n, userId, attempt })
    let id = ''
    await expectWithin(2500, async () => {
      id = (await start(42)).id
      await over(id)
    })
    expect(await findJob(database.db, id)).toMatchObject({
      result: { n: 42, userId: 7, attempt: 1 },
      attempts: 1,
      message: null,
      finished_at: expect.any(String),
    })
  })

  it('runs many short jobs without a pause between them', async () => {
    let count = 0
    run = async () => void count++
    await expectWithin(8000, async () => {
      count = 0
      await within(async (trx) => {
        for (let n = 0; n < 30; n++) await startJob(trx, plain, { n })
      })
      await expect.poll(() => count, { timeout: 60_000 }).toBe(30)
    })
  })

  it('publishes progress at most four times a second, and the outcome', async () => {
    const heard: AppEvent[] = []
    let seconds = 0
    const stop = hub.subscribe({ userId: 7, topic: 'job' }, (event) => heard.push(event))
    run = async ({ progress }) => {
      const began = performance.now()
      for (let done = 1; done <= 100; done++) {
        await progress(done, 100, `row ${done}`)
        await new Promise((later) => setTimeout(later, 10))
      }
      seconds = (performance.now() - began) / 1000
      return { rows: 100 }
    }
    const { id } = await start()
    await over(id)
    // Events are sent separately and may arrive after the row was read.
    const told = () => heard.map(({ data }) => data as ReturnType<typeof jobView>).filter((job) => job.id === id)
    await expect.poll(() => told().at(-1)?.state).toBe('DONE')
    stop()
    const mine = told()
    const steps = mine.filter(({ state, done }) => state === 'RUNNING' && done > 0)
    expect(steps.length).toBeGreaterThanOrEqual(3)
    expect(steps.length).toBeLessThanOrEqual(4 * seconds + 2)
    expect(mine.at(-1)).toMatchObject({ state: 'DONE', done: 100, total: 100, result: { rows: 100 } })
  })

  it('retries after an error, and says so meanwhile', async () => {
    run = async ({ attempt }) => {
      if (attempt < 3) throw new Error('secret detail')
      return attempt
    }
    const heard: unknown[] = []
    const stop = hub.subscribe({ userId: 7, topic: 'job' }, ({ data }) => heard.push(data))
    const { id } = await within((trx) => startJob(trx, patient, { n: 1 }, { userId: 7 }))
    await over(id)
    const message = 'Something went wrong on our side. It has been recorded. The work will be tried again.'
    await expect.poll(() => heard).toContainEqual(expect.objectContaining({ id, state: 'QUEUED', message }))
    stop()
    expect(await findJob(database.db, id)).toMatchObject({ attempts: 3, result: 3 })
  })

  it('gives up when every attempt has failed, and stays visible', async () => {
    run = async () => {
      throw new Error('always')
    }
    const { id } = await within((trx) => startJob(trx, patient, { n: 1 }))
    await over(id, 'FAILED')
    expect(await findJob(database.db, id)).toMatchObject({
      attempts: 3,
      message: 'Something went wrong on our side. It has been recorded.',
    })
  })

  it('does not retry after an AppError', async () => {
    run = async () => {
      throw invalid('file', 'The file is not a CSV')
    }
    const { id } = await start()
    await over(id, 'FAILED')
    expect(await findJob(database.db, id)).toMatchObject({ attempts: 1, message: 'The file is not a CSV' })
  })

  it('stops a running job when it is cancelled, and keeps it cancelled', async () => {
    let ended = ''
    let isWaiting = false
    run = async ({ progress, signal }) => {
      await progress(1, 10)
      isWaiting = true
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))).catch(
        (error: Error) => {
          ended = error.message
        },
      )
      return 'ignored'
    }
    const { id } = await start()
    await expect.poll(() => isWaiting).toBe(true)
    expect(await within((trx) => cancelJob(trx, id))).toBe(true)
    await expect.poll(() => ended).toContain('cancelled')
    await new Promise((later) => setTimeout(later, 300))
    expect(await findJob(database.db, id)).toMatchObject({ state: 'CANCELLED', message: 'Cancelled', result: null })
    expect(await within((trx) => cancelJob(trx, id))).toBe(false)
  })

  it('never runs a job that was cancelled before it began', async () => {
    let runs = 0
    run = async () => void runs++
    const { id } = await within((trx) => startJob(trx, plain, { n: 1 }, { startAfterSeconds: 2 }))
    await within((trx) => cancelJob(trx, id))
    await new Promise((later) => setTimeout(later, 4000))
    expect([runs, await stateOf(id)]).toEqual([0, 'CANCELLED'])
  })

  it('runs scheduled jobs, with a row in the job table', async () => {
    await expect
      .poll(async () => (await database.pool.query(`select state, result from job where kind = 'by-clock'`)).rows[0])
      .toEqual({ state: 'DONE', result: 'rang' })
  })

  it('marks a job as failed whose worker died at the last attempt', async () => {
    const { id } = await within((trx) => startJob(trx, plain, { n: 1 }, { startAfterSeconds: 600 }))
    await database.owner.query(`update jobs.job set state = 'failed', completed_on = now() where id = $1`, [id])
    expect(await failLostJobs(database.db)).toBe(1)
    expect(await stateOf(id)).toBe('FAILED')
    expect(await failLostJobs(database.db)).toBe(0)
  })
})

describe('stopping', () => {
  it('waits for a short job', async () => {
    worker ??= await openWorker(services, definitions, options())
    run = () => new Promise((done) => setTimeout(() => done('finished'), 800))
    const { id } = await start()
    await over(id, 'RUNNING')
    await worker.stop(30_000)
    worker = null
    expect(await stateOf(id)).toBe('DONE')
  })

  it('returns a long job to the queue, and another worker finishes it', async () => {
    const first = await openWorker(services, definitions, options())
    run = ({ attempt, signal }) =>
      attempt > 1
        ? Promise.resolve('second')
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { id } = await within((trx) => startJob(trx, patient, { n: 1 }))
    await over(id, 'RUNNING')
    await first.stop(1000)
    await expect.poll(() => stateOf(id)).toBe('QUEUED')
    worker = await openWorker(services, definitions, options())
    await over(id)
    await worker.stop(1000)
    worker = null
  })
})

describe('a crash', () => {
  it('does not lose the job of a worker that was killed', async () => {
    const program = join(import.meta.dirname, '../../../test/crash-worker.ts')
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, CRASH_TEST_URL: database.url },
      stdio: 'ignore',
    })
    const { id } = await within((trx) => startJob(trx, crashJob, { text: 'kept' }, { userId: 7 }))
    await expect.poll(async () => (await findJob(database.db, id))?.message).toBe('attempt 1')
    child.kill('SIGKILL')
    await new Promise((gone) => child.once('exit', gone))
    expect(await stateOf(id)).toBe('RUNNING')

    worker = await openWorker(services, definitions, options())
    await over(id)
    expect(await findJob(database.db, id)).toMatchObject({ attempts: 2, result: { text: 'kept', attempt: 2 } })
  })
})
