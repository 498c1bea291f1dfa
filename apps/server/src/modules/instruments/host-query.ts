import type { Db } from '../../platform/db/db.ts'
import { requisitionIdOf } from '../instrument-results/place.ts'
import { listOpenOrders, orderMessage } from './open-orders.ts'

/** Answers a query for specimens with their open tests in the codes of the instrument. */
export const answerQuery = async (
  db: Db,
  instrument: { id: number; labZone: string },
  specimens: readonly string[],
): Promise<string> => {
  const ids = [...new Set(specimens.flatMap((specimen) => requisitionIdOf(specimen) ?? []))]
  const orders = await listOpenOrders(db, instrument.id, { ids })
  const orderOf = new Map(orders.map((order) => [order.requisitionId, order]))
  const found = specimens.flatMap((specimen) => {
    const order = orderOf.get(requisitionIdOf(specimen) ?? 0)
    return order ? [{ specimen, order }] : []
  })
  return orderMessage(instrument.labZone, found, true)
}
