import { setTimeout as wait } from 'node:timers/promises'
import { openMailServer } from '../apps/server/test/mail-server.ts'
import { findFaults, waitUntilIdle } from './check.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { type Ledger, startLoad } from './load.ts'
import { openPatroniCluster, type PatroniCluster } from './patroni.ts'
import { openProxy } from './proxy.ts'

export interface FailoverResult {
  /** How long nobody answered. */
  seconds: { killed: number; cutOff: number; switchedOver: number }
  answered: Record<keyof Ledger, number>
  sent: number
  repeats: number
  faults: string[]
}

/** Kills the primary under load, cuts it off, and orders a switchover; then checks every reply that was given. */
export const runFailover = async (say: (line: string) => void, isDirect = false): Promise<FailoverResult> => {
  const mail = await openMailServer()
  const proxy = await openProxy()
  let patroni: PatroniCluster | null = null
  let cluster: Cluster | null = null
  try {
    patroni = await openPatroniCluster()
    say('three nodes under Patroni are running')
    cluster = await openCluster({
      servers: 2,
      workers: 1,
      publicPort: proxy.port,
      env: { SMTP_URL: mail.url },
      databaseUrl: isDirect ? patroni.directUrl : patroni.url,
    })
    const { servers, workers } = cluster
    proxy.leadTo(servers.map(({ url }) => url))
    const load = await startLoad(cluster, () => proxy.url)
    await untilMore(load.answered, 40)
    const measure = async (event: () => Promise<string>, what: string) => {
      const gap = watchGap(load.answered)
      const former = await event()
      await patroni?.untilReplaced(former)
      await untilMore(load.answered, 40)
      const seconds = gap.end()
      say(`${what} (${former}): no answer for ${seconds} s, ${load.answered()} answers so far`)
      return { former, seconds }
    }
    const killed = await measure(() => (patroni as PatroniCluster).kill(), 'killed')
    patroni.restart(killed.former)
    await wait(15_000)
    const cutOff = await measure(() => (patroni as PatroniCluster).cutOff(), 'cut off')
    patroni.reconnect(cutOff.former)
    await wait(15_000)
    await patroni.untilSynchronous()
    const switched = await measure(() => (patroni as PatroniCluster).switchOver(), 'switched over')
    await untilMore(load.answered, 60)
    await load.stop()
    for (const one of [...servers, ...workers])
      if (one.hasEnded()) throw new Error(`${one.name} has ended by itself: ${one.output()}`)
    const left = await waitUntilIdle(cluster, { seconds: 300 })
    const faults = [
      ...load.faults,
      ...left.map((what) => `not finished: ${what}`),
      ...(await findFaults(cluster, load.ledger, mail, proxy.url)),
    ]
    const answered = Object.fromEntries(
      Object.entries(load.ledger).map(([kind, list]) => [kind, list.length]),
    ) as FailoverResult['answered']
    const seconds = { killed: killed.seconds, cutOff: cutOff.seconds, switchedOver: switched.seconds }
    return { seconds, answered, sent: load.sent(), repeats: load.repeats(), faults }
  } finally {
    await cluster?.close()
    await patroni?.close()
    await proxy.close()
    await mail.close()
  }
}

/** The longest time without an answer. */
const watchGap = (answered: () => number) => {
  let [count, since, longest] = [answered(), performance.now(), 0]
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - since)
    if (answered() !== count) [count, since] = [answered(), now]
  }, 20)
  return {
    end: () => {
      clearInterval(timer)
      return Math.round(longest / 100) / 10
    },
  }
}

const untilMore = async (answered: () => number, more: number) => {
  const goal = answered() + more
  for (const end = Date.now() + 180_000; answered() < goal; await wait(20))
    if (Date.now() > end) throw new Error('Nobody has answered for three minutes')
}
