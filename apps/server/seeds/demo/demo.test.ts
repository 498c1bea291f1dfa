import { createHash } from 'node:crypto'
import { moves, statusCodes } from '@lis/contract/requisitions/status.ts'
import { IANAZone } from 'luxon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInsured } from '../../src/modules/billing-batches/bill-item.ts'
import { claimFault } from '../../src/modules/billing-batches/billing-fault.ts'
import { readItemsOfRequisitions } from '../../src/modules/billing-batches/queries.ts'
import { verifyAudit } from '../../src/platform/audit/verify.ts'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { loadBulk } from '../bulk/load-bulk.ts'
import type { LoadSummary } from '../laboratory/load-laboratory.ts'
import { npiNumber } from '../laboratory/people.ts'
import { seedTableNames } from '../laboratory/tables.ts'
import { readSeedData } from '../seed-data.ts'
import { demoSetting, readSetting } from '../settings.ts'
import { codeUses, lifeCycleChecks } from './life-cycle-checks.ts'
import { loadDemo } from './load-demo.ts'

const asOf = new Date('2026-03-10T00:00:00Z')
const requisitions = 300

interface Loaded {
  database: TestDatabase
  summary: LoadSummary
  files: Map<string, Buffer>
  rows: <Row>(sql: string, values?: unknown[]) => Promise<Row[]>
  number: (sql: string) => Promise<number>
}

const openLoaded = async (load: typeof loadDemo): Promise<Loaded> => {
  const database = await openTestDatabase()
  const files = new Map<string, Buffer>()
  const summary = await load(database.owner, {
    requisitions,
    asOf,
    passwordHash: 'hash of the demo password',
    reportFiles: async (key, pdf) => void files.set(key, pdf),
  })
  const rows = async <Row>(sql: string, values: unknown[] = []) =>
    (await database.owner.query(sql, values)).rows as Row[]
  const number = async (sql: string) => Number(Object.values((await rows<Record<string, unknown>>(sql))[0] ?? {})[0])
  return { database, summary, files, rows, number }
}

let full: Loaded
let again: Loaded
let bulk: Loaded
beforeAll(async () => {
  full = await openLoaded(loadDemo)
  again = await openLoaded(loadDemo)
  bulk = await openLoaded(loadBulk)
})
afterAll(async () => {
  for (const loaded of [full, again, bulk]) await loaded?.database.close()
})

