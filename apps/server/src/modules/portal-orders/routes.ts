import { messages } from '@lis/contract/messages.ts'
import { portalOrderRoutes } from '@lis/contract/portal-orders.ts'
import { implement, withRight } from '../../platform/http/implement.ts'
import { printRequisition } from './print.ts'
import { findKnownPatients } from './queries.ts'
import { createPortalOrder, readOrderOptions, requireOrdering } from './service.ts'

export const portalOrdersModule = implement(portalOrderRoutes, {
  options: async ({ db, actor, query }) => ({
    data: await readOrderOptions(db, actor, query.clientId ?? null),
    message: '',
  }),
  patients: async ({ db, actor, query, services, requestId }) => {
    await requireOrdering(db, actor)
    const data = await findKnownPatients(db, actor, query.search ?? '')
    services.accessLog.note(requestId, { patientIds: data.map(({ id }) => id) })
    return { data, message: '' }
  },
  create: withRight(requireOrdering, async (context) => ({
    data: await createPortalOrder(context, context.body),
    message: messages.created,
  })),
  print: async (context) => ({
    data: await printRequisition(context, context.services, context.params.id),
    message: '',
  }),
})
