import type { Bench } from './bench.ts'
import { timed } from './measure.ts'
import type { Fact } from './report.ts'

const warmUp = 3
const calls = 15
const limitMs = 50

/** Home in one call, for everybody of the bench: people of each role, with much and with little in their scope. */
export const measureHome = async ({ ours, people }: Bench): Promise<Fact[]> => {
  const facts: Fact[] = []
  for (const { name, headers } of Object.values(people)) {
    const read = () => timed({ url: `${ours.api}/home`, headers })
    for (let round = 0; round < warmUp; round++) await read()
    const times: number[] = []
    for (let round = 0; round < calls; round++) times.push((await read()).ms)
    const { data } = JSON.parse((await read()).text) as { data: { failed: Record<string, string>; queues: unknown[] } }
    const failed = Object.keys(data.failed)
    if (failed.length > 0) throw new Error(`Home of ${name} failed: ${failed.join(', ')}`)
    times.sort((one, other) => one - other)
    facts.push({
      name,
      value: times[Math.floor(calls / 2)] as number,
      unit: 'ms',
      limit: limitMs,
      note: `${data.queues.length} queues, ${times[0]?.toFixed(0)} to ${times.at(-1)?.toFixed(0)} ms`,
    })
  }
  return facts
}
