import { addSort, setSort } from '@lis/contract/kit/list-query.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import { useForkRef } from '@mui/material/utils'
import { type ReactNode, useCallback, useEffect } from 'react'
import {
  type ChangeList,
  type ListAddress,
  type ListDefaults,
  listDefaults,
  toListQuery,
} from '../../lib/list-address.ts'
import { useRole } from '../../lib/session.ts'
import type { FieldDef } from '../form/field-types.ts'
import { useNotify } from '../notices.tsx'
import type { BulkAction } from '../table/bulk-buttons.tsx'
import type { Column } from '../table/column.ts'
import { OutcomeBar } from '../table/outcome-bar.tsx'
import type { ListRoute, RouteParams, RowId } from '../table/read-list.ts'
import { Table } from '../table/table.tsx'
import { TableFooter } from '../table/table-footer.tsx'
import { useRowSelection } from '../table/table-model.ts'
import { EmptyTable, LoadFailed } from '../table/table-states.tsx'
import { useRowOutcomes } from '../table/use-row-outcomes.ts'
import { useVisible } from '../table/use-visible.ts'
import { ExportAll, type ExportFilters } from './export-all.tsx'
import { mayCall } from './may-call.ts'
import { useBulkDelete } from './use-bulk-delete.tsx'
import { useKeptScroll } from './use-kept-scroll.ts'
import { useList } from './use-list.ts'
import { useSelectAll } from './use-select-all.ts'

export interface ListTableProps<Row extends { id: RowId }> {
  /** Accessible name of the table. */
  label: string
  /** A row in messages: 'user'. */
  itemName: string
  route: ListRoute<Row>
  /** Path parameters of the route, and of export and delete. */
  params?: RouteParams
  columns: readonly Column<Row>[]
  /** Names a row in messages; define it and the next two outside the component. */
  rowName: (row: Row) => string
  rowHref?: (row: Row) => string | undefined
  renderSubTable?: (row: Row) => ReactNode
  /** Their `access` decides who may use them. */
  exportRoute?: Route | undefined
  exportFilters?: ExportFilters
  removeRoute?: Route | undefined
  /** Path whose queries a deletion invalidates; by default the list itself. */
  resource?: string
  /** All rows of the list can be selected at once: only where every action shows what it will do first. */
  selectsAll?: boolean
  /** Further actions on selected rows, before 'Delete'. */
  bulkActions?: readonly BulkAction<Row>[]
  filters: readonly FieldDef[]
  defaults?: ListDefaults
}

interface AddressProps {
  /** The table is the page, not a part further down. */
  isPage?: boolean
  address: ListAddress
  onChange: ChangeList
  onChangeFilters?: () => void
  onResize?: (key: string, width: number) => void
  /** False while it is not yet known how the user left the list. */
  isReady?: boolean
}

const idOf = ({ id }: { id: RowId }) => String(id)

