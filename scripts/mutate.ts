import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest, type Vitest } from 'vitest/node'
import { applyMutant, type Mutant, mutantsIn, shuffle } from './mutants.ts'

interface Area {
  /** Files whose lines are changed; tests and routes are left out. */
  rules: string[]
  /** Parts of the paths of the tests that should notice; each step runs only if the one before noticed nothing. */
  tests: string[][]
}

const contract = 'packages/contract/src'
const modules = 'apps/server/src/modules'

const areas: Area[] = [
  // Permissions
  {
    rules: [`${contract}/access/*.ts`],
    tests: [[`${contract}/access/`], ['apps/web/src/app/', 'apps/server/test/authorization/calls.test.ts']],
  },
  // The life cycle
  {
    rules: [`${contract}/requisitions/*.ts`],
    tests: [
      [`${contract}/requisitions/`],
      [`${modules}/life-cycle/`, `${modules}/requisition-list/list.test.ts`, `${modules}/requisition-entry/`],
      [`${modules}/requisition-detail/`, 'apps/web/src/features/requisition'],
    ],
  },
  {
    rules: [`${modules}/life-cycle/*.ts`],
    tests: [
      [`${modules}/life-cycle/`],
      [`${modules}/requisition-detail/`, `${modules}/lab-tests/`],
      [`${modules}/billing-batches/`, `${modules}/deliveries/`, `${modules}/reports/`],
    ],
  },
  // Result ranges
  {
    rules: [`${contract}/results/*.ts`, `${contract}/collaborator-ranges.ts`, `${contract}/requisition-tests.ts`],
    tests: [[`${contract}/`], [`${modules}/lab-tests/`, `${modules}/collaborators/`]],
  },
  {
    rules: [`${modules}/lab-tests/*.ts`],
    tests: [
      [`${modules}/lab-tests/`],
      [`${modules}/csv-loads/`, `${modules}/reports/`, `${modules}/requisition-entry/`],
    ],
  },
  // Money
  {
    rules: [`${contract}/money.ts`, `${contract}/billing.ts`, `${contract}/payments.ts`],
    tests: [[`${contract}/`], [`${modules}/billing/`, `${modules}/billing-batches/`]],
  },
  {
    rules: [`${modules}/billing/*.ts`],
    tests: [
      [`${modules}/billing/`],
      [`${modules}/billing-batches/`, `${modules}/requisition-entry/`, `${modules}/deleted-records/`],
    ],
  },
  // Scope
  {
    rules: [`${modules}/requisition-record/*.ts`, 'apps/server/src/platform/db/scope.ts'],
    tests: [
      ['apps/server/src/platform/db/', `${modules}/requisition-list/list.test.ts`, `${modules}/requisition-detail/`],
      ['apps/server/test/authorization/records.test.ts', `${modules}/patients/`, `${modules}/reports/`],
    ],
  },
]

const usage = `npm run mutate -- [--count 50] [--seed 1] [--only part-of-a-path] [--nearest]
Breaks random lines of the rules, one at a time and in a copy, and names those that no test notices.
With --nearest only the first step of tests runs for each: fast, and it names more.`

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    nearest: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

interface Candidate extends Mutant {
  file: string
  tests: string[][]
}

const root = join(import.meta.dirname, '..')

/** One change per line at most, so that a long condition does not take all of them. */
const chooseMutants = (): Candidate[] => {
  const candidates = areas.flatMap(({ rules, tests }) =>
    rules.flatMap((pattern) => {
      const files = globSync(pattern, { cwd: root }).filter((file) => !/\.test\.ts$|routes\.ts$/u.test(file))
      if (files.length === 0) throw new Error(`No file matches ${pattern}`)
      return files
        .filter((file) => file.includes(values.only))
        .flatMap((file) =>
          mutantsIn(readFileSync(join(root, file), 'utf8'), file).map((one) => ({ ...one, file, tests })),
        )
    }),
  )
  const lines = new Map<string, Candidate>()
  for (const one of shuffle(candidates, Number(values.seed)))
    if (!lines.has(`${one.file}:${one.line}`)) lines.set(`${one.file}:${one.line}`, one)
  console.log(`${candidates.length} possible changes in ${lines.size} lines; seed ${values.seed}`)
  return [...lines.values()].slice(0, Number(values.count))
}

