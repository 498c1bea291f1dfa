import { parseArgs } from 'node:util'
import { openBench } from './bench.ts'
import { measureBeside, printBeside } from './beside.ts'
import { costLine, isTooExpensive, measureCost, printCost, writeCost } from './cost.ts'
import { measureCostParts, printCostParts } from './cost-parts.ts'
import { openCostBench } from './cost-server.ts'
import { factGroups, pairGroups } from './groups.ts'
import { measureInTurn, measureUnderLoad } from './measure.ts'
import {
  factLine,
  isMissed,
  isOver,
  type PairRow,
  pairLine,
  printFacts,
  printGrowth,
  printPairs,
  printVerdict,
} from './report.ts'

/**
 * Measures the product against the best that the same machine can do in the same minute: each call beside a bare Fastify route that
 * runs the best SQL known, and what has a limit of its own against that. Machines are noisy, so of the pairs only ratios are judged.
 * `npm run bench -- --requisitions 10000,100000,1000000 --only views,counts`
 */
const { values } = parseArgs({
  options: {
    requisitions: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    match: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'string' },
    beside: { type: 'string' },
    'beside-token': { type: 'string' },
  },
})
const sizes = values.requisitions.split(',').map(Number)
const seconds = Number(values.seconds)
const only = values.only.split(',').filter(Boolean)
const isVerbose = values.verbose
const isAsked = (group: string) => only.length === 0 || only.includes(group)

const growth = new Map<string, Map<number, string>>()
const note = (name: string, size: number, figure: string) => {
  const bySize = growth.get(name) ?? new Map<number, string>()
  growth.set(name, bySize.set(size, figure))
}
const missed: string[] = []

const mostTries = seconds > 0 ? 3 : 1

const measureCostOf = async (size: number) => {
  const rows = await measureCost(size, seconds, values.match)
  printCost(size, rows)
  const parts = await measureCostParts(size, seconds)
  printCostParts(parts)
  const beside = values.beside ? await measureBesideOf(size, values.beside) : null
  if (values.json) writeCost(values.json, { size, rows, parts, beside })
  missed.push(...rows.filter(isTooExpensive).map(costLine))
  for (const { name, units } of rows) note(`cost: ${name}`, size, `${units.toFixed(1)} units`)
}

const measureBesideOf = async (size: number, url: string) => {
  const bench = await openCostBench(size)
  try {
    const token = values['beside-token'] ?? process.env.BESIDE_TOKEN
    const rows = await measureBeside(bench, { url, token }, seconds)
    printBeside(url, rows)
    return rows
  } finally {
    await bench.close()
  }
}

const measureSize = async (size: number) => {
  // With its own server, on the same data folder.
  if (isAsked('cost')) await measureCostOf(size)
  if (only.length === 1 && isAsked('cost')) return
  const bench = await openBench(size)
  try {
    for (const [group, { calls, isLoad }] of Object.entries(pairGroups)) {
      if (!isAsked(group)) continue
      const rows: PairRow[] = []
      for (const call of calls(bench).filter(({ name }) => name.includes(values.match))) {
        const ours = { url: `${bench.ours.api}/${call.path}`, headers: call.person.headers }
        const bare = { url: await bench.bare.offer(call.bare) }
        const measure = async () => ({
          name: call.name,
          ...(await (isLoad ? measureUnderLoad : measureInTurn)(ours, bare, seconds)),
        })
        // Other load on the machine can slow one side only; a truly slow call is slow every time.
        let row = await measure()
        for (let tries = 1; isOver(row) && tries < mostTries; tries++) row = await measure()
        rows.push(row)
        if (isVerbose) console.log(pairLine(row))
        note(`${group}: ${call.name}`, size, `${row.ours.p50.toFixed(1)} ms`)
      }
      missed.push(...printPairs(`${group}, ${size.toLocaleString('en-US')}`, rows).map(pairLine))
    }
    for (const [group, measure] of Object.entries(factGroups)) {
      if (!isAsked(group)) continue
      const facts = await measure(bench)
      missed.push(
        ...printFacts(`${group}, ${size.toLocaleString('en-US')}`, facts)
          .filter(isMissed)
          .map(factLine),
      )
      for (const fact of facts)
        note(`${group}: ${fact.name}`, size, `${fact.value.toFixed(fact.value < 100 ? 1 : 0)} ${fact.unit}`)
    }
  } finally {
    await bench.close()
  }
}

for (const size of sizes) await measureSize(size)
if (sizes.length > 1) printGrowth(sizes, growth)
process.exitCode = printVerdict(missed)
