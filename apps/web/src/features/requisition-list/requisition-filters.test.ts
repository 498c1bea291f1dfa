import type { Role } from '@lis/contract/access/roles.ts'
import { lookups } from '@lis/contract/lookups.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import { describe, expect, it } from 'vitest'
import { filtersOf } from './requisition-filters.ts'

const requisitionTabs = [
  'Logged',
  'Accessioned',
  'Processing',
  'Resulted',
  'Reported',
  'Released',
  'Delivered',
] as const

describe('the requisition filters', () => {
  const paths = (): Record<string, string> =>
    Object.fromEntries(
      filtersOf('All', 'ADM', null).flatMap(({ label, lookup }) => (lookup ? [[label, lookups[lookup].path]] : [])),
    )

  it('VIEW-G10 use the lookups of the specification', () => {
    expect(paths()).toEqual({
      Status: 'req_status_types',
      Collaborator: 'collaborators',
      Client: 'filter_dd/clients',
      Physician: 'filter_dd/physicians',
      'Client Event': 'clients/:id/events',
      Lab: 'labs',
      'Sales Rep': 'sales',
      'Service Rep': 'sales',
      'Test Codes': 'lovs/TESTCODE',
      'Test Combo': 'lovs/TESTCOMBO',
      'Bill to type': 'lovs/REQBILLTYPE',
      Flag: 'flags',
      'Pass Codes': 'lovs/PASSCODE',
      'Fail Codes': 'lovs/FAILCODE',
      'QA Note type': 'lovs/LABNOTE',
      'Issue Department': 'depts',
    })
  })

  it.each([
    ['VIEW-54', 'Lab', 'labs'],
    ['VIEW-55', 'Issue Department', 'depts'],
    ['VIEW-56', 'Flag', 'flags'],
    ['VIEW-57', 'Status', 'req_status_types'],
    ['VIEW-58', 'Pass Codes', 'lovs/PASSCODE'],
    ['VIEW-59', 'Fail Codes', 'lovs/FAILCODE'],
    ['VIEW-60', 'QA Note type', 'lovs/LABNOTE'],
    ['VIEW-61', 'Test Codes', 'lovs/TESTCODE'],
    ['VIEW-62', 'Bill to type', 'lovs/REQBILLTYPE'],
    ['VIEW-63', 'Test Combo', 'lovs/TESTCOMBO'],
  ])('%s %s is chosen from %s', (_, label, path) => {
    expect(paths()[label]).toBe(path)
  })
})

describe('the requisition filters by role', () => {
  const labels = (role: Role, view: RequisitionView = 'All') =>
    filtersOf(view, role, role === 'CLNT' ? 7 : null).map(({ label }) => label)
  const patient = ['Req ID', 'Patient First Name', 'Patient Last Name', 'Patient DOB']
  const dates = ['Date Collected', 'Date Received', 'Date Logged', 'Date Reported', 'Date Released', 'Date Delivered']
  const due = ['Due', 'Will be late']
  const codes = ['Test Codes', 'Test Combo', 'Bill to type', 'Flag', 'Pass Codes', 'Fail Codes']
  const people = ['Collaborator', 'Client', 'Physician', 'Client Event', 'Lab', 'Sales Rep', 'Service Rep']
  const rest = ['QA Note type', 'Issue Department']

  it('VIEW-G4 are complete for the laboratory; status and billing date where statuses are mixed', () => {
    const all = [...patient, 'Status', ...people, ...dates, 'Date Billed', ...due, ...codes, ...rest]
    for (const role of ['ADM', 'MGMT', 'STF'] as const)
      for (const view of ['All', 'Billing'] as const)
        expect([role, view, labels(role, view)]).toEqual([role, view, all])
    for (const view of requisitionTabs)
      expect([view, labels('STF', view)]).toEqual([view, [...patient, ...people, ...dates, ...due, ...codes, ...rest]])
  })

  it('VIEW-47 LIST-137 exclude the collaborator for collaborators, and the flag for sales', () => {
    const all = labels('STF')
    expect(labels('COLA')).toEqual(all.filter((label) => label !== 'Collaborator'))
    expect(labels('SLS')).toEqual(all.filter((label) => label !== 'Flag'))
  })

  it('LIST-056 LIST-057 VIEW-G5 are fewer for clients and physicians, each with its counterpart', () => {
    const narrow = [...patient, 'Status', 'Collaborator']
    expect(labels('CLNT', 'AllForClient')).toEqual([
      ...narrow,
      'Physician',
      'Client Event',
      'Date Collected',
      'Test Codes',
    ])
    expect(labels('PHYS', 'AllForPhysician')).toEqual([
      ...narrow,
      'Client',
      'Client Event',
      'Date Collected',
      'Test Codes',
    ])
    for (const role of ['CLNT', 'PHYS'] as const)
      for (const view of requisitionTabs) expect(labels(role, view)).not.toContain('Status')
  })

  it('the events are those of the chosen client; a client user has only its own', () => {
    const events = (role: Role, entityId: number | null) =>
      filtersOf('All', role, entityId).find(({ name }) => name === 'eventId')?.lookupParams
    expect(events('STF', null)?.({})).toBeNull()
    expect(events('PHYS', 3)?.({ clientId: 12 })).toEqual({ id: 12 })
    expect(events('CLNT', 7)?.({})).toEqual({ id: 7 })
    expect(filtersOf('All', 'STF', null).find(({ name }) => name === 'clientId')?.clears).toEqual(['eventId'])
  })
})
