import { styled } from '@mui/material/styles'
import type { ComponentProps } from 'react'

/** Style of a checkbox; the check mark is cut out of its colour, so that it fits light and dark. */
const checkboxStyle = {
  appearance: 'none',
  flex: 'none',
  position: 'relative',
  width: 14,
  height: 14,
  margin: 0,
  border: '1px solid var(--field-line)',
  borderRadius: 3,
  background: 'var(--surface)',
  '&:checked, &:indeterminate, &.on': { background: 'var(--p)', borderColor: 'var(--p)' },
  '&:checked::after, &.on::after': {
    content: '""',
    position: 'absolute',
    inset: 1,
    background: 'var(--on-p)',
    clipPath: 'polygon(14% 52%, 0 66%, 38% 100%, 100% 24%, 86% 10%, 37% 72%)',
  },
  '&:indeterminate::after': {
    content: '""',
    position: 'absolute',
    inset: 'calc(50% - 1px) 2px auto',
    height: 2,
    borderRadius: 1,
    background: 'var(--on-p)',
    clipPath: 'none',
  },
  '@media (forced-colors: active)': { appearance: 'auto' },
} as const

/** Rules for an element around checkboxes: one styled component per row would be slow. The click target is larger than the visible box. */
export const checkboxRules = {
  '& label.check, & span.check': {
    flex: 'none',
    display: 'grid',
    placeItems: 'center',
    width: 24,
    height: 24,
    cursor: 'pointer',
  },
  '& label.check > input': { ...checkboxStyle, cursor: 'inherit' },
  '& label.touch': { width: 44, height: 44, margin: -13 },
  '& label.touch > input': { width: 18, height: 18 },
} as const

/** The picture of a checked box, without a control. */
export const CheckboxPicture = styled('span')(checkboxStyle)

interface CheckProps extends Omit<ComponentProps<'input'>, 'type' | 'ref'> {
  'aria-label': string
  isMixed?: boolean
  /** For touch screens. */
  isLarge?: boolean
}

/** A checkbox without a visible label. */
export const RowCheckbox = ({ isMixed = false, isLarge = false, ...props }: CheckProps) => (
  <label className={isLarge ? 'check touch' : 'check'}>
    <input
      {...props}
      type="checkbox"
      ref={(input) => {
        if (input) input.indeterminate = isMixed
      }}
    />
  </label>
)
