import type { Db, Trx } from '../../db/db.ts'

export interface PoolMessage {
  channel: 'SMS' | 'EMAIL'
  to: string
  subject?: string
  body: string
  /** How long its content is valid. */
  expiresInSeconds: number
}

/** What the embedded user pool needs from the rest of the server. */
export interface PoolContext {
  db: Db
  secret: string
  issuer: string
  publicUrl: string
  accessTokenSeconds: number
  refreshTokenSeconds: number
  temporaryPasswordDays: number
  /** The first rule that a new password breaks, or null. */
  passwordFault: (password: string) => string | null
  /** Whether there is an SMS gateway or the demo outbox. */
  canSendSms: boolean
  send: (trx: Trx, message: PoolMessage) => Promise<void>
}

export const clientId = 'lis-web'
export const region = 'local'
export const poolId = 'local_lis'
