import { fileTopic } from '@lis/contract/kit/events.ts'
import { messages } from '@lis/contract/messages.ts'
import { serverEvents } from './event-stream.ts'
import { events, type Notice } from './events.ts'

/** What a person reads while an export or a download waits for its turn; null after a gap in the stream, which says nothing. */
export const waitingNotice = (data: unknown): Notice | null => {
  const ahead = (data as { ahead?: unknown } | null)?.ahead
  return typeof ahead === 'number' ? { type: 'info', message: messages.fileWaits(Math.max(0, ahead)) } : null
}

/** Tells the person at the screen that the file they asked for waits. */
export const tellOfWaitingFiles = () =>
  serverEvents.on(fileTopic, (data) => {
    const notice = waitingNotice(data)
    if (notice) events.emit('notice', notice)
  })
