import type { QcChart, QcLot, QcRun, QcRunsQuery, QcStatistics } from '@lis/contract/quality-control.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { JsonText } from '../../platform/http/json-text.ts'

/** Both are optional: without them, all rows. */
export interface OfTest {
  instrumentId: number | null
  testCode: string | null
}

/** Rows of alias `x` with an instrument and a test `t`. */
const isOf = ({ instrumentId, testCode }: OfTest, alias: string): RawBuilder<boolean> => sql`
  (${instrumentId}::bigint is null or ${sql.ref(`${alias}.instrument_id`)} = ${instrumentId}::bigint) and (${testCode}::text is null or t.code = ${testCode}::text)`

const iso = (instant: RawBuilder<unknown>) => sql`to_json(${instant})#>>'{}'`

export const listMaterials = async (db: Db) =>
  db.selectFrom('qc_material').select(['id', 'version', 'name', 'maker']).orderBy('name').orderBy('id').execute()

export const listLots = async (db: Db, id: number | null = null): Promise<QcLot[]> => {
  const { rows } = await sql<QcLot>`
    select l.id, l.version, l.material_id as "materialId", m.name as "materialName", m.maker, l.level, l.lot_number as "lotNumber",
      l.opened, l.expires, ${flag01(sql`l.is_parallel`)} as "isParallel"
    from qc_lot l join qc_material m on m.id = l.material_id where ${id}::bigint is null or l.id = ${id}::bigint
    order by m.name, l.level, l.expires desc, l.id`.execute(db)
  return rows
}

interface TargetRow {
  id: number
  lotId: number
  level: number
  lotNumber: string
  testCode: string
  instrumentId: number
  mean: string
  sd: string
  source: 'MAKER' | 'OWN'
  validFrom: string
  validTo: string | null
}

export const listTargets = async (db: Db, of: OfTest): Promise<TargetRow[]> => {
  const { rows } = await sql<TargetRow>`
    select x.id, x.lot_id as "lotId", l.level, l.lot_number as "lotNumber", t.code as "testCode", x.instrument_id as "instrumentId",
      x.mean, x.sd, x.source, x.valid_from as "validFrom", x.valid_to as "validTo"
    from qc_target x join qc_lot l on l.id = x.lot_id join test t on t.id = x.test_id where ${isOf(of, 'x')}
    order by l.level, x.valid_from desc, x.id desc`.execute(db)
  return rows
}

interface PlanRow {
  id: number
  version: number
  testCode: string
  instrumentId: number
  rules: { rule: never; action: never }[]
  everyHours: number | null
  everyResults: number | null
  allowedErrorPct: string | null
}

export const listPlans = async (db: Db, of: OfTest): Promise<PlanRow[]> => {
  const { rows } = await sql<PlanRow>`
    select x.id, x.version, t.code as "testCode", x.instrument_id as "instrumentId", x.rules, x.every_hours as "everyHours",
      x.every_results as "everyResults", x.allowed_error_pct as "allowedErrorPct"
    from qc_plan x join test t on t.id = x.test_id where ${isOf(of, 'x')} order by x.instrument_id, t.code`.execute(db)
  return rows
}

const runFields = sql`x.id, x.instrument_id as "instrumentId", t.code as "testCode", x.run_no as "runNo", ${iso(sql`x.ran_at`)} as "ranAt",
  x.operator, x.state, ${flag01(sql`x.is_void`)} as "isVoid", x.void_reason as "voidReason", x.broken,
  (select coalesce(json_agg(json_build_object('id', v.id, 'lotId', v.lot_id, 'level', v.level, 'value', v.value::text, 'z', v.z::text, 'state', v.state,
    'isParallel', ${flag01(sql`v.is_parallel`)}) order by v.level), '[]') from qc_value v where v.run_id = x.id) as values`

export const findRun = async (db: Db, id: number): Promise<QcRun | undefined> => {
  const { rows } = await sql<QcRun>`
    select ${runFields} from qc_run x join test t on t.id = x.test_id where x.id = ${id}::bigint`.execute(db)
  return rows[0]
}

interface Period {
  from: string | null
  to: string | null
}

