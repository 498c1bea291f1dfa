import bwip from 'bwip-js/node'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** Kept small enough to open on an old computer. */
const mostRequisitions = 5000
const lastDays = 14

interface KitRequisition {
  reqId: number
  status: string
  lastName: string
  firstName: string
  dob: string
  sex: string
  client: string
  physician: string
  collected: string
  fasting: boolean | null
  tests: { code: string; result: string | null; interpretation: string | null }[]
}

/** What a laboratory needs while the server is down. */
export interface KitData {
  lab: string
  madeAt: string
  /** Not resulted yet. */
  pending: (KitRequisition & { bars: number[] })[]
  /** With results of the last days, the newest first. */
  results: KitRequisition[]
}

export const readKitData = async (db: Db, lab: { id: number; name: string }): Promise<KitData> => {
  const pending = await read(
    db,
    lab.id,
    sql`s.sort_order < (select sort_order from requisition_status_type where code = 'RESULT')`,
  )
  const results = await read(
    db,
    lab.id,
    sql`exists (select from requisition_test t where t.requisition_id = r.id and t.deleted_at is null
      and t.resulted_at > now() - make_interval(days => ${lastDays}))`,
  )
  return {
    lab: lab.name,
    madeAt: new Date().toISOString(),
    pending: pending.map((one) => ({ ...one, bars: barsOf(one.reqId) })),
    results,
  }
}

const read = async (db: Db, labId: number, which: ReturnType<typeof sql>): Promise<KitRequisition[]> => {
  const { rows } = await sql<{ row: KitRequisition }>`
    select row_to_json(x) as row from (
      select r.id as "reqId", s.description as status, p.last_name as "lastName", p.first_name as "firstName", p.dob, p.gender_code as sex,
        c.name as client, ph.last_name || ', ' || ph.first_name as physician,
        to_char(r.collected_at at time zone r.collected_zone, 'MM/DD/YYYY HH24:MI') as collected, r.is_fasting as fasting,
        coalesce((select json_agg(json_build_object('code', d.code, 'result', coalesce(t.reportable_result, t.result), 'interpretation', t.interpretation)
            order by d.sort_order, d.code)
          from requisition_test t join test d on d.id = t.test_id
          where t.requisition_id = r.id and t.deleted_at is null and not t.is_retest), '[]') as tests
      from requisition r join requisition_patient p on p.requisition_id = r.id join requisition_status_type s on s.code = r.status_code
        join client c on c.id = r.client_id join physician ph on ph.id = r.physician_id
      where r.lab_id = ${labId} and r.deleted_at is null and ${which}
      order by r.id desc limit ${mostRequisitions}) x`.execute(db)
  return rows.map(({ row }) => row)
}

/** The widths of bars and gaps of the label's bar code. */
const barsOf = (reqId: number): number[] => {
  const [symbol] = bwip.raw({ bcid: 'code128', text: String(reqId) }) as { sbs: number[] }[]
  return symbol?.sbs ?? []
}