describe('the demo data', () => {
  it('have the demo setting, without which demo mode does not start', async () => {
    for (const { database } of [full, bulk]) expect(await readSetting(database.owner, demoSetting)).toBe(true)
  })

  it('are the same rows every time', async () => {
    // Without values from the database clock: when it was loaded, and by which transaction.
    const pastAudit = `(select id, entity, entity_id, chain_no, requisition_id, client_id, action, reason, actor_name, at, old_data, new_data
      from audit_entry where entity not in ('schema', 'demo'))`
    // The age of the password is set by the database clock, so that users can sign in to a demo of an earlier day.
    const compared = [...seedTableNames.filter((name) => name !== 'identity_user'), 'audit_entry', 'requisition_list']
    const checksums = async ({ rows }: Loaded) => {
      const sums: Record<string, string> = {}
      for (const table of compared) {
        const [row] = await rows<{ sum: string }>(
          `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as sum from ${table === 'audit_entry' ? pastAudit : table} t`,
        )
        sums[table] = row?.sum ?? ''
      }
      return sums
    }
    expect(await checksums(again)).toEqual(await checksums(full))
    expect([...again.files.keys()]).toEqual([...full.files.keys()])
  })

  it('have the sizes of the demo laboratory', async () => {
    expect(full.summary.rows).toMatchObject({
      lab: 2,
      collaborator: 3,
      client: 40,
      physician: 120,
      sales_person: 15,
      freezer: 4,
      patient: 150,
      requisition: 300,
    })
    expect(await full.number('select count(*) from freezer_slot')).toBe(
      await full.number('select sum(row_count * column_count) from freezer_box'),
    )
    expect(await full.number('select count(*) from lab where is_default')).toBe(1)
    expect(await full.number('select count(distinct zone) from lab')).toBe(2)
  })

  it('have requisitions in each of the nineteen statuses', async () => {
    const found = await full.rows<{ status_code: string }>('select distinct status_code from requisition')
    expect(found.map((row) => row.status_code).toSorted()).toEqual(statusCodes.toSorted())
  })

  it.each(Object.entries(lifeCycleChecks))('obey the life cycle: %s', async (_, sql) => {
    const values = sql.includes('$1') ? [asOf.toISOString()] : []
    expect(await full.rows(sql, values)).toEqual([])
    expect(await bulk.rows(sql, values)).toEqual([])
  })

  it('keep with each result the rules by which it was interpreted, each once', async () => {
    expect(
      await full.number(
        'select count(*) from requisition_test t left join result_rules k on k.id = t.rules_id where (t.reportable_result is null) = (k.id is not null)',
      ),
    ).toBe(0)
    const [tests, kept] = [
      await full.number('select count(*) from test'),
      await full.number('select count(*) from result_rules'),
    ]
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(tests * 3)
  })

  it('name in the history of a report the version each release was of, the corrected ones after it', async () => {
    expect(await full.number('select count(*) from report_event where version_no is null')).toBe(0)
    expect(
      await full.rows(`select e.report_id from report_event e join report_version v on v.report_id = e.report_id and v.version_no = e.version_no
        where e.at < v.created_at or exists (select from report_version n where n.report_id = v.report_id and n.version_no > v.version_no and n.created_at <= e.at)`),
    ).toEqual([])
    const corrected = `report p join report_version v on v.report_id = p.id and v.version_no = 2 where p.lab_qc_status_code = 'RELEASE'`
    expect(await full.number(`select count(*) from ${corrected}`)).toBeGreaterThan(0)
    for (const version of [1, 2])
      expect(
        await full.rows(`select p.id from ${corrected} and not exists (select from report_event e
          where e.report_id = p.id and e.version_no = ${version} and e.action_code = 'RELEASE')`),
      ).toEqual([])
    expect(
      await full.rows(`select e.report_id from report_event e join report_event r on r.report_id = e.report_id and r.version_no = e.version_no and r.action_code = 'RELEASE'
        where e.action_code = 'DELIVER' and e.at < r.at`),
    ).toEqual([])
    expect(
      await full.rows(
        `select p.id from report p where p.release_at <> (select max(at) from report_event e where e.report_id = p.id and e.action_code = 'RELEASE')`,
      ),
    ).toEqual([])
  })

  it('have frozen what their sent batches charged, and nothing of the others', async () => {
    const charged = await full.rows<{ sent: boolean; items: number; charged: number; wrong: number }>(`
      select b.send_status_code = 'SENT' as sent, count(*)::int as items, count(*) filter (where exists (select from billing_charge c
          where c.batch_id = i.batch_id and c.requisition_id = i.requisition_id))::int as charged,
        count(*) filter (where (i.bill_type_code is null) = (b.send_status_code = 'SENT'))::int as wrong
      from billing_batch_item i join billing_batch b on b.id = i.batch_id join requisition r on r.id = i.requisition_id
      where r.bill_type_code <> 'NOCHARGE' and exists (select from requisition_test t join test k on k.id = t.test_id and not k.is_calculated
        where t.requisition_id = r.id and t.result is not null) group by 1 order by 1`)
    expect(charged).toEqual([
      { sent: false, items: expect.any(Number), charged: 0, wrong: 0 },
      { sent: true, items: charged[1]?.charged, charged: expect.any(Number), wrong: 0 },
    ])
    expect(
      await full.number(
        "select count(*) from billing_charge c join requisition r on r.id = c.requisition_id where r.bill_type_code = 'NOCHARGE'",
      ),
    ).toBe(0)
  })

  it.each(['full', 'bulk'] as const)('are ready to bill only if they can be claimed (%s)', async (detail) => {
    const { database, rows } = detail === 'full' ? full : bulk
    const ready = await rows<{ id: number }>(
      "select id from requisition where status_code in ('READYBILL', 'INBILL') order by id",
    )
    const items = await readItemsOfRequisitions(
      database.db,
      ready.map(({ id }) => id),
    )
    const faults = items.filter(isInsured).map((item) => claimFault(item, true))
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.filter((fault) => fault !== null)).toEqual([])
  })

  it('move only as the contract allows, or by the status select among billing codes', async () => {
    const made = await full.rows<{ from: string; to: string; reason: string | null }>(
      'select distinct from_code as "from", to_code as "to", reason from requisition_status_event where from_code is not null',
    )
    const byHand = made.filter(({ from, to }) => !moves.some((move) => move.from === from && move.to === to))
    const bench = ['LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER']
    expect(byHand.filter(({ from, to }) => bench.includes(from) || bench.includes(to))).toEqual([])
    for (const back of made.filter(({ from, to }) => from === 'RELEASE' && to === 'ACC')) {
      expect(back.reason).toBe('Returned to Accessioned')
    }
  })

  it.each(['full', 'bulk'] as const)('fill the list, the search text and the counters exactly (%s)', async (detail) => {
    const { number } = detail === 'full' ? full : bulk
    const differ = (left: string, right: string) =>
      `select count(*) from ((${left} except all ${right}) union all (${right} except all ${left})) d`
    expect(await number(differ('select * from requisition_list', 'select * from requisition_list_source'))).toBe(0)
    expect(await number('select count(*) from requisition_list')).toBe(requisitions)
    expect(
      await number(
        differ(
          'select requisition_id, client_id, collaborator_id, search_text from requisition_search',
          `select r.id, r.client_id, r.collaborator_id, (p.name_key || coalesce('|' || lower(r.ext_order_id), '')) collate "C" from requisition r join patient p on p.id = r.patient_id`,
        ),
      ),
    ).toBe(0)
    expect(
      await number(
        differ(
          'select scope, scope_id, status_code, n from requisition_count',
          `select scope, scope_id, status_code, count(*) from (
            select 'CLNT' as scope, client_id as scope_id, status_code from requisition_list
            union all select 'COLA', collaborator_id, status_code from requisition_list
            union all select 'PHYS', physician_id, status_code from requisition_list
            union all select 'PHYS', copy_physician_id, status_code from requisition_list where copy_physician_id <> physician_id
            union all select 'BILL', 0, status_code from requisition_list where requisition_id in (select requisition_id from billing_batch_item where left_out is null)) x group by 1, 2, 3`,
        ),
      ),
    ).toBe(0)
    const byTests = 'select test_codes, count(*) from requisition_list group by 1'
    expect(await number(differ('select test_codes, n from requisition_tests_count', byTests))).toBe(0)
    expect(await number('select count(*) from requisition_count_delta')).toBe(0)
  })

  it('centrifuge no tube before it was collected', async () => {
    const early = '(collected_at at time zone collected_zone)::time > centrifuged_time::time'
    expect(await full.number('select count(*) from requisition where centrifuged_time is not null')).toBeGreaterThan(50)
    expect(await full.number(`select count(*) from requisition where ${early}`)).toBe(0)
  })

  it('leave triggers and indexes as they were, and every foreign key satisfied', async () => {
    for (const { number, rows } of [full, bulk]) {
      expect(await number("select count(*) from pg_trigger where tgenabled <> 'O'")).toBe(0)
      const keys = await rows<{ child: string; parent: string; on: string; given: string }>(`
        select c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent,
          string_agg(format('p.%I = k.%I', pa.attname, ka.attname), ' and ') as on, string_agg(format('k.%I is not null', ka.attname), ' and ') as given
        from pg_constraint c cross join lateral unnest(c.conkey, c.confkey) as u(k, p)
        join pg_attribute ka on ka.attrelid = c.conrelid and ka.attnum = u.k join pg_attribute pa on pa.attrelid = c.confrelid and pa.attnum = u.p
        where c.contype = 'f' and c.connamespace = 'public'::regnamespace group by c.oid, c.conrelid, c.confrelid`)
      for (const { child, parent, on, given } of keys) {
        const orphans = await number(
          `select count(*) from ${child} k where ${given} and not exists (select from ${parent} p where ${on})`,
        )
        expect(orphans, `${child} → ${parent}`).toBe(0)
      }
    }
    const indexes = "select indexdef from pg_indexes where schemaname = 'public' order by indexdef"
    const untouched = await openTestDatabase()
    try {
      expect(await bulk.rows(indexes)).toEqual((await untouched.owner.query(indexes)).rows)
    } finally {
      await untouched.close()
    }
  })

  it('let the database continue their ids', async () => {
    expect(await full.number("select nextval(pg_get_serial_sequence('patient', 'id'))")).toBe(151)
    expect(await full.number("select nextval(pg_get_serial_sequence('requisition', 'id'))")).toBe(1_000_301)
  })

  it('leave nothing behind when a file cannot be written', async () => {
    const database = await openTestDatabase()
    try {
      let written = 0
      const reportFiles = async () => {
        written += 1
        if (written > 150) throw new Error('The disk is full')
      }
      const load = loadDemo(database.owner, { requisitions: 600, asOf, passwordHash: 'x', reportFiles })
      await expect(load).rejects.toThrow('The disk is full')
      const { rows } = await database.owner.query(
        `select (select count(*) from requisition) + (select count(*) from patient) + (select count(*) from lab) as n,
          (select count(*) from pg_trigger where tgenabled <> 'O') as disabled`,
      )
      expect(rows).toEqual([{ n: 0, disabled: 0 }])
    } finally {
      await database.close()
    }
  })

  it('go into an empty database only', async () => {
    const options = { requisitions, asOf, passwordHash: 'x', reportFiles: async () => undefined }
    await expect(loadDemo(full.database.owner, options)).rejects.toThrow('empty database')
    expect(await full.number('select count(*) from requisition')).toBe(requisitions)
  })
})

