import { parseFilter } from '@lis/contract/kit/list-query.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { type ListRoute, readList } from '../../ui/table/read-list.ts'
import { PartFailure } from './panel.tsx'

const Foot = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  padding: '6px 12px',
  borderTop: '1px solid var(--line)',
  '& > span': { flex: '1 1 auto', color: 'var(--text-3)' },
})

/** As many rows as Home has. */
const perPage = 25

/** A list behind a panel: a queue, or another with the same parts. */
export interface PanelList {
  code: string
  /** null if it is not known. */
  count: number | null
  link: string
  call: string
}

export interface PagedPart<Row> {
  rows: readonly Row[]
  total: number | null
  /** 'Show all', or the pager. */
  foot: ReactNode
  isFocused: boolean
}

interface PagedRowsProps<Row> {
  list: PanelList | undefined
  route: ListRoute<Row>
  /** The rows that Home has. */
  first: readonly Row[]
  children: (part: PagedPart<Row>) => ReactNode
}

/** The rows of a panel: the first ones or, if the address says so (`?show=WANTED&page=2`), a page of the whole list. */
export const PagedRows = <Row,>({ list, route, first, children }: PagedRowsProps<Row>) => {
  const [params] = useSearchParams()
  const isShown = list !== undefined && params.get('show') === list.code
  const wanted = /^[1-9]\d{0,5}$/.test(params.get('page') ?? '') ? Number(params.get('page')) : 1
  const total = list?.count ?? null
  const page = total === null ? wanted : Math.min(wanted, pagesOf(total))
  const query = useQuery({
    ...readList(route, undefined, { page, perPage, sort: null, filters: filtersOf(list) }),
    enabled: isShown,
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
  if (!list || !isShown) {
    const hasMore = list !== undefined && (total === null ? first.length >= perPage : total > first.length)
    const foot = hasMore && <ShowAll list={list} />
    return children({ rows: first, total, foot, isFocused: false })
  }
  const found = query.data?.total ?? total
  const foot = query.isError ? (
    <PartFailure reason={query.error.message} onRetry={() => void query.refetch()} />
  ) : (
    found !== null && <Pager list={list} page={page} total={found} />
  )
  return children({ rows: query.data?.data ?? (page === 1 ? first : []), total: found, foot, isFocused: true })
}

const filtersOf = (list: PanelList | undefined) =>
  parseFilter(new URLSearchParams(list?.call.split('?')[1]).get('filter') ?? '')
const pagesOf = (total: number) => Math.max(1, Math.ceil(total / perPage))

/** The link to the whole list. */
export const ShowAll = ({ list: { count, link } }: { list: PanelList }) => (
  <Foot>
    <Button size="small" component={Link} to={link}>
      {count === null ? 'Show all' : `Show all ${count.toLocaleString('en-US')}`}
    </Button>
  </Foot>
)

const Pager = ({ list: { link }, page, total }: { list: PanelList; page: number; total: number }) => {
  const shown = `${Math.min(total, (page - 1) * perPage + 1)}–${Math.min(total, page * perPage)}`
  const step = (label: string, to: number) => (
    <Button size="small" component={Link} to={`${link}&page=${to}`} disabled={to < 1 || to > pagesOf(total)}>
      {label}
    </Button>
  )
  return (
    <Foot>
      <span role="status">
        {shown} of {total.toLocaleString('en-US')}
      </span>
      {step('Previous page', page - 1)}
      {step('Next page', page + 1)}
      <Button size="small" component={Link} to="/">
        Show less
      </Button>
    </Foot>
  )
}
