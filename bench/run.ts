import { parseArgs } from 'node:util'
import { openBenchData } from './data.ts'
import { measurePair } from './measure.ts'
import { printTable, type Row } from './report.ts'
import { bareServer, ourServer } from './servers.ts'

/**
 * Measures the product against the best that the same machine can do in the same minute: each list call beside a bare Fastify route
 * that runs the same SQL. These machines are noisy, so only ratios are judged. `npm run bench -- --requisitions 100000`
 */
const { values } = parseArgs({
  options: { requisitions: { type: 'string', default: '1000000' }, seconds: { type: 'string', default: '4' } },
})

/** p50 within 2 times, p99 within 3 times of the bare route. */
const limits = { p50: 2, p99: 3 }

const data = await openBenchData(Number(values.requisitions))
const ours = await ourServer(data.url, data.folder)
const bare = await bareServer(data.url)
const rows: Row[] = []
try {
  const token = await ours.signIn('ADM')
  for (const list of bare.calls) {
    const measured = await measurePair(
      { url: `${ours.address}/api/v3.0/${list.path}`, headers: { authorization: `Bearer ${token}` } },
      { url: `${bare.address}${list.route}` },
      Number(values.seconds),
    )
    rows.push({ name: list.name, ...measured })
  }
} finally {
  await bare.close()
  await ours.close()
  await data.close()
}
const failed = printTable(rows, limits)
process.exitCode = failed ? 1 : 0
