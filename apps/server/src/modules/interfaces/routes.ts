import { interfaceLabels, interfaceMessageRoutes, interfaceRoutes, messageLabels } from '@lis/contract/interfaces.ts'
import { messages } from '@lis/contract/messages.ts'
import { notFound } from '../../platform/errors.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { dismiss, reprocess } from './desk.ts'
import { getMessageDetail } from './message-detail.ts'
import { countStates, findMessageRow, messageList, sameCauseList } from './message-queries.ts'
import { listOrderables, partnerList } from './partner-queries.ts'
import { createPartner, getPartner, readCodes, removePartner, saveCodes, updatePartner } from './partners.ts'
import { resend } from './resend.ts'

const partnerColumns: ExportColumn[] = [
  { header: interfaceLabels.name, field: 'name' },
  { header: interfaceLabels.kind, field: 'kind' },
  { header: interfaceLabels.clientId, field: 'clientName' },
  { header: interfaceLabels.colaId, field: 'colaName' },
  { header: interfaceLabels.isActive, field: 'isActive' },
  { header: interfaceLabels.isTest, field: 'isTest' },
  { header: interfaceLabels.autoAccept, field: 'autoAccept' },
  { header: interfaceLabels.sendingApp, field: 'sendingApp' },
  { header: interfaceLabels.sendingFacility, field: 'sendingFacility' },
]

export const interfacesModule = implement(interfaceRoutes, {
  list: ({ db, query }) => listPage(db, partnerList, query),
  export: (context) =>
    exportList(context, { name: 'interfaces', list: partnerList, query: context.query, columns: partnerColumns }),
  orderables: async ({ db }) => ({ data: await listOrderables(db), message: '' }),
  one: async ({ db, params }) => ({ data: await getPartner(db, params.id), message: '' }),
  create: async (context) => ({ data: await createPartner(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updatePartner(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removePartner(context, context.params.id)
    return { message: messages.deleted }
  },
  codes: async ({ db, params }) => ({ data: await readCodes(db, params.id), message: '' }),
  saveCodes: async (context) => ({
    data: await saveCodes(context, context.params.id, context.body.codes),
    message: messages.updated,
  }),
})

const messageColumns: ExportColumn[] = (Object.entries(messageLabels) as [string, string][]).map(([field, header]) => ({
  header,
  field,
}))

const allRows = { page: 1, perPage: -1, filters: {}, sort: null }

export const interfaceMessagesModule = implement(interfaceMessageRoutes, {
  list: ({ db, query }) => listPage(db, messageList, query),
  export: (context) =>
    exportList(context, {
      name: 'interface-messages',
      list: messageList,
      query: context.query,
      columns: messageColumns,
    }),
  stateCount: async ({ db, query }) => ({ data: await countStates(db, query), message: '' }),
  one: async ({ db, services, params }) => ({ data: await getMessageDetail(db, services, params.id), message: '' }),
  sameCause: async ({ db, params }) => {
    if (!(await findMessageRow(db, params.id))) throw notFound('Message')
    return listPage(db, sameCauseList(params.id), allRows)
  },
  reprocess: async (context) => {
    const data = await reprocess(context, context.params.id, context.body)
    return { data, message: data.state === 'ACCEPTED' ? 'Accepted' : (data.reason ?? '') }
  },
  dismiss: async (context) => {
    await dismiss(context, context.params.id, context.body.reason)
    return { message: 'Dismissed' }
  },
  resend: async (context) => {
    await resend(context, context.params.id)
    return { message: 'It is being sent again' }
  },
})
