import type { ChosenRule, QcRunState } from '@lis/contract/qc-rules.ts'
import { type Fraction, roundTo, toFixedText } from '@lis/contract/results/decimal.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import type { JudgedRun } from './control-state.ts'
import { type HistoryRun, RunHistory, type StoredValue } from './history.ts'
import type { TestOnInstrument } from './references.ts'
import { type BrokenRule, evaluateRun, longestWindow, zOf } from './westgard.ts'

interface RunRow {
  id: number
  ranAt: string
  rules: ChosenRule[]
}
interface ValueRow {
  runId: number
  ranAt: string
  id: number
  level: number
  lotId: number
  value: string
  mean: string | null
  sd: string | null
  isParallel: boolean
}

/** In the order of time, then of entry. */
export interface RunPosition {
  ranAt: string
  id: number
}

const toValue = ({ id, level, lotId, value, mean, sd, isParallel }: ValueRow): StoredValue => ({
  id,
  level,
  lotId,
  isParallel,
  z: mean === null || sd === null ? null : zOf(value, mean, sd),
})

const toRuns = (rows: readonly ValueRow[]): HistoryRun[] =>
  [...Map.groupBy(rows, ({ runId }) => runId)].map(([id, values]) => ({
    id,
    ranAt: (values[0] as ValueRow).ranAt,
    values: values.map(toValue),
  }))

const valueColumns = sql`v.run_id as "runId", v.ran_at as "ranAt", v.id, v.level, v.lot_id as "lotId", v.value, v.mean, v.sd,
  v.is_parallel as "isParallel"`

/** The last runs before a position: a fixed number, read from the end of an index. */
const loadHistory = async (
  trx: Trx,
  { instrumentId, testId }: TestOnInstrument,
  { ranAt, id }: RunPosition,
  lotIds: readonly number[],
): Promise<RunHistory> => {
  const of = sql`instrument_id = ${instrumentId} and test_id = ${testId} and not is_void`
  const { rows } = await sql<ValueRow>`
    with last as (
      (select q.id from qc_run q where ${of} and (q.ran_at, q.id) < (${ranAt}::timestamptz, ${id}::bigint) and q.control_state is not null
        order by q.ran_at desc, q.id desc limit ${longestWindow})
      union
      select x.run_id from unnest(${[...lotIds]}::int[]) as lot(id) cross join lateral (
        select v.run_id from qc_value v where ${of} and v.lot_id = lot.id and (v.ran_at, v.run_id) < (${ranAt}::timestamptz, ${id}::bigint)
        order by v.ran_at desc, v.run_id desc limit ${longestWindow}) x)
    select ${valueColumns} from last join qc_value v on v.run_id = last.id order by v.ran_at, v.run_id, v.level`.execute(
    trx,
  )
  const history = new RunHistory()
  for (const run of toRuns(rows)) history.add(run)
  return history
}

/** Evaluates every run from a position on, because each may depend on the ones before it, and stores what has changed. */
export const evaluateFrom = async (trx: Trx, of: TestOnInstrument, from: RunPosition): Promise<void> => {
  const { rows: runs } = await sql<RunRow>`
    select q.id, q.ran_at as "ranAt", q.rules from qc_run q
    where q.instrument_id = ${of.instrumentId} and q.test_id = ${of.testId} and not q.is_void
      and (q.ran_at, q.id) >= (${from.ranAt}::timestamptz, ${from.id}::bigint)
    order by q.ran_at, q.id`.execute(trx)
  if (runs.length === 0) return
  const { rows: values } = await sql<ValueRow>`
    select ${valueColumns} from qc_value v where v.run_id = any(${runs.map(({ id }) => id)}::bigint[]) order by v.level`.execute(
    trx,
  )
  const byRun = new Map(toRuns(values).map((run) => [run.id, run]))
  const actions = await findActionTimes(trx, of)
  const history = await loadHistory(trx, of, from, [...new Set(values.map(({ lotId }) => lotId))])
  const judged: JudgedValues[] = []
  for (const { id, ranAt, rules } of runs) {
    const run = byRun.get(id)
    if (!run) continue
    const since = actions.findLast((doneAt) => Date.parse(doneAt) <= Date.parse(ranAt)) ?? null
    judged.push(judge(run, rules, history, since))
    history.add(run)
  }
  await storeJudgements(trx, judged)
}

/** When corrective actions were done, the earliest first. */
export const findActionTimes = async (trx: Trx, { instrumentId, testId }: TestOnInstrument): Promise<string[]> => {
  const rows = await trx
    .selectFrom('qc_action')
    .select('done_at')
    .where('instrument_id', '=', instrumentId)
    .where('test_id', '=', testId)
    .orderBy('done_at')
    .execute()
  return rows.map(({ done_at }) => done_at)
}

