import type { QueryResultRow } from 'pg'

/** Every object of a database by kind and name, with a definition that does not depend on ids or on the order of statements. */
export type Catalogue = Map<string, string>

interface Database {
  query: <Row extends QueryResultRow>(text: string) => Promise<{ rows: Row[] }>
}

/** What the catalogue of PostgreSQL knows of our schema, and the rows that the migrations insert. Objects of extensions are left out. */
export const readCatalogue = async (database: Database): Promise<Catalogue> => {
  const found: Catalogue = new Map()
  for (const [kind, query] of Object.entries(kinds)) {
    const { rows } = await database.query<{ name: string; definition: string }>(query)
    for (const { name, definition } of rows)
      found.set(`${kind} ${name}`, kind === 'function' ? tokens(definition) : definition)
  }
  for (const table of await listTables(database)) found.set(`rows of ${table}`, await readRows(database, table))
  return found
}

/** The objects that differ, or that only one side has. */
export const compareCatalogues = (before: Catalogue, after: Catalogue): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key) => {
    const [old, now] = [before.get(key), after.get(key)]
    return old === now ? [] : [`${key}\n  before: ${old ?? '(not there)'}\n  after:  ${now ?? '(not there)'}`]
  })

/** These say which files were applied, and when: they differ by nature. */
const ownRows = ['schema_migration', 'audit_entry']

const listTables = async (database: Database): Promise<string[]> => {
  const { rows } = await database.query<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ name }) => name).filter((name) => !ownRows.includes(name))
}

