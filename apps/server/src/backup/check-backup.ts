import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type FilePart, type Manifest, objectFile, readFileList, readManifest, tableFile } from './manifest.ts'
import { measuringSink } from './streams.ts'

export interface CheckedBackup {
  folder: string
  manifest: Manifest
  files: FilePart[]
  /** Parts that are missing or damaged. */
  faults: string[]
}

/** Reads a complete backup and compares every part with its checksum, before anything is restored. */
export const checkBackup = async (folder: string): Promise<CheckedBackup> => {
  const manifest = await readManifest(folder)
  const files = await readFileList(folder, manifest)
  const faults: string[] = []
  for (const table of manifest.tables) {
    const read = await measure(join(folder, tableFile(table)), true)
    if (read?.sha256 !== table.sha256 || read.lines !== table.rows) faults.push(tableFile(table))
  }
  if (manifest.files.isIncluded)
    for (const file of files) {
      const read = await measure(join(folder, objectFile(file.key)), false)
      if (read?.sha256 !== file.sha256) faults.push(objectFile(file.key))
    }
  return { folder, manifest, files, faults }
}

const measure = async (file: string, isCompressed: boolean) => {
  const sink = measuringSink()
  try {
    if (isCompressed) await pipeline(createReadStream(file), createGunzip(), sink.stream)
    else await pipeline(createReadStream(file), sink.stream)
    return sink.result()
  } catch {
    return null // missing, truncated or unreadable
  }
}
