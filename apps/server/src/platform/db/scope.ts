import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { PoolClient } from 'pg'
import { isTelemetryOn, traceStatement } from '../telemetry.ts'
import { ClosableCursor } from './cursor.ts'
import { appRole, type Pool, scopeRoles, unrestrictedRole } from './pool.ts'
import { findShared, isPreparing } from './shared-connections.ts'
import type { DB } from './types.ts'

/** Which rows a connection may see; the policies of row-level security read it. `SYSTEM` is for jobs and sign-in, never for a user. */
export interface Scope {
  role: string
  ids: readonly number[]
}

export const systemScope: Scope = { role: 'SYSTEM', ids: [] }

export type ScopedDb = (scope: Scope) => Kysely<DB>

const scopeOf = Symbol('scope')
const prepares = Symbol('prepares')

interface ScopedClient extends PoolClient {
  [scopeOf]?: string
  [prepares]?: true
}
const maxHandles = 2000

/**
 * Returns a database handle that sets the scope on every connection it uses. The setting is sent only when a connection changes from one
 * scope to another, so the common case costs nothing. Behind a pooler it is sent with every transaction. Scopes that see every row use a separate pool (`unrestricted`), because the
 * cached plans of a connection are valid for one database role only.
 */
export const scopedDatabases = (pool: Pool, unrestricted = pool): ScopedDb => {
  const known = new Map<string, Kysely<DB>>()
  return (scope) => {
    const key = `${scope.role}:${scope.ids.join(',')}`
    let db = known.get(key)
    if (!db) {
      if (known.size >= maxHandles) known.clear()
      // The handle does not own the pool: it must not end it.
      const borrowed: PostgresPool = {
        options: pool.options,
        connect: () => connectAs(isUnrestricted(scope) ? unrestricted : pool, key, scope),
        end: async () => undefined,
      }
      db = new Kysely<DB>({
        dialect: new PostgresDialect({ pool: borrowed, cursor: ClosableCursor }),
        ...(isTelemetryOn() && { log: traceStatement }),
      })
      known.set(key, db)
    }
    return db
  }
}

/** The database role whose policies apply to a scope. A scope without one sees no rows of scoped tables. */
export const databaseRoleOf = ({ role }: Scope) => scopeRoles[role] ?? appRole
/** Whether a scope sees every row. */
export const isUnrestricted = (scope: Scope) => databaseRoleOf(scope) === unrestrictedRole

const connectAs = async (pool: Pool, key: string, scope: Scope): Promise<PoolClient> => {
  const connectShared = findShared(pool)
  if (connectShared) {
    const client = await connectShared([
      ['lis.role', scope.role],
      ['lis.scope', scope.ids.join(',')],
      ['role', databaseRoleOf(scope)],
    ])
    return preparing(pool, client)
  }
  const client = preparing(pool, (await pool.connect()) as ScopedClient)
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

/** A statement that begins with this is not prepared, because its best plan depends on the values. */
export const noPreparedPlan = '/* not prepared */'

const maxStatementNames = 1000
const statementNames = new Map<string, string>()

/** The same text always gets the same name. After a thousand texts (values inlined into the text) new ones are not prepared. */
const nameOf = (text: string): string | undefined => {
  if (text.startsWith(noPreparedPlan)) return undefined
  const known = statementNames.get(text)
  if (known || statementNames.size >= maxStatementNames) return known
  const name = `q${statementNames.size}`
  statementNames.set(text, name)
  return name
}

const preparing = (pool: Pool, client: ScopedClient) => (isPreparing(pool) ? prepareQueries(client) : client)

/** Parsing and planning a statement often takes longer than running it; as a prepared statement it happens once per connection. */
const prepareQueries = (client: ScopedClient): ScopedClient => {
  if (client[prepares]) return client
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const prepared = (text: unknown, values: unknown, ...rest: unknown[]) => {
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined
    return name ? query({ name, text, values }, ...rest) : query(text, values, ...rest)
  }
  client.query = prepared as typeof client.query
  client[prepares] = true
  return client
}
