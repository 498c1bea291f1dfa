import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A test that imports from here builds a server, a database or whole processes. */
const harness = /from '[^']*\/(?:test|proof)\/[^']*'/u
const harnessFolders = ['apps/server/test/', 'proof/', 'bench/']
/** They start processes or databases by themselves. */
const startsProcesses = /\b(?:startEmbeddedPostgres|openTestDatabase|openTestApp|inject\('templateUrl'\)|spawn|fork)\(/u

interface TestFile {
  path: string
  source: string
}

/**
 * The tests of `npm run check`: all that need neither database nor process, and of the others those in a folder with a change. A file
 * of the contract also counts as a change to the server's module of the same name.
 */
export const selectTests = (tests: readonly TestFile[], changed: readonly string[]): string[] => {
  const folders = new Set(changed.flatMap((path) => [dirname(path), ...moduleOfContract(path)]))
  return tests
    .filter(({ path, source }) => isFast(path, source) || folders.has(dirname(path)))
    .map(({ path }) => path)
    .sort()
}

const isFast = (path: string, source: string) =>
  !harnessFolders.some((folder) => path.startsWith(folder)) && !harness.test(source) && !startsProcesses.test(source)

const moduleOfContract = (path: string): string[] => {
  const name = /^packages\/contract\/src\/([a-z-]+)/u.exec(path)?.[1]
  return name ? [`apps/server/src/modules/${name}`] : []
}

/** What differs from the branch `main` where this one left it, committed or not; without such a branch, what is not committed. */
export const changedFiles = (root: string): string[] => {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout ?? ''
  const base = git('merge-base', 'HEAD', 'main').trim() || 'HEAD'
  return `${git('diff', '--name-only', base)}${git('ls-files', '--others', '--exclude-standard')}`
    .split('\n')
    .filter(Boolean)
}

export const testFiles = (root: string): TestFile[] =>
  globSync('{packages,apps,scripts,bench,proof}/**/*.test.{ts,tsx}', {
    cwd: root,
    exclude: (path) => basename(path) === 'node_modules',
  }).map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }))
