import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { z } from 'zod'
import { measuring } from '../backup/streams.ts'
import { type DetachedPart, fileOf, kinds, listDetachedParts, monthOf } from '../platform/db/parts.ts'

export interface LoadedParts {
  loaded: DetachedPart[]
  /** Parts whose file is missing or was changed; each as a sentence. */
  faults: string[]
}

/**
 * Adds the detached parts of the audit to its tables, for this connection only: temporary views hide the tables, also
 * in the functions that compute the seals.
 */
export const loadDetachedParts = async (client: PoolClient, folder: string): Promise<LoadedParts> => {
  const parts = (await listDetachedParts(client)).filter(({ table }) =>
    (kinds.audit as readonly string[]).includes(table),
  )
  const found: LoadedParts = { loaded: [], faults: [] }
  for (const table of kinds.audit)
    await client.query(`create temporary table detached_${table} as select * from public.${table} limit 0`)
  for (const part of parts) {
    const fault = await loadPart(client, part, folder)
    if (fault) found.faults.push(fault)
    else found.loaded.push(part)
  }
  for (const table of kinds.audit) {
    await client.query(`create index on detached_${table} (id)`)
    await client.query(`analyze detached_${table}`)
    await client.query(
      `create temporary view ${table} as select * from public.${table} union all select * from detached_${table}`,
    )
  }
  return found
}

const loadPart = async (client: PoolClient, part: DetachedPart, folder: string): Promise<string | null> => {
  const file = join(folder, `${fileOf(part)}.copy.gz`)
  const name = `${part.table} ${monthOf(part)}`
  if (!existsSync(file)) return `${name}: ${file} is not there`
  const columns = await readColumns(file.replace('.copy.gz', '.json'))
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ')
  const meter = measuring()
  await client.query('begin')
  try {
    await pipeline(
      createReadStream(file),
      createGunzip(),
      meter.stream,
      client.query(copyFrom(`copy detached_${part.table} (${list}) from stdin`)),
    )
    if (meter.result().sha256 === part.sha256) {
      await client.query('commit')
      return null
    }
  } catch {
    // Not gzip, truncated, or not rows of this table: the same fault.
  }
  await client.query('rollback')
  return `${name}: ${file} is not as it was written`
}

/** The columns that the table had then. None if the file is not there or damaged: the rows are then refused. */
const readColumns = async (file: string): Promise<string[]> => {
  try {
    return z.object({ columns: z.array(z.string()) }).parse(JSON.parse(await readFile(file, 'utf8'))).columns
  } catch {
    return []
  }
}
