import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'

export interface PoolUser {
  sub: string
  userName: string
  email: string
  phone: string
}

export interface PoolAccount extends PoolUser {
  userId: number
  subscriptionToken: string
  isActive: boolean
  passwordHash: string | null
  isTemporary: boolean
  isTemporaryExpired: boolean
  mfa: 'SMS' | 'TOTP' | 'OFF'
}

/** The account with this user name; deleted ones are not found. */
export const findAccount = async (db: Db, userName: string): Promise<PoolAccount | undefined> => {
  const row = await accounts(db).where('u.user_name', '=', userName).executeTakeFirst()
  return row && toAccount(row)
}

export const findAccountBySub = async (db: Db, sub: string): Promise<PoolAccount | undefined> => {
  const row = await accounts(db).where('i.sub', '=', sub).executeTakeFirst()
  return row && toAccount(row)
}

const accounts = (db: Db) =>
  db
    .selectFrom('identity_user as i')
    .innerJoin('app_user as u', 'u.id', 'i.user_id')
    .select([
      'i.sub',
      'i.password_hash',
      'i.is_temporary',
      'i.mfa_preference',
      'u.id',
      'u.user_name',
      'u.email',
      'u.phone',
      'u.subscription_token',
      'u.status_code',
    ])
    .select(sql<boolean>`i.is_temporary and i.temporary_expires_at <= now()`.as('is_temporary_expired'))
    .where('u.deleted_at', 'is', null)

type AccountRow = Awaited<ReturnType<ReturnType<typeof accounts>['executeTakeFirstOrThrow']>>

const toAccount = (row: AccountRow): PoolAccount => ({
  sub: row.sub,
  userId: row.id,
  userName: row.user_name,
  email: row.email,
  phone: row.phone,
  subscriptionToken: row.subscription_token,
  isActive: row.status_code === 'ACT',
  passwordHash: row.password_hash,
  isTemporary: row.is_temporary,
  isTemporaryExpired: row.is_temporary_expired,
  mfa: row.mfa_preference as PoolAccount['mfa'],
})
