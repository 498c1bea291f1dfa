import type { Instrument } from '@lis/contract/instruments.ts'
import { styled } from '@mui/material/styles'
import { CloseIcon, ErrorIcon, type Icon, lineIcon, SuccessIcon } from '../../ui/icons.tsx'

const Tag = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  whiteSpace: 'nowrap',
  fontWeight: 600,
  color: 'var(--text-3)',
  '&.error': { color: 'var(--error)' },
  '&.info': { color: 'var(--info)' },
  '&.success': { color: 'var(--success)' },
})

const WaitingIcon = lineIcon('M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 8h5')

const looks: Record<Instrument['linkState'], readonly [words: string, tone: string, icon: Icon]> = {
  CONNECTED: ['Connected', 'success', SuccessIcon],
  LISTENING: ['Listening', 'info', WaitingIcon],
  CLOSED: ['Closed', '', CloseIcon],
  ERROR: ['Error', 'error', ErrorIcon],
}

/** The state of the connection to an instrument, as a word with an icon. */
export const LinkTag = ({ state }: { state: Instrument['linkState'] }) => {
  const [words, tone, Glyph] = looks[state]
  return (
    <Tag className={tone}>
      <Glyph size={12} />
      {words}
    </Tag>
  )
}

const mostSkewSec = 300

/** The deviation of the instrument's clock; shown if it is more than 5 minutes. */
export const ClockOffset = ({ seconds }: { seconds: number | null }) => {
  if (seconds === null) return '–'
  const size = Math.abs(seconds)
  if (size <= mostSkewSec) return size < 60 ? 'Right' : `${Math.round(size / 60)} min off`
  const text = size < 7200 ? `${Math.round(size / 60)} min` : `${Math.round(size / 3600)} h`
  return (
    <Tag className="error">
      <ErrorIcon size={12} />
      {text} {seconds > 0 ? 'fast' : 'slow'}
    </Tag>
  )
}
