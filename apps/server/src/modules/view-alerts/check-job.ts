import { notificationTopic } from '@lis/contract/notifications.ts'
import { sql } from 'kysely'
import { requireRequester } from '../../platform/auth/requester.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import type { Services } from '../../platform/services.ts'
import { countSavedView } from '../home/pinned-views.ts'
import { findWatchedView } from './service.ts'

/** Every minute, because some conditions become true with time. Changes are checked sooner (start-view-alerts.ts). */
export const checkAlertsJob = defineJob({
  kind: 'view-alerts.look',
  schedule: async () => ({ cron: '* * * * *', zone: 'UTC' }),
  run: ({ services }) => checkAlerts(services),
})

interface Watched {
  userId: number
  smartFilterId: number
  kind: 'NOT_EMPTY' | 'MORE_THAN' | 'OLDER_THAN'
  value: number | null
  channels: string[]
  isSilent: boolean
}

export type CheckServices = Pick<Services, 'databases' | 'system' | 'config' | 'log'>

/** After a change only those alerts are checked that it can affect, and that have not notified within the hour. */
const afterChange = sql`where kind <> 'OLDER_THAN' and (told_at is null or told_at <= now() - interval '1 hour')`

/** Evaluates each alert in the scope of its owner; notifies at most once an hour. */
export const checkAlerts = async (services: CheckServices, { isAfterChange = false } = {}) => {
  const { rows } =
    await sql<Watched>`select user_id as "userId", smart_filter_id as "smartFilterId", kind, value, channels,
      coalesce(told_at > now() - interval '1 hour', false) as "isSilent" from view_alert
      ${isAfterChange ? afterChange : sql``} order by user_id, smart_filter_id`.execute(services.databases(systemScope))
  let notified = 0
  for (const watched of rows) {
    try {
      if (await checkAlert(services, watched)) notified++
    } catch (error) {
      services.log.error({ err: error, view: watched.smartFilterId }, 'view alert')
    }
  }
  return { notified }
}

const checkAlert = async (services: CheckServices, watched: Watched): Promise<boolean> => {
  const actor = await requireRequester(services, watched.userId, 'smartFilter.own').catch((error) => {
    if (error instanceof AppError) return null
    throw error
  })
  const view = actor && (await findWatchedView(services.databases(actor.scope), actor, watched.smartFilterId))
  if (!actor || !view) {
    await end(services, watched)
    return false
  }
  if (watched.isSilent) return false
  const { count, oldestDate } = await countSavedView(
    services.databases(actor.scope),
    actor,
    view,
    watched.kind === 'OLDER_THAN',
  )
  if (!isMet(watched, count, oldestDate)) return false
  return tell(services, watched, view.name, count)
}

const hourMs = 3_600_000

const isMet = ({ kind, value }: Watched, count: number, oldest: string | null): boolean => {
  if (kind === 'NOT_EMPTY') return count > 0
  if (kind === 'MORE_THAN') return count > (value ?? 0)
  return oldest !== null && Date.now() - Date.parse(oldest) > (value ?? 0) * hourMs
}

/** The user may no longer see the view. */
const end = ({ databases }: CheckServices, { userId, smartFilterId }: Watched) =>
  sql`delete from view_alert where user_id = ${userId} and smart_filter_id = ${smartFilterId}`.execute(
    databases(systemScope),
  )

/** In one transaction with the mark that prevents a second notification by another process or the next run. */
const tell = ({ databases, config }: CheckServices, watched: Watched, name: string, count: number) =>
  databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      const { userId, smartFilterId, channels } = watched
      const { rows } = await sql<{ email: string | null }>`
        update view_alert a set told_at = now() from app_user u
        where a.user_id = ${userId} and a.smart_filter_id = ${smartFilterId} and u.id = a.user_id
          and (a.told_at is null or a.told_at <= now() - interval '1 hour') returning u.email::text as email`.execute(
        trx,
      )
      const [person] = rows
      if (!person) return false
      if (channels.includes('BELL')) {
        await sql`insert into view_alert_notice (user_id, smart_filter_id, count) values (${userId}, ${smartFilterId}, ${count})`.execute(
          trx,
        )
        await publish(trx, { topic: notificationTopic, data: {} })
      }
      if (channels.includes('MAIL') && person.email)
        await queueMessage(trx, {
          channel: 'EMAIL',
          to: person.email,
          subject: `Smart view: ${name}`,
          body: `${name}: ${count} ${count === 1 ? 'requisition' : 'requisitions'}.\n\n${config.publicUrl}/requisitions?view=${smartFilterId}`,
        })
      return true
    })
