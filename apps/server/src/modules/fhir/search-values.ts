import { sql } from 'kysely'
import { escapeLike, type Sql } from '../../platform/lists.ts'
import { badRequest } from './faults.ts'
import type { Reader, SearchInput, SearchParam, TokenSource } from './reader.ts'
import type { FhirTypeName } from './type-names.ts'

/** The values of a parameter, divided at commas that are not escaped. */
export const splitValues = (text: string): string[] => text.match(/(?:\\.|[^\\,])+/g) ?? []

const withoutEscapes = (text: string) => text.replace(/\\([\\,|$])/g, '$1')

const anyOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`

const refuseModifier = ({ modifier }: SearchInput) => {
  if (modifier !== null) throw badRequest(`The modifier :${modifier} is not supported here`)
}

/** By prefix, ignoring case and accents; `:exact` and `:contains` as in FHIR. */
export const stringParam = (...expressions: Sql[]): SearchParam => ({
  type: 'string',
  condition: ({ values, modifier }) => {
    const matches = (expression: Sql, value: string): Sql => {
      if (modifier === 'exact') return sql`${expression} = ${value}`
      const begin = modifier === 'contains' ? '%' : ''
      return sql`sort_key(${expression}) like ${begin}::text || sort_key(${escapeLike(value)}) || '%'`
    }
    if (modifier !== null && modifier !== 'exact' && modifier !== 'contains')
      throw badRequest(`The modifier :${modifier} is not supported here`)
    return anyOf(values.flatMap((value) => expressions.map((expression) => matches(expression, withoutEscapes(value)))))
  },
})

/** `code`, `system|code`, `|code` and `system|`. */
export const tokenParam = (sources: (reader: Reader) => readonly TokenSource[]): SearchParam => ({
  type: 'token',
  condition: (input, reader) => {
    if (input.modifier !== 'not') refuseModifier(input)
    const found = anyOf(input.values.map((value) => tokenCondition(value, sources(reader))))
    return input.modifier === 'not' ? sql`not ${found}` : found
  },
})

const tokenCondition = (value: string, sources: readonly TokenSource[]): Sql => {
  const [, givenSystem, givenCode = ''] = /^((?:\\.|[^\\|])*)\|(.*)$/s.exec(value) ?? [value, null, value]
  const system = givenSystem == null ? null : withoutEscapes(givenSystem)
  const code = withoutEscapes(givenCode) || null
  if (code === null && !system) throw badRequest('A token must not be empty')
  const matching = sources.filter(
    (source) =>
      system === null || source.system === null || source.system === system || (source.isCode && system === ''),
  )
  return anyOf(matching.map((source) => source.is(code, system)))
}

/** A token of a column of codes, in one system or in any. */
export const codeIs =
  (expression: Sql) =>
  (code: string | null): Sql =>
    code === null ? sql`${expression} is not null` : sql`${expression} = ${code}`

/** An element of type code, with the system that it implies. */
export const codeParam = (system: string, is: (reader: Reader) => TokenSource['is']): SearchParam =>
  tokenParam((reader) => [{ system, isCode: true, is: is(reader) }])

/** The system of an element; empty if it has none. */
export const systemIs = (expression: Sql, system: string | null): Sql =>
  system === null ? sql`true` : sql`${expression} = ${system}`

/** Whether a code is the constant of the type. */
export const isAlways =
  (...codes: string[]) =>
  (code: string | null): Sql =>
    sql.lit(code === null || codes.includes(code)) as Sql

/** Of a numeric id written as text; text that is not a number matches nothing. */
export const idIs =
  (expression: Sql) =>
  (code: string | null): Sql => {
    if (code === null) return sql`true`
    return /^\d{1,15}$/.test(code) ? sql`${expression} = ${Number(code)}::bigint` : sql`false`
  }

interface Period {
  from: string
  to: string
}

const datePattern = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/** The time that a value of its precision covers: a year, a month, a day, a minute, a second or a moment. */
const periodOf = (text: string): Period | null => {
  const [, year, month, day, hour, minute, second, fraction, zone = 'Z'] = datePattern.exec(text) ?? []
  if (year === undefined) return null
  if (hour === undefined) {
    const start = new Date(Date.UTC(Number(year), Number(month ?? 1) - 1, Number(day ?? 1)))
    const isReal =
      start.getUTCMonth() === Number(month ?? 1) - 1 && start.getUTCDate() === Number(day ?? 1) && Number(year) > 0
    if (!isReal) return null
    const end = new Date(start)
    if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1)
    else if (month !== undefined) end.setUTCMonth(end.getUTCMonth() + 1)
    else end.setUTCFullYear(end.getUTCFullYear() + 1)
    return { from: start.toISOString(), to: end.toISOString() }
  }
  const start = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second ?? '00'}${zone}`)
  if (Number.isNaN(start.getTime())) return null
  // The database keeps microseconds, which `Date` does not.
  const whole = start.toISOString().slice(0, 19)
  if (fraction !== undefined) {
    const at = `${whole}${fraction}Z`
    return { from: at, to: at }
  }
  return { from: `${whole}Z`, to: new Date(start.getTime() + (second === undefined ? 60_000 : 1000)).toISOString() }
}

