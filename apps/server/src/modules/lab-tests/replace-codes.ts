import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { anyId } from '../../platform/db/expressions.ts'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'

const codeTypes = {
  PASS: { field: 'passIds', label: 'Pass Codes', name: 'passCodes' },
  FAIL: { field: 'failIds', label: 'Fail Codes', name: 'failCodes' },
} as const
export type CodeType = keyof typeof codeTypes

/** Codes belong to a requisition or to one of its tests. */
const owners = {
  REQ: { table: 'requisition_reason', key: 'requisition_id' },
  TEST: { table: 'requisition_test_reason', key: 'requisition_test_id' },
} as const

interface CodeOwner {
  kind: keyof typeof owners
  id: number
}

interface Codes {
  codes: string
  /** Those whose texts are printed on reports. */
  printed: string
}

/** Replaces the codes of one type. `name` is the field in the audit. */
export const replaceCodes = async (
  write: WriteCall,
  owner: CodeOwner,
  type: CodeType,
  reasonIds: readonly number[],
): Promise<{ name: string; old: Codes; now: Codes }> => {
  await requireReasons(write, owner, type, reasonIds)
  const { table, key } = owners[owner.kind]
  const old = await readCodes(write, owner, type)
  await sql`delete from ${sql.table(table)} x using reason r where r.id = x.reason_id and r.type_code = ${type} and x.${sql.ref(key)} = ${owner.id}`.execute(
    write.db,
  )
  await sql`insert into ${sql.table(table)} (${sql.ref(key)}, reason_id) select ${owner.id}, unnest(${[...reasonIds]}::int[])`.execute(
    write.db,
  )
  return { name: codeTypes[type].name, old, now: await readCodes(write, owner, type) }
}

const requireReasons = async ({ db }: WriteCall, { kind }: CodeOwner, type: CodeType, ids: readonly number[]) => {
  const rows = await db
    .selectFrom('reason')
    .select('id')
    .where('type_code', '=', type)
    .where('is_active', '=', sql.lit(true))
    .where('scope', 'in', [kind, 'BOTH'])
    .where('id', '=', anyId(ids))
    .execute()
  if (rows.length !== ids.length) throw invalid(codeTypes[type].field, messages.invalid(codeTypes[type].label))
}

const readCodes = async ({ db }: WriteCall, { kind, id }: CodeOwner, type: CodeType): Promise<Codes> => {
  const { table, key } = owners[kind]
  const { rows } = await sql<Codes>`
    select coalesce(string_agg(r.code, ', ' order by r.code), '') as codes,
      coalesce(string_agg(r.code, ', ' order by r.code) filter (where r.type_code = 'FAIL' or r.is_comment), '') as printed
    from ${sql.table(table)} x join reason r on r.id = x.reason_id and r.type_code = ${type} where x.${sql.ref(key)} = ${id}`.execute(
    db,
  )
  return rows[0] as Codes
}
