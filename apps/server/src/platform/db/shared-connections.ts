import pg, { type Pool, type PoolClient } from 'pg'

/** Settings of a session or a transaction, e.g. `['timezone', 'UTC']`. */
export type Settings = (readonly [name: string, value: string])[]

export const setStatements = (settings: Settings, span: 'session' | 'local'): string =>
  settings
    .map(([name, value]) => `set ${span} ${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(value)}`)
    .join('; ')
    // A quoted name with a dot would be one name; these are two.
    .replaceAll('"lis.role"', 'lis.role')
    .replaceAll('"lis.scope"', 'lis.scope')

const unprepared = new WeakSet<Pool>()

export const setPreparing = (pool: Pool, isPrepared: boolean) => {
  if (!isPrepared) unprepared.add(pool)
}

/** Whether named prepared statements may be used: a pooler gives each transaction another connection, which may not know the name. */
export const isPreparing = (pool: Pool) => !unprepared.has(pool)

/** How to connect within a transaction that has these settings besides those of the pool. */
type ConnectWith = (settings: Settings) => Promise<PoolClient>
const sharedPools = new WeakMap<Pool, ConnectWith>()

/** For a pool whose connections are shared with others, because a pooler in transaction mode is in between. */
export const findShared = (pool: Pool): ConnectWith | undefined => sharedPools.get(pool)

/**
 * Makes a pool set everything that a call needs within a transaction, and only there. Nothing else can be relied on: two transactions of
 * one client may run on two connections of the database, and between them others use these.
 */
export const shareConnections = (pool: Pool, settings: Settings) => {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>
  const connectWith: ConnectWith = async (more) => {
    const client = await connect()
    const shared = new SharedConnection(client, setStatements([...settings, ...more], 'local'), isPreparing(pool))
    try {
      await shared.begin()
      return shared as unknown as PoolClient
    } catch (error) {
      client.release(true)
      throw error
    }
  }
  sharedPools.set(pool, connectWith)
  const query = async (...args: Parameters<PoolClient['query']>) => {
    const client = await connectWith([])
    try {
      return await (client.query(...args) as unknown as Promise<unknown>)
    } finally {
      client.release()
    }
  }
  pool.query = query as unknown as typeof pool.query
  pool.connect = (() => connectWith([])) as typeof pool.connect
}

type Text = string | { text?: string; name?: string; submit?: unknown }

/** Runs a statement that is not in a transaction of its caller in one of its own. */
class SharedConnection {
  readonly #client: PoolClient
  readonly #settings: string
  readonly #isPrepared: boolean
  /** `begun` by us before the caller's first statement, `explicit` when the caller has begun it. */
  #transaction: 'none' | 'begun' | 'explicit' | 'cursor' = 'none'

  constructor(client: PoolClient, settings: string, isPrepared: boolean) {
    this.#client = client
    this.#settings = settings
    this.#isPrepared = isPrepared
  }

  get processID() {
    return (this.#client as PoolClient & { processID?: number }).processID
  }

  /** One round trip for all settings. `set` takes no snapshot, so the isolation level can still be chosen after it. */
  async begin() {
    await this.#client.query(`begin; ${this.#settings}`)
    this.#transaction = 'begun'
  }

  query(statement: Text, ...rest: unknown[]): unknown {
    if (typeof statement === 'object' && statement.submit) return this.#open(statement)
    const text = (typeof statement === 'string' ? statement : (statement.text ?? '')).trim().toLowerCase()
    if (/^(begin|start transaction)\b/.test(text)) return this.#beginFor(text)
    if (/^(commit|rollback)$/.test(text)) return this.#end(text)
    return this.#transaction === 'explicit' || this.#transaction === 'cursor'
      ? this.#send(statement, rest)
      : this.#runAlone(statement, rest)
  }

  release(error?: Error | boolean) {
    if (error || this.#transaction === 'none') return this.#client.release(error)
    // Nothing was written outside a statement that has been answered.
    this.#client.query('rollback').then(
      () => this.#client.release(),
      (failure) => this.#client.release(failure),
    )
  }

  async #beginFor(text: string) {
    if (this.#transaction === 'none') await this.begin()
    const options = text.replace(/^(begin|start transaction)\s*/, '')
    if (options) await this.#client.query(`set transaction ${options}`)
    this.#transaction = 'explicit'
    return { command: 'BEGIN', rowCount: null, rows: [] }
  }

  async #end(text: string) {
    const result = await this.#client.query(text)
    this.#transaction = 'none'
    return result
  }

  /** Answered only once it is committed. */
  async #runAlone(statement: Text, rest: unknown[]) {
    if (this.#transaction === 'none') await this.begin()
    try {
      const result = await this.#send(statement, rest)
      await this.#end('commit')
      return result
    } catch (error) {
      await this.#end('rollback').catch(() => undefined)
      throw error
    }
  }

  /** A cursor lives until the connection is released. */
  #open(cursor: object) {
    if (this.#transaction === 'none') throw new Error('A cursor needs a transaction behind a pooler')
    if (this.#transaction === 'begun') this.#transaction = 'cursor'
    return this.#client.query(cursor as never)
  }

  #send(statement: Text, rest: unknown[]): Promise<unknown> {
    const run = this.#client.query.bind(this.#client) as unknown as (...args: unknown[]) => Promise<unknown>
    if (typeof statement === 'string' || this.#isPrepared) return run(statement, ...rest)
    const { name: _, ...unnamed } = statement
    return run(unnamed, ...rest)
  }
}
