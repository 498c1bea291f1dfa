import { sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'
import type { Channel } from './message.ts'
import { type EncryptionTools, encryptRaw } from './raw-message.ts'

export interface NewMessage {
  channel: Channel
  /** An e-mail address, a phone number, the fax gateway's e-mail address, a host and port … depending on the channel. */
  to: string
  subject?: string
  body: string
  /** Set for a text with patient data: it is stored encrypted. */
  encryptWith?: EncryptionTools
  /** The patient whom an encrypted text names. */
  patientId?: number
  /** Rows of `stored_file`, sent along. */
  attachmentIds?: readonly number[]
  /** A second message with the same key is not queued. */
  dedupeKey?: string
  /** A message that expires, such as a code, has its own queue (see `OutboxQueue`), and is not sent after it has expired. */
  expiresInSeconds?: number
}

/** The reference of a message: the same for every attempt at it. */
export const referenceOf = ({ id, created_at: createdAt }: { id: number; created_at: string }): string =>
  `lis-${id}-${Date.parse(createdAt).toString(36)}`

/** Writes the message in the caller's transaction; it is sent after the commit. */
export const queueMessage = async (
  trx: Trx,
  message: NewMessage,
): Promise<{ id: number; reference: string; isNew: boolean }> => {
  const inserted = await trx
    .insertInto('outbox_message')
    .values({
      channel: message.channel,
      recipient: message.to,
      subject: message.subject ?? null,
      body: message.encryptWith ? '' : message.body,
      encrypted_body: message.encryptWith ? encryptRaw(message.encryptWith, Buffer.from(message.body)) : null,
      patient_id: message.patientId ?? null,
      attachment_ids: [...(message.attachmentIds ?? [])],
      dedupe_key: message.dedupeKey ?? null,
      expires_at: message.expiresInSeconds
        ? sql<string>`now() + make_interval(secs => ${message.expiresInSeconds})`
        : null,
    })
    .onConflict((oc) => oc.column('dedupe_key').doNothing())
    .returning(['id', 'created_at'])
    .executeTakeFirst()
  if (inserted) return { id: inserted.id, reference: referenceOf(inserted), isNew: true }
  const known = await trx
    .selectFrom('outbox_message')
    .select(['id', 'created_at'])
    .where('dedupe_key', '=', message.dedupeKey ?? '')
    .executeTakeFirstOrThrow()
  return { id: known.id, reference: referenceOf(known), isNew: false }
}

const plainAtOnce = 200
/** Our own number in the PID segment. */
const patientInMessage = '.*\\rPID\\|1\\|\\|(?:[^|]*~)?(\\d+)\\^\\^\\^LIS'

/** Encrypts the HL7 messages of earlier releases, which are stored as plain text. */
export const encryptPlainMessages = async (db: Db, tools: EncryptionTools) => {
  for (let found = plainAtOnce; found === plainAtOnce; ) {
    found = await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ id: number; body: string }>`select id, body from outbox_message
        where channel = 'HL7' and encrypted_body is null order by id limit ${plainAtOnce} for update`.execute(trx)
      for (const { id, body } of rows)
        await sql`update outbox_message set body = '', encrypted_body = ${encryptRaw(tools, Buffer.from(body))}::bytea,
          patient_id = coalesce(patient_id, substring(body from ${patientInMessage}::text)::bigint) where id = ${id}`.execute(
          trx,
        )
      return rows.length
    })
  }
}
