import { memo, type ReactNode } from 'react'
import { RowCheckbox } from './check.tsx'
import type { Layout } from './column.ts'
import { RowNameContext } from './row-name-context.ts'
import { ChevronRightIcon } from './table-icons.tsx'
import type { ModelRow } from './table-model.ts'

export interface TableRowProps<Row extends object> {
  row: ModelRow<Row>
  layout: Layout<Row>
  /** Accessible name of checkbox and chevron: 'Doe, Jane'. */
  name: string
  href: string | undefined
  isSelectable: boolean
  /** No longer in this list. */
  isGone: boolean
  isSelected: boolean
  isOpen: boolean
  renderSubTable: ((row: Row) => ReactNode) | undefined
  /** Row number for screen readers, where not every row is in the document. */
  ariaRowIndex?: number | undefined
}

const Row = <Row extends object>(props: TableRowProps<Row>) => {
  const { row, layout, name, href, isSelectable, isGone, isSelected, isOpen, renderSubTable, ariaRowIndex } = props
  const className = `row${isSelected ? ' sel' : ''}${isOpen ? ' open' : ''}${isGone ? ' gone' : ''}`
  return (
    <>
      <tr className={className} data-href={href} aria-rowindex={ariaRowIndex}>
        {layout.controlWidth > 0 && (
          <td className="ctl">
            <div>
              {isSelectable && (
                <RowCheckbox
                  aria-label={`Select ${name}`}
                  checked={isSelected}
                  onChange={row.getToggleSelectedHandler()}
                />
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
              // Not a router link: a hundred of them would re-render on each change of the address. The table handles the click.
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
              <RowNameContext value={name}>{renderSubTable(row.original)}</RowNameContext>
            </div>
          </td>
        </tr>
      )}
    </>
  )
}

/** Memoized: selecting a row must not re-render its neighbours. */
export const TableRow = memo(Row) as typeof Row