const readRows = async (database: Database, table: string): Promise<string> => {
  const { rows } = await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t order by 1`)
  return rows.map(({ row }) => row).join('\n')
}

/** The body of a function without its layout: comments and spaces outside of quotes do not count. */
const tokens = (text: string): string =>
  [...text.matchAll(/--[^\n]*|'(?:[^']|'')*'|"[^"]*"|[\p{L}\p{N}_.@#$]+|\s+|./gu)]
    .map(([token]) => token)
    .filter((token) => !/^(--|\s)/.test(token))
    .join(' ')

const isOurs = (catalogue: string, id: string) =>
  `not exists (select from pg_depend x where x.classid = '${catalogue}'::regclass and x.objid = ${id} and x.deptype = 'e')`
const rights = (acl: string, kind: string, owner: string) => `coalesce((
  select string_agg(concat_ws(' ', coalesce(nullif(g.grantee::regrole::text, '-'), 'public'), g.privilege_type, case when g.is_grantable then 'with grant option' end), ', '
    order by g.grantee::regrole::text, g.privilege_type)
  from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) g), '')`
const inPublic = (column: string) => `${column} = 'public'::regnamespace`

const relations = `pg_class c where ${inPublic('c.relnamespace')} and ${isOurs('pg_class', 'c.oid')}`

/** One query per kind of object: `name`, and `definition` as text. */
const kinds: Record<string, string> = {
  extension: `select extname as name, concat_ws(' ', extversion, extnamespace::regnamespace) as definition from pg_extension`,
  role: `select rolname as name, concat_ws(' ', rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconfig) as definition
    from pg_roles where rolname like 'lis%'`,
  member: `select concat_ws(' in ', member::regrole, roleid::regrole) as name, admin_option::text as definition from pg_auth_members
    where roleid::regrole::text like 'lis%' and member::regrole::text like 'lis%'`,
  schema: `select nspname as name, concat_ws(' ', nspowner::regrole, ${rights('nspacl', 'n', 'nspowner')}) as definition
    from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`,
  'default rights': `select concat_ws(' ', defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype) as name,
    ${rights('defaclacl', 'r', 'defaclrole')} as definition from pg_default_acl`,
  relation: `select c.relname as name, concat_ws(' ', c.relkind, c.relpersistence, c.relowner::regrole, c.relreplident, 'rls', c.relrowsecurity, c.relforcerowsecurity,
      'options', array(select unnest(c.reloptions) order by 1), 'rights',
      ${rights('c.relacl', 'r', 'c.relowner').replace("acldefault('r'", `acldefault(case c.relkind when 'S' then 's'::"char" else 'r' end`)}) as definition
    from ${relations} and c.relkind <> 'i'`,
  column: `select c.relname || '.' || a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
      'default ' || pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity, 'generated', a.attgenerated, 'collation', nullif(a.attcollation, 0)::regcollation,
      'statistics', nullif(a.attstattarget, -1), 'storage', a.attstorage, a.attcompression, 'options', a.attoptions, 'rights', a.attacl) as definition
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where ${inPublic('c.relnamespace')} and ${isOurs('pg_class', 'c.oid')}`,
  'order of columns': `select c.relname as name, string_agg(a.attname, ', ' order by a.attnum) as definition
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where ${inPublic('c.relnamespace')} and ${isOurs('pg_class', 'c.oid')} and c.relkind in ('r', 'p', 'v') group by c.relname`,
  sequence: `select s.seqrelid::regclass::text as name, concat_ws(' ', format_type(s.seqtypid, null), seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle, 'owned by',
      (select d.refobjid::regclass || '.' || a.attname from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
       where d.objid = s.seqrelid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')), 'last', pg_sequence_last_value(s.seqrelid)) as definition
    from pg_sequence s join pg_class c on c.oid = s.seqrelid where c.relname <> 'audit_entry_id_seq' and ${inPublic('c.relnamespace')}`,
  constraint: `select conrelid::regclass || ' ' || conname as name, concat_ws(' ', contype, pg_get_constraintdef(oid), condeferrable, condeferred, convalidated) as definition
    from pg_constraint where ${inPublic('connamespace')}`,
  index: `select i.indexrelid::regclass::text as name, concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisunique, i.indisprimary, i.indisvalid, i.indisclustered, i.indisreplident,
      i.indnullsnotdistinct) as definition from pg_index i join pg_class c on c.oid = i.indexrelid where ${inPublic('c.relnamespace')}`,
  // Of two that cost the same, the one that the planner takes may depend on the order in which they were created.
  'order of indexes': `select i.indrelid::regclass::text as name, string_agg(i.indexrelid::regclass::text, ', ' order by i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indrelid where ${inPublic('c.relnamespace')} group by i.indrelid`,
  trigger: `select tgrelid::regclass || ' ' || tgname as name, concat_ws(' ', pg_get_triggerdef(oid), tgenabled, tgdeferrable) as definition from pg_trigger where not tgisinternal`,
  'event trigger': 'select evtname as name, evtevent as definition from pg_event_trigger',
  function: `select p.oid::regprocedure::text as name, concat_ws(' ', p.prokind, p.proowner::regrole, l.lanname, pg_get_function_result(p.oid), pg_get_function_arguments(p.oid), p.provolatile,
      p.proparallel, p.prosecdef, p.proleakproof, p.proisstrict, p.procost, p.prorows, array(select unnest(p.proconfig) order by 1), ${rights('p.proacl', 'f', 'p.proowner')},
      coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)) as definition
    from pg_proc p join pg_language l on l.oid = p.prolang where ${inPublic('p.pronamespace')} and ${isOurs('pg_proc', 'p.oid')}`,
  policy: `select tablename || ' ' || policyname as name, concat_ws(' ', permissive, roles, cmd, 'using', qual, 'with check', with_check) as definition from pg_policies`,
  view: `select c.relname as name, pg_get_viewdef(c.oid) as definition from ${relations} and c.relkind in ('v', 'm')`,
  rule: `select ev_class::regclass || ' ' || rulename as name, pg_get_ruledef(r.oid) as definition from pg_rewrite r join pg_class c on c.oid = r.ev_class
    where ${inPublic('c.relnamespace')} and rulename <> '_RETURN'`,
  'statistics object': `select stxname as name, pg_get_statisticsobjdef(oid) as definition from pg_statistic_ext`,
  type: `select t.typname as name, concat_ws(' ', t.typtype, format_type(t.typbasetype, t.typtypmod), array(select enumlabel from pg_enum e where e.enumtypid = t.oid order by enumsortorder))
      as definition from pg_type t where ${inPublic('t.typnamespace')} and ${isOurs('pg_type', 't.oid')} and t.typtype in ('d', 'e', 'r')`,
  'text search': `select cfgname as name, '' as definition from pg_ts_config t where ${inPublic('cfgnamespace')} and ${isOurs('pg_ts_config', 't.oid')}`,
  collation: `select collname as name, '' as definition from pg_collation t where ${inPublic('collnamespace')} and ${isOurs('pg_collation', 't.oid')}`,
  operator: `select oid::regoperator::text as name, '' as definition from pg_operator t where ${inPublic('oprnamespace')} and ${isOurs('pg_operator', 't.oid')}`,
  publication: `select pubname as name, '' as definition from pg_publication`,
}
