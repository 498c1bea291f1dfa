import MuiDialog, { type DialogProps } from '@mui/material/Dialog'

/** A window over the page. The second click of a double click on what opened it falls beside the window, and must not close it again. */
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