/**
 * Rows of alias `x` with an instrument. A date is a day of the laboratory, the last one included; of an instant, the first is included and
 * the last is not. The first two conditions are wider, for the index.
 */
const isInPeriod = ({ from, to }: Period): RawBuilder<boolean> => {
  const zone = sql`(select lab.zone from instrument i join lab on lab.id = i.lab_id where i.id = x.instrument_id)`
  const isDay = (text: string) => text.length === 'YYYY-MM-DD'.length
  const first = from !== null && isDay(from) ? sql`${from}::timestamp at time zone ${zone}` : sql`${from}::timestamptz`
  const last =
    to !== null && isDay(to) ? sql`(${to}::timestamp + interval '1 day') at time zone ${zone}` : sql`${to}::timestamptz`
  return sql`(${from}::text is null or (x.ran_at >= ${from}::timestamptz - interval '1 day' and x.ran_at >= ${first}))
    and (${to}::text is null or (x.ran_at < ${to}::timestamptz + interval '2 days' and x.ran_at < ${last}))`
}

/** The newest first. */
export const runPage = async (db: Db, { page, perPage, from, to, ...of }: QcRunsQuery): Promise<JsonText> => {
  const where = sql`${isOf(of, 'x')} and ${isInPeriod({ from, to })}`
  const { rows } = await sql<{ data: string; total: number }>`
    select (select coalesce(json_agg(r), '[]')::text from (
        select ${runFields} from qc_run x join test t on t.id = x.test_id where ${where}
        order by x.ran_at desc, x.id desc limit ${perPage} offset ${(page - 1) * perPage}) r) as data,
      (select count(*)::int from qc_run x join test t on t.id = x.test_id where ${where}) as total`.execute(db)
  const { data, total } = rows[0] as { data: string; total: number }
  return new JsonText(`{"data":${data},"total":${total},"message":""}`)
}

interface ActionRow {
  id: number
  instrumentId: number
  testCode: string
  cause: string
  action: string
  doneAt: string
  recordedAt: string
  recordedBy: string
  signedAt: string | null
  signedBy: string | null
}

export const listActions = async (db: Db, of: OfTest, since: string | null = null): Promise<ActionRow[]> => {
  const { rows } = await sql<ActionRow>`
    select x.id, x.instrument_id as "instrumentId", t.code as "testCode", x.cause, x.action, x.done_at as "doneAt",
      x.recorded_at as "recordedAt", x.recorded_by_name as "recordedBy", x.signed_at as "signedAt", x.signed_by_name as "signedBy"
    from qc_action x join test t on t.id = x.test_id
    where ${isOf(of, 'x')} and (${since}::timestamptz is null or x.done_at >= ${since}::timestamptz)
    order by x.done_at desc, x.id desc limit 500`.execute(db)
  return rows
}

