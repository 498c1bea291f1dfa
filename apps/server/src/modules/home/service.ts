import { can } from '@lis/contract/access/permissions.ts'
import { superAdmins } from '@lis/contract/access/roles.ts'
import type { Home } from '@lis/contract/home.ts'
import type { SalesClient, WantedItem } from '@lis/contract/home-practice.ts'
import pLimit from 'p-limit'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import { type ListDefinition, listRows } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'
import { readHomeOrder } from '../portal-orders/service.ts'
import { listFirstSteps } from './first-steps.ts'
import { readFlow, readHours, readTurnaround } from './laboratory.ts'
import { readMoney } from './money.ts'
import { readNewResults } from './new-results.ts'
import { failedView, listSavedViews, readSavedView } from './pinned-views.ts'
import { listOnTheWay, wantedList } from './practice.ts'
import { connectionsAtOnce, type Department, failedQueue, mostUrgentFirst, type QueueCall, readQueue } from './queue.ts'
import { queues } from './queues.ts'
import { listRecent } from './recent.ts'
import { salesClientList } from './sales-clients.ts'
import { readTurnaroundDays } from './turnaround-days.ts'

interface HomeCall {
  db: Db
  actor: Actor
  services: Pick<Services, 'config' | 'log' | 'reportSeal'>
}

/** All parts of Home for one person, each on its own: one that fails is null, with its reason in `failed`. */
export const readHome = async ({ db, actor, services }: HomeCall): Promise<Home> => {
  const asOf = new Date().toISOString()
  const failed: Home['failed'] = {}
  const inTurn = pLimit(connectionsAtOnce)
  const orNull = async <T>(part: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await inTurn(work)
    } catch (error) {
      services.log.error({ err: error, part }, 'home')
      failed[part] = error instanceof AppError ? error.message : 'It could not be read. Try again.'
      return null
    }
  }
  const call: QueueCall = { actor, config: services.config, departments: await departmentsOf(db, actor) }
  const mine = queues.filter(({ roles }) => roles.some((role) => role === actor.role))
  const readViews = async () => {
    const views = await orNull('pinnedViews', () => listSavedViews(db, actor))
    return (
      views &&
      Promise.all(
        views.map(
          async (view) =>
            (await orNull(`view ${view.id}`, () => readSavedView(db, actor, view))) ?? failedView(actor, view),
        ),
      )
    )
  }
  const [labTz, firstSteps, found, pinnedViews, recent, parts] = await Promise.all([
    getHomeZone(db),
    orNull('firstSteps', () => listFirstSteps(db, actor)),
    Promise.all(
      mine.map(
        async (queue) => (await orNull(queue.code, () => readQueue(db, queue, call))) ?? failedQueue(queue, call),
      ),
    ),
    readViews(),
    orNull('recent', () => listRecent(db, actor)),
    partsOf(actor, db, orNull),
  ])
  return {
    userRoleCode: actor.role,
    asOf,
    labTz,
    warnings: warningsFor(actor, services),
    firstSteps: firstSteps ?? [],
    queues: found.sort(mostUrgentFirst),
    pinnedViews,
    recent,
    ...parts,
    failed,
  }
}

/** The certificate that seals reports: only an administrator can renew it. */
const warningsFor = ({ role }: Actor, { reportSeal }: Pick<Services, 'reportSeal'>): string[] => {
  const warning = role === 'ADM' ? reportSeal?.warning() : null
  return warning ? [warning] : []
}

type Part =
  | 'turnaround'
  | 'turnaroundDays'
  | 'flow'
  | 'hours'
  | 'newResults'
  | 'onTheWay'
  | 'wanted'
  | 'clients'
  | 'money'
  | 'orderTests'
type OrNull = <T>(part: string, work: () => Promise<T>) => Promise<T | null>

const firstRows = 25
const rowsOf = <Row>(db: Db, list: ListDefinition) => listRows<Row>(db, list, firstRows)

/** The parts of Home that a role has besides queues, views and recent requisitions. */
const partsOf = async (actor: Actor, db: Db, orNull: OrNull): Promise<Pick<Home, Part>> => {
  const { role } = actor
  if (superAdmins.some((one) => one === role)) {
    const [turnaround, turnaroundDays, flow, hours] = await Promise.all([
      orNull('turnaround', () => readTurnaround(db)),
      orNull('turnaroundDays', () => readTurnaroundDays(db)),
      orNull('flow', () => readFlow(db)),
      orNull('hours', () => readHours(db)),
    ])
    return { turnaround, turnaroundDays, flow, hours }
  }
  if (can(role, 'home.results')) {
    const [newResults, onTheWay, wanted, orderTests] = await Promise.all([
      orNull('newResults', () => readNewResults(db, actor)),
      orNull('onTheWay', () => listOnTheWay(db, actor)),
      orNull('wanted', () => rowsOf<WantedItem>(db, wantedList(actor))),
      can(role, 'portal.order') ? orNull('orderTests', () => readHomeOrder(db, actor)) : undefined,
    ])
    return { newResults, onTheWay, wanted, ...(orderTests !== undefined && { orderTests }) }
  }
  if (can(role, 'home.salesClients'))
    return { clients: await orNull('clients', () => rowsOf<SalesClient>(db, salesClientList(actor))) }
  return role === 'BILL' ? { money: await orNull('money', () => readMoney(db)) } : {}
}

const departmentsOf = async (db: Db, { departmentIds }: Actor): Promise<Department[]> => {
  if (departmentIds.length === 0) return []
  return db
    .selectFrom('department')
    .select(['id', 'code', 'name'])
    .where('id', 'in', [...departmentIds])
    .orderBy('sort_order')
    .execute()
}
