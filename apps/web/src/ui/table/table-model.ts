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
  /** Ticks all of these, also those that stand on other pages. */
  take: (rows: readonly Row[]) => void
  /** How many of the ticked rows are not on this page. */
  elsewhere: number
}

type RowId<Row> = (row: Row) => string
const none: never[] = []

/**
 * Only rows on screen are ticked: nobody should delete what they do not see. Whoever asks for all that the list holds (`take`) keeps
 * them ticked from page to page, as long as the list is the same one (`listKey`).
 */
export const useRowSelection = <Row>(
  rows: readonly Row[] | undefined,
  rowId: RowId<Row>,
  listKey = '',
): RowSelection<Row> => {
  const [state, set] = useState<RowSelectionState>({})
  const [taken, setTaken] = useState<{ listKey: string; rows: readonly Row[] } | null>(null)
  const wide = taken?.listKey === listKey ? taken.rows : none
  const known = useMemo(() => {
    const shown = new Map(rows?.map((row) => [rowId(row), row]))
    // What is on the page is newer than what was read for the whole list.
    return wide.length === 0 ? shown : new Map([...wide.map((row) => [rowId(row), row] as const), ...shown])
  }, [rows, wide, rowId])
  useEffect(() => {
    if (!rows) return
    set((before) => {
      const kept = Object.entries(before).filter(([id]) => known.has(id))
      return kept.length === Object.keys(before).length ? before : Object.fromEntries(kept)
    })
  }, [rows, known])
  const clear = useCallback(() => {
    set({})
    setTaken(null)
  }, [])
  const take = useCallback(
    (all: readonly Row[]) => {
      setTaken({ listKey, rows: all })
      set(Object.fromEntries(all.map((row) => [rowId(row), true])))
    },
    [listKey, rowId],
  )
  return useMemo(() => {
    const ticked = [...known.values()].filter((row) => state[rowId(row)])
    const here = new Set(rows?.map(rowId))
    const keep = (isKept: (row: Row) => boolean) =>
      set(Object.fromEntries(ticked.filter(isKept).map((row) => [rowId(row), true])))
    const elsewhere = ticked.filter((row) => !here.has(rowId(row))).length
    return { state, set, rows: ticked, clear, keep, take, elsewhere }
  }, [state, rows, known, rowId, clear, take])
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
