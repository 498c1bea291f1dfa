import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { type CryptoKey, exportJWK, importPKCS8, type JWK } from 'jose'
import { sql } from 'kysely'
import { decrypt, deriveKey, encrypt } from '../../encryption.ts'
import type { PoolContext } from './context.ts'

export const algorithm = 'RS256'
const rotateAfterDays = 30
const deleteAfterDays = 60

const daysAgo = (days: number) => sql<string>`now() - make_interval(days => ${days})`

export interface SigningKey {
  kid: string
  key: CryptoKey
}

/** The current signing key. A new one is created after 30 days; old ones stay published until every token they signed has expired. */
export const signingKey = async ({ db, secret }: PoolContext): Promise<SigningKey> => {
  const newest = await db
    .selectFrom('identity_signing_key')
    .select(['kid', 'private_key_sealed'])
    .select((eb) => eb('created_at', '>', daysAgo(rotateAfterDays)).as('is_fresh'))
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest?.is_fresh)
    return {
      kid: newest.kid,
      key: await importPKCS8(decrypt(encryptionKey(secret), newest.private_key_sealed), algorithm),
    }
  await createKey({ db, secret })
  return signingKey({ db, secret } as PoolContext)
}

const encryptionKey = (secret: string) => deriveKey(secret, 'identity-signing-key')

const createKey = async ({ db, secret }: Pick<PoolContext, 'db' | 'secret'>) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = randomUUID()
  const jwk = {
    ...(await exportJWK(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })))),
    kid,
    alg: algorithm,
    use: 'sig',
  }
  await db.transaction().execute(async (trx) => {
    // Two processes may find at once that a new key is due; only one of them creates it.
    await sql`select pg_advisory_xact_lock(hashtext('identity_signing_key'))`.execute(trx)
    const fresh = await trx
      .selectFrom('identity_signing_key')
      .select('kid')
      .where('retired_at', 'is', null)
      .where('created_at', '>', daysAgo(rotateAfterDays))
      .executeTakeFirst()
    if (fresh) return
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await trx
      .insertInto('identity_signing_key')
      .values({ kid, private_key_sealed: encrypt(encryptionKey(secret), pem), public_jwk: JSON.stringify(jwk) })
      .execute()
    await trx.deleteFrom('identity_signing_key').where('created_at', '<', daysAgo(deleteAfterDays)).execute()
  })
}

/** The public keys, as published by the pool. */
export const publicKeys = async ({ db }: Pick<PoolContext, 'db'>): Promise<{ keys: JWK[] }> => {
  const rows = await db
    .selectFrom('identity_signing_key')
    .select('public_jwk')
    .where('retired_at', 'is', null)
    .execute()
  return { keys: rows.map((row) => row.public_jwk as unknown as JWK) }
}
