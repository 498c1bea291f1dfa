import { z } from 'zod'
import { homeParts } from './home-practice.ts'
import { one } from './kit/envelope.ts'
import { get } from './kit/route.ts'
import { homeOrder } from './portal-orders.ts'

const id = z.number().int()
const count = z.number().int()
const time = z.iso.datetime({ offset: true })
const hours = z.number().nullable()

/** Topic of the event that makes an open Home read again; it has no data. */
export const homeTopic = 'home'

const queueState = z.enum(['OK', 'WARN', 'LATE'])
export type QueueState = z.infer<typeof queueState>

/** Rows that wait for this person. `call` and `link` name the same rows; null where the queue could not be read. */
const queue = z.object({
  code: z.string(),
  title: z.string(),
  count: count.nullable(),
  /** Since when the oldest row waits, and until when it may. */
  oldestDate: time.nullable(),
  limitDate: time.nullable(),
  state: queueState,
  /** Work of one of the caller's departments, or the caller's own. */
  isMine: z.union([z.literal(0), z.literal(1)]),
  /** The oldest row as text, and its requisition if it has one. */
  first: z.string().nullable(),
  reqId: id.nullable(),
  /** The address of the page with these rows. */
  link: z.string(),
  /** The API call with these rows, below `/api/v3.0`, without `page` and `perPage`. */
  call: z.string(),
})
export type HomeQueue = z.infer<typeof queue>

const pinnedView = z.object({
  id,
  smartName: z.string(),
  smartScreen: z.string(),
  count: count.nullable(),
  /** The first count of the day, which is that of midnight unless it was pinned or changed later; null before it. */
  earlier: z.object({ count, at: time }).nullable(),
  /** The user is notified when it meets a condition. */
  hasAlert: z.union([z.literal(0), z.literal(1)]),
  link: z.string(),
  call: z.string(),
})
export type PinnedView = z.infer<typeof pinnedView>

/** A requisition that this person worked on or opened, and what happened then. */
const recentRequisition = z.object({
  reqId: id,
  patientFirstName: z.string(),
  patientLastName: z.string(),
  patientDob: z.iso.date(),
  reqStatusCode: z.string(),
  reqStatusDesc: z.string(),
  event: z.string(),
  eventDate: time,
})
export type RecentRequisition = z.infer<typeof recentRequisition>

/** A stage that requisitions left today; RECEIPT and TOTAL are counted from the first received specimen. */
const stageTime = z.object({
  reqStatusCode: z.string(),
  reqStatusDesc: z.string(),
  count,
  p50Hours: hours,
  p90Hours: hours,
  targetHours: z.number(),
})
export type StageTime = z.infer<typeof stageTime>

/** Of the requisitions released today. */
export const turnaroundToday = z.object({
  released: count,
  withinTarget: count,
  /** In percent, with one decimal. */
  shareWithinTarget: z.number().nullable(),
  stages: z.array(stageTime),
})
export type TurnaroundToday = z.infer<typeof turnaroundToday>

/** The days before today, at most 30 and the latest last; `p90Hours` by stage, without those that nothing left. */
const turnaroundDays = z.object({
  /** Of all requisitions released in these days, in percent, with one decimal. */
  shareWithinTarget: z.number().nullable(),
  days: z.array(
    z.object({
      day: z.iso.date(),
      shareWithinTarget: z.number().nullable(),
      p90Hours: z.record(z.string(), z.number()),
    }),
  ),
})
export type TurnaroundDays = z.infer<typeof turnaroundDays>

/** By how long requisitions have been in the status. */
const ages = z.object({ under1Day: count, from1To2Days: count, from2To4Days: count, over4Days: count })
export const statusFlow = z.object({
  reqStatusCode: z.string(),
  reqStatusDesc: z.string(),
  count,
  oldestDate: time.nullable(),
  ages,
})
export type StatusFlow = z.infer<typeof statusFlow>

/** Received in one hour of today, in the time zone of the laboratory; `usual` is the mean of that weekday. */
const receivedHour = z.object({ hour: z.number().int().min(0).max(23), count, usual: z.number() })
export type ReceivedHour = z.infer<typeof receivedHour>

const firstSteps = ['LABORATORY', 'COLLABORATOR', 'CLIENT', 'PHYSICIAN'] as const
export type FirstStep = (typeof firstSteps)[number]

const home = z.object({
  userRoleCode: z.string(),
  asOf: time,
  /** The time zone of the laboratory. */
  labTz: z.string(),
  /** What an administrator has to see to. */
  warnings: z.array(z.string()),
  /** Of a new laboratory: the records without which no order can be made, in the order in which they are made. */
  firstSteps: z.array(z.enum(firstSteps)),
  queues: z.array(queue),
  pinnedViews: z.array(pinnedView).nullable(),
  recent: z.array(recentRequisition).nullable(),
  turnaround: turnaroundToday.nullable().optional(),
  turnaroundDays: turnaroundDays.nullable().optional(),
  flow: z.array(statusFlow).nullable().optional(),
  hours: z.array(receivedHour).nullable().optional(),
  newResults: homeParts.newResults.nullable().optional(),
  onTheWay: homeParts.onTheWay.nullable().optional(),
  wanted: homeParts.wanted.nullable().optional(),
  clients: homeParts.clients.nullable().optional(),
  money: homeParts.money.nullable().optional(),
  /** Absent where the practice may not order. */
  orderTests: homeOrder.nullable().optional(),
  /** Why a part is null, by its name; of a queue or view, by its code or id. */
  failed: z.record(z.string(), z.string()),
})
export type Home = z.infer<typeof home>

/** The queues with an item of the menu. */
export const menuQueues = ['REVIEW', 'QC', 'CRITICAL', 'SIGN', 'HELD_MESSAGE', 'NEW_RESULTS'] as const
export type MenuQueue = (typeof menuQueues)[number]

/** What the menu shows beside its items: numbers only. */
const menuCounts = z.object({
  queues: z.array(z.object({ code: z.enum(menuQueues), count: count.nullable(), state: queueState })),
  /** The caller may order tests in the portal. */
  mayOrder: z.union([z.literal(0), z.literal(1)]),
})

export const homeRoutes = {
  read: get('home', {
    access: 'home.open',
    summary: 'What waits for the caller, and the state of the laboratory for those who run it',
    reply: one(home),
  }),
  counts: get('home/counts', {
    access: 'home.open',
    summary: 'The numbers beside the items of the menu',
    reply: one(menuCounts),
  }),
}
