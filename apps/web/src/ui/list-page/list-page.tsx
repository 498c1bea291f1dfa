import { styled } from '@mui/material/styles'
import { type ReactNode, useMemo } from 'react'
import { type ListAddress, listDefaults, useListAddress, withFilter } from '../../lib/list-address.ts'
import { useRole } from '../../lib/session.ts'
import type { FieldDef } from '../form/field-types.ts'
import { PageHeader } from '../page-header.tsx'
import { FilterBar } from '../smart-views/filter-bar.tsx'
import { SearchInput } from '../smart-views/search-input.tsx'
import { fieldsFor, partKnown } from '../smart-views/smart-filter.ts'
import { SmartPanel } from '../smart-views/smart-panel.tsx'
import { useSmartPanel } from '../smart-views/use-smart-panel.ts'
import type { Column } from '../table/column.ts'
import { DensityButton } from '../table/density.tsx'
import type { RowId } from '../table/read-list.ts'
import { type CreateAction, CreateButton } from './create-button.tsx'
import { ListTable, type ListTableProps } from './list-table.tsx'

const Body = styled('div')({ position: 'relative', flex: '1 1 auto', minHeight: 320, display: 'flex' })
// The page itself does not scroll, so its header need not stick.
const Head = styled('div')({ display: 'contents', '& > header': { position: 'relative' } })
const ListColumn = styled('div')({ flex: '1 1 auto', minWidth: 0, display: 'flex', flexDirection: 'column' })

export interface ListPageProps<Row extends { id: RowId }> extends Omit<ListTableProps<Row>, 'label'> {
  title: string
  create?: CreateAction
  /** The page's main action where it is not a page of its own. */
  action?: ReactNode
  /** What else the page leads to, before the main action and quieter. */
  aside?: ReactNode
  /** The resource, by which saved views are told apart. */
  screen: string
  /** 'Search Users', where the list has the filter field `search`. */
  searchLabel?: string
  /** Enter in the search box, which a bar-code scanner sends behind the number; `search` filters the list as ever. */
  onScan?: (text: string, search: (text: string) => void) => void
  /** Between the title and the list: a status bar, tabs. */
  above?: ReactNode
}

const searchField: FieldDef = { name: 'search', label: 'Search', kind: 'text' }

/** A list with its title, filters, saved views and table. A screen is an ordinary component that uses it. */
export const ListPage = <Row extends { id: RowId }>(props: ListPageProps<Row>) => {
  const { title, create, action, aside, screen, searchLabel, onScan, above, filters, columns } = props
  const { defaults = listDefaults } = props
  const [address, change] = useListAddress(defaults)
  const panel = useSmartPanel()
  const fields = useMemo(() => (searchLabel ? [searchField, ...filters] : filters), [searchLabel, filters])
  const sortFields = useMemo(() => sortFieldsOf(columns), [columns])
  const asked = useKnownFilters(address, fields)
  const searched = address.filters.find(({ id }) => id === searchField.name)?.viewValue ?? ''
  const search = (text: string) =>
    change({ filters: withFilter(address.filters, { id: searchField.name, value: text, viewValue: text }) })
  return (
    <>
      <Head>
        <PageHeader
          title={title}
          action={
            <>
              {aside}
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
            onChange={change}
            fields={fields}
            screen={screen}
            search={
              searchLabel && (
                <SearchInput
                  label={searchLabel}
                  value={searched}
                  onSearch={search}
                  {...(onScan && { onEnter: (text) => onScan(text, search) })}
                />
              )
            }
            isPanelOpen={panel.isOpen}
            onTogglePanel={panel.toggle}
          >
            {panel.isPhone ? create && <CreateButton {...create} isCompact /> : <DensityButton />}
          </FilterBar>
          <ListTable
            {...props}
            isPage
            label={title}
            filters={fields}
            address={asked}
            onChange={change}
            {...(panel.isOpen ? {} : { onChangeFilters: panel.toggle })}
          />
        </ListColumn>
        {panel.isOpen && (
          <SmartPanel
            isAsked={panel.isAsked}
            typed={panel.typed}
            screen={screen}
            fields={fields}
            sortFields={sortFields}
            list={{ route: props.route, ...(props.params && { params: props.params }) }}
            address={address}
            onApply={(entries, sort) => change({ filters: entries, ...(sort === undefined ? {} : { sort }) })}
            onClose={panel.close}
          />
        )}
      </Body>
    </>
  )
}

/** Only what this list can be asked: a filter that somebody typed into the address is told and taken out, not sent. */
const useKnownFilters = (address: ListAddress, fields: readonly FieldDef[]): ListAddress => {
  const role = useRole()
  return useMemo(
    () => ({ ...address, filters: partKnown(fieldsFor(fields, role), address.filters).known }),
    [address, fields, role],
  )
}

const sortFieldsOf = <Row,>(columns: readonly Column<Row>[]) =>
  columns.flatMap(({ sort, header }) => (sort === undefined ? [] : [{ field: sort, label: header }]))
