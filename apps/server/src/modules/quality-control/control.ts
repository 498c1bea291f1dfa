import type { Trx } from '../../platform/db/db.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { type ControlState, foldRuns, unknownControl } from './control-state.ts'
import { evaluateFrom, findActionTimes, findJudgedRuns, type RunPosition } from './evaluate.ts'
import { addLookbacks } from './lookbacks.ts'
import type { TestOnInstrument } from './references.ts'

interface StoredControl extends ControlState {
  lastRunId: number | null
  lastRunAt: string | null
  beforeLast: ControlState | null
}

/** Serializes all changes of one test on one instrument. Saving a result of the test waits for it too. */
export const lockControl = async (trx: Trx, { instrumentId, testId }: TestOnInstrument): Promise<StoredControl> => {
  await trx
    .insertInto('qc_control')
    .values({ instrument_id: instrumentId, test_id: testId })
    .onConflict((oc) => oc.doNothing())
    .execute()
  const row = await trx
    .selectFrom('qc_control')
    .selectAll()
    .where('instrument_id', '=', instrumentId)
    .where('test_id', '=', testId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return {
    state: row.state as ControlState['state'],
    since: row.since,
    lastGoodRunAt: row.last_good_run_at,
    rejectedRunId: row.rejected_run_id,
    rejectedAt: row.rejected_at,
    rejectedLevels: row.rejected_levels,
    lastRunId: row.last_run_id,
    lastRunAt: row.last_run_at,
    beforeLast: row.before_last as ControlState | null,
  }
}

/**
 * Evaluates the runs from a position on, and updates the control state. For a newest run only that run is read. A late entry or
 * a changed target reads the states of all runs again; so do void runs and actions, which pass no `control`.
 */
export const reevaluate = async (
  call: WriteCall,
  of: TestOnInstrument,
  control: StoredControl | null,
  from: RunPosition,
) => {
  const { db } = call
  await evaluateFrom(db, of, from)
  const start = control && stateBefore(control, from)
  const runs = await findJudgedRuns(db, of, start ? from : null)
  const actionTimes = await findActionTimes(db, of)
  const { now, beforeLast, episodes } = foldRuns(runs, actionTimes, start ?? unknownControl)
  const newest = runs.at(-1)
  await db
    .updateTable('qc_control')
    .set({
      state: now.state,
      since: now.since,
      last_good_run_at: now.lastGoodRunAt,
      rejected_run_id: now.rejectedRunId,
      rejected_at: now.rejectedAt,
      rejected_levels: now.rejectedLevels,
      last_run_id: newest?.id ?? null,
      last_run_at: newest?.ranAt ?? null,
      before_last: newest ? JSON.stringify(beforeLast) : null,
    })
    .where('instrument_id', '=', of.instrumentId)
    .where('test_id', '=', of.testId)
    .execute()
  for (const episode of episodes)
    if (episode.until === null || Date.parse(episode.until) >= Date.parse(from.ranAt))
      await addLookbacks(call, of, episode)
}

/** The state before a position, if it is known without reading the runs before it. */
const stateBefore = (control: StoredControl, from: RunPosition): ControlState | null => {
  const { lastRunId, lastRunAt, beforeLast } = control
  if (from.id === lastRunId) return beforeLast
  const ahead = lastRunAt === null ? 1 : Date.parse(from.ranAt) - Date.parse(lastRunAt)
  return ahead > 0 || (ahead === 0 && from.id > (lastRunId ?? 0)) ? stateOnly(control) : null
}

const stateOnly = ({ state, since, lastGoodRunAt, rejectedRunId, rejectedAt, rejectedLevels }: ControlState) => ({
  state,
  since,
  lastGoodRunAt,
  rejectedRunId,
  rejectedAt,
  rejectedLevels,
})
