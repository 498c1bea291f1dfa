import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'
import { appendLines, sealFile } from './external-record.ts'
import { type AuditKey, macOf } from './key.ts'

/** What a seal covers, hashes in hexadecimal. */
export interface SealFacts {
  fromId: number
  toId: number
  rowCount: number
  stateFrom: number | null
  stateTo: number | null
  stateCount: number | null
  prevHash: string | null
  hash: string
}

export interface Seal extends SealFacts {
  id: number
  /** The code under the server's key; seals of earlier versions have none. */
  mac: string | null
  keyMark: string | null
}

/** Columns of a seal, or of what the next one would cover. */
const sealColumns = `from_id as "fromId", to_id as "toId", row_count as "rowCount", state_from as "stateFrom", state_to as "stateTo",
  state_count as "stateCount", encode(prev_hash, 'hex') as "prevHash", encode(hash, 'hex') as hash`

export const macOfSeal = (key: AuditKey, facts: SealFacts): string => {
  const { fromId, toId, rowCount, stateFrom, stateTo, stateCount, prevHash, hash } = facts
  return macOf(key, JSON.stringify([fromId, toId, rowCount, stateFrom, stateTo, stateCount, prevHash, hash]))
}

export const listSeals = async (pool: Pool): Promise<Seal[]> => {
  const { rows } = await pool.query<Seal>(
    `select id, ${sealColumns}, encode(mac, 'hex') as mac, key_mark as "keyMark" from audit_seal order by id`,
  )
  return rows
}

export interface SealOptions {
  pool: Pool
  key: AuditKey
  /** Where each seal is kept a second time. */
  folder: string
  log?: Pick<Log, 'info'>
}

/**
 * Seals every audit row that is old enough, and says how many. A per-record chain cannot show that a whole chain or its tail is gone; the chain of
 * seals can, and its codes cannot be made without the server's secret.
 */
export const sealAudit = async (sealing: SealOptions): Promise<number> => {
  let sealed = 0
  for (;;) {
    const seal = await sealNext(sealing)
    if (!seal) return sealed
    sealed += seal.rowCount
  }
}

const sealNext = async ({ pool, key, folder, log }: SealOptions): Promise<Seal | null> => {
  const seal = await writeSeal(pool, key)
  if (!seal) return null
  // Not before it is committed: a seal that only the file knows would look like one that was removed.
  await appendSealsToFile(folder, key, [seal])
  log?.info({ seal: seal.id, hash: seal.hash, mac: seal.mac }, 'audit seal')
  return seal
}

export const appendSealsToFile = (folder: string, key: AuditKey, seals: readonly Seal[]) =>
  appendLines(
    folder,
    sealFile,
    key,
    seals.map(({ mac, keyMark, ...facts }) => ({ ...facts, sealMac: mac, sealKeyMark: keyMark })),
  )

const writeSeal = async (pool: Pool, key: AuditKey): Promise<Seal | null> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<SealFacts>(`select ${sealColumns} from audit_seal_next()`)
    const facts = rows[0]
    const seal = facts && { ...facts, mac: macOfSeal(key, facts), keyMark: key.mark }
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
