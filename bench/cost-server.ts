import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runningEmbeddedUrl } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { openPool, type Pool } from '../apps/server/src/platform/db/pool.ts'
import { runServer, untilReady } from '../apps/server/test/server-process.ts'
import { type Account, openAccounts } from './cost-sign-in.ts'
import { openBenchData } from './data.ts'
import { findPeople, type Person } from './people.ts'
import { type Processor, watchProcessor } from './processor.ts'

/** The product in a process of its own, as `npm start` runs it, and what the calls need. */
export interface CostBench {
  size: number
  url: string
  api: string
  databaseUrl: string
  owner: Pool
  /** Of an administrator. */
  headers: Record<string, string>
  /** Requisitions to read and save. */
  ids: readonly number[]
  accounts: readonly Account[]
  /** Requisitions of the next bulk move. */
  movable: number[]
  processor: () => Processor
  close: () => Promise<void>
}

const idsWanted = 1000
const accountsWanted = 8

export const openCostBench = async (size: number, nodeOptions: readonly string[] = []): Promise<CostBench> => {
  const data = await openBenchData(size)
  const people = await findPeople(data.owner)
  const accounts = await openAccounts(data.owner, accountsWanted)
  await data.close()

  const server = await untilReady(
    await runServer({
      LIS_DATA_DIR: data.folder,
      ...withoutLimits,
      NODE_OPTIONS: ['--max-semi-space-size=8', ...nodeOptions].join(' '),
    }),
  )
  const postgres = join(data.folder, 'postgres')
  const databaseUrl = runningEmbeddedUrl(postgres)
  const owner = openPool(databaseUrl, { max: 2 })
  const pid = server.child.pid as number
  const postmaster = Number(readFileSync(join(postgres, 'postmaster.pid'), 'utf8').split('\n')[0])
  const { rows } = await owner.query<{ ids: number[] }>(
    `select array(select id from requisition where deleted_at is null order by id limit $1) as ids`,
    [idsWanted],
  )
  return {
    size,
    url: server.url,
    api: `${server.url}/api/v3.0`,
    databaseUrl,
    owner,
    headers: (people.ADM as Person).headers,
    ids: rows[0]?.ids ?? [],
    accounts,
    movable: [],
    processor: watchProcessor(pid, postmaster),
    close: async () => {
      await owner.end()
      await server.stop()
    },
  }
}

/** All calls come from one address here. */
const withoutLimits = { RATE_LIMIT_PER_MINUTE: '1000000', SIGN_IN_LIMIT_PER_MINUTE: '1000000' }
