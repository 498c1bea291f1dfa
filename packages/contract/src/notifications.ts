import { z } from 'zod'
import { done, list } from './kit/envelope.ts'
import { get, idParam, post } from './kit/route.ts'

/** A requisition whose issues concern the reader; unread is `issueCount` − `readCount`. */
export const notification = z.object({
  /** The requisition, under both names. */
  id: z.number().int(),
  reqId: z.number().int(),
  /** Its issues that are not closed. */
  issueCount: z.number().int(),
  /** Those that have not changed since the reader last opened them. */
  readCount: z.number().int(),
  /** The latest change: a new issue, a status, a work log. */
  issueDate: z.iso.datetime({ offset: true }),
  /** 'Last, First' */
  patientName: z.string(),
  /** The latest changed ones, at most three: of something unread those that are unread. */
  issues: z.array(
    z.object({
      id: z.number().int(),
      issueDesc: z.string(),
      issueStatusCode: z.string(),
      /** What was written last: in its work log, else as its note; at most 200 characters. */
      reason: z.string().nullable(),
    }),
  ),
})
export type Notification = z.infer<typeof notification>

export const unreadCount = ({ issueCount, readCount }: Pick<Notification, 'issueCount' | 'readCount'>): number =>
  Math.max(0, issueCount - readCount)

/** The event that tells a browser to ask again; its data is `{requisitionId}`. */
export const notificationTopic = 'notification'

export const notificationRoutes = {
  list: get('users/:userId/notifications', {
    access: 'notifications.read',
    summary: "One's own: first what is unread, then the 20 latest that are read",
    params: z.object({ userId: idParam }),
    reply: list(notification),
  }),
  readAll: post('users/:userId/notifications/read', {
    access: 'notifications.read',
    summary: "Marks all of one's own as read",
    params: z.object({ userId: idParam }),
    reply: done,
  }),
  read: post('users/:userId/notifications/:reqId/read', {
    access: 'notifications.read',
    params: z.object({ userId: idParam, reqId: idParam }),
    reply: done,
  }),
}