const prefixes = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb'] as const

const dateCondition = (expression: Sql, value: string, cast: Sql): Sql => {
  const [, given = 'eq', text = ''] = /^([A-Za-z]{2})?(.*)$/s.exec(value) ?? []
  const prefix = prefixes.find((one) => one === given)
  const period = periodOf(text)
  if (period && !prefix) throw badRequest(`The prefix of "${value.slice(0, 40)}" must be one of ${prefixes.join(', ')}`)
  if (!period) throw badRequest(`"${value.slice(0, 40)}" is not a date`)
  const from = sql`${period.from}::timestamptz${cast}`
  const to = sql`${period.to}::timestamptz${cast}`
  const isMoment = period.from === period.to
  const inside = isMoment ? sql`${expression} = ${from}` : sql`(${expression} >= ${from} and ${expression} < ${to})`
  switch (prefix as (typeof prefixes)[number]) {
    case 'eq':
      return inside
    case 'ne':
      return sql`not ${inside}`
    case 'gt':
    case 'sa':
      return isMoment ? sql`${expression} > ${from}` : sql`${expression} >= ${to}`
    case 'lt':
    case 'eb':
      return sql`${expression} < ${from}`
    case 'ge':
      return sql`${expression} >= ${from}`
    case 'le':
      return isMoment ? sql`${expression} <= ${from}` : sql`${expression} < ${to}`
  }
}

/** An instant. Values without an offset are in UTC, as instants are written. */
export const instantParam = (expression: Sql): SearchParam => ({
  type: 'date',
  condition: (input) => {
    refuseModifier(input)
    return anyOf(input.values.map((value) => dateCondition(expression, value, sql``)))
  },
})

/** A day without a time. */
export const dayParam = (expression: Sql): SearchParam => ({
  type: 'date',
  condition: (input) => {
    refuseModifier(input)
    return anyOf(
      input.values.map((value) => dateCondition(sql`${expression}::timestamp`, value, sql` at time zone 'UTC'`)),
    )
  },
})

/** `12`, `Patient/12` or the whole address. */
export const referenceParam = (
  element: string,
  targets: readonly FhirTypeName[],
  is: (ids: readonly string[]) => Sql,
): SearchParam => ({
  type: 'reference',
  element,
  targets,
  condition: ({ values, modifier }, { base }) => {
    if (modifier !== null && !(targets as readonly string[]).includes(modifier))
      throw badRequest(`The modifier :${modifier} is not supported here`)
    const ids = values.flatMap((value) => {
      const own = value.startsWith(`${base}/`) ? value.slice(base.length + 1) : value
      const [, type, id] = /^(?:([A-Za-z]+)\/)?([A-Za-z0-9.-]{1,64})$/.exec(own) ?? []
      if (id === undefined) throw badRequest(`"${value.slice(0, 60)}" is not a reference`)
      return type === undefined || (targets as readonly string[]).includes(type) ? [id] : []
    })
    return is(ids)
  },
})

const longestId = 15

/** The numbers among the ids, for resources whose id is a number. */
export const numbersIn = (ids: readonly string[]): number[] =>
  ids.flatMap((id) => (/^\d+$/.test(id) && id.length <= longestId ? [Number(id)] : []))

/** An expression is one of numeric ids. */
export const isOneOfNumbers =
  (expression: Sql) =>
  (ids: readonly string[]): Sql =>
    sql`${expression} = any(${numbersIn(ids)}::bigint[])`
