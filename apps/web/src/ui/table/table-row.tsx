import { memo, type ReactNode } from 'react'
import { Check } from './check.tsx'
import type { Layout } from './column.ts'
import { ChevronRightIcon } from './table-icons.tsx'
import type { ModelRow } from './table-model.ts'
import { UnderRow } from './under-row.ts'

export interface TableRowProps<Row extends object> {
  row: ModelRow<Row>
  layout: Layout<Row>
  /** What tick box and chevron are called: 'Doe, Jane'. */
  name: string
  href: string | undefined
  isSelectable: boolean
  /** In this list no more. */
  isGone: boolean
  isSelected: boolean
  isOpen: boolean
  renderSubTable: ((row: Row) => ReactNode) | undefined
  /** Where not every row is in the document, readers are told its number. */
  ariaRowIndex?: number | undefined
}

const DrawnRow = <Row extends object>(props: TableRowProps<Row>) => {
  const { row, layout, name, href, isSelectable, isGone, isSelected, isOpen, renderSubTable, ariaRowIndex } = props
  const className = `row${isSelected ? ' sel' : ''}${isOpen ? ' open' : ''}${isGone ? ' gone' : ''}`
  return (
    <>
      <tr className={className} data-href={href} aria-rowindex={ariaRowIndex}>
        {layout.controlWidth > 0 && (
          <td className="ctl">
            <div>
              {isSelectable && (
                <Check aria-label={`Select ${name}`} checked={isSelected} onChange={row.getToggleSelectedHandler()} />
              )}
              {isGone && <span className="check" />}
              {renderSubTable && (
                <button
                  type="button"
                  className="plain"
                  aria-expanded={isOpen}
                  aria-label={`${isOpen ? 'Collapse' : 'Expand'} ${name}`}
                  onClick={() => row.toggleExpanded()}
                >
                  <ChevronRightIcon size={14} />
                </button>
              )}
            </div>
          </td>
        )}
        {layout.columns.map(({ key, className: cellClass, style, cell }, index) => (
          <td key={key} className={cellClass || undefined} style={style}>
            {index === 0 && href !== undefined ? (
              // Not a router link: a hundred of them would all be drawn again at each change of the address. The table sees the click.
              <a className="row-link" href={href}>
                {cell(row.original)}
              </a>
            ) : (
              cell(row.original)
            )}
          </td>
        ))}
      </tr>
      {isOpen && renderSubTable && (
        <tr className="subrow">
          <td colSpan={layout.columns.length + (layout.controlWidth > 0 ? 1 : 0)}>
            <div className="sub">
              <UnderRow value={name}>{renderSubTable(row.original)}</UnderRow>
            </div>
          </td>
        </tr>
      )}
    </>
  )
}

/** A row is drawn again only when it has changed, not when its neighbour is ticked. */
export const TableRow = memo(DrawnRow) as typeof DrawnRow
