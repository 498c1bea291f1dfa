import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type DiskStore, openDiskStore } from './disk-store.ts'
import type { ObjectStore } from './object-store.ts'
import { openS3Store } from './s3-store.ts'

/** `disk` is there only when the store is our own folder: then the server must serve `/storage` itself. */
export interface OpenedStore {
  store: ObjectStore
  disk: DiskStore | null
}

/** The store that the configuration names: S3 when a bucket is set, else the data folder. */
export const openObjectStore = (config: Config): OpenedStore => {
  if (config.S3_BUCKET && config.S3_ACCESS_KEY_ID && config.S3_SECRET_ACCESS_KEY) {
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
