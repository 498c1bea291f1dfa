import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = dirname(import.meta.dirname)

interface RuleFile {
  floors: { name: string; modules: string[] }[]
  default: { forbidden: IForbiddenRuleType[]; options: ICruiseOptions }
}
const { floors, default: rules } = (await import(pathToFileURL(join(root, '.dependency-cruiser.mjs')).href)) as RuleFile

const modules = 'apps/server/src/modules'
const web = 'apps/web/src'

/** A file, how it imports, what it imports, and the rule that refuses it. */
type Case = [file: string, form: keyof typeof forms, target: string, rule: string]

const forms = {
  value: (path: string) => `import { one } from '${path}'\nexport const two = one`,
  type: (path: string) => `import type { one } from '${path}'\nexport type Two = typeof one`,
  'type of a value': (path: string) => `import { type one } from '${path}'\nexport type Two = typeof one`,
  namespace: (path: string) => `import type * as all from '${path}'\nexport type Two = typeof all`,
  're-export': (path: string) => `export { one } from '${path}'`,
  dynamic: (path: string) => `export const load = () => import('${path}')`,
}

const refused: Case[] = [
  [`${modules}/clients/a.ts`, 'value', `${modules}/deliveries/one.ts`, 'floor-0-imports-down'],
  [`${modules}/requisition-record/a.ts`, 'type', `${modules}/issues/one.ts`, 'floor-0-imports-down'],
  [`${modules}/issues/a.ts`, 'dynamic', `${modules}/life-cycle/one.ts`, 'floor-1-imports-down'],
  [`${modules}/lab-tests/a.ts`, 'type', `${modules}/reports/one.ts`, 'floor-2-imports-down'],
  [`${modules}/specimens/a.ts`, 're-export', `${modules}/specimens/one.ts`, 'no-re-exports'],
  [`${web}/lib/barrel.ts`, 're-export', `${web}/lib/one.ts`, 'no-re-exports'],
  [`${modules}/reports/a.ts`, 'type of a value', `${modules}/deliveries/one.ts`, 'floor-3-imports-down'],
  [`${modules}/deliveries/a.ts`, 'namespace', `${modules}/requisition-entry/one.ts`, 'floor-4-imports-down'],
  [`${modules}/csv-loads/a.ts`, 'value', `${modules}/requisition-list/one.ts`, 'floor-5-imports-down'],
  [`${modules}/new-module/a.ts`, 'value', `${modules}/issues/one.ts`, 'floor-0-imports-down'],
  [`${modules}/csv-loads/b.ts`, 'value', `${modules}/clients/routes.ts`, 'module-entries-are-private'],
  [`${modules}/csv-loads/c.ts`, 'value', `${modules}/reports/jobs.ts`, 'module-entries-are-private'],
  [`${modules}/csv-loads/d.ts`, 'value', `${modules}/requisition-entry/edit-routes.ts`, 'module-entries-are-private'],
  [`${modules}/csv-loads/e.ts`, 'value', `${modules}/billing/restore.ts`, 'module-entries-are-private'],
  [`${modules}/sales/a.ts`, 'value', `${modules}/domain-event-handlers.ts`, 'handlers-only-at-start'],
  [`${modules}/sales/b.ts`, 'value', 'apps/server/src/app.ts', 'modules-import-modules'],
  [`${modules}/sales/c.ts`, 'value', 'apps/server/test/app.ts', 'modules-import-modules'],
  ['apps/server/src/platform/lists.ts', 'type', 'packages/contract/src/clients.ts', 'platform-knows-no-laboratory'],
  ['apps/server/src/platform/other.ts', 'dynamic', `${modules}/lookups/one.ts`, 'platform-knows-no-laboratory'],
  ['apps/server/seeds/a.ts', 'value', `${modules}/lookups/one.ts`, 'seeds-import-no-module'],
  ['apps/server/src/cli/a.ts', 'value', 'apps/server/test/app.ts', 'server-imports-server'],
  ['apps/server/src/start.ts', 'dynamic', 'scripts/dev.ts', 'server-imports-server'],
  ['packages/contract/src/sales.ts', 'value', 'apps/server/src/platform/one.ts', 'contract-stands-alone'],
  ['packages/contract/src/users.ts', 'value', 'node:fs', 'contract-stands-alone'],
  [
    'packages/contract/src/kit/route.ts',
    'value',
    'packages/contract/src/clients.ts',
    'contract-kit-knows-no-laboratory',
  ],
  [`${web}/lib/api.ts`, 'value', `${web}/ui/one.tsx`, 'web-lib-has-no-component'],
  [`${web}/ui/a.tsx`, 'type', 'packages/contract/src/clients.ts', 'web-ui-knows-no-laboratory'],
  [`${web}/ui/b.tsx`, 'value', `${web}/domain/one.tsx`, 'web-ui-knows-no-laboratory'],
  [`${web}/domain/a.tsx`, 'value', `${web}/features/sales/one.tsx`, 'web-domain-imports-no-feature'],
  [`${web}/features/clients/a.tsx`, 'dynamic', `${web}/features/sales/one.tsx`, 'web-features-stand-apart'],
  [`${web}/features/clients/b.tsx`, 'type', `${web}/app/one.tsx`, 'web-features-stand-apart'],
  [`${web}/app/a.tsx`, 'type', 'apps/server/src/app.ts', 'web-imports-web'],
  ['proof/a.ts', 'value', `${web}/lib/one.ts`, 'proof-and-bench-stand-above'],
  ['bench/a.ts', 'value', 'scripts/dev.ts', 'proof-and-bench-stand-above'],
  ['scripts/a.ts', 'value', 'proof/one.ts', 'scripts-stand-above'],
  ['e2e/support/a.ts', 'value', `${web}/lib/one.ts`, 'journeys-stand-above'],
]

