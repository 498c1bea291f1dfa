import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'

export interface Access {
  userId: number
  requestId: string
  action: string
  patientId?: number
  requisitionId?: number
  requisitionIds?: readonly number[]
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
  #waiting: Access[] = []

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), flushMs).unref()
  }

  record(access: Access) {
    this.#waiting.push(access)
    if (this.#waiting.length >= flushRows) void this.flush()
  }

  async flush() {
    if (this.#waiting.length === 0) return
    const rows = this.#waiting
    this.#waiting = []
    try {
      await this.#pool.query(
        `insert into access_log (user_id, request_id, action, patient_id, requisition_id, requisition_ids)
         select user_id, request_id, action, patient_id, requisition_id, requisition_ids
         from json_to_recordset($1::json) as x(user_id int, request_id uuid, action text, patient_id bigint, requisition_id bigint, requisition_ids bigint[])`,
        [JSON.stringify(rows.map(toRow))],
      )
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

const toRow = (access: Access) => ({
  user_id: access.userId,
  request_id: access.requestId,
  action: access.action,
  patient_id: access.patientId ?? null,
  requisition_id: access.requisitionId ?? null,
  requisition_ids: access.requisitionIds ?? null,
})
