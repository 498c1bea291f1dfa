import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { Layout } from './column.ts'
import { useDensity } from './density.tsx'
import type { RowOutcomes } from './row-outcome.ts'
import type { ModelRow } from './table-model.ts'
import { TableRow } from './table-row.tsx'
import { maxPlainRows, useRowVirtualizer } from './use-row-virtualizer.ts'

export interface TableBodyProps<Row extends object> {
  rows: ModelRow<Row>[]
  layout: Layout<Row>
  rowName: (row: Row) => string
  rowHref: ((row: Row) => string | undefined) | undefined
  isSelectable: boolean
  outcomes: RowOutcomes<Row> | undefined
  renderSubTable: ((row: Row) => ReactNode) | undefined
  scrollRef: RefObject<HTMLElement | null>
}

export const TableBody = <Row extends object>(props: TableBodyProps<Row>) => {
  if (props.rows.length > maxPlainRows) return <VirtualBody {...props} />
  return (
    <tbody>
      {props.rows.map((row) => (
        <TableRow key={row.id} {...rowProps(row, props)} />
      ))}
    </tbody>
  )
}

const rowProps = <Row extends object>(row: ModelRow<Row>, props: TableBodyProps<Row>) => ({
  row,
  layout: props.layout,
  name: props.rowName(row.original),
  href: props.rowHref?.(row.original),
  isSelectable: props.isSelectable && row.getCanSelect(),
  isGone: props.outcomes?.isGone(row.original) ?? false,
  isSelected: row.getIsSelected(),
  isOpen: row.getIsExpanded(),
  renderSubTable: props.renderSubTable,
})

/** One body per row, so that a row and its sub-table are measured together. */
const VirtualBody = <Row extends object>(props: TableBodyProps<Row>) => {
  const { rows, scrollRef, layout } = props
  const rowHeight = useDensity() === 'compact' ? 32 : 40
  const keyOf = (index: number) => rows[index]?.id ?? index
  const { items, before, after, measure } = useRowVirtualizer({ count: rows.length, rowHeight, scrollRef, keyOf })
  const span = layout.columns.length + 1
  return (
    <>
      <Spacer height={before} span={span} />
      {items.map(({ index, key }) => {
        const row = rows[index]
        return (
          row && (
            <tbody key={key} data-index={index} ref={measure}>
              <TableRow {...rowProps(row, props)} ariaRowIndex={index + 2} />
            </tbody>
          )
        )
      })}
      <Spacer height={after} span={span} />
    </>
  )
}

const Spacer = ({ height, span }: { height: number; span: number }) =>
  height > 0 && (
    <tbody aria-hidden="true">
      <tr>
        <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
      </tr>
    </tbody>
  )

interface SkeletonProps<Row> {
  layout: Layout<Row>
  count: number
}

// Varied widths that look like text.
const shares = [62, 74, 51, 68, 83, 57]

/** Placeholder rows while loading, in the column widths. Shown after a delay, so that a fast answer does not flash. */
export const SkeletonBody = <Row,>({ layout, count }: SkeletonProps<Row>) => {
  const isLate = useIsLate(80)
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <tr key={row} style={{ opacity: Math.max(0.25, 1 - row * 0.06) }}>
          {layout.controlWidth > 0 && <td className="ctl" />}
          {layout.columns.map(({ key, className, style, isSticky }, index) => (
            <td key={key} className={className || undefined} style={style}>
              {isLate && isSticky !== 'right' && (
                <span
                  className="sk"
                  style={{
                    width: `${shares[(row * 2 + index) % shares.length]}%`,
                    marginLeft: className.includes('num') ? 'auto' : 0,
                  }}
                />
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

const useIsLate = (ms: number) => {
  const [isLate, setLate] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    timer.current = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer.current)
  }, [ms])
  return isLate
}
