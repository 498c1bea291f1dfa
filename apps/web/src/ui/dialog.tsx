import MuiDialog, { type DialogProps } from '@mui/material/Dialog'

/** A dialog that ignores the second click of a double click: it lands on the backdrop and would close the dialog that the first one opened. */
export const Dialog = ({ onClose, ...props }: DialogProps) => (
  <MuiDialog
    {...props}
    {...(onClose && {
      onClose: (event, reason) => {
        const isSecondClick = reason === 'backdropClick' && ((event as Partial<MouseEvent>).detail ?? 0) > 1
        if (!isSecondClick) onClose(event, reason)
      },
    })}
  />
)
