import { messages } from '@lis/contract/messages.ts'
import type { Notice } from './events.ts'

/** What a person reads while an export or a download waits for its turn; null after a gap in the stream, which says nothing. */
export const waitingNotice = (data: unknown): Notice | null => {
  const ahead = (data as { ahead?: unknown } | null)?.ahead
  return typeof ahead === 'number' ? { type: 'info', message: messages.fileWaits(Math.max(0, ahead)) } : null
}
