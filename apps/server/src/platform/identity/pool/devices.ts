import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { deviceCookie, type Origin } from '../origin.ts'
import type { PoolContext } from './context.ts'
import type { PoolAccount } from './users.ts'

/** A browser that was not used for this long is forgotten. */
export const deviceDays = 90

export const newDevice = () => randomBytes(32).toString('base64url')

export const deviceHash = (device: string) => createHash('sha256').update(device).digest()

/** Whether this browser has signed in to the account before. */
export const isKnownDevice = async (db: Db, userName: string, device: string): Promise<boolean> => {
  const known = await db
    .selectFrom('identity_device as d')
    .innerJoin('identity_user as i', 'i.sub', 'd.sub')
    .innerJoin('app_user as u', 'u.id', 'i.user_id')
    .select('d.sub')
    .where('d.device_hash', '=', deviceHash(device))
    .where('d.last_used_at', '>', sql<string>`now() - make_interval(days => ${deviceDays})`)
    .where('u.user_name', '=', userName)
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst()
  return known !== undefined
}

/** Called after a complete sign-in. Accounts without a second factor are programs, which store no cookies. */
export const rememberDevice = async (db: Db, account: PoolAccount, { device }: Origin) => {
  if (!device || account.mfa === 'OFF') return
  await db
    .insertInto('identity_device')
    .values({ sub: account.sub, device_hash: deviceHash(device) })
    .onConflict((oc) => oc.columns(['sub', 'device_hash']).doUpdateSet({ last_used_at: sql<string>`now()` }))
    .execute()
}

/** Valid for every path, because users change their password through the API. Not readable by scripts or other sites. */
export const deviceHeader = (pool: PoolContext, device: string) =>
  `${deviceCookie}=${device}; Path=/; Max-Age=${deviceDays * 86_400}; HttpOnly; SameSite=Strict${pool.publicUrl.startsWith('https:') ? '; Secure' : ''}`
