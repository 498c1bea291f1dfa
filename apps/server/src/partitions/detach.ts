import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { PoolClient } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { measuring, measuringSink, syncFolder } from '../backup/streams.ts'
import { type AuditKey, macOfPart } from '../platform/audit/key.ts'
import { type DetachedPart, fileOf, type Kind, kinds, listParts, monthOf, type Part } from '../platform/db/parts.ts'
import type { Pool } from '../platform/db/pool.ts'
import { StartError } from '../platform/start-error.ts'
import { version } from '../platform/version.ts'

/** Until then the record outside the database has the newest rows of a month (platform/audit/external-record.ts). */
const restDays = 4

/** The parts that end before a month, oldest first, of the given kinds. */
export const findDetachable = async (pool: Pool, before: Date, only: readonly Kind[], now = new Date()) => {
  const tables = new Set<string>(only.flatMap((kind) => kinds[kind]))
  const parts = (await listParts(pool)).filter(
    (part): part is Part & { to: Date } => tables.has(part.table) && part.to !== null && part.to <= before,
  )
  const isRested = ({ to }: { to: Date }) => now.getTime() - to.getTime() > restDays * 86_400_000
  return { parts: parts.filter(isRested), tooRecent: parts.filter((part) => !isRested(part)) }
}

export interface DetachInput {
  pool: Pool
  key: AuditKey
  part: Part & { to: Date }
  folder: string
}

/**
 * Detaches a part from its table: its rows are written to a file, which is read back and compared; only then the part is
 * removed, in the transaction that records the file. An existing file is never overwritten.
 */
export const detachPart = async ({ pool, key, part, folder }: DetachInput): Promise<DetachedPart> => {
  const client = await pool.connect()
  try {
    await requireSealed(client, part)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const saved = await writePart(client, part, folder)
    await retryOnLockTimeout(() => remove(client, key, part, saved))
    return saved
  } finally {
    client.release()
  }
}

/** The content of a part: the number of rows, and the first and last id. */
const readExtent = async (client: PoolClient, { name }: Part) => {
  const { rows } = await client.query<{ rows: number; firstId: number | null; lastId: number | null }>(
    `select count(*) as rows, min(id) as "firstId", max(id) as "lastId" from ${client.escapeIdentifier(name)}`,
  )
  return rows[0] as { rows: number; firstId: number | null; lastId: number | null }
}

/** Rows not covered by a seal could be changed in the file. */
const requireSealed = async (client: PoolClient, part: Part) => {
  const column = part.table === 'audit_entry' ? 'to_id' : part.table === 'audit_state' ? 'state_to' : null
  if (!column) return
  const { lastId } = await readExtent(client, part)
  const { rows } = await client.query<{ to: number }>(`select coalesce(max(${column}), 0) as to from audit_seal`)
  if ((lastId ?? 0) > (rows[0]?.to ?? 0))
    throw new StartError(
      `${part.table} ${monthOf(part)} is not sealed yet: a transaction is open since before. Try again later.`,
    )
}

const writePart = async (client: PoolClient, part: Part & { to: Date }, folder: string): Promise<DetachedPart> => {
  const extent = await readExtent(client, part)
  const columns = await listColumns(client, part)
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ')
  const file = join(folder, `${fileOf(part)}.copy.gz`)
  const partial = `${file}.partial`
  const meter = measuring()
  try {
    await pipeline(
      client.query(copyTo(`copy (select ${list} from ${client.escapeIdentifier(part.name)} order by id) to stdout`)),
      meter.stream,
      createGzip({ level: 6 }),
      createWriteStream(partial, { mode: 0o600, flush: true }),
    )
    const written = meter.result()
    if ((await readBack(partial)).sha256 !== written.sha256 || written.lines !== extent.rows)
      throw new StartError(`${file} reads back differently from how it was written. Nothing was detached.`)
    const before = existsSync(file) ? await readBack(file) : null
    if (before && before.sha256 !== written.sha256)
      throw new StartError(`${file} is there already, with other rows. Nothing was detached; choose another folder.`)
    const saved = { table: part.table, from: part.from, to: part.to, ...extent, sha256: written.sha256 }
    const contents = JSON.stringify({ ...saved, columns, program: version, madeAt: new Date() }, null, 1)
    await writeFile(file.replace('.copy.gz', '.json'), `${contents}\n`, { mode: 0o600, flush: true })
    await rename(partial, file)
    await syncFolder(folder)
    return saved
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

const readBack = async (file: string) => {
  const read = measuringSink()
  await pipeline(createReadStream(file), createGunzip(), read.stream)
  return read.result()
}

const listColumns = async (client: PoolClient, { name }: Part): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum',
    [name],
  )
  return rows.map((column) => column.name)
}

const remove = async (client: PoolClient, key: AuditKey, part: Part, saved: DetachedPart) => {
  const name = client.escapeIdentifier(part.name)
  const table = client.escapeIdentifier(part.table)
  await client.query("begin; set local lock_timeout = '2s'")
  try {
    await client.query(`alter table ${table} detach partition ${name}`)
    const now = await readExtent(client, part)
    if (now.rows !== saved.rows || now.lastId !== saved.lastId)
      throw new StartError(`${part.name} was written to meanwhile. Nothing was detached; try again.`)
    if (part.table === 'audit_entry') await keepChainEnds(client, name)
    await client.query(`drop table ${name}`)
    await client.query(
      `insert into detached_part (table_name, from_at, to_at, row_count, first_id, last_id, sha256, mac, key_mark)
       values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), $9)`,
      [
        saved.table,
        saved.from,
        saved.to,
        saved.rows,
        saved.firstId,
        saved.lastId,
        saved.sha256,
        macOfPart(key, saved),
        key.fingerprint,
      ],
    )
    await client.query(
      `insert into audit_entry (entity, entity_id, action, actor_name, new_data, chain_no, hash)
       select 'detached_part', max(id), 'DETACH', 'Command partitions', $1::jsonb, 0, '' from detached_part`,
      [JSON.stringify({ table: saved.table, month: monthOf(saved), rows: saved.rows, sha256: saved.sha256 })],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** The first part may hold records that have not been changed since their chain ends are kept. */
const keepChainEnds = (client: PoolClient, name: string) =>
  client.query(
    `insert into audit_chain_end (entity, entity_id, chain_no, hash)
     select distinct on (entity, entity_id) entity, entity_id, chain_no, hash from ${name} order by entity, entity_id, chain_no desc
     on conflict do nothing`,
  )

const attempts = 30

/** Other sessions queue behind a waiting lock, so it times out after two seconds and is retried. */
const retryOnLockTimeout = async (work: () => Promise<void>) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03' || attempt >= attempts) throw error
      await new Promise((later) => setTimeout(later, 1000))
    }
  }
}
