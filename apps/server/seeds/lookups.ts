import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Pool } from '../src/platform/db/pool.ts'
import { buildLookupRows, type LookupRows } from './lookup-rows.ts'
import { officialIcdSetting, readSetting, writeSetting } from './settings.ts'
import { withTransaction } from './with-transaction.ts'

export const hashSetting = 'lookups.hash'
const keysSetting = 'lookups.keys'
// Several processes may start at once; one of them seeds while the others wait and then find nothing to do.
const lockKey = 4_110_002

/**
 * Updates every lookup table to the content of `data/`. Ids do not change, since other rows refer to them. A laboratory's own
 * additions are left alone: only rows that an earlier version of the files had brought are switched off when they disappear.
 * Returns whether anything was written; a start without changes takes one query.
 */
export const seedLookups = async (pool: Pool): Promise<boolean> => {
  const rows = buildLookupRows()
  const hash = createHash('sha256').update(JSON.stringify(rows)).digest('hex')
  if ((await readSetting(pool, hashSetting)) === hash) return false
  return withTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [lockKey])
    if ((await readSetting(client, hashSetting)) === hash) return false
    await writeAll(client, rows)
    await switchOffRemoved(client, rows)
    await writeSetting(client, hashSetting, hash)
    return true
  })
}

const writeAll = async (client: PoolClient, rows: LookupRows) => {
  await upsert(client, 'lov', ['type_code', 'code'], rows.lov)
  await upsert(client, 'country', ['iso2'], rows.country)
  await upsertStates(client, rows.state)
  await upsert(client, 'department', ['code'], rows.department)
  await upsertIssueTypes(client, rows.issue_type)
  await upsert(client, 'lab_note_type', ['code'], rows.lab_note_type)
  await upsert(client, 'reason', ['type_code', 'code'], rows.reason)
  await upsert(client, 'flag', ['code'], rows.flag)
  await upsert(client, 'program', ['code'], rows.program)
  await upsert(client, 'test', ['code'], rows.test, 'version = t.version + 1')
  await upsert(client, 'panel', ['code'], rows.panel)
  await writeMembers(client, 'panel', rows.panel_test)
  await upsert(client, 'test_combo', ['code'], rows.test_combo)
  await writeMembers(client, 'test_combo', rows.test_combo_test)
  await upsertIcds(client, rows.icd)
  await upsert(client, 'report_definition', ['code'], rows.report_definition)
  await upsert(client, 'insurance_company', ['name'], rows.insurance_company)
}

type Row = Record<string, unknown>

/** Table and column names come from this folder's own code, never from outside. */
const upsert = async (client: PoolClient, table: string, key: string[], rows: Row[], onChange?: string) => {
  const columns = Object.keys(rows[0] as Row)
  const changing = columns.filter((column) => !key.includes(column))
  const sets = [...changing.map((column) => `${column} = excluded.${column}`), ...(onChange ? [onChange] : [])]
  const tuple = (prefix: string) => `(${changing.map((column) => `${prefix}.${column}`).join(', ')})`
  await client.query(
    `insert into ${table} as t (${columns.join(', ')})
     select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, $1::jsonb)
     on conflict (${key.join(', ')}) do update set ${sets.join(', ')}
     where ${tuple('t')} is distinct from ${tuple('excluded')}`,
    [JSON.stringify(rows)],
  )
}

const upsertStates = (client: PoolClient, rows: LookupRows['state']) =>
  client.query(
    `insert into state as t (country_id, code, long_name)
     select c.id, r.code, r.long_name from jsonb_to_recordset($1::jsonb) as r(iso2 text, code text, long_name text)
     join country c on c.iso2 = r.iso2
     order by c.id, r.code collate "C"
     on conflict (country_id, code) do update set long_name = excluded.long_name where t.long_name <> excluded.long_name`,
    [JSON.stringify(rows)],
  )

