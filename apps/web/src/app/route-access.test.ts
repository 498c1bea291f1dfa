import { type Role, roles } from '@lis/contract/access/roles.ts'
import { describe, expect, it } from 'vitest'
import { mayOpen } from './may-open.ts'
import { appRoutes } from './routes.ts'

/** Who may open which page, copied from part 1 §2 'Protected routes', part 2 §6 and decisions §1. A page without a row fails. */
const expected: Record<string, string> = {
  '/login': 'everybody',
  '/reset/:token': 'everybody',
  '/unsubscribe/:token': 'everybody',
  '/resubscribe/:token': 'everybody',
  '/403': 'everybody',
  '*': 'everybody',
  '/': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/user-profile': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/user-profile/edit': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/requisitions': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/requisitions/create': 'ADM MGMT STF COLA',
  '/requisitions/:id/show': 'ADM MGMT STF SLS COLA CLNT',
  '/requisitions/:id/show/:tabSlug': 'ADM MGMT STF SLS COLA CLNT',
  '/reports': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/reports/:tabSlug': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/test-reports-upload': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/test-reports-upload/matching': 'ADM MGMT STF',
  '/clients': 'ADM MGMT STF CLNT',
  '/clients/:id/show': 'ADM MGMT STF CLNT',
  '/clients/create': 'ADM MGMT STF',
  '/clients/:id': 'ADM MGMT STF',
  '/physicians': 'ADM MGMT STF CLNT',
  '/physicians/:id/show': 'ADM MGMT STF CLNT',
  '/physicians/create': 'ADM MGMT STF',
  '/physicians/:id': 'ADM MGMT STF',
  '/collaborators': 'ADM MGMT STF',
  '/collaborators/create': 'ADM MGMT STF',
  '/collaborators/:id': 'ADM MGMT STF',
  '/collaborators/:id/show': 'ADM MGMT STF',
  '/sales': 'ADM MGMT STF',
  '/sales/create': 'ADM MGMT STF',
  '/sales/:id': 'ADM MGMT STF',
  '/sales/:id/show': 'ADM MGMT STF',
  '/freezer-specs': 'ADM MGMT STF',
  '/freezer-specs/fill': 'ADM MGMT STF',
  '/deliveries': 'ADM MGMT STF', // the permission to write report deliveries
  '/batch-csv-upload': 'ADM MGMT STF',
  '/users': 'ADM MGMT',
  '/users/:id/show': 'ADM MGMT',
  '/deleted': 'ADM MGMT', // decisions §9: restored by an administrator
  '/patients/:id/access-log': 'ADM MGMT', // SOUT-11
  '/users/create': 'MGMT',
  '/users/:id': 'MGMT',
}

describe('every page', () => {
  it.each(appRoutes.map((route) => [route.path, route] as const))(
    'PERM-037..PERM-059 PERM-130 %s opens to those the specification names and to nobody else',
    (path, route) => {
      const open = roles.filter((role) => mayOpen(route, { access: { userRoleCode: role }, userDepts: [] }))
      const row = expected[path]?.replace('everybody', roles.join(' '))
      expect(open, `${path} needs a row in the table`).toEqual(row?.split(' ') as Role[] | undefined)
      expect(route.access === 'public').toBe(expected[path] === 'everybody')
    },
  )
})
