import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { ApiError } from '../../lib/api-error.ts'
import { ErrorIcon, RetryIcon } from '../icons.tsx'
import { EmptyState } from '../states.tsx'
import { loadFailureText } from './load-failure-text.ts'

const Frame = styled('div')({
  flex: '1 1 auto',
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  justifyContent: 'center',
  gap: 4,
  padding: 32,
  textAlign: 'center',
  color: 'var(--text-3)',
  '& strong': { fontSize: 13, lineHeight: '20px', fontWeight: 600, color: 'var(--text-strong)' },
  '& > div': { display: 'flex', gap: 8, marginTop: 8 },
})

interface LoadFailedProps {
  error: unknown
  onRetry: () => void
}

/** The rows could not be loaded: the reason, a retry button, and details to send to support. */
export const LoadFailed = ({ error, onRetry }: LoadFailedProps) => {
  const text = loadFailureText(error)
  return (
    <Frame role="alert">
      <ErrorIcon size={24} strokeWidth={1.25} color="var(--error)" />
      <strong>{messages.listFailed}</strong>
      {text !== messages.listFailed && <span>{text}</span>}
      <div>
        <Button startIcon={<RetryIcon />} onClick={onRetry}>
          Retry
        </Button>
        {/* Browsers have no clipboard without TLS. */}
        {navigator.clipboard && (
          <Button variant="text" onClick={() => navigator.clipboard.writeText(detailsOf(error, text))}>
            Copy details
          </Button>
        )}
      </div>
    </Frame>
  )
}

const detailsOf = (error: unknown, text: string): string => {
  const lines = [text, window.location.href, new Date().toISOString()]
  if (error instanceof ApiError) lines.push(`Status ${error.status}`, `Request ${error.requestId ?? 'unknown'}`)
  return lines.join('\n')
}

interface EmptyTableProps {
  /** 'user' */
  itemName: string
  /** 'Client: Acme' for each filter. */
  filters: string[]
  onClearAll: () => void
  onChangeFilters?: (() => void) | undefined
}

/** 'Empty Table', the reason, and what to do about it. */
export const EmptyTable = ({ itemName, filters, onClearAll, onChangeFilters }: EmptyTableProps) => (
  <div role="status" style={{ display: 'contents' }}>
    {filters.length === 0 ? (
      <EmptyState title="Empty Table">There is no {itemName} here yet.</EmptyState>
    ) : (
      <EmptyState
        title="Empty Table"
        actions={
          <>
            <Button onClick={onClearAll}>Clear All</Button>
            {onChangeFilters && (
              <Button variant="text" onClick={onChangeFilters}>
                Change filters
              </Button>
            )}
          </>
        }
      >
        No {itemName} matches {filters.join(' and ')}.
      </EmptyState>
    )}
  </div>
)
