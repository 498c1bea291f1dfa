import { messages } from '@lis/contract/messages.ts'
import { ApiError, cancelled } from './api-error.ts'
import { events } from './events.ts'

/** What a call for a slot answers: the form that lets one file into the store. */
export interface UploadSlot {
  url: string
  fields: Record<string, string>
}

export interface UploadContext {
  signal: AbortSignal
  /** Bytes of the file that have left so far. */
  onProgress: (sentBytes: number) => void
  /** The caller tells of a failure itself. */
  isSilent?: boolean
}

const stored = 204

/**
 * Sends one file straight to the store: the signed fields first, the file last, no session token. Resolves once the store says 204;
 * anything else is 'S3 error'. By XMLHttpRequest, because `fetch` does not tell how much has been sent.
 */
export const sendToStorage = (
  { url, fields }: UploadSlot,
  file: File,
  { signal, onProgress, isSilent = false }: UploadContext,
) =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(cancelled(signal.reason))
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
    // The form around the file travels too; nobody wants to read of more bytes than the file has.
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size))
    request.onload = () => (request.status === stored ? resolve() : failed(request.status))
    request.onerror = () => failed()
    request.onabort = () => reject(cancelled(signal.reason))
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.open('POST', url)
    request.send(form)
  })
