import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { faultsOf, type Imports, ringsOf } from './boundaries-lib.ts'

/** Checks the dependency rule (docs/ARCHITECTURE.md) and that no files import each other in a ring. */
const root = dirname(import.meta.dirname)
const files = globSync(
  ['packages/contract/src/**/*.ts', 'apps/server/{src,seeds,test}/**/*.ts', 'apps/web/src/**/*.{ts,tsx}'],
  { cwd: root },
)

const importsOf = (file: string): Imports => {
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  const found = [
    ...module.staticImports.map((item) => ({
      from: item.moduleRequest.value,
      isType: item.entries.length > 0 && item.entries.every((entry) => entry.isType),
    })),
    ...module.staticExports.flatMap((item) =>
      item.entries.flatMap((entry) =>
        entry.moduleRequest ? [{ from: entry.moduleRequest.value, isType: entry.isType }] : [],
      ),
    ),
  ]
  return {
    file,
    targets: found.map(({ from, isType }) => ({
      isType,
      path: from.startsWith('.')
        ? relative(root, join(root, dirname(file), from))
        : from.replace(/^@lis\/contract\//, 'packages/contract/src/'),
    })),
  }
}

const graph = files.map(importsOf)
const faults = [...graph.flatMap(faultsOf), ...ringsOf(graph).map((ring) => `ring: ${ring.join(' -> ')}`)]
for (const fault of faults) console.error(fault)
console.log(`${files.length} files checked, ${faults.length} faults`)
process.exitCode = faults.length > 0 ? 1 : 0
