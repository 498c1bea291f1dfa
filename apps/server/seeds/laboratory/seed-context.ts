import type { Catalogue } from './catalogue.ts'
import type { Ids, RowSink } from './copy.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'

export interface Lab {
  id: number
  name: string
  zone: string
}

/** Passed to the functions that add master data. */
export interface SeedContext {
  plan: Plan
  catalogue: Catalogue
  ids: Ids
  rows: RowSink
  random: Random
  /** Before the first order. */
  createdAt: number
}
