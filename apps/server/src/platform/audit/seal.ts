import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'
import { appendLines, sealFile } from './external-record.ts'
import { type AuditKey, macOf } from './key.ts'

/** The range that a seal covers, hashes in hexadecimal. */
export interface SealedRange {
  fromId: number
  toId: number
  rowCount: number
  stateFrom: number | null
  stateTo: number | null
  stateCount: number | null
  prevHash: string | null
  hash: string
}

export interface Seal extends SealedRange {
  id: number
  /** The MAC with the server's key; seals of earlier versions have none. */
  mac: string | null
  keyMark: string | null
}

/** Columns of a seal, or of the range that the next one covers. */
const sealColumns = `from_id as "fromId", to_id as "toId", row_count as "rowCount", state_from as "stateFrom", state_to as "stateTo",
  state_count as "stateCount", encode(prev_hash, 'hex') as "prevHash", encode(hash, 'hex') as hash`

export const macOfSeal = (key: AuditKey, range: SealedRange): string => {
  const { fromId, toId, rowCount, stateFrom, stateTo, stateCount, prevHash, hash } = range
  return macOf(key, JSON.stringify([fromId, toId, rowCount, stateFrom, stateTo, stateCount, prevHash, hash]))
}

export const listSeals = async (pool: Pick<Pool, 'query'>): Promise<Seal[]> => {
  const { rows } = await pool.query<Seal>(
    `select id, ${sealColumns}, encode(mac, 'hex') as mac, key_mark as "keyMark" from audit_seal order by id`,
  )
  return rows
}

export interface SealOptions {
  pool: Pool
  key: AuditKey
  /** The folder of the external record, which gets a copy of each seal. */
  folder: string
  log?: Pick<Log, 'info'>
}

/**
 * Seals every audit row that is old enough, and returns how many. A per-record chain cannot show that a complete chain or its end was removed; the
 * chain of seals can, and its MACs cannot be forged without the server's secret.
 */
export const sealAudit = async (options: SealOptions): Promise<number> => {
  let sealed = 0
  for (;;) {
    const seal = await sealNext(options)
    if (!seal) return sealed
    sealed += seal.rowCount
  }
}

const sealNext = async ({ pool, key, folder, log }: SealOptions): Promise<Seal | null> => {
  const seal = await writeSeal(pool, key)
  if (!seal) return null
  // After the commit: a seal that is only in the file would look like a removed one.
  await appendSealsToFile(folder, key, [seal])
  log?.info({ seal: seal.id, hash: seal.hash, mac: seal.mac }, 'audit seal')
  return seal
}

export const appendSealsToFile = (folder: string, key: AuditKey, seals: readonly Seal[]) =>
  appendLines(
    folder,
    sealFile,
    key,
    seals.map(({ mac, keyMark, ...range }) => ({ ...range, sealMac: mac, sealKeyMark: keyMark })),
  )

const writeSeal = async (pool: Pool, key: AuditKey): Promise<Seal | null> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<SealedRange>(`select ${sealColumns} from audit_seal_next()`)
    const range = rows[0]
    const seal = range && { ...range, mac: macOfSeal(key, range), keyMark: key.fingerprint }
    const { rows: written } = seal
      ? await client.query<{ id: number }>(
          `insert into audit_seal (from_id, to_id, row_count, state_from, state_to, state_count, prev_hash, hash, mac, key_mark)
           values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), decode($9, 'hex'), $10) returning id`,
          [
            seal.fromId,
            seal.toId,
            seal.rowCount,
            seal.stateFrom,
            seal.stateTo,
            seal.stateCount,
            seal.prevHash,
            seal.hash,
            seal.mac,
            seal.keyMark,
          ],
        )
      : { rows: [] }
    await client.query('commit')
    const id = written[0]?.id
    return seal && id !== undefined ? { id, ...seal } : null
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}
