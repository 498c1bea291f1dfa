import { can } from '@lis/contract/access/permissions.ts'
import { menuQueues } from '@lis/contract/home.ts'
import pLimit from 'p-limit'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Services } from '../../platform/services.ts'
import { mayOrder } from '../portal-orders/service.ts'
import { connectionsAtOnce, readQueue } from './queue.ts'
import { queues } from './queues.ts'

interface CountsCall {
  db: Db
  actor: Actor
  services: Pick<Services, 'config' | 'log'>
}

/** The numbers beside the items of the menu. They name no patient, so the access log does not have them. */
export const readMenuCounts = async ({ db, actor, services }: CountsCall) => {
  const call = { actor, config: services.config, departments: [] }
  const inTurn = pLimit(connectionsAtOnce)
  const [counted, mayOrderHere] = await Promise.all([
    Promise.all(
      menuQueues.map(async (code) => {
        const queue = queues.find((one) => one.code === code && one.roles.includes(actor.role))
        if (!queue) return []
        try {
          const { count, state } = await inTurn(() => readQueue(db, queue, call))
          return [{ code, count, state }]
        } catch (error) {
          services.log.error({ err: error, part: code }, 'menu counts')
          return [{ code, count: null, state: 'OK' as const }]
        }
      }),
    ),
    can(actor.role, 'portal.order') && mayOrder(db, actor),
  ])
  return { queues: counted.flat(), mayOrder: mayOrderHere ? (1 as const) : (0 as const) }
}