describe('the people and places of the demo data', () => {
  it('one client has no time zone and therefore no requisitions', async () => {
    const [client, ...more] = await full.rows<{ id: number; n: number }>(
      "select c.id, (select count(*) from requisition r where r.client_id = c.id) as n from client c where c.zone = 'TZNA'",
    )
    expect(more).toEqual([])
    expect(client?.n).toBe(0)
  })

  it('have clients in several real time zones', async () => {
    const zones = await full.rows<{ zone: string }>("select distinct zone from client where zone <> 'TZNA'")
    expect(zones.length).toBeGreaterThan(8)
    for (const { zone } of zones) expect(IANAZone.isValidZone(zone), zone).toBe(true)
  })

  it('give all physicians but three an NPI with its check digit', async () => {
    const npis = await full.rows<{ npi_number: string }>('select npi_number from physician')
    expect(npis.filter(({ npi_number: npi }) => npiNumber(npi.slice(0, 9)) !== npi)).toHaveLength(3)
    expect(npiNumber('123456789')).toBe('1234567893') // the example of the CMS
  })

  it('let exactly the eight accounts sign in', async () => {
    const able = await full.rows<{ user_name: string; role_code: string; mfa_preference: string }>(
      `select u.user_name, u.role_code, i.mfa_preference from identity_user i join app_user u on u.id = i.user_id
       where i.password_hash is not null and not i.is_temporary and u.status_code = 'ACT' and i.password_set_at > now() - interval '1 day' order by u.id`,
    )
    expect(able.map((row) => `${row.user_name} ${row.role_code} ${row.mfa_preference}`)).toEqual([
      'admin ADM SMS',
      'management MGMT SMS',
      'staff STF SMS',
      'collaborator COLA SMS',
      'client CLNT SMS',
      'physician PHYS SMS',
      'sales SLS SMS',
      'billing BILL SMS',
    ])
    expect(full.summary.accounts.map((account) => account.userName)).toEqual(able.map((row) => row.user_name))
  })

  it('have a disabled user and one whose temporary password has expired', async () => {
    expect(await full.number("select count(*) from app_user where status_code = 'LCK'")).toBe(1)
    expect(
      await full.number('select count(*) from identity_user where is_temporary and temporary_expires_at < now()'),
    ).toBe(1)
    expect(await full.number("select count(*) from app_user where phone !~ '^1[0-9]{10}$'")).toBe(0)
    expect(
      await full.number(
        'select count(*) from app_user u where not exists (select from app_user_department d where d.user_id = u.id)',
      ),
    ).toBe(0)
  })

  it('give every account plenty of requisitions in its scope', async () => {
    const [counts] = await full.rows<Record<string, number>>(`
      with recursive me as (select * from app_user), team as (
        select sales_person_id as id from me where user_name = 'sales' union select s.id from sales_person s join team t on s.report_to_id = t.id)
      select (select count(*) from requisition r join me on me.client_id = r.client_id where me.user_name = 'client') as client,
        (select count(*) from requisition r join me on me.physician_id in (r.physician_id, r.copy_physician_id) where me.user_name = 'physician') as physician,
        (select count(*) from requisition r join me on me.collaborator_id = r.collaborator_id where me.user_name = 'collaborator') as collaborator,
        (select count(*) from requisition r where r.client_id in (select client_id from client_sales where sales_person_id in (select id from team))) as sales,
        (select count(distinct requisition_id) from billing_batch_item) as billing, (select count(*) from team) as team`)
    expect(counts?.team).toBeGreaterThan(3)
    for (const scope of ['client', 'physician', 'collaborator', 'sales', 'billing'])
      expect(counts?.[scope], scope).toBeGreaterThan(5)
  })

  it('use only codes that the lookups have', async () => {
    const lovs = new Set(
      readSeedData<{ lovType: string; code: string }>('lovs').map((lov) => `${lov.lovType} ${lov.code}`),
    )
    for (const [type, sql] of codeUses) {
      for (const row of await full.rows<Record<string, string | null>>(sql)) {
        const [code] = Object.values(row)
        if (code !== null) expect(lovs.has(`${type} ${code}`), `${type} ${code}`).toBe(true)
      }
    }
  })
})

