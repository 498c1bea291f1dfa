import { describe, expect, it } from 'vitest'
import { roles } from '../access/roles.ts'
import { requisitionStatuses } from './status.ts'
import { apiViews, bulkActionsFor, defaultViewFor, requisitionViews, viewFor, viewsFor } from './views.ts'

describe('views of the list', () => {
  it.each([
    ['LIST-018', 'All', 'ALL'],
    ['LIST-019', 'Logged', 'LOG'],
    ['LIST-020', 'Accessioned', 'ACC'],
    ['LIST-021', 'Processing', 'PROCESS'],
    ['LIST-022', 'Resulted', 'RESULT'],
    ['LIST-023', 'Reported', 'REPORT'],
    ['LIST-024', 'Released', 'RELEASE'],
    ['LIST-025', 'Delivered', 'DELIVER'],
    ['LIST-026', 'Billing', 'BILL'],
    ['LIST-027', 'BillingBatch', null],
    ['LIST-028', 'AllForClient', 'CLIENTPHYSROLE'],
    ['LIST-029', 'AllForPhysician', 'CLIENTPHYSROLE'],
  ] as const)('%s view %s reads %s', (_id, view, api) => {
    expect(requisitionViews[view].api).toBe(api)
  })

  it('has an API code for every view, and a view for every API code', () => {
    const read = Object.values(requisitionViews).flatMap(({ api }) => api ?? [])
    expect([...new Set(read)].toSorted()).toEqual([...apiViews].toSorted())
  })

  it('has an existing view for every status', () => {
    const codes = requisitionStatuses.map(({ code, tab }) => [code, requisitionViews[tab].api])
    expect(codes.slice(0, 7)).toEqual(codes.slice(0, 7).map(([code]) => [code, code]))
    expect(new Set(codes.slice(7).map(([, api]) => api))).toEqual(new Set(['BILL']))
  })
})

describe('viewFor', () => {
  it('leads the code of every billing stage to the one tab Billing', () => {
    const billed = requisitionStatuses.filter(({ group }) => group === 'Billed')
    expect(billed.length).toBeGreaterThan(1)
    for (const { code } of billed) expect([code, viewFor(code, 'ADM')]).toEqual([code, 'Billing'])
  })

  it.each([
    ['LIST-013', null, 'ADM', 'All'],
    ['LIST-013', undefined, 'SLS', 'All'],
    ['LIST-014', 'Nonsense', 'COLA', 'All'],
    ['LIST-014', 'constructor', 'STF', 'All'],
    ['LIST-014', '', 'MGMT', 'All'],
    ['LIST-015', null, 'CLNT', 'AllForClient'],
    ['LIST-015', 'All', 'CLNT', 'AllForClient'],
    ['LIST-016', null, 'PHYS', 'AllForPhysician'],
    ['LIST-016', 'AllForClient', 'PHYS', 'AllForPhysician'],
    ['LIST-017', null, 'BILL', 'BillingBatch'],
    ['LIST-017', 'Logged', 'BILL', 'BillingBatch'],
    ['LIST-012', 'Released', 'STF', 'Released'],
    ['LIST-012', 'Released', 'CLNT', 'Released'],
    ['LIST-012', 'BillingBatch', 'ADM', 'BillingBatch'],
    ['LIST-012', 'BillingBatch', 'SLS', 'All'],
    ['LIST-012', 'Billed', 'ADM', 'Billing'],
    ['LIST-G24', 'LOG', 'STF', 'Logged'],
    ['LIST-G24', 'RELEASE', 'CLNT', 'Released'],
    ['LIST-G24', 'BILL', 'BILL', 'Billing'],
    ['LIST-G24', 'ALL', 'ADM', 'All'],
    ['LIST-G24', 'CLIENTPHYSROLE', 'PHYS', 'AllForPhysician'],
    ['LIST-G24', 'LOG', 'BILL', 'BillingBatch'],
  ] as const)('%s status=%s for %s shows %s', (_id, status, role, view) => {
    expect(viewFor(status, role)).toBe(view)
  })

  it('gives each role its default among its own tabs, and a guest no tabs', () => {
    expect(roles.map((role) => [role, defaultViewFor(role), viewsFor(role).length])).toEqual([
      ['ADM', 'All', 10],
      ['MGMT', 'All', 10],
      ['STF', 'All', 10],
      ['SLS', 'All', 9],
      ['BILL', 'BillingBatch', 2],
      ['COLA', 'All', 9],
      ['CLNT', 'AllForClient', 8],
      ['PHYS', 'AllForPhysician', 8],
      ['GST', 'All', 0],
    ])
  })
})

describe('bulk actions', () => {
  // view, super admins, COLA; written from the table of decisions §9
  it.each([
    ['LIST-046 LIST-047 LIST-048', 'All', 'printLabels delete exportAll', 'exportAll'],
    ['LIST-042', 'Logged', 'nextStatus printLabels delete exportAll', 'exportAll'],
    ['LIST-042', 'Accessioned', 'nextStatus printLabels delete exportAll', 'exportAll'],
    ['LIST-197', 'Processing', 'saveResults printLabels exportAll', 'exportAll'],
    ['LIST-045', 'Resulted', 'nextStatus makeReports releaseReports bulkDownload exportAll', 'bulkDownload exportAll'],
    ['LIST-045', 'Reported', 'nextStatus releaseReports bulkDownload exportAll', 'bulkDownload exportAll'],
    [
      'LIST-043 LIST-044 LIST-198',
      'Released',
      'nextStatus delivery sendNotification bulkDownload moveBack exportAll',
      'bulkDownload exportAll',
    ],
    [
      'LIST-043 LIST-044',
      'Delivered',
      'delivery sendNotification runBilling bulkDownload exportAll',
      'bulkDownload exportAll',
    ],
    ['LIST-047', 'Billing', 'runBilling exportAll', ''],
    ['LIST-125', 'BillingBatch', 'bulkDownload', ''],
  ] as const)('%s %s offers super admins %s, COLA %s', (_id, view, forSuper, forCola) => {
    expect(bulkActionsFor(view, 'STF').join(' ')).toBe(forSuper)
    expect(bulkActionsFor(view, 'ADM')).toEqual(bulkActionsFor(view, 'STF'))
    expect(bulkActionsFor(view, 'MGMT')).toEqual(bulkActionsFor(view, 'STF'))
    expect(bulkActionsFor(view, 'COLA').join(' ')).toBe(forCola)
  })

  it('LIST-049 LIST-050 LIST-051 LIST-052 give client, physician, sales and billing only their downloads', () => {
    const offered = (['CLNT', 'PHYS', 'SLS', 'BILL'] as const).map((role) => [
      role,
      viewsFor(role).flatMap((view) => bulkActionsFor(view, role).map((action) => `${view} ${action}`)),
    ])
    expect(offered).toEqual([
      ['CLNT', ['AllForClient bulkDownload']],
      ['PHYS', ['AllForPhysician bulkDownload']],
      ['SLS', []],
      ['BILL', ['BillingBatch bulkDownload']],
    ])
  })
})
