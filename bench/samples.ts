import type { Pool } from '../apps/server/src/platform/db/pool.ts'

/** Values to ask for: what most rows have, what few have. Taken from the data, so that the calls mean the same at every size. */
export interface Samples {
  rows: Record<string, number>
  commonName: string
  rareName: string
  firstName: string
  dob: string
  clientLarge: number
  clientSmall: number
  physician: number
  collaborator: number
  sales: number
  service: number | null
  event: number
  testCommon: string
  testRare: string
  combo: string | null
  flag: number
  passCode: string | null
  failCode: string | null
  noteType: string | null
  department: number | null
  /** MM/DD/YYYY of the newest month and week with requisitions in every stage. */
  month: string
  week: string
  year: string
  lastId: number
  patient: { key: string; dob: string }
  clientName: string
  physicianName: string
}

export const findSamples = async (owner: Pool): Promise<Samples> => {
  const one = async <Value>(text: string): Promise<Value> =>
    Object.values((await owner.query(text)).rows[0] ?? {})[0] as Value
  const names = (direction: string) =>
    one<string>(`select split_part(name_key, ', ', 1) from patient where length(split_part(name_key, ', ', 1)) > 3
      group by 1 order by count(*) ${direction}, 1 limit 1`)
  const top = (column: string, direction: string) =>
    one<number>(`select ${column} from requisition_list group by 1 order by count(*) ${direction}, 1 limit 1`)
  const test = (direction: string) =>
    one<string>(`select t.code from requisition_test rt join test t on t.id = rt.test_id where rt.deleted_at is null
      group by 1 order by count(*) ${direction}, 1 limit 1`)
  const reason = (type: string) =>
    one<
      string | null
    >(`select r.code from requisition_reason x join reason r on r.id = x.reason_id where r.type_code = '${type}'
      group by 1 order by count(*) desc limit 1`)
  const range = (days: number) =>
    one<string>(`select '[' || to_char(max(collected_at) - interval '${days + 40} days', 'MM/DD/YYYY') || '-' ||
      to_char(max(collected_at) - interval '40 days', 'MM/DD/YYYY') || ']' from requisition_list`)
  const counts = await owner.query<{ tab: string; n: number }>(
    'select tab_code as tab, count(*) as n from requisition_list group by 1',
  )
  return {
    rows: Object.fromEntries(counts.rows.map(({ tab, n }) => [tab, n])),
    commonName: await names('desc'),
    rareName: await names('asc'),
    firstName: await one("select split_part(name_key, ', ', 2) from patient group by 1 order by count(*) desc limit 1"),
    dob: await one('select patient_dob::text from requisition_list order by requisition_id limit 1'),
    clientLarge: await top('client_id', 'desc'),
    clientSmall: await top('client_id', 'asc'),
    physician: await top('physician_id', 'desc'),
    collaborator: await top('collaborator_id', 'asc'),
    sales: await one('select sales_person_id from client_sales group by 1 order by count(*) desc limit 1'),
    service: await one('select service_person_id from client where service_person_id is not null limit 1'),
    event: await top('event_id', 'desc'),
    testCommon: await test('desc'),
    testRare: await test('asc'),
    combo: await one('select c.code from test_combo c join test_combo_test x on x.test_combo_id = c.id limit 1'),
    flag: await one('select flag_id from requisition_flag group by 1 order by count(*) desc limit 1'),
    passCode: await reason('PASS'),
    failCode: await reason('FAIL'),
    noteType: await one('select t.code from lab_note n join lab_note_type t on t.id = n.type_id limit 1'),
    department: await one('select reporter_department_id from issue group by 1 order by count(*) desc limit 1'),
    month: await range(30),
    week: await range(7),
    year: await range(365),
    lastId: await one('select max(requisition_id) from requisition_list'),
    patient: {
      key: await one('select name_key from patient where id = (select max(id) / 2 from patient)'),
      dob: await one('select dob::text from patient where id = (select max(id) / 2 from patient)'),
    },
    clientName: await one('select left(name, 5) from client order by id desc limit 1'),
    physicianName: await one('select left(last_name, 4) from physician order by id desc limit 1'),
  }
}
