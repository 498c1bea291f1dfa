import { type SalesPerson, type SalesRow, salesRoutes } from '@lis/contract/sales.ts'
import type { Resource } from '../../domain/resource/resource.ts'

export const sales: Resource<SalesRow, SalesPerson> = {
  kind: 'sales',
  path: 'sales',
  title: 'Sales',
  itemTitle: 'Sales Person',
  permission: 'sales.write',
  routes: salesRoutes,
}

export const salesName = ({ salesFirstName, salesLastName }: Pick<SalesRow, 'salesFirstName' | 'salesLastName'>) =>
  `${salesFirstName} ${salesLastName}`
