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

/** The selection that a table shows. */
export interface RowSelectionModel {
  state: RowSelectionState
  set: React.Dispatch<React.SetStateAction<RowSelectionState>>
}

/** The selected rows of a table: created by `useRowSelection`, shown by `Table`, used by bulk actions. */
export interface RowSelection<Row> extends RowSelectionModel {
  rows: Row[]
  clear: () => void
  /** Deselects all other rows. */
  keep: (isKept: (row: Row) => boolean) => void
  /** Selects all of these, including rows of other pages. */
  take: (rows: readonly Row[]) => void
  /** How many of the selected rows are not on this page. */
  elsewhere: number
}

type RowId<Row> = (row: Row) => string
const none: never[] = []

/**
 * Only rows on screen are selected: nobody should delete what they do not see. A selection of the whole list (`take`) is kept from page to
 * page, as long as the list is the same (`listKey`).
 */
export const useRowSelection = <Row>(
  rows: readonly Row[] | undefined,
  rowId: RowId<Row>,
  listKey = '',
  /** Told how many ticked rows are gone from the page. */
  onLost?: (count: number) => void,
): RowSelection<Row> => {
  const [state, set] = useState<RowSelectionState>({})
  const [taken, setTaken] = useState<{ listKey: string; rows: readonly Row[] } | null>(null)
  const acrossPages = taken?.listKey === listKey ? taken.rows : none
  const known = useMemo(() => {
    const shown = new Map(rows?.map((row) => [rowId(row), row]))
    // Rows on the page are newer than those read for the whole list.
    return acrossPages.length === 0
      ? shown
      : new Map([...acrossPages.map((row) => [rowId(row), row] as const), ...shown])
  }, [rows, acrossPages, rowId])
  useEffect(() => {
    const ticked = Object.entries(state).filter(([, isTicked]) => isTicked)
    const kept = ticked.filter(([id]) => known.has(id))
    if (!rows || kept.length === ticked.length) return
    set(Object.fromEntries(kept))
    onLost?.(ticked.length - kept.length)
  }, [rows, known, state, onLost])
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
  selection: RowSelectionModel | undefined
  /** Rows that cannot be selected although others can. */
  isGone?: ((row: Row) => boolean) | undefined
  canExpand: boolean
}

/** Row selection and expansion. Paging and sorting are done by the server; cells are rendered by `Column`. */
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
