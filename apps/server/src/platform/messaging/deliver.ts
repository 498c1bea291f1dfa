import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'
import { retryOnConflict } from '../db/retry.ts'
import type { OutboxMessage } from '../db/types.ts'
import { withoutControls } from '../hl7/message.ts'
import { type Loop, repeat } from '../jobs/loop.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { ChangedFile } from '../storage/verified.ts'
import {
  type Attachment,
  type Channel,
  type OutgoingMessage,
  Refused,
  type Transports,
  unknownOutcomes,
} from './message.ts'
import { isMllpAddress, openMllpTransport } from './mllp-transport.ts'
import { missingGateway } from './open-transports.ts'
import { referenceOf } from './outbox.ts'
import { bodyOf, type EncryptionTools } from './raw-message.ts'

export interface DeliveryServices {
  /** A database handle that sees every row. */
  db: Db
  store: Pick<ObjectStore, 'read' | 'verify'>
  transports: Transports
  /** In demo mode messages of a channel without a gateway stay in the demo outbox. */
  demo: boolean
  /** Decrypts the texts that are stored encrypted. */
  config: EncryptionTools['config']
  owner?: MessageOwner
  /** Sends only the messages of this queue. */
  queue?: OutboxQueue
  /** How long one message may take. The lease is twice that, so no second sender starts while the first is still sending. */
  sendMs?: number
}

/**
 * Messages wait only for others of the same queue. A sign-in code is valid for three minutes, so neither a hundred reports nor a hanging
 * mail server may delay it; and one hanging gateway does not delay the messages of another.
 */
export type OutboxQueue = keyof typeof outboxQueues
export const outboxQueues = {
  codes: sql<boolean>`m.expires_at is not null and m.channel = 'SMS'`,
  links: sql<boolean>`m.expires_at is not null and m.channel <> 'SMS'`,
  texts: sql<boolean>`m.expires_at is null and m.channel = 'SMS'`,
  interfaces: sql<boolean>`m.expires_at is null and m.channel = 'HL7'`,
  mail: sql<boolean>`m.expires_at is null and m.channel not in ('SMS', 'HL7')`,
}

/** The module that has queued the messages. */
export interface MessageOwner {
  /** Called right before each attempt: cancels a message that must not be sent any more. True also while another transaction decides it. */
  cancelIfObsolete: (db: Db, messageId: number) => Promise<boolean>
  /** Called with each outcome, in the transaction that records it. */
  onOutcome: (trx: Trx, outcome: Outcome) => Promise<void>
}

export interface Outcome {
  messageId: number
  /** FAILED is retried automatically; DEAD is not. */
  state: 'SENT' | 'FAILED' | 'DEAD'
  detail: string
  /** What the receiver answered, as it came; null when it did not. */
  answer: string | null
  /** DEAD because the receiver rejected it for good, not because every attempt failed. */
  isRefused: boolean
  /** How often it was tried; waiting for a gateway to be configured is not an attempt. */
  attempts: number
  /** It has not failed before. */
  isFirst: boolean
}

const retryMinutes = [1, 5, 30, 120, 720]
const missingGatewayMinutes = 30
const defaultSendMs = 60_000

interface Claimed extends Selectable<OutboxMessage> {
  was: string
  is_expired: boolean
}

/** For messages that carry the address of their receiver. */
const directMllp = openMllpTransport({})

const atOnce = 10
/** How many messages of a queue are sent to one receiver at a time: one that accepts and never answers must not block the others. */
const maxPerReceiver = 2
/** The next messages are chosen from this many due ones, without those to receivers that already have the maximum. */
const maxCandidates = 200
const pollMs = 1000

/** Sends due messages continuously: whenever one is finished, the next is claimed, without waiting for the slowest. */
export const startSending = (services: DeliveryServices, log: Pick<Log, 'error'>): Loop => {
  const inProgress = new Set<Promise<void>>()
  const round = async () => {
    const free = atOnce - inProgress.size
    for (const row of free > 0 ? await claim(services, free) : []) {
      const one = deliver(services, row)
        .catch((error) => log.error({ err: error, messageId: row.id }, 'what became of a message was not recorded'))
        .finally(() => inProgress.delete(one))
      inProgress.add(one)
    }
    if (inProgress.size === 0) return false
    await Promise.race([...inProgress, wait(pollMs, undefined, { ref: false })])
    return true
  }
  const loop = repeat(`outbox ${services.queue ?? ''}`, pollMs, round, log)
  return {
    stop: async () => {
      await loop.stop()
      await Promise.all(inProgress)
    },
  }
}

