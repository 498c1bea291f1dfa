import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { ErrorIcon, type Icon, RetryIcon, SearchIcon } from './icons.tsx'
import { Spinner } from './spinner.tsx'

const Frame = styled('div')({
  flex: '1 1 auto',
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  justifyContent: 'center',
  gap: 4,
  padding: '32px',
  textAlign: 'center',
  color: 'var(--text-3)',
  '& strong': { fontSize: 13, lineHeight: '20px', fontWeight: 600, color: 'var(--text-strong)' },
})
const Actions = styled('div')({ display: 'flex', gap: 8, marginTop: 8 })

interface StateProps {
  title: string
  children?: ReactNode
  actions?: ReactNode
}

const createState = (Glyph: Icon, colour: string) =>
  function State({ title, children, actions }: StateProps) {
    return (
      <Frame>
        <Glyph size={24} strokeWidth={1.25} color={colour} />
        <strong>{title}</strong>
        {children && <span>{children}</span>}
        {actions && <Actions>{actions}</Actions>}
      </Frame>
    )
  }

/** Nothing to show: why, and what to do about it. */
export const EmptyState = createState(SearchIcon, 'var(--text-3)')
const Failure = createState(ErrorIcon, 'var(--error)')

/** Something failed: what, and a way to retry. */
export const ErrorState = ({
  title,
  children,
  onRetry,
}: {
  title: string
  children?: ReactNode
  onRetry?: () => void
}) => (
  <div role="alert" style={{ display: 'contents' }}>
    <Failure
      title={title}
      actions={
        onRetry && (
          <Button startIcon={<RetryIcon />} onClick={onRetry}>
            Retry
          </Button>
        )
      }
    >
      {children}
    </Failure>
  </div>
)

/** Something is loading; `isPage` makes the label the page's heading. */
export const LoadingState = ({ label, isPage = false }: { label: string; isPage?: boolean }) => {
  const Text = isPage ? 'h1' : 'span'
  return (
    <Frame role="status">
      <Text style={{ display: 'flex', alignItems: 'center', gap: 8, font: 'inherit' }}>
        <Spinner sx={{ color: 'var(--p)' }} />
        {label}
      </Text>
    </Frame>
  )
}
