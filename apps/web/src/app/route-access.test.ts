import { type Role, roles } from '@lis/contract/access/roles.ts'
import { describe, expect, it } from 'vitest'
import { mayOpen } from './may-open.ts'
import { appRoutes } from './routes.ts'

/** Who may open which page, copied from part 1 §2 'Protected routes', part 2 §6 and decisions §1. A page without a row fails. */
const expected: Record<string, string> = {
  '/login': 'everybody',
  '/reset/:token': 'everybody',
  '/board/:key': 'everybody',
  '/unsubscribe/:token': 'everybody',
  '/resubscribe/:token': 'everybody',
  '/403': 'everybody',
  '*': 'everybody',
  '/': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/order': 'CLNT PHYS',
  '/undo': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/user-profile': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/user-profile/edit': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/requisitions': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/requisitions/create': 'ADM MGMT STF COLA',
  '/requisitions/:id/show': 'ADM MGMT STF SLS COLA CLNT',
  '/requisitions/:id/show/:tabSlug': 'ADM MGMT STF SLS COLA CLNT',
  '/reports': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/reports/:tabSlug': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/insights': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/insights/:tabSlug': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
  '/insights/:tabSlug/:reportCode': 'ADM MGMT STF SLS BILL COLA CLNT PHYS',
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
  '/labs': 'ADM MGMT STF',
  '/labs/:id': 'ADM MGMT',
  '/labs/:id/show': 'ADM MGMT STF',
  '/sales': 'ADM MGMT STF',
  '/sales/create': 'ADM MGMT STF',
  '/sales/:id': 'ADM MGMT STF',
  '/sales/:id/show': 'ADM MGMT STF',
  '/freezer-specs': 'ADM MGMT STF',
  '/freezer-specs/fill': 'ADM MGMT STF',
  '/freezer-specs/reconcile': 'ADM MGMT STF', // DAY-21
  '/freezer-specs/discard': 'ADM MGMT STF', // DAY-22
  '/sign-out': 'ADM MGMT STF', // SOUT-02
  '/deliveries': 'ADM MGMT STF', // the permission to write report deliveries
  '/interfaces': 'ADM MGMT STF', // IFC-01
  '/interfaces/partners': 'ADM MGMT STF',
  '/interfaces/partners/create': 'ADM MGMT',
  '/interfaces/partners/:id': 'ADM MGMT',
  '/interfaces/partners/:id/show': 'ADM MGMT STF',
  '/review': 'ADM MGMT STF', // BENCH-20
  '/review/rules': 'ADM MGMT STF', // BENCH-22
  '/review/reflex-rules': 'ADM MGMT STF',
  '/instruments': 'ADM MGMT STF', // BENCH-01
  '/instruments/create': 'ADM MGMT',
  '/instruments/:id': 'ADM MGMT',
  '/instruments/:id/show': 'ADM MGMT STF',
  '/api-clients': 'ADM MGMT', // IFC-40
  '/api-clients/create': 'ADM MGMT',
  '/api-clients/:id': 'ADM MGMT',
  '/api-clients/:id/show': 'ADM MGMT',
  '/webhooks': 'ADM MGMT STF', // IFC-42
  '/webhooks/create': 'ADM MGMT',
  '/webhooks/:id': 'ADM MGMT',
  '/webhooks/:id/show': 'ADM MGMT STF',
  '/quality-control': 'ADM MGMT STF', // QC-01
  '/quality-control/setup': 'ADM MGMT STF',
  '/quality-control/look-backs': 'ADM MGMT STF',
  '/critical-calls': 'ADM MGMT STF', // BENCH-41
  '/critical-calls/limits': 'ADM MGMT STF',
  '/critical-calls/:id': 'ADM MGMT STF',
  '/batch-csv-upload': 'ADM MGMT STF',
  '/users': 'ADM MGMT',
  '/users/:id/show': 'ADM MGMT',
  '/deleted': 'ADM MGMT', // decisions §9: restored by an administrator
  '/patients/:id/show': 'ADM MGMT', // DAY-30
  '/patients/:id/access-log': 'ADM MGMT', // SOUT-11
  '/users/create': 'MGMT',
  '/users/:id': 'MGMT',
}

describe('every page', () => {
  it.each(appRoutes.map((route) => [route.path, route] as const))(
    '%s opens to those the specification names and to nobody else',
    (path, route) => {
      const open = roles.filter((role) => mayOpen(route, { access: { userRoleCode: role }, userDepts: [] }))
      const row = expected[path]?.replace('everybody', roles.join(' '))
      expect(open, `${path} needs a row in the table`).toEqual(row?.split(' ') as Role[] | undefined)
      expect(route.access === 'public').toBe(expected[path] === 'everybody')
    },
  )

  it.each([
    ['PERM-037', '/', 'ADM MGMT STF SLS BILL COLA CLNT PHYS'],
    ['PERM-038 LIST-009', '/requisitions', 'ADM MGMT STF SLS BILL COLA CLNT PHYS'],
    ['PERM-039 CREATE-01', '/requisitions/create', 'ADM MGMT STF COLA'],
    ['PERM-040 DETAIL-001', '/requisitions/:id/show', 'ADM MGMT STF SLS COLA CLNT'],
    ['PERM-041 DETAIL-002', '/requisitions/:id/show/:tabSlug', 'ADM MGMT STF SLS COLA CLNT'],
    ['PERM-042', '/collaborators', 'ADM MGMT STF'],
    ['PERM-043', '/sales', 'ADM MGMT STF'],
    ['PERM-044 SPEC-071', '/freezer-specs', 'ADM MGMT STF'],
    ['PERM-045 BATCH-50', '/batch-csv-upload', 'ADM MGMT STF'],
    ['PERM-046', '/clients/create', 'ADM MGMT STF'],
    ['PERM-047', '/clients/:id', 'ADM MGMT STF'],
    ['PERM-048', '/physicians/create', 'ADM MGMT STF'],
    ['PERM-049', '/physicians/:id', 'ADM MGMT STF'],
    ['PERM-050', '/clients', 'ADM MGMT STF CLNT'],
    ['PERM-051', '/clients/:id/show', 'ADM MGMT STF CLNT'],
    ['PERM-052', '/physicians', 'ADM MGMT STF CLNT'],
    ['PERM-053', '/physicians/:id/show', 'ADM MGMT STF CLNT'],
    ['PERM-054', '/users', 'ADM MGMT'],
    ['PERM-055 REP-04', '/reports', 'ADM MGMT STF SLS BILL COLA CLNT PHYS'],
    ['PERM-056 BATCH-04', '/test-reports-upload', 'ADM MGMT STF SLS BILL COLA CLNT PHYS'],
    ['PERM-057', '/user-profile', 'ADM MGMT STF SLS BILL COLA CLNT PHYS'],
    ['PERM-058', '/unsubscribe/:token', 'ADM MGMT STF SLS BILL COLA CLNT PHYS GST'],
    ['PERM-059', '/resubscribe/:token', 'ADM MGMT STF SLS BILL COLA CLNT PHYS GST'],
  ])('%s %s opens to %s alone', (_, path, who) => {
    const route = appRoutes.find((one) => one.path === path)
    const open = roles.filter((role) => route && mayOpen(route, { access: { userRoleCode: role }, userDepts: [] }))
    expect(open.toSorted()).toEqual(who.split(' ').toSorted())
  })
})
