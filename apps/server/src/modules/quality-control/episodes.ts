import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { foldRuns, type OutEpisode } from './control-state.ts'
import { findActionTimes, findJudgedRuns } from './evaluate.ts'
import type { TestOnInstrument } from './references.ts'

/** When something was measured: by the clock of the instrument and, if that is known to be wrong, by ours. */
export interface MeasuredTime {
  earliest: string
  latest: string
}

/** A clock that is wrong by this many seconds; the message may also have been delayed, so both times are possible. */
export const measuredTime = (at: string, clockOffsetSec: number | null): MeasuredTime => {
  const corrected = new Date(Date.parse(at) - (clockOffsetSec ?? 0) * 1000).toISOString()
  return Date.parse(corrected) < Date.parse(at)
    ? { earliest: corrected, latest: at }
    : { earliest: at, latest: corrected }
}

export const isWithin = ({ since, until }: OutEpisode, { earliest, latest }: MeasuredTime): boolean =>
  (since === null || Date.parse(latest) > Date.parse(since)) &&
  (until === null || Date.parse(earliest) < Date.parse(until))

export type EndedEpisode = OutEpisode & TestOnInstrument

/**
 * The ended times out of control, of tests with results measured before the current state began. Without a rejected run before
 * that no run is read.
 */
export const findEndedEpisodes = async (
  trx: Trx,
  measured: readonly (TestOnInstrument & Pick<MeasuredTime, 'earliest'>)[],
): Promise<EndedEpisode[]> => {
  if (measured.length === 0) return []
  const { rows } = await sql<TestOnInstrument>`
    select distinct c.instrument_id as "instrumentId", c.test_id as "testId"
    from unnest(${measured.map(({ instrumentId }) => instrumentId)}::int[], ${measured.map(({ testId }) => testId)}::int[],
      ${measured.map(({ earliest }) => earliest)}::timestamptz[]) as m(instrument_id, test_id, earliest)
    join qc_control c on c.instrument_id = m.instrument_id and c.test_id = m.test_id
    cross join lateral (select case c.state when 'OUT' then c.last_good_run_at else c.since end as began) b
    where m.earliest < b.began and exists (select from qc_run q where q.instrument_id = c.instrument_id and q.test_id = c.test_id
      and q.control_state = 'REJECTED' and not q.is_void and q.ran_at <= b.began)`.execute(trx)
  const found: EndedEpisode[] = []
  for (const of of rows) {
    const { episodes } = foldRuns(await findJudgedRuns(trx, of, null), await findActionTimes(trx, of))
    found.push(...episodes.filter(({ until }) => until !== null).map((episode) => ({ ...of, ...episode })))
  }
  return found
}