/**
 * Sends the due messages once and returns how many were tried. Any number of processes may call it: each row is claimed by one of them for a
 * lease; when a process dies, another takes its rows over after the lease.
 */
export const deliverDue = async (services: DeliveryServices, limit = atOnce): Promise<number> => {
  const claimed = await claim(services, limit)
  await Promise.all(claimed.map((row) => deliver(services, row)))
  return claimed.length
}

const claim = async (
  { db, queue, transports, sendMs = defaultSendMs }: DeliveryServices,
  limit: number,
): Promise<Claimed[]> => {
  // HL7 receivers without a dedicated connection share one.
  const dedicatedReceivers = transports.HL7?.dedicatedReceivers ?? []
  const connection = sql`case when m.channel = 'HL7' and m.recipient not like 'mllp%' and not m.recipient = any(${dedicatedReceivers}::text[]) then '' else m.recipient end`
  const isDue = sql`m.state in ('QUEUED', 'FAILED', 'SENDING') and m.next_attempt_at <= now()`
  const { rows } = await sql<Claimed>`
    with busy as (
      select m.channel, ${connection} as connection, count(*) as n from outbox_message m
      where m.state = 'SENDING' and m.next_attempt_at > now() and ${queue ? outboxQueues[queue] : sql`true`} group by 1, 2
    ),
    candidates as (
      select m.id, m.channel, ${connection} as connection, m.next_attempt_at, coalesce(b.n, 0) as n
      from outbox_message m left join busy b on b.channel = m.channel and b.connection = ${connection}
      where ${isDue} and ${queue ? outboxQueues[queue] : sql`true`} and coalesce(b.n, 0) < ${maxPerReceiver}
      order by m.next_attempt_at limit ${maxCandidates}
    ),
    ranked as (select id, n + row_number() over (partition by channel, connection order by next_attempt_at, id) as place from candidates),
    due as (
      select m.id, m.state from outbox_message m join ranked t on t.id = m.id
      where t.place <= ${maxPerReceiver} and ${isDue}
      order by m.next_attempt_at limit ${limit} for update of m skip locked
    )
    update outbox_message m
    set state = 'SENDING', attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${(2 * sendMs) / 1000})
    from due where due.id = m.id
    returning m.*, due.state as was, coalesce(m.expires_at <= now(), false) as is_expired`.execute(db)
  return rows
}

const deliver = async (services: DeliveryServices, row: Claimed) => {
  if (row.was === 'SENDING') {
    const detail = unknownOutcomes.stopped
    await services.db.insertInto('outbox_attempt').values({ message_id: row.id, succeeded: false, detail }).execute()
    if (row.attempts > retryMinutes.length + 1) return finish(services, row, failed(row, detail))
  }
  if (row.is_expired) return finish(services, row, expired)
  if (await services.owner?.cancelIfObsolete(services.db, row.id)) return
  await finish(services, row, await attempt(services, row))
}

interface Result extends Pick<Outcome, 'state' | 'detail' | 'answer' | 'isRefused'> {
  retryInMinutes: number
  /** Waiting for a gateway to be configured must not use up the attempts. */
  countsAsAttempt: boolean
}

const sent = (detail: string): Result => ({
  state: 'SENT',
  detail,
  answer: null,
  isRefused: false,
  retryInMinutes: 0,
  countsAsAttempt: true,
})
const failed = (row: Claimed, detail: string, isRefused = false): Result => {
  const minutes = isRefused ? undefined : retryMinutes[row.attempts - 1]
  return {
    state: minutes === undefined ? 'DEAD' : 'FAILED',
    detail,
    answer: null,
    isRefused,
    retryInMinutes: minutes ?? 0,
    countsAsAttempt: true,
  }
}

const expired: Result = {
  state: 'DEAD',
  detail: 'It expired before it could be sent',
  answer: null,
  isRefused: false,
  retryInMinutes: 0,
  countsAsAttempt: false,
}

