import type { Sort } from '@lis/contract/kit/list-query.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useRole } from '../../lib/session.ts'
import { CardTable } from '../table/card-table.tsx'
import type { Column } from '../table/column.ts'
import { allRows, type ListRoute, type RouteParams, readList } from '../table/read-list.ts'
import type { SettleRows } from '../table/row-outcome.ts'
import { TrashIcon } from '../table/table-icons.tsx'
import { useRowSelection } from '../table/table-model.ts'
import { mayCall } from './may-call.ts'
import { useBulkDelete } from './use-bulk-delete.tsx'

interface TableCardProps<Row extends { id: number }> {
  title: string
  /** A row in messages: 'event'. */
  itemName: string
  route: ListRoute<Row>
  params: RouteParams
  columns: readonly Column<Row>[]
  /** Define these three outside the component, as in `Table`. */
  rowName: (row: Row) => string
  rowHref?: ((row: Row) => string | undefined) | undefined
  renderSubTable?: (row: Row) => ReactNode
  sort?: Sort
  /** Users who may call it can select and delete rows. */
  removeRoute?: Route
  /** Set where only a link is removed: from what, 'client'. */
  unlinksFrom?: string
  /** Deleted rows cannot be restored. */
  isFinal?: boolean
  /** Path whose queries a deletion invalidates too. */
  resource: string
  /** In the card's header: 'Add'. */
  actions?: ReactNode
  /** Why there are no rows, and what to do about it. */
  emptyText: string
}

const idOf = ({ id }: { id: number }) => String(id)

/** All records that belong to another one, as a card of its page, with selection and 'Delete' for users who may. */
export const TableCard = <Row extends { id: number }>(props: TableCardProps<Row>) => {
  const { title, route, params, sort = null, removeRoute, rowName } = props
  const role = useRole()
  const list = useQuery(readList(route, params, { ...allRows, sort }))
  const rows = list.data?.data
  const selection = useRowSelection(rows, idOf)
  const mayRemove = removeRoute !== undefined && mayCall(role, removeRoute)
  const remove = useBulkDelete({
    route: mayRemove ? removeRoute : undefined,
    params,
    listPath: props.resource,
    itemName: props.itemName,
    unlinksFrom: props.unlinksFrom,
    isFinal: props.isFinal,
    rowId: idOf,
    rowName,
  })
  const settle: SettleRows<Row> = (outcomeOf) => selection.keep((row) => outcomeOf(row)?.isDone === false)
  return (
    <>
      <CardTable
        title={title}
        actions={
          <>
            {selection.rows.length > 0 && (
              <Button
                color="error"
                startIcon={<TrashIcon />}
                onClick={() => remove.action?.run(selection.rows, settle)}
              >
                {props.unlinksFrom === undefined ? 'Delete' : 'Remove'} {selection.rows.length} selected
              </Button>
            )}
            {props.actions}
          </>
        }
        columns={props.columns}
        query={list}
        rowId={idOf}
        rowName={rowName}
        rowHref={props.rowHref}
        renderSubTable={props.renderSubTable}
        selection={mayRemove ? selection : undefined}
        empty={props.emptyText}
      />
      {remove.dialog}
    </>
  )
}