const upsertIssueTypes = (client: PoolClient, rows: LookupRows['issue_type']) =>
  client.query(
    `insert into issue_type as t
       (code, description, reporter_department_id, resolver_department_id, is_raised_by_system, sort_order)
     select r.code, r.description, reporter.id, resolver.id, r.is_raised_by_system, r.sort_order
     from jsonb_to_recordset($1::jsonb)
       as r(code text, description text, reporter text, resolver text, is_raised_by_system boolean, sort_order int)
     join department reporter on reporter.code = r.reporter join department resolver on resolver.code = r.resolver
     order by r.sort_order
     on conflict (code) do update set description = excluded.description,
       reporter_department_id = excluded.reporter_department_id, resolver_department_id = excluded.resolver_department_id,
       is_raised_by_system = excluded.is_raised_by_system, sort_order = excluded.sort_order
     where t.* is distinct from excluded.*`,
    [JSON.stringify(rows)],
  )

/** Members are part of what a panel or combo is, so one that left the file leaves the panel; the panel itself stays. */
const writeMembers = async (
  client: PoolClient,
  owner: 'panel' | 'test_combo',
  rows: { owner: string; test: string }[],
) => {
  const wanted = `select o.id as owner_id, te.id as test_id from jsonb_to_recordset($1::jsonb) as r(owner text, test text)
    join ${owner} o on o.code = r.owner join test te on te.code = r.test`
  const json = JSON.stringify(rows)
  await client.query(
    `with wanted as (${wanted}) delete from ${owner}_test m
     where m.${owner}_id in (select owner_id from wanted) and (m.${owner}_id, m.test_id) not in (select owner_id, test_id from wanted)`,
    [json],
  )
  await client.query(`insert into ${owner}_test (${owner}_id, test_id) ${wanted} on conflict do nothing`, [json])
}

/** A code that a user added keeps its text; after the official load only the group comes from us. */
const upsertIcds = async (client: PoolClient, rows: LookupRows['icd']) => {
  const given = 'jsonb_to_recordset($1::jsonb) as r(code text, description text, icd_group text)'
  const json = JSON.stringify(rows)
  if (await readSetting(client, officialIcdSetting)) {
    await client.query(
      `update icd set icd_group = r.icd_group from ${given}
       where upper(icd.code) = upper(r.code) and not icd.is_custom and icd.icd_group is distinct from r.icd_group`,
      [json],
    )
    return
  }
  await client.query(
    `insert into icd as t (code, description, icd_group) select r.code, r.description, r.icd_group from ${given}
     on conflict (upper(code)) do update set description = excluded.description, icd_group = excluded.icd_group
     where not t.is_custom and (t.description, t.icd_group) is distinct from (excluded.description, excluded.icd_group)`,
    [json],
  )
}

/** Remembers which rows came from the files, to distinguish a removed row from one that the laboratory added. */
const switchOffRemoved = async (client: PoolClient, rows: LookupRows) => {
  const now = {
    lov: rows.lov.map((row) => `${row.type_code} ${row.code}`),
    reason: rows.reason.map((row) => `${row.type_code} ${row.code}`),
    icd: rows.icd.map((row) => row.code),
  }
  const before = ((await readSetting(client, keysSetting)) ?? { lov: [], reason: [], icd: [] }) as typeof now
  const hasOfficialIcds = Boolean(await readSetting(client, officialIcdSetting))
  for (const table of ['lov', 'reason', 'icd'] as const) {
    if (table === 'icd' && hasOfficialIcds) continue
    const key = table === 'icd' ? 'code' : "type_code || ' ' || code"
    const own = table === 'icd' ? 'not is_custom and' : ''
    const setActive = (active: boolean, keys: string[]) =>
      keys.length > 0 &&
      client.query(`update ${table} set is_active = $1 where ${own} is_active <> $1 and ${key} = any ($2)`, [
        active,
        keys,
      ])
    const present = new Set(now[table])
    const known = new Set(before[table])
    await setActive(
      false,
      before[table].filter((name) => !present.has(name)),
    )
    await setActive(
      true,
      now[table].filter((name) => !known.has(name)),
    )
  }
  await writeSetting(client, keysSetting, now)
}
