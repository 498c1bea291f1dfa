import type { ListScreen } from '@lis/contract/list-columns.ts'
import { isDeletedKind } from '@lis/contract/resources.ts'
import { useCallback } from 'react'
import type { CreateAction } from '../../ui/list-page/create-button.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListTableProps } from '../../ui/list-page/list-table.tsx'
import { DeletedLink } from '../deleted-link.tsx'
import { type Resource, showAddress } from './resource.ts'

interface ResourceListPageProps<Row extends { id: number }>
  extends Pick<ListTableProps<Row>, 'columns' | 'filters' | 'rowName'>,
    Pick<CreateAction, 'deniedText'> {
  resource: Resource<Row>
  /** 'Search Clients' */
  searchLabel?: string
}

/** The list of a resource: rows open their show page, and can be created, deleted and exported. */
export const ResourceListPage = <Row extends { id: number }>(props: ResourceListPageProps<Row>) => {
  const { resource, deniedText, ...table } = props
  const { kind, path, title, itemTitle, permission, routes } = resource
  const rowHref = useCallback(({ id }: Row) => showAddress({ path }, id), [path])
  return (
    <ListPage
      {...table}
      title={title}
      aside={isDeletedKind(kind) && <DeletedLink kind={kind} />}
      screen={path as ListScreen}
      itemName={itemTitle.toLowerCase()}
      route={routes.list}
      exportRoute={routes.export}
      removeRoute={routes.removeMany}
      create={{ href: `/${path}/create`, permission, ...(deniedText && { deniedText }) }}
      rowHref={rowHref}
    />
  )
}
