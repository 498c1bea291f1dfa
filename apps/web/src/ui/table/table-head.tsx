import type { Sort } from '@lis/contract/kit/list-query.ts'
import Tooltip from '@mui/material/Tooltip'
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
  onSort: ((field: string) => void) | undefined
  /** Undefined if rows cannot be selected, or expanded. */
  selection: ToggleAll | undefined
  expansion: ToggleAll | undefined
}

const ariaSort = { ASC: 'ascending', DESC: 'descending' } as const

export const TableHead = <Row,>({ layout, sort, onSort, selection, expansion }: TableHeadProps<Row>) => (
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
          aria-sort={
            column.sort === undefined ? undefined : sort?.field === column.sort ? ariaSort[sort.order] : 'none'
          }
        >
          <HeadCell column={column} sort={sort} onSort={onSort} />
        </th>
      ))}
    </tr>
  </thead>
)

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
  const isSorted = field !== undefined && sort?.field === field
  const Arrow = isSorted && sort.order === 'ASC' ? ChevronUpIcon : ChevronDownIcon
  const content =
    field === undefined || onSort === undefined ? (
      headerTooltip === undefined ? (
        text
      ) : (
        <span>{text}</span>
      )
    ) : (
      <button type="button" className="sort" onClick={() => onSort(field)}>
        {text}
        <Arrow size={12} className={isSorted ? undefined : 'off'} />
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
