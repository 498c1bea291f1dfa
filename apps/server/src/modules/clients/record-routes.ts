import { can } from '@lis/contract/access/permissions.ts'
import { clientRecordRoutes } from '@lis/contract/client-records.ts'
import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { messages } from '@lis/contract/messages.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { implement, type WriteCall } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { type ListDefinition, listPage } from '../../platform/lists.ts'
import { removePairs } from '../physicians/service.ts'
import { addDocument, documentUrl, initDocument, removeDocuments } from './document-service.ts'
import { historyOfClient } from './history.ts'
import {
  documentsOfClient,
  eventsOfClient,
  labsOfClient,
  physicianOptionsOfClient,
  physiciansOfClient,
  pricesOfClient,
  salesOfClient,
  usersOfClient,
} from './record-lists.ts'
import {
  addEvent,
  addLabs,
  addPrice,
  addSales,
  type RecordPath,
  removeEvents,
  removeLabs,
  removePrices,
  removeSales,
  updateEvent,
  updatePrice,
} from './record-service.ts'
import { lockVisibleClient, requireClient } from './service.ts'

interface Reading {
  db: Db
  actor: Actor
  params: { id: number }
  query: ListQuery
}

/** A list of a client that the actor may see; any other client is not found. */
const listOf =
  (list: (clientId: number, actor: Actor, asOf?: string) => ListDefinition) =>
  async ({ db, actor, params, query }: Reading) => {
    await requireClient(db, actor, params.id)
    return listPage(db, list(params.id, actor, query.asOf), query)
  }

type Remove = (call: WriteCall, clientId: number, ids: readonly number[]) => Promise<void>

const removeOne = (remove: Remove) => async (context: WriteCall & { params: RecordPath }) => {
  await remove(context, context.params.id, [context.params.recordId])
  return { message: messages.deleted }
}
const removeMany =
  (remove: Remove) => async (context: WriteCall & { params: { id: number }; query: { id: number[] } }) => {
    await remove(context, context.params.id, context.query.id)
    return { message: messages.deleted }
  }

const removePhysicians: Remove = async (call, clientId, physIds) => {
  await lockVisibleClient(call, clientId)
  await removePairs(
    call,
    physIds.map((physId) => ({ clientId, physId })),
    'Physician',
  )
}

export const clientRecordsModule = implement(clientRecordRoutes, {
  physicians: (context) =>
    listOf(can(context.actor.role, 'clients.read') ? physiciansOfClient : physicianOptionsOfClient)(context),
  removePhysician: removeOne(removePhysicians),
  removePhysicians: removeMany(removePhysicians),

  labs: listOf(labsOfClient),
  addLabs: async (context) => {
    await addLabs(context, context.params.id, context.body.labIds)
    return { message: messages.saved }
  },
  removeLab: removeOne(removeLabs),
  removeLabs: removeMany(removeLabs),

  events: listOf(eventsOfClient),
  addEvent: async (context) => ({
    data: await addEvent(context, context.body.clientId, context.body),
    message: messages.created,
  }),
  updateEvent: async (context) => ({
    data: await updateEvent(context, context.params, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  removeEvent: removeOne(removeEvents),
  removeEvents: removeMany(removeEvents),

  sales: listOf(salesOfClient),
  addSales: async (context) => {
    await addSales(context, context.params.id, context.body.salesIds)
    return { message: messages.saved }
  },
  removeSalesRep: removeOne(removeSales),
  removeSalesReps: removeMany(removeSales),

  users: listOf(usersOfClient),

  docs: listOf((clientId) => documentsOfClient(clientId)),
  initDoc: async (context) => ({
    data: await initDocument(context, context.services.store, context.params.id, context.body.fileName),
    message: '',
  }),
  addDoc: async (context) => ({
    data: await addDocument(context, context.services.store, context.params.id, context.body),
    message: messages.uploaded,
  }),
  downloadDoc: async ({ db, actor, params, services }) => {
    await requireClient(db, actor, params.id)
    const url = await documentUrl(db, services.store, params)
    return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
  },
  removeDoc: removeOne(removeDocuments),
  removeDocs: removeMany(removeDocuments),

  prices: listOf((clientId, _, asOf) => pricesOfClient(clientId, asOf)),
  addPrice: async (context) => ({
    data: await addPrice(context, context.params.id, context.body),
    message: messages.created,
  }),
  updatePrice: async (context) => ({
    data: await updatePrice(context, context.params, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  removePrice: removeOne(removePrices),
  removePrices: removeMany(removePrices),

  histories: listOf(historyOfClient),
})
