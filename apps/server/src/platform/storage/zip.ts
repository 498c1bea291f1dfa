import { PassThrough, type Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { ObjectStore } from './object-store.ts'

export interface ZipEntry {
  /** Folder and name inside the ZIP. */
  path: string
  sha256: string
  /** A stored file, */
  key?: string
  /** or what was made for this ZIP. */
  body?: Buffer
}

/** Opens one file at a time, so that memory does not grow with their number. PDFs are already compressed: they are stored uncompressed. */
export const zipOf = (entries: readonly ZipEntry[], store: Pick<ObjectStore, 'read'>): Readable => {
  const zip = new ZipFile()
  const body = new PassThrough()
  zip.outputStream.pipe(body)
  zip.outputStream.on('error', (error) => body.destroy(error as Error))
  for (const { path, key, sha256, body: made } of entries) {
    if (made) zip.addBuffer(made, path)
    if (key === undefined) continue
    zip.addReadStreamLazy(path, { compress: false }, (done) => {
      store.read(key, sha256).then(
        (stream) =>
          done(
            null,
            stream.on('error', (error) => body.destroy(error)),
          ),
        (error) => body.destroy(error),
      )
    })
  }
  zip.end()
  return body
}

/** A file name that every system accepts. */
export const zipName = (name: string) => name.replace(/[\\/:*?"<>|]/g, '_')
