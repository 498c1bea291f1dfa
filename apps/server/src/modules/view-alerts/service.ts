import type { AlertNotice, ViewAlert } from '@lis/contract/view-alerts.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { type SavedView, savedViewOf } from '../home/pinned-views.ts'
import { findSmartFilter } from '../smart-filters/queries.ts'

export const findAlert = async (db: Db, actor: Actor, id: number): Promise<ViewAlert | null> => {
  if (!(await findSmartFilter(db, actor, id))) return null
  const { rows } = await sql<ViewAlert>`select kind as "alertKind", value as "alertValue", channels from view_alert
    where user_id = ${actor.userId} and smart_filter_id = ${id}::bigint`.execute(db)
  return rows[0] ?? null
}

/** A view of requisitions that the person can see; undefined when the right to see it has ended. */
export const findWatchedView = async (db: Db, actor: Actor, id: number): Promise<SavedView | undefined> => {
  const view = await findSmartFilter(db, actor, id)
  return view && savedViewOf(actor, view)
}

export const setAlert = async (call: WriteCall, id: number, input: ViewAlert) => {
  const { db, actor, requestId } = call
  const found = await findSmartFilter(db, actor, id)
  if (!found) throw notFound('Smart view')
  if (!savedViewOf(actor, found))
    throw invalid('alertKind', 'Only views of requisitions have alerts. Save the filter on the list of requisitions.')
  const { alertKind, alertValue, channels } = input
  // A new condition may notify at once; the same one with other channels still waits for its hour.
  await sql`insert into view_alert (user_id, smart_filter_id, kind, value, channels) values (${actor.userId}, ${id}, ${alertKind}, ${alertValue}, ${channels})
    on conflict (user_id, smart_filter_id) do update set kind = excluded.kind, value = excluded.value, channels = excluded.channels,
      told_at = case when (view_alert.kind, view_alert.value) is not distinct from (excluded.kind, excluded.value) then view_alert.told_at end`.execute(
    db,
  )
  await recordAudit(db, actor, requestId, { entity: 'smart_filter', entityId: id, action: 'ALERT', new: input })
}

export const endAlert = async ({ db, actor, requestId }: WriteCall, id: number) => {
  const { rows } = await sql<{
    kind: string
  }>`delete from view_alert where user_id = ${actor.userId} and smart_filter_id = ${id}::bigint returning kind`.execute(
    db,
  )
  const [ended] = rows
  if (!ended) throw notFound('Alert')
  await recordAudit(db, actor, requestId, {
    entity: 'smart_filter',
    entityId: id,
    action: 'ALERT',
    old: { alertKind: ended.kind },
  })
}

const shownDays = 30

export const listAlertNotices = async (db: Db, { userId }: Actor): Promise<AlertNotice[]> => {
  const { rows } = await sql<{ row: AlertNotice }>`select row_to_json(x) as row from (
    select n.id, n.smart_filter_id as "smartFilterId", f.smart_name as "smartName", n.at as "alertDate", n.count,
      '/requisitions?view=' || f.id as link, (n.read_at is not null)::int as "isRead"
    from view_alert_notice n join smart_filter f on f.id = n.smart_filter_id
    where n.user_id = ${userId} and n.at > now() - make_interval(days => ${shownDays}) order by n.at desc, n.id desc limit 100) x`.execute(
    db,
  )
  return rows.map(({ row }) => row)
}

export const markAlertRead = async (db: Trx, { userId }: Actor, id: number) => {
  const { rows } = await sql`update view_alert_notice set read_at = coalesce(read_at, now())
    where id = ${id}::bigint and user_id = ${userId} returning id`.execute(db)
  if (rows.length === 0) throw notFound('Alert')
}
