import { downtimeRoutes } from '@lis/contract/downtime.ts'
import { implement, prepared } from '../../platform/http/implement.ts'
import { catchUp } from './catch-up.ts'
import type { KitData } from './kit-data.ts'
import { getKit, linkToKit, makeKit, recordKit, removeKits, type StoredKit } from './service.ts'

const idsOf = ({ pending, results }: KitData) => [...pending, ...results].map(({ reqId }) => reqId)

export const downtimeModule = implement(downtimeRoutes, {
  kit: async ({ db, params, services }) => ({
    data: await linkToKit(services, await getKit(db, params.labId)),
    message: '',
  }),
  // Reading and encrypting take seconds, so they run outside of a transaction.
  make: prepared(
    (context) => makeKit(context.db, context.services, context.params.labId),
    async ({ db, params, services, requestId }, kit: StoredKit & { data: KitData }) => {
      await removeKits(services.store, await recordKit(db, params.labId, kit))
      services.accessLog.note(requestId, { reqIds: idsOf(kit.data) })
      return { data: await linkToKit(services, kit), message: 'The downtime kit has been made' }
    },
  ),
  catchUp: async (context) => ({
    data: await catchUp(context, context.params.labId, context.body.entries),
    message: '',
  }),
})
