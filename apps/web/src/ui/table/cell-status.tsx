import Tooltip from '@mui/material/Tooltip'
import { useState } from 'react'
import { ErrorIcon, RetryIcon, SuccessIcon } from '../icons.tsx'
import { Spinner } from '../spinner.tsx'
import type { AutoSave, AutoSaveState } from './auto-save.ts'
import { CellConflict, conflictOf } from './cell-conflict.tsx'
import { CompareIcon } from './table-icons.tsx'

interface CellStatusProps<Value> {
  cell: AutoSaveState<Value> & Pick<AutoSave<Value>, 'retry' | 'settle'>
  label: string
  /** Reads this value from the record of a conflict; undefined if it is not there. */
  valueIn: (current: Record<string, unknown>) => Value | undefined
  /** The value as text. */
  show: (value: Value) => string
}

/** The save status of a cell. A failure stays until it is resolved: by a retry or, after a conflict, by choosing a value. */
export const CellStatus = <Value,>({ cell, label, valueIn, show }: CellStatusProps<Value>) => {
  const { status, error, draft } = cell
  const [isComparing, setComparing] = useState(false)
  if (status === 'saving')
    return <Spinner sx={{ width: 10, height: 10, borderWidth: 1.5 }} role="img" aria-label={`Saving ${label}`} />
  if (status === 'saved')
    return <SuccessIcon size={14} style={{ color: 'var(--success)' }} role="img" aria-label="Saved" />
  if (status !== 'failed') return null
  const current = conflictOf(error)
  const theirs = current && valueIn(current)
  const isConflict = current !== undefined && theirs !== undefined
  const Glyph = isConflict ? CompareIcon : RetryIcon
  return (
    <>
      <Tooltip title={error?.message ?? ''}>
        <button
          type="button"
          aria-label={`${error?.message ?? 'Not saved'} ${isConflict ? 'Compare' : 'Retry saving'} ${label}`}
          onClick={isConflict ? () => setComparing(true) : cell.retry}
          style={{
            display: 'inline-flex',
            gap: 4,
            padding: 5,
            margin: -5,
            border: 0,
            background: 'none',
            color: 'var(--error)',
            cursor: 'pointer',
          }}
        >
          <ErrorIcon size={14} />
          <Glyph size={14} />
        </button>
      </Tooltip>
      {isComparing && isConflict && (
        <CellConflict
          label={label}
          mine={show(draft)}
          theirs={show(theirs)}
          current={current}
          onChoose={(side, version) => {
            setComparing(false)
            cell.settle(theirs, version, side === 'mine' ? draft : theirs)
          }}
          onCancel={() => setComparing(false)}
        />
      )}
    </>
  )
}
