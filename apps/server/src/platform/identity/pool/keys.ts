import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { type CryptoKey, exportJWK, importPKCS8, type JWK } from 'jose'
import { sql } from 'kysely'
import { decrypt, deriveKey, encrypt } from '../../encryption.ts'
import type { PoolContext } from './context.ts'

export const algorithm = 'RS256'
const rotateAfterDays = 30
const forgetAfterDays = 60

export interface SigningKey {
  kid: string
  key: CryptoKey
}

/** The key that signs now. A new one is made after 30 days; the old ones stay readable until nothing they signed can be alive. */
export const signingKey = async ({ db, secret }: PoolContext): Promise<SigningKey> => {
  const newest = await db
    .selectFrom('identity_signing_key')
    .select([
      'kid',
      'private_key_sealed',
      sql<boolean>`created_at > now() - make_interval(days => ${rotateAfterDays})`.as('is_fresh'),
    ])
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest?.is_fresh)
    return {
      kid: newest.kid,
      key: await importPKCS8(decrypt(sealingKey(secret), newest.private_key_sealed), algorithm),
    }
  await makeKey({ db, secret })
  return signingKey({ db, secret } as PoolContext)
}

const sealingKey = (secret: string) => deriveKey(secret, 'identity-signing-key')

const makeKey = async ({ db, secret }: Pick<PoolContext, 'db' | 'secret'>) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = randomUUID()
  const jwk = {
    ...(await exportJWK(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })))),
    kid,
    alg: algorithm,
    use: 'sig',
  }
  await db.transaction().execute(async (trx) => {
    // Two processes may notice at once that a key is due; one of them makes it.
    await sql`select pg_advisory_xact_lock(hashtext('identity_signing_key'))`.execute(trx)
    const { rows } =
      await sql`select 1 from identity_signing_key where retired_at is null and created_at > now() - make_interval(days => ${rotateAfterDays})`.execute(
        trx,
      )
    if (rows.length > 0) return
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await trx
      .insertInto('identity_signing_key')
      .values({ kid, private_key_sealed: encrypt(sealingKey(secret), pem), public_jwk: JSON.stringify(jwk) })
      .execute()
    await sql`delete from identity_signing_key where created_at < now() - make_interval(days => ${forgetAfterDays})`.execute(
      trx,
    )
  })
}

/** The public halves, as published beside the pool. */
export const publicKeys = async ({ db }: Pick<PoolContext, 'db'>): Promise<{ keys: JWK[] }> => {
  const rows = await db
    .selectFrom('identity_signing_key')
    .select('public_jwk')
    .where('retired_at', 'is', null)
    .execute()
  return { keys: rows.map((row) => row.public_jwk as unknown as JWK) }
}
