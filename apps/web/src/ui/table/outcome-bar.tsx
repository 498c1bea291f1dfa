import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { CloseIcon, WarningIcon } from '../icons.tsx'
import type { OutcomeSummary } from './use-row-outcomes.ts'

const Bar = styled('div')({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 32,
  padding: '0 8px 0 16px',
  borderTop: '1px solid var(--warning-line)',
  background: 'var(--warning-bg)',
  color: 'var(--warning)',
  '& > svg': { flex: 'none' },
  '& > span': { color: 'var(--text)' },
  '& > :last-child': { marginLeft: 'auto' },
})

/** '38 of 42 moved to Released.' and a filter for the other 4. Not shown if all succeeded: the rows say so. */
export const OutcomeBar = ({ done, failed, text, isOnlyFailed, toggleFailed, dismiss }: OutcomeSummary) =>
  failed > 0 && (
    <Bar role="status">
      <WarningIcon />
      <span>
        {done} of {done + failed} {text}.
      </span>
      <Button variant="text" size="small" onClick={toggleFailed}>
        {isOnlyFailed ? 'See all rows' : `See the other ${failed}`}
      </Button>
      <IconButton aria-label="Dismiss the outcome" onClick={dismiss}>
        <CloseIcon />
      </IconButton>
    </Bar>
  )
