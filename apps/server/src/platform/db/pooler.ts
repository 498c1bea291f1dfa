import pg from 'pg'
import type { DatabaseHosts } from './hosts.ts'

const answerMs = 3000
const rounds = 3

/**
 * Whether a pooler in transaction or statement mode is in between: then two transactions of one connection need not run on the same
 * connection of the database. While a second connection holds a transaction open, the first one has to find its own one again.
 */
export const isTransactionPooled = async (hosts: DatabaseHosts): Promise<boolean> => {
  const [first, second] = [open(hosts), open(hosts)]
  try {
    await first.connect()
    await second.connect()
    for (let round = 0; round < rounds; round++) {
      const before = await backendOf(first)
      if (!(await begins(second))) return true
      const other = await backendOf(second)
      // A pooler with a single connection makes the first wait for the second.
      const after = await Promise.race([backendOf(first), timeLimit()])
      if (other === before || after !== before) return true
      await second.query('commit')
    }
    return false
  } finally {
    for (const client of [first, second]) void client.end().catch(() => undefined)
  }
}

const open = (hosts: DatabaseHosts) => {
  const client = new pg.Client({
    ...hosts.clientConfig(),
    application_name: 'pooler-check',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => undefined)
  return client
}

const backendOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

/** In statement mode PgBouncer refuses transactions. */
const begins = (client: pg.Client): Promise<boolean> =>
  client.query('begin').then(
    () => true,
    (error: { code?: string }) => {
      if (error.code === undefined || /^08P01|^0A000/.test(error.code)) return false
      throw error
    },
  )

const timeLimit = () => new Promise<null>((resolve) => setTimeout(() => resolve(null), answerMs).unref())
