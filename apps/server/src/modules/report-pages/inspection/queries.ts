import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/db.ts'
import { endOfDay } from '../../../platform/db/rows-as-of.ts'
import type { Sql } from '../../../platform/lists.ts'
import type { Row } from './csv.ts'

/** The laboratory and the period of an inspection, with its time zone. */
export interface Inspection {
  labId: number
  labName: string
  zone: string
  /** YYYY-MM-DD, both inclusive. */
  from: string
  to: string
}

const startOf = ({ from, zone }: Inspection): Sql => sql`(${from}::date::timestamp at time zone ${zone}::text)`
const endOf = ({ to, zone }: Inspection): Sql => endOfDay(to, sql`${zone}::text`)
const isWithin = (at: Sql, inspection: Inspection): Sql =>
  sql`(${at} >= ${startOf(inspection)} and ${at} < ${endOf(inspection)})`
const userName = (column: string) =>
  sql`(select u.first_name || ' ' || u.last_name from app_user u where u.id = ${sql.ref(column)})`

/** The tables with procedures, each with its title and additional columns. */
const procedures = {
  'laboratory-record': { table: 'lab', of: sql`v.owner_id = lab_id` },
  accreditations: { table: 'lab_accreditation', of: sql`v.owner_id = lab_id` },
  'test-catalogue': { table: 'test', of: sql`true` },
  'collaborator-ranges': { table: 'collaborator_test_range', of: sql`true` },
  'autoverification-rules': { table: 'autoverify_rule', of: sql`(v.owner_id is null or v.owner_id = lab_id)` },
  'reflex-rules': { table: 'reflex_rule', of: sql`true` },
  'reflex-rule-tests': { table: 'reflex_rule_test', of: sql`true` },
  'critical-limits': { table: 'critical_limit', of: sql`true` },
} as const

/** Every version in force at any time of the period, with its days; `isInForce` marks those in force at its end. */
const versions = (name: keyof typeof procedures, inspection: Inspection): RawBuilder<Row> => {
  const { table, of } = procedures[name]
  return sql<Row>`
    with kept as (
      select v.*, row_number() over one as version_no, lead(v.valid_from) over one as valid_to
      from record_version v cross join (select ${inspection.labId}::int as lab_id) x where v.entity = ${sql.lit(table)} and ${of}
      window one as (partition by v.entity_id, v.part order by v.id))
    select k.entity_id as id, (select t.code from test t where t.id = (case when ${sql.lit(table)} = 'test' then k.entity_id else (k.data ->> 'test_id')::int end)) as "testCode",
      (select c.name from collaborator c where c.id = (k.data ->> 'collaborator_id')::int) as "colaName", k.version_no as "versionNo",
      nullif(k.valid_from, '-infinity') as "validFrom", nullif(k.valid_to, 'infinity') as "validTo",
      case when k.valid_from < ${endOf(inspection)} and coalesce(k.valid_to, 'infinity') >= ${endOf(inspection)} then 1 else 0 end as "isInForce",
      k.data
    from kept k where k.data is not null and k.data ->> 'deleted_at' is null
      and k.valid_from < ${endOf(inspection)} and coalesce(k.valid_to, 'infinity') >= ${startOf(inspection)}
    order by 2 nulls first, k.entity_id, k.part, k.id`
}

const columnsLeftOut = new Set(['id', 'test_id', 'collaborator_id', 'version', 'deleted_at'])

/** The rules, ranges, limits and records by which the laboratory worked, one file each. */
export const readProcedures = async (db: Db, inspection: Inspection): Promise<Map<string, Row[]>> => {
  const read = new Map<string, Row[]>()
  for (const name of Object.keys(procedures) as (keyof typeof procedures)[]) {
    const { rows } = await versions(name, inspection).execute(db)
    read.set(
      name,
      rows.map(({ data, ...row }) => ({
        ...row,
        ...Object.fromEntries(Object.entries(data as Row).filter(([column]) => !columnsLeftOut.has(column))),
      })),
    )
  }
  return read
}

