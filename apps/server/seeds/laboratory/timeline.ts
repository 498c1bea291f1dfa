import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import type { BatchCalendar, BillingBatch } from './batches.ts'
import { day, hour, inLabHours, minute } from './clock.ts'
import type { Random } from './random.ts'

interface StatusEvent {
  from: StatusCode | null
  to: StatusCode
  at: number
  reason: string | null
}

export interface Timeline {
  events: readonly StatusEvent[]
  /** First entry into a status, or undefined where the requisition has never been. */
  first: (code: StatusCode) => number | undefined
  last: number
  batch: BillingBatch | null
  wasReturned: boolean
}

const bench: readonly StatusCode[] = ['LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER']

/** How each billing code is reached from Delivered. */
const billingPaths: Partial<Record<StatusCode, readonly StatusCode[]>> = {
  MISSBILL: ['MISSBILL'],
  READYBILL: ['READYBILL'],
  INBILL: ['READYBILL', 'INBILL'],
  BILL: ['READYBILL', 'INBILL', 'BILL'],
  OABILL: ['READYBILL', 'OABILL'],
  XEROBILL: ['READYBILL', 'XEROBILL'],
  INVOICE: ['READYBILL', 'INBILL', 'BILL', 'INVOICE'],
  EOB: ['READYBILL', 'INBILL', 'BILL', 'EOB'],
  INSPAYRECD: ['READYBILL', 'INBILL', 'BILL', 'EOB', 'INSPAYRECD'],
  PATPAYRECD: ['READYBILL', 'INBILL', 'BILL', 'INVOICE', 'PATPAYRECD'],
  HOLD: ['READYBILL', 'HOLD'],
  NONCOLLECT: ['READYBILL', 'INBILL', 'BILL', 'INVOICE', 'NONCOLLECT'],
}

export const stageOf = (status: StatusCode): number => {
  const stage = bench.indexOf(status)
  return stage < 0 ? bench.length : stage
}

/** Hours from one status to the next, shortest and longest. */
const pace: Partial<Record<StatusCode, readonly [number, number]>> = {
  ACC: [1, 9],
  PROCESS: [1, 12],
  RESULT: [5, 40],
  REPORT: [1, 18],
  RELEASE: [1, 20],
  DELIVER: [0.2, 8],
  OABILL: [24, 96],
  XEROBILL: [24, 96],
  HOLD: [12, 72],
  INVOICE: [48, 120],
  EOB: [120, 500],
  INSPAYRECD: [12, 120],
  PATPAYRECD: [120, 480],
  NONCOLLECT: [500, 900],
}

export interface TimelineInput {
  random: Random
  status: StatusCode
  loggedAt: number
  asOf: number
  zone: string
  batches: BatchCalendar
}

/** The status history of one requisition from the first entry to the current status, with realistic times. */
export const makeTimeline = (input: TimelineInput): Timeline => {
  const { random, status, loggedAt, asOf, batches } = input
  const stage = stageOf(status)
  const isBilled = stage === bench.length
  const wasReturned = stage >= 6 && random.chance(0.015)
  const labPath = pathThroughLab(stage, wasReturned)
  const billingPath = isBilled ? (billingPaths[status] ?? []) : []
  const unsent = status === 'INBILL' ? batches.unsent(random) : null
  const labLimit = isBilled ? latestDelivery(status, asOf, unsent) : asOf - 5 * minute
  const events = walk(input, labPath, loggedAt, labLimit, wasReturned)
  let batch: BillingBatch | null = unsent
  for (const code of billingPath) {
    const before = events.at(-1) as StatusEvent
    if (code === 'INBILL') batch ??= batches.firstSentAfter(before.at)
    const at = billingTime(input, code, before.at, batch)
    events.push({ from: before.to, to: code, at, reason: null })
  }
  const first = new Map<StatusCode, number>()
  for (const event of events) if (!first.has(event.to)) first.set(event.to, event.at)
  return { events, first: (code) => first.get(code), last: (events.at(-1) as StatusEvent).at, batch, wasReturned }
}

const pathThroughLab = (stage: number, wasReturned: boolean): StatusCode[] =>
  wasReturned
    ? [...bench.slice(0, 6), ...bench.slice(1)].slice(0, stage + 6)
    : [...bench.slice(0, Math.min(stage + 1, bench.length))]

/** Early enough for the billing steps after it. */
const latestDelivery = (status: StatusCode, asOf: number, unsent: BillingBatch | null): number => {
  if (unsent) return unsent.createdAt - 30 * hour
  if (status === 'MISSBILL' || status === 'READYBILL') return asOf - 26 * hour
  return asOf - (status === 'HOLD' ? 5 : 22) * day
}

const walk = (
  { random, zone }: TimelineInput,
  path: readonly StatusCode[],
  start: number,
  limit: number,
  wasReturned: boolean,
): StatusEvent[] => {
  const times = [start]
  for (const code of path.slice(1)) {
    const [least, most] = pace[code] ?? [1, 10]
    const before = times.at(-1) as number
    times.push(inLabHours(zone, before + random.between(least, most) * hour, random.next()))
  }
  squeeze(times, limit)
  return path.map((to, index) => ({
    from: path[index - 1] ?? null,
    to,
    at: times[index] as number,
    reason: wasReturned && to === 'ACC' && path[index - 1] === 'RELEASE' ? 'Returned to Accessioned' : null,
  }))
}

/** Steps after the limit are moved before it evenly, in the same order. */
const squeeze = (times: number[], limit: number) => {
  const start = times[0] as number
  const last = times.at(-1) as number
  const room = Math.max(limit - start, times.length * minute)
  if (last <= start + room) return
  const factor = room / (last - start)
  for (let index = 1; index < times.length; index += 1) {
    times[index] = start + Math.floor(((times[index] as number) - start) * factor)
  }
}

/** The nightly job at 07:15 UTC makes bills ready; batches have their own times; the rest is done by people, before now. */
const billingTime = (input: TimelineInput, code: StatusCode, before: number, batch: BillingBatch | null): number => {
  const { random, asOf } = input
  if (code === 'READYBILL' || code === 'MISSBILL') {
    const night = Math.ceil((before - 7.25 * hour) / day) * day + 7.25 * hour
    return night > before ? night : night + day
  }
  if (code === 'INBILL' && batch) return batch.createdAt
  if (code === 'BILL' && batch) return batch.sentAt ?? batch.createdAt
  const [least, most] = pace[code] ?? [24, 96]
  const wanted = before + random.between(least, most) * hour
  const room = asOf - hour - before
  return wanted - before < room ? wanted : before + Math.floor(room * random.between(0.3, 0.7))
}
