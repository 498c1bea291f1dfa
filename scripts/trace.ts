// Which statements of docs/requirements are proven by a passing test, and at their level? Usage: npm run trace -- [--json] [--area sign-in]
import { parseArgs } from 'node:util'
import { type Evidence, gatherEvidence, readAreas } from './evidence.ts'
import { type Coverage, computeCoverage, maxIdsInTitle, sumUp } from './trace-lib.ts'

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
  else printCoverage(coverage, evidence, values.area !== undefined)
  if (coverage.unknown.length + coverage.crowded.length > 0) process.exitCode = 1
}

/** Unknown ids stay: a typo belongs to no area. */
const limitTo = (area: string | undefined, coverage: Coverage): Coverage => {
  const areas = coverage.areas.filter((one) => area === undefined || one.area === area)
  return { ...coverage, areas, total: sumUp(areas) }
}

const printCoverage = ({ areas, total, unknown, crowded }: Coverage, { source, note }: Evidence, withIds: boolean) => {
  console.log(`${note}\n`)
  console.log(lineOf(['', 'rows', 'proven at level', 'below it', 'not proven', 'cannot be shown']))
  for (const area of areas) {
    console.log(lineOf([area.title, ...countsOf(sumUp([area]))]))
    if (withIds) printIds(area)
  }
  console.log(lineOf(['Total', ...countsOf(total)]))
  if (source === 'titles') console.log(`\n${note}. Run npm test for results.`)
  for (const { id, title } of unknown) console.error(`Unknown id ${id} in the title '${title}'`)
  for (const { ids, title } of crowded) console.error(`${ids} ids, more than ${maxIdsInTitle}, in the title '${title}'`)
}

const countsOf = ({ rows, proven, below, notPassing, unnamed, cannotBeShown }: Coverage['total']): number[] => [
  rows,
  proven,
  below,
  notPassing + unnamed,
  cannotBeShown,
]

const lineOf = ([name = '', ...cells]: (string | number)[]): string =>
  [String(name).padEnd(44), ...cells.map((cell) => String(cell).padStart(16))].join('')

const printIds = ({ below, notPassing, unnamed, cannotBeShown }: Coverage['areas'][number]) => {
  const lists = {
    'proven below their level': below,
    'named, but by no passing test': notPassing,
    'named by no test': unnamed,
    'cannot be shown': cannotBeShown,
  }
  for (const [name, ids] of Object.entries(lists)) if (ids.length > 0) console.log(`  ${name}: ${ids.join(' ')}`)
}

main()
