import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import { day } from './clock.ts'
import { Random, streams } from './random.ts'

/** Above this number the plan is that of a large laboratory with more clients and a longer past. */
const largeAbove = 20_000

/** How many records there are of each kind, and the age and status of each requisition. */
export interface Plan {
  seed: number
  asOf: number
  requisitions: number
  patients: number
  clients: number
  physicians: number
  collaborators: number
  salesPeople: number
  isLarge: boolean
  oldestDays: number
  /** Days between two billing batches. */
  batchDays: number
  statusOf: (index: number) => StatusCode
  /** When requisition number `index` was logged; later numbers are younger, with a few exceptions. */
  ageDaysOf: (index: number) => number
}

export const makePlan = (requisitions: number, asOf: number, seed: number): Plan => {
  const isLarge = requisitions > largeAbove
  const oldestDays = isLarge ? 1095 : 400
  const statuses = assignStatuses(requisitions, seed)
  return {
    seed,
    asOf,
    requisitions,
    patients: Math.max(1, Math.round(requisitions * (isLarge ? 0.3 : 0.5))),
    clients: isLarge ? 400 : 40,
    physicians: isLarge ? 2000 : 120,
    collaborators: isLarge ? 10 : 3,
    salesPeople: isLarge ? 60 : 15,
    isLarge,
    oldestDays,
    batchDays: isLarge ? 1 : 7,
    statusOf: (index) => statusesInOrder[statuses.codes[index] as number] as StatusCode,
    ageDaysOf: ageCurve(requisitions, statuses, oldestDays),
  }
}

interface Step {
  code: StatusCode
  /** Part of a small set; a large laboratory keeps a steady number on the bench, so there is a cap. */
  share: number
  cap: number
  /** No requisition can have come this far in less time. */
  minDays: number
}

/** Youngest first. The rest gets the closed billing codes, by their weights. */
const openSteps: readonly Step[] = [
  { code: 'LOG', share: 0.03, cap: 4500, minDays: 0.15 },
  { code: 'ACC', share: 0.026, cap: 3500, minDays: 0.5 },
  { code: 'PROCESS', share: 0.044, cap: 6000, minDays: 1 },
  { code: 'RESULT', share: 0.024, cap: 3000, minDays: 2 },
  { code: 'REPORT', share: 0.024, cap: 3500, minDays: 2.5 },
  { code: 'RELEASE', share: 0.026, cap: 3500, minDays: 3 },
  { code: 'DELIVER', share: 0.036, cap: 4500, minDays: 4 },
  { code: 'MISSBILL', share: 0.04, cap: 6000, minDays: 6 },
  { code: 'READYBILL', share: 0.05, cap: 8000, minDays: 6 },
  { code: 'INBILL', share: 0.04, cap: 5000, minDays: 12 },
  { code: 'HOLD', share: 0.015, cap: 4000, minDays: 12 },
]
const labStages = 7

const closedSteps: readonly { code: StatusCode; weight: number; minDays: number }[] = [
  { code: 'BILL', weight: 36, minDays: 32 },
  { code: 'OABILL', weight: 4, minDays: 32 },
  { code: 'XEROBILL', weight: 6, minDays: 32 },
  { code: 'INVOICE', weight: 10, minDays: 32 },
  { code: 'EOB', weight: 8, minDays: 32 },
  { code: 'INSPAYRECD', weight: 20, minDays: 40 },
  { code: 'PATPAYRECD', weight: 12, minDays: 40 },
  { code: 'NONCOLLECT', weight: 4, minDays: 60 },
]

const statusesInOrder: readonly StatusCode[] = [...openSteps, ...closedSteps].map((step) => step.code)
const minDaysOf = [...openSteps, ...closedSteps].map((step) => step.minDays)

interface Statuses {
  codes: Uint8Array
  inLab: number
}

/** One byte per requisition: exact counts, youngest stages at the end, neighbours mixed a little as in practice. */
const assignStatuses = (total: number, seed: number): Statuses => {
  const random = new Random(seed, streams.statusPlan, 0)
  const codes = new Uint8Array(total)
  const counts = openSteps.map((step) => Math.max(3, Math.min(step.cap, Math.round(step.share * total))))
  let position = total
  counts.forEach((count, code) => {
    codes.fill(code, Math.max(0, position - count), position)
    position -= count
  })
  if (position < closedSteps.length) throw new Error(`Demo data needs at least 60 requisitions, not ${total}`)
  fillClosed(codes.subarray(0, position), random)
  mixNeighbours(codes, Math.min(3000, Math.max(6, Math.round(total * 0.02))), random)
  return { codes, inLab: counts.slice(0, labStages).reduce((sum, count) => sum + count, 0) }
}

const fillClosed = (codes: Uint8Array, random: Random) => {
  const weights = closedSteps.reduce((sum, step) => sum + step.weight, 0)
  let start = 0
  closedSteps.forEach((step, index) => {
    const isLast = index === closedSteps.length - 1
    const count = isLast ? codes.length - start : Math.floor((codes.length * step.weight) / weights)
    codes.fill(openSteps.length + index, start, start + count)
    start += count
  })
  shuffle(codes, random)
}

/** Shuffles block by block, then once more half a block further on, so that no seam shows. */
const mixNeighbours = (codes: Uint8Array, block: number, random: Random) => {
  for (const offset of [0, block >> 1]) {
    for (let start = offset; start < codes.length; start += block) shuffle(codes.subarray(start, start + block), random)
  }
}

const shuffle = (codes: Uint8Array, random: Random) => {
  for (let index = codes.length - 1; index > 0; index -= 1) {
    const other = random.int(0, index)
    const kept = codes[index] as number
    codes[index] = codes[other] as number
    codes[other] = kept
  }
}

/** Everything still in the laboratory was logged within these days: an order does not wait there for months. */
const labDays = 8

/** Even within the last days, then fewer towards the beginning, as in a growing laboratory. */
const ageCurve = (total: number, { codes, inLab }: Statuses, oldestDays: number) => {
  const part = inLab / total
  const steepness = Math.log(labDays / oldestDays) / Math.log(part)
  return (index: number): number => {
    const position = (1 - (index + 0.5) / total) / part
    const age = labDays * (position < 1 ? position : position ** steepness)
    return Math.max(age, minDaysOf[codes[index] as number] as number)
  }
}

/** Rounded to the day, so that a repeated start gives the same data all day long. */
export const startOfDay = (instant: number): number => Math.floor(instant / day) * day
