import type { Sort } from '@lis/contract/kit/list-query.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useForkRef } from '@mui/material/utils'
import { type ReactNode, type Ref, type RefCallback, useCallback, useMemo, useRef } from 'react'
import { useRole } from '../../lib/session.ts'
import { useDeferredMount } from '../use-deferred-mount.ts'
import { type Column, columnsFor, placeColumns } from './column.ts'
import { useDensity } from './density.tsx'
import { useEllipsisTip } from './ellipsis-tip.tsx'
import { outcomeColumn } from './outcome-mark.tsx'
import { useRowClicks } from './row-clicks.ts'
import type { RowOutcomes } from './row-outcome.ts'
import { SkeletonBody, TableBody, type TableBodyProps } from './table-body.tsx'
import { CardBody, CardList, CardSkeletons } from './table-cards.tsx'
import { TableFrame } from './table-frame.tsx'
import { type AllOf, TableHead } from './table-head.tsx'
import { type RowTicks, type TableModel, useTableModel } from './table-model.ts'
import { virtualFrom } from './use-row-virtualizer.ts'

export interface TableProps<Row extends object> {
  /** What readers call it. */
  label: string
  columns: readonly Column<Row>[]
  /** undefined while the first ones are on their way. */
  rows: readonly Row[] | undefined
  rowId: (row: Row) => string
  /** Names a row where it must be told from others: the text of its tick box. */
  rowName: (row: Row) => string
  /** Where a row leads; its first cell is the link. Keep it outside the component, or the rows are drawn anew each time. */
  rowHref?: ((row: Row) => string | undefined) | undefined
  sort?: Sort | null
  onSort?: ((field: string) => void) | undefined
  /** Rows can be ticked; see `useRowSelection`. */
  selection?: RowTicks | undefined
  /** What became of rows with which something was done; see `useRowOutcomes`. */
  outcomes?: RowOutcomes<Row> | undefined
  /** Rows can be opened, and this is under them. Keep it outside the component, as `rowHref`. */
  renderSubTable?: ((row: Row) => ReactNode) | undefined
  /** Instead of rows: nothing there, or nothing to be had. */
  state?: ReactNode
  /** Rows are shown, and others are on their way. */
  isBusy?: boolean
  skeletonRows?: number
  ref?: Ref<HTMLDivElement>
}

/** Columns and rows, with sort, ticks and what opens under a row. Under 600 px the rows become cards. */
export const Table = <Row extends object>(props: TableProps<Row>) => {
  const { rows, rowId, selection, outcomes, renderSubTable, rowHref, rowName } = props
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const role = useRole()
  const { columns } = props
  const controls = renderSubTable ? 2 : selection ? 1 : 0
  const layout = useMemo(() => {
    const shown = columnsFor(columns, role)
    // A card has its own place for it.
    return placeColumns(outcomes && !isSmall ? [...shown, outcomeColumn(outcomes)] : shown, controls)
  }, [columns, role, controls, outcomes, isSmall])
  const isGone = outcomes?.isGone
  const table = useTableModel({ rows, rowId, selection, isGone, canExpand: renderSubTable !== undefined })
  const scrollRef = useRef<HTMLDivElement>(null)
  const body: TableBodyProps<Row> = {
    rows: table.getRowModel().rows,
    layout,
    rowName,
    rowHref,
    isSelectable: selection !== undefined,
    outcomes,
    renderSubTable,
    scrollRef,
  }
  const Drawn = isSmall ? Cards : Grid
  return (
    <Drawn
      {...props}
      body={body}
      selectAll={selection && body.rows.length > 0 ? allSelected(table) : undefined}
      expandAll={renderSubTable && allExpanded(table)}
    />
  )
}

interface DrawnProps<Row extends object> extends TableProps<Row> {
  body: TableBodyProps<Row>
  selectAll: AllOf | undefined
  expandAll: AllOf | undefined
}

