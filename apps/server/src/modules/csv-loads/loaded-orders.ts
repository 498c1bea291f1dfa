import { usDate } from '@lis/contract/kit/date-range.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { invalid } from '../../platform/errors.ts'
import type { OrderRow } from './order-rows.ts'
import type { Catalogue } from './order-tests.ts'

/** An existing order, in the database or earlier in the file. */
export interface LoadedOrder {
  /** Null for one of the file. */
  id: number | null
  /** The patient of the current record, and as loaded. */
  patientKeys: readonly (string | null)[]
  /** The collection date of the current record, and as loaded. */
  days: readonly [string, ...(string | null)[]]
  /** Of its tests and panels, removed ones included. */
  codes: readonly string[]
}

/** Orders from an earlier load, or entered by hand with the same order id of the same client; by position of the row. */
export const findLoaded = async (trx: Trx, orders: readonly OrderRow[]): Promise<Map<number, LoadedOrder[]>> => {
  const { rows } = await sql<LoadedOrder & { place: number }>`
    with w as (select * from unnest(${orders.map(({ key }) => key)}::text[], ${orders.map(({ input }) => input.clientId)}::int[],
        ${orders.map(({ input }) => input.extOrderId)}::text[]) with ordinality as w(key, client_id, ext_order_id, place)),
      found as (select w.place, r.id from w join requisition r on r.load_key = w.key and r.deleted_at is null
        union select w.place, r.id from w join requisition r on r.client_id = w.client_id and lower(r.ext_order_id) = lower(w.ext_order_id)
          and r.ext_order_id is not null and r.deleted_at is null)
    select f.place::int - 1 as place, r.id, array[p.name_key || ' ' || p.dob::text, r.load_patient_key] as "patientKeys",
      array[(r.collected_at at time zone r.collected_zone)::date, r.load_collected_on]::text[] as days,
      array(select t.code from requisition_test x join test t on t.id = x.test_id where x.requisition_id = r.id
        union select n.code from requisition_test x join panel n on n.id = x.panel_id where x.requisition_id = r.id) as codes
    from found f join requisition r on r.id = f.id join patient p on p.id = r.patient_id order by f.place, r.id`.execute(
    trx,
  )
  return Map.groupBy(rows, ({ place }) => place)
}

/**
 * A row that was loaded before is skipped. One that reuses the order id for another patient, another date or tests that were never
 * ordered is refused instead of silently dropped.
 */
export const requireSameOrder = (
  loaded: readonly LoadedOrder[],
  { patientKey, collectedOn, codes, input: { extOrderId } }: OrderRow,
  catalogue: Catalogue,
) => {
  const placeOf = ({ id }: LoadedOrder) =>
    `${extOrderId ? `Order ${extOrderId}` : 'This order'} ${id === null ? 'is already in this file' : `is #${id}`}`
  // Without an order id the patient and the time are part of the key.
  const ofPatient = loaded.filter(({ patientKeys }) => !extOrderId || patientKeys.includes(patientKey))
  const [theirs] = ofPatient
  if (!theirs) throw invalid('extOrderId', `${placeOf(loaded[0] as LoadedOrder)}, of another patient`)
  const same = ofPatient.filter(({ days }) => !extOrderId || days.includes(collectedOn))
  const [first] = same
  if (!first) throw invalid('dateCollected', `${placeOf(theirs)}, collected ${usDate(theirs.days[0])}`)
  const ordered = new Set(same.flatMap(({ codes: own }) => own.map((code) => code.toUpperCase())))
  // A panel counts as ordered by its code or by all its tests.
  const missing = codes.filter((code) => {
    const panel = catalogue.panels.get(code)
    return !ordered.has(code) && !panel?.tests.every((test) => ordered.has(test.code))
  })
  if (missing.length > 0) throw invalid('testCodes', `${placeOf(first)}, without ${missing.join(', ')}`)
}
