import type { Role } from '@lis/contract/access/roles.ts'
import { requisitionViews } from '@lis/contract/requisitions/views.ts'
import { expect, it } from 'vitest'
import { subTableKind } from './sub-table-kinds.ts'

const views = Object.keys(requisitionViews) as (keyof typeof requisitionViews)[]
const opening = (role: Role) => views.filter((view) => subTableKind(view, role)).join(' ')

it('LIST-227..LIST-230 LIST-G22 rows expand only for roles that may read their content', () => {
  const all =
    'All Logged Accessioned Processing Resulted Reported Released Delivered Billing AllForClient AllForPhysician'
  expect(opening('STF')).toBe(all)
  expect(opening('COLA')).toBe(all)
  // No results for sales and clients.
  expect(opening('SLS')).toBe(
    'All Logged Accessioned Processing Released Delivered Billing AllForClient AllForPhysician',
  )
  expect(opening('CLNT')).toBe('All Accessioned Processing Released Delivered AllForClient AllForPhysician')
  expect(opening('PHYS')).toBe('Released Delivered AllForClient AllForPhysician')
})
