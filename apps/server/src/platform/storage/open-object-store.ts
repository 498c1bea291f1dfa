import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type DiskStore, openDiskStore } from './disk-store.ts'
import type { ObjectStore } from './object-store.ts'

/** `disk` is there only when the store is our own folder: then the server must serve `/storage` itself. */
export interface OpenedStore {
  store: ObjectStore
  disk: DiskStore | null
}

/** The store that the configuration names: S3 when a bucket is set, else the data folder. */
export const openObjectStore = async (config: Config): Promise<OpenedStore> => {
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
    })
    return { store, disk: null }
  }
  const disk = openDiskStore({
    folder: join(config.dataDir, 'files'),
    secret: config.secret,
    publicUrl: () => config.publicUrl,
  })
  return { store: disk, disk }
}
