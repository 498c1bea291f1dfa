import { can } from '@lis/contract/access/permissions.ts'
import { messages } from '@lis/contract/messages.ts'
import { salesLabels, salesRoutes } from '@lis/contract/sales.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { clientsOfSalesList, salesList, salesOptionList, staffList } from './queries.ts'
import { createSalesPerson, getSalesPerson, removeSalesPeople, updateSalesPerson } from './service.ts'

const columns: ExportColumn[] = [
  { header: salesLabels.salesFirstName, field: 'salesFirstName' },
  { header: salesLabels.salesLastName, field: 'salesLastName' },
  { header: salesLabels.salesEmail, field: 'salesEmail' },
  { header: salesLabels.salesTitle, field: 'salesTitle' },
  { header: salesLabels.salesPhone, field: 'salesPhone' },
  { header: salesLabels.salesTypeDesc, field: 'salesTypeDesc' },
  { header: salesLabels.salesRepCode, field: 'salesRepCode' },
  { header: salesLabels.reportToId, field: 'reportTo' },
  { header: salesLabels.salesCompanyName, field: 'salesCompanyName' },
]

export const salesModule = implement(salesRoutes, {
  list: ({ db, actor, query }) =>
    listPage(db, can(actor.role, 'sales.read') ? salesList : salesOptionList(actor), query),
  export: (context) => exportList(context, { name: 'sales', list: salesList, query: context.query, columns }),
  one: async ({ db, params }) => ({ data: await getSalesPerson(db, params.id), message: '' }),
  clients: async ({ db, params, query }) => {
    await getSalesPerson(db, params.id)
    return listPage(db, clientsOfSalesList(params.id), query)
  },
  staff: async ({ db, params, query }) => {
    await getSalesPerson(db, params.id)
    return listPage(db, staffList(params.id), query)
  },
  create: async (context) => ({ data: await createSalesPerson(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updateSalesPerson(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removeSalesPeople(context, [context.params.id])
    return { message: messages.deleted }
  },
  removeMany: async (context) => {
    await removeSalesPeople(context, context.query.id)
    return { message: messages.deleted }
  },
  removeListed: async (context) => {
    await removeSalesPeople(context, context.query.id)
    return { message: messages.deleted }
  },
})
