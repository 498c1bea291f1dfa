import type { FieldError } from '@lis/contract/kit/errors.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'

/** A record that a cell may refer to by id, code or name. */
export interface Named {
  id: number
  names: readonly string[]
  /** The record it belongs to: the country of a state, the client of an event. */
  within: number | null
}

const kinds = {
  country: sql`select id, array[iso2::text, long_name] as names, null::int as within from country`,
  state: sql`select id, array[code, long_name] as names, country_id as within from state`,
  laboratory: sql`select id, array[lab_code, name] as names, null::int as within from lab where deleted_at is null`,
  collaborator: sql`select id, array[alias, name] as names, null::int as within from collaborator where deleted_at is null`,
  'sales rep': sql`select id, array[rep_code, first_name || ' ' || last_name, last_name || ', ' || first_name] as names, null::int as within
    from sales_person where deleted_at is null and type_code = 'SLS'`,
  'service rep': sql`select id, array[rep_code, first_name || ' ' || last_name, last_name || ', ' || first_name] as names, null::int as within
    from sales_person where deleted_at is null and type_code = 'SVC'`,
} as const
type ReferenceKind = keyof typeof kinds

const plainText = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Returns a function that finds the record of a cell, or the error text where there is none or more than one. */
export const createFinder = (what: string, records: readonly Named[]) => {
  const byId = new Map(records.map((record) => [String(record.id), record]))
  const byName = Map.groupBy(
    records.flatMap((record) => [...new Set(record.names.map(plainText))].map((name) => ({ name, record }))),
    ({ name }) => name,
  )
  return (cell: string, within: number | null = null): { id: number } | { fault: string } => {
    const isMeant = (record: Named) => within === null || record.within === within
    // A number is an id; it is read as a code only where no record has that id.
    const numbered = byId.get(cell)
    if (numbered) return { id: numbered.id }
    const [found, ...others] = (byName.get(plainText(cell)) ?? []).map(({ record }) => record).filter(isMeant)
    // An unknown number is passed on: the checks of the order report it.
    if (!found) return /^\d{1,15}$/.test(cell) ? { id: Number(cell) } : { fault: `There is no ${what} ${cell}` }
    return others.length > 0
      ? { fault: `Several are called ${cell}: please give the ID of the ${what}` }
      : { id: found.id }
  }
}

export type References = Record<ReferenceKind, ReturnType<typeof createFinder>>

const loaded = new WeakMap<Trx, Promise<References>>()

/** Read once for each chunk of a file, which is one transaction. */
export const getReferences = (trx: Trx): Promise<References> => {
  const known = loaded.get(trx) ?? load(trx)
  loaded.set(trx, known)
  return known
}

const load = async (trx: Trx): Promise<References> => {
  const finders: Partial<References> = {}
  for (const [kind, query] of Object.entries(kinds) as [ReferenceKind, (typeof kinds)[ReferenceKind]][])
    finders[kind] = createFinder(kind, (await (query as ReturnType<typeof sql<Named>>).execute(trx)).rows)
  return finders as References
}

/** Reads the cells of one row and collects their errors. */
export const cellReader = (cells: Readonly<Record<string, string>>) => {
  const faults: FieldError[] = []
  const take = (column: string, found: { id: number } | { fault: string }) => {
    if ('id' in found) return found.id
    faults.push({ field: column, message: found.fault })
    return undefined
  }
  return {
    faults,
    /** The id of the record that the cell refers to; undefined for an empty or invalid cell. */
    one: (column: string, find: ReturnType<typeof createFinder>, within: number | null = null): number | undefined => {
      const cell = cells[column]
      return cell ? take(column, find(cell, within)) : undefined
    },
    /** The same for a list separated by semicolons. */
    many: (column: string, find: ReturnType<typeof createFinder>): number[] =>
      splitCell(cells[column]).flatMap((cell) => take(column, find(cell)) ?? []),
    /** A date or time parsed by `read`, which returns null for an invalid one. */
    time: (column: string, read: (cell: string) => string | null, format: string): string | undefined => {
      const cell = cells[column]
      if (!cell) return undefined
      const time = read(cell)
      if (time === null) faults.push({ field: column, message: format })
      return time ?? undefined
    },
  }
}

/** Splits 'a; b'; an empty cell gives an empty list. */
export const splitCell = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean)
