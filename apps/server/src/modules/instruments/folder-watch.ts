import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mostFileCharacters } from '@lis/contract/instrument-work.ts'
import { sql } from 'kysely'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { type Loop, repeat } from '../../platform/jobs/loop.ts'
import { detectUtf16 } from '../../platform/storage/sniff.ts'
import { instrumentActor } from '../instrument-results/actor.ts'
import { folderOf, storeFile } from './files.ts'
import { type InstrumentServices, setLinkMessage, setLinkStatus } from './link-store.ts'
import type { InstrumentQueue } from './work-queue.ts'

interface WatchedInstrument {
  id: number
  name: string
  hasColumns: boolean
}

const everyMs = 1000
const refusedFolder = 'refused'
const noColumnsText = 'Its files are waiting: the columns are not set up'
/** No character has more bytes. */
const mostBytes = mostFileCharacters * 4

/**
 * Imports the files that instruments write into their folders. A file that has not changed since the last check is stored and removed;
 * one that cannot be read is moved to the folder `refused`, with the reason beside it.
 */
export const watchFolders = (services: InstrumentServices, queue: InstrumentQueue): Loop => {
  /** Size and time of each file at the last check, by its path. */
  let seen = new Map<string, string>()
  const states = new Map<number, string>()
  const tell = async (id: number, state: 'LISTENING' | 'CLOSED' | 'ERROR', message: string | null) => {
    if (states.get(id) === `${state} ${message}`) return
    await setLinkStatus(services, id, state, message)
    states.set(id, `${state} ${message}`)
  }
  const look = async () => {
    const watched = await listWatched(services)
    const now = new Map<string, string>()
    for (const instrument of watched) {
      try {
        const folder = folderOf(services.config, instrument.id)
        await mkdir(folder, { recursive: true })
        await tell(instrument.id, 'LISTENING', instrument.hasColumns ? null : noColumnsText)
        if (!instrument.hasColumns) continue
        for (const { path, name, mark } of await listFiles(folder)) {
          now.set(path, mark)
          if (seen.get(path) === mark) await take(services, instrument, { folder, path, name })
        }
        await queue.work(instrument.id)
      } catch (error) {
        services.log.error({ err: error, instrumentId: instrument.id }, 'the folder of an instrument')
        await tell(instrument.id, 'ERROR', `Its folder cannot be used: ${(error as Error).message}`)
      }
    }
    seen = now
    for (const id of states.keys()) if (!watched.some((one) => one.id === id)) states.delete(id)
  }
  const loop = repeat('instrument files', everyMs, look, services.log)
  return {
    stop: async () => {
      await loop.stop()
      for (const id of states.keys()) await tell(id, 'CLOSED', null).catch(() => undefined)
    },
  }
}

const listWatched = async ({ databases }: InstrumentServices): Promise<WatchedInstrument[]> => {
  const { rows } = await sql<WatchedInstrument>`
    select i.id, i.name, l.file_columns is not null as "hasColumns" from instrument i left join instrument_link l on l.instrument_id = i.id
    where i.is_active and i.deleted_at is null and i.protocol = 'FILE' order by i.id`.execute(databases(systemScope))
  return rows
}

/** Links, folders and hidden files are ignored. */
const listFiles = async (folder: string) => {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const found = await lstat(path).catch(() => null)
      return found?.isFile() ? [{ path, name, mark: `${found.size} ${found.mtimeMs}` }] : []
    }),
  )
  return files.flat()
}

interface FoundFile {
  folder: string
  path: string
  name: string
}

const take = async (services: InstrumentServices, { id, name: instrumentName }: WatchedInstrument, file: FoundFile) => {
  const { path, name } = file
  try {
    const content = await contentOf(path)
    const stored = await services
      .databases(systemScope)
      .transaction()
      .execute((db) =>
        storeFile(
          { db, requestId: randomUUID(), actor: instrumentActor(instrumentName, `File ${name}`) },
          services,
          id,
          {
            fileName: name,
            content,
          },
        ),
      )
    // The database has it now; after a crash at this point the same content is found there and only removed.
    await rm(path)
    if (!stored) await setLinkMessage(services, id, `${name} has been taken already`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = error.errors?.[0]?.message ?? error.message
    await refuse(file, reason)
    await setLinkMessage(services, id, `${name} was refused: ${reason}`)
  }
}

const contentOf = async (path: string): Promise<string> => {
  const { size } = await lstat(path)
  if (size > mostBytes) throw invalid('content', tooLong)
  const bytes = await readFile(path)
  const content = decode(bytes)
  if (content.length > mostFileCharacters) throw invalid('content', tooLong)
  return content
}

const tooLong = `A file has at most ${mostFileCharacters.toLocaleString('en-US')} characters`

/** Bytes that are not UTF-8 come from a program that writes Windows-1252. */
const decode = (bytes: Buffer): string => {
  const wide = detectUtf16(bytes)
  if (wide) return new TextDecoder(wide).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Moves a file aside, under an unused name. */
const refuse = async ({ folder, path, name }: FoundFile, reason: string) => {
  const aside = join(folder, refusedFolder)
  await mkdir(aside, { recursive: true })
  const target = join(aside, `${new Date().toISOString().replaceAll(':', '-')} ${name}`)
  await writeFile(`${target}.reason.txt`, `${reason}\n`)
  await rename(path, target)
}
