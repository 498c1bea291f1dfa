import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'
import { outageMessage } from './outage.ts'
import type { Pool } from './pool.ts'
import type { Scope, ScopedDb } from './scope.ts'

export interface ReplicaOptions {
  pool: Pool
  databases: ScopedDb
  /** Where the position of the primary is asked for. */
  primary: Pool
  log: Log
}

/** A replica further behind is not read from. */
const longestLagSeconds = 10
const sampleMs = 1000
/** How long a read waits for the replica to replay what the primary had written when it was asked. */
const catchUpMs = 300
const pollMs = 15
const mostSamples = 3600

/**
 * Reads of many rows: exports, reports and insights. They are sent to the replica of DATABASE_REPLICA_URL as long as it has replayed everything
 * that the primary had written when the read began, which includes the caller's own last write by any process; otherwise to the primary.
 */
export class LargeReads {
  /** Since the start of the process. */
  readonly counts = { replica: 0, primary: 0 }
  /** How far the replica is behind; null while it is away, or without one. */
  lagSeconds: number | null = null
  readonly hasReplica: boolean
  readonly #primary: ScopedDb
  readonly #replica: ReplicaOptions | null
  readonly #timer: NodeJS.Timeout | undefined
  #written: { position: number; at: number }[] = []
  #isAwayLogged = false

  constructor(primary: ScopedDb, replica: ReplicaOptions | null) {
    this.#primary = primary
    this.#replica = replica
    this.hasReplica = replica !== null
    if (!replica) return
    void this.#sample()
    this.#timer = setInterval(() => void this.#sample(), sampleMs).unref()
  }

  /** Runs `work`, which only reads, on the replica or the primary. It runs once more if the replica fails. */
  async run<T>(scope: Scope, work: (db: Db) => Promise<T>): Promise<T> {
    const replica = this.#replica
    if (replica && (await this.#isUpToDate())) {
      try {
        const result = await work(replica.databases(scope))
        this.counts.replica++
        return result
      } catch (error) {
        if (!isFaultOfReplica(error)) throw error
        this.#setAway(error as Error)
      }
    }
    this.counts.primary++
    return work(this.#primary(scope))
  }

  close() {
    clearInterval(this.#timer)
  }

  async #isUpToDate(): Promise<boolean> {
    if (this.lagSeconds === null || this.lagSeconds > longestLagSeconds) return false
    const giveUpAt = Date.now() + catchUpMs
    try {
      const target = await this.#positionOfPrimary()
      for (;;) {
        const replayed = await this.#positionOfReplica()
        if (replayed === null) return false
        if (replayed >= target) return true
        if (Date.now() >= giveUpAt) return false
        await wait(pollMs)
      }
    } catch {
      return false
    }
  }

  async #sample() {
    try {
      const [position, replayed] = await Promise.all([this.#positionOfPrimary(), this.#positionOfReplica()])
      if (replayed === null) throw new Error('The replica has become a primary')
      const now = Date.now()
      if (position > (this.#written.at(-1)?.position ?? -1)) this.#written.push({ position, at: now })
      if (this.#written.length > mostSamples) this.#written.splice(1, 1)
      this.#written = this.#written.filter((one) => one.position > replayed)
      const [oldest] = this.#written
      this.lagSeconds = oldest ? (now - oldest.at) / 1000 : 0
      this.#isAwayLogged = false
    } catch (error) {
      this.#setAway(error as Error)
    }
  }

  #setAway(error: Error) {
    this.lagSeconds = null
    if (!this.#isAwayLogged) this.#replica?.log.warn({ err: error }, 'the replica is not read from')
    this.#isAwayLogged = true
  }

  async #positionOfPrimary(): Promise<number> {
    const { rows } = await (this.#replica as ReplicaOptions).primary.query<{ position: string }>(
      `select pg_current_wal_lsn() - '0/0' as position`,
    )
    return Number(rows[0]?.position)
  }

  /** Null when it is no longer a replica. */
  async #positionOfReplica(): Promise<number | null> {
    const { rows } = await (this.#replica as ReplicaOptions).pool.query<{ isReplica: boolean; position: string }>(
      `select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() - '0/0' as position`,
    )
    return rows[0]?.isReplica ? Number(rows[0].position) : null
  }
}

/** Whether a read failed because of the replica: it is away, or replaying has removed rows that the read still needed. */
const isFaultOfReplica = (error: unknown): boolean => {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01' || outageMessage(error as Error) !== null
}
