import { notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { isRequisitionVisible, markRead } from './queries.ts'

export const readNotification = async ({ db, actor }: WriteCall, requisitionId: number) => {
  if (!(await isRequisitionVisible(db, actor, requisitionId))) throw notFound('Requisition')
  await markRead(db, actor, requisitionId)
}
