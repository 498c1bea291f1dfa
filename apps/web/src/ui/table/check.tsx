import { styled } from '@mui/material/styles'
import type { ComponentProps } from 'react'

/** How a tick box looks; the tick is cut out of its colour, because only so does it fit light and dark. */
export const checkLook = {
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

/** Rules for the frame around tick boxes: one styled component per row would be felt. The target is larger than what is seen. */
export const checkRules = {
  '& label.check, & span.check': {
    flex: 'none',
    display: 'grid',
    placeItems: 'center',
    width: 24,
    height: 24,
    cursor: 'pointer',
  },
  '& label.check > input': { ...checkLook, cursor: 'inherit' },
  '& label.touch': { width: 44, height: 44, margin: -13 },
  '& label.touch > input': { width: 18, height: 18 },
} as const

/** The picture of a ticked box, where nothing can be ticked. */
export const CheckPicture = styled('span')(checkLook)

interface CheckProps extends Omit<ComponentProps<'input'>, 'type' | 'ref'> {
  'aria-label': string
  isMixed?: boolean
  /** For fingers. */
  isLarge?: boolean
}

/** A tick box without a visible text. */
export const Check = ({ isMixed = false, isLarge = false, ...props }: CheckProps) => (
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
