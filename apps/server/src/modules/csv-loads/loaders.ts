import type { LoadType } from '@lis/contract/csv-loads.ts'
import { clientLoader } from './load-clients.ts'
import { physicianLoader } from './load-physicians.ts'
import { requisitionLoader } from './load-requisitions.ts'
import { resultLoader } from './load-results.ts'
import type { Loader } from './loader.ts'

/** One loader per type; a fresh one for each run, because it remembers the keys of its file. What a dry run writes is undone. */
export const loaders: Record<LoadType, (isDry: boolean) => Loader> = {
  REQUISITION: requisitionLoader,
  RESULT: resultLoader,
  CLIENT: clientLoader,
  PHYSICIAN: physicianLoader,
}
