import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { PoolClient } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { listDetachable, listTables, quoted, remakeParts, rowsOf } from './catalogue.ts'
import { type Manifest, type TableContent, tableFile } from './manifest.ts'
import { measuringSink } from './streams.ts'

/**
 * Loads the rows unchanged, in one transaction. Triggers are disabled: their effects are already in the rows, and the audit would be chained
 * again. Foreign keys and indexes are created again afterwards, which also checks them.
 */
export const loadRows = async (client: PoolClient, folder: string, manifest: Manifest) => {
  await client.query('begin')
  try {
    // Otherwise a large table could be read from the position of another scan, in another order than it was loaded.
    await client.query('set local synchronize_seqscans = off')
    const tables = await listTables(client)
    const all = tables.map((table) => quoted(client, table))
    const detached = await listDetachable(client)
    for (const { drop } of detached) await client.query(drop)
    for (const table of tables) {
      const saved = manifest.tables.find(({ schema, name }) => schema === table.schema && name === table.name)
      if (table.parts.length > 0) await remakeParts(client, table, saved?.parts ?? [])
    }
    const partitioned = (await listTables(client)).filter(({ parts }) => parts.length > 0)
    all.push(...partitioned.flatMap(({ schema, parts }) => parts.map(({ name }) => quoted(client, { schema, name }))))
    for (const table of all) await client.query(`alter table ${table} disable trigger user`)
    await client.query(`truncate ${all.join(', ')}`)
    for (const table of manifest.tables) await loadTable(client, table, folder)
    for (const { make } of detached) await client.query(make)
    for (const table of all) await client.query(`alter table ${table} enable trigger user`)
    for (const { schema, name, value, isCalled } of manifest.sequences)
      await client.query('select setval($1::regclass, $2::bigint, $3)', [
        quoted(client, { schema, name }),
        value,
        isCalled,
      ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

const loadTable = async (client: PoolClient, table: TableContent, folder: string) => {
  const place = rowsOf(client, { ...table, parts: [] })
  await pipeline(
    createReadStream(join(folder, tableFile(table))),
    createGunzip(),
    client.query(copyFrom(`copy ${place} from stdin`)),
  )
  const read = measuringSink()
  await pipeline(client.query(copyTo(`copy ${rowsOf(client, table)} to stdout`)), read.stream)
  const { sha256, lines } = read.result()
  if (sha256 !== table.sha256 || lines !== table.rows)
    throw new Error(`${table.schema}.${table.name} reads back differently from how it was saved`)
}
