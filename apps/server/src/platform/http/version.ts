import type { FastifyRequest } from 'fastify'
import { findLastChange } from '../audit/last-change.ts'
import type { Db } from '../db/db.ts'
import { conflict, invalid } from '../errors.ts'

/** The version that the caller has read: `If-Match: "3"`, or `version` in the body. Null without either, then the last write wins. */
export const expectedVersion = (request: FastifyRequest): number | null => {
  const header = request.headers['if-match']
  if (header === '*') return null
  if (header === undefined) {
    const { version } = (request.body ?? {}) as { version?: unknown }
    return typeof version === 'number' ? version : null
  }
  const match = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header)
  if (!match) throw invalid('If-Match', 'If-Match must be the version of the record')
  return Number(match[1])
}

/** Rejects a write to a record that someone else has changed since, with its current values, who changed it and when. */
export const requireVersion = async (
  db: Db,
  /** Its name in the audit. */
  entity: string,
  expected: number | null,
  current: { id: number; version: number },
) => {
  if (expected === null || expected === current.version) return
  throw conflict('Somebody else has changed this record in the meantime. Please compare and save again.', {
    ...current,
    ...(await findLastChange(db, entity, current.id)),
  })
}
