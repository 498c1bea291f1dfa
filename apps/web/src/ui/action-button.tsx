import Button, { type ButtonProps } from '@mui/material/Button'
import { Spinner } from './spinner.tsx'

export interface ActionButtonProps extends ButtonProps {
  /** Shows a spinner, keeps width and focus, and ignores further clicks. */
  isBusy?: boolean
}

/** A button that starts asynchronous work. */
export const ActionButton = ({ isBusy = false, startIcon, children, onClick, ...props }: ActionButtonProps) => {
  // The spinner is beside the label where that does not change the width, otherwise over it.
  const isBeside = startIcon !== undefined || props.fullWidth === true
  return (
    <Button
      {...props}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      startIcon={isBusy && isBeside ? <Spinner /> : startIcon}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy && !isBeside ? (
        <>
          <Spinner sx={{ position: 'absolute' }} />
          <span style={{ opacity: 0 }}>{children}</span>
        </>
      ) : (
        children
      )}
    </Button>
  )
}
