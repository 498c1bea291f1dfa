import { messages } from '@lis/contract/messages.ts'
import { events } from '../lib/events.ts'

/** Opens a file in the browser, to print it; if it does not open, the notice has a link. */
export const openFile = (url: string) => {
  const link = document.createElement('a')
  link.href = url
  link.target = '_blank'
  link.rel = 'noopener'
  link.click()
  events.emit('notice', { type: 'info', message: messages.downloadNotice, downloadUrl: url })
}
