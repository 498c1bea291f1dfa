import { clientRecordLabels, eventLabels, priceLabels } from '@lis/contract/client-records.ts'
import { clientLabels } from '@lis/contract/clients.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { contains, type ListDefinition } from '../../platform/lists.ts'

/** The audit entries of a client and its records; those of its requisitions are in the history of each requisition. */
export const historyOfClient = (clientId: number, actor: Actor): ListDefinition => ({
  from: sql`audit_entry a`,
  where: [sql`a.client_id = ${clientId}::int`, sql`a.requisition_id is null`],
  fields: {
    id: sql`a.id`,
    modifiedDate: sql`a.at`,
    modifiedByName: sql`a.actor_name`,
    entity: sql`a.entity`,
    action: sql`a.action`,
    before: sql`a.old_data`,
    after: sql`a.new_data`,
  },
  filter: { modifiedByName: contains(sql`a.actor_name`) },
  defaultOrder: sql`a.id desc`,
  key: sql`a.id`,
  finish: ({ id, modifiedDate, modifiedByName, entity, action, before, after }) => ({
    id,
    modifiedDate,
    auditActionDesc: `${kinds[String(entity)]?.name ?? entity} ${actionNames[String(action)] ?? String(action).toLowerCase()}`,
    modifiedByName,
    changes: changesOf(kinds[String(entity)]?.labels ?? {}, (before ?? {}) as Data, (after ?? {}) as Data).filter(
      ({ field }) => actor.role !== 'CLNT' || !internalFields.includes(field),
    ),
  }),
})

/** The laboratory's notes about a client, which the client's own users do not see. */
const internalFields = ['clientNote', 'isNoteVisible']

type Data = Record<string, unknown>
type Labels = Record<string, string>

const actionNames: Labels = { CREATE: 'added', UPDATE: 'changed', DELETE: 'removed', RESTORE: 'restored' }

/** Shown instead of ids and codes, which mean nothing to a reader. */
const nameOf: Labels = {
  clientCountryId: 'clientCountry',
  clientStateId: 'clientState',
  colaId: 'colaName',
  serviceId: 'serviceName',
  salesIds: 'salesNames',
  labIds: 'labNames',
  clientReqTypeCode: 'clientReqTypeDesc',
  clientTransmitMethodCode: 'clientTransmitMethodDesc',
  clientBillTypeCode: 'clientBillTypeDesc',
  clientPortalPrefCode: 'clientPortalPrefDesc',
}
const { salesRep: _, physIds: __, ...formLabels } = clientLabels
const labelsOfClient = Object.fromEntries(
  Object.entries(formLabels).map(([field, label]) => [nameOf[field] ?? field, label]),
)

/** The audited records by entity, and the fields that are shown of each. */
const kinds: Record<string, { name: string; labels: Labels }> = {
  client: { name: 'Client', labels: labelsOfClient },
  client_physician: { name: 'Physician', labels: { physName: 'Physician' } },
  client_event: {
    name: 'Event',
    labels: { eventName: eventLabels.eventName, programName: eventLabels.programName },
  },
  client_document: {
    name: 'Document',
    labels: { docOriginalFileName: clientRecordLabels.docOriginalFileName },
  },
  client_test_price: {
    name: 'Test price',
    labels: {
      testCode: priceLabels.testId,
      price: priceLabels.price,
      currencyCode: priceLabels.currencyCode,
      priceComment: priceLabels.priceComment,
    },
  },
}

const changesOf = (labels: Labels, before: Data, after: Data) =>
  Object.entries(labels)
    .map(([field, label]) => ({ field, label, from: shown(field, before[field]), to: shown(field, after[field]) }))
    .filter(({ from, to }) => from !== to)

const shown = (field: string, value: unknown): string | null => {
  if (value === undefined || value === null || value === '') return null
  if (field === 'isContractPhleb' || field === 'isNoteVisible' || field === 'isPortalOrder')
    return value === 1 ? 'Yes' : 'No'
  return field === 'price' ? Number(value).toFixed(2) : String(value)
}
