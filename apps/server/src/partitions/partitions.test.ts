import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { auditFolder } from '../platform/audit/external-record.ts'
import { auditKey } from '../platform/audit/key.ts'
import { sealAudit } from '../platform/audit/seal.ts'
import { AuditTail } from '../platform/audit/tail.ts'
import { describeFault, verifyAudit } from '../platform/audit/verify.ts'
import { migrate, readMigrations } from '../platform/db/migrate.ts'
import { type Kind, kindNames, listParts, monthOf } from '../platform/db/parts.ts'
import { openPool, type Pool } from '../platform/db/pool.ts'
import { detachPart, findDetachable } from './detach.ts'
import { loadDetachedParts } from './with-detached.ts'

const secret = 'a secret of more than thirty-two characters'
const key = auditKey(secret)

let test: TestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.close())

const folder = () => join(test.folder, 'parts')
const month = (text: string) => new Date(`${text}-01T00:00:00Z`)

/** Writes one audit row of a record at a time. */
const write = (pool: Pool, entityId: number, at = 'now') =>
  pool.query(
    `insert into audit_entry (entity, entity_id, action, actor_name, chain_no, hash, at) values ('thing', $1, 'UPDATE', 'A test', 0, '', $2)`,
    [entityId, at],
  )

const chainOf = async (pool: Pool, entityId: number) => {
  const { rows } = await pool.query(
    `select tableoid::regclass::text as part, chain_no as no from audit_entry where entity = 'thing' and entity_id = $1 order by chain_no`,
    [entityId],
  )
  return rows.map(({ part, no }) => `${no} ${part}`)
}

const seal = (pool: Pool) => sealAudit({ pool, key, folder: auditFolder(test.folder) })
const external = () => ({ secret, folder: auditFolder(test.folder) })

const detach = async (pool: Pool, before: string, only: Kind[] = ['audit']) => {
  await seal(pool)
  const { parts } = await findDetachable(pool, month(before), only)
  for (const part of parts) await detachPart({ pool, key, part, folder: folder() })
  return parts.map((part) => `${part.table} ${monthOf(part)}`)
}

const verify = async (pool: Pool, withParts: boolean) => {
  const client = await pool.connect()
  try {
    const atHand = withParts ? await loadDetachedParts(client, folder()) : { loaded: [], faults: [] }
    const check = await verifyAudit(client, external(), ({ sha256 }) =>
      atHand.loaded.some((one) => one.sha256 === sha256),
    )
    return {
      rows: check.rows,
      missing: check.missing.map((part) => `${part.table} ${monthOf(part)}`),
      faults: [...atHand.faults, ...check.faults.map(describeFault)],
    }
  } finally {
    client.release(true)
  }
}

describe('a table that is partitioned by month', () => {
  it('SCALE-05 has a part for this month and the next two, and its default part keeps what fits into none until its month is made', async () => {
    const now = new Date()
    const wanted = [0, 1, 2].map((ahead) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString().slice(0, 7),
    )
    for (const table of ['audit_entry', 'audit_state', 'access_log', 'outbox_attempt']) {
      const parts = (await listParts(test.owner)).filter((part) => part.table === table)
      expect(parts.map(monthOf)).toEqual([...wanted, 'default'])
    }
    await write(test.owner, 1, '2024-03-31T23:59:59.999Z')
    await write(test.owner, 1, '2024-04-01T00:00:00Z')
    expect(await chainOf(test.owner, 1)).toEqual(['1 audit_entry_default', '2 audit_entry_default'])
    await test.owner.query(`select make_part('audit_entry', '2024-03-15')`)
    expect(await chainOf(test.owner, 1)).toEqual(['1 audit_entry_2024_03', '2 audit_entry_default'])
    expect((await verify(test.owner, false)).faults).toEqual([])
  })

  it('SCALE-05 gets a part that is missing from the server itself, which can do nothing else with parts', async () => {
    const [last] = (await listParts(test.owner)).filter(({ table, to }) => table === 'access_log' && to).slice(-1)
    await test.owner.query(`drop table ${last?.name}`)
    await sql`select make_parts_ahead()`.execute(test.db)
    expect((await listParts(test.owner)).filter(({ name }) => name === last?.name)).toHaveLength(1)
    for (const attempt of [
      sql`select from access_log_default`,
      sql`insert into access_log_default (user_id, user_name, user_role_code, method, route) values (1, '', '', '', '')`,
      sql`delete from audit_entry_default`,
      sql`select from audit_entry_2024_03`,
      sql`select make_part('audit_entry', '2024-05-01')`,
    ])
      await expect(attempt.execute(test.db)).rejects.toMatchObject({ code: '42501' })
    for (const part of ['audit_entry_2024_03', 'audit_entry_default'])
      await expect(test.owner.query(`delete from ${part}`)).rejects.toThrow('append-only')
    await expect(test.owner.query('truncate audit_entry')).rejects.toThrow('append-only')
  })
})

