import { describe, expect, it } from 'vitest'
import { findTab, requisitionTabs, tabsFor } from './tabs.ts'

const restricted = ['view', 'issues', 'specimens', 'tests', 'status', 'reportsDelivery', 'billing']

describe('the tabs of a requisition', () => {
  it('are twelve, in the order of the specification', () => {
    expect(Object.entries(requisitionTabs)).toEqual([
      ['view', 'View'],
      ['issues', 'Issues'],
      ['specimens', 'Specimens'],
      ['locations', 'Locations'],
      ['tests', 'Tests'],
      ['status', 'Status'],
      ['reportsDelivery', 'Reports/Delivery'],
      ['activity', 'Activity'],
      ['labNotes', 'QA Notes'],
      ['billing', 'Billing'],
      ['payments', 'Payments'],
      ['patientHistory', 'Patient History'],
    ])
    expect(tabsFor('STF')).toHaveLength(12)
  })

  it.each([
    ['DETAIL-011', 'view'],
    ['DETAIL-012', 'issues'],
    ['DETAIL-013', 'specimens'],
    ['DETAIL-014', 'locations'],
    ['DETAIL-015', 'tests'],
    ['DETAIL-016', 'status'],
    ['DETAIL-017', 'reportsDelivery'],
    ['DETAIL-018', 'activity'],
    ['DETAIL-019', 'labNotes'],
    ['DETAIL-020', 'billing'],
    ['DETAIL-021', 'payments'],
    ['DETAIL-022', 'patientHistory'],
  ])('%s there is the tab %s', (_, slug) => {
    expect(requisitionTabs).toHaveProperty(slug)
    expect(tabsFor('STF')).toContain(slug)
  })

  it('are restricted for clients and collaborators, DETAIL-025 DETAIL-026', () => {
    expect(tabsFor('CLNT')).toEqual(restricted)
    expect(tabsFor('COLA')).toEqual(restricted)
    expect(tabsFor('PHYS')).toEqual([])
  })

  it('are found by slug: view without one, none for an unknown slug', () => {
    expect([undefined, 'issues', 'nonsense', 'toString'].map(findTab)).toEqual(['view', 'issues', null, null])
  })
})
