import type { Catalogue } from './catalogue.ts'
import type { Ids, RowSink } from './copy.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'

export interface Lab {
  id: number
  name: string
  zone: string
}

/** What the makers of master data work with. */
export interface Making {
  plan: Plan
  catalogue: Catalogue
  ids: Ids
  rows: RowSink
  random: Random
  /** Master data is older than the first order. */
  createdAt: number
}
