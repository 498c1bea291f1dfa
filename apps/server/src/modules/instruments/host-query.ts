import { sql } from 'kysely'
import { DateTime } from 'luxon'
import { escapeAstm } from '../../platform/astm/records.ts'
import type { Db } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { requisitionIdOf } from '../instrument-results/place.ts'

interface OpenOrder {
  requisitionId: number
  lastName: string
  firstName: string
  dob: string
  sex: string | null
  collectedAt: string
  codes: string[]
}

/** Answers a query for specimens with their open tests in the codes of the instrument. */
export const answerQuery = async (
  db: Db,
  instrument: { id: number; labZone: string },
  specimens: readonly string[],
): Promise<string> => {
  const ids = [...new Set(specimens.flatMap((specimen) => requisitionIdOf(specimen) ?? []))]
  const orders = new Map((await listOpenOrders(db, instrument.id, ids)).map((order) => [order.requisitionId, order]))
  const clock = (instant: string) => DateTime.fromISO(instant, { zone: instrument.labZone }).toFormat('yyyyMMddHHmmss')
  const found = specimens.flatMap((specimen) => {
    const order = orders.get(requisitionIdOf(specimen) ?? 0)
    return order ? [{ specimen, order }] : []
  })
  const records = [
    `H|\\^&|||LIS|||||||P|LIS2-A2|${clock(new Date().toISOString())}`,
    ...found.flatMap(({ specimen, order }, index) => patientAndOrder(index + 1, specimen, order, clock)),
    found.length > 0 ? 'L|1|F' : 'L|1|I',
  ]
  return records.map((record) => `${record}\r`).join('')
}

const sexes: Record<string, string> = { MALE: 'M', FEMALE: 'F' }

const patientAndOrder = (number: number, specimen: string, order: OpenOrder, clock: (instant: string) => string) => {
  const { lastName, firstName, dob, sex, collectedAt, codes } = order
  const name = [lastName, firstName].map(escapeAstm).join('^')
  const tests = codes.map((code) => `^^^${escapeAstm(code)}`).join('\\')
  return [
    `P|${number}|||${order.requisitionId}|${name}||${dob.replaceAll('-', '')}|${sexes[sex ?? ''] ?? 'U'}`,
    // O-12 N is a new order, O-26 Q an answer to a query.
    `O|1|${escapeAstm(specimen)}||${tests}|R||${clock(collectedAt)}||||N||||||||||||||Q`,
  ]
}

/**
 * Open is what has no result and no fail code, in Processing and not calculated, and what a person wants to be run again and has not been
 * since.
 */
const listOpenOrders = async (db: Db, instrumentId: number, ids: readonly number[]): Promise<OpenOrder[]> => {
  const { rows } = await sql<OpenOrder>`
    select r.id as "requisitionId", p.last_name as "lastName", p.first_name as "firstName", p.dob, pt.gender_code as sex,
      r.collected_at as "collectedAt", array_agg(c.instrument_code order by c.position) as codes
    from requisition r join requisition_patient p on p.requisition_id = r.id join patient pt on pt.id = r.patient_id
    join requisition_test rt on rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest
    join test t on t.id = rt.test_id and not t.is_calculated
    join lateral (select x.instrument_code, x.position from instrument_code x
      where x.instrument_id = ${instrumentId}::int and x.test_id = t.id order by x.position limit 1) c on true
    where r.id = ${anyId(ids)} and r.deleted_at is null and r.status_code = 'PROCESS'
      and ((rt.reportable_result is null and not exists (select from requisition_test_reason x join reason re on re.id = x.reason_id
            and re.type_code = 'FAIL' where x.requisition_test_id = rt.id))
        or exists (select from instrument_result i where i.requisition_test_id = rt.id and i.state = 'RERUN' and not exists (
          select from instrument_result later where later.requisition_test_id = rt.id and later.id > i.id)))
    group by r.id, p.last_name, p.first_name, p.dob, pt.gender_code`.execute(db)
  return rows
}