/** The table of a list: the rows of the address, with paging, sorting, selection, export and delete. */
export const ListTable = <Row extends { id: RowId }>(props: ListTableProps<Row> & AddressProps) => {
  const { route, params, address, onChange, itemName, rowName, defaults = listDefaults, bulkActions = [] } = props
  const role = useRole()
  const notify = useNotify()
  const [frame, isVisible] = useVisible<HTMLDivElement>(props.isPage)
  const list = useList(route, params, address, isVisible && props.isReady !== false)
  const place = useForkRef(frame, useKeptScroll(props.isPage === true, list.rows !== undefined))
  const sayLost = useCallback(
    (count: number) =>
      notify.info(
        count === 1
          ? '1 row is no longer ticked: it is not on this page.'
          : `${count} rows are no longer ticked: they are not on this page.`,
      ),
    [notify],
  )
  const selection = useRowSelection(list.rows, idOf, JSON.stringify(address.filters), sayLost)
  const selectAll = useSelectAll({ route, params, address, total: list.total, selection })
  const { rows, outcomes, settle, summary } = useRowOutcomes(list.rows, idOf, selection, address)
  const remove = useBulkDelete({
    route: props.removeRoute && mayCall(role, props.removeRoute) ? props.removeRoute : undefined,
    params,
    listPath: props.resource ?? route.path,
    itemName,
    rowId: idOf,
    rowName,
  })
  const actions = remove.action ? [...bulkActions, remove.action] : bulkActions
  const pastTheEnd = list.rows?.length === 0 && !list.isStale ? lastPage(list.total ?? 0, address) : undefined
  useEffect(() => {
    if (pastTheEnd !== undefined) onChange({ page: pastTheEnd }, { isCorrection: true })
  }, [pastTheEnd, onChange])
  const unknownSort = list.isUnsortable ? address.sort?.field : undefined
  useEffect(() => {
    if (unknownSort === undefined) return
    notify.warning(`This list cannot be sorted by '${unknownSort}'; it is shown in its usual order.`)
    onChange({ sort: null }, { isCorrection: true })
  }, [unknownSort, onChange, notify])
  const isEmpty = rows?.length === 0 && pastTheEnd === undefined
  return (
    <>
      {summary && <OutcomeBar {...summary} />}
      <Table
        ref={place}
        label={props.label}
        columns={props.columns}
        rows={rows}
        outcomes={outcomes}
        rowId={idOf}
        rowName={rowName}
        rowHref={props.rowHref}
        renderSubTable={props.renderSubTable}
        sort={address.sort}
        onSort={(field, isFurther) =>
          onChange({ sort: (isFurther ? addSort : setSort)(toListQuery(address), field).sort })
        }
        onResize={props.onResize}
        selection={actions.length > 0 ? selection : undefined}
        isBusy={list.isBusy}
        skeletonRows={Math.min(address.perPage, 25)}
        state={
          list.error ? (
            <LoadFailed error={list.error} onRetry={list.retry} />
          ) : isEmpty ? (
            <EmptyTable
              itemName={itemName}
              filters={filterTexts(props.filters, address)}
              onClearAll={() => onChange({ filters: [] })}
              onChangeFilters={props.onChangeFilters}
            />
          ) : undefined
        }
      />
      <TableFooter
        paging={{
          page: address.page,
          perPage: address.perPage,
          perPageOptions: defaults.perPageOptions,
          total: list.error ? undefined : list.total,
          onPage: (page) => onChange({ page }),
          onPerPage: (perPage) => onChange({ perPage }),
          onPrefetch: list.fetchAhead,
        }}
        isLoading={!list.error && (list.rows === undefined || (list.isBusy && list.isStale))}
        selected={selection.rows}
        elsewhere={selection.elsewhere}
        selectAll={props.selectsAll && isWholePage(list.rows, selection.rows) ? selectAll : undefined}
        onClearSelection={selection.clear}
        onSettle={settle}
        bulkActions={actions}
      >
        {props.exportRoute && mayCall(role, props.exportRoute) && (
          <ExportAll route={props.exportRoute} params={params} address={address} filters={props.exportFilters} />
        )}
      </TableFooter>
      {remove.dialog}
    </>
  )
}

/** A user who has selected the whole page may want all other rows too. */
const isWholePage = (rows: readonly unknown[] | undefined, ticked: readonly unknown[]) =>
  rows !== undefined && rows.length > 0 && ticked.length === rows.length

/** The page to go to when the address is beyond the last page: rows were deleted, or the address was edited. */
const lastPage = (total: number, { page, perPage }: ListAddress): number | undefined =>
  total > 0 && page > 1 ? Math.ceil(total / perPage) : undefined

const filterTexts = (fields: readonly FieldDef[], { filters }: ListAddress): string[] =>
  filters.map(({ id, viewValue }) => `${fields.find(({ name }) => name === id)?.label ?? id}: ${viewValue}`)
