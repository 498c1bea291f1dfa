import { superAdmins } from '@lis/contract/access/roles.ts'
import type { Home } from '@lis/contract/home.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import type { Services } from '../../platform/services.ts'
import { readFlow, readHours, readTurnaround } from './laboratory.ts'
import { failedView, listSavedViews, readSavedView } from './pinned-views.ts'
import { failedQueue, mostUrgentFirst, type QueueCall, readQueue } from './queue.ts'
import { queues } from './queues.ts'
import { listRecent } from './recent.ts'

interface HomeCall {
  db: Db
  actor: Actor
  services: Pick<Services, 'config' | 'log'>
}

/** All parts of Home for one person, each on its own: one that fails is null, with its reason in `failed`. */
export const readHome = async ({ db, actor, services }: HomeCall): Promise<Home> => {
  const asOf = new Date().toISOString()
  const failed: Home['failed'] = {}
  const orNull = async <T>(part: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      services.log.error({ err: error, part }, 'home')
      failed[part] = error instanceof AppError ? error.message : 'It could not be read. Try again.'
      return null
    }
  }
  const isSuper = superAdmins.some((role) => role === actor.role)
  const call: QueueCall = { actor, config: services.config, departments: await departmentsOf(db, actor) }
  const mine = queues.filter(({ roles }) => roles.some((role) => role === actor.role))
  const readViews = async () => {
    const views = await listSavedViews(db, actor)
    return Promise.all(
      views.map(
        async (view) =>
          (await orNull(`view ${view.id}`, () => readSavedView(db, actor, view))) ?? failedView(actor, view),
      ),
    )
  }
  const [labTz, found, pinnedViews, recent, laboratory] = await Promise.all([
    getHomeZone(db),
    Promise.all(
      mine.map(
        async (queue) => (await orNull(queue.code, () => readQueue(db, queue, call))) ?? failedQueue(queue, call),
      ),
    ),
    orNull('pinnedViews', readViews),
    orNull('recent', () => listRecent(db, actor)),
    isSuper
      ? Promise.all([
          orNull('turnaround', () => readTurnaround(db)),
          orNull('flow', () => readFlow(db)),
          orNull('hours', () => readHours(db)),
        ])
      : null,
  ])
  return {
    userRoleCode: actor.role,
    asOf,
    labTz,
    queues: found.sort(mostUrgentFirst),
    pinnedViews,
    recent,
    ...(laboratory && { turnaround: laboratory[0], flow: laboratory[1], hours: laboratory[2] }),
    failed,
  }
}

const departmentsOf = async (db: Db, { departmentIds }: Actor): Promise<Map<number, string>> => {
  if (departmentIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('department')
    .select(['id', 'name'])
    .where('id', 'in', [...departmentIds])
    .orderBy('sort_order')
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
