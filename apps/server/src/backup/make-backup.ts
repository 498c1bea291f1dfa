import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Pool, PoolClient } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { DiskStore } from '../platform/storage/disk-store.ts'
import type { ObjectStore } from '../platform/storage/object-store.ts'
import { version } from '../platform/version.ts'
import { listSequences, listTables, quoted, readAuditHead, readQueueVersion, rowsOf } from './catalogue.ts'
import {
  type FilePart,
  fileList,
  type Manifest,
  manifestFile,
  objectFile,
  secretFingerprint,
  serializeManifest,
  sha256Of,
  type TableContent,
  tableFile,
} from './manifest.ts'
import { measuring, syncFolder } from './streams.ts'

export interface BackupInput {
  /** Connects as the owner, who sees every row. */
  pool: Pool
  store: ObjectStore
  disk: DiskStore | null
  /** Name of the outside store; ignored for files on disk. */
  bucket?: string | undefined
  secret: string
  /** The folder in which the folder of the backup is created. */
  into: string
  /** Also copies the objects of an outside store; those on disk are always copied. */
  withObjects?: boolean
}

export interface Backup {
  folder: string
  manifest: Manifest
  /** Keys whose file was missing or differs from the database. */
  faults: string[]
}

/** Backs up a running installation: the rows of one snapshot, then the files, which never change once they are stored. */
export const makeBackup = async (input: BackupInput): Promise<Backup> => {
  const name = `lis-${new Date().toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}`
  const folder = join(input.into, name)
  // An incomplete backup never has the name of a complete one.
  const partial = `${folder}.partial`
  await removeUnfinished(input.into)
  // A signal ends the process at once (runProgram), so only an exit handler can clean up. It is registered before the
  // folder exists, and the folder is created synchronously: no signal can arrive in between.
  const removeAtExit = () => rmSync(partial, { recursive: true, force: true })
  process.once('exit', removeAtExit)
  mkdirSync(join(partial, 'tables'), { recursive: true, mode: 0o700 })
  try {
    const { expected, ...rows } = await copyRows(input.pool, partial)
    const { list, faults } = await copyFiles(input, partial, expected)
    const text = list.map((file) => `${JSON.stringify(file)}\n`).join('')
    const manifest: Manifest = {
      format: 1,
      program: version,
      madeAt: new Date().toISOString(),
      secret: secretFingerprint(input.secret),
      ...rows,
      files: {
        place: input.disk ? 'disk' : (input.bucket ?? ''),
        isIncluded: Boolean(input.disk || input.withObjects),
        count: list.length,
        bytes: list.reduce((sum, file) => sum + file.bytes, 0),
        sha256: sha256Of(text),
      },
    }
    const printed = serializeManifest(manifest)
    await writeSafely(join(partial, fileList), text)
    await writeSafely(join(partial, `${manifestFile}.sha256`), printed.seal)
    await writeSafely(join(partial, manifestFile), printed.text)
    await rename(partial, folder)
    await syncFolder(input.into)
    return { folder, manifest, faults }
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  } finally {
    process.off('exit', removeAtExit)
  }
}

const longestBackupHours = 12

/** Removes what a killed process or a power cut has left. A recent one may be another running backup. */
const removeUnfinished = async (into: string) => {
  const names = await readdir(into).catch(() => [])
  for (const name of names.filter((one) => /^lis-.*\.partial$/.test(one))) {
    const { mtimeMs } = await stat(join(into, name))
    if (Date.now() - mtimeMs > longestBackupHours * 3_600_000)
      await rm(join(into, name), { recursive: true, force: true })
  }
}

/** Copies all tables in one snapshot, so that they are consistent while others write. */
const copyRows = async (pool: Pool, folder: string) => {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query('set local row_security = off') // fails where it would hide rows, instead of leaving them out
    const found = await listTables(client)
    await client.query(`lock table ${found.map((table) => quoted(client, table)).join(', ')} in access share mode`)
    const tables: TableContent[] = []
    for (const table of found) tables.push(await copyTable(client, table, folder))
    const migrations = await client.query<Manifest['migrations'][number]>(
      'select name, hash from schema_migration order by name',
    )
    const files = await client.query<FilePart>(
      `select object_key as key, byte_size as bytes, encode(sha256, 'hex') as sha256 from stored_file order by 1`,
    )
    const result = {
      migrations: migrations.rows,
      queueVersion: await readQueueVersion(client),
      tables,
      sequences: await listSequences(client),
      audit: await readAuditHead(client),
      expected: files.rows,
    }
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

const copyTable = async (
  client: PoolClient,
  table: Pick<TableContent, 'schema' | 'name' | 'columns' | 'parts'>,
  folder: string,
): Promise<TableContent> => {
  const meter = measuring()
  await pipeline(
    client.query(copyTo(`copy ${rowsOf(client, table)} to stdout`)),
    meter.stream,
    createGzip({ level: 4 }),
    createWriteStream(join(folder, tableFile(table)), { mode: 0o600, flush: true }),
  )
  const { lines, bytes, sha256 } = meter.result()
  return { ...table, rows: lines, bytes, sha256 }
}

/**
 * Copies every file on disk, also uploads that are not registered yet; of an external store the files that the database names. Files of the
 * snapshot still exist, because files of existing rows are never removed.
 */
const copyFiles = async ({ store, disk, withObjects }: BackupInput, folder: string, expected: FilePart[]) => {
  const known = new Map(expected.map((file) => [file.key, file]))
  const list: FilePart[] = []
  const faults: string[] = []
  if (!disk && !withObjects) return { list: expected, faults: await missingIn(store, expected) }
  const keys = new Set(known.keys())
  if (disk) for await (const key of disk.keys()) keys.add(key)
  for (const key of [...keys].sort()) {
    const copied = await copyObject(store, key, join(folder, objectFile(key)))
    const wanted = known.get(key)
    if (wanted && copied?.sha256 !== wanted.sha256) faults.push(key)
    if (copied) list.push(copied)
  }
  return { list, faults }
}

const missingIn = async (store: ObjectStore, expected: FilePart[]) => {
  const faults: string[] = []
  for (const { key, bytes } of expected) if ((await store.stat(key))?.size !== bytes) faults.push(key)
  return faults
}

const copyObject = async (store: ObjectStore, key: string, target: string): Promise<FilePart | null> => {
  if (!(await store.stat(key))) return null // an unregistered upload that was removed meanwhile
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const meter = measuring()
  await pipeline(await store.get(key), meter.stream, createWriteStream(target, { mode: 0o600, flush: true }))
  const { bytes, sha256 } = meter.result()
  return { key, bytes, sha256 }
}

const writeSafely = (file: string, text: string) => writeFile(file, text, { mode: 0o600, flush: true })
