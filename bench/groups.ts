import type { Bench } from './bench.ts'
import { measureExports } from './fact-exports.ts'
import { measureHome } from './fact-home.ts'
import { measureMoves } from './fact-moves.ts'
import { measureReports } from './fact-reports.ts'
import { filterCalls, mainCalls, type PairedCall, roleCalls, sortCalls, viewCalls } from './list-calls.ts'
import type { Fact } from './report.ts'
import { countCalls, searchCalls } from './search-calls.ts'

interface PairGroup {
  calls: (bench: Bench) => PairedCall[]
  /** Eight at once instead of one after the other. */
  isLoad?: boolean
}

/** What is compared with a bare route. */
export const pairGroups: Record<string, PairGroup> = {
  main: { calls: ({ people, samples }) => mainCalls(people, samples), isLoad: true },
  views: { calls: ({ people, samples }) => viewCalls(people, samples) },
  sorts: { calls: ({ people, samples }) => sortCalls(people, samples) },
  filters: { calls: ({ people, samples }) => filterCalls(people, samples) },
  roles: { calls: ({ people, samples }) => roleCalls(people, samples) },
  counts: { calls: countCalls },
  searches: { calls: searchCalls },
}

/** What has a limit of its own. */
export const factGroups: Record<string, (bench: Bench) => Promise<Fact[]>> = {
  moves: measureMoves,
  exports: measureExports,
  reports: measureReports,
  home: measureHome,
}
