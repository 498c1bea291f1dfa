import type { StatusCode } from '@lis/contract/requisitions/status.ts'
import type { ResultCells } from '@lis/contract/results/engine.ts'
import type { TestRules } from '@lis/contract/results/rules.ts'
import type { BatchCalendar } from './batches.ts'
import type { Catalogue, CatalogueTest } from './catalogue.ts'
import type { Client, ClientEvent } from './clients.ts'
import type { Ids, RowSink } from './copy.ts'
import type { FileWriter } from './files.ts'
import type { Order, OrderBook } from './orders.ts'
import type { Patient } from './patients.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import type { Lab } from './seed-context.ts'
import type { Timeline } from './timeline.ts'
import type { World } from './world.ts'

/** Passed to the functions that add the rows of a requisition. */
export interface RequisitionContext {
  plan: Plan
  catalogue: Catalogue
  world: World
  ids: Ids
  rows: RowSink
  files: FileWriter
  orders: OrderBook
  batches: BatchCalendar
  rules: RuleBook
  /** Everything a user can open; otherwise only what lists, counts and reports read. */
  isDetailed: boolean
}

export interface RuleBook {
  /** By result key or by test code, as the collaborator reads it. */
  of: (client: Client, key: string) => TestRules
  /** The id under which they are stored for the results they interpret. */
  keptId: (client: Client, key: string) => number
}

/** One order before its rows are written. */
export interface Draft {
  id: number
  index: number
  random: Random
  status: StatusCode
  /** 0 Logged … 6 Delivered, 7 billing. */
  stage: number
  patient: Patient
  client: Client
  ordering: Client['physicians'][number]
  lab: Lab
  event: ClientEvent
  order: Order
  timeline: Timeline
  loggedAt: number
  collectedAt: number
  /** Null while the tube is still on its way. */
  receivedAt: number | null
  isFasting: boolean | null
  billType: string | null
}

export interface TestedResult {
  test: CatalogueTest
  cells: ResultCells
  /** Code of the reason why the test could not be done. */
  failCode: string | null
}
