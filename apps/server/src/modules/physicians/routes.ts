import { can } from '@lis/contract/access/permissions.ts'
import { messages } from '@lis/contract/messages.ts'
import {
  type Physician,
  type PhysicianUpdate,
  physicianColumnLabels,
  physicianLabels,
  physicianMessages,
  physicianRoutes,
} from '@lis/contract/physicians.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { clientsOfPhysicianList, physicianList, physicianOptionList } from './queries.ts'
import { createPhysician, getPhysician, removeClients, removePhysicians, updatePhysician } from './service.ts'

const columns: ExportColumn[] = [
  { header: physicianLabels.id, field: 'id' },
  { header: physicianLabels.physFirstName, field: 'physFirstName' },
  { header: physicianLabels.physLastName, field: 'physLastName' },
  { header: physicianLabels.physTitle, field: 'physTitle' },
  { header: physicianColumnLabels.npiNumber, field: 'npiNumber' },
  { header: physicianLabels.ptanNumber, field: 'ptanNumber' },
  { header: physicianLabels.legacyClientId, field: 'legacyClientId' },
  { header: physicianLabels.clientName, field: 'clientName' },
]

/** A wrong check digit is added to the success message, since the number is saved. */
const withNpiNotice = (message: string, { isNpiValid }: Physician) =>
  isNpiValid === 1 ? message : `${message}. ${physicianMessages.npiCheck}`

/** Clients that are added to a physician are 'saved', a physician is 'updated' (TABLE-G12). */
const savedMessage = ({ clientIds, ...form }: PhysicianUpdate, physician: Physician) => {
  if (clientIds && Object.values(form).every((value) => value === undefined)) return messages.saved
  return form.npiNumber ? withNpiNotice(messages.updated, physician) : messages.updated
}

export const physiciansModule = implement(physicianRoutes, {
  list: ({ db, actor, query }) =>
    listPage(db, can(actor.role, 'physicians.read') ? physicianList(actor) : physicianOptionList(actor), query),
  filterOptions: ({ db, actor, query }) => listPage(db, physicianOptionList(actor), query),
  export: (context) =>
    exportList(context, { name: 'physicians', list: physicianList(context.actor), query: context.query, columns }),
  one: async ({ db, actor, params }) => ({ data: await getPhysician(db, actor, params.id), message: '' }),
  create: async (context) => {
    const physician = await createPhysician(context, context.body)
    const { id, isNpiValid } = physician
    return { data: { id, isNpiValid }, message: withNpiNotice(messages.created, physician) }
  },
  update: async (context) => {
    const { params, body, request } = context
    const physician = await updatePhysician(context, params.id, body, expectedVersion(request))
    return { data: physician, message: savedMessage(body, physician) }
  },
  remove: async (context) => {
    await removePhysicians(context, [context.params.id])
    return { message: messages.deleted }
  },
  removeMany: async (context) => {
    await removePhysicians(context, context.query.id)
    return { message: messages.deleted }
  },
  removeListed: async (context) => {
    await removePhysicians(context, context.query.id)
    return { message: messages.deleted }
  },
  clients: async ({ db, actor, params, query }) => {
    await getPhysician(db, actor, params.id)
    return listPage(db, clientsOfPhysicianList(actor, params.id), query)
  },
  removeClients: async (context) => {
    await removeClients(context, context.params.id, context.query.id)
    return { message: messages.deleted }
  },
  removeManyClients: async (context) => {
    await removeClients(context, context.params.id, context.query.id)
    return { message: messages.deleted }
  },
  removeClient: async (context) => {
    await removeClients(context, context.params.id, [context.params.clientId])
    return { message: messages.deleted }
  },
})
