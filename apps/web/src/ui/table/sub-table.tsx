import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef } from 'react'
import { useRole } from '../../lib/session.ts'
import { Spinner } from '../spinner.tsx'
import { type Column, columnsFor } from './column.ts'
import { useTruncationTooltip } from './ellipsis-tip.tsx'
import { allRows, isCancelled, type ListRoute, type RouteParams, readList } from './read-list.ts'
import { useRowClicks } from './row-clicks.ts'
import { useNameWithRow } from './row-name-context.ts'
import { SubTableRows } from './sub-table-rows.tsx'
import { LoadFailed } from './table-states.tsx'
import { maxPlainRows } from './use-row-virtualizer.ts'
import { useVisible } from './use-visible.ts'

const Frame = styled('section')({
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  boxShadow: 'var(--shadow-1)',
  overflow: 'hidden',
  '& > header': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 28,
    padding: '0 10px',
    borderBottom: '1px solid var(--line)',
    color: 'var(--text-3)',
    '& h2, & h3': { fontSize: 12, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
  },
  '& table': { width: '100%', borderCollapse: 'collapse' },
  '& th': {
    position: 'sticky',
    top: 0,
    zIndex: 1,
    height: 24,
    padding: '0 10px',
    background: 'var(--surface)',
    boxShadow: 'inset 0 -1px 0 var(--line)',
    textAlign: 'left',
    fontSize: 11,
    fontWeight: 400,
    color: 'var(--text-3)',
    whiteSpace: 'nowrap',
  },
  '& td': {
    height: 26,
    maxWidth: 260,
    padding: '0 10px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  // Cells wrap, except in long tables, which need a fixed row height.
  '& .cards td': { padding: '4px 10px', whiteSpace: 'normal', overflowWrap: 'break-word' },
  '& .num': { textAlign: 'right' },
  // Breaks a line even where wrapping is off.
  '& wbr': { display: 'none' },
  '& tr[data-href]': { cursor: 'pointer' },
  '& tr[data-href]:hover > td': { background: 'var(--n-50)' },
  '& a.row-link': { color: 'var(--link)', textDecoration: 'none', '&:hover': { textDecoration: 'underline' } },
  '& a.row-link:focus-visible': {
    outline: '2px solid var(--focus)',
    outlineOffset: 0,
    boxShadow: 'none',
    borderRadius: 2,
  },
  '& .line': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 36,
    padding: '0 10px',
    color: 'var(--text-3)',
  },
  // On phones rows become cards, as in the list above; long tables are virtualized, which needs a fixed row height.
  '@media (max-width: 599.95px)': {
    '& .cards thead': { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' },
    '& .cards tbody tr': {
      display: 'grid',
      gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
      gap: '6px 12px',
      padding: '8px 10px',
    },
    '& .cards tbody tr + tr': { borderTop: '1px solid var(--line)' },
    '& .cards td': { height: 'auto', maxWidth: 'none', padding: 0, whiteSpace: 'normal', overflowWrap: 'anywhere' },
    '& .cards td::before': {
      content: 'attr(data-label)',
      display: 'block',
      fontSize: 11,
      lineHeight: '14px',
      fontWeight: 400,
      color: 'var(--text-3)',
    },
    '& .cards td:empty::after': { content: '"–"' },
    '& .cards .num': { textAlign: 'left' },
  },
})

const Actions = styled('div')({ marginLeft: 'auto', display: 'flex', gap: 8, padding: '4px 0' })

const Scroll = styled('div')({
  maxHeight: 420,
  overflow: 'auto',
  '&:focus-visible': { outline: '2px solid var(--focus)', outlineOffset: -2, boxShadow: 'none' },
})

export interface SubTableProps<Row extends object> {
  title: string
  /** Beside the title: '3 received'. */
  note?: ((rows: readonly Row[]) => string) | undefined
  columns: readonly Column<Row>[]
  route: ListRoute<Row>
  params?: RouteParams
  rowId: (row: Row) => string
  rowHref?: (row: Row) => string | undefined
  /** All rows by default. */
  query?: ListQuery
  /** Milliseconds until the rows are read again, while there is something to wait for. */
  refreshMs?: (rows: readonly Row[]) => number | false
  /** At the end of the header: actions on all rows. */
  actions?: ReactNode
  /** Below the rows: a pager. */
  footer?: ((total: number) => ReactNode) | undefined
  /** Heading level: 2 on a page and under the rows of a list, 3 within a card. */
  level?: 2 | 3
}

/** A small table with all its rows and no pager: under a row of another one, or as a card of a page. */
export const SubTable = <Row extends object>(props: SubTableProps<Row>) => {
  const { title, note, columns, route, params, level = 3, query = allRows, refreshMs, actions, footer } = props
  const name = useNameWithRow(title)
  const role = useRole()
  const shown = useMemo(() => columnsFor(columns, role), [columns, role])
  const [frame, isVisible] = useVisible<HTMLElement>()
  const { data, error, refetch } = useQuery({
    ...readList(route, params, query),
    enabled: isVisible,
    refetchInterval: ({ state }) => refreshMs?.(state.data?.data ?? []) ?? false,
  })
  const failure = isCancelled(error) ? null : error
  const Title = level === 2 ? 'h2' : 'h3'
  return (
    <Frame ref={frame} aria-label={name}>
      <header>
        <Title>{title}</Title>
        {data && note && <span>{note(data.data)}</span>}
        {actions && <Actions>{actions}</Actions>}
      </header>
      {data ? (
        <>
          <Content {...props} columns={shown} rows={data.data} />
          {footer?.(data.total)}
        </>
      ) : failure ? (
        <LoadFailed error={failure} onRetry={() => refetch()} />
      ) : (
        <div className="line" role="status">
          <Spinner sx={{ width: 12, height: 12, color: 'var(--p)' }} />
          Data loading
        </div>
      )}
    </Frame>
  )
}

const Content = <Row extends object>({
  title,
  columns,
  rows,
  ...props
}: SubTableProps<Row> & { rows: readonly Row[] }) => {
  const scrollRef = useRef<HTMLDivElement>(null)
  const clicks = useRowClicks()
  const { listeners, tip } = useTruncationTooltip()
  if (rows.length === 0) return <div className="line">Empty Table</div>
  return (
    // A scrollable element must be focusable.
    <Scroll ref={scrollRef} tabIndex={0} role="group" aria-label={`${title}, scrolling area`}>
      <table aria-label={title} className={rows.length > maxPlainRows ? undefined : 'cards'} {...clicks} {...listeners}>
        <thead>
          <tr>
            {columns.map(({ key, header, align }) => (
              <th key={key} scope="col" className={align === 'right' ? 'num' : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <SubTableRows columns={columns} rows={rows} rowId={props.rowId} rowHref={props.rowHref} scrollRef={scrollRef} />
      </table>
      {tip}
    </Scroll>
  )
}
