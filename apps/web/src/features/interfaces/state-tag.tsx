import type { MessageState } from '@lis/contract/interfaces.ts'
import { styled } from '@mui/material/styles'
import { ClockIcon, CloseIcon, type Icon, lineIcon, RetryIcon } from '../../ui/icons.tsx'

const DoneIcon = lineIcon('M3 8.5 6.5 12 13 4.5')

const Tag = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  flex: 'none',
  height: 18,
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  boxShadow: 'inset 0 0 0 1px var(--line)',
  color: 'var(--text-2)',
  background: 'var(--surface-3)',
  '&.warning': {
    color: 'var(--warning)',
    background: 'var(--warning-bg)',
    boxShadow: 'inset 0 0 0 1px var(--warning-line)',
  },
  '&.error': { color: 'var(--error)', background: 'var(--error-bg)', boxShadow: 'inset 0 0 0 1px var(--error-line)' },
  '&.info': { color: 'var(--info)', background: 'var(--info-bg)', boxShadow: 'inset 0 0 0 1px var(--info-line)' },
  '&.success': {
    color: 'var(--success)',
    background: 'var(--success-bg)',
    boxShadow: 'inset 0 0 0 1px var(--success-line)',
  },
})

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

/** The state of a message as a word with its sign. */
export const StateTag = ({ state }: { state: MessageState }) => {
  const [words, tone, Glyph] = looks[state]
  return (
    <Tag className={tone}>
      <Glyph size={12} />
      {words}
    </Tag>
  )
}
