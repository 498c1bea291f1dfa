import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { PoolClient } from 'pg'
import Cursor from 'pg-cursor'
import { appRole, type Pool, scopeRoles, wideRole } from './pool.ts'
import type { DB } from './types.ts'

/** Whose rows a connection may see; row-level security reads it. `SYSTEM` is for jobs and sign-in, never for a person. */
export interface Scope {
  role: string
  ids: readonly number[]
}

export const systemScope: Scope = { role: 'SYSTEM', ids: [] }

export type ScopedDb = (scope: Scope) => Kysely<DB>

const scopeOf = Symbol('scope')
const isPreparing = Symbol('isPreparing')

interface ScopedClient extends PoolClient {
  [scopeOf]?: string
  [isPreparing]?: true
}
const largestCache = 2000

/**
 * Gives a database handle whose every connection carries the scope. The setting is sent only when a connection changes hands
 * between scopes, so that the common case costs nothing. Who sees every row has connections of their own (`wide`): a plan that
 * a connection has kept holds for one database role only.
 */
export const scopedDatabases = (pool: Pool, wide = pool): ScopedDb => {
  const known = new Map<string, Kysely<DB>>()
  return (scope) => {
    const key = `${scope.role}:${scope.ids.join(',')}`
    let db = known.get(key)
    if (!db) {
      if (known.size >= largestCache) known.clear()
      // A handle never ends the pool it borrows from, so only `connect` differs.
      const borrowed: PostgresPool = {
        options: pool.options,
        connect: () => connectAs(isWide(scope) ? wide : pool, key, scope),
        end: async () => undefined,
      }
      db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: borrowed, cursor: Cursor }) })
      known.set(key, db)
    }
    return db
  }
}

/** The database role whose policies hold for a scope. Without one of its own it sees no requisition. */
const databaseRoleOf = ({ role }: Scope) => scopeRoles[role] ?? appRole
const isWide = (scope: Scope) => databaseRoleOf(scope) === wideRole

const connectAs = async (pool: Pool, key: string, scope: Scope): Promise<PoolClient> => {
  const client = prepareQueries((await pool.connect()) as ScopedClient)
  if (client[scopeOf] === key) return client
  try {
    await client.query(
      "select set_config('lis.role', $1, false), set_config('lis.scope', $2, false), set_config('role', $3, false)",
      [scope.role, scope.ids.join(','), databaseRoleOf(scope)],
    )
    client[scopeOf] = key
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Marks a statement that is not prepared because its best plan depends on the values; it begins the text. */
export const noPreparedPlan = '/* not prepared */'

const largestCatalogue = 1000
const statementNames = new Map<string, string>()

/** The same text always has the same name; past a thousand texts (somebody builds them with values inside) new ones get none. */
const nameOf = (text: string): string | undefined => {
  if (text.startsWith(noPreparedPlan)) return undefined
  const known = statementNames.get(text)
  if (known || statementNames.size >= largestCatalogue) return known
  const name = `q${statementNames.size}`
  statementNames.set(text, name)
  return name
}

/** Reading and planning a statement often takes longer than running it. Prepared, each connection does it once for all calls. */
const prepareQueries = (client: ScopedClient): ScopedClient => {
  if (client[isPreparing]) return client
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const prepared = (text: unknown, values: unknown, ...rest: unknown[]) => {
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined
    return name ? query({ name, text, values }, ...rest) : query(text, values, ...rest)
  }
  client.query = prepared as typeof client.query
  client[isPreparing] = true
  return client
}