describe('a detached part', () => {
  it('SCALE-05 is a file that the audit is verified with; without it the rest is verified, and the next change continues the chain', async () => {
    await test.owner.query(`select make_part('audit_entry', '2024-04-01'), make_part('audit_state', '2024-04-01')`)
    const tail = new AuditTail({ pool: test.pool, ...external(), key, log: { warn: () => undefined } })
    await tail.round()
    await write(test.owner, 2, '2024-04-10')
    await write(test.owner, 2)
    await tail.round()
    const before = await verify(test.owner, false)
    expect(await detach(test.owner, '2024-05')).toEqual([
      'audit_entry 2024-03',
      'audit_entry 2024-04',
      'audit_state 2024-04',
    ])
    await write(test.owner, 1)
    expect((await chainOf(test.owner, 1)).map((row) => row.split(' ')[0])).toEqual(['3'])

    const without = await verify(test.owner, false)
    expect(without).toMatchObject({ missing: ['audit_entry 2024-03', 'audit_entry 2024-04'], faults: [] })
    const complete = await verify(test.owner, true)
    // One row for each of the three parts that were taken out, and the one above.
    expect(complete).toEqual({ rows: before.rows + 4, missing: [], faults: [] })
    const { rows } = await test.owner.query(
      `select new_data->>'month' as month, new_data->'rows' as n from audit_entry where action = 'DETACH' order by id`,
    )
    expect(rows).toEqual([
      { month: '2024-03', n: 1 },
      { month: '2024-04', n: 2 },
      { month: '2024-04', n: 0 },
    ])
  })

  it('SCALE-05 that was changed, or is gone, is a fault, and so is one that somebody without the secret has recorded', async () => {
    const file = join(folder(), 'audit_entry-2024-04.copy.gz')
    const kept = readFileSync(file)
    const text = gunzipSync(kept).toString()
    writeFileSync(file, gzipSync(text.replace('A test', 'B test')))
    expect((await verify(test.owner, true)).faults).toEqual([`audit_entry 2024-04: ${file} is not as it was written`])
    writeFileSync(file, kept)
    expect((await verify(test.owner, true)).faults).toEqual([])

    const forged = `insert into detached_part (table_name, from_at, to_at, row_count, first_id, last_id, sha256, mac, key_mark)
      select table_name, from_at, to_at, row_count, 1, 1000000, sha256, mac, key_mark from detached_part where row_count > 0 limit 1`
    await test.owner.query(forged)
    expect((await verify(test.owner, false)).faults).toEqual([
      'part: audit_entry 2024-03 was not detached by this installation',
    ])
  })

  it('SCALE-05 never overwrites a file, and detaches no current or unsealed month', async () => {
    await test.owner.query(`select make_part('audit_entry', '2024-04-01')`)
    await write(test.owner, 3, '2024-04-10')
    await expect(detach(test.owner, '2024-05')).rejects.toThrow('is there already, with other rows')
    await write(test.owner, 4, '2024-04-11')
    const { parts } = await findDetachable(test.owner, month('2024-05'), kindNames)
    const [part] = parts
    if (!part) throw new Error('no part')
    await expect(detachPart({ pool: test.owner, key, part, folder: folder() })).rejects.toThrow('is not sealed yet')
    const soon = new Date()
    const all = await findDetachable(
      test.owner,
      new Date(Date.UTC(soon.getUTCFullYear(), soon.getUTCMonth(), 1)),
      kindNames,
    )
    expect(all.parts.map(({ to }) => to <= soon)).toEqual(all.parts.map(() => true))
  })
})

describe('a database that was filled before', () => {
  it('SCALE-05, SCALE-06 keeps its rows and indexes where they are when its tables are partitioned, and its chains go on', async () => {
    const name = `filled_${randomUUID().replaceAll('-', '')}`
    await test.owner.query(`create database ${name} template template0`)
    const address = Object.assign(new URL(test.url), { pathname: `/${name}` })
    const pool = openPool(address.href, { max: 2, name: 'test-filled' })
    try {
      await migrate(
        pool,
        readMigrations().filter(({ name: file }) => file < '0270'),
      )
      for (const at of ['2023-05-01', '2024-01-01', 'now']) await write(pool, 7, at)
      for (const n of [1, 2])
        await pool.query(
          `insert into access_log (at, user_id, user_name, user_role_code, method, route) values (now() - interval '${n} years', 1, '', '', '', '')`,
        )
      const filesOf = async () => {
        const { rows } = await pool.query(
          `select pg_relation_filenode(c.oid) as file from pg_class c where c.relkind in ('r', 'i') and c.relname ~ '^(audit_entry|access_log)_?' order by 1`,
        )
        return rows.map(({ file }) => file)
      }
      const before = await filesOf()
      await migrate(pool)
      expect(await filesOf()).toEqual(expect.arrayContaining(before))
      const [first] = await listParts(pool)
      expect(first).toMatchObject({ table: 'access_log', from: null })

      for (let n = 0; n < 2; n++) await write(pool, 7)
      const chain = await chainOf(pool, 7)
      expect(chain.map((row) => row.split(' ')[0])).toEqual(['1', '2', '3', '4', '5'])
      expect((await verifyAudit(pool)).faults).toEqual([])
      const { rows } = await pool.query(
        `select count(*) = count(distinct id) as unique, max(id) > count(*) - 1 as later from audit_entry`,
      )
      expect(rows).toEqual([{ unique: true, later: true }])
    } finally {
      await pool.end()
      await test.owner.query(`drop database ${name} with (force)`)
    }
  })
})
