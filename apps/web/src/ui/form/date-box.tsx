import IconButton from '@mui/material/IconButton'
import Popover from '@mui/material/Popover'
import { type ReactNode, useState } from 'react'
import type { IconProps } from '../icons.tsx'
import { lazyPart } from '../lazy-part.tsx'
import { LoadingState } from '../states.tsx'
import { TextField, type TextFieldProps } from '../text-field.tsx'

/** Loaded when the first calendar is opened. */
export const LazyCalendar = lazyPart(async () => (await import('./calendar.tsx')).Calendar, {
  waiting: <LoadingState label="Loading" />,
})

interface DateBoxProps extends TextFieldProps {
  /** Content of the popover; receives a function to close it. */
  calendar: (close: () => void) => ReactNode
}

/** A text field for a date, with a button that opens a calendar. */
export const DateBox = ({ calendar, ...props }: DateBoxProps) => {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = () => setAnchor(null)
  return (
    <>
      <TextField
        {...props}
        autoComplete="off"
        slotProps={{ input: { inputMode: 'numeric', spellCheck: false } }}
        endAdornment={
          <IconButton
            aria-label={`Choose ${props.label}`}
            aria-haspopup="dialog"
            disabled={props.disabled ?? false}
            onClick={(event) => setAnchor(event.currentTarget.parentElement)}
            sx={{ mr: { xs: -2.25, sm: -2 }, width: 24, height: 24, color: 'var(--text-3)' }}
          >
            <CalendarIcon />
          </IconButton>
        }
      />
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={close}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{
          paper: {
            role: 'dialog',
            'aria-label': `Choose ${props.label}`,
            sx: { mt: 1, minWidth: 288, minHeight: 280, border: '1px solid var(--line)', borderRadius: 'var(--r-md)' },
          },
        }}
      >
        {calendar(close)}
      </Popover>
    </>
  )
}

/** In the style of `ui/icons.tsx`. */
const CalendarIcon = ({ size = 16, ...props }: IconProps) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.5}
    strokeLinecap="round"
    strokeLinejoin="round"
    display="block"
    focusable="false"
    aria-hidden="true"
    {...props}
  >
    <path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.500 2v3" />
  </svg>
)
