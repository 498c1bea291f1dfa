import { messages } from '@lis/contract/messages.ts'
import type { NoticeType } from '../../lib/events.ts'

/** What the person is told about a download, and the address of the file if there is one. */
export interface Outcome {
  type: NoticeType
  message: string
  url?: string
  /** What the server has to say beside the file: that it does not hold all that was asked for. */
  remark?: string
  /** Of a failure. */
  cause?: unknown
}

interface Reply {
  retval?: unknown
  message?: unknown
  url?: unknown
  data?: unknown
}

/** An export that answered. All its spellings give the address (TABLE-045, TABLE-046). */
export const exportOutcome = (reply: unknown): Outcome => {
  const url = urlOf(reply)
  if (url !== undefined) return ready(url)
  const { retval, message } = asReply(reply)
  if (retval === 'EMPTY' || message === messages.exportEmpty) return { type: 'info', message: messages.exportEmpty }
  // The server said why there is no file (USR-66); otherwise nobody knows.
  if (isText(message)) return { type: 'error', message }
  return { type: 'warning', message: messages.exportOdd }
}

export const exportFailure = (error: unknown): Outcome => ({
  type: 'error',
  message: textOf(error) ?? messages.exportFailed,
  cause: error,
})

/** Bulk downloads and billing batches (TABLE-G23). */
export const downloadOutcome = (reply: unknown): Outcome => {
  const url = urlOf(reply)
  const { message } = asReply(reply)
  if (url !== undefined) return { ...ready(url), ...(isText(message) && { remark: message }) }
  return { type: 'error', message: isText(message) ? message : messages.downloadUrlMissing }
}

export const downloadFailure = (error: unknown): Outcome => ({
  type: 'error',
  message: textOf(error) ?? messages.downloadFailed,
  cause: error,
})

const ready = (url: string): Outcome => ({ type: 'info', message: messages.downloadNotice, url })
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const asReply = (reply: unknown): Reply => (typeof reply === 'object' && reply !== null ? reply : {})

const urlOf = (reply: unknown): string | undefined => {
  const { url, data } = asReply(reply)
  const inner = (typeof data === 'object' && data !== null ? data : {}) as { url?: unknown; exportUrl?: unknown }
  return [inner.url, inner.exportUrl, url].find(isText)
}

/** 'Unknown Error' stands for a reply without words; the download has better ones. */
const textOf = (error: unknown): string | undefined => {
  const text = error instanceof Error ? error.message : undefined
  return isText(text) && text !== messages.responseWithoutMessage ? text : undefined
}
