import { createHash, createHmac } from 'node:crypto'
import type { DetachedPart } from '../db/parts.ts'
import { deriveKey } from '../encryption.ts'

/** Derived from the server's secret, which is not in the database: an owner of the database can rewrite rows, but cannot forge their seals. */
export interface AuditKey {
  key: Buffer
  /** Identifies the key without revealing it. */
  fingerprint: string
}

export const auditKey = (secret: string): AuditKey => {
  const key = deriveKey(secret, 'audit seals')
  return { key, fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 16) }
}

/** The HMAC of a text, in hexadecimal. */
export const macOf = ({ key }: AuditKey, text: string): string => createHmac('sha256', key).update(text).digest('hex')

/** What proves that the record of a detached part is the one that was written when it was taken out. */
export const macOfPart = (key: AuditKey, { table, from, to, rows, firstId, lastId, sha256 }: DetachedPart): string =>
  macOf(key, JSON.stringify([table, from, to, rows, firstId, lastId, sha256]))
