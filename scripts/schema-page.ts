import type { Migration } from '../apps/server/src/platform/db/migrate.ts'
import type { Pool } from '../apps/server/src/platform/db/pool.ts'

interface Relation {
  name: string
  isView: boolean
  comment: string | null
}

interface Reference {
  child: string
  parent: string
  columns: string[]
  isOptional: boolean
  /** At most one row of the child refers to a row of the parent. */
  isUnique: boolean
}

/** A title, from the first line of a migration file, and the relations that the files with this title comment on. */
interface Domain {
  title: string
  files: string[]
  relations: Relation[]
}

/** The tables in the map at the top of the page. */
const mainTables = new Set(
  `collaborator client physician client_physician sales_person lab test panel app_user identity_user session patient requisition patient_change
  specimen specimen_location freezer_slot requisition_test requisition_test_revision report report_version report_delivery outbox_message
  issue billing insurance payment billing_batch billing_batch_item billing_charge document stored_file report_upload report_upload_file`.split(
    /\s+/,
  ),
)

/** Nearly every table refers to these: lines to them would hide the others. The lists of tables name them. */
const leftOut = new Set(['app_user', 'country', 'state'])

/** Titles of files by the domain that the page shows: an applied file never changes. */
const titles = new Map([
  ['Quality control', 'Instruments and quality control'],
  ['Requisitions', 'Patients and requisitions'],
  ['Users', 'Users and signing in'],
])

/** Relations that belong to another domain than the rest of their file. */
const moved = new Map([
  ['money_by_day', 'Billing'],
  ['money_by_day_delta', 'Billing'],
])

/** Writes docs/schema.md: the tables of the database by domain, what a row of each is, and how they refer to each other. */
export const schemaPage = async (pool: Pool, migrations: Migration[]): Promise<string> => {
  const domains = toDomains(await readRelations(pool), migrations)
  const references = await readReferences(pool)
  return `${[intro, mainMap(domains, references), ...domains.map((domain) => section(domain, references))].join('\n\n')}\n`
}

const intro = `# Database schema

Generated from the database by \`npm run db:types\`; do not edit. The files in \`apps/server/migrations\` say more: columns, constraints, indexes,
triggers, policies and grants stand beside their table. \`schema_migration\` says which files a database has.

A line in a map is a foreign key, named by its column. Keys to users (\`created_by\` and the like), countries and states are
left out of the maps. Tables with their own copy of ids (\`requisition_list\`, the audit, the access log) have no foreign keys on purpose.`

const mainMap = (domains: Domain[], references: Reference[]): string => {
  const known = new Set(domains.flatMap(({ relations }) => relations.map(({ name }) => name)))
  for (const name of mainTables) if (!known.has(name)) throw new Error(`There is no table ${name} to draw.`)
  const between = references.filter(
    ({ child, parent }) => child !== parent && mainTables.has(child) && mainTables.has(parent),
  )
  const lines = domains.flatMap((domain) => {
    const drawn = onePerPair(drawnOf(domain, between)).map(line)
    return drawn.length > 0 ? [`  %% ${domain.title}`, ...drawn] : []
  })
  return `## Main tables\n\n${diagram(lines)}`
}

const section = (domain: Domain, references: Reference[]): string => {
  const lines = drawnOf(domain, references).map(line)
  const rows = domain.relations.map(({ name, isView, comment }) => {
    const parents = references.filter(({ child }) => child === name)
    const named = parents.map(({ parent, columns }) => `\`${parent}\` (${columns.join(', ')})`)
    return `| \`${name}\`${isView ? ' (view)' : ''} | ${comment} | ${named.join(', ')} |`
  })
  return [
    `## ${domain.title}`,
    domain.files.map((file) => `\`${file}.sql\``).join(', '),
    ...(lines.length > 0 ? [diagram(lines)] : []),
    ['| table | what it holds | refers to |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

/** What the tables of a domain refer to, in the domain or outside. */
const drawnOf = ({ relations }: Domain, references: Reference[]): Reference[] => {
  const names = new Set(relations.map(({ name }) => name))
  return references.filter(({ child, parent }) => names.has(child) && (names.has(parent) || !leftOut.has(parent)))
}

/** Several keys between the same tables as one line. */
const onePerPair = (references: Reference[]): Reference[] => {
  const pairs = new Map<string, Reference>()
  for (const reference of references) {
    const key = `${reference.child} ${reference.parent}`
    const first = pairs.get(key)
    pairs.set(
      key,
      first
        ? {
            ...reference,
            columns: [...first.columns, ...reference.columns],
            isOptional: first.isOptional && reference.isOptional,
          }
        : reference,
    )
  }
  return [...pairs.values()]
}

const diagram = (lines: string[]) => ['```mermaid', 'erDiagram', ...lines, '```'].join('\n')

const line = ({ child, parent, columns, isOptional, isUnique }: Reference) =>
  `  ${parent} ${isOptional ? '|o' : '||'}--${isUnique ? 'o|' : 'o{'} ${child} : "${columns.join(', ')}"`

const toDomains = (relations: Relation[], migrations: Migration[]): Domain[] => {
  const domains = new Map<string, Domain>()
  const unplaced = new Map(relations.map((relation) => [relation.name, relation]))
  const addFile = (title: string, file: string): Domain => {
    const domain = domains.get(title) ?? { title, files: [], relations: [] }
    if (!domain.files.includes(file)) domain.files.push(file)
    domains.set(title, domain)
    return domain
  }
  for (const { name, sql } of migrations) {
    const written = /^-- (.+)/.exec(sql)?.[1]
    if (!written) throw new Error(`Migration ${name} does not begin with a title.`)
    const title = titles.get(written) ?? written
    addFile(title, name)
    for (const [, found = ''] of sql.matchAll(/^comment on (?:table|view) (\w+)/gm)) {
      const relation = unplaced.get(found)
      if (relation) addFile(moved.get(found) ?? title, name).relations.push(relation)
      unplaced.delete(found)
    }
  }
  if (unplaced.size > 0) throw new Error(`Say what these hold, with COMMENT ON: ${[...unplaced.keys()].join(', ')}`)
  return [...domains.values()].filter((domain) => domain.relations.length > 0)
}

const readRelations = async (pool: Pool): Promise<Relation[]> =>
  (
    await pool.query<Relation>(`select c.relname as name, c.relkind = 'v' as "isView", obj_description(c.oid, 'pg_class') as comment
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition order by 1`)
  ).rows

const readReferences = async (pool: Pool): Promise<Reference[]> =>
  (
    await pool.query<Reference>(`
      select k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
        array(select a.attname::text from unnest(k.conkey) with ordinality x(no, place)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.no order by x.place) as columns,
        exists (select from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey) and not a.attnotnull) as "isOptional",
        exists (select from pg_index i where i.indrelid = k.conrelid and i.indisunique and i.indpred is null and i.indkey::int2[] <@ k.conkey) as "isUnique"
      from pg_constraint k where k.contype = 'f' and k.conparentid = 0 and k.connamespace = 'public'::regnamespace order by 1, 3, 2`)
  ).rows
