import { permissions } from '@lis/contract/access/permissions.ts'
import { listColumns } from '@lis/contract/list-columns.ts'
import { type RequisitionView, requisitionViews } from '@lis/contract/requisitions/views.ts'
import { expect, it } from 'vitest'

type ListView = Exclude<RequisitionView, 'BillingBatch'>
const views = Object.keys(requisitionViews).filter((name) => name !== 'BillingBatch') as ListView[]
const standard = (view: ListView) => {
  const { columns, hidden } = listColumns[`requisitions/${view}`]
  return columns.filter((name) => !hidden.includes(name))
}

it("LIST-072 LIST-138 tab All has the column 'Notify Patient?', and no role may see it", () => {
  expect(standard('All')).toContain('notify')
  expect(permissions['requisitions.seeNotifyPatient']).toEqual([])
})

it('the lists of clients and physicians each name their counterpart', () => {
  const [practice, physician] = [standard('AllForClient'), standard('AllForPhysician')]
  expect(practice.filter((name) => !physician.includes(name))).toEqual(['physician'])
  expect(physician.filter((name) => !practice.includes(name))).toEqual(['client'])
})

it('LIST-136 Req ID and Patient Name link to the requisition for the laboratory, sales and collaborators only', () => {
  expect([...permissions['requisitions.link']].sort()).toEqual(['ADM', 'COLA', 'MGMT', 'SLS', 'STF'])
  for (const view of views) expect(standard(view).slice(0, 2)).toEqual(['reqId', 'patientLastName'])
})
