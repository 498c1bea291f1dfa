import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changedFiles, selectTests, testFiles } from './check-selection.ts'
import { type Count, countPlaywright, countVitest, flakyJourneys, flakyTests } from './test-counts.ts'

/** The one command that proves everything: `npm test`. With --fast (`npm run check`) the fast tests and those of changed folders only. */
const root = join(import.meta.dirname, '..')
const isFast = process.argv.includes('--fast')
// The results of a whole run stay for `npm run trace`.
const results = join(root, isFast ? '.cache/check-results' : '.cache/test-results')
const bin = (name: string) => join(root, 'node_modules', name)
const node = [process.execPath, '--disable-warning=ExperimentalWarning']

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

interface Step {
  name: string
  command: string[]
  env?: Record<string, string>
}

const run = ({ name, command, env }: Step): Promise<boolean> =>
  new Promise((done) => {
    const started = Date.now()
    const [program, ...args] = command as [string, ...string[]]
    // Quiet steps are buffered, so that those that run together do not mix their lines.
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
      // What went wrong, and not the thousands of lines of what did not.
      if (code !== 0) console.log(output.replace(/^ *✓.*\n/gmu, ''))
      done(code === 0)
    })
  })

/** The rules are in `.dependency-cruiser.mjs`. */
const cruiseArguments = ['--config', '.dependency-cruiser.mjs', 'apps', 'packages', 'proof', 'bench', 'scripts', 'e2e']

/** With --fast, files whose types cannot have changed since the last check are skipped. */
const typeCheck = (name: string, project: string): Step => {
  const buildInfo = join(root, '.cache/types', `${name.replaceAll(/\W+/gu, '-')}.tsbuildinfo`)
  const incremental = isFast ? ['--incremental', '--tsBuildInfoFile', buildInfo] : []
  return { name: `types: ${name}`, command: [bin('.bin/tsc'), '--noEmit', '-p', project, ...incremental] }
}

const checks: Step[] = [
  typeCheck('contract, server, scripts', 'tsconfig.json'),
  typeCheck('web', 'apps/web/tsconfig.json'),
  typeCheck('browser journeys', 'e2e/tsconfig.json'),
  { name: 'lint and format', command: [bin('.bin/biome'), 'ci', '--error-on-warnings', '.'] },
  {
    name: 'boundaries and import cycles',
    command: [...node, bin('dependency-cruiser/bin/dependency-cruiser.mjs'), ...cruiseArguments],
  },
  { name: 'dead code', command: [...node, bin('knip/bin/knip.js'), '--no-progress'] },
]
const vitestFile = join(results, 'vitest.json')
const playwrightFile = join(results, 'playwright.json')
const selected = isFast ? selectTests(testFiles(root), changedFiles(root)) : []
const unit: Step = {
  name: isFast ? `${selected.length} files of fast tests and of changed folders` : 'unit and API tests',
  command: [...node, bin('vitest/vitest.mjs'), 'run', ...selected],
  env: { LIS_TEST_JSON: vitestFile },
}
const browser: Step = {
  name: 'browser journeys',
  command: [...node, bin('@playwright/test/cli.js'), 'test', '-c', 'e2e/playwright.config.ts'],
}

/** What was tested, for the validation pack. */
const source = () => {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const commit = git('rev-parse', '--short', 'HEAD') || 'unknown'
  return { version, commit: git('status', '--porcelain') ? `${commit}, changed` : commit }
}
const now = () => `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`

const outcomes = await Promise.all(checks.map(run))
const suites: Count[] = [{ passed: outcomes.filter(Boolean).length, failed: outcomes.filter((ok) => !ok).length }]

const suite = async (
  step: Step,
  file: string,
  count: (report: unknown) => Count,
  flaky: (report: unknown) => string[],
) => {
  const ok = await run(step)
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  const counted = report ? count(report) : { passed: 0, failed: 0 }
  for (const title of report ? flaky(report) : []) console.log(`flaky  passed only when tried again: ${title}`)
  // A run that broke before it could report, or that found nothing to run, has failed whatever it counted.
  suites.push(
    !ok && counted.failed === 0
      ? { ...counted, failed: 1 }
      : counted.passed + counted.failed === 0
        ? { passed: 0, failed: 1 }
        : counted,
  )
}
await suite(unit, vitestFile, countVitest, flakyTests)
if (!isFast) await suite(browser, playwrightFile, countPlaywright, flakyJourneys)

const total = suites.reduce((sum, one) => ({ passed: sum.passed + one.passed, failed: sum.failed + one.failed }))
writeFileSync(join(results, 'run.json'), JSON.stringify({ ...source(), finishedAt: now(), isWhole: !isFast }))
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0