const attempt = async (services: DeliveryServices, row: Claimed): Promise<Result> => {
  const channel = row.channel as Channel
  const transport =
    services.transports[channel] ?? (channel === 'HL7' && isMllpAddress(row.recipient) ? directMllp : undefined)
  if (!transport && !services.demo) {
    return {
      state: 'FAILED',
      detail: missingGateway(channel),
      answer: null,
      isRefused: false,
      retryInMinutes: missingGatewayMinutes,
      countsAsAttempt: false,
    }
  }
  let attachments: Attachment[] = []
  const answers: string[] = []
  const withAnswer = (result: Result): Result => ({ ...result, answer: answers.join('\r') || null })
  try {
    attachments = await openAttachments(services, row.attachment_ids.map(Number))
    if (!transport) return sent('demo outbox')
    const message: OutgoingMessage = {
      id: row.id,
      reference: referenceOf(row),
      channel,
      to: row.recipient,
      subject: row.subject,
      body: bodyOf(services, row),
      attachments,
      isUrgent: row.expires_at !== null,
      onAnswer: (answer) => answers.push(answer),
    }
    const signal = AbortSignal.timeout(services.sendMs ?? defaultSendMs)
    return withAnswer(sent(await Promise.race([transport.send(message, signal), whenAborted(signal)])))
  } catch (error) {
    const isFinal = error instanceof Refused || error instanceof ChangedFile
    return withAnswer(failed(row, (error as Error).message, isFinal))
  } finally {
    for (const { content } of attachments) content.destroy()
  }
}

const whenAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(unknownOutcomes.unanswered)), { once: true })
  })

const openAttachments = async ({ db, store }: DeliveryServices, ids: readonly number[]): Promise<Attachment[]> => {
  if (ids.length === 0) return []
  const files = await db.selectFrom('stored_file').selectAll().where('id', 'in', ids).execute()
  const attachments: Attachment[] = []
  for (const id of ids) {
    const file = files.find((candidate) => candidate.id === id)
    if (!file) throw new Error(`Attachment ${id} does not exist`)
    const sha256 = file.sha256.toString('hex')
    // Before contacting the receiver: a message that is partly sent cannot be recalled.
    await store.verify(file.object_key, sha256)
    attachments.push({
      fileName: file.original_name,
      contentType: file.content_type,
      content: lazily(() => store.read(file.object_key, sha256)),
    })
  }
  return attachments
}

/** Opens the file at the first read: a message that is rejected before its body never reads it. */
const lazily = (open: () => Promise<Readable>): Readable =>
  Readable.from(
    (async function* () {
      yield* await open()
    })(),
    { objectMode: false },
  )

/** The message may have been sent, so recording the result is retried after a conflict; otherwise it would be sent twice. */
const finish = (services: DeliveryServices, row: Claimed, result: Result) =>
  retryOnConflict(() => services.db.transaction().execute((trx) => recordResult(trx, services, row, result)))

const recordResult = async (trx: Trx, { owner }: DeliveryServices, row: Claimed, result: Result) => {
  const { state, isRefused } = result
  // A receiver may answer with what the database cannot keep.
  const detail = withoutControls(result.detail).slice(0, 500)
  const answer = result.answer === null ? null : withoutControls(result.answer)
  const attempts = result.countsAsAttempt ? row.attempts : row.attempts - 1
  const updated = await trx
    .updateTable('outbox_message')
    .set({
      state,
      attempts,
      is_refused: isRefused,
      next_attempt_at: sql<string>`now() + make_interval(mins => ${result.retryInMinutes})`,
      ...(state === 'SENT' && { sent_at: sql<string>`now()` }),
    })
    // A sender that was taken for dead may report late; the result of its successor stays.
    .where('id', '=', row.id)
    .where('state', '=', 'SENDING')
    .where('attempts', '=', row.attempts)
    .executeTakeFirst()
  const succeeded = state === 'SENT'
  await trx.insertInto('outbox_attempt').values({ message_id: row.id, succeeded, detail }).execute()
  const isFirst = row.was !== 'FAILED'
  if (updated.numUpdatedRows === 1n)
    await owner?.onOutcome(trx, { messageId: row.id, state, detail, answer, isRefused, attempts, isFirst })
}
