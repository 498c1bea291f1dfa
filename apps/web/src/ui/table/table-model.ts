import {
  type ReactTable,
  type RowSelectionState,
  rowExpandingFeature,
  rowSelectionFeature,
  type Row as TableRowModel,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useCallback, useEffect, useMemo, useState } from 'react'

const features = tableFeatures({ rowSelectionFeature, rowExpandingFeature })
type Features = typeof features

export type ModelRow<Row extends object> = TableRowModel<Features, Row>
export type TableModel<Row extends object> = ReactTable<Features, Row>

/** The ticks that a table shows, whoever keeps them. */
export interface RowTicks {
  state: RowSelectionState
  set: React.Dispatch<React.SetStateAction<RowSelectionState>>
}

/** The ticked rows of a table: made by `useRowSelection`, shown by `Table`, worked on by bulk actions. */
export interface RowSelection<Row> extends RowTicks {
  rows: Row[]
  clear: () => void
  /** Only these stay ticked. */
  keep: (isKept: (row: Row) => boolean) => void
}

type RowId<Row> = (row: Row) => string

/** Only rows on screen are ticked: nobody should delete what they do not see. */
export const useRowSelection = <Row>(rows: readonly Row[] | undefined, rowId: RowId<Row>): RowSelection<Row> => {
  const [state, set] = useState<RowSelectionState>({})
  useEffect(() => {
    if (!rows) return
    const shown = new Set(rows.map(rowId))
    set((before) => {
      const kept = Object.entries(before).filter(([id]) => shown.has(id))
      return kept.length === Object.keys(before).length ? before : Object.fromEntries(kept)
    })
  }, [rows, rowId])
  const clear = useCallback(() => set({}), [])
  return useMemo(() => {
    const ticked = (rows ?? []).filter((row) => state[rowId(row)])
    const keep = (isKept: (row: Row) => boolean) =>
      set(Object.fromEntries(ticked.filter(isKept).map((row) => [rowId(row), true])))
    return { state, set, rows: ticked, clear, keep }
  }, [state, rows, rowId, clear])
}

const noColumns: [] = []
const noRows: never[] = []
const nothingSelected: RowSelectionState = {}

interface ModelOptions<Row> {
  rows: readonly Row[] | undefined
  rowId: RowId<Row>
  selection: RowTicks | undefined
  /** Rows that cannot be ticked although others can. */
  isGone?: ((row: Row) => boolean) | undefined
  canExpand: boolean
}

/** Rows with what is ticked and what is open. Paging and order are the server's; cells are drawn by `Column`, so there are none here. */
export const useTableModel = <Row extends object>({
  rows = noRows,
  rowId,
  selection,
  isGone,
  canExpand,
}: ModelOptions<Row>) =>
  useTable<Features, Row>({
    features,
    columns: noColumns,
    data: rows,
    getRowId: rowId,
    enableRowSelection: ({ original }) => selection !== undefined && !isGone?.(original),
    getRowCanExpand: () => canExpand,
    state: { rowSelection: selection?.state ?? nothingSelected },
    onRowSelectionChange: selection?.set ?? (() => undefined),
    autoResetExpanded: false,
  })
