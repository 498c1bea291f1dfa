import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { decrypt } from '../../platform/encryption.ts'
import { type Loop, repeat } from '../../platform/jobs/loop.ts'
import { RefusedAddress } from '../../platform/outbound/addresses.ts'
import { callOutside } from '../../platform/outbound/call.ts'
import type { Services } from '../../platform/services.ts'
import { resolveInterfaceIssues } from '../deliveries/failures.ts'
import { raiseIssue } from '../issues/service.ts'
import { webhookKey } from './service.ts'
import { signedHeaders } from './signature.ts'

type SendServices = Pick<Services, 'config' | 'databases' | 'log'>

const second = 1
const minute = 60
const hour = 60 * minute
const pauses = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour]
const longPause = 6 * hour
const longestHours = 24

/** How long a receiver may take to answer. */
const longestAnswerMs = 15_000
const atOnce = 10
const pollMs = 1000

interface Claimed {
  id: number
  message_id: number
  webhook_id: number
  control_id: string
  body: string
  attempts: number
  url: string
  secrets: Buffer[]
  name: string
  requisition_id: number | null
  is_wanted: boolean
}

interface Outcome {
  state: 'SENT' | 'RETRYING' | 'FAILED' | 'DISMISSED'
  answer: string | null
  reason: string | null
  pause: number
  isGone: boolean
}

/** Sends waiting events continuously. */
export const startWebhooks = (services: SendServices): Loop => {
  const running = new Set<Promise<void>>()
  const round = async () => {
    const free = atOnce - running.size
    for (const row of free > 0 ? await claim(services, free) : []) {
      const one = deliver(services, row)
        .catch((error) => services.log.error({ err: error, messageId: row.message_id }, 'a webhook was not recorded'))
        .finally(() => running.delete(one))
      running.add(one)
    }
    if (running.size === 0) return false
    await Promise.race([...running, wait(pollMs, undefined, { ref: false })])
    return true
  }
  const loop = repeat('webhooks', pollMs, round, services.log)
  return {
    stop: async () => {
      await loop.stop()
      await Promise.all(running)
    },
  }
}

/** Sends the due events once, and returns their number. */
export const sendDueWebhooks = async (services: SendServices): Promise<number> => {
  const rows = await claim(services, atOnce)
  await Promise.all(rows.map((row) => deliver(services, row)))
  return rows.length
}

/**
 * Claims rows for longer than an attempt can take, so that another process continues with them when this one dies. An event waits until those
 * before it of the same webhook and requisition have been sent, or given up.
 */
const claim = async ({ databases }: SendServices, limit: number): Promise<Claimed[]> => {
  const { rows } = await sql<Claimed>`
    with due as (
      select d.id from webhook_delivery d
      where d.state <> 'DONE' and d.next_attempt_at <= now() and (d.requisition_id is null or not exists (select from webhook_delivery e
        where e.webhook_id = d.webhook_id and e.requisition_id = d.requisition_id and e.state <> 'DONE' and e.id < d.id))
      order by d.next_attempt_at, d.id limit ${limit}::int for update of d skip locked
    )
    update webhook_delivery d set state = 'SENDING', attempts = d.attempts + 1, next_attempt_at = now() + interval '1 minute'
    from due, webhook w, interface_message m
    where d.id = due.id and w.id = d.webhook_id and m.id = d.message_id
    returning d.id, d.message_id, d.webhook_id, m.control_id, d.body, d.attempts, w.url, w.name, d.requisition_id, w.is_active and w.deleted_at is null as is_wanted,
      array_remove(array[w.secret, case when w.old_secret_until > now() then w.old_secret end], null) as secrets`.execute(
    databases(systemScope),
  )
  return rows
}

const deliver = async (services: SendServices, row: Claimed) => {
  const outcome = row.is_wanted
    ? await attempt(services, row)
    : { ...settled, state: 'DISMISSED' as const, reason: 'The webhook is switched off' }
  await record(services, row, outcome)
}

const settled = { answer: null, reason: null, pause: 0, isGone: false }

const attempt = async (services: SendServices, row: Claimed): Promise<Outcome> => {
  const key = webhookKey(services)
  const secrets = row.secrets.map((secret) => decrypt(key, secret))
  try {
    const { status } = await callOutside(row.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'LIS-Webhooks',
        ...signedHeaders(row.control_id, row.body, secrets, new Date()),
      },
      body: row.body,
      allow: services.config.OUTBOUND_ALLOW,
      signal: AbortSignal.timeout(longestAnswerMs),
      maxBytes: 0,
    })
    const answer = String(status)
    if (status >= 200 && status < 300) return { ...settled, state: 'SENT', answer }
    if (status === 410)
      return {
        ...settled,
        state: 'FAILED',
        answer,
        isGone: true,
        reason: 'The receiver is gone (410): the webhook is switched off',
      }
    return failed(row, `The receiver answered ${status}`, answer)
  } catch (error) {
    const { name, message } = error as Error
    if (error instanceof RefusedAddress) return failed(row, `The address ${message}`, null)
    return failed(row, name === 'TimeoutError' ? 'The receiver did not answer within 15 seconds' : message, null)
  }
}

const failed = ({ attempts }: Claimed, reason: string, answer: string | null): Outcome => ({
  ...settled,
  state: 'RETRYING',
  answer,
  reason,
  pause: pauses[attempts - 1] ?? longPause,
})

/** Attempts end a day after the first one; then a user has to decide. */
const record = async ({ databases }: SendServices, row: Claimed, outcome: Outcome) => {
  const { state, answer, reason, pause, isGone } = outcome
  await databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      const { rows } = await sql<{ is_over: boolean }>`
        update webhook_delivery set next_attempt_at = now() + make_interval(secs => ${pause}),
          state = case when ${state} = 'RETRYING' and now() + make_interval(secs => ${pause}) <= first_at + make_interval(hours => ${longestHours})
            then 'QUEUED' else 'DONE' end
        where id = ${row.id} returning state = 'DONE' as is_over`.execute(trx)
      const now = state === 'RETRYING' && rows[0]?.is_over ? 'FAILED' : state
      await sql`update interface_message set state = ${now}, attempts = ${row.attempts}, ack_code = coalesce(${answer}, ack_code),
          reason = ${reason}, settled_at = case when ${state} in ('SENT', 'DISMISSED') then clock_timestamp() end
        where id = ${row.message_id}`.execute(trx)
      await followIssue(trx, row, now, reason)
      if (isGone)
        await sql`update webhook set is_active = false, version = version + 1 where id = ${row.webhook_id} and is_active`.execute(
          trx,
        )
    })
}

/** A failed event that concerns a requisition is for IT to look at, until it is sent or given up. */
const followIssue = async (
  trx: Trx,
  { requisition_id: requisitionId, name }: Claimed,
  state: Outcome['state'],
  reason: string | null,
) => {
  if (requisitionId === null || state === 'RETRYING') return
  if (state !== 'FAILED') return resolveInterfaceIssues(trx, [requisitionId])
  await raiseIssue(trx, requisitionId, 'INTERFACE', {
    by: 'Interfaces',
    issueDesc: `A message to ${name} failed`,
    ...(reason !== null && { issueNote: reason }),
  })
}