/** PostgreSQL writes runs and points as JSON, which is passed through: a chart of 90 days can have many thousand. */
export const chartOf = async (
  db: Db,
  { instrumentId, testId, days }: { instrumentId: number; testId: number; days: number },
): Promise<JsonText> => {
  const isShown = (alias: string) => {
    const [instrument, test, at] = ['instrument_id', 'test_id', 'ran_at'].map((name) => sql.ref(`${alias}.${name}`))
    return sql`${instrument} = ${instrumentId} and ${test} = ${testId} and ${at} > now() - make_interval(days => ${days}::int)`
  }
  const [{ rows }, { rows: levels }, actions, test] = await Promise.all([
    sql<{ runs: string }>`
      select coalesce(json_agg(json_build_object('id', q.id, 'ranAt', q.ran_at, 'state', q.state, 'isVoid', ${flag01(sql`q.is_void`)},
        'operator', q.operator, 'broken', case when q.broken = '[]' then '[]' else (select coalesce(json_agg(json_build_object('rule', b -> 'rule', 'action', b -> 'action', 'levels', b -> 'levels')), '[]')
          from jsonb_array_elements(q.broken) b) end) order by q.ran_at, q.id), '[]')::text as runs
      from qc_run q where ${isShown('q')}`.execute(db),
    sql<{ level: number; points: string; lots: QcChart['levels'][number]['lots']; target: unknown }>`
      select v.level, json_agg(json_build_object('runId', v.run_id, 'lotId', v.lot_id, 'value', v.value::text, 'z', v.z::text, 'state', v.state)
          order by v.ran_at, v.run_id)::text as points,
        (select json_agg(json_build_object('lotId', l.id, 'lotNumber', l.lot_number, 'materialName', m.name, 'isParallel', ${flag01(sql`l.is_parallel`)}) order by l.id)
          from qc_lot l join qc_material m on m.id = l.material_id where l.id = any(array_agg(v.lot_id))) as lots,
        (select json_build_object('mean', g.mean::text, 'sd', g.sd::text, 'source', g.source) from qc_target g
          where g.instrument_id = ${instrumentId} and g.test_id = ${testId} and g.valid_from <= now() and (g.valid_to is null or g.valid_to > now())
            and g.lot_id = (array_agg(v.lot_id order by v.is_parallel, v.ran_at desc))[1]
          order by g.valid_from desc, g.id desc limit 1) as target
      from qc_value v where ${isShown('v')} group by v.level order by v.level`.execute(db),
    sql<{ code: string }>`select code from test where id = ${testId}`
      .execute(db)
      .then(({ rows: [found] }) =>
        listActions(
          db,
          { instrumentId, testCode: found?.code ?? null },
          new Date(Date.now() - days * 86_400_000).toISOString(),
        ),
      ),
    db.selectFrom('test').select(['code', 'unit']).where('id', '=', testId).executeTakeFirstOrThrow(),
  ])
  const shown = levels.map(
    ({ level, lots, target, points }) =>
      `{"level":${level},"lots":${JSON.stringify(lots)},"target":${JSON.stringify(target)},"points":${points}}`,
  )
  return new JsonText(
    `{"data":{"testCode":${JSON.stringify(test.code)},"units":${JSON.stringify(test.unit)},"runs":${rows[0]?.runs},"levels":[${shown}],"actions":${JSON.stringify(actions)}},"message":""}`,
  )
}

/** Months are those of the instrument's laboratory. */
export const listStatistics = async (
  db: Db,
  { lotId, from, to, ...of }: OfTest & Period & { lotId: number | null },
): Promise<QcStatistics[]> => {
  const text = (value: RawBuilder<unknown>) => sql`round(${value}, 6)::text`
  const { rows } = await sql<QcStatistics>`
    with measured as (
      select x.lot_id, x.level, x.instrument_id, x.test_id, t.code, to_char(x.ran_at at time zone lab.zone, 'YYYY-MM') as month,
        count(*)::int as n, avg(x.value) as mean, stddev_samp(x.value) as sd, avg(x.value - x.mean) as bias, avg(x.mean) as target,
        avg(case when q.state = 'REJECTED' then 1 else 0 end) as rejected
      from qc_value x join qc_run q on q.id = x.run_id join test t on t.id = x.test_id join instrument i on i.id = x.instrument_id
      join lab on lab.id = i.lab_id
      where not x.is_void and ${isOf(of, 'x')} and (${lotId}::bigint is null or x.lot_id = ${lotId}::bigint)
        and ${isInPeriod({ from, to })}
      group by x.lot_id, x.level, x.instrument_id, x.test_id, t.code, month),
    shares as (
      select m.*, 100 * m.sd / nullif(abs(m.mean), 0) as cv, 100 * m.bias / nullif(m.target, 0) as bias_pct from measured m)
    select s.lot_id as "lotId", l.lot_number as "lotNumber", s.level, s.instrument_id as "instrumentId", s.code as "testCode", s.month, s.n,
      ${text(sql`s.mean`)} as mean, ${text(sql`s.sd`)} as sd, ${text(sql`s.cv`)} as cv, ${text(sql`s.bias`)} as bias,
      ${text(sql`s.bias_pct`)} as "biasPct", ${text(sql`s.rejected`)} as "rejectedShare",
      ${text(sql`(p.allowed_error_pct - abs(s.bias_pct)) / nullif(s.cv, 0)`)} as sigma
    from shares s join qc_lot l on l.id = s.lot_id left join qc_plan p on p.instrument_id = s.instrument_id and p.test_id = s.test_id
    order by s.month desc, s.code, s.instrument_id, s.level, s.lot_id limit 10000`.execute(db)
  return rows
}
