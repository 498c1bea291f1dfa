import { sql } from 'kysely'
import { announce } from '../../platform/domain-events.ts'
import { conflict } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { updateClientZoneIssues } from '../issues/service.ts'
import { reinterpretResults } from '../lab-tests/reinterpret.ts'
import { selectRequisitionLabel } from '../requisition-record/queries.ts'

interface RequisitionRow {
  patient: number
  client: (number | null)[]
  collaborator: number
  physician: (number | null)[]
  event: number
}

interface RestoredRow {
  clientId: number
  patientName: string
  clientName: string
  payments: number
  duplicate: number | null
}

const selectRestored = (id: number) => sql`
  select r.client_id as "clientId", p.last_name || ', ' || p.first_name as "patientName", c.name as "clientName",
    (select count(*)::int from payment x where x.requisition_id = r.id and x.deleted_at is not null) as payments,
    (select min(other.id) from requisition other where other.client_id = r.client_id and lower(other.ext_order_id) = lower(r.ext_order_id)
      and other.id <> r.id and other.deleted_at is null) as duplicate
  from requisition r join requisition_patient p on p.requisition_id = r.id join client c on c.id = r.client_id where r.id = ${id}`

export const deletedRequisitionKind: DeletedKind = {
  kind: 'requisition',
  table: 'requisition',
  isVersioned: true,
  record: selectRequisitionLabel(sql`d.id`),
  requisition: sql`d.id`,
  // A sample in a freezer keeps a requisition from being deleted, so no slot of it can be taken meanwhile.
  requireRestorable: async ({ db }, id) => {
    const row = await readRow<RequisitionRow>(
      db,
      sql`select patient_id as patient, array[client_id, copy_to_client_id] as client, collaborator_id as collaborator,
        array[physician_id, copy_physician_id] as physician, event_id as event from requisition where id = ${id}`,
    )
    await lockUndeletedParents(db, row)
    const again = await readRow<{ id: number } | undefined>(
      db,
      sql`select other.id from requisition r join requisition other on other.load_key = r.load_key and other.deleted_at is null where r.id = ${id}`,
    )
    if (again) throw conflict(`Its row has been loaded again meanwhile, as requisition #${again.id}`)
  },
  /** Triggers update the list and its counters. Catches up with changes of its client and patient while it was deleted. */
  afterRestore: async (call, id) => {
    const { db } = call
    await publish(db, { topic: 'requisitions', data: { restored: 1 } })
    const { clientId, payments, duplicate, ...names } = await readRow<RestoredRow>(db, selectRestored(id))
    await updateClientZoneIssues(db, clientId, id)
    // For any former sex: results that do not depend on it stay as they are.
    for (const formerSex of [null, 'MALE', 'FEMALE'] as const) await reinterpretResults(call, [id], { formerSex })
    await announce(call, 'resultsChanged', { requisitionIds: [id] })
    const notes = [
      payments > 0 && `${payments} payment(s) were deleted on their own: restore them too if they were made.`,
      duplicate !== null && `Requisition #${duplicate} has the same Ext. Order ID.`,
    ]
    return { requisitionId: id, new: names, note: notes.filter(Boolean).join(' ') }
  },
}
