import type { Bench } from './bench.ts'
import { timed } from './measure.ts'
import type { Person } from './people.ts'
import type { Fact } from './report.ts'

const wanted = 1000

interface Outcome {
  data: { moved: number[]; refused: { reason: string }[] }
}

/** 1,000 requisitions from Logged to Accessioned in one call, with history, audit, list and counters; and back again for the next run. */
export const measureMoves = async ({ ours, owner, people }: Bench): Promise<Fact[]> => {
  const { headers } = people.ADM as Person
  const move = async (ids: readonly number[], dryRun: boolean) => {
    const url = `${ours.api}/requisitions/LOG/next_status/bulk_move?id=${ids.join(',')}`
    const { ms, text } = await timed({ url, headers }, { method: 'PUT', body: { dryRun } })
    return { ms, outcome: (JSON.parse(text) as Outcome).data }
  }
  const { rows } = await owner.query<{ ids: number[] }>(
    `select array(select id from requisition where status_code = 'LOG' and deleted_at is null order by id limit 4000) as ids`,
  )
  const candidates = rows[0]?.ids ?? []
  // What the address may carry is limited, so they are asked about by the thousand.
  const movable: number[] = []
  for (let from = 0; from < candidates.length && movable.length < wanted; from += 1000)
    movable.push(...(await move(candidates.slice(from, from + 1000), true)).outcome.moved)
  const ids = movable.slice(0, wanted)
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const { ms, outcome } = await move(ids, false)
    if (outcome.moved.length !== ids.length)
      throw new Error(`Not moved: ${outcome.refused[0]?.reason ?? 'without a reason'}`)
    times.push(ms)
    await owner.query(`update requisition set status_code = 'LOG' where id = any($1)`, [ids])
  }
  await owner.query('vacuum analyze requisition, requisition_list, requisition_count_delta')
  return [
    {
      name: `bulk move of ${ids.length}, best of 3`,
      value: Math.min(...times) / 1000,
      unit: 's',
      limit: 2,
      note: `${times.map((ms) => (ms / 1000).toFixed(2)).join(', ')} s`,
    },
  ]
}
