import type { Pool } from '../apps/server/src/platform/db/pool.ts'
import { openBenchData } from './data.ts'
import { ensureIcdCodes } from './icd-codes.ts'
import { findPeople, type Person } from './people.ts'
import { findSamples, type Samples } from './samples.ts'
import { bareServer, ourServer } from './servers.ts'
import { makeThinTable } from './thin-table.ts'

/** Everything a measurement needs: the data, both servers, who asks, and what for. */
export interface Bench {
  size: number
  owner: Pool
  url: string
  folder: string
  ours: Awaited<ReturnType<typeof ourServer>>
  bare: Awaited<ReturnType<typeof bareServer>>
  people: Record<string, Person>
  samples: Samples
  close: () => Promise<void>
}

export const openBench = async (size: number): Promise<Bench> => {
  const data = await openBenchData(size)
  const seconds = await ensureIcdCodes(data.owner)
  if (seconds !== undefined) console.log(`75,000 ICD codes loaded in ${seconds.toFixed(1)} s`)
  await makeThinTable(data.owner)
  const people = await findPeople(data.owner)
  const samples = await findSamples(data.owner)
  const ours = await ourServer(data.url, data.folder)
  const bare = await bareServer(data.url)
  const close = async () => {
    await bare.close()
    await ours.close()
    await data.close()
  }
  return { size, owner: data.owner, url: data.url, folder: data.folder, ours, bare, people, samples, close }
}
