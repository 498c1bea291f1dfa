import type { ListScreen } from '@lis/contract/list-columns.ts'
import { listColumns } from '@lis/contract/list-columns.ts'
import Button from '@mui/material/Button'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { lazyPart } from '../lazy-part.tsx'
import { type Column, columnsFor } from '../table/column.ts'
import { arrangeColumns, type ColumnChoice, toSettings } from './arrange-columns.ts'
import { ColumnsIcon } from './column-icons.tsx'
import { fittingWidths } from './fitting-widths.ts'
import { chosenColumns, type ListState } from './use-list-state.ts'

const ColumnsPanel = lazyPart(async () => (await import('./columns-panel.tsx')).ColumnsPanel, { waiting: null })

interface ColumnsControl<Row> {
  /** The columns of the table. */
  shown: Column<Row>[]
  /** The button 'Columns', for the toolbar. */
  button: ReactNode
  /** The region 'Columns' while it is open, for the frame of the table. */
  panel: ReactNode
  /** A heading's edge was dragged. */
  resize: (name: string, width: number) => void
}

/** The columns of a list as the user has arranged them, with the controls to arrange them. */
export const useColumns = <Row,>(
  screen: ListScreen,
  columns: readonly Column<Row>[],
  state: ListState,
  /** Accessible name of the table. */
  label: string,
): ColumnsControl<Row> => {
  const role = useRole()
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  // Of a view that has columns: what was changed since it was opened. It is saved with the view.
  const { unsavedColumns, setUnsavedColumns } = state
  const chosen = unsavedColumns ?? chosenColumns(screen, state)
  const { choices, shown } = useMemo(
    () => arrangeColumns(columnsFor(columns, role), listColumns[screen], chosen),
    [columns, role, screen, chosen],
  )
  const isOfView = (state.view?.columns?.length ?? 0) > 0
  const change = (next: readonly ColumnChoice[]) => {
    const settings = toSettings(next)
    if (isOfView) setUnsavedColumns(settings)
    else state.settings.save({ columns: settings })
  }
  const reset = () => {
    if (isOfView) setUnsavedColumns(null)
    else state.settings.reset()
  }
  const resize = (name: string, width: number) =>
    change(choices.map((choice) => (choice.name === name ? { ...choice, width } : choice)))
  const fit = () => {
    const widths = fittingWidths(
      label,
      shown.map(({ key }) => key),
    )
    change(choices.map((choice) => ({ ...choice, width: widths.get(choice.name) ?? choice.width })))
  }
  return {
    shown,
    resize,
    button: (
      <Button
        ref={button}
        className="view"
        startIcon={<ColumnsIcon />}
        aria-expanded={isOpen}
        aria-controls={isOpen ? 'columns-panel' : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        Columns
      </Button>
    ),
    panel: isOpen && (
      <ColumnsPanel
        choices={choices}
        note={isOfView ? 'Saved with this view' : 'Kept for you'}
        onChange={change}
        onReset={reset}
        onFit={fit}
        onClose={() => {
          button.current?.focus()
          setOpen(false)
        }}
      />
    ),
  }
}
