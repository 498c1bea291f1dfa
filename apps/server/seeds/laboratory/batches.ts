import { day, hour, isoInstant } from './clock.ts'
import type { Random } from './random.ts'
import type { SeedContext } from './seed-context.ts'
import type { UserDirectory } from './users.ts'

export interface BillingBatch {
  id: number
  createdAt: number
  /** Null while it is waiting, or after it failed. */
  sentAt: number | null
}

/** Which batch takes what: regular ones that were sent, and a few of the last days that are still open. */
export class BatchCalendar {
  readonly #sent: readonly BillingBatch[]
  readonly #unsent: readonly BillingBatch[]
  readonly #start: number
  readonly #step: number

  constructor(sent: readonly BillingBatch[], unsent: readonly BillingBatch[], start: number, step: number) {
    this.#sent = sent
    this.#unsent = unsent
    this.#start = start
    this.#step = step
  }

  firstSentAfter(instant: number): BillingBatch {
    const index = Math.max(0, Math.floor((instant - this.#start) / this.#step) + 1)
    const batch = this.#sent[index]
    if (!batch) throw new Error(`No billing batch was sent after ${isoInstant(instant)}`)
    return batch
  }

  unsent(random: Random): BillingBatch {
    return random.pick(this.#unsent)
  }
}

const openBatches = [
  { daysAgo: 4.4, status: 'FAILED' },
  { daysAgo: 2.4, status: 'FAILED' },
  { daysAgo: 1.4, status: 'PENDING' },
  { daysAgo: 0.4, status: 'PENDING' },
] as const

/** `record_count`, and batches that nothing fell into, are settled after the load. */
export const addBatches = (
  { plan, catalogue, ids, rows, random }: SeedContext,
  users: UserDirectory,
): BatchCalendar => {
  const start = plan.asOf - (plan.oldestDays + 2) * day + 9 * hour
  const step = plan.batchDays * day
  const billing = catalogue.departmentId('BILLING')
  const add = (createdAt: number, sentAt: number | null, status: string): BillingBatch => {
    const id = ids.next('billing_batch')
    rows.add('billing_batch', {
      id,
      bill_send_at: sentAt === null ? null : isoInstant(sentAt),
      send_status_code: status,
      created_by: users.of(billing, random),
      created_at: isoInstant(createdAt),
    })
    return { id, createdAt, sentAt }
  }
  const sent: BillingBatch[] = []
  for (let at = start; at < plan.asOf - 8 * day; at += step) sent.push(add(at, at + 5 * hour, 'SENT'))
  const unsent = openBatches.map(({ daysAgo, status }) => add(plan.asOf - daysAgo * day, null, status))
  return new BatchCalendar(sent, unsent, start, step)
}
