import { sql } from 'kysely'
import { requireRequester } from '../../platform/auth/requester.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError } from '../../platform/errors.ts'
import { homeZoneSql } from '../../platform/home-zone.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import type { Services } from '../../platform/services.ts'
import { countSavedView, listSavedViews } from './pinned-views.ts'

/** Every quarter of an hour, so that some run is at midnight in the zone of the laboratory, whichever that is. */
export const countPinnedViewsJob = defineJob({
  kind: 'home.count-pinned-views',
  schedule: async () => ({ cron: '*/15 * * * *', zone: 'UTC' }),
  run: ({ services }) => countPinnedViews(services),
})

type CountServices = Pick<Services, 'databases' | 'system' | 'config' | 'log'>

/** Counts each pinned view once a day, in the scope of its user; and after it was pinned or changed, if that was later. */
export const countPinnedViews = async (services: CountServices) => {
  const db = services.databases(systemScope)
  const { rows } = await sql<{ userId: number; ids: number[] }>`
    select c.user_id as "userId", array_agg(c.smart_filter_id) as ids
    from smart_filter_choice c join smart_filter f on f.id = c.smart_filter_id and f.deleted_at is null
    left join pinned_view_count n on n.user_id = c.user_id and n.smart_filter_id = c.smart_filter_id and n.version = f.version
    where c.is_pinned and coalesce(n.counted_at < date_trunc('day', now() at time zone ${homeZoneSql}) at time zone ${homeZoneSql}, true)
    group by c.user_id order by c.user_id`.execute(db)
  for (const { userId, ids } of rows) {
    try {
      await countFor(services, userId, new Set(ids))
    } catch (error) {
      // The account is closed, or may not see views any more.
      if (!(error instanceof AppError)) throw error
    }
  }
}

const countFor = async (services: CountServices, userId: number, ids: ReadonlySet<number>) => {
  const actor = await requireRequester(services, userId, 'smartFilter.own')
  const own = services.databases(actor.scope)
  for (const view of await listSavedViews(own, actor)) {
    if (!ids.has(view.id)) continue
    try {
      const { count } = await countSavedView(own, actor, view, false)
      await sql`insert into pinned_view_count (user_id, smart_filter_id, version, count, counted_at)
        select ${userId}, id, version, ${count}, now() from smart_filter where id = ${view.id}
        on conflict (user_id, smart_filter_id) do update set version = excluded.version, count = excluded.count, counted_at = excluded.counted_at`.execute(
        services.databases(systemScope),
      )
    } catch (error) {
      // A filter that no longer exists: Home says so beside the view.
      if (!(error instanceof AppError)) throw error
    }
  }
}
