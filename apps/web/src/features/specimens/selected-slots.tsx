import { styled } from '@mui/material/styles'
import { ErrorIcon, SuccessIcon } from '../../ui/icons.tsx'
import type { ChosenSlot } from './use-slot-choice.ts'
import { wayOf } from './use-way.ts'

const Line = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  minWidth: 0,
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  color: 'var(--text-3)',
  '& > svg': { flex: 'none' },
  '& b': { flex: 'none', fontWeight: 600 },
  '&.right b, &.right > svg': { color: 'var(--success)' },
  '&.wrong': { color: 'var(--error)' },
  '& .names': { color: 'var(--text-strong)', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  [theme.breakpoints.down('sm')]: { flexWrap: 'wrap', '& .names': { whiteSpace: 'normal' } },
}))

interface SelectedSlotsProps {
  chosen: readonly ChosenSlot[]
  wanted: number
  /** To the box in view: its slots need not say it. */
  wayInView: string
  complaint: string | null
}

/** How many of how many slots are chosen, and which. */
export const SelectedSlots = ({ chosen, wanted, wayInView, complaint }: SelectedSlotsProps) => {
  if (complaint)
    return (
      <Line className="wrong" role="alert">
        <ErrorIcon />
        {complaint}
      </Line>
    )
  const isRight = chosen.length === wanted && wanted > 0
  return (
    <Line className={isRight ? 'right' : undefined} role="status">
      {isRight && <SuccessIcon />}
      <b>
        {chosen.length} of {wanted} selected
      </b>
      <span className="names">
        {chosen.map(({ name, way }) => (way === wayInView ? name : wayOf([way, name]))).join(', ')}
      </span>
    </Line>
  )
}
