import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../test/database.ts'
import { buildLookupRows } from './lookup-rows.ts'
import { seedLookups } from './lookups.ts'
import { readSeedData } from './seed-data.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase() // its template was seeded once already
})
afterAll(() => database.close())

const column = async <Value>(sql: string, values: unknown[] = []): Promise<Value[]> => {
  const { rows } = await database.owner.query({ text: sql, values, rowMode: 'array' })
  return (rows as unknown as [Value][]).map(([value]) => value)
}
const one = async <Value>(sql: string, values: unknown[] = []) => (await column<Value>(sql, values))[0]
const forget = () => database.owner.query("delete from setting where key = 'lookups.hash'")

describe('seeding the lookups', () => {
  it('writes nothing when nothing has changed', async () => {
    expect(await seedLookups(database.owner)).toBe(false)
  })

  it('keeps every id and every row when it writes again', async () => {
    const tables = ['lov', 'country', 'state', 'department', 'issue_type', 'lab_note_type', 'reason', 'flag', 'program']
    const more = [
      'test',
      'panel',
      'panel_test',
      'test_combo',
      'test_combo_test',
      'icd',
      'report_definition',
      'insurance_company',
    ]
    const picture = () =>
      Promise.all([...tables, ...more].map((table) => column<string>(`select t::text from ${table} t order by 1`)))
    const before = await picture()
    await forget()
    expect(await seedLookups(database.owner)).toBe(true)
    expect(await picture()).toEqual(before)
  })

  it('lets only one of several processes write', async () => {
    await forget()
    const wrote = await Promise.all([seedLookups(database.owner), seedLookups(database.owner)])
    expect(wrote.toSorted()).toEqual([false, true])
  })

  it('switches off a row that left the files, and leaves what the laboratory added', async () => {
    await database.owner.query(
      `insert into lov (type_code, code, description) values ('RACE', 'OLD', 'Of an earlier file'), ('RACE', 'OWN', 'Added here');
       update setting set value = jsonb_set(value, '{lov}', value -> 'lov' || '"RACE OLD"') where key = 'lookups.keys'`,
    )
    await forget()
    await seedLookups(database.owner)
    expect(await column("select code from lov where type_code = 'RACE' and not is_active")).toEqual(['OLD'])
  })

  it('brings a changed text back to that of the files', async () => {
    await database.owner.query("update flag set description = 'Changed' where code = 'VIP'")
    await forget()
    await seedLookups(database.owner)
    expect(await one("select description from flag where code = 'VIP'")).toBe('VIP')
  })

  it('does not change the text of ICD codes after the official list was loaded', async () => {
    await database.owner.query(
      `update icd set description = 'Official wording' where code = 'I10';
       insert into setting (key, value) values ('icd.order-file', '{}')`,
    )
    await forget()
    await seedLookups(database.owner)
    expect(await one("select description from icd where code = 'I10'")).toBe('Official wording')
    await database.owner.query("delete from setting where key = 'icd.order-file'")
  })
})

