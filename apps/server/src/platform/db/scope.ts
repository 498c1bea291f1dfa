import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { PoolClient } from 'pg'
import Cursor from 'pg-cursor'
import type { Pool } from './pool.ts'
import type { DB } from './types.ts'

/** Whose rows a connection may see; row-level security reads it. `SYSTEM` is for jobs and sign-in, never for a person. */
export interface Scope {
  role: string
  ids: readonly number[]
}

export const systemScope: Scope = { role: 'SYSTEM', ids: [] }

export type ScopedDb = (scope: Scope) => Kysely<DB>

const scopeOf = Symbol('scope')
const largestCache = 2000

/**
 * Gives a database handle whose every connection carries the scope. The setting is sent only when a connection changes hands
 * between scopes, so that the common case costs nothing.
 */
export const scopedDatabases = (pool: Pool): ScopedDb => {
  const known = new Map<string, Kysely<DB>>()
  return (scope) => {
    const key = `${scope.role}:${scope.ids.join(',')}`
    let db = known.get(key)
    if (!db) {
      if (known.size >= largestCache) known.clear()
      // A handle never ends the pool it borrows from, so only `connect` differs.
      const borrowed: PostgresPool = {
        options: pool.options,
        connect: () => connectAs(pool, key, scope),
        end: async () => undefined,
      }
      db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: borrowed, cursor: Cursor }) })
      known.set(key, db)
    }
    return db
  }
}

const connectAs = async (pool: Pool, key: string, scope: Scope): Promise<PoolClient> => {
  const client = (await pool.connect()) as PoolClient & { [scopeOf]?: string }
  if (client[scopeOf] === key) return client
  try {
    await client.query("select set_config('lis.role', $1, false), set_config('lis.scope', $2, false)", [
      scope.role,
      scope.ids.join(','),
    ])
    client[scopeOf] = key
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}
