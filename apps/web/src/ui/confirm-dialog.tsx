import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { type ReactNode, useId } from 'react'
import { ActionButton } from './action-button.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  isOpen: boolean
  /** The question, as the specification words it. */
  title: string
  /** The record in question: '#1000123 | Doe, Jane (01/02/1960)'. */
  subject?: string
  children?: ReactNode
  confirmLabel: string
  cancelLabel?: string
  isDestructive?: boolean
  isBusy?: boolean
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before something that cannot be undone. */
export const ConfirmDialog = ({ isOpen, title, subject, children, ...rest }: ConfirmDialogProps) => {
  const { confirmLabel, cancelLabel = 'Cancel', isDestructive = false, isBusy = false, onConfirm, onCancel } = rest
  const id = useId()
  return (
    <Dialog
      open={isOpen}
      onClose={onCancel}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      slotProps={{ paper: { sx: { maxWidth: 460 } } }}
    >
      <DialogTitle id={`${id}-title`}>{title}</DialogTitle>
      <DialogContent id={`${id}-text`}>
        {subject && <p>{subject}</p>}
        <div style={{ color: 'var(--text-3)', marginTop: subject ? 2 : 0 }}>{children}</div>
      </DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onCancel}>
          {cancelLabel}
        </Button>
        <ActionButton
          variant="contained"
          color={isDestructive ? 'error' : 'primary'}
          isBusy={isBusy}
          onClick={onConfirm}
        >
          {confirmLabel}
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}
