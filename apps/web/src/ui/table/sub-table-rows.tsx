import type { RefObject } from 'react'
import type { Column } from './column.ts'
import { maxPlainRows, useRowVirtualizer } from './use-row-virtualizer.ts'

interface SubTableRowsProps<Row> {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  rowHref: ((row: Row) => string | undefined) | undefined
  scrollRef: RefObject<HTMLElement | null>
}

export const SubTableRows = <Row,>(props: SubTableRowsProps<Row>) => {
  const { rows, rowId } = props
  if (rows.length > maxPlainRows) return <VirtualRows {...props} />
  return (
    <tbody>
      {rows.map((row) => (
        <SubRow key={rowId(row)} row={row} {...props} />
      ))}
    </tbody>
  )
}

const rowHeight = 26

const VirtualRows = <Row,>(props: SubTableRowsProps<Row>) => {
  const { rows, rowId, scrollRef } = props
  const keyOf = (index: number) => index
  const { items, before, after } = useRowVirtualizer({ count: rows.length, rowHeight, scrollRef, keyOf })
  return (
    <tbody>
      <tr style={{ height: before }} />
      {items.map(({ index }) => {
        const row = rows[index]
        return row && <SubRow key={rowId(row)} row={row} {...props} />
      })}
      <tr style={{ height: after }} />
    </tbody>
  )
}

const SubRow = <Row,>({ row, columns, rowHref }: SubTableRowsProps<Row> & { row: Row }) => {
  const href = rowHref?.(row)
  return (
    <tr data-href={href}>
      {columns.map(({ key, header, align, cell }, index) => (
        <td key={key} className={align === 'right' ? 'num' : undefined} data-label={header}>
          {index === 0 && href !== undefined ? (
            <a className="row-link" href={href}>
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}
