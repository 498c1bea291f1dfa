import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterRun, foldRuns, type JudgedRun, unknownControl } from './control-state.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const run = (minute: number, state: JudgedRun['state'], levels = [1, 2]): JudgedRun => ({
  id: minute,
  ranAt: at(minute),
  state,
  levels,
})
const stateAfter = (runs: JudgedRun[], actions: number[] = []) => foldRuns(runs, actions.map(at)).now.state

describe('QC-07 out of control ends by a corrective action and a run in control after it', () => {
  const rejected = run(10, 'REJECTED')
  it.each<[name: string, runs: JudgedRun[], actions: number[], state: string]>([
    ['a rejection', [rejected], [], 'OUT'],
    ['a good run alone', [rejected, run(20, 'IN')], [], 'OUT'],
    ['an action alone', [rejected], [15], 'OUT'],
    ['both', [rejected, run(20, 'IN')], [15], 'IN'],
    ['both, with a warning', [rejected, run(20, 'WARNING')], [15], 'IN'],
    ['the run before the action', [rejected, run(20, 'IN')], [25], 'OUT'],
    ['the action before the rejection', [rejected, run(20, 'IN')], [5], 'OUT'],
    ['not every level', [rejected, run(20, 'IN', [1])], [15], 'OUT'],
    ['not evaluated', [rejected, run(20, 'NOT_EVALUATED')], [15], 'OUT'],
    ['rejected again after the action', [rejected, run(20, 'REJECTED'), run(30, 'IN')], [15], 'OUT'],
    ['and an action after that', [rejected, run(20, 'REJECTED'), run(30, 'IN')], [15, 25], 'IN'],
    [
      'a second rejection of one level keeps the others',
      [rejected, run(20, 'REJECTED', [1]), run(30, 'IN', [1])],
      [25],
      'OUT',
    ],
    ['not evaluated is not in control', [run(5, 'IN'), run(10, 'NOT_EVALUATED')], [], 'NOT_EVALUATED'],
    ['a parallel lot changes nothing', [run(5, 'IN'), run(10, null)], [], 'IN'],
  ])('%s', (_, runs, actions, state) => {
    expect(stateAfter(runs, actions)).toBe(state)
  })
  it('results since the last run in control are in doubt, until control is back', () => {
    const runs = [run(1, 'IN'), run(5, 'WARNING'), run(10, 'REJECTED'), run(12, 'REJECTED'), run(20, 'IN')]
    expect(foldRuns(runs, [at(15)]).episodes).toEqual([{ runId: 12, since: at(5), until: at(20) }])
  })
})

describe('one run after the other', () => {
  const states = fc.constantFrom<JudgedRun['state'][]>('IN', 'WARNING', 'REJECTED', 'NOT_EVALUATED', null)
  it('QC-12 QC-13 gives the same state as all runs at once', () => {
    fc.assert(
      fc.property(
        fc.array(states, { maxLength: 20 }),
        fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 4 }),
        (list, minutes) => {
          const actions = minutes.sort((a, b) => a - b).map(at)
          const runs = list.map((state, index) => run(index * 10 + 5, state))
          const stepwise = runs.reduce((state, one) => afterRun(state, one, actions), unknownControl)
          expect(foldRuns(runs, actions).now).toEqual(stepwise)
          expect(foldRuns(runs.slice(3), actions, foldRuns(runs.slice(0, 3), actions).now).now).toEqual(stepwise)
        },
      ),
    )
  })
})
