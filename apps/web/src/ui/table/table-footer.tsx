import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import type { ReactNode } from 'react'
import { ActionButton } from '../action-button.tsx'
import { ChevronDownIcon, CloseIcon, type Icon } from '../icons.tsx'
import { Spinner } from '../spinner.tsx'
import { type BulkAction, BulkButtons } from './bulk-buttons.tsx'
import { CheckboxPicture } from './check.tsx'
import type { SettleRows } from './row-outcome.ts'
import { ChevronLeftIcon, ChevronRightIcon } from './table-icons.tsx'

const Bar = styled('footer')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  height: 44,
  padding: '0 16px',
  borderTop: '1px solid var(--line-strong)',
  background: 'var(--surface)',
  whiteSpace: 'nowrap',
  '&.bulk': { background: 'var(--selected)', borderTopColor: 'var(--p-200)' },
  '& .count': { display: 'flex', alignItems: 'center', gap: 6, marginRight: 4, fontWeight: 600, color: 'var(--p)' },
  '& .count small': { fontSize: 11, fontWeight: 400, color: 'var(--text-2)' },
  '& .loading': { display: 'flex', alignItems: 'center', gap: 8, color: 'var(--text-3)' },
  '& .grow': { flex: '1 1 auto' },
  '& > *': { flex: 'none' },
  '& .range': { margin: '0 4px 0 8px' },
  // Hidden to make room for the other pages' selection.
  [theme.breakpoints.down('lg')]: { '&.crowded .size': { display: 'none' } },
  [theme.breakpoints.down('sm')]: {
    height: 64,
    padding: '0 12px',
    '& .count': { fontSize: 13, '& > span': { display: 'none' } },
    '& .range': { fontSize: 13 },
    '& .size > span': { display: 'none' },
  },
}))
const Size = styled('label')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  color: 'var(--text-3)',
  '& > div': { position: 'relative', color: 'var(--text-3)' },
  '& svg': { position: 'absolute', right: 6, top: 'calc(50% - 7px)', pointerEvents: 'none' },
  '& select': {
    appearance: 'none',
    width: 56,
    height: 24,
    padding: '0 22px 0 8px',
    border: '1px solid var(--field-line)',
    borderRadius: 'var(--r-sm)',
    background: 'var(--surface)',
    color: 'var(--text)',
    font: 'inherit',
    '&:hover': { borderColor: 'var(--n-600)' },
    '@media (max-width: 599.95px)': { height: 44, width: 64, fontSize: 16 },
  },
})

interface Paging {
  page: number
  perPage: number
  perPageOptions: readonly number[]
  /** undefined until the first answer. */
  total: number | undefined
  onPage: (page: number) => void
  onPerPage: (perPage: number) => void
  /** The pointer is over a link to this page: it can be prefetched. */
  onPrefetch?: (page: number) => void
}

interface TableFooterProps<Row> {
  paging: Paging
  isLoading?: boolean
  selected?: Row[]
  /** How many of them are on other pages. */
  elsewhere?: number
  /** Selects the rows of the other pages too. */
  selectAll?: { label: string; isBusy: boolean; run: () => void } | undefined
  onClearSelection?: () => void
  onSettle?: SettleRows<Row>
  bulkActions?: readonly BulkAction<Row>[]
  /** Actions that need no selection: 'Export All'. */
  children?: ReactNode
}

/** The footer of a table: row count and pager. While rows are selected, the bulk actions replace it, so that nothing moves. */
export const TableFooter = <Row,>(props: TableFooterProps<Row>) => {
  const {
    paging,
    isLoading = false,
    selected = [],
    elsewhere = 0,
    selectAll,
    onClearSelection,
    onSettle = ignore,
    bulkActions = [],
    children,
  } = props
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const isBulk = selected.length > 0
  return (
    <Bar
      className={isBulk ? (selectAll || elsewhere > 0 ? 'bulk crowded' : 'bulk') : undefined}
      aria-label={isBulk ? 'Selected rows' : 'Pages'}
    >
      {isBulk && (
        <>
          <span className="count" role="status">
            <CheckboxPicture className="on" aria-hidden="true" />
            {selected.length.toLocaleString('en-US')} selected
            {elsewhere > 0 && !isSmall && <small>{elsewhere.toLocaleString('en-US')} on other pages</small>}
          </span>
          {selectAll && !isSmall && (
            <ActionButton variant="text" isBusy={selectAll.isBusy} onClick={selectAll.run}>
              {selectAll.label}
            </ActionButton>
          )}
          {isSmall && <span className="grow" />}
          <BulkButtons actions={bulkActions} rows={selected} onSettle={onSettle} isSmall={isSmall} />
        </>
      )}
      {(!isBulk || !isSmall) && children}
      {isBulk && !isSmall && (
        <Button variant="text" onClick={onClearSelection}>
          Clear selection
        </Button>
      )}
      {isBulk && isSmall && (
        <IconButton aria-label="Clear selection" onClick={onClearSelection}>
          <CloseIcon />
        </IconButton>
      )}
      {isLoading && !(isBulk && isSmall) && (
        <span className="loading" role="status">
          <Spinner sx={{ width: 12, height: 12, color: 'var(--p)' }} />
          Data loading
        </span>
      )}
      {!(isBulk && isSmall) && <Pager {...paging} />}
    </Bar>
  )
}

const ignore = () => undefined

const Pager = ({ page, perPage, perPageOptions, total, onPage, onPerPage, onPrefetch }: Paging) => {
  const last = Math.max(1, Math.ceil((total ?? 0) / perPage))
  const step = (label: string, to: number, Glyph: Icon) => {
    const isOver = total === undefined || to < 1 || to > last
    const aim = () => !isOver && onPrefetch?.(to)
    return (
      <IconButton
        aria-label={label}
        // Not `disabled`: a user who reaches the last page by this button keeps the focus.
        aria-disabled={isOver}
        sx={
          isOver
            ? {
                color: 'var(--text-off)',
                cursor: 'default',
                '&:hover': { background: 'none', color: 'var(--text-off)' },
              }
            : {}
        }
        onMouseEnter={aim}
        onFocus={aim}
        onClick={() => !isOver && onPage(to)}
      >
        <Glyph />
      </IconButton>
    )
  }
  return (
    <>
      <span className="grow" />
      <Size className="size">
        <span>Rows per page</span>
        <div>
          <select
            aria-label="Rows per page"
            value={perPage}
            onChange={(event) => onPerPage(Number(event.target.value))}
          >
            {perPageOptions.map((size) => (
              <option key={size}>{size}</option>
            ))}
          </select>
          <ChevronDownIcon size={14} />
        </div>
      </Size>
      <span className="range" role="status">
        {total === undefined ? '' : rangeText(page, perPage, total)}
      </span>
      {step('Previous page', page - 1, ChevronLeftIcon)}
      {step('Next page', page + 1, ChevronRightIcon)}
    </>
  )
}

const number = new Intl.NumberFormat('en-US')

/** '1–25 of 10,412'. */
const rangeText = (page: number, perPage: number, total: number): string => {
  if (total === 0) return '0 of 0'
  const first = (page - 1) * perPage + 1
  return `${number.format(first)}–${number.format(Math.min(total, page * perPage))} of ${number.format(total)}`
}
