import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { ErrorIcon, InfoIcon, SuccessIcon, WarningIcon } from '../icons.tsx'

const icons = { info: InfoIcon, success: SuccessIcon, warning: WarningIcon, error: ErrorIcon }

const Frame = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  minHeight: 32,
  padding: '6px 12px',
  borderRadius: 'var(--r-sm)',
  border: '1px solid',
  '& > svg': { flex: 'none' },
})
const Text = styled('span')({ flex: '1 1 160px', color: 'var(--text)' })
const Actions = styled('span')({ display: 'flex', gap: 8, margin: '-2px -6px -2px 0' })

interface BannerProps {
  type: keyof typeof icons
  children: ReactNode
  actions?: ReactNode
}

/** A message in the page that stays until it is resolved. */
export const Banner = ({ type, children, actions }: BannerProps) => {
  const Glyph = icons[type]
  return (
    <Frame
      role={type === 'error' ? 'alert' : 'status'}
      style={{
        color: `var(--${type})`,
        background: `var(--${type}-bg)`,
        borderColor: `var(--${type}-line)`,
      }}
    >
      <Glyph />
      <Text>{children}</Text>
      {actions && <Actions>{actions}</Actions>}
    </Frame>
  )
}
