import type { Role } from '@lis/contract/access/roles.ts'
import type { HomeQueue, QueueState } from '@lis/contract/home.ts'
import { type Filters, formatFilter } from '@lis/contract/kit/list-query.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/db.ts'
import { countAndFirst, type ListDefinition, type Sql } from '../../platform/lists.ts'

/**
 * Few, so that one person who opens Home does not take all connections of the pool, and the same few keep the plans of its statements.
 */
export const connectionsAtOnce = 3

export interface QueueCall {
  actor: Actor
  config: Config
  /** The caller's departments. */
  departments: readonly Department[]
}

export interface Department {
  id: number
  code: string
  name: string
}

/** A queue of Home. How to add one: CONTRIBUTING, 'How to add a queue to Home'. */
export interface Queue {
  code: string
  title: string
  roles: readonly Role[]
  /** Codes of the departments responsible for it; if empty, everybody who has the queue. */
  departments?: readonly string[]
  /** How long the oldest row may wait. */
  limitHours: number
  rows: (call: QueueCall) => QueueRows
}

/** The rows of a queue, as the list behind `path` and the page behind `link` show them to the same person. */
export interface QueueRows {
  /** The call of the list, below `/api/v3.0`. */
  path: string
  filters?: Filters
  link: string
  list: ListDefinition
  /** Since when a row waits; the smallest comes first. */
  since: Sql
  /** A row as text. */
  words: Sql
  /** The requisition of a row, for the access log. */
  reqId?: Sql
  /** An index returns the rows in the order of `since`. */
  isIndexed?: boolean
  /** The source of the first row, if the list has no index for `since`. */
  firstFrom?: Sql
}

/** From this share of the limit. */
const warnFrom = 0.75
const hourMs = 3_600_000

interface FirstRow {
  since: string | null
  words: string | null
  reqId: number | null
}

export const readQueue = async (db: Db, queue: Queue, call: QueueCall): Promise<HomeQueue> => {
  const { list, since, words, reqId, filters = {}, isIndexed, firstFrom, ...rows } = queue.rows(call)
  const select = { since, words, ...(reqId && { reqId }) }
  const { count, first } = await countAndFirst<FirstRow>(db, list, filters, {
    order: since,
    select,
    isIndexed,
    from: firstFrom,
  })
  const oldest = first?.since ? new Date(first.since).getTime() : null
  const limit = oldest === null ? null : oldest + queue.limitHours * hourMs
  return {
    ...headOf(queue, { ...rows, filters }, call),
    count,
    oldestDate: oldest === null ? null : new Date(oldest).toISOString(),
    limitDate: limit === null ? null : new Date(limit).toISOString(),
    state: stateOf(oldest, limit),
    first: first?.words ?? null,
    reqId: first?.reqId ?? null,
  }
}

/** A queue that could not be read. */
export const failedQueue = (queue: Queue, call: QueueCall): HomeQueue => ({
  ...headOf(queue, queue.rows(call), call),
  count: null,
  oldestDate: null,
  limitDate: null,
  state: 'OK',
  first: null,
  reqId: null,
})

const headOf = (
  { code, title, departments }: Queue,
  { path, filters, link }: Pick<QueueRows, 'path' | 'filters' | 'link'>,
  { departments: own }: QueueCall,
) => ({
  code,
  title,
  link,
  call: callOf(path, filters),
  isMine: !departments || own.some((department) => departments.includes(department.code)) ? (1 as const) : (0 as const),
})

/** The call of a list with its filters. */
export const callOf = (path: string, filters: Filters = {}): string =>
  Object.keys(filters).length === 0 ? path : `${path}?filter=${encodeURIComponent(formatFilter(filters))}`

const stateOf = (oldest: number | null, limit: number | null): QueueState => {
  if (oldest === null || limit === null) return 'OK'
  const now = Date.now()
  if (now > limit) return 'LATE'
  return now >= oldest + (limit - oldest) * warnFrom ? 'WARN' : 'OK'
}

/** While a row waits there, a patient may come to harm: before every other queue, however late that one is. */
const mayHarmPatients: readonly string[] = ['CRITICAL']

/**
 * The most urgent first: by the share of the limit that the oldest row has used. Rows of unknown age come after them; empty queues last, in
 * the order of the table.
 */
export const mostUrgentFirst = (one: HomeQueue, other: HomeQueue): number => shareUsed(other) - shareUsed(one)

const shareUsed = ({ code, count, oldestDate, limitDate }: HomeQueue): number => {
  if (!count) return -2
  if (mayHarmPatients.includes(code)) return Number.MAX_VALUE
  if (!oldestDate || !limitDate) return -1
  const oldest = Date.parse(oldestDate)
  return (Date.now() - oldest) / (Date.parse(limitDate) - oldest)
}
