import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'
import { type DiskStore, openDiskStore } from './disk-store.ts'
import type { ObjectStore } from './object-store.ts'
import type { OnChanged } from './verified.ts'

/** `disk` is set when the store is the data folder: then the server serves `/storage` itself. */
export interface OpenedStore {
  store: ObjectStore
  disk: DiskStore | null
}

const timeoutMs = 5000

/**
 * Without permission to list the bucket, S3 answers 403 instead of 404 for a missing object, so a missing upload would look like an internal
 * error. Checked at start. A store that cannot be reached now does not prevent the start.
 */
export const requireListPermission = async (store: ObjectStore) => {
  const query = store.stat(`rights/${randomUUID()}`).catch((error) => error as HttpFault)
  const answer = await Promise.race([query, wait(timeoutMs, null, { ref: false })])
  if (answer instanceof Error && answer.$metadata?.httpStatusCode === 403)
    throw new StartError(
      'The S3 store answers 403 when asked for an object that is not there: S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY is wrong, or the key lacks s3:ListBucket on the bucket.',
    )
}

interface HttpFault extends Error {
  $metadata?: { httpStatusCode?: number }
}

/** The configured store: S3 when a bucket is set, otherwise the data folder. */
export const openObjectStore = async (config: Config, onChanged?: OnChanged): Promise<OpenedStore> => {
  if (config.S3_BUCKET && config.S3_ACCESS_KEY_ID && config.S3_SECRET_ACCESS_KEY) {
    // Loaded only for S3: the client library is large.
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
