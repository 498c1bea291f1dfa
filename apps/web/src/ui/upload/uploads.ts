import { messages } from '@lis/contract/messages.ts'
import { ApiError } from '../../lib/api-error.ts'
import type { UploadContext } from '../../lib/send-to-storage.ts'
import { type FileRules, refusalOf } from './file-rules.ts'

/** `saving`: all bytes are sent, and the server processes the file. `paused`: starts from the beginning when resumed. */
export type UploadStatus = 'waiting' | 'sending' | 'saving' | 'paused' | 'done' | 'failed' | 'refused'

export interface Upload {
  id: number
  file: File
  status: UploadStatus
  sentBytes: number
  /** Why it failed or was refused. */
  message?: string | undefined
}

export interface UploadsOptions {
  rules: FileRules
  /** Uploads one file completely: requests its slot, sends it, registers it. Called again to retry. */
  upload: (file: File, context: UploadContext) => Promise<unknown>
  /** One file has been stored. */
  onDone?: ((file: File) => void) | undefined
}

/** More parallel uploads share the bandwidth and only slow each other down. */
const maxParallel = 3

/** The files of one upload, from selection to storage. A failed file does not stop the others. */
export const createUploads = (options: UploadsOptions) => {
  let list: readonly Upload[] = []
  let nextId = 1
  const running = new Map<number, AbortController>()
  const listeners = new Set<() => void>()

  const set = (next: readonly Upload[]) => {
    list = next
    for (const listener of [...listeners]) listener()
  }
  const patch = (id: number, change: Partial<Upload>) =>
    set(list.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)))

  const run = async ({ id, file }: Upload) => {
    const controller = new AbortController()
    running.set(id, controller)
    patch(id, { status: 'sending', sentBytes: 0, message: undefined })
    const onProgress = (sentBytes: number) =>
      patch(id, { sentBytes, status: sentBytes >= file.size ? 'saving' : 'sending' })
    try {
      await options.upload(file, { signal: controller.signal, onProgress })
      patch(id, { status: 'done', sentBytes: file.size })
      options.onDone?.(file)
    } catch (error) {
      if (controller.signal.reason !== pausing) patch(id, { status: 'failed', message: textOf(error) })
    } finally {
      running.delete(id)
      startNext()
    }
  }
  // Starts waiting files while there is capacity.
  let isStarted = false
  const startNext = () => {
    if (!isStarted) return
    const waiting = list.filter(({ status }) => status === 'waiting')
    for (const upload of waiting.slice(0, Math.max(0, maxParallel - running.size))) void run(upload)
    if (waiting.length === 0 && running.size === 0) isStarted = false
  }
  const drop = (id: number) => set(list.filter((upload) => upload.id !== id))

  return {
    get: () => list,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    /** Adds files, which wait for `start`; refused ones are listed with the reason and never sent. */
    add: (files: readonly File[]) => {
      const { rules } = options
      const isSingle = rules.maxFiles === 1
      // A single-file upload uses the first file of the newest choice.
      if (isSingle) set(list.filter(({ status }) => status === 'sending' || status === 'saving'))
      const added: Upload[] = []
      for (const file of isSingle ? files.slice(0, 1) : files) {
        const message = refusalOf(file, rules) ?? refusalIn(file, [...list, ...added], rules)
        added.push({ id: nextId++, file, sentBytes: 0, ...(message ? { status: 'refused', message } : waiting) })
      }
      set([...list, ...added])
      startNext()
    },
    start: () => {
      isStarted = true
      startNext()
    },
    retry: (id: number) => {
      patch(id, { status: 'waiting', message: undefined })
      isStarted = true
      startNext()
    },
    /** Pauses waiting and running files; `resume` sends them from the beginning. Files that the server is saving continue. */
    pause: (ids: readonly number[]) => {
      const stopped = new Set(
        list.filter(({ id, status }) => ids.includes(id) && isPending(status)).map(({ id }) => id),
      )
      // Set the state before aborting: the error handler must see that it was paused.
      set(list.map((upload) => (stopped.has(upload.id) ? { ...upload, status: 'paused', sentBytes: 0 } : upload)))
      for (const id of stopped) running.get(id)?.abort(pausing)
    },
    resume: (ids: readonly number[]) => {
      set(
        list.map((upload) =>
          ids.includes(upload.id) && upload.status === 'paused' ? { ...upload, status: 'waiting' } : upload,
        ),
      )
      isStarted = true
      startNext()
    },
    /** Cancels a file, or removes it from the list. */
    cancel: (id: number) => {
      running.get(id)?.abort(new Error('canceled'))
      drop(id)
    },
    cancelAll: () => {
      isStarted = false
      for (const controller of running.values()) controller.abort(new Error('canceled'))
      set([])
    },
  }
}

const waiting = { status: 'waiting' } as const
const pausing = new Error('paused')
const isPending = (status: UploadStatus) => status === 'waiting' || status === 'sending'

const refusalIn = (file: File, taken: readonly Upload[], rules: FileRules): string | undefined => {
  const accepted = taken.filter(({ status }) => status !== 'refused')
  if (accepted.length >= rules.maxFiles) return messages.filesTooMany(rules.maxFiles)
  const isDuplicate = rules.isNameUnique && accepted.some((other) => other.file.name === file.name)
  return isDuplicate ? messages.fileAlreadyListed : undefined
}

const textOf = (error: unknown): string =>
  error instanceof ApiError
    ? (error.errors[0]?.message ?? error.message)
    : error instanceof Error
      ? error.message
      : messages.storageFailed
