import { can, type Permission } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { CSSProperties, ReactNode } from 'react'
import type { Icon } from '../icons.tsx'

/** One column of a table, as data; the way out is `cell`, which is JSX. */
export interface Column<Row> {
  key: string
  header: string
  /** Stands in the head instead of the text, which is then read out only. */
  HeaderIcon?: Icon
  headerTooltip?: string
  /** The field that the server sorts by; without it the column cannot be sorted. */
  sort?: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** What it needs, in pixels. Room to spare is shared in proportion. */
  width?: number
  /** Stays in view when the table is scrolled sideways. */
  isSticky?: boolean | 'right'
  visibleTo?: Permission
  /** Where a phone's card shows it: at the right of the first line, or as the line under it; otherwise among the fields. */
  card?: 'head' | 'title'
}

/** A column with its place in a table. */
export interface PlacedColumn<Row> extends Column<Row> {
  className: string
  /** Sticky columns only: how far from the edge they stop. */
  style: CSSProperties | undefined
  colWidth: string
}

export interface Layout<Row> {
  columns: PlacedColumn<Row>[]
  controlWidth: number
  minWidth: number
}

const defaultWidth = 120
const checkWidth = 40
const controlsWidth = 60
/** A column at the right edge that is no wider holds a sign and no text. */
const iconWidth = 60

export const columnsFor = <Row>(columns: readonly Column<Row>[], role: Role): Column<Row>[] =>
  columns.filter(({ visibleTo }) => visibleTo === undefined || can(role, visibleTo))

/**
 * Works out widths and sticky edges in CSS alone (`cqw` is the width of the scrolling frame), so that nothing is measured and no row
 * is drawn again when the window changes.
 */
export const placeColumns = <Row>(columns: readonly Column<Row>[], controls: 0 | 1 | 2): Layout<Row> => {
  const controlWidth = controls === 2 ? controlsWidth : controls === 1 ? checkWidth : 0
  const widthOf = ({ width = defaultWidth }: Column<Row>) => width
  const isRight = ({ isSticky }: Column<Row>) => isSticky === 'right'
  const sum = (list: readonly Column<Row>[]) => list.reduce((total, column) => total + widthOf(column), 0)
  const fixed = controlWidth + sum(columns.filter(isRight))
  const shared = sum(columns.filter((column) => !isRight(column)))
  const lastSticky = columns.findLastIndex(({ isSticky }) => isSticky === true)
  let left = `${controlWidth}px`
  const placed = columns.map((column, index) => {
    const width = widthOf(column)
    const colWidth = isRight(column) ? `${width}px` : `max(${width}px, (100cqw - ${fixed}px) * ${width / shared})`
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
