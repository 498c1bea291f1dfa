import { messages } from '@lis/contract/messages.ts'
import type { Notice } from './events.ts'

/** The notice for an export or download in the queue; null after a gap in the stream. */
export const queuedFileNotice = (data: unknown): Notice | null => {
  const ahead = (data as { ahead?: unknown } | null)?.ahead
  return typeof ahead === 'number' ? { type: 'info', message: messages.fileQueued(Math.max(0, ahead)) } : null
}
