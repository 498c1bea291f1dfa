import type { MessageState } from '@lis/contract/interfaces.ts'
import { ClockIcon, CloseIcon, type Icon, lineIcon, RetryIcon } from '../ui/icons.tsx'
import { Tag } from '../ui/tag.tsx'

const DoneIcon = lineIcon('M3 8.5 6.5 12 13 4.5')

const looks: Record<MessageState, readonly [words: string, tone: string, icon: Icon]> = {
  RECEIVED: ['Received', 'info', ClockIcon],
  ACCEPTED: ['Accepted', 'success', DoneIcon],
  HELD: ['Held', 'warning', ClockIcon],
  REJECTED: ['Rejected', 'error', CloseIcon],
  SENT: ['Sent', 'success', DoneIcon],
  RETRYING: ['Retrying', 'info', RetryIcon],
  FAILED: ['Failed', 'error', CloseIcon],
  DISMISSED: ['Dismissed', '', CloseIcon],
}

/** The state of a message, as a word with an icon. */
export const MessageStateTag = ({ state }: { state: MessageState }) => {
  const [words, tone, Glyph] = looks[state]
  return (
    <Tag className={tone}>
      <Glyph size={12} />
      {words}
    </Tag>
  )
}
