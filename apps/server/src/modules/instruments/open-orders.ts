import { sql } from 'kysely'
import { DateTime } from 'luxon'
import { escapeAstm } from '../../platform/astm/records.ts'
import type { Db } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'

export interface OpenOrder {
  requisitionId: number
  patientId: number
  lastName: string
  firstName: string
  dob: string
  sex: string | null
  collectedAt: string
  /** In the order of the instrument's table. */
  instrumentCodes: string[]
  testCodes: string[]
}

const mostOrders = 500

/**
 * A test is open if it has neither a result nor a fail code, is in Processing and not calculated, or if a rerun was requested and has not
 * arrived. For these requisitions, or the oldest of a laboratory.
 */
export const listOpenOrders = async (
  db: Db,
  instrumentId: number,
  of: { ids: readonly number[] } | { labId: number },
): Promise<OpenOrder[]> => {
  const { rows } = await sql<OpenOrder>`
    select r.id as "requisitionId", r.patient_id as "patientId", p.last_name as "lastName", p.first_name as "firstName", p.dob, pt.gender_code as sex,
      r.collected_at as "collectedAt", array_agg(c.instrument_code order by c.position) as "instrumentCodes", array_agg(t.code order by c.position) as "testCodes"
    from requisition r join requisition_patient p on p.requisition_id = r.id join patient pt on pt.id = r.patient_id
    join requisition_test rt on rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest
    join test t on t.id = rt.test_id and not t.is_calculated
    join lateral (select x.instrument_code, x.position from instrument_code x
      where x.instrument_id = ${instrumentId}::int and x.test_id = t.id order by x.position limit 1) c on true
    where ${'ids' in of ? sql`r.id = ${anyId(of.ids)}` : sql`r.lab_id = ${of.labId}::int`} and r.deleted_at is null and r.status_code = 'PROCESS'
      and ((rt.reportable_result is null and not exists (select from requisition_test_reason x join reason re on re.id = x.reason_id
            and re.type_code = 'FAIL' where x.requisition_test_id = rt.id))
        or exists (select from instrument_result i where i.requisition_test_id = rt.id and i.state = 'RERUN' and not exists (
          select from instrument_result later where later.requisition_test_id = rt.id and later.id > i.id)))
    group by r.id, p.last_name, p.first_name, p.dob, pt.gender_code order by r.id limit ${mostOrders}`.execute(db)
  return rows
}

interface OrderOfSpecimen {
  specimen: string
  order: OpenOrder
}

const sexes: Record<string, string> = { MALE: 'M', FEMALE: 'F' }

/** A message with the open tests of specimens: an answer to a query, or an unsolicited work list. */
export const orderMessage = (labZone: string, found: readonly OrderOfSpecimen[], isAnswer: boolean): string => {
  const clock = (instant: string) => DateTime.fromISO(instant, { zone: labZone }).toFormat('yyyyMMddHHmmss')
  const terminator = isAnswer ? (found.length > 0 ? 'L|1|F' : 'L|1|I') : 'L|1|N'
  return [
    `H|\\^&|||LIS|||||||P|LIS2-A2|${clock(new Date().toISOString())}`,
    ...found.flatMap(({ specimen, order }, index) => {
      const { lastName, firstName, dob, sex, collectedAt, instrumentCodes, requisitionId } = order
      const name = [lastName, firstName].map(escapeAstm).join('^')
      const tests = instrumentCodes.map((code) => `^^^${escapeAstm(code)}`).join('\\')
      return [
        `P|${index + 1}|||${requisitionId}|${name}||${dob.replaceAll('-', '')}|${sexes[sex ?? ''] ?? 'U'}`,
        // O-12 N is a new order; O-26 Q an answer to a query, O an order.
        `O|1|${escapeAstm(specimen)}||${tests}|R||${clock(collectedAt)}||||N||||||||||||||${isAnswer ? 'Q' : 'O'}`,
      ]
    }),
    terminator,
  ]
    .map((record) => `${record}\r`)
    .join('')
}
