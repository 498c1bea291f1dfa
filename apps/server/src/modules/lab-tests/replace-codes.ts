import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'

const codeTypes = {
  PASS: { field: 'passIds', label: 'Pass Codes', name: 'passCodes' },
  FAIL: { field: 'failIds', label: 'Fail Codes', name: 'failCodes' },
} as const
export type CodeType = keyof typeof codeTypes

/** What bears codes: a whole requisition, or one of its tests. */
const bearers = {
  REQ: { table: 'requisition_reason', key: 'requisition_id' },
  TEST: { table: 'requisition_test_reason', key: 'requisition_test_id' },
} as const

interface Bearer {
  kind: keyof typeof bearers
  id: number
}

interface Codes {
  codes: string
  /** Those whose texts stand on reports. */
  printed: string
}

/** The list given replaces the one that was there. `name` is that of the field in the audit. */
export const replaceCodes = async (
  write: WriteCall,
  bearer: Bearer,
  type: CodeType,
  reasonIds: readonly number[],
): Promise<{ name: string; old: Codes; now: Codes }> => {
  await requireReasons(write, bearer, type, reasonIds)
  const { table, key } = bearers[bearer.kind]
  const old = await codesOf(write, bearer, type)
  await sql`delete from ${sql.table(table)} x using reason r where r.id = x.reason_id and r.type_code = ${type} and x.${sql.ref(key)} = ${bearer.id}`.execute(
    write.db,
  )
  await sql`insert into ${sql.table(table)} (${sql.ref(key)}, reason_id) select ${bearer.id}, unnest(${[...reasonIds]}::int[])`.execute(
    write.db,
  )
  return { name: codeTypes[type].name, old, now: await codesOf(write, bearer, type) }
}

const requireReasons = async ({ db }: WriteCall, { kind }: Bearer, type: CodeType, ids: readonly number[]) => {
  const { rows } = await sql`
    select from reason where type_code = ${type} and is_active and scope in (${kind}, 'BOTH') and id = any(${[...ids]}::bigint[])`.execute(
    db,
  )
  if (rows.length !== ids.length) throw invalid(codeTypes[type].field, messages.invalid(codeTypes[type].label))
}

const codesOf = async ({ db }: WriteCall, { kind, id }: Bearer, type: CodeType): Promise<Codes> => {
  const { table, key } = bearers[kind]
  const { rows } = await sql<Codes>`
    select coalesce(string_agg(r.code, ', ' order by r.code), '') as codes,
      coalesce(string_agg(r.code, ', ' order by r.code) filter (where r.type_code = 'FAIL' or r.is_comment), '') as printed
    from ${sql.table(table)} x join reason r on r.id = x.reason_id and r.type_code = ${type} where x.${sql.ref(key)} = ${id}`.execute(
    db,
  )
  return rows[0] as Codes
}
