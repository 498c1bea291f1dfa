import { styled } from '@mui/material/styles'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from '../card.tsx'
import { EmptyState } from '../states.tsx'
import { CardScroll } from './card-scroll.tsx'
import { isCancelled } from './read-list.ts'
import { Table, type TableProps } from './table.tsx'
import { LoadFailed } from './table-states.tsx'

const Frame = styled(CardScroll)(({ theme }) => ({
  maxHeight: 560,
  // On phones the page scrolls: nested scrolling is hard to use there.
  [theme.breakpoints.down('sm')]: { maxHeight: 'none' },
}))

interface CardTableProps<Row extends object>
  extends Pick<TableProps<Row>, 'columns' | 'rowId' | 'rowName' | 'rowHref' | 'selection' | 'renderSubTable'> {
  title: string
  actions?: ReactNode
  query: UseQueryResult<{ data: Row[] }>
  /** Why there may be no rows. */
  empty: string
  /** Below the rows: a pager. */
  footer?: ReactNode
}

/** A card with a table of records that belong to another one. */
export const CardTable = <Row extends object>({
  title,
  actions,
  query,
  empty,
  footer,
  ...table
}: CardTableProps<Row>) => {
  const { data, isFetching, refetch } = query
  const error = isCancelled(query.error) ? null : query.error
  return (
    <Card title={title} actions={actions}>
      <Frame>
        <Table
          {...table}
          label={title}
          rows={data?.data}
          isBusy={isFetching}
          skeletonRows={4}
          state={
            error && !data ? (
              <LoadFailed error={error} onRetry={() => refetch()} />
            ) : (
              data?.data.length === 0 && <EmptyState title="Empty Table">{empty}</EmptyState>
            )
          }
        />
        {footer}
      </Frame>
    </Card>
  )
}
