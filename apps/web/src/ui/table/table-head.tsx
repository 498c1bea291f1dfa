import { type Sort, sortKeys } from '@lis/contract/kit/list-query.ts'
import Tooltip from '@mui/material/Tooltip'
import type { MouseEvent, PointerEvent } from 'react'
import { ChevronDownIcon } from '../icons.tsx'
import { RowCheckbox } from './check.tsx'
import type { Layout, PlacedColumn } from './column.ts'
import { VisuallyHidden } from './table-frame.tsx'
import { ChevronUpIcon, CollapseAllIcon, ExpandAllIcon } from './table-icons.tsx'

export interface ToggleAll {
  isAll: boolean
  isSome: boolean
  toggle: (on: boolean) => void
}

export interface TableHeadProps<Row> {
  layout: Layout<Row>
  sort: Sort | null
  onSort: ((field: string, isFurther: boolean) => void) | undefined
  onResize: ((key: string, width: number) => void) | undefined
  /** Undefined if rows cannot be selected, or expanded. */
  selection: ToggleAll | undefined
  expansion: ToggleAll | undefined
}

const ariaSort = { ASC: 'ascending', DESC: 'descending' } as const

export const TableHead = <Row,>({ layout, sort, onSort, onResize, selection, expansion }: TableHeadProps<Row>) => (
  <thead>
    <tr>
      {layout.controlWidth > 0 && (
        <th className="ctl" scope="col">
          <div>
            {selection && (
              <RowCheckbox
                aria-label="Select all rows of this page"
                checked={selection.isAll}
                isMixed={selection.isSome && !selection.isAll}
                onChange={(event) => selection.toggle(event.target.checked)}
              />
            )}
            {expansion && <ExpandAll {...expansion} />}
            {!selection && !expansion && <VisuallyHidden>Actions</VisuallyHidden>}
          </div>
        </th>
      )}
      {layout.columns.map((column) => (
        <th
          key={column.key}
          scope="col"
          className={column.className}
          style={column.style}
          aria-sort={sortOfColumn(column, sort)}
        >
          <HeadCell column={column} sort={sort} onSort={onSort} />
          {onResize && column.isSticky !== 'right' && (
            <span
              className="edge"
              aria-hidden="true"
              onPointerDown={(event) => dragEdge(event, (width) => onResize(column.key, width))}
            />
          )}
        </th>
      ))}
    </tr>
  </thead>
)

const sortOfColumn = <Row,>({ sort: field }: PlacedColumn<Row>, sort: Sort | null) => {
  if (field === undefined) return undefined
  const key = sortKeys(sort).find((one) => one.field === field)
  return key ? ariaSort[key.order] : 'none'
}

const [narrowest, widest] = [40, 800]

/** Widens the column on screen while its edge is dragged, without rendering a row; the result is reported at the end. */
const dragEdge = (event: PointerEvent<HTMLElement>, onEnd: (width: number) => void) => {
  const edge = event.currentTarget
  const heading = edge.closest('th')
  const table = edge.closest('table')
  const column = heading && table?.querySelectorAll<HTMLElement>(':scope > colgroup > col')[heading.cellIndex]
  if (!heading || !table || !column || event.button !== 0) return
  event.preventDefault()
  edge.setPointerCapture(event.pointerId)
  const before = { x: event.clientX, width: heading.offsetWidth, table: table.offsetWidth }
  let width = before.width
  const follow = ({ clientX }: globalThis.PointerEvent) => {
    width = Math.round(Math.min(widest, Math.max(narrowest, before.width + clientX - before.x)))
    column.style.width = `${width}px`
    table.style.width = `${before.table + width - before.width}px`
  }
  const stop = () => {
    edge.removeEventListener('pointermove', follow)
    edge.removeEventListener('pointerup', stop)
    edge.removeEventListener('pointercancel', stop)
    if (width !== before.width) onEnd(width)
  }
  edge.addEventListener('pointermove', follow)
  edge.addEventListener('pointerup', stop)
  edge.addEventListener('pointercancel', stop)
}

const HeadCell = <Row,>({
  column: { header, HeaderIcon, headerTooltip, sort: field },
  sort,
  onSort,
}: Pick<TableHeadProps<Row>, 'sort' | 'onSort'> & { column: PlacedColumn<Row> }) => {
  const text = HeaderIcon ? (
    <span style={{ display: 'block', width: 14, color: 'var(--text-3)' }}>
      <HeaderIcon size={14} />
      <VisuallyHidden>{header}</VisuallyHidden>
    </span>
  ) : (
    header
  )
  const keys = sortKeys(sort)
  const place = field === undefined ? -1 : keys.findIndex((key) => key.field === field)
  const isSorted = place >= 0
  const Arrow = isSorted && keys[place]?.order === 'ASC' ? ChevronUpIcon : ChevronDownIcon
  const content =
    field === undefined || onSort === undefined ? (
      headerTooltip === undefined ? (
        text
      ) : (
        <span>{text}</span>
      )
    ) : (
      <button
        type="button"
        className="sort"
        // Shift would also select the text between two headings.
        onMouseDown={(event: MouseEvent) => event.shiftKey && event.preventDefault()}
        onClick={(event: MouseEvent) => onSort(field, event.shiftKey)}
      >
        <span>
          {text}
          <Arrow size={12} className={isSorted ? undefined : 'off'} />
          {isSorted && keys.length > 1 && <span className="place">{place + 1}</span>}
        </span>
      </button>
    )
  if (headerTooltip === undefined && !HeaderIcon) return content
  return (
    <Tooltip title={headerTooltip ?? header}>{typeof content === 'string' ? <span>{content}</span> : content}</Tooltip>
  )
}

const ExpandAll = ({ isAll, toggle }: ToggleAll) => {
  const label = isAll ? 'Collapse all' : 'Expand all'
  return (
    <Tooltip title={label}>
      <button type="button" className="plain" aria-label={label} onClick={() => toggle(!isAll)}>
        {isAll ? <CollapseAllIcon size={14} /> : <ExpandAllIcon size={14} />}
      </button>
    </Tooltip>
  )
}
