import type { Permission } from '@lis/contract/access/permissions.ts'
import type { done } from '@lis/contract/kit/envelope.ts'
import type { byId, Route } from '@lis/contract/kit/route.ts'
import type { z } from 'zod'
import type { ListRoute } from '../../ui/table/read-list.ts'

type AnyRow = { id: number }
export type AnyItem = { id: number; version: number }

type ById = Route & { params: typeof byId }

/** A resource with list, create, edit and show pages; what these pages have in common. */
export interface Resource<
  Row extends AnyRow = AnyRow,
  Item extends AnyItem = AnyItem,
  Created extends AnyRow = AnyRow,
> {
  /** 'client': names its drafts, and its deleted records if they can be restored. */
  kind: string
  /** 'clients': the address of its pages, its saved views, and the path of its list. */
  path: string
  /** 'Clients' */
  title: string
  /** 'Client' */
  itemTitle: string
  /** To create and edit. */
  permission: Permission
  routes: {
    list: ListRoute<Row>
    export?: Route
    one: ById & { method: 'GET'; reply: z.ZodType<{ data: Item; message: string }> }
    create: Route & { body: z.ZodType; reply: z.ZodType<{ data: Created; message: string }> }
    update: ById & { body: z.ZodType }
    remove: ById & { reply: typeof done }
    /** Without it, records are deleted one by one on their edit page. */
    removeMany?: Route
  }
}

export const showAddress = ({ path }: { path: string }, id: number) => `/${path}/${id}/show`
