import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'

/** An object has other bytes than those that were kept. It is neither shown nor sent. */
export class ChangedFile extends AppError {
  readonly key: string
  constructor(key: string) {
    super(
      'conflict',
      'The stored file is not the one that was kept. It is not handed out, and the laboratory has been told.',
    )
    this.key = key
  }
}

/** What an object is now, by all of its bytes. */
export interface Fingerprint {
  sha256: string
  /** Where the store keeps versions: the one that was read. */
  version?: string | undefined
}

export const fingerprintOf = async (bytes: AsyncIterable<Buffer>): Promise<Fingerprint> => {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return { sha256: hash.digest('hex') }
}

/** Told of every object that is not what was kept; never throws. */
export type OnChanged = (key: string) => Promise<void>

interface Bare {
  get: (key: string) => Promise<Readable>
  fingerprint: (key: string) => Promise<Fingerprint>
}

/** The reads of a store that believe no byte before it has been compared with what was kept. */
export const verifiedReads = ({ get, fingerprint }: Bare, onChanged: OnChanged = async () => undefined) => {
  const refuse = async (key: string): Promise<never> => {
    await onChanged(key)
    throw new ChangedFile(key)
  }
  /** What was kept and is gone is as bad as what was exchanged: the caller hears that it is not there, and the laboratory hears of it. */
  const tellMissing = async (key: string, error: unknown): Promise<never> => {
    if (error instanceof AppError && error.code === 'notFound') await onChanged(key)
    throw error
  }
  const verify = async (key: string, sha256: string): Promise<Fingerprint> => {
    const found = await fingerprint(key).catch((error) => tellMissing(key, error))
    return found.sha256 === sha256 ? found : refuse(key)
  }
  /** It may be exchanged between the two looks: then the reader gets an error in place of its end. */
  async function* stillSame(key: string, sha256: string) {
    const hash = createHash('sha256')
    for await (const chunk of (await get(key)) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      yield chunk
    }
    if (hash.digest('hex') !== sha256) await refuse(key)
  }
  const read = async (key: string, sha256: string): Promise<Readable> => {
    await verify(key, sha256)
    return Readable.from(stillSame(key, sha256), { objectMode: false })
  }
  return { verify, read }
}

/** Counts and logs what the stores of this process found changed, and lets the product know. */
export class FileAlarm {
  count = 0
  readonly #log: Pick<Log, 'error'>
  readonly #tell: OnChanged

  constructor(log: Pick<Log, 'error'>, tell: OnChanged) {
    this.#log = log
    this.#tell = tell
  }

  readonly onChanged: OnChanged = async (key) => {
    this.count++
    this.#log.error({ code: 'FILE_CHANGED', key }, 'a stored file is gone, or is not the one that was kept')
    await this.#tell(key).catch((err) => this.#log.error({ err, key }, 'a changed file could not be reported'))
  }
}
