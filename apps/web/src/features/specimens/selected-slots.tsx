import { styled } from '@mui/material/styles'
import { ErrorIcon, SuccessIcon } from '../../ui/icons.tsx'
import { formatPath } from './use-box-path.ts'
import type { ChosenSlot } from './use-slot-choice.ts'

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
  '& .asked': { flex: 'none' },
  [theme.breakpoints.down('md')]: { '& .asked': { display: 'none' } },
  [theme.breakpoints.down('sm')]: { flexWrap: 'wrap', '& .names': { whiteSpace: 'normal' } },
}))

interface SelectedSlotsProps {
  chosen: readonly ChosenSlot[]
  wanted: number
  /** The path of the visible box, which is not repeated for its slots. */
  visiblePath: string
  error: string | null
}

/** How many slots are chosen of how many needed, and which. */
export const SelectedSlots = ({ chosen, wanted, visiblePath, error }: SelectedSlotsProps) => {
  if (error)
    return (
      <Line className="wrong" role="alert">
        <ErrorIcon />
        {error}
      </Line>
    )
  const isComplete = chosen.length === wanted && wanted > 0
  return (
    <Line className={isComplete ? 'right' : undefined} role="status">
      {isComplete && <SuccessIcon />}
      <b>
        {chosen.length} of {wanted} selected
      </b>
      <span className="names">
        {chosen.map(({ name, path }) => (path === visiblePath ? name : formatPath([path, name]))).join(', ')}
      </span>
      {isComplete && <span className="asked">as many as the aliquot asks for</span>}
    </Line>
  )
}
