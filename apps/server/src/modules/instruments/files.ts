import type { FileColumns, StoredFileColumns } from '@lis/contract/instrument-work.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { getInstrument } from '../instrument-records/service.ts'
import { storeMessage } from '../instrument-results/messages.ts'
import { lockInstrumentProcessing } from '../instrument-results/tables.ts'
import { readFile, WrongFileError } from './read-file.ts'

const none: StoredFileColumns = {
  specimenId: null,
  code: null,
  value: null,
  units: null,
  flags: null,
  status: null,
  operator: null,
  reagentLot: null,
  measuredAt: null,
}

const findColumns = async (db: Db, instrumentId: number): Promise<FileColumns | null> => {
  const { rows } = await sql<{ columns: FileColumns | null }>`
    select file_columns as columns from instrument_link where instrument_id = ${instrumentId}::int`.execute(db)
  return rows[0]?.columns ?? null
}

export const getFileColumns = async (db: Db, id: number): Promise<StoredFileColumns> => {
  await getInstrument(db, id)
  return (await findColumns(db, id)) ?? none
}

export const saveFileColumns = async (
  call: WriteCall,
  id: number,
  columns: FileColumns,
): Promise<StoredFileColumns> => {
  const { db, actor, requestId } = call
  await lockInstrumentProcessing(db, id)
  const before = await getFileColumns(db, id)
  await sql`insert into instrument_link (instrument_id, file_columns) values (${id}::int, ${JSON.stringify(columns)}::jsonb)
    on conflict (instrument_id) do update set file_columns = excluded.file_columns`.execute(db)
  await recordAudit(db, actor, requestId, {
    entity: 'instrument',
    entityId: id,
    action: 'COLUMNS',
    old: { ...before },
    new: { ...columns },
  })
  return getFileColumns(db, id)
}

interface SentFile {
  fileName: string
  content: string
}

/** Stores a file with results; they are read like a message of an instrument that is connected. The same content again is refused. */
export const takeFile = async (call: WriteCall, services: Services, id: number, { fileName, content }: SentFile) => {
  const { db, actor, requestId } = call
  const { name, protocol, isActive } = await getInstrument(db, id)
  if (protocol !== 'FILE') throw conflict(`${name} sends its results over ${protocol}, not as files`)
  if (isActive === 0) throw conflict(`${name} is not active`)
  const fileColumns = await findColumns(db, id)
  const rowCount = countRows(content, fileColumns)
  const messageId = await storeMessage(db, services, {
    instrumentId: id,
    direction: 'IN',
    protocol: 'FILE',
    state: 'COMPLETE',
    raw: content,
  })
  if (messageId === undefined) throw conflict(`This file of ${name} has been taken already`)
  await sql`insert into instrument_link (instrument_id, last_seen_at) values (${id}::int, clock_timestamp())
    on conflict (instrument_id) do update set last_seen_at = excluded.last_seen_at`.execute(db)
  await recordAudit(db, actor, requestId, {
    entity: 'instrument',
    entityId: id,
    action: 'FILE',
    new: { fileName, messageId, rowCount },
  })
  return { id: messageId, rowCount }
}

const countRows = (content: string, fileColumns: FileColumns | null): number => {
  try {
    return readFile(content, { toInstant: () => null, fileColumns }).results.length
  } catch (error) {
    if (error instanceof WrongFileError) throw invalid('content', error.message)
    throw error
  }
}
