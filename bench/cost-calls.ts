import type { CostBench } from './cost-server.ts'
import { signIn } from './cost-sign-in.ts'
import { timed } from './measure.ts'

/** A call whose cost is measured. */
export interface CostCall {
  name: string
  /** The most that it may cost, in units of /healthz. A call without one is only shown. */
  most?: number
  /** Asked by eight at once; `index` counts the calls. Gives the number of rows where the cost of a row is shown. */
  run: (bench: CostBench, index: number) => Promise<number>
  /** Runs before each measurement, which does not count it. */
  before?: (bench: CostBench) => Promise<unknown>
  /** One at a time, as often as given. */
  times?: number
}

const get =
  (path: (bench: CostBench, index: number) => string): CostCall['run'] =>
  async (bench, index) => {
    await timed({ url: `${bench.api}/${path(bench, index)}`, headers: bench.headers })
    return 1
  }

const idOf = ({ ids }: CostBench, index: number) => ids[index % ids.length]

/** Each turn through the requisitions changes the value, so that every call writes. */
const save: CostCall['run'] = async (bench, index) => {
  const isSendNotif = Math.floor(index / bench.ids.length) % 2 === 0 ? 1 : 0
  const url = `${bench.api}/requisitions/${idOf(bench, index)}/send_notif`
  await timed({ url, headers: bench.headers }, { method: 'PUT', body: { isSendNotif } })
  return 1
}

const mostAsked = 500

interface MoveReply {
  data: { moved: number[] }
}

const move = async ({ api, headers }: CostBench, ids: readonly number[], dryRun: boolean): Promise<number[]> => {
  const url = `${api}/requisitions/LOG/next_status/bulk_move?id=${ids.join(',')}`
  const { text } = await timed({ url, headers }, { method: 'PUT', body: { dryRun } })
  return (JSON.parse(text) as MoveReply).data.moved
}

/** Takes back what a measurement has moved. */
export const moveBack = ({ owner, movable }: CostBench) =>
  owner.query(`update requisition set status_code = 'LOG' where id = any($1)`, [movable])

const prepareMove = async (bench: CostBench) => {
  await moveBack(bench)
  const { rows } = await bench.owner.query<{ ids: number[] }>(
    `select array(select id from requisition where status_code = 'LOG' and deleted_at is null order by id limit $1) as ids`,
    [mostAsked],
  )
  bench.movable = await move(bench, rows[0]?.ids ?? [], true)
}

/** The calls that a session makes most, and those that write, sign in and export. */
export const costCalls: readonly CostCall[] = [
  {
    name: 'healthz',
    run: async ({ url }) => {
      await timed({ url: `${url}/healthz` })
      return 1
    },
  },
  { name: 'lookup', most: 2.5, run: get(() => 'countries?page=1&perPage=25') },
  { name: 'status_count', most: 4, run: get(() => 'requisitions/status_count') },
  { name: 'list', most: 8, run: get(() => 'requisitions/ALL?page=1&perPage=25') },
  { name: 'requisition', most: 4, run: get((bench, index) => `requisitions/${idOf(bench, index)}`) },
  { name: 'clients', most: 5, run: get(() => 'clients?page=1&perPage=25') },
  { name: 'save', run: save },
  {
    name: 'bulk move',
    times: 1,
    before: prepareMove,
    run: async (bench) => (await move(bench, bench.movable, false)).length,
  },
  {
    name: 'sign-in',
    run: async ({ url, owner, accounts }, index) => {
      await signIn(url, owner, accounts[index % accounts.length] as CostBench['accounts'][number])
      return 1
    },
  },
  {
    name: 'export row',
    times: 1,
    run: async ({ api, headers, size }) => {
      await timed({ url: `${api}/requisitions/ALL/export?format=csv`, headers })
      return size
    },
  },
]
