import { can } from '@lis/contract/access/permissions.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import type { AnyItem, Resource } from './resource.ts'

/** The record that the address names. */
export const useResourceItem = <Item extends AnyItem>({ routes }: Resource<{ id: number }, Item>) =>
  useQuery(read(routes.one, { params: { id: Number(useParams().id) } })) as UseQueryResult<{ data: Item }>

/** The data of a record, or a link to the list if there is no such record. */
export const LoadedItem = <Item extends { id: number }>(props: {
  resource: { path: string; title: string }
  query: UseQueryResult<{ data: Item }>
  children: (item: Item) => ReactNode
}) => {
  const { path, title } = props.resource
  return (
    <Loaded query={props.query} missing={<MissingRecord list={{ to: `/${path}`, label: title }} />}>
      {({ data }) => <Fragment key={data.id}>{props.children(data)}</Fragment>}
    </Loaded>
  )
}

interface ResourceShowPageProps<Item extends AnyItem> {
  resource: Resource<{ id: number }, Item>
  titleOf: (item: Item) => string
  isWide?: boolean
  children: (item: Item) => ReactNode
}

/** The page of one record, with a link to edit it. */
export const ResourceShowPage = <Item extends AnyItem>(props: ResourceShowPageProps<Item>) => {
  const { resource, titleOf, isWide = false, children } = props
  const query = useResourceItem(resource)
  const mayEdit = can(useRole(), resource.permission)
  const item = query.data?.data
  return (
    <RecordPage
      isWide={isWide}
      parent={{ to: `/${resource.path}`, label: resource.title }}
      title={item ? titleOf(item) : resource.itemTitle}
      action={item && mayEdit && <EditLink variant="contained" color="primary" to={`/${resource.path}/${item.id}`} />}
    >
      <LoadedItem resource={resource} query={query}>
        {children}
      </LoadedItem>
    </RecordPage>
  )
}
