import { join, resolve } from 'node:path'
import type { FileColumns, StoredFileColumns } from '@lis/contract/instrument-work.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { Services } from '../../platform/services.ts'
import { getInstrument } from '../instrument-records/service.ts'
import { type MessageTools, storeMessage } from '../instrument-results/messages.ts'
import { lockInstrumentProcessing } from '../instrument-results/tables.ts'
import { readFile, WrongFileError } from './read-file.ts'

const none = {
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

type Config = Pick<Services['config'], 'INSTRUMENT_FILES_DIR' | 'dataDir'>

/** The folder of an instrument that writes files. */
export const folderOf = ({ INSTRUMENT_FILES_DIR, dataDir }: Config, id: number): string =>
  join(INSTRUMENT_FILES_DIR ? resolve(INSTRUMENT_FILES_DIR) : join(dataDir, 'instrument-files'), String(id))

const findColumns = async (db: Db, instrumentId: number) => {
  const { rows } = await sql<{ columns: FileColumns | null; version: number }>`
    select file_columns as columns, file_columns_version as version from instrument_link where instrument_id = ${instrumentId}::int`.execute(
    db,
  )
  return rows[0] ?? { columns: null, version: 1 }
}

export const getFileColumns = async (db: Db, config: Config, id: number): Promise<StoredFileColumns> => {
  await getInstrument(db, id)
  const { columns, version } = await findColumns(db, id)
  return { ...none, ...columns, version, folder: folderOf(config, id) }
}

export const saveFileColumns = async (
  call: WriteCall,
  config: Config,
  id: number,
  columns: FileColumns,
  expected: number | null,
): Promise<StoredFileColumns> => {
  const { db, actor, requestId } = call
  await getInstrument(db, id)
  await lockInstrumentProcessing(db, id)
  const { columns: before, version } = await findColumns(db, id)
  await requireVersion(db, 'instrument', expected, { ...none, ...before, id, version })
  await sql`insert into instrument_link (instrument_id, file_columns) values (${id}::int, ${JSON.stringify(columns)}::jsonb)
    on conflict (instrument_id) do update set file_columns = excluded.file_columns, file_columns_version = instrument_link.file_columns_version + 1`.execute(
    db,
  )
  await recordAudit(db, actor, requestId, {
    entity: 'instrument',
    entityId: id,
    action: 'COLUMNS',
    old: { ...none, ...before },
    new: { ...columns },
  })
  return getFileColumns(db, config, id)
}

interface SentFile {
  fileName: string
  content: string
}

/** Stores a file with results; they are read like a message of an instrument that is connected. The same content is refused a second time. */
export const takeFile = async (call: WriteCall, tools: MessageTools, id: number, file: SentFile) => {
  const { name, protocol, isActive } = await getInstrument(call.db, id)
  if (protocol !== 'FILE') throw conflict(`${name} sends its results over ${protocol}, not as files`)
  if (isActive === 0) throw conflict(`${name} is not active`)
  const stored = await storeFile(call, tools, id, file)
  if (!stored) throw conflict(`This file of ${name} has been taken already`)
  return stored
}

/** Null if the same content was already imported. */
export const storeFile = async (
  { db, actor, requestId }: WriteCall,
  tools: MessageTools,
  id: number,
  { fileName, content }: SentFile,
): Promise<{ id: number; rowCount: number } | null> => {
  const rowCount = countRows(content, (await findColumns(db, id)).columns)
  const messageId = await storeMessage(db, tools, {
    instrumentId: id,
    direction: 'IN',
    protocol: 'FILE',
    state: 'COMPLETE',
    raw: content,
  })
  if (messageId === undefined) return null
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
