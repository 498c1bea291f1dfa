import autocannon from 'autocannon'

export interface Target {
  url: string
  headers?: Record<string, string>
}

export interface Side {
  p50: number
  p99: number
  perSecond: number
}

export interface Pair {
  ours: Side
  bare: Side
}

const connections = 8
const rounds = 3

/** Both sides in turn, several times, and the best round of each: what else the machine is doing hits both alike. */
export const measurePair = async (ours: Target, bare: Target, seconds: number): Promise<Pair> => {
  await fire(ours, 1)
  await fire(bare, 1)
  const sides = { ours: [] as Side[], bare: [] as Side[] }
  for (let round = 0; round < rounds; round++) {
    sides.ours.push(await fire(ours, seconds))
    sides.bare.push(await fire(bare, seconds))
  }
  return { ours: best(sides.ours), bare: best(sides.bare) }
}

const fire = async ({ url, headers }: Target, duration: number): Promise<Side> => {
  const result = await autocannon({ url, headers, connections, duration })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url} answered ${result.non2xx} faults and ${result.errors} errors`)
  return { p50: result.latency.p50, p99: result.latency.p99, perSecond: result.requests.average }
}

const best = (sides: Side[]): Side => sides.reduce((one, other) => (other.perSecond > one.perSecond ? other : one))
