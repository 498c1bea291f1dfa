import { type ControlRun, type ControlValue, longestWindow } from './westgard.ts'

export interface StoredValue extends ControlValue {
  isParallel: boolean
}

/** A run as the rules see it. */
export interface HistoryRun {
  id: number
  ranAt: string
  values: StoredValue[]
}

const kept = longestWindow - 1

/**
 * The last runs before the one to be evaluated: of the runs in use, and of each lot, as many as the rules look back. Its size does not
 * depend on how many runs there are.
 */
export class RunHistory {
  private runs: HistoryRun[] = []
  private readonly byLot = new Map<number, HistoryRun[]>()

  add(run: HistoryRun) {
    if (run.values.some(({ isParallel }) => !isParallel)) this.runs = [run, ...this.runs].slice(0, kept)
    for (const { lotId, z } of run.values) {
      if (z !== null) this.byLot.set(lotId, [run, ...(this.byLot.get(lotId) ?? [])].slice(0, kept))
    }
  }

  /** The runs that count for the values of a run, latest first; none from before `since`. */
  before(group: readonly StoredValue[], since: string | null): ControlRun[] {
    const lots = new Set(group.map(({ lotId }) => lotId))
    const isParallel = group.every((value) => value.isParallel)
    const found = new Set(isParallel ? [] : this.runs)
    for (const lot of lots) for (const run of this.byLot.get(lot) ?? []) found.add(run)
    return [...found]
      .filter(({ ranAt }) => since === null || Date.parse(ranAt) >= Date.parse(since))
      .sort((a, b) => Date.parse(b.ranAt) - Date.parse(a.ranAt) || b.id - a.id)
      .map(({ values }) => values.filter((value) => lots.has(value.lotId) || (!isParallel && !value.isParallel)))
  }
}