const Grid = <Row extends object>(props: DrawnProps<Row>) => {
  const { body, rows, state, label, sort = null, onSort, isBusy = false, skeletonRows = 10, ref } = props
  const { layout, scrollRef } = body
  const density = useDensity()
  const clicks = useRowClicks()
  const { listeners, tip } = useEllipsisTip()
  const frame = useForkRef(scrollRef, ref, useEdges())
  // Only the first ones in slices: what is seen is always what ticks and bulk actions mean.
  const hasRows = useDeferredMount(rows !== undefined)
  const isLoading = !hasRows && !state
  const isVirtual = body.rows.length > virtualFrom
  return (
    <TableFrame
      className={density}
      // What can be scrolled must be reachable with the keyboard, even where nothing in it can be focused.
      tabIndex={0}
      role="group"
      aria-label={`${label}, scrolling area`}
      ref={frame}
    >
      <table
        aria-label={label}
        aria-busy={isBusy || isLoading}
        aria-rowcount={isVirtual ? body.rows.length + 1 : undefined}
        style={{ width: `max(100cqw, ${layout.minWidth}px)` }}
        {...clicks}
        {...listeners}
      >
        <colgroup>
          {layout.controlWidth > 0 && <col style={{ width: layout.controlWidth }} />}
          {layout.columns.map(({ key, colWidth }) => (
            <col key={key} style={{ width: colWidth }} />
          ))}
        </colgroup>
        <TableHead
          layout={layout}
          sort={sort}
          onSort={onSort}
          selection={props.selectAll}
          expansion={props.expandAll}
        />
        {isLoading ? <SkeletonBody layout={layout} count={skeletonRows} /> : !state && <TableBody {...body} />}
      </table>
      {state && <div className="fill">{state}</div>}
      {tip}
    </TableFrame>
  )
}

const Cards = <Row extends object>({
  body,
  rows,
  state,
  label,
  isBusy = false,
  skeletonRows = 10,
  ref,
}: DrawnProps<Row>) => {
  const clicks = useRowClicks()
  const hasRows = useDeferredMount(rows !== undefined)
  if (state) {
    return (
      <div ref={ref} style={{ flex: '1 1 auto', display: 'flex', background: 'var(--bg)' }}>
        {state}
      </div>
    )
  }
  return (
    <div ref={ref} style={{ flex: '1 1 auto', minHeight: 0, display: 'flex' }}>
      <CardList aria-label={label} aria-busy={isBusy || !hasRows} {...clicks}>
        {hasRows ? <CardBody {...body} /> : <CardSkeletons count={Math.min(skeletonRows, 5)} />}
      </CardList>
    </div>
  )
}

const allSelected = <Row extends object>(table: TableModel<Row>): AllOf => ({
  isAll: table.getIsAllRowsSelected(),
  // Of the rows in view: a choice may hold others as well.
  isSome: table.getRowModel().rows.some((row) => row.getIsSelected()),
  toggle: (on) => table.toggleAllRowsSelected(on),
})

const allExpanded = <Row extends object>(table: TableModel<Row>): AllOf => {
  const { rows } = table.getRowModel()
  const open = rows.filter((row) => row.getIsExpanded()).length
  return {
    isAll: rows.length > 0 && open === rows.length,
    isSome: open > 0,
    toggle: (on) => table.setExpanded(on ? Object.fromEntries(rows.map(({ id }) => [id, true])) : {}),
  }
}

/** The shadow beside a sticky column says that something lies under it. Set on the element: no row needs to know. */
const useEdges = (): RefCallback<HTMLElement> =>
  useCallback((frame) => {
    if (!frame) return
    const mark = () => markEdges(frame)
    const observer = new ResizeObserver(mark)
    observer.observe(frame)
    frame.addEventListener('scroll', mark, { passive: true })
    return () => {
      observer.disconnect()
      frame.removeEventListener('scroll', mark)
    }
  }, [])

const markEdges = (frame: HTMLElement) => {
  frame.classList.toggle('scrolled', frame.scrollLeft > 0)
  frame.classList.toggle('more', frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1)
}
