import type { Pool } from './pool.ts'

/** What is kept for the same time. The tables of the audit belong together: a digest needs the audit row of its transaction. */
export const kinds = {
  audit: ['audit_entry', 'audit_state'],
  'access-log': ['access_log'],
  outbox: ['outbox_attempt'],
} as const
export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds) as Kind[]

export interface Part {
  table: string
  name: string
  /** Null: from the beginning, in a table that was filled before it was partitioned. */
  from: Date | null
  /** Null: the default part, which catches what fits into no month. */
  to: Date | null
}

/** A part that was taken out, as `detached_part` has it. */
export interface DetachedPart {
  table: string
  from: Date | null
  to: Date
  rows: number
  firstId: number | null
  lastId: number | null
  sha256: string
}

export const listParts = async (pool: Pick<Pool, 'query'>): Promise<Part[]> => {
  const { rows } = await pool.query<Part>(
    `select table_name as table, part_name as name, from_at as from, to_at as to from table_part order by table_name, to_at nulls last`,
  )
  return rows.map(withDates)
}

export interface RecordedPart extends DetachedPart {
  mac: string
  keyMark: string
}

export const listDetachedParts = async (pool: Pick<Pool, 'query'>): Promise<RecordedPart[]> => {
  const { rows } = await pool.query<RecordedPart>(
    `select table_name as table, from_at as from, to_at as to, row_count as rows, first_id as "firstId", last_id as "lastId",
       encode(sha256, 'hex') as sha256, encode(mac, 'hex') as mac, key_mark as "keyMark"
     from detached_part order by table_name, to_at, id`,
  )
  return rows.map(withDates)
}

/** `2026-03`, or `before 2026-12` for the part that was there first. */
export const monthOf = ({ from, to }: Pick<Part, 'from' | 'to'>): string => {
  if (!to) return 'default'
  return from ? from.toISOString().slice(0, 7) : `before ${to.toISOString().slice(0, 7)}`
}

/** The name of its file in the folder, without its ending. */
export const fileOf = (part: Pick<DetachedPart, 'table' | 'from' | 'to'>): string =>
  `${part.table}-${monthOf(part).replace(' ', '-')}`

const withDates = <T extends { from: Date | null; to: Date | null }>(row: T): T => ({
  ...row,
  from: row.from && new Date(row.from),
  to: row.to && new Date(row.to),
})
