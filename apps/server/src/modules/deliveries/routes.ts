import { deliveryRoutes } from '@lis/contract/deliveries.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { conflict } from '../../platform/errors.ts'
import { implement, type WriteCall } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { lockRequisition, requireRequisition } from '../requisition-record/queries.ts'
import { notifyPatients, planNotifications } from './notify.ts'
import { planDeliveries, planDelivery } from './plan.ts'
import { lateDeliveryList, parseHours, requisitionDeliveryList, requisitionNotificationList } from './queries.ts'
import { confirmPrint, deliverReports, deliverRequisitions, resendDelivery } from './service.ts'

/** A report that is sent to several recipients counts once. One that failed for all of them was not started. */
const started = async ({ db }: WriteCall, deliveryIds: number[]) => {
  const rows = await db
    .selectFrom('report_delivery')
    .select((eb) => ['report_id', eb.fn<boolean>('bool_and', [eb('state', '=', 'FAILED')]).as('has_failed')])
    .where('id', '=', anyId(deliveryIds))
    .groupBy('report_id')
    .execute()
  const failed = rows.filter(({ has_failed }) => has_failed)
  const reports = rows.length - failed.length
  return { data: { deliveryIds }, message: `Delivery started for ${reports} report(s)${refusedText(failed)}` }
}
const refusedText = (refused: readonly unknown[]) => (refused.length > 0 ? `, ${refused.length} not done` : '')

export const deliveriesModule = implement(deliveryRoutes, {
  ledger: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, requisitionDeliveryList(params.id), query)
  },
  deliver: async (context) => {
    const { reportIds, transmitMethodCode } = context.body
    const ids = await deliverReports(context, context.services.store, context.params.id, reportIds, transmitMethodCode)
    if (ids.length === 0) throw conflict(`Requisition #${context.params.id} is already on its way`)
    return started(context, ids)
  },
  deliverAll: async (context) => {
    await lockRequisition(context.db, context.actor, context.params.id)
    const { outcome, deliveryIds } = await deliverRequisitions(context, context.services.store, [context.params.id])
    if (outcome.refused[0]) throw conflict(outcome.refused[0].reason)
    return started(context, deliveryIds)
  },
  plan: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await planDelivery(db, params.id), message: '' }
  },
  deliverMany: async (context) => {
    const { reqIds, dryRun } = context.body
    if (dryRun) return { data: await planDeliveries(context.db, reqIds), message: '' }
    const { outcome } = await deliverRequisitions(context, context.services.store, reqIds)
    return {
      data: outcome,
      message: `Delivery started for ${outcome.moved.length} requisition(s)${refusedText(outcome.refused)}`,
    }
  },
  notifyMany: async (context) => {
    const { reqIds, dryRun } = context.body
    if (dryRun) return { data: await planNotifications(context, reqIds), message: '' }
    const data = await notifyPatients(context, reqIds)
    return { data, message: `Notification sent for ${data.moved.length} requisition(s)${refusedText(data.refused)}` }
  },
  notifications: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, requisitionNotificationList(params.id), query)
  },
  resend: async (context) => started(context, await resendDelivery(context, context.services.store, context.params.id)),
  confirm: async (context) => ({
    data: await confirmPrint(context, context.params.id),
    message: 'Successfully updated',
  }),
  late: ({ db, query, services }) =>
    listPage(db, lateDeliveryList(parseHours(query.filters.hours, services.config.DELIVERY_LATE_HOURS)), query),
})
