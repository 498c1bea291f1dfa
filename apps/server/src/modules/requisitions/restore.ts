import { sql } from 'kysely'
import { publish } from '../../platform/events/publish.ts'
import { conflict } from '../../platform/http/errors.ts'
import { type DeletedKind, readRow, requireLiving } from '../deleted-records/service.ts'
import { labelOfRequisition } from './queries.ts'

interface RequisitionRow {
  patient: number
  client: (number | null)[]
  collaborator: number
  physician: (number | null)[]
  event: number
}

export const deletedRequisitionKind: DeletedKind = {
  kind: 'requisition',
  table: 'requisition',
  isVersioned: true,
  record: labelOfRequisition(sql`d.id`),
  requisition: sql`d.id`,
  // A sample in a freezer keeps a requisition from being deleted, so no slot of it can be taken meanwhile.
  requireRoom: async ({ db }, id) => {
    const row = await readRow<RequisitionRow>(
      db,
      sql`select patient_id as patient, array[client_id, copy_to_client_id] as client, collaborator_id as collaborator,
        array[physician_id, copy_physician_id] as physician, event_id as event from requisition where id = ${id}`,
    )
    await requireLiving(db, row)
    const again = await readRow<{ id: number } | undefined>(
      db,
      sql`select other.id from requisition r join requisition other on other.load_key = r.load_key and other.deleted_at is null where r.id = ${id}`,
    )
    if (again) throw conflict(`Its row has been loaded again meanwhile, as requisition #${again.id}`)
  },
  /** The list and its counters follow by their triggers. */
  settle: async ({ db }, id) => {
    await publish(db, { topic: 'requisitions', data: { restored: 1 } })
    const names = await readRow<{ patientName: string; clientName: string }>(
      db,
      sql`select p.last_name || ', ' || p.first_name as "patientName", c.name as "clientName"
        from requisition r join patient p on p.id = r.patient_id join client c on c.id = r.client_id where r.id = ${id}`,
    )
    return { requisitionId: id, new: names }
  },
}
