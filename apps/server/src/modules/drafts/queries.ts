import { type Draft, type draftInput, maxDrafts } from '@lis/contract/drafts.ts'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'

interface FormKey {
  form: string
  recordKey: string
}
interface DraftKey extends FormKey {
  draftId: string
}

const retentionDays = 30

/** A draft belongs to one user: every query names the owner. */
const isOwn = (userId: number, { form, recordKey }: FormKey) =>
  sql<boolean>`user_id = ${userId} and form = ${form} and record_key = ${recordKey}`

const moment = (column: 'started_at' | 'updated_at') =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const listDrafts = async (db: Db, userId: number, key: FormKey): Promise<Draft[]> => {
  const rows = await db
    .selectFrom('draft')
    .select(['id', 'base_version', 'body', moment('started_at').as('started'), moment('updated_at').as('updated')])
    .where(isOwn(userId, key))
    .where('updated_at', '>', sql<string>`now() - make_interval(days => ${retentionDays})`)
    .orderBy('updated_at', 'desc')
    .execute()
  return rows.map(({ id, base_version: baseVersion, body, started: startDate, updated: updateDate }) => ({
    id,
    baseVersion,
    body: body as Draft['body'],
    startDate,
    updateDate,
  }))
}

/** The last save of a draft wins. Also deletes the user's drafts that were unused for a month. */
export const saveDraft = async (trx: Trx, userId: number, key: DraftKey, input: z.output<typeof draftInput>) => {
  await trx
    .deleteFrom('draft')
    .where('user_id', '=', userId)
    .where('updated_at', '<', sql<string>`now() - make_interval(days => ${retentionDays})`)
    .execute()
  const values = { base_version: input.baseVersion, body: JSON.stringify(input.body), updated_at: sql<string>`now()` }
  await trx
    .insertInto('draft')
    .values({ user_id: userId, form: key.form, record_key: key.recordKey, id: key.draftId, ...values })
    .onConflict((target) => target.columns(['user_id', 'form', 'record_key', 'id']).doUpdateSet(values))
    .execute()
  const { count } = await trx
    .selectFrom('draft')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(isOwn(userId, key))
    .executeTakeFirstOrThrow()
  if (count > maxDrafts) throw conflict(`There are ${maxDrafts} drafts of this form. Please discard some of them.`)
}

export const removeDraft = (trx: Trx, userId: number, key: DraftKey) =>
  trx.deleteFrom('draft').where(isOwn(userId, key)).where('id', '=', key.draftId).execute()
