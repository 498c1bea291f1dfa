import Tooltip from '@mui/material/Tooltip'
import { ErrorIcon, RetryIcon, SuccessIcon } from '../icons.tsx'
import { Spinner } from '../spinner.tsx'
import type { SaveStatus } from './auto-save.ts'

interface CellStatusProps {
  cell: { status: SaveStatus; error: Error | null; retry: () => void }
  label: string
}

/** How the save of a cell stands; a failure stays until it is mended. */
export const CellStatus = ({ cell: { status, error, retry }, label }: CellStatusProps) => {
  if (status === 'saving')
    return <Spinner sx={{ width: 10, height: 10, borderWidth: 1.5 }} aria-label={`Saving ${label}`} />
  if (status === 'saved') return <SuccessIcon size={14} style={{ color: 'var(--success)' }} aria-label="Saved" />
  if (status !== 'failed') return null
  return (
    <Tooltip title={error?.message ?? ''}>
      <button
        type="button"
        aria-label={`${error?.message ?? 'Not saved'}. Retry saving ${label}`}
        onClick={retry}
        style={{
          display: 'inline-flex',
          gap: 4,
          padding: 0,
          border: 0,
          background: 'none',
          color: 'var(--error)',
          cursor: 'pointer',
        }}
      >
        <ErrorIcon size={14} />
        <RetryIcon size={14} />
      </button>
    </Tooltip>
  )
}