/** The working tree with its uncommitted changes; packages are linked, but for the project's own, which must be the copied ones. */
const copyTree = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'lis-mutate-'))
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z']
  const listed = execFileSync('git', git, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter(Boolean)
  for (const file of listed) cpSync(join(root, file), join(copy, file), { recursive: true, force: true })
  for (const folder of ['.', ...globSync('{apps,packages}/*', { cwd: root }), 'e2e']) linkPackages(folder, copy)
  const own = join(copy, 'node_modules/@lis')
  rmSync(own)
  cpSync(join(root, 'node_modules/@lis'), own, { recursive: true, verbatimSymlinks: true })
  return copy
}

const linkPackages = (folder: string, copy: string) => {
  const from = join(root, folder, 'node_modules')
  if (!existsSync(from)) return
  const to = join(copy, folder, 'node_modules')
  mkdirSync(to, { recursive: true })
  // Not the caches of the tools.
  for (const name of readdirSync(from).filter((one) => !one.startsWith('.') || one === '.bin'))
    symlinkSync(join(from, name), join(to, name))
}

/** A file of tests that fails; the first failure ends the run. */
const findFailure = async (vitest: Vitest, filters: string[]): Promise<string | undefined> => {
  const specifications = await vitest.globTestSpecifications(filters)
  if (specifications.length === 0) throw new Error(`No test matches ${filters.join(' ')}`)
  // Failures of the run before would count, and end this one before it begins.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const failed = testModules.find((module) => !module.ok())
  return failed?.moduleId ?? (unhandledErrors.length > 0 ? specifications[0]?.moduleId : undefined)
}

/** The step of tests that notices a change is the last that runs. */
const findFailureInSteps = async (vitest: Vitest, steps: string[][]) => {
  for (const filters of steps) {
    const failure = await findFailure(vitest, filters)
    if (failure) return failure
  }
  return undefined
}

/** Tests known to pass on the unchanged source: only their failures count. */
const reliable = new Set<string>()

const tryMutant = async (vitest: Vitest, path: string, source: string, mutant: Candidate): Promise<string> => {
  const replaceSource = (text: string) => {
    writeFileSync(path, text)
    vitest.invalidateFile(path)
  }
  replaceSource(applyMutant(source, mutant))
  const noticedBy = await findFailureInSteps(vitest, values.nearest ? mutant.tests.slice(0, 1) : mutant.tests)
  replaceSource(source)
  if (!noticedBy) return 'NOT NOTICED'
  if (!reliable.has(noticedBy) && (await findFailure(vitest, [noticedBy])))
    return `UNCLEAR (${basename(noticedBy)} fails without the change too)`
  reliable.add(noticedBy)
  return `noticed by ${basename(noticedBy)}`
}

const onOneLine = (text: string) => text.replace(/\s+/gu, ' ')
const describeMutant = ({ file, line, start, end, replacement }: Candidate, source: string) =>
  `${file}:${line}  ${onOneLine(source.slice(start, end))}  →  ${onOneLine(replacement) || '(dropped)'}`

const run = async () => {
  const mutants = chooseMutants()
  const copy = copyTree()
  process.chdir(copy)
  const vitest = await createVitest('test', {
    root: copy,
    watch: false,
    bail: 1,
    retry: 0,
    reporters: [{}],
  })
  const cleanUp = async () => {
    await vitest.close()
    process.chdir(root)
    rmSync(copy, { recursive: true, force: true })
  }
  process.once('SIGINT', () => void cleanUp().finally(() => process.exit(130)))
  try {
    const open: string[] = []
    for (const [index, mutant] of mutants.entries()) {
      const started = Date.now()
      const source = readFileSync(join(copy, mutant.file), 'utf8')
      const outcome = await tryMutant(vitest, join(copy, mutant.file), source, mutant)
      const line = `${outcome}: ${describeMutant(mutant, source)}`
      if (!outcome.startsWith('noticed')) open.push(line)
      console.log(`${index + 1}/${mutants.length} (${((Date.now() - started) / 1000).toFixed(1)} s) ${line}`)
    }
    console.log(`\n${mutants.length - open.length} of ${mutants.length} changes were noticed.`)
    for (const line of open) console.log(`  ${line}`)
    process.exitCode = open.length > 0 ? 1 : 0
  } finally {
    await cleanUp()
  }
}

if (values.help) console.log(usage)
else await run()
