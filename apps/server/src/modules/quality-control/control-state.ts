import type { QcRunState } from '@lis/contract/qc-rules.ts'

/** The quality control state of a test on an instrument, from its runs and corrective actions. */
export interface ControlState {
  state: 'NONE' | 'IN' | 'OUT' | 'NOT_EVALUATED'
  /** Since when. */
  since: string | null
  lastGoodRunAt: string | null
  /** While out of control: the latest rejected run, and every level that was rejected. */
  rejectedRunId: number | null
  rejectedAt: string | null
  rejectedLevels: number[]
}

export interface JudgedRun {
  id: number
  ranAt: string
  /** Without parallel lots; null if it measured no other. */
  state: QcRunState | null
  levels: readonly number[]
}

/** A time out of control. Results after `since`, the last run in control, are in doubt; null if there was none. */
export interface OutEpisode {
  runId: number
  since: string | null
  /** The run that ended it. */
  until: string | null
}

export const unknownControl: ControlState = {
  state: 'NONE',
  since: null,
  lastGoodRunAt: null,
  rejectedRunId: null,
  rejectedAt: null,
  rejectedLevels: [],
}

const time = (instant: string) => Date.parse(instant)

/**
 * The state after one more run. A rejection puts the test out of control. Two things together end that: a corrective action after the
 * latest rejection, and after it a run in control (a warning is in control) with every level of the rejected runs.
 */
export const afterRun = (before: ControlState, run: JudgedRun, actionTimes: readonly string[]): ControlState => {
  if (run.state === null) return before
  const isOut = before.state === 'OUT'
  if (run.state === 'REJECTED') {
    return {
      ...before,
      state: 'OUT',
      since: isOut ? before.since : run.ranAt,
      rejectedRunId: run.id,
      rejectedAt: run.ranAt,
      rejectedLevels: [...new Set([...before.rejectedLevels, ...run.levels])].sort((a, b) => a - b),
    }
  }
  if (isOut && !endsRejection(before, run, actionTimes)) return before
  if (run.state === 'NOT_EVALUATED')
    return { ...before, state: 'NOT_EVALUATED', since: before.state === 'NOT_EVALUATED' ? before.since : run.ranAt }
  const since = before.state === 'IN' ? before.since : run.ranAt
  return { ...unknownControl, state: 'IN', since, lastGoodRunAt: run.ranAt }
}

const endsRejection = (before: ControlState, run: JudgedRun, actionTimes: readonly string[]) =>
  run.state !== 'NOT_EVALUATED' &&
  before.rejectedLevels.every((level) => run.levels.includes(level)) &&
  actionTimes.some((doneAt) => time(doneAt) >= time(before.rejectedAt as string) && time(doneAt) < time(run.ranAt))

/** The state after all runs, the one before the last run, and every time out of control. */
export const foldRuns = (runs: readonly JudgedRun[], actionTimes: readonly string[], from = unknownControl) => {
  let [now, beforeLast] = [from, from]
  const episodes: OutEpisode[] = []
  for (const run of runs) {
    beforeLast = now
    now = afterRun(now, run, actionTimes)
    if (run.state === 'REJECTED') {
      const current = episodes.at(-1)
      if (beforeLast.state === 'OUT' && current) current.runId = run.id
      else episodes.push({ runId: run.id, since: beforeLast.lastGoodRunAt, until: null })
    }
    const current = episodes.at(-1)
    if (current && beforeLast.state === 'OUT' && now.state !== 'OUT') current.until = run.ranAt
  }
  return { now, beforeLast, episodes }
}
