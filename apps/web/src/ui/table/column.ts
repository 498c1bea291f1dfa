import { can, type Permission } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { CSSProperties, ReactNode } from 'react'
import type { Icon } from '../icons.tsx'

/** A table column as data; `cell` renders its content. */
export interface Column<Row> {
  key: string
  header: string
  /** Replaces the text in the header, which is then only read by screen readers. */
  HeaderIcon?: Icon
  headerTooltip?: string
  /** The field that the server sorts by; without it the column is not sortable. */
  sort?: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** Minimum width in pixels. Extra space is shared in proportion. */
  width?: number
  /** Chosen by the user: it gets no share of the extra space. */
  isExactWidth?: boolean
  /** Stays visible when the table is scrolled horizontally. */
  isSticky?: boolean | 'right'
  visibleTo?: Permission
  /** Position on a phone's card: at the right of the first line, or as the line below it; otherwise among the fields. */
  card?: 'head' | 'title'
}

/** A column with its position in a table. */
export interface PlacedColumn<Row> extends Column<Row> {
  className: string
  /** Sticky columns only: their offset. */
  style: CSSProperties | undefined
  colWidth: string
}

export interface Layout<Row> {
  columns: PlacedColumn<Row>[]
  controlWidth: number
  minWidth: number
}

/** Of a column without a width. */
export const defaultWidth = 120
const checkWidth = 40
const controlsWidth = 60
/** A column at the right edge up to this width contains an icon. */
const iconWidth = 60

export const columnsFor = <Row>(columns: readonly Column<Row>[], role: Role): Column<Row>[] =>
  columns.filter(({ visibleTo }) => visibleTo === undefined || can(role, visibleTo))

/**
 * Computes widths and sticky offsets in CSS alone (`cqw` is the width of the scrolling frame), so that nothing is measured and no row is
 * re-rendered when the window is resized.
 */
export const placeColumns = <Row>(columns: readonly Column<Row>[], controls: 0 | 1 | 2): Layout<Row> => {
  const controlWidth = controls === 2 ? controlsWidth : controls === 1 ? checkWidth : 0
  const widthOf = ({ width = defaultWidth }: Column<Row>) => width
  const isRight = ({ isSticky }: Column<Row>) => isSticky === 'right'
  const sum = (list: readonly Column<Row>[]) => list.reduce((total, column) => total + widthOf(column), 0)
  const isExact = (column: Column<Row>) => isRight(column) || column.isExactWidth === true
  const fixed = controlWidth + sum(columns.filter(isExact))
  const shared = sum(columns.filter((column) => !isExact(column)))
  const lastSticky = columns.findLastIndex(({ isSticky }) => isSticky === true)
  let left = `${controlWidth}px`
  const placed = columns.map((column, index) => {
    const width = widthOf(column)
    const colWidth = isExact(column) ? `${width}px` : `max(${width}px, (100cqw - ${fixed}px) * ${width / shared})`
    const isLeft = column.isSticky === true
    const className = [
      column.align === 'right' && 'num',
      isLeft && 'st',
      isLeft && index === lastSticky && 'last',
      isRight(column) && 'pr',
      isRight(column) && width > iconWidth && 'text',
    ]
      .filter(Boolean)
      .join(' ')
    const style = isLeft
      ? { left: `calc(${left})` }
      : isRight(column)
        ? { right: sum(columns.slice(index + 1)) }
        : undefined
    if (isLeft) left += ` + ${colWidth}`
    return { ...column, className, style, colWidth }
  })
  return { columns: placed, controlWidth, minWidth: fixed + shared }
}
