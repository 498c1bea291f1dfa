import { messages } from '@lis/contract/messages.ts'
import { ApiError, cancelledError } from './api-error.ts'
import { events } from './events.ts'

/** An upload slot: the signed form that accepts one file. */
export interface UploadSlot {
  url: string
  fields: Record<string, string>
}

export interface UploadContext {
  signal: AbortSignal
  /** Bytes of the file sent so far. */
  onProgress: (sentBytes: number) => void
  /** The caller shows errors itself. */
  isSilent?: boolean
}

const stored = 204

/**
 * Uploads one file directly to the storage: signed fields first, the file last, without a session token. Resolves when the storage answers
 * 204; anything else is 'S3 error'. Uses XMLHttpRequest, because `fetch` reports no upload progress.
 */
export const sendToStorage = (
  { url, fields }: UploadSlot,
  file: File,
  { signal, onProgress, isSilent = false }: UploadContext,
) =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(cancelledError(signal.reason))
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', file)
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    const failed = (status?: number) => {
      if (!isSilent) events.emit('notice', { type: 'error', message: messages.storageFailed })
      reject(new ApiError(messages.storageFailed, status === undefined ? {} : { status }))
    }
    signal.addEventListener('abort', abort, { once: true })
    // The form fields are sent too; do not report more bytes than the file has.
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size))
    request.onload = () => (request.status === stored ? resolve() : failed(request.status))
    request.onerror = () => failed()
    request.onabort = () => reject(cancelledError(signal.reason))
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.open('POST', url)
    request.send(form)
  })
