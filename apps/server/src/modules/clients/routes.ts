import { can } from '@lis/contract/access/permissions.ts'
import { type ClientUpdate, clientColumnLabels, clientLabels, clientRoutes } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { clientList, clientOptionList } from './queries.ts'
import { createClient, getClient, removeClients, updateClient } from './service.ts'

const columns: ExportColumn[] = [
  { header: clientLabels.legacyClientId, field: 'legacyClientId' },
  { header: clientLabels.clientName, field: 'clientName' },
  { header: clientLabels.clientPhone, field: 'clientPhone' },
  { header: clientColumnLabels.clientFaxEmail, field: 'clientFaxEmail' },
  { header: clientColumnLabels.clientCountry, field: 'clientCountry' },
  { header: clientLabels.clientCity, field: 'clientCity' },
  { header: clientColumnLabels.clientState, field: 'clientState' },
  { header: clientLabels.clientZip, field: 'clientZip' },
  { header: clientLabels.salesRep, field: 'salesRep' },
  { header: clientLabels.colaId, field: 'colaName' },
  { header: clientLabels.clientTz, field: 'clientTz' },
]

/** Physicians that are added to a client are 'saved', a client is 'updated' (TABLE-G12). */
const isAddingPhysicians = ({ physIds, ...form }: ClientUpdate) =>
  physIds !== undefined && Object.values(form).every((value) => value === undefined)

export const clientsModule = implement(clientRoutes, {
  list: ({ db, actor, query }) =>
    listPage(db, can(actor.role, 'clients.read') ? clientList(actor) : clientOptionList(actor), query),
  filterOptions: ({ db, actor, query }) => listPage(db, clientOptionList(actor), query),
  export: (context) =>
    exportList(context, { name: 'clients', list: clientList(context.actor), query: context.query, columns }),
  one: async ({ db, actor, params }) => ({ data: await getClient(db, actor, params.id), message: '' }),
  create: async (context) => ({ data: await createClient(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updateClient(context, context.params.id, context.body, expectedVersion(context.request)),
    message: isAddingPhysicians(context.body) ? messages.saved : messages.updated,
  }),
  remove: async (context) => {
    await removeClients(context, [context.params.id])
    return { message: messages.deleted }
  },
  removeMany: async (context) => {
    await removeClients(context, context.query.id)
    return { message: messages.deleted }
  },
})