/** The runs that are not void, all or from a position on, in their order. */
export const findJudgedRuns = async (
  trx: Trx,
  { instrumentId, testId }: TestOnInstrument,
  from: RunPosition | null,
): Promise<JudgedRun[]> => {
  const isAfter = from ? sql`(q.ran_at, q.id) >= (${from.ranAt}::timestamptz, ${from.id}::bigint)` : sql`true`
  const { rows } = await sql<JudgedRun>`
    select q.id, q.ran_at as "ranAt", q.control_state as state, q.levels from qc_run q
    where q.instrument_id = ${instrumentId} and q.test_id = ${testId} and not q.is_void and ${isAfter}
    order by q.ran_at, q.id`.execute(trx)
  return rows
}

interface JudgedValues {
  run: HistoryRun
  state: QcRunState
  controlState: QcRunState | null
  levels: number[]
  broken: BrokenRule[]
}

const worst: readonly QcRunState[] = ['REJECTED', 'NOT_EVALUATED', 'WARNING', 'IN']

/** Values of parallel lots are evaluated by themselves and change no control state. */
const judge = (
  run: HistoryRun,
  rules: readonly ChosenRule[],
  history: RunHistory,
  since: string | null,
): JudgedValues => {
  const { live = [], parallel = [] } = Object.groupBy(run.values, ({ isParallel }) =>
    isParallel ? 'parallel' : 'live',
  )
  const [ofLive, ofParallel] = [live, parallel].map((group) =>
    group.length > 0 ? evaluateRun(group, history.before(group, since), rules) : null,
  )
  const both = [ofLive, ofParallel].flatMap((one) => one ?? [])
  return {
    run,
    state: worst.find((state) => both.some((one) => one.state === state)) ?? 'NOT_EVALUATED',
    controlState: ofLive?.state ?? null,
    levels: live.map(({ level }) => level),
    broken: merged(both.flatMap(({ broken }) => broken)),
  }
}

/** Each rule once. */
const merged = (broken: readonly BrokenRule[]): BrokenRule[] =>
  [...Map.groupBy(broken, ({ rule }) => rule).values()].map((same) => ({
    ...(same[0] as BrokenRule),
    levels: [...new Set(same.flatMap(({ levels }) => levels))].sort((a, b) => a - b),
    valueIds: [...new Set(same.flatMap(({ valueIds }) => valueIds))].sort((a, b) => a - b),
  }))

const stateOfValue = ({ id, z }: StoredValue, broken: readonly BrokenRule[]): QcRunState => {
  const own = broken.filter(({ valueIds }) => valueIds.includes(id))
  if (own.some(({ action }) => action === 'REJECT')) return 'REJECTED'
  if (z === null) return 'NOT_EVALUATED'
  return own.length > 0 ? 'WARNING' : 'IN'
}

const displayDecimals = 4
const zText = (z: Fraction | null) => (z === null ? null : toFixedText(roundTo(z, displayDecimals), displayDecimals))

const storeJudgements = async (trx: Trx, judged: readonly JudgedValues[]) => {
  await sql`update qc_run q set state = n.state, control_state = n.control_state, levels = array(select jsonb_array_elements_text(n.levels)::int),
      broken = n.broken
    from unnest(${judged.map(({ run }) => run.id)}::bigint[], ${judged.map(({ state }) => state)}::text[],
      ${judged.map(({ controlState }) => controlState)}::text[], ${judged.map(({ levels }) => JSON.stringify(levels))}::jsonb[],
      ${judged.map(({ broken }) => JSON.stringify(broken))}::jsonb[]) as n(id, state, control_state, levels, broken)
    where q.id = n.id and (q.state, q.control_state, q.broken) is distinct from (n.state, n.control_state, n.broken)
      or q.id = n.id and q.levels <> array(select jsonb_array_elements_text(n.levels)::int)`.execute(trx)
  const values = judged.flatMap(({ run, broken }) =>
    run.values.map((value) => ({ id: value.id, z: zText(value.z), state: stateOfValue(value, broken) })),
  )
  await sql`update qc_value v set z = n.z, state = n.state
    from unnest(${values.map(({ id }) => id)}::bigint[], ${values.map(({ z }) => z)}::numeric[], ${values.map(({ state }) => state)}::text[])
      as n(id, z, state)
    where v.id = n.id and (v.z, v.state) is distinct from (n.z, n.state)`.execute(trx)
}
