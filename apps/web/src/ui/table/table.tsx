import type { Sort } from '@lis/contract/kit/list-query.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useForkRef } from '@mui/material/utils'
import { type ReactNode, type Ref, type RefCallback, useCallback, useMemo, useRef } from 'react'
import { useRole } from '../../lib/session.ts'
import { useDeferredMount } from '../use-deferred-mount.ts'
import { type Column, columnsFor, placeColumns } from './column.ts'
import { useDensity } from './density.tsx'
import { useTruncationTooltip } from './ellipsis-tip.tsx'
import { useRowClicks } from './row-clicks.ts'
import type { RowOutcomes } from './row-outcome.ts'
import { outcomeColumn } from './row-outcome-mark.tsx'
import { SkeletonBody, TableBody, type TableBodyProps } from './table-body.tsx'
import { CardBody, CardList, CardSkeletons } from './table-cards.tsx'
import { TableFrame } from './table-frame.tsx'
import { TableHead, type ToggleAll } from './table-head.tsx'
import { type RowSelectionModel, type TableModel, useTableModel } from './table-model.ts'
import { maxPlainRows } from './use-row-virtualizer.ts'

export interface TableProps<Row extends object> {
  /** Accessible name. */
  label: string
  columns: readonly Column<Row>[]
  /** undefined while the first rows are loading. */
  rows: readonly Row[] | undefined
  rowId: (row: Row) => string
  /** Accessible name of a row's checkbox. */
  rowName: (row: Row) => string
  /** Link of a row, in its first cell. Define it outside the component, or all rows re-render each time. */
  rowHref?: ((row: Row) => string | undefined) | undefined
  sort?: Sort | null
  /** `isFurther` with shift: a further key beside those of the order. */
  onSort?: ((field: string, isFurther: boolean) => void) | undefined
  /** The edge of a heading was dragged. */
  onResize?: ((key: string, width: number) => void) | undefined
  /** Makes rows selectable; see `useRowSelection`. */
  selection?: RowSelectionModel | undefined
  /** Outcomes of the last action; see `useRowOutcomes`. */
  outcomes?: RowOutcomes<Row> | undefined
  /** Content under an expanded row. Define it outside the component, like `rowHref`. */
  renderSubTable?: ((row: Row) => ReactNode) | undefined
  /** Shown instead of rows: empty or failed. */
  state?: ReactNode
  /** Rows are shown, and others are loading. */
  isBusy?: boolean
  skeletonRows?: number
  ref?: Ref<HTMLDivElement>
}

/** Columns and rows, with sorting, selection and sub-tables. Under 600 px the rows become cards. */
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
  const Layout = isSmall ? Cards : Grid
  return (
    <Layout
      {...props}
      body={body}
      selectAll={selection && body.rows.length > 0 ? allSelected(table) : undefined}
      expandAll={renderSubTable && allExpanded(table)}
    />
  )
}

interface LayoutProps<Row extends object> extends TableProps<Row> {
  body: TableBodyProps<Row>
  selectAll: ToggleAll | undefined
  expandAll: ToggleAll | undefined
}

const Grid = <Row extends object>(props: LayoutProps<Row>) => {
  const { body, rows, state, label, sort = null, onSort, isBusy = false, skeletonRows = 10, ref } = props
  const { layout, scrollRef } = body
  const density = useDensity()
  const clicks = useRowClicks()
  const { listeners, tip } = useTruncationTooltip()
  const frame = useForkRef(scrollRef, ref, useEdgeShadows())
  // Only the first rows are deferred: visible rows must always be those that selection and bulk actions refer to.
  const hasRows = useDeferredMount(rows !== undefined)
  const isLoading = !hasRows && !state
  const isVirtual = body.rows.length > maxPlainRows
  return (
    <TableFrame
      className={density}
      // A scrollable element must be focusable, even without focusable content.
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
          onResize={props.onResize}
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
}: LayoutProps<Row>) => {
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

const allSelected = <Row extends object>(table: TableModel<Row>): ToggleAll => ({
  isAll: table.getIsAllRowsSelected(),
  // Of the visible rows: the selection may contain others.
  isSome: table.getRowModel().rows.some((row) => row.getIsSelected()),
  toggle: (on) => table.toggleAllRowsSelected(on),
})

const allExpanded = <Row extends object>(table: TableModel<Row>): ToggleAll => {
  const { rows } = table.getRowModel()
  const open = rows.filter((row) => row.getIsExpanded()).length
  return {
    isAll: rows.length > 0 && open === rows.length,
    isSome: open > 0,
    toggle: (on) => table.setExpanded(on ? Object.fromEntries(rows.map(({ id }) => [id, true])) : {}),
  }
}

/** The shadow beside a sticky column shows that something is under it. Set on the element, so that no row re-renders. */
const useEdgeShadows = (): RefCallback<HTMLElement> =>
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
