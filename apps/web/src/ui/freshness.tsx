import { styled } from '@mui/material/styles'
import { formatTimestamp } from '../lib/formats.ts'
import { useZone } from './timestamp.tsx'

const Frame = styled('span')(({ theme }) => ({
  color: 'var(--text-2)',
  whiteSpace: 'nowrap',
  '&.lost': { color: 'var(--warning)' },
  [theme.breakpoints.down('md')]: { display: 'none' },
}))

interface FreshnessProps {
  /** When the data was last read; 0 before that. */
  readAt: number
  /** Whether the last read failed. */
  isLost: boolean
}

/** The age of the data on a page: 'Live, 08:37 EST'. */
export const Freshness = ({ readAt, isLost }: FreshnessProps) => {
  const { text, zone } = formatTimestamp(new Date(readAt || Date.now()).toISOString(), useZone())
  const [, time] = text.split(' ')
  return (
    <Frame className={isLost ? 'lost' : undefined}>
      {isLost ? 'Not updated since' : 'Live,'} {time} {zone}
    </Frame>
  )
}
