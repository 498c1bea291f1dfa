import type { Sort } from '@lis/contract/kit/list-query.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useRole } from '../../lib/session.ts'
import { Card } from '../card.tsx'
import { EmptyState } from '../states.tsx'
import type { Column } from '../table/column.ts'
import { isCancelled, type ListRoute, type RouteParams, readList, wholeList } from '../table/read-list.ts'
import { Table } from '../table/table.tsx'
import { TrashIcon } from '../table/table-icons.tsx'
import { useRowSelection } from '../table/table-model.ts'
import { LoadFailed } from '../table/table-states.tsx'
import { mayCall } from './may-call.ts'
import { useBulkDelete } from './use-bulk-delete.tsx'

// Inside the card, edge to edge; long lists scroll here and not the page.
const Frame = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  margin: -12,
  minHeight: 69,
  maxHeight: 560,
  '& > *': { borderTop: 0, borderRadius: '0 0 var(--r-md) var(--r-md)' },
})

interface TableCardProps<Row extends { id: number }> {
  title: string
  /** One row in the texts: 'event'. */
  itemName: string
  route: ListRoute<Row>
  params: RouteParams
  columns: readonly Column<Row>[]
  /** Keep these three outside the component, as in `Table`. */
  rowName: (row: Row) => string
  rowHref?: ((row: Row) => string | undefined) | undefined
  renderSubTable?: (row: Row) => ReactNode
  sort?: Sort
  /** Rows can be ticked and deleted by those who may call it. */
  removeRoute?: Route
  /** What else a deletion makes old: everything under this path. */
  resource: string
  /** In the head of the card: 'Add'. */
  actions?: ReactNode
  /** Why there is nothing, and what to do about it. */
  emptyText: string
}

const idOf = ({ id }: { id: number }) => String(id)

/** What belongs to a record, all of it, as a card of its page: with ticks and 'Delete' where the reader may. */
export const TableCard = <Row extends { id: number }>(props: TableCardProps<Row>) => {
  const { title, route, params, sort = null, removeRoute, rowName } = props
  const role = useRole()
  const list = useQuery(readList(route, params, { ...wholeList, sort }))
  const rows = list.data?.data
  const error = isCancelled(list.error) ? null : list.error
  const selection = useRowSelection(rows, idOf)
  const mayRemove = removeRoute !== undefined && mayCall(role, removeRoute)
  const remove = useBulkDelete({
    route: mayRemove ? removeRoute : undefined,
    params,
    listPath: props.resource,
    itemName: props.itemName,
    rowId: idOf,
    rowName,
    onDeleted: selection.clear,
  })
  return (
    <Card
      title={title}
      actions={
        <>
          {selection.rows.length > 0 && (
            <Button color="error" startIcon={<TrashIcon />} onClick={() => remove.action?.run(selection.rows)}>
              Delete {selection.rows.length} selected
            </Button>
          )}
          {props.actions}
        </>
      }
    >
      <Frame>
        <Table
          label={title}
          columns={props.columns}
          rows={rows}
          rowId={idOf}
          rowName={rowName}
          rowHref={props.rowHref}
          renderSubTable={props.renderSubTable}
          selection={mayRemove ? selection : undefined}
          isBusy={list.isFetching}
          skeletonRows={4}
          state={stateOf(props, rows, error, () => list.refetch())}
        />
      </Frame>
      {remove.dialog}
    </Card>
  )
}

const stateOf = (
  { emptyText }: { emptyText: string },
  rows: readonly unknown[] | undefined,
  error: Error | null,
  retry: () => void,
) => {
  if (error && !rows) return <LoadFailed error={error} onRetry={retry} />
  return rows?.length === 0 && <EmptyState title="Empty Table">{emptyText}</EmptyState>
}
