import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'
import { type DiskStore, openDiskStore } from './disk-store.ts'
import type { ObjectStore } from './object-store.ts'
import type { OnChanged } from './verified.ts'

/** `disk` is there only when the store is our own folder: then the server must serve `/storage` itself. */
export interface OpenedStore {
  store: ObjectStore
  disk: DiskStore | null
}

const longestQuestionMs = 5000

/**
 * Whoever may not list a bucket is told 403 instead of 404 by S3, so that an upload that never came looks like a fault of ours. Said at the start,
 * not by the first person who meets it. A store that cannot be reached just now is no reason not to start.
 */
export const requireListPermission = async (store: ObjectStore) => {
  const question = store.stat(`rights/${randomUUID()}`).catch((error) => error as HttpFault)
  const answer = await Promise.race([question, wait(longestQuestionMs, null, { ref: false })])
  if (answer instanceof Error && answer.$metadata?.httpStatusCode === 403)
    throw new StartError(
      'The S3 store answers 403 when asked for an object that is not there: S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY is wrong, or the key lacks s3:ListBucket on the bucket.',
    )
}

interface HttpFault extends Error {
  $metadata?: { httpStatusCode?: number }
}

/** The store that the configuration names: S3 when a bucket is set, else the data folder. */
export const openObjectStore = async (config: Config, onChanged?: OnChanged): Promise<OpenedStore> => {
  if (config.S3_BUCKET && config.S3_ACCESS_KEY_ID && config.S3_SECRET_ACCESS_KEY) {
    // The cloud's client library is large; who keeps files on the own disk need not carry it.
    const { openS3Store } = await import('./s3-store.ts')
    const store = openS3Store({
      bucket: config.S3_BUCKET,
      region: config.S3_REGION,
      endpoint: config.S3_ENDPOINT,
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
      forcePathStyle: config.S3_FORCE_PATH_STYLE,
      onChanged,
    })
    return { store, disk: null }
  }
  const disk = openDiskStore({
    folder: join(config.dataDir, 'files'),
    secret: config.secret,
    publicUrl: () => config.publicUrl,
    ...(onChanged && { onChanged }),
  })
  return { store: disk, disk }
}
