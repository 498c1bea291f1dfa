import { readFileSync } from 'node:fs'

// Who may import whom. `npm run check` applies it; scripts/dependency-rules.test.ts proves that each rule reports a
// violation. Type imports and import() count like any other import; tests may import everything.

/**
 * The floors of the server's modules, from the bottom, as docs/ARCHITECTURE.md lists them. A module imports modules of its own floor and
 * of those below it, never of one above: what a floor above has to do is announced (platform/domain-events.ts). A module without a row
 * is on floor 0.
 */
const page = readFileSync(new URL('docs/ARCHITECTURE.md', import.meta.url), 'utf8')
const floorNames = [...page.matchAll(/^ \d {2}(\S.*)$/gm)].map(([, name]) => name).reverse()
const rows = [...page.matchAll(/^\| (\d) \| `([a-z-]+)` \|/gm)].map(([, floor, module]) => ({
  floor: Number(floor),
  module,
}))
export const floors = floorNames.map((name, floor) => ({
  name,
  modules: rows.filter((row) => row.floor === floor).map((row) => row.module),
}))

const contract = '^packages/contract/src/'
const kit = `${contract}(kit|access)/`
const server = '^apps/server/src/'
const modules = `${server}modules/`
const web = '^apps/web/src/'
/** Everything of ours; packages of others are free unless a rule names them. */
const ours = '^(packages|apps|scripts|e2e|bench|proof)/'

const anyOf = (names) => `(${names.join('|')})`
const moduleOf = (names) => `${modules}${anyOf(names)}/`

/** Files that may import nothing of ours but what is named. */
const only = (name, from, may, comment) => ({
  name,
  severity: 'error',
  comment,
  from,
  to: { path: ours, pathNot: may },
})

const zodOnly = (name, from) => ({
  name,
  severity: 'error',
  comment: 'The contract is read by both sides: it imports zod alone.',
  from: { path: from },
  to: { pathNot: [contract, '^node_modules/zod/'] },
})

const direction = floors.slice(0, -1).map(({ name, modules: names }, floor) => {
  const above = moduleOf(floors.slice(floor + 1).flatMap(({ modules: higher }) => higher))
  return {
    name: `floor-${floor}-imports-down`,
    severity: 'error',
    comment: `Floor ${floor} (${name}) imports nothing of the floors above it: announce a domain event, move the code down, or give the module its floor in docs/ARCHITECTURE.md.`,
    from: floor === 0 ? { path: `${modules}[^/]+/`, pathNot: above } : { path: moduleOf(names) },
    to: { path: above },
  }
})

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-file-cycles',
      severity: 'error',
      comment: 'Files that import each other in a cycle cannot be read, or tested, one by one.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      severity: 'error',
      comment: 'Modules of one floor, and folders anywhere, may import each other, but not in a cycle.',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-re-exports',
      severity: 'error',
      comment: 'Import from the file that defines: barrels lead to cycles.',
      from: { path: ours },
      to: { dependencyTypes: ['export'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'An import that leads nowhere. One package has types alone, and so no entry.',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@medplum/fhirtypes$' },
    },
    ...direction,
    {
      name: 'module-entries-are-private',
      severity: 'error',
      comment: "Another module's routes, jobs and restore kinds are for app.ts and its neighbours alone.",
      from: { path: `${modules}([^/]+)/` },
      to: { path: `${modules}.*[/-](routes|jobs?|restore)[.]ts$`, pathNot: `${modules}$1/` },
    },
    zodOnly('contract-stands-alone', contract),
    only('contract-kit-knows-no-laboratory', { path: kit }, [kit]),
    only('platform-knows-no-laboratory', { path: `${server}platform/` }, [kit, `${server}platform/`]),
    only('modules-import-modules', { path: modules }, [contract, `${server}platform/`, modules]),
    only('seeds-import-no-module', { path: '^apps/server/seeds/' }, [
      contract,
      `${server}platform/`,
      '^apps/server/seeds/',
    ]),
    only('server-imports-server', { path: server, pathNot: [`${server}(platform|modules)/`] }, [
      contract,
      server,
      '^apps/server/seeds/',
      '^scripts/build-web[.]ts$',
    ]),
    {
      name: 'handlers-only-at-start',
      severity: 'error',
      comment: 'The list of domain event handlers knows the modules, so no module knows it.',
      from: { path: `${modules}.+/` },
      to: { path: `${modules}[^/]+$` },
    },
    only('web-lib-has-no-component', { path: `${web}lib/` }, [contract, `${web}lib/`]),
    only('web-ui-knows-no-laboratory', { path: `${web}ui/` }, [
      kit,
      `${contract}(messages|validation|lookups|session|config|list-columns|list-settings|schedules|smart-filters|view-alerts|zoned-time)[.]ts$`,
      `${web}(lib|ui)/`,
    ]),
    only('web-domain-imports-no-feature', { path: `${web}domain/` }, [contract, `${web}(lib|ui|domain)/`]),
    only('web-features-stand-apart', { path: `${web}features/([^/]+)/` }, [
      contract,
      `${web}(lib|ui|domain)/`,
      `${web}features/$1/`,
    ]),
    only('web-imports-web', { path: web, pathNot: [`${web}(lib|ui|domain|features)/`] }, [contract, web]),
    only('proof-and-bench-stand-above', { path: '^(proof|bench)/' }, [contract, '^apps/server/', '^(proof|bench)/']),
    only('scripts-stand-above', { path: '^scripts/' }, [contract, '^apps/', '^e2e/support/', '^scripts/']),
    only('journeys-stand-above', { path: '^e2e/' }, [contract, '^apps/server/', '^e2e/']),
  ],
  options: {
    // TypeScript 7 has no API that dependency-cruiser could parse with.
    parser: 'swc',
    tsPreCompilationDeps: true,
    moduleSystems: ['es6', 'cjs'],
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '[.](test|spec)[.]tsx?$'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
