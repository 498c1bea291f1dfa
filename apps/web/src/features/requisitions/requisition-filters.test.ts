import { lookups } from '@lis/contract/lookups.ts'
import { describe, expect, it } from 'vitest'
import { filtersOf } from './requisition-filters.ts'

describe('the search options of requisitions', () => {
  it('VIEW-54..VIEW-63 VIEW-G10 are chosen from the lists of the specification', () => {
    const paths = Object.fromEntries(
      filtersOf('All', 'ADM').flatMap(({ label, lookup }) => (lookup ? [[label, lookups[lookup].path]] : [])),
    )
    expect(paths).toEqual({
      Status: 'req_status_types',
      Collaborator: 'collaborators',
      Client: 'filter_dd/clients',
      Physician: 'filter_dd/physicians',
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
})

describe('the search options by role', () => {
  const labels = (role: 'CLNT' | 'PHYS' | 'STF' | 'COLA') => filtersOf('All', role).map(({ label }) => label)

  it('LIST-056 LIST-057 are fewer for practices and physicians, each with its counterpart', () => {
    const narrow = ['Req ID', 'Patient First Name', 'Patient Last Name', 'Patient DOB', 'Status', 'Collaborator']
    expect(labels('CLNT')).toEqual([...narrow, 'Physician', 'Date Collected', 'Test Codes'])
    expect(labels('PHYS')).toEqual([...narrow, 'Client', 'Date Collected', 'Test Codes'])
    expect(labels('STF').length).toBeGreaterThan(20)
    expect(labels('COLA')).not.toContain('Collaborator')
  })
})
