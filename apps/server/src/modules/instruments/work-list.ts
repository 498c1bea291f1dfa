import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { WorkListRow } from '@lis/contract/instrument-work.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { getInstrument } from '../instrument-records/service.ts'
import { storeMessage } from '../instrument-results/messages.ts'
import { requisitionIdOf } from '../instrument-results/place.ts'
import { listOpenOrders, type OpenOrder, orderMessage } from './open-orders.ts'

interface Place {
  specimen: string
  order: OpenOrder | undefined
}

/** The open tests of specimens in their order on the rack; without specimens, all that is open in the instrument's laboratory. */
const readPlaces = async (db: Db, id: number, labId: number, specimens: readonly string[]): Promise<Place[]> => {
  if (specimens.length === 0)
    return (await listOpenOrders(db, id, { labId })).map((order) => ({ specimen: String(order.requisitionId), order }))
  const ids = [...new Set(specimens.flatMap((specimen) => requisitionIdOf(specimen) ?? []))]
  const orders = new Map((await listOpenOrders(db, id, { ids })).map((order) => [order.requisitionId, order]))
  return specimens.map((specimen) => ({ specimen, order: orders.get(requisitionIdOf(specimen) ?? 0) }))
}

const rowOf = ({ specimen, order }: Place, index: number): WorkListRow => ({
  position: index + 1,
  specimenId: specimen,
  reqId: order?.requisitionId ?? null,
  patientId: order?.patientId ?? null,
  patientName: order ? `${order.lastName}, ${order.firstName}` : null,
  patientDob: order?.dob ?? null,
  patientSexCode: order?.sex ?? null,
  collectedAt: order?.collectedAt ?? null,
  instrumentCodes: order?.instrumentCodes ?? [],
  testCodes: order?.testCodes ?? [],
})

export const listWork = async (db: Db, id: number, specimens: readonly string[]): Promise<WorkListRow[]> => {
  const { labId } = await getInstrument(db, id)
  return (await readPlaces(db, id, labId, specimens)).map(rowOf)
}

export const printWorkList = async (
  { db, actor, requestId }: WriteCall,
  services: Services,
  id: number,
  specimens: readonly string[],
): Promise<string> => {
  const { name, labId, labName, labZone } = await getInstrument(db, id)
  const rows = (await readPlaces(db, id, labId, specimens)).map(rowOf)
  if (rows.length === 0) throw conflict(`Nothing is open for ${name}`)
  services.accessLog.note(requestId, { reqIds: rows.flatMap(({ reqId }) => reqId ?? []) })
  // Imported on first use: the PDF library takes 40 MB of memory.
  const { renderWorkList } = await import('./work-list-pdf.ts')
  const bytes = await renderWorkList({ instrumentName: name, labName, labZone, at: new Date(), rows })
  const key = `exports/${randomUUID()}.pdf`
  await registerTemporaryObject(db, { key, sessionId: actor.sessionId, purpose: 'download', seconds: 3600 })
  const { sha256 } = await services.store.put(key, Readable.from([bytes]), 'application/pdf')
  return services.store.downloadUrl(key, {
    sha256,
    fileName: 'work-list.pdf',
    contentType: 'application/pdf',
    inline: true,
    expiresSeconds: downloadSeconds,
  })
}

/** The process that has the connection sends the work list; the message shows the outcome. */
export const sendWorkList = async (
  { db, actor, requestId }: WriteCall,
  services: Services,
  instrumentId: number,
  specimens: readonly string[],
): Promise<{ id: number }> => {
  const { name, labId, labZone, protocol, linkState } = await getInstrument(db, instrumentId)
  if (protocol !== 'ASTM' || linkState !== 'CONNECTED')
    throw conflict(`${name} is not connected over ASTM: print the list instead`)
  // A specimen in two positions of the rack is one order.
  const places = await readPlaces(db, instrumentId, labId, [...new Set(specimens)])
  const found = places.flatMap(({ specimen, order }) => (order ? [{ specimen, order }] : []))
  if (found.length === 0) throw conflict(`Nothing is open for ${name}`)
  const id = (await storeMessage(db, services, {
    instrumentId,
    direction: 'OUT',
    protocol: 'ASTM',
    state: 'INCOMPLETE',
    reason: 'Not sent yet',
    raw: orderMessage(labZone, found, false),
  })) as number
  await sql`update instrument_message set is_to_send = true where id = ${id}`.execute(db)
  await recordAudit(db, actor, requestId, {
    entity: 'instrument',
    entityId: instrumentId,
    action: 'WORKLIST',
    new: { messageId: id, specimens: found.map(({ specimen }) => specimen).join(', ') },
  })
  return { id }
}
