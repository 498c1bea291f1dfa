// Which statements of docs/requirements does a passing test name? Usage: npm run trace -- [--json] [--area sign-in]
import { parseArgs } from 'node:util'
import { type Evidence, gatherEvidence, readAreas } from './evidence.ts'
import { type Coverage, computeCoverage } from './trace-lib.ts'

const main = () => {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, area: { type: 'string' } } })
  const areas = readAreas()
  if (values.area && !areas.some(({ name }) => name === values.area)) {
    console.error(`There is no area '${values.area}'. Areas: ${areas.map(({ name }) => name).join(', ')}`)
    process.exitCode = 1
    return
  }
  const evidence = gatherEvidence()
  const coverage = limitTo(values.area, computeCoverage(areas, evidence.tests))
  if (values.json) console.log(JSON.stringify({ source: evidence.source, note: evidence.note, ...coverage }, null, 2))
  else printCoverage(coverage, evidence)
  if (coverage.unknown.length > 0) process.exitCode = 1
}

/** Unknown ids stay: a typo is nobody's area. */
const limitTo = (area: string | undefined, coverage: Coverage): Coverage => {
  const [only] = coverage.areas.filter((one) => one.area === area)
  if (!only) return coverage
  const { rows, covered, notPassing, unnamed } = only
  return {
    ...coverage,
    areas: [only],
    total: { rows, covered, notPassing: notPassing.length, unnamed: unnamed.length },
  }
}

const printCoverage = ({ areas, total, unknown }: Coverage, { source, note }: Evidence) => {
  const counts = (rows: number, covered: number) =>
    `${rows} rows, ${covered} ${source === 'run' ? 'covered by a passing test' : 'named in a title'}`
  console.log(`${note}\n`)
  for (const { area, title, rows, covered, notPassing, unnamed } of areas) {
    console.log(`${title} (${area}): ${counts(rows, covered)}`)
    if (notPassing.length > 0) console.log(`  named, but by no passing test: ${notPassing.join(' ')}`)
    if (unnamed.length > 0) console.log(`  named by no test: ${unnamed.join(' ')}`)
  }
  const percent = total.rows === 0 ? '0.0' : ((100 * total.covered) / total.rows).toFixed(1)
  console.log(`\nTotal: ${counts(total.rows, total.covered)} (${percent} %)`)
  if (source === 'titles') console.log(`${note}. Run npm test for results.`)
  for (const { id, title } of unknown) console.error(`Unknown id ${id} in the title '${title}'`)
}

main()