const cycles: Case[] = [
  [`${modules}/freezer/cycle-a.ts`, 'value', `${modules}/freezer/cycle-b.ts`, 'no-file-cycles'],
  [`${modules}/freezer/cycle-b.ts`, 'type', `${modules}/freezer/cycle-c.ts`, 'no-file-cycles'],
  [`${modules}/freezer/cycle-c.ts`, 'dynamic', `${modules}/freezer/cycle-a.ts`, 'no-file-cycles'],
  [`${web}/lib/cycle-a.ts`, 'type', `${web}/lib/cycle-b.ts`, 'no-file-cycles'],
  [`${web}/lib/cycle-b.ts`, 'type', `${web}/lib/cycle-a.ts`, 'no-file-cycles'],
]

/** Two modules of one floor that import each other, in different files. */
const moduleCycle: Case[] = [
  [`${modules}/labels/a.ts`, 'value', `${modules}/patients/one.ts`, 'no-folder-cycles'],
  [`${modules}/patients/a.ts`, 'type', `${modules}/labels/one.ts`, 'no-folder-cycles'],
]

const unresolved: Case = [`${modules}/users/a.ts`, 'value', `${modules}/users/nowhere.ts`, 'resolvable']

const allowed: Case[] = [
  [`${modules}/deliveries/good.ts`, 'value', `${modules}/reports/one.ts`, ''],
  [`${modules}/lab-tests/good.ts`, 'value', `${modules}/specimens/one.ts`, ''],
  [`${modules}/clients/good.ts`, 'value', 'packages/contract/src/clients.ts', ''],
  [`${modules}/clients/good.test.ts`, 'value', `${modules}/deliveries/one.ts`, ''],
  ['apps/server/src/jobs.ts', 'value', `${modules}/reports/jobs.ts`, ''],
  ['apps/server/src/main.ts', 'value', `${modules}/domain-event-handlers.ts`, ''],
  [`${web}/features/clients/good.tsx`, 'value', `${web}/domain/one.tsx`, ''],
  ['proof/good.ts', 'value', 'apps/server/src/app.ts', ''],
]

let folder: string
let violations: ICruiseResult['summary']['violations']

/** Writes every case into one folder that looks like the repository. */
const writeFiles = () => {
  const all = [...refused, ...cycles, ...moduleCycle, unresolved, ...allowed]
  const texts = new Map(all.map(([, , target]) => [target, 'export const one = 1\n']))
  for (const [file, form, target] of all) {
    const path = target.includes(':') ? target : relative(dirname(file), target)
    texts.set(file, forms[form](/^[.]|:/.test(path) ? path : `./${path}`))
  }
  for (const [file, text] of texts) {
    if (/:|nowhere/.test(file)) continue
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lis-dependency-rules-'))
  writeFiles()
  const { output } = await cruise(['apps', 'packages', 'proof', 'bench', 'scripts', 'e2e'], {
    ...rules.options,
    ruleSet: { forbidden: rules.forbidden },
    validate: true,
    baseDir: folder,
  })
  violations = (output as ICruiseResult).summary.violations
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rulesAgainst = (from: string, to: string) =>
  violations.filter((one) => one.from === from && one.to === to).map((one) => one.rule.name)

describe('the dependency rules', () => {
  it.each(refused)('do not let %s import, as a %s, %s', (file, _, target, rule) => {
    expect(rulesAgainst(file, target.replace('node:', ''))).toEqual([rule])
  })
  it.each(allowed)('let %s import, as a %s, %s', (file, _, target) => {
    expect(rulesAgainst(file, target)).toEqual([])
  })
  it('refuse a cycle of files, of types alone too', () => {
    const found = violations.filter((one) => one.rule.name === 'no-file-cycles')
    expect(found.map((one) => one.from).sort()).toEqual(
      expect.arrayContaining([`${modules}/freezer/cycle-a.ts`, `${web}/lib/cycle-a.ts`]),
    )
  })
  it('refuse a cycle of folders whose files make none', () => {
    const found = violations.filter((one) => one.rule.name === 'no-folder-cycles')
    expect(found.map(({ from, to }) => `${from} ${to}`)).toContain(`${modules}/labels ${modules}/patients`)
  })
  it('refuse an unresolved import', () => {
    expect(rulesAgainst(unresolved[0], './nowhere.ts')).toEqual(['resolvable'])
  })
  it('are all proved here', () => {
    const proved = new Set([...refused, ...cycles, ...moduleCycle, unresolved].map(([, , , rule]) => rule))
    expect(rules.forbidden.map(({ name }) => name).filter((name) => !proved.has(name as string))).toEqual([])
  })
})

describe('the floors', () => {
  it('hold modules that exist, each once', () => {
    const listed = floors.flatMap((floor) => floor.modules)
    expect(listed.filter((name) => !existsSync(join(root, modules, name)))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
  })
  it('are read from the architecture page', () => {
    expect(floors.map(({ name }) => name)).toEqual([
      'the order and what it refers to',
      'parts of an order',
      'work on one order',
      'reports',
      'output',
      'entry',
      'pages that read across',
    ])
    expect(floors.filter((floor) => floor.modules.length === 0)).toEqual([])
  })
})

it('no file names another in a way that the parser overlooks', () => {
  const files = globSync(['{apps,packages}/*/{src,seeds,test}/**/*.{ts,tsx}', '{proof,bench,scripts}/*.ts'], {
    cwd: root,
  })
  const overlooked = files.filter((file) => /typeof import\('[.]/.test(readFileSync(join(root, file), 'utf8')))
  expect(overlooked).toEqual([])
})
