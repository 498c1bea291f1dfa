import { homeTopic } from '@lis/contract/home.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

interface Review {
  reqIds: readonly number[]
  isReviewed: 0 | 1
  asOf?: string | undefined
}

/** Marks results as reviewed by this person, up to what they saw (`asOf`): what is released later is new again. */
export const setReviewed = async ({ db, actor, requestId }: WriteCall, { reqIds, isReviewed, asOf }: Review) => {
  const { rows } = await sql<{ id: number }>`select l.requisition_id as id from requisition_list l
    where l.requisition_id = any(${[...reqIds]}::bigint[]) and ${visibleRequisitions(actor)}`.execute(db)
  if (rows.length < reqIds.length) throw notFound('Requisition')
  const ids = rows.map(({ id }) => id)
  if (isReviewed === 1)
    await sql`insert into home_review (user_id, requisition_id, reviewed_at)
      select ${actor.userId}, id, least(now(), coalesce(${asOf ?? null}::timestamptz, now())) from unnest(${ids}::bigint[]) id order by id
      on conflict (user_id, requisition_id) do update set reviewed_at = excluded.reviewed_at`.execute(db)
  else
    await db
      .deleteFrom('home_review')
      .where('user_id', '=', actor.userId)
      .where('requisition_id', '=', sql<number>`any(${ids}::bigint[])`)
      .execute()
  await recordAudit(
    db,
    actor,
    requestId,
    ids.map((id) => ({
      entity: 'home_review',
      entityId: id,
      requisitionId: id,
      action: 'REVIEWED',
      new: { isReviewed },
    })),
  )
  await publish(db, { topic: homeTopic, data: {} })
}
