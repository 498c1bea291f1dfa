import { hashToken } from '../auth/sessions.ts'
import type { Pool } from '../db/pool.ts'

interface Window {
  start: number
  /** Counted by this process since the last exchange. */
  own: number
  /** Counted by all processes up to the last exchange. */
  shared: number
}

const exchangeMs = 1000

/**
 * Counts calls over all processes without a write per call: each process counts for itself and adds its numbers to the table once a
 * second. A burst spread over n processes may exceed the limit for at most that second.
 */
export class SharedRateLimits {
  readonly #windows = new Map<string, Window>()
  readonly #pool: Pool
  readonly #timer: NodeJS.Timeout

  constructor(pool: Pool) {
    this.#pool = pool
    this.#timer = setInterval(() => void this.exchange().catch(() => undefined), exchangeMs).unref()
  }

  hit(bucket: string, windowMs: number): { current: number; ttl: number } {
    const now = Date.now()
    const start = Math.floor(now / windowMs) * windowMs
    let window = this.#windows.get(bucket)
    if (!window || window.start !== start) {
      window = { start, own: 0, shared: 0 }
      this.#windows.set(bucket, window)
    }
    window.own++
    return { current: window.own + window.shared, ttl: start + windowMs - now }
  }

  async exchange() {
    const due = [...this.#windows].filter(([, window]) => window.own > 0)
    if (due.length === 0) return
    const sent = due.map(([bucket, window]) => ({ bucket, window, hits: window.own }))
    const { rows } = await this.#pool.query<{ bucket: string; hits: number; at: number }>(
      `insert into rate_limit as r (bucket, hits, window_start)
       select b, h, to_timestamp(s / 1000.0) from unnest($1::text[], $2::int[], $3::bigint[]) as x(b, h, s) order by b
       on conflict (bucket) do update set
         hits = case when r.window_start = excluded.window_start then r.hits + excluded.hits else excluded.hits end,
         window_start = greatest(r.window_start, excluded.window_start)
       returning bucket, hits, (extract(epoch from window_start) * 1000)::bigint as at`,
      [sent.map((item) => item.bucket), sent.map((item) => item.hits), sent.map((item) => item.window.start)],
    )
    const totals = new Map(rows.map((row) => [row.bucket, row]))
    for (const { bucket, window, hits } of sent) {
      const total = totals.get(bucket)
      window.own -= hits
      if (total && total.at === window.start) window.shared = total.hits
    }
    this.#forget()
  }

  #forget() {
    const old = Date.now() - 10 * 60_000
    for (const [bucket, window] of this.#windows) if (window.start < old) this.#windows.delete(bucket)
  }

  close() {
    clearInterval(this.#timer)
  }
}

const maxTokens = 20_000

/** The hashes of tokens that have opened a session; the oldest is dropped first. */
export class SeenTokens {
  readonly #hashes = new Set<string>()

  add(header: string) {
    const hash = shortHash(header)
    this.#hashes.delete(hash)
    this.#hashes.add(hash)
    if (this.#hashes.size > maxTokens) for (const oldest of this.#hashes) return void this.#hashes.delete(oldest)
  }

  hashOf(header: string): string | undefined {
    const hash = shortHash(header)
    return this.#hashes.has(hash) ? hash : undefined
  }
}

const shortHash = (header: string) => hashToken(header).toString('base64url').slice(0, 22)
