import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { statusList } from '../quality-control/status.ts'

export type QcState = 'IN' | 'OUT' | 'DUE'

/** Returns a function that gives the quality control state of a test on an instrument. Without a plan and without runs it is due. */
export const loadQcStates = async (
  db: Db,
  instrumentIds: readonly number[],
): Promise<(instrumentId: number, testCode: string) => QcState> => {
  const states = new Map<string, QcState>()
  const { from } = statusList({ page: 1, perPage: -1, filters: {}, sort: null })
  const { rows } = await sql<{ instrumentId: number; testCode: string; state: QcState }>`
    select f.instrument_id as "instrumentId", f.code as "testCode", f.control as state from ${from}
    where f.instrument_id = any(${[...new Set(instrumentIds)]}::int[])`.execute(db)
  for (const { instrumentId, testCode, state } of rows) states.set(`${instrumentId} ${testCode}`, state)
  return (instrumentId, testCode) => states.get(`${instrumentId} ${testCode}`) ?? 'DUE'
}
