import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { decryptRaw } from '../../platform/messaging/raw-message.ts'
import type { Services } from '../../platform/services.ts'
import { raiseMessageIssue } from './message-issues.ts'
import { lockMessage, type StoredMessage, settleMessage } from './message-store.ts'
import { getPartnerById } from './partner-queries.ts'
import { findOrderedRequisition } from './placers.ts'
import { readMessage } from './read-message.ts'
import { processMessage } from './work.ts'

export type WorkServices = Pick<Services, 'config' | 'databases' | 'log'>

/** After this many internal errors a message is set aside, so that it does not block the others. */
const mostFailures = 3

/**
 * Processes the oldest received message of a partner; undefined if there is none. Only one process handles a partner
 * at a time, in the order of arrival.
 */
export const workNext = async (services: WorkServices, partnerId: number): Promise<number | undefined> => {
  const db = services.databases(systemScope)
  let id: number | undefined
  try {
    await retryOnConflict(() =>
      db.transaction().execute(async (trx) => {
        id = undefined
        await sql`select pg_advisory_xact_lock(hashtext('interface-work'), ${partnerId}::int)`.execute(trx)
        const { rows } = await sql<StoredMessage>`select * from interface_message
          where partner_id = ${partnerId} and state = 'RECEIVED' order by id limit 1 for update`.execute(trx)
        const [message] = rows
        if (!message) return
        id = message.id
        await processMessage(trx, services, message, await getPartnerById(trx, partnerId))
      }),
    )
  } catch (error) {
    if (id === undefined) throw error
    services.log.error({ err: error, messageId: id }, 'a message could not be processed')
    await recordFailure(services, id)
  }
  return id
}

const recordFailure = async (services: WorkServices, id: number) => {
  await services
    .databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      const message = await lockMessage(trx, id)
      if (message?.state !== 'RECEIVED') return
      const { rows } = await sql<{ failures: number }>`update interface_message set failures = failures + 1
        where id = ${id} returning failures`.execute(trx)
      if ((rows[0]?.failures ?? 0) < mostFailures) return
      const requisitionId = await requisitionOf(trx, services, message)
      const settlement = {
        state: 'FAILED' as const,
        reason: 'Internal error; see the server log. Reprocess it once that is fixed.',
        requisitionId,
      }
      await settleMessage(trx, id, settlement)
      if (requisitionId === null) return
      const partner = await getPartnerById(trx, message.partner_id as number)
      await raiseMessageIssue(trx, requisitionId, partner.name, settlement)
    })
}

/** The requisition of the order that a message names; null also where the message itself cannot be read. */
const requisitionOf = async (trx: Trx, services: WorkServices, message: StoredMessage): Promise<number | null> => {
  const placers = readPlacers(services, message)
  return placers.length === 0 ? null : findOrderedRequisition(trx, message.partner_id as number, placers)
}

const readPlacers = (services: WorkServices, message: StoredMessage): readonly string[] => {
  try {
    return readMessage(services, message, decryptRaw(services, message.raw as Buffer)).order?.placers ?? []
  } catch (error) {
    services.log.error({ err: error, messageId: message.id }, 'a message could not be read')
    return []
  }
}

/** Partners with messages that were not processed for a while, such as after a crash. */
export const findWaitingPartners = async ({ databases }: Pick<Services, 'databases'>): Promise<number[]> => {
  const { rows } = await sql<{ partner_id: number }>`select distinct partner_id from interface_message
    where state = 'RECEIVED' and partner_id is not null`.execute(databases(systemScope))
  return rows.map((row) => row.partner_id)
}

export interface WorkQueue {
  /** The number of messages that wait or are being processed in this process. */
  size: () => number
  /** Resolves when the message has been processed, or cannot be processed now. */
  add: (work: { messageId: number; partnerId: number }) => Promise<void>
  /** Processes all waiting messages of a partner. */
  sweep: (partnerId: number) => void
  /** Stores a message; processing pauses briefly, so that a burst is answered first. */
  whileReceiving: <T>(receive: () => Promise<T>) => Promise<T>
  stop: () => Promise<void>
}

const partnersAtOnce = 4
const failurePauseMs = 1000
/** The longest pause, however many messages arrive. */
const longestPauseMs = 250

/** Processes received messages: in order for each partner, several partners in parallel. */
export const openWorkQueue = (services: WorkServices): WorkQueue => {
  const waiting = new Map<number, Map<number, () => void>>()
  const ready: number[] = []
  const running = new Set<number>()
  const tasks = new Set<Promise<void>>()
  let isStopped = false
  let receiving = 0
  let quiet = Promise.withResolvers<void>()

  const untilQuiet = async () => {
    if (receiving > 0) await Promise.race([quiet.promise, wait(longestPauseMs, undefined, { ref: false })])
  }

  const finish = (partnerId: number, messageIds: Iterable<number>) => {
    const mine = waiting.get(partnerId)
    for (const id of messageIds) {
      mine?.get(id)?.()
      mine?.delete(id)
    }
    if (mine?.size === 0) waiting.delete(partnerId)
  }

  const run = async (partnerId: number) => {
    while (!isStopped) {
      await untilQuiet()
      // A message added during the query may be missing from its result.
      const before = [...(waiting.get(partnerId)?.keys() ?? [])]
      try {
        const id = await workNext(services, partnerId)
        finish(partnerId, id === undefined ? before : [id])
        if (id === undefined && !waiting.has(partnerId)) return
      } catch (error) {
        services.log.error({ err: error, partnerId }, 'messages could not be processed')
        finish(partnerId, before)
        await wait(failurePauseMs, undefined, { ref: false })
        if (!waiting.has(partnerId)) return
      }
    }
  }

  const start = () => {
    while (!isStopped && running.size < partnersAtOnce) {
      const partnerId = ready.shift()
      if (partnerId === undefined) return
      running.add(partnerId)
      const task = run(partnerId).finally(() => {
        running.delete(partnerId)
        tasks.delete(task)
        // Messages that arrived while the last round ended.
        if (waiting.has(partnerId)) wake(partnerId)
        start()
      })
      tasks.add(task)
    }
  }

  const wake = (partnerId: number) => {
    if (!running.has(partnerId) && !ready.includes(partnerId)) ready.push(partnerId)
    start()
  }

  return {
    size: () => [...waiting.values()].reduce((sum, mine) => sum + mine.size, 0),
    add: ({ messageId, partnerId }) =>
      new Promise<void>((done) => {
        const mine = waiting.get(partnerId) ?? new Map<number, () => void>()
        const before = mine.get(messageId)
        mine.set(messageId, () => {
          before?.()
          done()
        })
        waiting.set(partnerId, mine)
        wake(partnerId)
      }),
    sweep: wake,
    whileReceiving: async (receive) => {
      receiving++
      try {
        return await receive()
      } finally {
        receiving--
        if (receiving === 0) {
          quiet.resolve()
          quiet = Promise.withResolvers<void>()
        }
      }
    },
    stop: async () => {
      isStopped = true
      for (const [partnerId, mine] of [...waiting]) finish(partnerId, [...mine.keys()])
      await Promise.all(tasks)
    },
  }
}
