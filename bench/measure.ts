import { Agent, request } from 'node:http'
import autocannon from 'autocannon'

export interface Target {
  url: string
  headers?: Record<string, string>
}

export interface Side {
  p50: number
  p99: number
  /** Set where many asked at once. */
  perSecond?: number
}

export interface Pair {
  ours: Side
  bare: Side
}

export interface Reply {
  ms: number
  status: number
  text: string
}

const agent = new Agent({ keepAlive: true })

export const call = (
  { url, headers = {} }: Target,
  { method = 'GET', body }: { method?: string; body?: unknown } = {},
): Promise<Reply> =>
  new Promise((done, fail) => {
    const start = performance.now()
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const type = sent === undefined ? {} : { 'content-type': 'application/json' }
    const asked = request(url, { method, agent, headers: { ...headers, ...type } }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('error', fail)
      reply.on('end', () => {
        const text = Buffer.concat(parts).toString()
        done({ ms: performance.now() - start, status: reply.statusCode ?? 0, text })
      })
    })
    asked.on('error', fail)
    asked.end(sent)
  })

/** A call that must succeed, and how long it took. */
export const timed = async (target: Target, more?: { method?: string; body?: unknown }): Promise<Reply> => {
  const reply = await call(target, more)
  if (reply.status !== 200) throw new Error(`${target.url} answered ${reply.status}: ${reply.text.slice(0, 300)}`)
  return reply
}

const mostPairs = 150
const warmUp = 6

/** Alternately, for a number of seconds, so that other load on the machine affects both equally. */
export const measureInTurn = async (ours: Target, bare: Target, seconds: number): Promise<Pair> => {
  // Without time to spend, three of each: enough to find what is slow, not to judge by.
  const fewest = seconds > 0 ? 25 : 3
  for (let warm = 0; warm < Math.min(fewest, warmUp); warm++) await Promise.all([timed(ours), timed(bare)])
  const times = { ours: [] as number[], bare: [] as number[] }
  const end = performance.now() + seconds * 1000
  while (times.ours.length < fewest || (performance.now() < end && times.ours.length < mostPairs)) {
    times.ours.push((await timed(ours)).ms)
    times.bare.push((await timed(bare)).ms)
  }
  return { ours: sideOf(times.ours), bare: sideOf(times.bare) }
}

const sideOf = (times: readonly number[]): Side => {
  const sorted = [...times].sort((one, other) => one - other)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

const connections = 8
const rounds = 3

/** Eight at once, both sides in turn, several times, and the best round of each. */
export const measureUnderLoad = async (ours: Target, bare: Target, seconds: number): Promise<Pair> => {
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

const best = (sides: Side[]): Side =>
  sides.reduce((one, other) => ((other.perSecond ?? 0) > (one.perSecond ?? 0) ? other : one))
