import { parseArgs } from 'node:util'
import { runCrash } from './crash.ts'

const usage = 'Usage: npm run prove -- crash [--rounds 30]'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '30' } },
})
if (positionals[0] !== 'crash') {
  console.error(usage)
  process.exit(1)
}
const result = await runCrash({ rounds: Number(values.rounds), say: (line) => console.log(line) })
const { faults, downMs, ...figures } = result
const sorted = [...downMs].sort((a, b) => a - b)
console.log(
  JSON.stringify({ ...figures, downMs: { median: sorted[sorted.length >> 1], longest: sorted.at(-1) } }, null, 1),
)
for (const fault of faults.slice(0, 50)) console.error(fault)
console.log(`${faults.length} faults`)
process.exitCode = faults.length > 0 ? 1 : 0