const evidence: Record<string, (inspection: Inspection) => RawBuilder<Row>> = {
  'quality-control/runs': (inspection) => sql`
    select q.id, i.name as instrument, t.code as "testCode", q.run_no as "runNo", q.ran_at as "ranAt", q.operator, q.state, q.broken, q.is_void as "isVoid", q.void_reason as "voidReason",
      coalesce((select jsonb_agg(jsonb_build_object('level', x.level, 'lot', l.lot_number, 'material', m.name, 'value', x.value, 'mean', x.mean, 'sd', x.sd, 'z', x.z, 'state', x.state) order by x.level)
        from qc_value x join qc_lot l on l.id = x.lot_id join qc_material m on m.id = l.material_id where x.run_id = q.id), '[]') as values
    from qc_run q join instrument i on i.id = q.instrument_id join test t on t.id = q.test_id
    where i.lab_id = ${inspection.labId} and ${isWithin(sql`q.ran_at`, inspection)} order by q.ran_at, q.id`,
  'quality-control/corrective-actions': (inspection) => sql`
    select a.id, i.name as instrument, t.code as "testCode", a.cause, a.action, a.done_at as "doneAt", a.recorded_at as "recordedAt", a.recorded_by_name as "recordedBy",
      a.signed_at as "signedAt", a.signed_by_name as "signedBy"
    from qc_action a join instrument i on i.id = a.instrument_id join test t on t.id = a.test_id
    where i.lab_id = ${inspection.labId} and ${isWithin(sql`a.done_at`, inspection)} order by a.done_at, a.id`,
  'quality-control/lookbacks': (inspection) => sql`
    select b.id, b.qc_run_id as "qcRunId", b.requisition_id as "reqId", t.code as "testCode", b.value, b.is_released as "isReleased", b.state, b.reason, b.created_at as "createdDate",
      b.settled_at as "settledDate", ${userName('b.settled_by')} as "settledBy"
    from qc_lookback b join qc_run q on q.id = b.qc_run_id join instrument i on i.id = q.instrument_id join test t on t.id = q.test_id
    where i.lab_id = ${inspection.labId} and ${isWithin(sql`b.created_at`, inspection)} order by b.id`,
  'critical-calls': (inspection) => sql`
    select c.id, c.requisition_id as "reqId", t.code as "testCode", c.value, c.units, c.is_critical as "isCritical", c.lo, c.hi, c.raised_at as "raisedDate", c.due_at as "dueDate", c.state,
      c.closed_at as "closedDate", ${userName('c.closed_by')} as "closedBy", c.close_reason as "closeReason", coalesce(c.closed_at, now()) > c.due_at and c.state <> 'SUPERSEDED' as "isLate",
      coalesce((select jsonb_agg(jsonb_build_object('calledDate', a.called_at, 'calledTo', a.called_to, 'role', a.role, 'outcome', a.outcome, 'readBack', a.read_back,
        'isReadBackOk', a.is_read_back_ok, 'by', a.created_by_name) order by a.id) from critical_attempt a where a.call_id = c.id), '[]') as attempts
    from critical_call c join test t on t.id = c.test_id join requisition r on r.id = c.requisition_id
    where r.lab_id = ${inspection.labId} and ${isWithin(sql`c.raised_at`, inspection)} order by c.raised_at, c.id`,
  competency: (inspection) => sql`
    select g.id, u.user_name as "userName", u.first_name || ' ' || u.last_name as name, u.role_code as "userRoleCode", g.qualifications,
      coalesce((select string_agg(d.name, ', ' order by d.sort_order) from lab_signer_department x join department d on d.id = x.department_id where x.lab_signer_id = g.id), 'all') as departments,
      g.identity_checked_by as "identityCheckedBy", g.valid_from as "validFrom", g.valid_to as "validTo", ${userName('g.granted_by')} as "grantedBy", g.granted_at as "grantedDate"
    from lab_signer g join app_user u on u.id = g.user_id
    where g.lab_id = ${inspection.labId} and g.valid_from <= ${inspection.to}::date and coalesce(g.valid_to, 'infinity') >= ${inspection.from}::date order by g.id`,
}

/** The records of the period, one file each. */
export const readEvidence = async (db: Db, inspection: Inspection): Promise<Map<string, Row[]>> => {
  const read = new Map<string, Row[]>()
  for (const [name, query] of Object.entries(evidence)) read.set(name, (await query(inspection).execute(db)).rows)
  return read
}
