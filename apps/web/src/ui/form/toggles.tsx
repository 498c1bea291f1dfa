import { styled } from '@mui/material/styles'
import type { ComponentProps, ReactNode } from 'react'

// Native inputs with custom styles: keyboard, screen readers and forms work as usual.
const Box = styled('input')({
  appearance: 'none',
  flex: 'none',
  position: 'relative',
  width: 14,
  height: 14,
  margin: 0,
  border: '1px solid var(--field-line)',
  background: 'var(--surface)',
  cursor: 'inherit',
  '&:hover:not(:disabled)': { borderColor: 'var(--n-600)' },
  '&:disabled': { background: 'var(--surface-3)', borderColor: 'var(--line-strong)' },
  '&[aria-invalid="true"]': { borderColor: 'var(--error)', boxShadow: 'inset 0 0 0 1px var(--error)' },
  '&:focus-visible': { boxShadow: 'var(--focus-ring)' },
})
const checked = { background: 'var(--p)', borderColor: 'var(--p)' }
// A mask, so that the check mark takes a colour that fits light and dark.
const checkMask = {
  content: '""',
  position: 'absolute',
  inset: 1,
  background: `linear-gradient(var(--on-p), var(--on-p))`,
  clipPath: 'polygon(14% 52%, 0 66%, 38% 100%, 100% 24%, 86% 10%, 37% 72%)',
} as const
const CheckBox = styled(Box)({
  borderRadius: 3,
  '&:checked': checked,
  '&:checked:disabled': { background: 'var(--n-450)', borderColor: 'var(--n-450)' },
  '&:checked::after': checkMask,
})
const Mark = styled('span')({
  flex: 'none',
  position: 'relative',
  width: 14,
  height: 14,
  border: '1px solid var(--field-line)',
  borderRadius: 3,
  background: 'var(--surface)',
  '&.on': checked,
  '&.on::after': checkMask,
})
const RadioDot = styled(Box)({
  borderRadius: '50%',
  '&:checked': { border: '4.5px solid var(--p)' },
  '&:checked:disabled': { borderColor: 'var(--n-450)' },
})
const Track = styled(Box)({
  width: 28,
  height: 16,
  borderRadius: 8,
  borderColor: 'transparent',
  background: 'var(--n-450)',
  transition: 'background .12s',
  '&::after': {
    content: '""',
    position: 'absolute',
    top: 1,
    left: 1,
    width: 12,
    height: 12,
    borderRadius: '50%',
    background: '#fff',
    transition: 'transform .12s',
  },
  '&:checked': { background: 'var(--p)' },
  '&:checked::after': { transform: 'translateX(12px)' },
  '&:disabled': { background: 'var(--n-300)' },
})
const Label = styled('label')(({ theme }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 28,
  cursor: 'pointer',
  color: 'var(--text)',
  '&:has(:disabled)': { cursor: 'default', color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: { minHeight: 'var(--touch)', fontSize: 14 },
}))

type ToggleProps = Omit<ComponentProps<'input'>, 'type'> & {
  /** Label beside the box; without it the caller sets `aria-label`. */
  label?: ReactNode
}

const createToggle = (Input: typeof Box, type: 'checkbox' | 'radio', role?: 'switch') =>
  function Tick({ label, ...props }: ToggleProps) {
    const input = <Input {...props} type={type} role={role} />
    if (label === undefined) return input
    return (
      <Label>
        {input}
        <span>{label}</span>
      </Label>
    )
  }

export const Checkbox = createToggle(CheckBox, 'checkbox')
export const Radio = createToggle(RadioDot, 'radio')
/** On or off, saved at once. */
export const Switch = createToggle(Track, 'checkbox', 'switch')

/** The checkbox look alone, for options that already expose whether they are selected. */
export const CheckMark = ({ isOn }: { isOn: boolean }) => (
  <Mark aria-hidden="true" className={isOn ? 'on' : undefined} />
)
