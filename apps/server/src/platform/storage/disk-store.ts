import { createHash, type Hash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, notFound, Unreachable } from '../errors.ts'
import {
  type SignedDownload,
  signDownload,
  signUpload,
  uploadQuery,
  verifyDownload,
  verifyPolicy,
  verifyUpload,
} from './disk-signature.ts'
import { isObjectKey, type ObjectStore, requireObjectKey } from './object-store.ts'
import { fingerprintOf, type OnChanged, verifiedReads } from './verified.ts'

/** The store in the data folder, with what its HTTP endpoints need. */
export interface DiskStore extends ObjectStore {
  /** Stores at most `maxBytes`; a longer or aborted stream stores nothing. */
  receive: (key: string, body: Readable, maxBytes: number) => Promise<void>
  /** Rejects an upload whose URL was not signed here, before its body is read. */
  verifyAddress: (query: ReadonlyMap<string, string>) => void
  verifyUpload: (fields: ReadonlyMap<string, string>) => { key: string; maxBytes: number }
  verifyDownload: (key: string, query: SignedDownload) => void
  /** The keys of all objects, in no order. */
  keys: () => AsyncGenerator<string>
  /** Removes partial files of killed processes. */
  sweep: (olderThanMs: number) => Promise<number>
}

export interface DiskOptions {
  folder: string
  secret: string
  /** A function, because the port may be known only after the server listens. */
  publicUrl: () => string
  onChanged?: OnChanged
}

// A key cannot start with a dot, so no object can be in this folder.
const incoming = '.incoming'

export const openDiskStore = ({ folder, secret, publicUrl, onChanged }: DiskOptions): DiskStore => {
  const path = (key: string) => join(folder, requireObjectKey(key))

  const store = async (key: string, body: Readable) => {
    // Without a listener, a stream that fails before it is read would end the process. The pipeline reports the failure.
    body.once('error', () => undefined)
    const target = path(key)
    const temporary = join(folder, incoming, randomUUID())
    const hash = createHash('sha256')
    try {
      await onDisk(mkdir(dirname(temporary), { recursive: true }))
      await write(temporary, body, hash)
      await onDisk(mkdir(dirname(target), { recursive: true }))
      await onDisk(rename(temporary, target))
      await onDisk(syncFolder(dirname(target)))
      return { sha256: hash.digest('hex') }
    } catch (error) {
      body.destroy()
      await rm(temporary, { force: true }).catch(() => undefined) // the sweep removes it later
      throw error
    }
  }

  const get = async (key: string): Promise<Readable> => {
    const stream = createReadStream(path(key))
    await new Promise<void>((opened, fail) => {
      stream.once('open', () => opened())
      stream.once('error', (error) => fail(isMissing(error) ? notFound('File') : error))
    })
    return stream
  }
  const { verify, read } = verifiedReads({ get, fingerprint: async (key) => fingerprintOf(await get(key)) }, onChanged)

  return {
    put: (key, body) => store(key, Buffer.isBuffer(body) ? Readable.from([body]) : body),
    receive: async (key, body, maxBytes) => {
      await store(key, Readable.from(limited(body, maxBytes)))
    },
    get,
    read,
    verify,
    stat: (key) => sizeOf(path(key)),
    remove: (key) => rm(path(key), { force: true }),
    uploadSlot: async (key, limits) => {
      const fields = signUpload(secret, requireObjectKey(key), limits)
      return { url: `${publicUrl()}/storage?${uploadQuery(fields)}`, fields }
    },
    downloadUrl: async (key, options) => {
      await verify(key, options.sha256)
      const query = new URLSearchParams({ ...signDownload(secret, requireObjectKey(key), options) })
      return `${publicUrl()}/storage/${key}?${query}`
    },
    // Our endpoint accepts a slot only once, so nobody can write this key again.
    settle: async (key) => {
      if (!(await sizeOf(path(key)))) throw notFound('File')
      return key
    },
    verifyAddress: (query) => void verifyPolicy(secret, query),
    verifyUpload: (fields) => verifyUpload(secret, fields),
    verifyDownload: (key, query) => verifyDownload(secret, key, query),
    keys: () => keysUnder(folder),
    sweep: (olderThanMs) => sweep(join(folder, incoming), Date.now() - olderThanMs),
  }
}

const hashing = (hash: Hash) =>
  async function* (source: AsyncIterable<Buffer | string>) {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }

/** Converts errors of the disk, which are not the caller's fault. */
const onDisk = <T>(work: Promise<T>): Promise<T> => work.catch((error) => Promise.reject(storeFault(error)))

const write = async (file: string, body: Readable, hash: Hash) => {
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  // A pipeline destroys both streams with the same error: the one that fails first is the cause.
  let failed: Readable | typeof target | undefined
  for (const side of [body, target])
    side.once('error', () => {
      failed ??= side
    })
  try {
    await pipeline(body, hashing(hash), target)
  } catch (error) {
    throw failed === target ? storeFault(error as Error) : error
  }
}

const diskFaults: Record<string, string> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its quota is used up',
  EROFS: 'its disk is read-only',
  EACCES: 'the server may not write there',
  EPERM: 'the server may not write there',
  EMFILE: 'the server has no file descriptor left',
  ENFILE: 'the machine has no file descriptor left',
}

/** The message tells the user to try again; the cause, in the log, tells the operator why. */
export const storeFault = (error: NodeJS.ErrnoException): Unreachable => {
  const code = error.code ?? ''
  const cause = new Error(`The file store cannot be written: ${diskFaults[code] ?? error.message}`, { cause: error })
  return new Unreachable('The file could not be stored, please try again later', { cause })
}

const sizeOf = async (file: string): Promise<{ size: number } | null> => {
  try {
    const found = await stat(file)
    return found.isFile() ? { size: found.size } : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * Passes at most `maxBytes`. Further bytes are read and discarded up to a limit, because a sender reads the error only after it has
 * finished sending.
 */
async function* limited(source: Readable, maxBytes: number) {
  let size = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBytes) yield chunk
    if (size > 2 * maxBytes + 1024 * 1024) break
  }
  if (size > maxBytes) throw new AppError('tooLarge', `The file is larger than ${sizeText(maxBytes)}`)
}

/** A rename is durable only after its folder is synced. */
const syncFolder = async (folder: string) => {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function* keysUnder(folder: string, prefix = ''): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const key = `${prefix}${entry.name}`
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* keysUnder(join(folder, entry.name), `${key}/`)
    else if (entry.isFile() && isObjectKey(key)) yield key
  }
}

const sweep = async (folder: string, before: number): Promise<number> => {
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    if (!found || found.mtimeMs >= before) continue
    await rm(file, { force: true })
    removed++
  }
  return removed
}

/** In the same format as in the browser: '50 MB'. */
const sizeText = (bytes: number) => (bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MB` : `${bytes} bytes`)
