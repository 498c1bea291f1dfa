import type { Task } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import { type BaseRow, defineType, numberKey } from './definition.ts'
import { isSameItem, isVisible } from './requisition-parts.ts'
import { codeIs, codeParam, isOneOfNumbers, numbersIn, referenceParam } from './search-values.ts'
import { fromOrderedItems, isFirstOfItem } from './service-request.ts'
import { ownSystems, refer, systems, withoutEmpty } from './terms.ts'

interface TaskRow extends BaseRow {
  reqId: number | null
  patientId: number | null
  status: Task['status']
  statusCode: string | null
  statusName: string | null
  itemId: number | null
  reason: string | null
  authoredOn: string
}

/** An order that waits for a person is a task of its own, before there is a requisition. */
export const heldTaskId = (messageId: number) => `held-${messageId}`

const keyOf = (id: string): number | null => {
  const [, messageId] = /^held-(\d{1,15})$/.exec(id) ?? []
  return messageId === undefined ? numberKey(id) : -Number(messageId)
}

const isRemoved = sql`not exists (select from requisition_test e where e.deleted_at is null and ${isSameItem('e', 'f')})`
const order = (code: string) => sql`(select sort_order from requisition_status_type where code = ${sql.lit(code)})`
const itemStatus = sql`case when ${isRemoved} then 'cancelled' when st.sort_order >= ${order('RELEASE')} then 'completed'
  when st.sort_order >= ${order('PROCESS')} then 'in-progress' when st.sort_order >= ${order('ACC')} then 'accepted' else 'requested' end`
const heldStatus = sql`case m.state when 'ACCEPTED' then 'completed' when 'DISMISSED' then 'rejected' when 'REJECTED' then 'rejected' else 'on-hold' end`

export const taskType = defineType<TaskRow>({
  type: 'Task',
  from: (reader) => sql`(
    select f.id as key, r.id as requisition_id, r.patient_id, ${itemStatus} as status, r.status_code, f.id as item_id, null::text as reason,
      r.logged_at as authored_on, coalesce(requisition_changed_at(r.id), f.created_at) as changed_at
    from ${fromOrderedItems} join requisition_status_type st on st.code = r.status_code
    where ${sql.join([...isVisible(reader), isFirstOfItem], sql` and `)}
    union all
    select -m.id, m.requisition_id, null, ${heldStatus}, null, (select min(f.id) from requisition_test f join requisition r on r.id = f.requisition_id
        where f.requisition_id = m.requisition_id), m.reason, m.received_at, coalesce(m.settled_at, m.received_at)
    from fhir_orders_of(${reader.actor.apiClient?.id ?? null}::int) m) k`,
  where: () => [],
  key: sql`k.key`,
  keyOf,
  lastUpdated: sql`k.changed_at`,
  fields: () => ({
    reqId: sql`k.requisition_id`,
    patientId: sql`k.patient_id`,
    status: sql`k.status`,
    statusCode: sql`k.status_code`,
    statusName: sql`(select description from requisition_status_type where code = k.status_code)`,
    itemId: sql`k.item_id`,
    reason: sql`k.reason`,
    authoredOn: sql`k.authored_on`,
  }),
  params: {
    patient: referenceParam('for', ['Patient'], isOneOfNumbers(sql`k.patient_id`)),
    status: codeParam(systems.taskStatus, () => codeIs(sql`k.status`)),
    'based-on': referenceParam(
      'basedOn',
      ['ServiceRequest'],
      (ids) => sql`(k.key > 0 and k.item_id = any(${numbersIn(ids)}::bigint[]))`,
    ),
  },
  sorts: { 'authored-on': sql`k.authored_on` },
  toResource: (row, { base }): Task => {
    const isHeld = row.key < 0
    const item = row.itemId === null ? undefined : refer('ServiceRequest', row.itemId)
    return withoutEmpty<Task>({
      resourceType: 'Task',
      id: isHeld ? heldTaskId(-row.key) : String(row.key),
      meta: { lastUpdated: row.lastUpdated },
      basedOn: item ? [item] : [],
      status: row.status,
      statusReason: row.reason && row.status !== 'completed' ? { text: row.reason } : undefined,
      businessStatus: row.statusCode
        ? {
            coding: [
              withoutEmpty({
                system: ownSystems(base).status,
                code: row.statusCode,
                display: row.statusName ?? undefined,
              }),
            ],
          }
        : undefined,
      intent: 'order',
      focus: item,
      for: row.patientId === null ? undefined : refer('Patient', row.patientId),
      authoredOn: row.authoredOn,
      lastModified: row.lastUpdated,
    })
  },
  subjects: ({ reqId, patientId }) => ({
    ...(reqId !== null && { reqId }),
    ...(patientId !== null && { patientId }),
  }),
})
