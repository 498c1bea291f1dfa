import type { Bench } from './bench.ts'
import { timed } from './measure.ts'
import type { Fact } from './report.ts'

const rounds = 7
const mostMs = 50

/** `GET home` of every role, of the narrow ones with much and with little: the median of some calls, after one that warms up. */
export const measureHome = async ({ ours, people }: Bench): Promise<Fact[]> => {
  const facts: Fact[] = []
  for (const { name, headers } of Object.values(people)) {
    const times: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const { ms, text } = await timed({ url: `${ours.api}/home`, headers })
      const { failed } = (JSON.parse(text) as { data: { failed: Record<string, string> } }).data
      if (Object.keys(failed).length > 0) throw new Error(`Home of ${name} failed: ${JSON.stringify(failed)}`)
      if (round > 0) times.push(ms)
    }
    times.sort((one, other) => one - other)
    facts.push({
      name: `home of ${name}, median of ${rounds}`,
      value: times[Math.floor(rounds / 2)] as number,
      unit: 'ms',
      limit: mostMs,
      note: `${times[0]?.toFixed(1)} to ${times.at(-1)?.toFixed(1)} ms`,
    })
  }
  return facts
}
