import { createHash } from 'node:crypto'
import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'
import { appendTail, removeOldTails } from './external-record.ts'
import type { AuditKey } from './key.ts'

/** First and last id of a contiguous range. */
type IdRange = readonly [number, number]

/** Rows of one table as they were read: their ids and a hash over their hashes in the order of the ids. */
export interface SeenRows {
  runs: IdRange[]
  count: number
  hash: string
}

export interface TailLine {
  at: string
  entries: SeenRows
  states: SeenRows
}

interface TailRow {
  isState: boolean
  id: number
  hash: Buffer
}

/** A row with a lower id can appear until its transaction commits; after this time only the seals cover it. */
const lookBackMs = 60_000

/**
 * Writes the audit rows that are not sealed yet to the external record. It reads the new rows every second, so that `audit:verify` notices a row that
 * is removed or rewritten later.
 */
export class AuditTail {
  readonly #pool: Pool
  readonly #key: AuditKey
  readonly #folder: string
  readonly #log: Pick<Log, 'warn'>
  readonly #entries = new ReadIds()
  readonly #states = new ReadIds()
  #isStarted = false
  #isFailing = false

  constructor(options: { pool: Pool; key: AuditKey; folder: string; log: Pick<Log, 'warn'> }) {
    this.#pool = options.pool
    this.#key = options.key
    this.#folder = options.folder
    this.#log = options.log
  }

  async round(): Promise<void> {
    if (!this.#isStarted) await this.#start()
    const { rows } = await this.#pool.query<TailRow>(
      'select is_state as "isState", id, hash from audit_tail($1, $2, $3, $4) order by id',
      [...this.#entries.missing(), ...this.#states.missing()],
    )
    const entries = rows.filter(({ isState }) => !isState)
    const states = rows.filter(({ isState }) => isState)
    // Rows that could not be written are retried in the next round.
    if (entries.length + states.length > 0 && !(await this.#append(entries, states))) return
    this.#entries.add(entries)
    this.#states.add(states)
  }

  /** Sealed rows need no external record. */
  async #start() {
    const { rows } = await this.#pool.query<{ entry: number; state: number }>(
      'select coalesce(max(to_id), 0) as entry, coalesce(max(state_to), 0) as state from audit_seal',
    )
    this.#entries.floor = rows[0]?.entry ?? 0
    this.#states.floor = rows[0]?.state ?? 0
    await removeOldTails(this.#folder)
    this.#isStarted = true
  }

  async #append(entries: TailRow[], states: TailRow[]): Promise<boolean> {
    const line: TailLine = { at: new Date().toISOString(), entries: seenRows(entries), states: seenRows(states) }
    try {
      await appendTail(this.#folder, this.#key, line)
      this.#isFailing = false
      return true
    } catch (error) {
      if (!this.#isFailing) this.#log.warn({ err: error }, 'the audit cannot be recorded outside the database')
      this.#isFailing = true
      return false
    }
  }
}

/** The ids that were read above a rising lower bound, as ascending ranges. */
class ReadIds {
  floor = 0
  #runs: IdRange[] = []
  readonly #highest: { at: number; id: number }[] = []

  /** First and last ids of the ranges in which no row was read yet: rows may still appear there. The last range has no end. */
  missing(): [number[], number[]] {
    const first = [this.floor + 1, ...this.#runs.map(([, to]) => to + 1)]
    const last = [...this.#runs.map(([from]) => from - 1), Number.MAX_SAFE_INTEGER]
    return [first, last]
  }

  /** Expects rows in the order of their ids. */
  add(rows: readonly TailRow[]) {
    this.#runs = joinRuns([...this.#runs, ...runsOf(rows.map(({ id }) => id))])
    const now = Date.now()
    const last = rows.at(-1)
    if (last) this.#highest.push({ at: now, id: last.id })
    while (this.#highest[0] && now - this.#highest[0].at > lookBackMs)
      this.floor = Math.max(this.floor, this.#highest.shift()?.id ?? 0)
    this.#runs = this.#runs
      .filter(([, to]) => to > this.floor)
      .map(([from, to]) => [Math.max(from, this.floor + 1), to])
  }
}

const runsOf = (ids: readonly number[]): IdRange[] => joinRuns(ids.map((id) => [id, id]))

const joinRuns = (runs: readonly IdRange[]): IdRange[] => {
  const joined: [number, number][] = []
  for (const [from, to] of runs.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

const seenRows = (rows: readonly TailRow[]): SeenRows => {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(row.hash)
  return { runs: runsOf(rows.map(({ id }) => id)), count: rows.length, hash: hash.digest('hex') }
}
