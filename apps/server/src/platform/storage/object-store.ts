import type { Readable } from 'node:stream'

/** The store of files. Browsers upload to it and download from it directly, by signed URLs. */
export interface ObjectStore {
  /** Atomic: a reader never sees a partial object. Returns the hash that later reads are verified with. */
  put: (key: string, body: Buffer | Readable, contentType: string) => Promise<{ sha256: string }>
  /** Unverified; throws `notFound` when there is no such object. Stored files are read with `read`. */
  get: (key: string) => Promise<Readable>
  /** Throws `ChangedFile` when the object has another hash; the stream fails with it at its end when the object is replaced meanwhile. */
  read: (key: string, sha256: string) => Promise<Readable>
  /** Throws `ChangedFile` when the object has another hash. */
  verify: (key: string, sha256: string) => Promise<unknown>
  stat: (key: string) => Promise<{ size: number } | null>
  /** Removing a missing object is not an error. */
  remove: (key: string) => Promise<void>
  uploadSlot: (key: string, limits: UploadLimits) => Promise<UploadForm>
  /** Calls `verify` first. */
  downloadUrl: (key: string, options: DownloadOptions) => Promise<string>
  /**
   * Moves an uploaded object out of reach of its upload signature, and returns its permanent key. Calling it again returns the same key.
   */
  settle: (key: string) => Promise<string>
}

export interface UploadLimits {
  maxBytes: number
  expiresSeconds: number
}

/** A multipart form for the browser to post: the fields first, the file last. */
export interface UploadForm {
  url: string
  fields: Record<string, string>
}

export interface DownloadOptions {
  sha256: string
  fileName: string
  contentType: string
  /** Displayed by the browser instead of saved. */
  inline?: boolean
  expiresSeconds: number
}

const segment = '[A-Za-z0-9_-][A-Za-z0-9_.-]*'
const keyPattern = new RegExp(`^${segment}(/${segment})*$`)

/** No absolute path, no `..`, no hidden name: a key never leaves the store's folder. */
export const isObjectKey = (key: string): boolean => key.length <= 400 && keyPattern.test(key)

export const requireObjectKey = (key: string): string => {
  if (!isObjectKey(key)) throw new Error(`Not an object key: ${JSON.stringify(key.slice(0, 80))}`)
  return key
}

/** The permanent key of an upload in a store that cannot revoke a signature. */
export const settledKey = (key: string): string => `kept/${key}`

/** Finds an upload under its own or its permanent key: a call that failed after `settle` leaves it under the latter. */
export const findUpload = async (store: ObjectStore, key: string): Promise<{ key: string; size: number } | null> => {
  for (const place of [key, settledKey(key)]) {
    const found = await store.stat(place)
    if (found) return { key: place, ...found }
  }
  return null
}

/** RFC 6266: an ASCII name for old clients, and the real one in UTF-8. */
export const contentDisposition = (fileName: string, inline = false): string => {
  const name = cleanFileName(fileName).slice(0, 200).toWellFormed() || 'file'
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${inline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** A user's file name made safe for headers and rows: no control characters, no lone surrogates, no folders. */
export const cleanFileName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/^.*[\\/]/s, '')
    .replace(/\p{C}/gu, '')
    .trim()

/** A file name of these parts, with the letters and digits of any script and hyphens between them, and nothing else. */
export const fileNameOf = (...parts: readonly (string | number)[]): string =>
  parts
    .map((part) =>
      String(part)
        .normalize('NFC')
        .replace(/[^\p{L}\p{M}\p{N}-]+/gu, '')
        .replace(/^-+|-+$/g, ''),
    )
    .filter((part) => part !== '')
    .join('_')
