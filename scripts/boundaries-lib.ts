export interface Imports {
  file: string
  targets: { path: string; isType: boolean }[]
}

interface Rule {
  /** Files the rule speaks of; groups can be used in `may`. */
  files: RegExp
  /** What they may import besides packages; `$1` is the first group of `files`. */
  may: string[]
  /** Which packages are allowed; all when absent. */
  packages?: RegExp
}

const contract = '^packages/contract/src/'
const kit = `${contract}(kit|access)/`
const server = '^apps/server/src/'
const web = '^apps/web/src/'

/** The first rule whose pattern fits a file decides. A new module or feature needs no new rule. */
const rules: Rule[] = [
  { files: /\.test\.tsx?$|^apps\/server\/test\//, may: ['.'] },
  { files: /^packages\/contract\/src\/(kit|access)\//, may: [kit], packages: /^zod$/ },
  { files: /^packages\/contract\/src\//, may: [contract], packages: /^zod$/ },
  { files: /^apps\/server\/src\/platform\//, may: [kit, `${server}platform/`] },
  // Another module only through its service or queries.
  {
    files: /^apps\/server\/src\/modules\/([^/]+)\//,
    may: [contract, `${server}platform/`, `${server}modules/$1/`, `${server}modules/[^/]+/(service|queries)\\.ts$`],
  },
  { files: /^apps\/server\/seeds\//, may: [contract, `${server}platform/`, '^apps/server/seeds/'] },
  { files: /^apps\/server\/src\//, may: [contract, server, '^apps/server/seeds/'] },
  { files: /^apps\/web\/src\/lib\//, may: [contract, `${web}lib/`] },
  {
    files: /^apps\/web\/src\/ui\//,
    may: [
      kit,
      `${contract}(messages|validation|lookups|session|config|smart-filters)\\.ts$`,
      `${web}lib/`,
      `${web}ui/`,
    ],
  },
  { files: /^apps\/web\/src\/domain\//, may: [contract, `${web}(lib|ui|domain)/`] },
  { files: /^apps\/web\/src\/features\/([^/]+)\//, may: [contract, `${web}(lib|ui|domain)/`, `${web}features/$1/`] },
  { files: /^apps\/web\/src\//, may: [contract, web] },
]

/** Imports that the dependency rule does not allow, one sentence each. */
export const faultsOf = ({ file, targets }: Imports): string[] => {
  const rule = rules.find((candidate) => candidate.files.test(file))
  if (!rule) return [`${file}: no rule covers this file`]
  const group = rule.files.exec(file)?.[1] ?? ''
  const allowed = rule.may.map((pattern) => new RegExp(pattern.replace('$1', group)))
  return targets
    .filter(({ path }) =>
      isInside(path) ? !allowed.some((pattern) => pattern.test(path)) : rule.packages && !rule.packages.test(path),
    )
    .map(({ path }) => `${file} may not import ${path}`)
}

const isInside = (path: string) => /^(packages|apps|scripts|e2e|bench)\//.test(path)

/** Groups of files that import each other in a ring; imports used only as types do not count. Tarjan's algorithm. */
export const ringsOf = (graph: Imports[]): string[][] => {
  const edges = new Map(
    graph.map(({ file, targets }) => [file, targets.filter(({ isType }) => !isType).map(({ path }) => path)]),
  )
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const rings: string[][] = []
  const visit = (file: string) => {
    index.set(file, index.size)
    low.set(file, index.get(file) as number)
    stack.push(file)
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(file, Math.min(low.get(file) as number, low.get(next) as number))
    }
    if (low.get(file) !== index.get(file)) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1) rings.push(group)
  }
  for (const file of edges.keys()) if (!index.has(file)) visit(file)
  return rings
}
