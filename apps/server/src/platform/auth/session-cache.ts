import type { EventHub } from '../events/hub.ts'
import type { Actor } from './actor.ts'

type Listener = Pick<EventHub, 'connection' | 'confirm' | 'onSessionChange'>

interface CachedSession {
  actor: Actor
  /** The connection that has listened since before the session was read. */
  connection: number
  validUntil: number
  /** From then on a call of the user is noted in the session. */
  noteFrom: number
}

/** The state before a session is read, so that a change meanwhile is noticed. */
export interface ReadMark {
  connection: number | null
  changes: number
  at: number
}

const maxSessions = 20_000
/** A change of rights counts this long after its commit at the latest: a call relies only on what was confirmed since. */
export const longestAgeMs = 40
/** When the last confirmation is older, the next one is asked for while calls still rely on it. */
const renewAfterMs = 20
/** A confirmation that takes longer is not waited for. */
const longestWaitMs = 20

/**
 * The people behind recent sessions. An entry counts only while the connection that announces changes is proven to work: the database
 * answers on it after it has delivered every change committed before. Without that proof each call reads its session.
 */
export class SessionCache {
  readonly #sessions = new Map<string, CachedSession>()
  readonly #listener: Listener
  readonly #longestAgeMs: number
  #changes = 0
  #confirmedAt = Number.NEGATIVE_INFINITY
  #asking: { since: number; answer: Promise<boolean> } | null = null

  constructor(listener: Listener, ageMs = longestAgeMs) {
    this.#listener = listener
    this.#longestAgeMs = ageMs
    listener.onSessionChange((payload) => this.#forget(payload))
  }

  /** The person of a session, if it is known and nothing has changed; `isNoted` when the call extends the session. */
  async find(key: string, isNoted: boolean): Promise<Actor | undefined> {
    if (!this.#usable(key, isNoted) || !(await this.#isConfirmed())) return undefined
    // A change may have been delivered meanwhile.
    return this.#usable(key, isNoted)?.actor
  }

  mark(): ReadMark {
    return { connection: this.#listener.connection(), changes: this.#changes, at: performance.now() }
  }

  /** Keeps a session that was read after `mark`, unless anything was announced meanwhile. */
  keep(key: string, actor: Actor, mark: ReadMark, seconds: { valid: number; unnoted: number }) {
    if (mark.connection === null || mark.connection !== this.#listener.connection()) return
    if (mark.changes !== this.#changes) return
    if (this.#sessions.size >= maxSessions) this.#sessions.clear()
    this.#sessions.set(key, {
      actor,
      connection: mark.connection,
      validUntil: mark.at + seconds.valid * 1000,
      noteFrom: mark.at + seconds.unnoted * 1000,
    })
  }

  /** A call has written: the caller may rely on its answer, so the next call waits for a new confirmation. */
  expire() {
    this.#confirmedAt = Number.NEGATIVE_INFINITY
    this.#asking = null
  }

  #usable(key: string, isNoted: boolean): CachedSession | undefined {
    const found = this.#sessions.get(key)
    if (!found) return undefined
    const now = performance.now()
    const isOld = found.connection !== this.#listener.connection() || now >= found.validUntil
    if (isOld) this.#sessions.delete(key)
    return isOld || (isNoted && now >= found.noteFrom) ? undefined : found
  }

  async #isConfirmed(): Promise<boolean> {
    const now = performance.now()
    const age = now - this.#confirmedAt
    if (age < this.#longestAgeMs) {
      if (age > renewAfterMs) this.#ask(now)
      return true
    }
    const asked = this.#ask(now)
    // One that was asked long ago is not going to be answered soon.
    if (now - asked.since > longestWaitMs) return false
    return withinTime(asked.answer, longestWaitMs)
  }

  /** One question at a time; all calls that wait share it. */
  #ask(now: number) {
    if (this.#asking) return this.#asking
    const asked = {
      since: now,
      answer: this.#listener.confirm().then(
        () => true,
        () => false,
      ),
    }
    this.#asking = asked
    void asked.answer.then((isAnswered) => {
      if (this.#asking !== asked) return
      this.#asking = null
      if (isAnswered) this.#confirmedAt = asked.since
    })
    return asked
  }

  #forget(payload: string) {
    this.#changes++
    if (payload === '*') return this.#sessions.clear()
    const users = new Set(payload.split(',').map(Number))
    for (const [key, { actor }] of this.#sessions)
      if (users.has(actor.userId) || (actor.viewer && users.has(actor.viewer.userId))) this.#sessions.delete(key)
  }
}

const withinTime = (answer: Promise<boolean>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout
  const late = new Promise<boolean>((done) => {
    timer = setTimeout(done, ms, false)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
