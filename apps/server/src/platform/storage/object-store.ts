import type { Readable } from 'node:stream'

/** Where files live. The browser uploads straight to it and downloads straight from it, by signed addresses. */
export interface ObjectStore {
  /** Whole or not at all: a reader never sees half an object. Gives back what was written, as it is later asked for. */
  put: (key: string, body: Buffer | Readable, contentType: string) => Promise<{ sha256: string }>
  /** Throws `notFound` when there is no such object. Whatever has been kept is read with `read`. */
  get: (key: string) => Promise<Readable>
  /** What was kept: `ChangedFile` before the first byte when the object is another one, or in place of its end when it is exchanged meanwhile. */
  read: (key: string, sha256: string) => Promise<Readable>
  /** Throws `ChangedFile` when the object is not what was kept. */
  verify: (key: string, sha256: string) => Promise<unknown>
  stat: (key: string) => Promise<{ size: number } | null>
  /** Removing what is not there is not a fault. */
  remove: (key: string) => Promise<void>
  uploadSlot: (key: string, limits: UploadLimits) => Promise<UploadForm>
  /** Only of what is what was kept, see `verify`. */
  downloadUrl: (key: string, options: DownloadOptions) => Promise<string>
  /**
   * Takes an uploaded object out of reach of the signature that let it in, and gives the key under which it is kept from now on.
   * Calling it again gives the same answer.
   */
  settle: (key: string) => Promise<string>
}

export interface UploadLimits {
  maxBytes: number
  expiresSeconds: number
}

/** What a browser posts as a multipart form: the fields first, the file last. */
export interface UploadForm {
  url: string
  fields: Record<string, string>
}

export interface DownloadOptions {
  /** Of what was kept. */
  sha256: string
  fileName: string
  contentType: string
  /** Shown by the browser instead of saved. */
  inline?: boolean
  expiresSeconds: number
}

const segment = '[A-Za-z0-9_-][A-Za-z0-9_.-]*'
const keyPattern = new RegExp(`^${segment}(/${segment})*$`)

/** No absolute path, no `..`, no hidden name: whatever the store, a key never leaves its folder. */
export const isObjectKey = (key: string): boolean => key.length <= 400 && keyPattern.test(key)

export const requireObjectKey = (key: string): string => {
  if (!isObjectKey(key)) throw new Error(`Not an object key: ${JSON.stringify(key.slice(0, 80))}`)
  return key
}

/** Where a store that cannot withdraw a signature keeps what was uploaded under `key`. */
export const settledKey = (key: string): string => `kept/${key}`

/** Where what was uploaded under `key` lies now. A call that failed after it had been taken in may have left it where it is kept. */
export const findUpload = async (store: ObjectStore, key: string): Promise<{ key: string; size: number } | null> => {
  for (const place of [key, settledKey(key)]) {
    const found = await store.stat(place)
    if (found) return { key: place, ...found }
  }
  return null
}

/** RFC 6266: a plain name for old readers, the true one in UTF-8 beside it. */
export const contentDisposition = (fileName: string, inline = false): string => {
  const name = cleanFileName(fileName).slice(0, 200) || 'file'
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${inline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** A name that somebody typed, fit for a header and a row: no control characters, no half surrogates, no folders. */
export const cleanFileName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/^.*[\\/]/s, '')
    .replace(/\p{C}/gu, '')
    .trim()
