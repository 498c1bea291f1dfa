import { type ListColumns, type ListScreen, listColumns } from '@lis/contract/list-columns.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, useMemo } from 'react'
import { type ListAddress, listDefaults, withFilter } from '../../lib/list-address.ts'
import { useRole } from '../../lib/session.ts'
import type { FieldDef } from '../form/field-types.ts'
import { PageHeader } from '../page-header.tsx'
import { FilterBar } from '../smart-views/filter-bar.tsx'
import { SearchInput } from '../smart-views/search-input.tsx'
import { fieldsFor, splitFilters } from '../smart-views/smart-filter.ts'
import { SmartPanel } from '../smart-views/smart-panel.tsx'
import { useSmartPanel } from '../smart-views/use-smart-panel.ts'
import type { Column } from '../table/column.ts'
import { DensityButton } from '../table/density.tsx'
import type { RowId } from '../table/read-list.ts'
import { NewestIcon } from './column-icons.tsx'
import { type CreateAction, CreateButton } from './create-button.tsx'
import { ListTable, type ListTableProps } from './list-table.tsx'
import { useColumns } from './use-columns.tsx'
import { useListState } from './use-list-state.ts'

const Body = styled('div')({ position: 'relative', flex: '1 1 auto', minHeight: 320, display: 'flex' })
// The page itself does not scroll, so its header need not be sticky.
const Head = styled('div')({ display: 'contents', '& > header': { position: 'relative' } })
const ListColumn = styled('div')({
  position: 'relative',
  flex: '1 1 auto',
  minWidth: 0,
  display: 'flex',
  flexDirection: 'column',
})

export interface ListPageProps<Row extends { id: RowId }> extends Omit<ListTableProps<Row>, 'label'> {
  title: string
  create?: CreateAction
  /** The page's main action, if it is not a create page. */
  action?: ReactNode
  /** Secondary links: at the end of the toolbar, away from the main action. */
  aside?: ReactNode
  /** The resource, which saved views belong to. */
  screen: ListScreen
  /** The labels of filters that other tabs of the page have. */
  labelOfFilter?: (id: string) => string | undefined
  /** 'Search Users', where the list has the filter field `search`. */
  searchLabel?: string
  /** Called on Enter in the search box, which a barcode scanner sends after the number; `search` filters the list as usual. */
  onScan?: (text: string, search: (text: string) => void) => void
  /** Between the title and the list: a status bar, tabs. */
  above?: ReactNode
}

const searchField: FieldDef = { name: 'search', label: 'Search', kind: 'text' }

/** A list with its title, filters, saved views and table. */
export const ListPage = <Row extends { id: RowId }>(props: ListPageProps<Row>) => {
  const { title, create, action, aside, screen, searchLabel, onScan, above, filters, columns } = props
  const { defaults = listDefaults } = props
  const state = useListState(screen, defaults)
  const { address, change, isReady } = state
  const panel = useSmartPanel(screen)
  const control = useColumns(screen, columns, state, title)
  const fields = useMemo(() => (searchLabel ? [searchField, ...filters] : filters), [searchLabel, filters])
  const sortFields = useMemo(() => sortFieldsOf(control.shown), [control.shown])
  const { newest } = listColumns[screen] as ListColumns
  const supported = useSupportedFilters(address, fields)
  const searchText = address.filters.find(({ id }) => id === searchField.name)?.viewValue ?? ''
  const search = (text: string) =>
    change({ filters: withFilter(address.filters, { id: searchField.name, value: text, viewValue: text }) })
  return (
    <>
      <Head>
        <PageHeader
          title={title}
          action={
            <>
              {panel.isPhone && aside}
              {action ?? (create && !panel.isPhone && <CreateButton {...create} />)}
            </>
          }
        />
      </Head>
      {above}
      <Body>
        <ListColumn>
          <FilterBar
            address={address}
            isReady={isReady}
            isOfView={state.isAsSaved}
            onChange={change}
            fields={fields}
            screen={screen}
            labelOfFilter={props.labelOfFilter}
            search={
              searchLabel && (
                <SearchInput
                  label={searchLabel}
                  value={searchText}
                  onSearch={search}
                  {...(onScan && { onEnter: (text) => onScan(text, search) })}
                />
              )
            }
            isPanelOpen={panel.isOpen}
            onTogglePanel={panel.toggle}
          >
            {panel.isPhone ? (
              create && <CreateButton {...create} isCompact />
            ) : (
              <>
                {isReady && newest && state.isInStandardOrder && (
                  <Button startIcon={<NewestIcon />} onClick={() => change({ sort: { field: newest, order: 'DESC' } })}>
                    Newest first
                  </Button>
                )}
                {control.button}
                <DensityButton />
                {aside}
              </>
            )}
          </FilterBar>
          <ListTable
            {...props}
            columns={control.shown}
            onResize={control.resize}
            isReady={isReady}
            isPage
            label={title}
            filters={fields}
            address={supported}
            onChange={change}
            {...(panel.isOpen ? {} : { onChangeFilters: panel.toggle })}
          />
          {!panel.isPhone && control.panel}
        </ListColumn>
        {panel.isOpen && (
          <SmartPanel
            isImmediate={panel.isImmediate}
            unapplied={panel.unapplied}
            screen={screen}
            fields={fields}
            sortFields={sortFields}
            list={{ route: props.route, ...(props.params && { params: props.params }) }}
            address={address}
            view={state.view}
            unsavedColumns={state.unsavedColumns}
            onOpenView={(view) => {
              state.setUnsavedColumns(null)
              change({ filters: [], sort: null, params: { view: view ? String(view.id) : '0' } })
            }}
            onApply={(entries, sort) => change({ filters: entries, ...(sort === undefined ? {} : { sort }) })}
            onClose={panel.close}
          />
        )}
      </Body>
    </>
  )
}

/** Drops filters that this list does not have, with a notice: someone may have edited the address. */
const useSupportedFilters = (address: ListAddress, fields: readonly FieldDef[]): ListAddress => {
  const role = useRole()
  return useMemo(
    () => ({ ...address, filters: splitFilters(fieldsFor(fields, role), address.filters).known }),
    [address, fields, role],
  )
}

const sortFieldsOf = <Row,>(columns: readonly Column<Row>[]) =>
  columns.flatMap(({ sort, header }) => (sort === undefined ? [] : [{ field: sort, label: header }]))