describe('the files and the audit of the demo data', () => {
  it('hold a real PDF for every report and document', async () => {
    const stored = await full.rows<{ object_key: string; byte_size: number; sha256: Buffer }>(
      'select object_key, byte_size, sha256 from stored_file',
    )
    expect(stored).toHaveLength(full.files.size)
    for (const { object_key: key, byte_size: size, sha256 } of stored) {
      const pdf = full.files.get(key)
      expect(pdf?.subarray(0, 5).toString(), key).toBe('%PDF-')
      expect(pdf?.length).toBe(size)
      expect(
        createHash('sha256')
          .update(pdf ?? '')
          .digest()
          .equals(sha256),
      ).toBe(true)
    }
  })

  it('share one file among the reports of the bulk data', async () => {
    expect([...bulk.files.keys()]).toEqual(['demo/reports/shared.pdf'])
    expect(await bulk.number('select count(distinct file_id) from report_version')).toBe(1)
    expect(await bulk.number("select count(*) from audit_entry where entity not in ('schema', 'demo')")).toBe(0)
  })

  it('have audit entries for each creation and status move, in chains that verify', async () => {
    const { faults } = await verifyAudit(full.database.owner)
    expect(faults).toEqual([])
    for (const entity of ['client', 'physician', 'collaborator', 'sales_person', 'requisition']) {
      const missing = `select count(*) from ${entity} e where not exists (select from audit_entry a where a.entity = '${entity}' and a.entity_id = e.id and a.action = 'CREATE' and a.chain_no = 1)`
      expect(await full.number(missing), entity).toBe(0)
    }
    expect(await full.number("select count(*) from audit_entry where action = 'STATUS'")).toBe(
      await full.number('select count(*) from requisition_status_event where from_code is not null'),
    )
  })
})
