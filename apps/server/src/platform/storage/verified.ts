import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'

/** An object has another hash than the stored file. It is neither shown nor sent. */
export class ChangedFile extends AppError {
  readonly key: string
  constructor(key: string) {
    super('conflict', 'The stored file has been changed. It cannot be opened, and the laboratory has been notified.')
    this.key = key
  }
}

/** The current content of an object. */
export interface Fingerprint {
  sha256: string
  /** In a store with versioning, the version that was read. */
  version?: string | undefined
}

export const fingerprintOf = async (bytes: AsyncIterable<Buffer>): Promise<Fingerprint> => {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return { sha256: hash.digest('hex') }
}

/** Called with every missing or changed object; never throws. */
export type OnChanged = (key: string) => Promise<void>

interface UnverifiedStore {
  get: (key: string) => Promise<Readable>
  fingerprint: (key: string) => Promise<Fingerprint>
}

/** Adds reads to a store that compare the content with the stored hash first. */
export const verifiedReads = ({ get, fingerprint }: UnverifiedStore, onChanged: OnChanged = async () => undefined) => {
  const rejectChanged = async (key: string): Promise<never> => {
    await onChanged(key)
    throw new ChangedFile(key)
  }
  /** A missing file is reported like a changed one; the caller gets `notFound`. */
  const reportMissing = async (key: string, error: unknown): Promise<never> => {
    if (error instanceof AppError && error.code === 'notFound') await onChanged(key)
    throw error
  }
  const verify = async (key: string, sha256: string): Promise<Fingerprint> => {
    const found = await fingerprint(key).catch((error) => reportMissing(key, error))
    return found.sha256 === sha256 ? found : rejectChanged(key)
  }
  /** The object may be replaced after `verify`: then the reader gets an error at its end. */
  async function* readAndVerify(key: string, sha256: string) {
    const hash = createHash('sha256')
    for await (const chunk of (await get(key)) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      yield chunk
    }
    if (hash.digest('hex') !== sha256) await rejectChanged(key)
  }
  const read = async (key: string, sha256: string): Promise<Readable> => {
    await verify(key, sha256)
    return Readable.from(readAndVerify(key, sha256), { objectMode: false })
  }
  return { verify, read }
}

/** Counts, logs and reports the changed files that the stores of this process have found. */
export class FileAlarm {
  count = 0
  readonly #log: Pick<Log, 'error'>
  readonly #report: OnChanged

  constructor(log: Pick<Log, 'error'>, report: OnChanged) {
    this.#log = log
    this.#report = report
  }

  readonly onChanged: OnChanged = async (key) => {
    this.count++
    this.#log.error({ code: 'FILE_CHANGED', key }, 'a stored file is missing or has been changed')
    await this.#report(key).catch((err) => this.#log.error({ err, key }, 'a changed file could not be reported'))
  }
}
