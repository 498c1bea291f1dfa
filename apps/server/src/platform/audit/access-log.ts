import type { Actor } from '../auth/actor.ts'
import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'

/** Whose data was given out. The patient behind a requisition is found when the row is written. */
export interface SubjectIds {
  patientIds?: Iterable<number>
  reqIds?: Iterable<number>
}

export interface AccessedCall {
  actor: Pick<Actor, 'userId' | 'name' | 'role'>
  requestId: string
  method: string
  /** As the OpenAPI document writes it: `requisitions/{id}/req_tests`. */
  route: string
}

interface Access extends AccessedCall {
  at: string
  patientIds: number[]
  reqIds: number[]
}

const flushMs = 500
const flushRows = 500

/**
 * Every read of patient data leaves a row. The rows are written behind, together, within half a second: a read must not wait for
 * the record of it. A clean stop writes the rest; a crash loses at most that half second.
 */
export class AccessLog {
  readonly #pool: Pool
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  readonly #noted = new Map<string, { patientIds: Set<number>; reqIds: Set<number> }>()
  #waiting: Access[] = []

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), flushMs).unref()
  }

  /** Ids that a call gives out and its reply does not name, such as those in a file. They stand in the row of the call. */
  note(requestId: string, { patientIds = [], reqIds = [] }: SubjectIds) {
    const noted = this.#noted.get(requestId) ?? { patientIds: new Set(), reqIds: new Set() }
    for (const id of patientIds) noted.patientIds.add(id)
    for (const id of reqIds) noted.reqIds.add(id)
    this.#noted.set(requestId, noted)
  }

  /** The call has ended: what was noted for it and not recorded was not given out. */
  forget(requestId: string) {
    this.#noted.delete(requestId)
  }

  /** One row for a call that was answered, with what was noted for it. */
  record(call: AccessedCall, { patientIds = [], reqIds = [] }: SubjectIds = {}) {
    const noted = this.#noted.get(call.requestId)
    this.#noted.delete(call.requestId)
    this.#waiting.push({
      ...call,
      at: new Date().toISOString(),
      patientIds: [...new Set([...patientIds, ...(noted?.patientIds ?? [])])],
      reqIds: [...new Set([...reqIds, ...(noted?.reqIds ?? [])])],
    })
    if (this.#waiting.length >= flushRows) void this.flush()
  }

  async flush() {
    if (this.#waiting.length === 0) return
    const rows = this.#waiting
    this.#waiting = []
    try {
      await this.#pool.query('select access_log_write($1::json)', [JSON.stringify(rows.map(toRow))])
    } catch (error) {
      this.#waiting = [...rows, ...this.#waiting]
      this.#log.error({ err: error }, 'access log')
    }
  }

  async close() {
    clearInterval(this.#timer)
    await this.flush()
  }
}

const toRow = ({ actor, at, method, route, requestId, patientIds, reqIds }: Access) => ({
  at,
  user_id: actor.userId,
  user_name: actor.name,
  user_role_code: actor.role,
  method,
  route,
  request_id: requestId,
  patient_ids: patientIds,
  requisition_ids: reqIds,
})
