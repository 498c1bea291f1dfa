import type { CriticalCall } from '@lis/contract/critical-calls.ts'
import { styled } from '@mui/material/styles'
import { Timestamp } from '../../ui/timestamp.tsx'
import { timeLeft, useNow } from './call-time.ts'

const Frame = styled('div')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 10,
  '& .text': { display: 'flex', flexDirection: 'column', lineHeight: '16px' },
  '& strong': { fontSize: 16, lineHeight: '20px', fontWeight: 700, fontVariantNumeric: 'tabular-nums' },
  '& small': { fontSize: 11, color: 'var(--text-3)' },
  '&.calm': { color: 'var(--p)' },
  '&.soon': { color: 'var(--warning)' },
  '&.urgent': { color: 'var(--error)' },
})
const radius = 13
const around = 2 * Math.PI * radius

interface TimerProps {
  call: Pick<CriticalCall, 'raisedAt' | 'dueAt'>
  /** Shows the deadline instead of the total time. */
  isUntil?: boolean
}

/** The time left for a call: as a ring, in minutes and by colour. */
export const Timer = ({ call, isUntil = false }: TimerProps) => {
  const { text, share, tone, isLate } = timeLeft(call, useNow())
  const total = Math.round((Date.parse(call.dueAt) - Date.parse(call.raisedAt)) / 60_000)
  return (
    <Frame className={tone}>
      <svg width={32} height={32} viewBox="0 0 32 32" aria-hidden="true">
        <circle cx={16} cy={16} r={radius} fill="none" stroke="var(--n-200)" strokeWidth={4} />
        <circle
          cx={16}
          cy={16}
          r={radius}
          fill="none"
          stroke="currentColor"
          strokeWidth={4}
          strokeDasharray={`${around * (isLate ? 1 : 1 - share)} ${around}`}
          transform="rotate(-90 16 16)"
        />
      </svg>
      <span className="text">
        <strong>{text}</strong>
        <small>
          {isUntil ? (
            <>
              to <Timestamp at={call.dueAt} />
            </>
          ) : isLate ? (
            `late, limit ${total} min`
          ) : (
            `left of ${total} min`
          )}
        </small>
      </span>
    </Frame>
  )
}
