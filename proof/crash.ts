import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../apps/server/test/free-port.ts'
import { openMailServer } from '../apps/server/test/mail-server.ts'
import { findFaults, waitUntilIdle } from './check.ts'
import { type Cluster, type ClusterOptions, openCluster } from './cluster.ts'
import { type Ledger, startLoad } from './load.ts'

export interface CrashOptions {
  rounds: number
  /** Which parts are killed in each round; by default random. */
  victims?: readonly (readonly Victim[])[]
  /** Ends the leases of dead processes at once. */
  hurry?: boolean
  say?: (line: string) => void
  /** What leads to the database, such as a pooler. */
  through?: ClusterOptions['through']
}

type Victim = 'server' | 'worker' | 'postgres'

export interface CrashResult {
  rounds: number
  kills: Record<Victim, number>
  /** Answered, by kind. */
  answered: Record<keyof Ledger, number>
  sent: number
  repeats: number
  /** How long nobody answered, per round. */
  downMs: number[]
  idleSeconds: number
  faults: string[]
}

const all: readonly Victim[] = ['server', 'worker', 'postgres']
const draw = (): Victim[] => {
  const some = all.filter(() => Math.random() < 0.5)
  return some.length > 0 ? some : [all[Math.floor(Math.random() * all.length)] as Victim]
}

/** Kills parts of the product at random times under load, restarts them, and then checks every reply it gave. */
export const runCrash = async ({
  rounds,
  victims,
  hurry = false,
  say = () => undefined,
  through,
}: CrashOptions): Promise<CrashResult> => {
  const mail = await openMailServer()
  const cluster = await openCluster({
    servers: 1,
    workers: 1,
    env: { SMTP_URL: mail.url, HL7_LISTEN: `127.0.0.1:${await freePort()}` },
    ...(through && { through }),
  })
  const [server] = cluster.servers
  const [worker] = cluster.workers
  if (!server || !worker) throw new Error('The cluster is empty')
  const kills = { server: 0, worker: 0, postgres: 0 }
  const downMs: number[] = []
  let logged = 0
  let diedAt = new Date()
  try {
    const load = await startLoad(cluster, () => server.url)
    await untilMore(load.answered, 20)
    for (let round = 1; round <= rounds; round++) {
      const chosen = victims?.[(round - 1) % victims.length] ?? draw()
      await wait(300 + Math.random() * 1700)
      if (chosen.includes('worker')) await untilLoading(cluster)
      const began = performance.now()
      const restarts: Promise<void>[] = []
      for (const victim of chosen) {
        kills[victim]++
        if (victim === 'postgres') await cluster.postgres.kill()
        else await (victim === 'server' ? server : worker).kill()
        diedAt = new Date()
        await wait(Math.random() * 150)
      }
      if (chosen.includes('postgres')) restarts.push(cluster.postgres.untilBack())
      if (chosen.includes('server')) restarts.push(server.start())
      if (chosen.includes('worker')) restarts.push(worker.start())
      await untilMore(load.answered, 1)
      if (load.faults.length > logged) say(server.output())
      logged = load.faults.length
      downMs.push(Math.round(performance.now() - began))
      await Promise.all(restarts)
      await untilMore(load.answered, 20)
      for (const one of [server, worker])
        if (one.hasEnded()) throw new Error(`${one.name} has ended by itself: ${one.output()}`)
      say(`round ${round}: ${chosen.join(', ')}; work again after ${downMs.at(-1)} ms, ${load.answered()} answers`)
    }
    await load.stop()
    const stopped = performance.now()
    const left = await waitUntilIdle(cluster, hurry ? { seconds: 180, diedAt } : { seconds: 300 })
    const idleSeconds = Math.round((performance.now() - stopped) / 1000)
    const faults = [
      ...load.faults,
      ...left.map((what) => `not finished: ${what}`),
      ...(await findFaults(cluster, load.ledger, mail, server.url)),
    ]
    const answered = Object.fromEntries(
      Object.entries(load.ledger).map(([kind, list]) => [kind, list.length]),
    ) as CrashResult['answered']
    return { rounds, kills, answered, sent: load.sent(), repeats: load.repeats(), downMs, idleSeconds, faults }
  } finally {
    await cluster.close()
    await mail.close()
  }
}

/** Waits some seconds for a running load, so that the worker is killed in the middle of it. */
const untilLoading = async ({ pool }: Cluster) => {
  for (const end = Date.now() + 5000; Date.now() < end; await wait(5)) {
    const { rowCount } = await pool.query("select from csv_load where state = 'RUNNING'")
    if (rowCount) return
  }
}

/** Waits for more replies; throws when there are none for three minutes. */
const untilMore = async (answered: () => number, more: number) => {
  const goal = answered() + more
  for (const end = Date.now() + 180_000; answered() < goal; await wait(20))
    if (Date.now() > end) throw new Error('Nobody has answered for three minutes')
}
