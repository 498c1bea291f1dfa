import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { titlesInSource } from './test-titles.ts'
import {
  type Area,
  type Level,
  levelOfTest,
  parseArea,
  type TitledTest,
  testsOfPlaywright,
  testsOfVitest,
} from './trace-lib.ts'

/** The tests that are known, and where from. */
export interface Evidence {
  source: 'run' | 'titles'
  note: string
  tests: TitledTest[]
}

const root = join(import.meta.dirname, '..')
const reports = [
  {
    path: '.cache/test-results/vitest.json',
    read: (report: object) => testsOfVitest(report, (file) => levelOf(relative(root, file))),
  },
  { path: '.cache/test-results/playwright.json', read: testsOfPlaywright },
]

/** The catalogue of requirements. */
export const readAreas = (): Area[] => {
  const folder = join(root, 'docs/requirements')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => parseArea(basename(file, '.md'), readFileSync(join(folder, file), 'utf8')))
}

export const gatherEvidence = (): Evidence => {
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

/** The tests as the sources have them, taken for passed: what is meant to be proven. */
export const readTitles = (): TitledTest[] =>
  globSync('{packages,apps,e2e,scripts,bench,proof}/**/*.{test.ts,test.tsx,spec.ts}', {
    cwd: root,
    exclude: (path) => basename(path) === 'node_modules',
  })
    .sort()
    .flatMap((file) =>
      titlesInSource(readText(file), file).map((title) => ({ title, passed: true, level: levelOf(file) })),
    )

const levels = new Map<string, Level>()
const levelOf = (file: string): Level => {
  const level = levels.get(file) ?? levelOfTest(file, readText(file), importedBy(file))
  levels.set(file, level)
  return level
}

/** The texts of the files that a test imports by their path. */
const importedBy = (file: string): string[] =>
  [...readText(file).matchAll(/ from '(\.[^']+\.ts)'/g)].map(([, path = '']) => readText(join(dirname(file), path)))

const readText = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
