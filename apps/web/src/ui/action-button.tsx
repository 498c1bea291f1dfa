import Button, { type ButtonProps } from '@mui/material/Button'
import { Spinner } from './spinner.tsx'

export interface ActionButtonProps extends ButtonProps {
  /** The work that the button started is under way: it shows so, keeps its width and its focus, and takes no second click. */
  isBusy?: boolean
}

/** A button whose work takes time. */
export const ActionButton = ({ isBusy = false, startIcon, children, onClick, ...props }: ActionButtonProps) => {
  // Beside the label where that changes no width; otherwise over it.
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
