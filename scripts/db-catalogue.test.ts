import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../apps/server/test/database.ts'
import { type Catalogue, compareCatalogues, readCatalogue } from './db-catalogue.ts'

let database: TestDatabase
let before: Catalogue
beforeAll(async () => {
  database = await openTestDatabase()
  before = await readCatalogue(database.owner)
})
afterAll(() => database.close())

/** The first lines of what differs after these statements, which are then undone. */
const differAfter = async (sql: string): Promise<string[]> => {
  const client = await database.owner.connect()
  try {
    await client.query('begin')
    await client.query(sql)
    return compareCatalogues(before, await readCatalogue(client)).map((text) => text.split('\n')[0] ?? '')
  } finally {
    await client.query('rollback')
    client.release()
  }
}

describe('compareCatalogues', () => {
  it('finds no difference in a database that was not changed', async () => {
    expect(await differAfter('select 1')).toEqual([])
  })

  it.each([
    ['alter table patient alter column race_code set default 1', ['column patient.race_code']],
    [
      'alter table patient alter column race_code set not null',
      ['column patient.race_code', 'constraint patient patient_race_code_not_null'],
    ],
    ['alter table report_upload alter column total_files type bigint', ['column report_upload.total_files']],
    ['alter table patient alter column race_code set statistics 7', ['column patient.race_code']],
    ['alter table patient drop constraint patient_dob_check', ['constraint patient patient_dob_check']],
    ['alter table requisition_test reset (fillfactor)', ['relation requisition_test']],
    [
      'alter table requisition_test no force row level security, disable row level security',
      ['relation requisition_test'],
    ],
    ['grant update on audit_entry to lis_app', ['relation audit_entry']],
    ['grant update (action) on audit_entry to lis_app', ['column audit_entry.action']],
    [
      'drop index requisition_list_dob',
      [
        'column requisition_list_dob.patient_dob',
        'column requisition_list_dob.requisition_id',
        'index requisition_list_dob',
        'order of indexes requisition_list',
      ],
    ],
    ['alter table requisition disable trigger requisition_list_upd', ['trigger requisition requisition_list_upd']],
    ['alter policy of_client on requisition using (true)', ['policy requisition of_client']],
    ['alter function audit_chain() reset all', ['function audit_chain()']],
    ['alter function audit_chain() security invoker', ['function audit_chain()']],
    ['grant execute on function audit_state_begin() to public', ['function audit_state_begin()']],
    [
      `create or replace function sees_all_rows() returns boolean language sql stable parallel safe as 'select true'`,
      ['function sees_all_rows()'],
    ],
    [
      'alter default privileges in schema public grant truncate on tables to lis_app',
      ['default rights postgres public r'],
    ],
    ['alter sequence requisition_id_seq increment 2', ['sequence requisition_id_seq']],
    ["update requisition_status_type set description = 'x' where code = 'LOG'", ['rows of requisition_status_type']],
    ['create statistics city_and_zip on city, zip from patient', ['statistics object city_and_zip']],
    ['alter view requisition_patient set (security_invoker = false)', ['relation requisition_patient']],
    ['alter role lis_app createdb', ['role lis_app']],
    ['create role lis_other; grant lis_app to lis_other', ['member lis_other in lis_app', 'role lis_other']],
  ])('finds: %s', async (sql, expected) => {
    expect(await differAfter(sql)).toEqual(expected)
  })

  it('does not mind layout and comments of a function', async () => {
    const same = `create or replace function refuse_change() returns trigger language plpgsql as $$
      begin -- never
        raise exception '% is append-only',tg_table_name   using errcode = '42501';
      end $$`
    expect(await differAfter(same)).toEqual([])
  })
})