describe('the seeded lookups', () => {
  const lovs = readSeedData<{ lovType: string; code: string }>('lovs')

  it.each([...new Set(lovs.map((lov) => lov.lovType))])('hold all of lovs/%s', async (type) => {
    const stored = await column<string>("select code from lov where type_code = $1 and code not in ('OLD', 'OWN')", [
      type,
    ])
    const expected = lovs.filter((lov) => lov.lovType === type).map((lov) => lov.code)
    expect(stored.toSorted()).toEqual(expected.toSorted())
  })

  it.each([
    ['LOOK-088', 'GENDER', 'MALE'],
    ['LOOK-089', 'GENDER', 'FEMALE'],
    ['LOOK-090', 'ETHNICITY', 'NA'],
    ['LOOK-091', 'WEIGHTUOM', 'LBS'],
    ['LOOK-092', 'HEIGHTUOM', 'CM'],
    ['LOOK-093', 'HEIGHTUOM', 'INCH'],
    ['LOOK-094', 'LABQCSTATUS', 'RELEASE'],
    ['LOOK-095', 'LABQCSTATUS', 'REPEAT'],
    ['LOOK-096', 'LABQCSTATUS', 'MD'],
    ['LOOK-097', 'RELATIONTYPE', 'DEP'],
    ['LOOK-098', 'RELATIONTYPE', 'SELF'],
    ['LOOK-099', 'ISSUESTATUS', 'CLOSED'],
    ['LOOK-100', 'REASONTYPE', 'FAIL'],
    ['LOOK-101', 'REASONTYPE', 'PASS'],
    ['LOOK-105', 'DOCTYPE', 'SCANREQ'],
    ['LOOK-106', 'DOCTYPE', 'INSCARD'],
    ['LOOK-107', 'DOCTYPE', 'ADDON'],
    ['LOOK-108', 'DOCTYPE', 'SCANEOB'],
    ['LOOK-109', 'DOCTYPE', 'SCANINV'],
    ['LOOK-110', 'DOCTYPE', 'CHECK'],
    ['LOOK-111', 'DOCTYPE', 'REPORT'],
    ['LOOK-112', 'BILLINGORDER', '1', 'Primary'],
    ['LOOK-113', 'BILLINGORDER', '2', 'Secondary'],
    ['LOOK-114', 'BILLINGORDER', '3', '3th'],
    ['LOOK-115', 'BILLINGORDER', '4', '4th'],
    ['LOOK-116', 'REQACTION', 'STATUS'],
    ['LOOK-125', 'SALESTYPE', 'SLS', 'Sales rep'],
    ['LOOK-126', 'SALESTYPE', 'SVC', 'Service rep'],
    ['LOOK-127', 'USERSTATUS', 'ACT', 'Enabled'],
    ['LOOK-128', 'USERSTATUS', 'LCK', 'Disabled'],
    ['LOOK-129', 'REPORTLOADSTATUS', 'INIT', 'Initializing'],
    ['LOOK-130', 'REPORTLOADSTATUS', 'FILENOTFOUND', 'File not found'],
    ['LOOK-131', 'REPORTLOADSTATUS', 'COMPLETE', 'Complete'],
    ['BATCH-G3', 'REPORTLOADSTATUS', 'HELD', 'Waiting on the matching desk'],
    ['BATCH-G3', 'REPORTLOADSTATUS', 'REJECTED', 'Rejected'],
    ['LOOK-132', 'CURRENCY', 'USD'],
  ])('%s: %s has the code %s', async (_, type, code, text?: string) => {
    const description = await one<string>(
      'select description from lov where type_code = $1 and code = $2 and is_active',
      [type, code],
    )
    expect(description).toEqual(text ?? expect.any(String))
  })

  it.each([
    ['LOOK-102', '901'],
    ['LOOK-103', '902'],
    ['LOOK-104', '903'],
  ])('%s: fail code %s exists', async (_, code) => {
    expect(
      await one("select count(*)::int from reason where type_code = 'FAIL' and code = $1 and is_active", [code]),
    ).toBe(1)
  })

  it('hold the reasons of both kinds', async () => {
    const counts = await column<string>("select type_code || ' ' || count(*) from reason group by type_code order by 1")
    expect(counts).toEqual(['FAIL 21', 'PASS 13'])
  })

  it('hold every country with its states', async () => {
    expect(await one('select count(*)::int from country')).toBe(249)
    expect(await one('select count(*)::int from state')).toBe(buildLookupRows().state.length)
    const arizona =
      "select s.long_name from state s join country c on c.id = s.country_id where c.iso2 = 'US' and s.code = 'AZ'"
    expect(await one(arizona)).toBe('Arizona')
  })

  it('hold flags, departments, issue types, note types and programs', async () => {
    for (const [table, file] of [
      ['flag', 'flags'],
      ['department', 'departments'],
      ['issue_type', 'issue-types'],
      ['lab_note_type', 'lab-note-types'],
      ['program', 'programs'],
    ] as const) {
      expect(await one(`select count(*)::int from ${table}`), table).toBe(readSeedData(file).length)
    }
    expect(
      await one(
        'select count(*)::int from issue_type where reporter_department_id is null or resolver_department_id is null',
      ),
    ).toBe(0)
  })

  it('hold the statuses as the content files have them', async () => {
    const stored = await column<string>(
      "select code || ' ' || description || ' ' || coalesce(next_code, '-') from requisition_status_type order by sort_order",
    )
    const given = readSeedData<{ reqStatusCode: string; reqStatusDesc: string; nextStatusCode: string | null }>(
      'req-statuses',
    )
    expect(stored).toEqual(given.map((row) => `${row.reqStatusCode} ${row.reqStatusDesc} ${row.nextStatusCode ?? '-'}`))
  })

  it('hold insurance companies and ICD codes', async () => {
    expect(await one('select count(*)::int from insurance_company')).toBe(32)
    expect(await one('select count(*)::int from icd where is_active')).toBe(447)
  })

  it('hold the whole test catalogue, with panels and filter groups', async () => {
    expect(await one('select count(*)::int from test')).toBe(25)
    expect(await one('select count(*)::int from panel')).toBe(12)
    expect(
      await one("select count(*)::int from panel_test pt join panel p on p.id = pt.panel_id where p.code = 'CARDIO'"),
    ).toBe(14)
    expect(await one('select count(*)::int from test_combo')).toBe(10)
    const ldl = await database.owner.query(
      "select formula, validity, report_hi, f_unfav_lo, delta_limit, specimen_type_codes from test where code = 'LDL'",
    )
    expect(ldl.rows[0]).toEqual({
      formula: { op: 'sub', args: ['totalChol', 'hdl', { op: 'div', args: ['trig', 5] }] },
      validity: [expect.objectContaining({ op: 'lt', args: ['trig', 400] })],
      report_hi: '600',
      f_unfav_lo: '160',
      delta_limit: '50',
      specimen_type_codes: ['SERUM', 'EDTAPLASMA', 'HEPPLASMA'],
    })
  })

  it('hold the definitions of the nine QA and eight summary reports', async () => {
    expect(await column("select kind || ' ' || count(*) from report_definition group by kind order by 1")).toEqual([
      'QA 9',
      'SUMMARY 8',
    ])
    expect(
      await one("select jsonb_array_length(definition -> 'columns') from report_definition where code = 'QATAT'"),
    ).toBe(8)
  })
})
