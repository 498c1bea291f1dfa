import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { call, timed } from './measure.ts'
import type { Person } from './people.ts'
import type { Fact } from './report.ts'

const main = join(import.meta.dirname, '../apps/server/src/main.ts')
const rowsWanted = 100_000

/** A process of its own, so that its memory is the server's alone. */
const startServer = async ({ url, folder }: Bench) => {
  const port = 3111
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      LIS_SECRET: readFileSync(join(folder, 'secret.key'), 'utf8').trim(),
      LIS_DATA_DIR: folder,
      LIS_DEMO: '0',
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '1000000',
      PORT: String(port),
      HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const address = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const isUp = await call({ url: `${address}/health` }).then(
      () => true,
      () => false,
    )
    if (isUp) break
    if (tries > 300) throw new Error('The server for the export did not start')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const stop = () =>
    new Promise<void>((stopped) => {
      child.once('exit', () => stopped())
      child.kill('SIGTERM')
    })
  return {
    api: `${address}/api/v3.0`,
    megabytes: () => residentOf(child.pid as number),
    processor: () => processorOf(child.pid as number),
    stop,
  }
}

/** Resident memory, of Linux. */
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Seconds of processor time, of Linux, which counts in hundredths: what the work takes when nobody else is at the machine. */
const processorOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** An export of all rows that a user may see, up to about 100,000: rows per second, and the memory growth of the server. */
export const measureExports = async (bench: Bench): Promise<Fact[]> => {
  const { owner, people } = bench
  const { rows } = await owner.query<{ last: number; n: number }>(
    `select max(requisition_id) as last, count(*) as n from (select requisition_id from requisition_list order by collected_at desc limit $1) x`,
    [rowsWanted],
  )
  const count = rows[0]?.n ?? 0
  const { rows: days } = await owner.query<{ day: string }>(
    `select to_char(min(collected_at), 'MM/DD/YYYY') as day from (select collected_at from requisition_list order by collected_at desc limit $1) x`,
    [rowsWanted],
  )
  const server = await startServer(bench)
  const facts: Fact[] = []
  try {
    const { headers } = people.ADM as Person
    const ask = (format: string) => {
      const query = new URLSearchParams({ format, filter: `[dateCollected:"[${days[0]?.day}-12/31/2099]"]` })
      return timed({ url: `${server.api}/requisitions/ALL/export?${query}`, headers })
    }
    // The first one fills what a process keeps anyway.
    await timed({ url: `${server.api}/requisitions/PROCESS/export`, headers })
    for (const format of ['csv', 'xlsx']) {
      const before = server.megabytes()
      let peak = before
      const worked = server.processor()
      const watch = setInterval(() => {
        peak = Math.max(peak, server.megabytes())
      }, 50)
      const { ms } = await ask(format)
      clearInterval(watch)
      facts.push(
        {
          name: `export All of ${count.toLocaleString('en-US')} rows, ${format}`,
          value: count / (ms / 1000),
          unit: 'rows/s',
          limit: 20_000,
          isFloor: true,
          note: `${(ms / 1000).toFixed(1)} s, the server's processor time ${(server.processor() - worked).toFixed(1)} s`,
        },
        {
          name: `memory of the server during it, ${format}`,
          value: peak - before,
          unit: 'MB more',
          limit: 100,
          note: `from ${before.toFixed(0)} MB`,
        },
      )
    }
  } finally {
    await server.stop()
  }
  return facts
}
