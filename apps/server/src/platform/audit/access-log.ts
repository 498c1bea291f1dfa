import type { Actor } from '../auth/actor.ts'
import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'

/** Whose data was disclosed. The patient of a requisition is looked up when the row is written. */
export interface SubjectIds {
  patientIds?: Iterable<number>
  reqIds?: Iterable<number>
}

interface Note extends SubjectIds {
  /** The reply contains every requisition together with its patient, so that none has to be looked up. */
  namesPatients?: boolean
}

export interface AccessedCall {
  actor: Pick<Actor, 'userId' | 'name' | 'role' | 'viewer'>
  requestId: string
  method: string
  /** As the OpenAPI document writes it: `requisitions/{id}/req_tests`. */
  route: string
}

interface Access extends AccessedCall {
  at: string
  patientIds: number[]
  reqIds: number[]
  namesPatients: boolean
}

const flushMs = 500
const flushRows = 500

/**
 * Every read of patient data is recorded. The rows are written in batches within half a second, so that a read does not wait for them. A
 * clean stop writes the rest; a crash loses at most that half second.
 */
export class AccessLog {
  readonly #pool: Pool
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  readonly #noted = new Map<string, { patientIds: Set<number>; reqIds: Set<number>; namesPatients: boolean }>()
  #pending: Access[] = []

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), flushMs).unref()
  }

  /** Adds ids to the row of a call that its reply does not contain, such as those in a file. */
  note(requestId: string, { patientIds = [], reqIds = [], namesPatients = false }: Note) {
    const noted = this.#noted.get(requestId) ?? { patientIds: new Set(), reqIds: new Set(), namesPatients }
    noted.namesPatients &&= namesPatients
    for (const id of patientIds) noted.patientIds.add(id)
    for (const id of reqIds) noted.reqIds.add(id)
    this.#noted.set(requestId, noted)
  }

  /** Discards the ids of a call that has ended without being recorded: nothing was disclosed. */
  forget(requestId: string) {
    this.#noted.delete(requestId)
  }

  /** Adds one row for an answered call, with its noted ids. */
  record(call: AccessedCall, { patientIds = [], reqIds = [] }: SubjectIds = {}) {
    const noted = this.#noted.get(call.requestId)
    this.#noted.delete(call.requestId)
    this.#pending.push({
      ...call,
      at: new Date().toISOString(),
      patientIds: [...new Set([...patientIds, ...(noted?.patientIds ?? [])])],
      reqIds: [...new Set([...reqIds, ...(noted?.reqIds ?? [])])],
      namesPatients: noted?.namesPatients ?? false,
    })
    if (this.#pending.length >= flushRows) void this.flush()
  }

  async flush() {
    if (this.#pending.length === 0) return
    const rows = this.#pending
    this.#pending = []
    try {
      await this.#pool.query('select access_log_write($1::json)', [JSON.stringify(rows.map(toRow))])
    } catch (error) {
      this.#pending = [...rows, ...this.#pending]
      this.#log.error({ err: error }, 'access log')
    }
  }

  async close() {
    clearInterval(this.#timer)
    await this.flush()
  }
}

const byUser = ({ userId, name, role }: Pick<Actor, 'userId' | 'name' | 'role'>) => ({
  user_id: userId,
  user_name: name,
  user_role_code: role,
})
/** The administrator has seen the data; the row names both. */
const byViewer = (viewed: Pick<Actor, 'userId' | 'name'>, viewer: NonNullable<Actor['viewer']>) => ({
  ...byUser(viewer),
  viewed_as_id: viewed.userId,
  viewed_as_name: viewed.name,
})

const toRow = ({ actor, at, method, route, requestId, patientIds, reqIds, namesPatients }: Access) => ({
  at,
  ...(actor.viewer ? byViewer(actor, actor.viewer) : byUser(actor)),
  method,
  route,
  request_id: requestId,
  patient_ids: patientIds,
  requisition_ids: reqIds,
  ...(namesPatients && { names_patients: true }),
})
