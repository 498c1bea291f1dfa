import { superAdmins } from '@lis/contract/access/roles.ts'
import { maxHitsPerKind, type QuickJumpHit } from '@lis/contract/quick-jump.ts'
import { withSingleSpaces } from '@lis/contract/validation.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { escapeLike, type Sql } from '../../platform/lists.ts'
import { isClientInScope } from '../lookups/queries.ts'
import { searchCondition } from '../patients/queries.ts'

/** A hit with the requisition whose patient it shows, for the access log. */
export type Hit = QuickJumpHit & { requisitionId?: number }

/** With the list filters that show the hit, for roles that have the requisition list but not the pages. */
export type RequisitionHit = Omit<Hit, 'href'> & { requisitionId: number; filters: Record<string, string> }

// A common name has many thousands of requisitions; the latest hundred are enough to find five patients.
const latestMatches = 100
const mostMissingDigits = 3

/** The requisitions a person may see, by columns that the list and the requisition itself share. */
const inScope = ({ role, entityId, scope }: Actor, alias: string): Sql => {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  if (superAdmins.some((one) => one === role)) return sql`true`
  switch (role) {
    case 'CLNT':
      return sql`${column('client_id')} = ${entityId}`
    case 'SLS':
      return sql`${column('client_id')} = any(${scope.ids}::int[])`
    case 'COLA':
      return sql`${column('collaborator_id')} = ${entityId}`
    case 'PHYS':
      return sql`(${column('physician_id')} = ${entityId} or ${column('copy_physician_id')} = ${entityId})`
    default:
      return sql`false`
  }
}

/** The same for the search table, which has no physician columns; the joined list row restricts those. */
const inSearchScope = (actor: Actor): Sql => (actor.role === 'PHYS' ? sql`true` : inScope(actor, 's'))

/** By the accession number or its beginning, as ranges of numbers for the primary key. */
export const findRequisitions = (db: Db, actor: Actor, digits: string): Promise<RequisitionHit[]> => {
  const missing = digits.length < 4 ? 0 : mostMissingDigits
  const ranges = Array.from({ length: missing + 1 }, (_, count) => {
    const from = Number(digits) * 10 ** count
    return sql`r.requisition_id between ${from}::bigint and ${from + 10 ** count - 1}::bigint`
  })
  return db
    .selectFrom('requisition_list as r')
    .innerJoin('requisition_patient as p', 'p.requisition_id', 'r.requisition_id')
    .innerJoin('requisition_status_type as s', 's.code', 'r.status_code')
    .select((eb) => [
      sql.lit('requisition' as const).as('kind'),
      'r.requisition_id as id',
      'r.requisition_id as requisitionId',
      sql<string>`'#' || ${eb.ref('r.requisition_id')}`.as('label'),
      sql<string>`${eb.ref('p.last_name')} || ', ' || ${eb.ref('p.first_name')} || ' · ' || ${eb.ref('s.description')}`.as(
        'detail',
      ),
      sql<{ reqId: string }>`json_build_object('reqId', ${eb.ref('r.requisition_id')}::text)`.as('filters'),
    ])
    .where(sql<boolean>`${inScope(actor, 'r')} and (${sql.join(ranges, sql` or `)})`)
    .orderBy((eb) => eb('r.requisition_id', '=', bigint(Number(digits))), 'desc')
    .orderBy('r.requisition_id', 'desc')
    .limit(maxHitsPerKind)
    .execute()
}

/** Matches a name, as in 'Doe, Jane'. */
export const matchesName = (actor: Actor, patterns: readonly string[]): Sql =>
  sql`r.requisition_id in (select s.requisition_id from requisition_search s
        where ${inSearchScope(actor)} and (${isLike(sql`s.search_text`, patterns)}))`

/** Matches name and birth date, as in 'Jon Smith 1/2/60'; the date first, because it has few matches. */
export const matchesBirthDate = (text: string, days: readonly string[]): Sql =>
  sql`r.patient_dob = any(${days}::date[]) and exists (select from patient p where p.id = r.patient_id and ${searchCondition(text)})`

