import { z } from 'zod'
import { done, list } from './kit/envelope.ts'
import { get, idParam, post } from './kit/route.ts'

/** A requisition whose issues concern the user; unread is `issueCount` − `readCount`. */
const notification = z.object({
  /** The requisition, under both names. */
  id: z.number().int(),
  reqId: z.number().int(),
  /** Its issues that are not closed. */
  issueCount: z.number().int(),
  /** Those that have not changed since the user last opened them. */
  readCount: z.number().int(),
  /** The latest change: a new issue, a status, a work log. */
  issueDate: z.iso.datetime({ offset: true }),
  /** 'Last, First' */
  patientName: z.string(),
  /** The latest changed ones, at most three; only unread ones if there are any. */
  issues: z.array(
    z.object({
      id: z.number().int(),
      issueDesc: z.string(),
      issueStatusCode: z.string(),
      /** The latest work log, or else the note; at most 200 characters. */
      reason: z.string().nullable(),
    }),
  ),
})
export type Notification = z.infer<typeof notification>

export const unreadCount = ({ issueCount, readCount }: Pick<Notification, 'issueCount' | 'readCount'>): number =>
  Math.max(0, issueCount - readCount)

/** Topic of the event that makes a browser reload notifications; its data is `{requisitionId}`. */
export const notificationTopic = 'notification'

export const notificationRoutes = {
  list: get('users/:userId/notifications', {
    access: 'notifications.read',
    summary: "The user's own: unread ones first, then the 20 latest read ones",
    params: z.object({ userId: idParam }),
    reply: list(notification),
  }),
  readAll: post('users/:userId/notifications/read', {
    access: 'notifications.read',
    summary: "Marks all of the user's notifications as read",
    params: z.object({ userId: idParam }),
    reply: done,
  }),
  read: post('users/:userId/notifications/:reqId/read', {
    access: 'notifications.read',
    params: z.object({ userId: idParam, reqId: idParam }),
    reply: done,
  }),
}
