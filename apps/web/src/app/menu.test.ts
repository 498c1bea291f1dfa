import { can } from '@lis/contract/access/permissions.ts'
import { type Role, roles } from '@lis/contract/access/roles.ts'
import { describe, expect, it } from 'vitest'
import { menuFor, menuItems } from './menu.ts'

const labels = (role: Role, place?: string) =>
  menuFor(role)
    .filter((item) => place === undefined || item.place === place)
    .map((item) => item.label)

describe('the menu', () => {
  it('SHELL-24 SHELL-25 SHELL-26 SHELL-27 SHELL-28 SHELL-29 SHELL-30 SHELL-31 links the pages of an administrator', () => {
    expect(
      menuFor('ADM')
        .filter((item) => item.place === 'main')
        .map(({ label, to }) => [label, to]),
    ).toEqual([
      ['Collaborators', '/collaborators'],
      ['Clients', '/clients'],
      ['Physicians', '/physicians'],
      ['Sales', '/sales'],
      ['Requisitions', '/requisitions'],
      ['Reports', '/reports'],
      ['Insights', '/insights'],
      ['Users', '/users'],
      ['Test Reports Upload', '/test-reports-upload'],
    ])
  })
  it('HOME-02 has the work of the day above the rest, in the order of its queues', () => {
    expect(labels('STF', 'work')).toEqual([
      'Home',
      'Review',
      'Quality Control',
      'Critical Calls',
      'Sign-out',
      'Interfaces',
    ])
    expect(labels('PHYS', 'work')).toEqual(['Home', 'Results', 'Order tests'])
    expect(labels('BILL', 'work')).toEqual(['Home'])
  })
  it("SHELL-33 SHELL-34 SHELL-35 puts freezer and batch upload under 'More', with the work list of those who deliver", () => {
    expect(labels('STF', 'more')).toEqual([
      'Freezer Reverse Lookup',
      'Batch CSV Upload',
      'Laboratories',
      'Webhooks',
      'Instruments',
      'Late Deliveries',
      'Undo',
    ])
    expect(labels('CLNT', 'more')).toEqual([])
  })
  it('SHELL-32 SHELL-43 SHELL-44 SHELL-46 ends with profile, notifications and log-out', () => {
    expect(labels('COLA', 'bottom')).toEqual(['User Profile', 'Notifications', 'Log-out'])
    expect(labels('PHYS', 'bottom')).toEqual(['User Profile', 'Log-out'])
  })
  it('gives collaborators, who have no button on the list, a link to a new requisition', () => {
    expect(labels('COLA', 'main')).toEqual(['Requisitions', 'Add Requisition'])
  })
  it('gives a billing user the list under its own name', () => {
    expect(labels('BILL', 'main')).toEqual(['Billed Requisitions'])
  })
  it.each(roles)('shows %s exactly the items of its permissions', (role) => {
    expect(labels(role)).toEqual(menuItems.filter((item) => can(role, item.permission)).map((item) => item.label))
  })
})
