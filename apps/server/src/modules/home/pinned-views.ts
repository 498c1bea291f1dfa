import type { PinnedView } from '@lis/contract/home.ts'
import type { Filters } from '@lis/contract/kit/list-query.ts'
import { type ApiView, requisitionViews, viewsFor } from '@lis/contract/requisitions/views.ts'
import type { SmartFilter } from '@lis/contract/smart-filters.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { countAndFirst } from '../../platform/lists.ts'
import { listPinnedViews } from '../smart-filters/queries.ts'
import { callOf } from './queue.ts'
import { requisitionRowsOf } from './queues.ts'

export interface SavedView {
  id: number
  name: string
  screen: string
  values: Record<string, { value: unknown }>
  hasAlert?: boolean
  /** The first count of the day. */
  earlier?: PinnedView['earlier']
}

const mostViews = 10

/** The views of the requisition list that the person has pinned, shared ones among them. */
export const listSavedViews = async (db: Db, actor: Actor): Promise<SavedView[]> => {
  const views = await listPinnedViews(db, actor, 'requisitions/')
  const shown = views.flatMap((view) => savedViewOf(actor, view) ?? []).slice(0, mostViews)
  if (shown.length === 0) return []
  const { rows } = await sql<{ id: number; hasAlert: boolean; count: number | null; at: string }>`
    select f.id, a.user_id is not null as "hasAlert", n.count, n.counted_at as at from smart_filter f
    left join view_alert a on a.smart_filter_id = f.id and a.user_id = ${actor.userId}
    left join pinned_view_count n on n.smart_filter_id = f.id and n.user_id = ${actor.userId} and n.version = f.version
    where f.id = any(${shown.map(({ id }) => id)}::int[])`.execute(db)
  const found = new Map(rows.map((row) => [row.id, row]))
  return shown.map((view) => {
    const { hasAlert = false, count = null, at = '' } = found.get(view.id) ?? {}
    return { ...view, hasAlert, earlier: count === null ? null : { count, at: new Date(at).toISOString() } }
  })
}

type StoredView = Pick<SmartFilter, 'id' | 'smartName' | 'smartScreen' | 'smartValues'>

/** Undefined for a view of another list, or of a tab that the role does not have. */
export const savedViewOf = (
  actor: Actor,
  { id, smartName, smartScreen, smartValues }: StoredView,
): SavedView | undefined => {
  const view = { id, name: smartName, screen: smartScreen, values: smartValues as SavedView['values'] }
  return apiViewOf(actor, view) === null ? undefined : view
}

/** The number of rows for this person and, if requested, since when the oldest has its status, which reads all of them. */
export const countSavedView = async (db: Db, actor: Actor, view: SavedView, needsOldest: boolean) => {
  const filters = filtersOf(view)
  const list = requisitionRowsOf(actor, apiViewOf(actor, view) as ApiView, filters)
  const since = sql`(select r.status_at from requisition r where r.id = l.requisition_id)`
  const { count, first } = await countAndFirst<{ since: string | null }>(db, list, filters, {
    order: needsOldest ? since : list.key,
    select: { since },
  })
  return { count, oldestDate: first?.since ?? null }
}

/** The list that a view shows, with its filters. */
export const findViewList = (actor: Actor, view: SavedView) => {
  const api = apiViewOf(actor, view) as ApiView
  const filters = filtersOf(view)
  return { api, filters, list: requisitionRowsOf(actor, api, filters) }
}

export const readSavedView = async (db: Db, actor: Actor, view: SavedView): Promise<PinnedView> => {
  const api = apiViewOf(actor, view) as ApiView
  const filters = filtersOf(view)
  const list = requisitionRowsOf(actor, api, filters)
  const { count } = await countAndFirst(db, list, filters, { order: list.key, select: { id: list.key } })
  return { ...headOf(actor, view), count }
}

export const failedView = (actor: Actor, view: SavedView): PinnedView => ({ ...headOf(actor, view), count: null })

const headOf = (actor: Actor, view: SavedView) => ({
  id: view.id,
  smartName: view.name,
  smartScreen: view.screen,
  hasAlert: view.hasAlert ? (1 as const) : (0 as const),
  earlier: view.earlier ?? null,
  link: `/requisitions?view=${view.id}`,
  call: callOf(`requisitions/${apiViewOf(actor, view)}`, filtersOf(view)),
})

/** The view of the list that the screen 'requisitions/{tab}' shows; null if the role has no such tab. */
const apiViewOf = ({ role }: Actor, { screen }: SavedView): ApiView | null => {
  const tab = viewsFor(role).find((name) => screen === `requisitions/${name}`)
  return tab ? requisitionViews[tab].api : null
}

const filtersOf = ({ values }: SavedView): Filters =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, { value }]) => {
      const given = Array.isArray(value) ? value.map(String) : value === null || value === false ? '' : String(value)
      return given.length === 0 ? [] : [[name, given]]
    }),
  )
