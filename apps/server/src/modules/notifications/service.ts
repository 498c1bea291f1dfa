import type { Trx } from '../../platform/db/db.ts'
import { notFound } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { isRequisitionVisible, markRead, tellConcerned } from './queries.ts'

/** To be called in the transaction of every change of an issue: new, status, work log. Browsers ask anew once it is committed. */
export const notifyIssueChange = (trx: Trx, requisitionId: number): Promise<void> => tellConcerned(trx, requisitionId)

export const readNotification = async ({ db, actor }: WriteCall, requisitionId: number) => {
  if (!(await isRequisitionVisible(db, actor, requisitionId))) throw notFound('Requisition')
  await markRead(db, actor, requisitionId)
}
