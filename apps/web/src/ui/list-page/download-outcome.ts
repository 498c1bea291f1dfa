import { messages } from '@lis/contract/messages.ts'
import type { NoticeType } from '../../lib/events.ts'

/** The notice about a download, and the file's URL if there is one. */
export interface DownloadOutcome {
  type: NoticeType
  message: string
  url?: string
  /** The server's remark about the file, for example that it is incomplete. */
  remark?: string
  /** The error of a failed download. */
  cause?: unknown
}

interface Reply {
  retval?: unknown
  message?: unknown
  url?: unknown
  data?: unknown
}

/** A successful export reply. Covers all variants of the URL field (TABLE-045, TABLE-046). */
export const exportOutcome = (reply: unknown): DownloadOutcome => {
  const url = urlOf(reply)
  if (url !== undefined) return ready(url)
  const { retval, message } = asReply(reply)
  if (retval === 'EMPTY' || message === messages.exportEmpty) return { type: 'info', message: messages.exportEmpty }
  // The server's reason for the missing file (USR-66), if it gave one.
  if (isText(message)) return { type: 'error', message }
  return { type: 'warning', message: messages.exportUnexpectedResponse }
}

export const exportFailure = (error: unknown): DownloadOutcome => ({
  type: 'error',
  message: textOf(error) ?? messages.exportFailed,
  cause: error,
})

/** Bulk downloads and billing batches (TABLE-G23). */
export const downloadOutcome = (reply: unknown): DownloadOutcome => {
  const url = urlOf(reply)
  const { message } = asReply(reply)
  if (url !== undefined) return { ...ready(url), ...(isText(message) && { remark: message }) }
  return { type: 'error', message: isText(message) ? message : messages.downloadUrlMissing }
}

export const downloadFailure = (error: unknown): DownloadOutcome => ({
  type: 'error',
  message: textOf(error) ?? messages.downloadFailed,
  cause: error,
})

const ready = (url: string): DownloadOutcome => ({ type: 'info', message: messages.downloadNotice, url })
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const asReply = (reply: unknown): Reply => (typeof reply === 'object' && reply !== null ? reply : {})

const urlOf = (reply: unknown): string | undefined => {
  const { url, data } = asReply(reply)
  const inner = (typeof data === 'object' && data !== null ? data : {}) as { url?: unknown; exportUrl?: unknown }
  return [inner.url, inner.exportUrl, url].find(isText)
}

/** 'Unknown Error' means a reply without a message; use the download's own message then. */
const textOf = (error: unknown): string | undefined => {
  const text = error instanceof Error ? error.message : undefined
  return isText(text) && text !== messages.responseWithoutMessage ? text : undefined
}