export const findPatients = async (db: Db, actor: Actor, matches: Sql): Promise<RequisitionHit[]> => {
  const { rows } = await sql<RequisitionHit>`
    with hit as (
      select r.patient_id, r.requisition_id from requisition_list r
      where ${inScope(actor, 'r')} and ${matches}
      order by r.requisition_id desc limit ${latestMatches}
    ), latest as (
      select patient_id, max(requisition_id) as requisition_id from hit group by 1 order by 2 desc limit ${maxHitsPerKind}
    )
    select 'patient' as kind, p.id, latest.requisition_id as "requisitionId", p.last_name || ', ' || p.first_name as label,
      to_char(p.dob, 'MM/DD/YYYY') || ' · ' || coalesce(g.description, p.gender_code) || ' · ' || (select count(*) from requisition q
        where q.patient_id = p.id and q.deleted_at is null and ${inScope(actor, 'q')}) || ' requisition(s)' as detail,
      json_build_object('patientLastName', p.last_name, 'patientFirstName', p.first_name) as filters
    from latest join patient p on p.id = latest.patient_id left join lov g on g.type_code = 'GENDER' and g.code = p.gender_code
    order by latest.requisition_id desc`.execute(db)
  return rows
}

export const findClients = (db: Db, actor: Actor, text: string): Promise<Hit[]> => {
  const words = text.split(/\s+/).slice(0, 5)
  const hasWords = sql.join(
    words.map((word) => isLike(sql`sort_key(c.name)`, [`%${escapeLike(word)}%`])),
    sql` and `,
  )
  return db
    .selectFrom('client as c')
    .innerJoin('state as s', 's.id', 'c.state_id')
    .select((eb) => [
      sql.lit('client' as const).as('kind'),
      'c.id',
      'c.name as label',
      sql<string>`${eb.ref('c.legacy_client_id')} || ' · ' || ${eb.ref('c.city')} || ', ' || ${eb.ref('s.code')}`.as(
        'detail',
      ),
      sql<string>`'/clients/' || ${eb.ref('c.id')} || '/show'`.as('href'),
    ])
    .where('c.deleted_at', 'is', null)
    .where(sql<boolean>`${isClientInScope(actor, sql`c.id`)}`)
    .where((eb) => eb.or([eb('c.legacy_client_id', '=', text), sql<boolean>`(${hasWords})`]))
    .orderBy((eb) => eb('c.legacy_client_id', '=', text), 'desc')
    .orderBy((eb) => eb.fn('sort_key', ['c.name']))
    .orderBy('c.id')
    .limit(maxHitsPerKind)
    .execute()
}

export const findPhysicians = (db: Db, actor: Actor, text: string, patterns: readonly string[]): Promise<Hit[]> => {
  const isSuper = superAdmins.some((one) => one === actor.role)
  const scope = isSuper
    ? sql`true`
    : sql`exists (select from client_physician x where x.physician_id = p.id and x.deleted_at is null and ${isClientInScope(actor, sql`x.client_id`)})`
  const name = sql`sort_key(p.last_name || ', ' || p.first_name)`
  return db
    .selectFrom('physician as p')
    .select((eb) => [
      sql.lit('physician' as const).as('kind'),
      'p.id',
      sql<string>`${eb.ref('p.last_name')} || ', ' || ${eb.ref('p.first_name')}`.as('label'),
      sql<string>`${eb.ref('p.title')} || ' · NPI ' || ${eb.ref('p.npi_number')}`.as('detail'),
      sql<string>`'/physicians/' || ${eb.ref('p.id')} || '/show'`.as('href'),
    ])
    .where('p.deleted_at', 'is', null)
    .where(sql<boolean>`${scope}`)
    .where((eb) =>
      eb.or([
        eb('p.npi_number', '=', text),
        ...(patterns.length > 0 ? [sql<boolean>`(${isLike(name, patterns)})`] : []),
      ]),
    )
    .orderBy(name)
    .orderBy('p.id')
    .limit(maxHitsPerKind)
    .execute()
}

/** `sort_key` of a fixed text is computed before the plan is made, so the trigram index can be used. */
const isLike = (expression: Sql, patterns: readonly string[]): Sql =>
  sql.join(
    patterns.map((pattern) => sql`${expression} like sort_key(${pattern})`),
    sql` or `,
  )

/** Patterns that find 'Doe, Jane', 'jane doe', 'doe jane' or 'doe' in a key 'last, first'; prefixes of names are enough. */
export const namePatterns = (text: string): string[] => {
  const [last = '', first] = withSingleSpaces(text)
    .split(',')
    .map((part) => escapeLike(part.trim()))
  if (first !== undefined) return [`${last}%, ${first}%`]
  const [word = '', ...rest] = last.split(' ')
  // Two letters match too many first names.
  if (rest.length === 0) return word.length < 3 ? [`${word}%`] : [`${word}%`, `%, ${word}%`]
  const others = rest.join(' ')
  return [`${others}%, ${word}%`, `${word}%, ${others}%`, `${word} ${others}%`]
}
