import { randomUUID } from 'node:crypto'
import type { FileColumns } from '@lis/contract/instrument-work.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { parseHl7Time } from '../../platform/hl7/timestamps.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { instantAt } from '../../platform/zones.ts'
import { instrumentActor } from '../instrument-results/actor.ts'
import { decryptMessage } from '../instrument-results/messages.ts'
import { storeResults } from '../instrument-results/place.ts'
import { lockInstrumentProcessing } from '../instrument-results/tables.ts'
import { type InstrumentServices, setLinkMessage } from './link-store.ts'
import { readAstm } from './read-astm.ts'
import { readFile } from './read-file.ts'
import { readHl7 } from './read-hl7.ts'
import type { ReadMessage } from './read-message.ts'

interface Waiting {
  id: number
  protocol: 'ASTM' | 'HL7' | 'FILE'
  raw: Buffer
  content_hash: Buffer
  received_at: string
  failures: number
  instrument_name: string
  lab_zone: string
  file_columns: FileColumns | null
}

const mostAtOnce = 25
/** The pause after a fault doubles with each try. */
const [firstPauseSec, longestPauseSec] = [5, 600]
const faultText = 'Internal error; see the server log. It is tried again.'
const failureText = (id: number) => `Message ${id} could not be processed. ${faultText}`

/**
 * Processes the stored messages of an instrument, oldest first, many in one transaction, which is cheaper after a burst. True if
 * there may be more. When a message cannot be processed, the messages are processed one by one, so that it does not block the others.
 */
export const processMessages = async (
  services: InstrumentServices,
  instrumentId: number,
  atOnce = mostAtOnce,
): Promise<boolean> => {
  const db = services.databases(systemScope)
  let current: number | undefined
  let count = 0
  try {
    await retryOnConflict(() =>
      db.transaction().execute(async (trx) => {
        current = undefined
        await lockInstrumentProcessing(trx, instrumentId)
        const messages = await findWaiting(trx, instrumentId, atOnce)
        count = messages.length
        for (const message of messages) {
          current = message.id
          await processMessage(trx, services, instrumentId, message)
        }
      }),
    )
  } catch (error) {
    if (current === undefined) throw error
    if (count > 1) return processMessages(services, instrumentId, 1)
    services.log.error({ err: error, messageId: current }, 'a message of an instrument could not be processed')
    await recordFailure(services, instrumentId, current)
    return true
  }
  return count === atOnce || (atOnce < mostAtOnce && count > 0)
}

const isDue = sql`m.is_waiting and coalesce(m.next_try_at <= now(), true)`

const findWaiting = async (trx: Trx, instrumentId: number, limit: number): Promise<Waiting[]> => {
  const { rows } = await sql<Waiting>`
    select m.id, m.protocol, m.raw, m.content_hash, m.received_at, m.failures, k.name as instrument_name, lab.zone as lab_zone, l.file_columns
    from instrument_message m join instrument k on k.id = m.instrument_id join lab on lab.id = k.lab_id
    left join instrument_link l on l.instrument_id = k.id
    where m.instrument_id = ${instrumentId}::int and ${isDue} order by m.id limit ${limit}`.execute(trx)
  return rows
}

/** PostgreSQL stores no NUL. A space instead keeps `1` and `2` apart. */
const withoutNul = (text: string) => text.replaceAll('\0', ' ')

const readers = { ASTM: readAstm, HL7: readHl7, FILE: readFile }

const processMessage = async (trx: Trx, services: InstrumentServices, instrumentId: number, message: Waiting) => {
  const toInstant = (time: string) => instantOf(time, message.lab_zone)
  const read: ReadMessage = readers[message.protocol](withoutNul(decryptMessage(services, message.raw)), {
    toInstant,
    fileColumns: message.file_columns,
  })
  const sentAt = toInstant(read.sentAt)
  const clockOffsetSec =
    sentAt === null ? null : Math.round((Date.parse(sentAt) - Date.parse(message.received_at)) / 1000)
  await storeResults(
    writeCall(trx, message),
    {
      instrumentId,
      messageId: message.id,
      messageHash: message.content_hash,
      receivedAt: message.received_at,
      clockOffsetSec,
    },
    read.results,
  )
  await sql`update instrument_message set is_waiting = false, reason = null, next_try_at = null where id = ${message.id}`.execute(
    trx,
  )
  if (message.failures > 0)
    await sql`update instrument_link set message = null where instrument_id = ${instrumentId}::int and message = ${failureText(message.id)}`.execute(
      trx,
    )
  if (clockOffsetSec !== null)
    await sql`update instrument_link set clock_offset_sec = ${clockOffsetSec} where instrument_id = ${instrumentId}::int`.execute(
      trx,
    )
}

const writeCall = (trx: Trx, message: Waiting): WriteCall => ({
  db: trx,
  requestId: randomUUID(),
  actor: instrumentActor(message.instrument_name, `Message ${message.id}`),
})

/** A time of an instrument, in the zone of its laboratory unless it has an offset; null if it is not a valid time. */
const instantOf = (text: string, zone: string): string | null => {
  const { dateTime } = parseHl7Time(text.trim()) ?? {}
  if (!dateTime) return null
  if (/[+-]\d\d:\d\d$/.test(dateTime)) return new Date(dateTime).toISOString()
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = dateTime.split(/[-T:]/).map(Number)
  const instant = instantAt({ year, month, day, hour, minute }, zone)
  return instant === null ? null : new Date(Date.parse(instant) + seconds * 1000).toISOString()
}

/** An acknowledged message is never dropped: it waits, and its instrument shows why. */
const recordFailure = async (services: InstrumentServices, instrumentId: number, id: number) => {
  await sql`update instrument_message set failures = failures + 1, reason = ${faultText},
      next_try_at = now() + make_interval(secs => least(${firstPauseSec}::int * 2 ^ least(failures, 20), ${longestPauseSec}::int))
    where id = ${id}`.execute(services.databases(systemScope))
  await setLinkMessage(services, instrumentId, failureText(id))
}

/** Instruments with unprocessed messages, such as after a crash. */
export const findWaitingInstruments = async ({ databases }: InstrumentServices): Promise<number[]> => {
  const { rows } = await sql<{
    id: number
  }>`select distinct m.instrument_id as id from instrument_message m where ${isDue}`.execute(databases(systemScope))
  return rows.map(({ id }) => id)
}
