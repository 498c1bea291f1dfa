// Which statements of docs/requirements does a passing test name? Usage: npm run trace -- [--json] [--area sign-in]
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Area,
  type Coverage,
  computeCoverage,
  parseArea,
  type TitledTest,
  testsOfPlaywright,
  testsOfVitest,
  titlesInSource,
} from './trace-lib.ts'

interface Evidence {
  source: 'run' | 'titles'
  note: string
  tests: TitledTest[]
}

const root = join(import.meta.dirname, '..')
const reports = [
  { path: '.cache/test-results/vitest.json', read: testsOfVitest },
  { path: '.cache/test-results/playwright.json', read: testsOfPlaywright },
]

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

const readAreas = (): Area[] => {
  const folder = join(root, 'docs/requirements')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => parseArea(basename(file, '.md'), readFileSync(join(folder, file), 'utf8')))
}

const gatherEvidence = (): Evidence => {
  const found = reports.filter(({ path }) => existsSync(join(root, path)))
  if (found.length === 0)
    return { source: 'titles', note: 'FROM TITLES, NOT FROM A RUN: no test results found', tests: readTitles() }
  const missing = reports.filter((report) => !found.includes(report)).map(({ path }) => path)
  return {
    source: 'run',
    note: `From the test run in ${found.map(({ path }) => path).join(' and ')}${missing.map((path) => `; ${path} is missing`).join('')}`,
    tests: found.flatMap(({ path, read }) => read(JSON.parse(readFileSync(join(root, path), 'utf8')))),
  }
}

const readTitles = (): TitledTest[] =>
  globSync('{packages,apps,e2e,scripts}/**/*.{test.ts,test.tsx,spec.ts}', {
    cwd: root,
    exclude: (path) => basename(path) === 'node_modules',
  })
    .sort()
    .flatMap((file) => titlesInSource(readFileSync(join(root, file), 'utf8')))
    .map((title) => ({ title, passed: true }))

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
