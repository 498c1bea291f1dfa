import { reqTestLabels as labels, type ReqTest } from '@lis/contract/requisition-tests.ts'
import { displayedResult } from '@lis/contract/results/display.ts'
import Tooltip from '@mui/material/Tooltip'
import { type ClipboardEvent, type KeyboardEvent, useId, useState } from 'react'
import { ErrorIcon, RetryIcon, WarningIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { VisuallyHidden } from '../../ui/table/table-frame.tsx'
import { CheckIcon } from '../../ui/table/table-icons.tsx'
import { DoubtfulResultCard } from './doubtful-result-card.tsx'
import { FormulaIcon } from './grid-icons.tsx'
import { cellPosition } from './grid-keys.ts'
import { type GridCell, matchOption, type ResultGridStore } from './grid-store.ts'

interface ResultCellProps {
  row: ReqTest
  index: number
  cell: GridCell | undefined
  store: ResultGridStore
  /** The question of this cell is shown. */
  isQuestionShown: boolean
  onFocus: () => void
  onPaste: (text: string) => void
  onCancelModify: () => void
}

/** One result: rounded when idle, with all digits while edited; colour and icon show the save status. */
export const ResultCell = (props: ResultCellProps) => {
  const { row, index, cell, store, isQuestionShown, onFocus, onPaste, onCancelModify } = props
  const id = useId()
  const [isFocused, setFocused] = useState(false)
  const [box, setBox] = useState<HTMLTableCellElement | null>(null)
  const stored = row.result ?? ''
  const text = cell?.text ?? stored
  const isOpen = row.isEditable === 1 && cell?.status !== 'saving'
  const leave = () => {
    setFocused(false)
    if (cell?.status === 'typing' && row.options) store.type(row.id, matchOption(row.options, cell.text))
    store.commit(row.id, row.isModifiable === 1 ? '\u0000' : stored)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') {
      store.undo([row.id])
      event.currentTarget.select()
    }
    if (event.key === 'F2') event.currentTarget.setSelectionRange(text.length, text.length)
  }
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text')
    if (!/[\n\t]/.test(pasted.trim())) return
    event.preventDefault()
    onPaste(pasted)
  }
  const shown = isFocused && !row.isCalculated ? text : displayedResult({ ...row, result: text || null })
  const placeholder = isFocused && isOpen && row.options ? row.options.map(({ code }) => code).join(' ') : '–'
  const message = cell?.message ?? row.comment ?? null
  return (
    <td
      ref={isQuestionShown ? setBox : undefined}
      data-label={labels.result}
      className={['result', row.isCalculated ? 'calc' : '', cell?.status ?? ''].filter(Boolean).join(' ')}
    >
      <div className="cell">
        <Glyph row={row} cell={cell} />
        {row.isModifiable === 1 && row.isEditable === 1 && !cell && (
          <button type="button" aria-label={`Cancel modification of ${row.testCode}`} onClick={onCancelModify}>
            Cancel
          </button>
        )}
        {cell?.status === 'failed' && cell.problem?.kind !== 'refused' && (
          <button type="button" aria-label={`Retry saving ${row.testCode}`} onClick={() => store.retry([row.id])}>
            <RetryIcon size={14} />
          </button>
        )}
        <span className="value">
          <span aria-hidden="true">{shown || placeholder}</span>
          <textarea
            {...cellPosition(index, 0)}
            rows={1}
            aria-label={`${row.testCode} result`}
            aria-invalid={cell?.status === 'failed' || undefined}
            aria-describedby={message || cell ? `${id}-status` : undefined}
            autoComplete="off"
            inputMode={row.resultKind === 'numeric' ? 'decimal' : 'text'}
            maxLength={200}
            readOnly={!isOpen}
            placeholder={placeholder}
            value={shown}
            onChange={(event) => store.type(row.id, event.target.value.replace(/[\r\n]+/g, ' '))}
            onFocus={(event) => {
              setFocused(true)
              onFocus()
              event.currentTarget.select()
            }}
            onBlur={leave}
            onKeyDown={onKeyDown}
            onPaste={isOpen ? paste : undefined}
          />
        </span>
        <VisuallyHidden id={`${id}-status`} role={cell?.status === 'failed' ? 'alert' : 'status'}>
          {accessibleStatus(cell) ?? message}
        </VisuallyHidden>
      </div>
      {isQuestionShown && cell?.problem && box && (
        <DoubtfulResultCard
          anchor={box}
          requisitionId={row.reqId}
          problem={cell.problem}
          value={cell.text}
          labTz={row.labTz}
          onConfirm={() => store.confirm(row.id)}
          onUndo={() => store.undo([row.id])}
        />
      )}
    </td>
  )
}

const accessibleStatus = (cell: GridCell | undefined): string | null => {
  if (!cell) return null
  return {
    saving: 'Saving',
    saved: 'Saved',
    doubtful: cell.message,
    failed: cell.message,
    typing: null,
    waiting: null,
  }[cell.status]
}

const Glyph = ({ row, cell }: { row: ReqTest; cell: GridCell | undefined }) => {
  if (row.isCalculated === 1) return <FormulaIcon size={14} color="var(--text-3)" />
  switch (cell?.status) {
    case 'saving':
      return <Spinner className="glyph" sx={{ width: 10, height: 10, borderWidth: 1.5 }} />
    case 'saved':
      return <CheckIcon size={14} />
    case 'failed':
      return (
        <Tooltip title={cell.message ?? ''}>
          <span className="glyph" role="img" style={{ display: 'flex' }}>
            <ErrorIcon size={14} />
          </span>
        </Tooltip>
      )
    case 'doubtful':
      return (
        <span className="tag">
          <WarningIcon size={12} />
          {cell.problem?.doubts.some(({ kind }) => kind === 'delta') ? 'Delta' : 'Confirm'}
        </span>
      )
    default:
      return null
  }
}
