import type { Draft, draftInput } from '@lis/contract/drafts.ts'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Db, Trx } from '../../platform/db/db.ts'

interface DraftKey {
  form: string
  recordKey: string
}

const keptDays = 30

/** A draft belongs to one person: every query names the owner. */
const isOwn = (userId: number, { form, recordKey }: DraftKey) =>
  sql<boolean>`user_id = ${userId} and form = ${form} and record_key = ${recordKey}`

export const findDraft = async (db: Db, userId: number, key: DraftKey): Promise<Draft | null> => {
  const row = await db
    .selectFrom('draft')
    .select([
      'base_version',
      'body',
      sql<string>`to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.as('updated'),
    ])
    .where(isOwn(userId, key))
    .where('updated_at', '>', sql<string>`now() - make_interval(days => ${keptDays})`)
    .executeTakeFirst()
  if (!row) return null
  return { baseVersion: row.base_version, body: row.body as Draft['body'], updateDate: row.updated }
}

/** The newest typing wins; what the person left lying for a month goes with it. */
export const saveDraft = async (trx: Trx, userId: number, key: DraftKey, input: z.output<typeof draftInput>) => {
  const values = { base_version: input.baseVersion, body: JSON.stringify(input.body), updated_at: sql<string>`now()` }
  await trx
    .insertInto('draft')
    .values({ user_id: userId, form: key.form, record_key: key.recordKey, ...values })
    .onConflict((conflict) => conflict.columns(['user_id', 'form', 'record_key']).doUpdateSet(values))
    .execute()
  await trx
    .deleteFrom('draft')
    .where('user_id', '=', userId)
    .where('updated_at', '<', sql<string>`now() - make_interval(days => ${keptDays})`)
    .execute()
}

export const removeDraft = (trx: Trx, userId: number, key: DraftKey) =>
  trx.deleteFrom('draft').where(isOwn(userId, key)).execute()
