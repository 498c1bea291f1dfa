import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import IconButton from '@mui/material/IconButton'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { ActionButton } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Banner } from '../ui/form/banner.tsx'
import { CloseIcon, RetryIcon } from '../ui/icons.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { LoadFailed } from '../ui/table/table-states.tsx'
import { DryRun, type PlannedRow } from './dry-run.tsx'

const actionsStyle = {
  '& .note': { flex: '1 1 auto', color: 'var(--text-3)' },
  '@media (max-width: 599.95px)': {
    flexWrap: 'wrap',
    padding: '8px 12px',
    '& .note': { flexBasis: '100%' },
    // If they need two lines, both are full width.
    '& > button': { flex: '1 1 auto' },
  },
}

interface DryRunDialogProps {
  title: ReactNode
  plan: { data: Outcome | undefined; error: Error | null; isFetching: boolean; refetch: () => unknown }
  rows: readonly PlannedRow[]
  /** 'move': what will happen to each requisition. */
  verb: string
  note: string
  /** Label of the button, for the number of requisitions that will succeed. */
  confirm: (count: number) => string
  nothing: string
  isDestructive?: boolean | undefined
  isRunning: boolean
  /** Why it failed; the dialog stays open for another try. */
  failure: Error | null
  onRun: () => void
  onClose: () => void
  /** Below the preview. */
  children?: ReactNode
}

/** Previews an action on many requisitions ('38 will move, 4 will not', and why) before it is carried out. */
export const DryRunDialog = ({ title, plan, rows, verb, children, onClose, ...rest }: DryRunDialogProps) => {
  const { note, confirm, nothing, isDestructive, isRunning, failure, onRun } = rest
  const titleId = useId()
  const count = plan.data?.moved.length ?? 0
  const main = useFocusWhen(plan.data !== undefined && count > 0 && !isDestructive)
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { width: 900, maxWidth: '96vw' } } }}
    >
      <DialogTitle sx={{ display: 'flex', alignItems: 'flex-start', gap: 2 }}>
        <span
          id={titleId}
          style={{ flex: '1 1 auto', display: 'flex', alignItems: 'center', gap: 8, flexWrap: 'wrap' }}
        >
          {title}
        </span>
        <IconButton aria-label="Close" sx={{ margin: '-4px' }} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </DialogTitle>
      <DialogContent>
        {plan.data ? (
          <DryRun outcome={plan.data} rows={rows} verb={verb} isOpen={isDestructive} />
        ) : plan.error ? (
          <LoadFailed error={plan.error} onRetry={() => plan.refetch()} />
        ) : (
          <p role="status" style={{ display: 'flex', gap: 8, alignItems: 'center', minHeight: 120 }}>
            <Spinner sx={{ width: 14, height: 14, color: 'var(--p)' }} /> Checking what will {verb}
          </p>
        )}
        {children}
        {failure && (
          <div style={{ marginTop: 8 }}>
            <Banner type="error">{failure.message}</Banner>
          </div>
        )}
      </DialogContent>
      <DialogActions sx={actionsStyle}>
        <span className="note">{note}</span>
        <Button onClick={onClose}>Cancel</Button>
        <ActionButton
          onClick={() => plan.refetch()}
          startIcon={<RetryIcon size={14} />}
          isBusy={plan.isFetching}
          disabled={isRunning}
        >
          Check again
        </ActionButton>
        <ActionButton
          ref={main}
          variant="contained"
          color={isDestructive ? 'error' : 'primary'}
          isBusy={isRunning}
          disabled={count === 0}
          onClick={onRun}
        >
          {plan.data && count === 0 ? nothing : confirm(count)}
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}

/** Focuses the main button once it can be used. */
const useFocusWhen = (isReady: boolean) => {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isReady) button.current?.focus()
  }, [isReady])
  return button
}
