import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import { type KeyboardEvent, useId, useState } from 'react'
import { ErrorIcon, RetryIcon } from '../icons.tsx'
import { Spinner } from '../spinner.tsx'
import type { SaveValue } from './auto-save.ts'
import { CellConflict, conflictOf } from './cell-conflict.tsx'
import { ForReaders } from './table-frame.tsx'
import { CheckIcon, CompareIcon } from './table-icons.tsx'
import { useAutoSaved } from './use-auto-saved.ts'

const Frame = styled('span')({
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  height: 'calc(var(--row) - 1px)', // the line under the row is part of its height
  margin: '0 -8px',
  padding: '0 8px',
  '&.saving': { background: 'var(--info-bg)', color: 'var(--info)' },
  '&.saved': { background: 'var(--success-bg)', color: 'var(--success)' },
  '&.failed': { background: 'var(--error-bg)', color: 'var(--error)', boxShadow: 'inset 0 0 0 1px var(--error)' },
  '&:focus-within': { boxShadow: 'inset 0 0 0 2px var(--p)' },
  '& svg': { flex: 'none' },
  '& input': {
    flex: '1 1 auto',
    minWidth: 0,
    height: '100%',
    padding: 0,
    border: 0,
    outline: 0,
    background: 'none',
    color: 'var(--text)',
    font: 'inherit',
    textAlign: 'inherit',
    '&:focus-visible': { boxShadow: 'none' },
  },
  '& button': {
    flex: 'none',
    display: 'grid',
    placeItems: 'center',
    width: 24,
    height: 24,
    padding: 0,
    border: 0,
    borderRadius: 'var(--r-sm)',
    background: 'none',
    color: 'inherit',
    cursor: 'pointer',
  },
})

export interface EditableCellProps {
  /** Row and column, for readers: 'LDL of #1000123'. */
  label: string
  value: string
  /** The version of the record that `value` was read with; a save against an older one is refused. */
  version: number
  save: SaveValue<string>
  /** From the last key to the save. */
  delayMs?: 1000 | 500
  /** This value in the record that a conflict shows; with it the person may choose between theirs and mine. */
  valueIn?: (current: Record<string, unknown>) => string
  isDisabled?: boolean
  align?: 'right'
}

/** A cell that saves by itself: tinted while it does, ticked when it has, red and with a retry when it could not. Escape undoes. */
export const EditableCell = ({ label, value, version, save, delayMs = 1000, ...rest }: EditableCellProps) => {
  const { isDisabled = false, align, valueIn } = rest
  const id = useId()
  const cell = useAutoSaved({ label, value, version, save, delayMs })
  const { draft, status, error } = cell
  const [isComparing, setComparing] = useState(false)
  const theirs = valueIn && conflictOf(error)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') cell.undo()
    if (event.key === 'Enter') cell.flush()
  }
  const glyph = {
    idle: null,
    waiting: null,
    saving: <Spinner sx={{ width: 10, height: 10, borderWidth: 1.5 }} />,
    saved: <CheckIcon size={14} />,
    failed: (
      <Tooltip title={error?.message ?? ''}>
        <span>
          <ErrorIcon size={14} />
        </span>
      </Tooltip>
    ),
  }[status]
  return (
    <Frame className={status} style={{ textAlign: align }}>
      {glyph}
      <input
        aria-label={label}
        aria-invalid={status === 'failed'}
        aria-describedby={`${id}-status`}
        value={draft}
        disabled={isDisabled}
        onChange={(event) => cell.change(event.target.value)}
        onBlur={cell.flush}
        onKeyDown={onKeyDown}
      />
      {status === 'failed' && (
        <button
          type="button"
          aria-label={theirs ? `Compare ${label}` : `Retry saving ${label}`}
          onClick={theirs ? () => setComparing(true) : cell.retry}
        >
          {theirs ? <CompareIcon size={14} /> : <RetryIcon size={14} />}
        </button>
      )}
      {isComparing && theirs && (
        <CellConflict
          label={label}
          mine={draft}
          theirs={valueIn(theirs)}
          current={theirs}
          onChoose={(side, newest) => {
            setComparing(false)
            cell.settle(valueIn(theirs), newest, side === 'mine' ? draft : valueIn(theirs))
          }}
          onCancel={() => setComparing(false)}
        />
      )}
      <ForReaders id={`${id}-status`} role={status === 'failed' ? 'alert' : 'status'}>
        {statusText(status, error)}
      </ForReaders>
    </Frame>
  )
}

const statusText = (status: string, error: Error | null) =>
  ({ saving: 'Saving', saved: 'Saved', failed: error?.message })[status] ?? ''
