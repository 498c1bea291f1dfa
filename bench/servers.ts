import fastify from 'fastify'
import { buildApp } from '../apps/server/src/app.ts'
import { readConfig } from '../apps/server/src/platform/config.ts'
import { openPool, type Pool } from '../apps/server/src/platform/db/pool.ts'
import { openLog } from '../apps/server/src/platform/log.ts'
import { assembleServices, startWork } from '../apps/server/src/start.ts'

/** The product itself, listening, with its jobs. */
export const ourServer = async (url: string, folder: string) => {
  const config = readConfig({
    LIS_DATA_DIR: folder,
    LIS_DEMO: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  const assembled = await assembleServices(config, url, openLog(config.LOG_LEVEL))
  const app = await buildApp(assembled.services)
  const work = await startWork(assembled)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const close = async () => {
    await app.close()
    await work.stop()
    await assembled.stop()
  }
  return { address, api: `${address}/api/v3.0`, close }
}

/** The best known SQL for the same page, without the product. Of several forms the fastest counts. */
export interface BareQuery {
  /** Statements whose rows have one column, the keys of the page in their order. */
  keys?: readonly string[]
  /** The rows of those keys, as $1, each as `row` in JSON; or, without keys, the whole page in columns. */
  rows: string
  /** Statements of one number. */
  totals?: readonly string[]
}

/** What a bare route reaches over a pool of the same size, as the owner: no session, no scope, no row-level security, no access log. */
export const bareServer = async (url: string) => {
  const pool = openPool(url, { max: 10 })
  const app = fastify()
  const queries: BareQuery[] = []
  app.get('/bare/:index', async (request, reply) => {
    const { index } = request.params as { index: string }
    reply.type('application/json')
    return answer(pool, queries[Number(index)] as BareQuery)
  })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  /** Tries the forms, keeps the fastest of each, and gives the address of the route. */
  const offer = async (query: BareQuery): Promise<string> => {
    const keys = query.keys && [await fastest(pool, query.keys)]
    const totals = query.totals && [await fastest(pool, query.totals)]
    queries.push({ rows: query.rows, ...(keys && { keys }), ...(totals && { totals }) })
    return `${address}/bare/${queries.length - 1}`
  }
  const close = async () => {
    await app.close()
    await pool.end()
  }
  return { offer, close }
}

const answer = async (pool: Pool, { keys, rows, totals }: BareQuery) => {
  const page = async () => {
    const found = keys?.[0] ? await pool.query<{ id: number }>(keys[0]) : undefined
    // The rows by their keys are always found in the same way, so that plan is kept.
    const name = `rows${rows.length}`
    return pool.query(found ? { name, text: rows, values: [found.rows.map(({ id }) => id)] } : rows)
  }
  const [data, total] = await Promise.all([page(), totals?.[0] ? pool.query<{ total: number }>(totals[0]) : undefined])
  const count = total?.rows[0]?.total ?? data.rows.length
  if (!keys) return { data: data.rows, total: count, message: '' }
  return `{"data":[${data.rows.map(({ row }: { row: string }) => row).join(',')}],"total":${count},"message":""}`
}

const fastest = async (pool: Pool, forms: readonly string[]): Promise<string> => {
  if (forms.length === 1) return forms[0] as string
  const timed: { text: string; ms: number }[] = []
  for (const text of forms) {
    const times: number[] = []
    for (let run = 0; run < 5; run++) {
      const start = performance.now()
      await pool.query(text)
      times.push(performance.now() - start)
    }
    timed.push({ text, ms: Math.min(...times) })
  }
  return timed.sort((one, other) => one.ms - other.ms)[0]?.text ?? ''
}
