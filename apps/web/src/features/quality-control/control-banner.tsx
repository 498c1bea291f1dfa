import type { QcStatus } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { ClockIcon, ErrorIcon } from '../../ui/icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

const Banner = styled('section')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 12,
  padding: '10px 14px',
  borderRadius: 'var(--r-sm)',
  '& > div': { flex: '1 1 320px' },
  '& h2': { fontSize: 14, fontWeight: 600 },
  '&.out': {
    background: 'var(--error-bg)',
    boxShadow: 'inset 4px 0 0 var(--error)',
    '& h2, & svg': { color: 'var(--error)' },
  },
  '&.due': {
    background: 'var(--warning-bg)',
    boxShadow: 'inset 4px 0 0 var(--warning-solid)',
    '& h2, & svg': { color: 'var(--warning)' },
  },
})

const results = (count: number) => (count === 1 ? '1 patient result' : `${count} patient results`)

/** Since when, how many patient results are held since the last good run, and how many went out in between. */
export const ControlBanner = ({ status }: { status: QcStatus }) => {
  const { state, since, heldCount, lookBackCount, lastGoodRunAt, testCode, instrumentName } = status
  const out = lookBackCount - heldCount
  if (state === 'IN' && lookBackCount === 0) return null
  const address = `/quality-control/look-backs?instrumentId=${status.instrumentId}&testCode=${testCode}`
  return (
    <Banner className={state === 'OUT' ? 'out' : 'due'} role={state === 'OUT' ? 'alert' : undefined}>
      {state === 'OUT' ? <ErrorIcon size={18} /> : <ClockIcon size={18} />}
      <div>
        <h2>
          {state === 'OUT' && 'Out of control'}
          {state === 'DUE' && 'Controls are due'}
          {state === 'IN' && 'In control again'}
          {state !== 'IN' && since && (
            <>
              {' since '}
              <Timestamp at={since} />
            </>
          )}
        </h2>
        <p>
          {state === 'DUE' && lookBackCount === 0
            ? `${testCode} on ${instrumentName} is not verified by itself until a run is in control.`
            : `${results(heldCount)} held`}
          {lookBackCount > 0 && lastGoodRunAt && state === 'OUT' && (
            <>
              {' since the last good run at '}
              <Timestamp at={lastGoodRunAt} />
            </>
          )}
          {out > 0 && `. ${out} went out and ${out === 1 ? 'needs' : 'need'} a look back`}
          {lookBackCount > 0 && '.'}
        </p>
      </div>
      {lookBackCount > 0 && (
        <Button component={Link} to={address}>
          See the {lookBackCount}
        </Button>
      )}
    </Banner>
  )
}
