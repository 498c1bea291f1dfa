import { permissions } from '@lis/contract/access/permissions.ts'
import { requisitionViews } from '@lis/contract/requisitions/views.ts'
import { expect, it } from 'vitest'
import { columnNames } from './view-layouts.ts'

const viewNames = Object.keys(requisitionViews).filter((name) => name !== 'BillingBatch') as Parameters<
  typeof columnNames
>[0][]

it("LIST-072 LIST-138 tab All has the column 'Notify Patient?', and no role may see it", () => {
  expect(columnNames('All')).toContain('notify')
  expect(permissions['requisitions.seeNotifyPatient']).toEqual([])
})

it('the lists of clients and physicians each name their counterpart', () => {
  const [practice, physician] = [columnNames('AllForClient'), columnNames('AllForPhysician')]
  expect(practice.filter((name) => !physician.includes(name))).toEqual(['physician'])
  expect(physician.filter((name) => !practice.includes(name))).toEqual(['client'])
})

it('LIST-136 Req ID and Patient Name link to the requisition for the laboratory, sales and collaborators only', () => {
  expect([...permissions['requisitions.link']].sort()).toEqual(['ADM', 'COLA', 'MGMT', 'SLS', 'STF'])
  for (const view of viewNames) expect(columnNames(view).slice(0, 2)).toEqual(['reqId', 'patient'])
})
