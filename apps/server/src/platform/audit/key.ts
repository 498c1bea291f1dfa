import { createHash, createHmac } from 'node:crypto'
import { deriveKey } from '../encryption.ts'

/** Made from the server's secret, which the database does not hold: whoever owns the database can rewrite rows, but not make their seals. */
export interface AuditKey {
  key: Buffer
  /** Tells one key from another and gives nothing of it away. */
  mark: string
}

export const auditKey = (secret: string): AuditKey => {
  const key = deriveKey(secret, 'audit seals')
  return { key, mark: createHash('sha256').update(key).digest('hex').slice(0, 16) }
}

/** The code of a text under the key, in hexadecimal. */
export const macOf = ({ key }: AuditKey, text: string): string => createHmac('sha256', key).update(text).digest('hex')
