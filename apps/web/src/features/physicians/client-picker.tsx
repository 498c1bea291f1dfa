import { type ClientRow, clientRoutes } from '@lis/contract/clients.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type ListAddress, type ListChange, listDefaults, withFilter } from '../../lib/list-address.ts'
import { useList } from '../../ui/list-page/use-list.ts'
import { SearchInput } from '../../ui/smart-views/search-input.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Table } from '../../ui/table/table.tsx'
import { TableFooter } from '../../ui/table/table-footer.tsx'
import type { RowSelectionModel } from '../../ui/table/table-model.ts'
import { EmptyTable, LoadFailed } from '../../ui/table/table-states.tsx'
import { ChosenClients } from './chosen-clients.tsx'
import { clientColumns, clientName } from './client-columns.tsx'

const Frame = styled('div')({ display: 'flex', flexDirection: 'column', gap: 8, minHeight: 0 })
// The list search shortcut does not apply here.
const Head = styled('div')({
  display: 'flex',
  gap: 8,
  alignItems: 'center',
  '& kbd': { display: 'none' },
  '& > button': { flex: 'none' },
})
const List = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  height: 420,
  minHeight: 0,
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  overflow: 'hidden',
  '& > *': { borderTopWidth: 0 },
  '& > footer': { borderTopWidth: 1 },
})

interface ClientPickerProps {
  chosen: readonly number[]
  onChange: (ids: number[]) => void
  columns?: readonly Column<ClientRow>[]
  /** Beside the search. */
  children?: React.ReactNode
}

const start: ListAddress = { page: 1, perPage: 10, sort: null, filters: [], isFilterBroken: false }
const idOf = ({ id }: ClientRow) => String(id)

/** Selects clients across pages and searches. */
export const ClientPicker = ({ chosen, onChange, columns = clientColumns, children }: ClientPickerProps) => {
  // A dialog has no URL, so the list state is local.
  const [address, setAddress] = useState(start)
  const change = ({
    page = 1,
    ...rest
  }: Pick<ListChange, 'page' | 'perPage'> & Partial<Pick<ListAddress, 'filters'>>) =>
    setAddress((before) => ({ ...before, ...rest, page }))
  const list = useList(clientRoutes.list, undefined, address, true)
  const selection = useKeptSelection(chosen, onChange)
  const names = useClientNames(chosen)
  const search = address.filters[0]?.viewValue ?? ''
  const onSearch = (text: string) => change({ filters: withFilter([], { id: 'search', value: text, viewValue: text }) })
  return (
    <Frame>
      <Head>
        <SearchInput label="Search Clients" value={search} onSearch={onSearch} />
        {children}
      </Head>
      <ChosenClients clients={names} onRemove={(id) => onChange(chosen.filter((other) => other !== id))} />
      <List>
        <Table
          label="Clients"
          columns={columns}
          rows={list.rows}
          rowId={idOf}
          rowName={clientName}
          selection={selection}
          isBusy={list.isBusy}
          state={
            list.error ? (
              <LoadFailed error={list.error} onRetry={list.retry} />
            ) : list.rows?.length === 0 ? (
              <EmptyTable
                itemName="client"
                filters={search === '' ? [] : [`Search: ${search}`]}
                onClearAll={() => onSearch('')}
              />
            ) : undefined
          }
        />
        <TableFooter
          paging={{
            page: address.page,
            perPage: address.perPage,
            perPageOptions: listDefaults.perPageOptions,
            total: list.total,
            onPage: (page) => change({ page }),
            onPerPage: (perPage) => change({ perPage }),
            onPrefetch: list.fetchAhead,
          }}
          isLoading={list.rows === undefined && !list.error}
        />
      </List>
    </Frame>
  )
}

/** Names of clients by id. */
export const useClientNames = (ids: readonly number[]): readonly ClientRow[] => {
  const { data } = useQuery({
    ...readList(clientRoutes.list, undefined, { ...allRows, filters: { id: ids.map(String) } }),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  })
  return useMemo(() => (data?.data ?? []).filter(({ id }) => ids.includes(id)), [data, ids])
}

const useKeptSelection = (chosen: readonly number[], onChange: (ids: number[]) => void): RowSelectionModel => {
  const state = Object.fromEntries(chosen.map((id) => [String(id), true as const]))
  return {
    state,
    set: (action) => {
      const next = typeof action === 'function' ? action(state) : action
      onChange(Object.keys(next).flatMap((id) => (next[id] ? [Number(id)] : [])))
    },
  }
}
