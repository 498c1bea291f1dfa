import { permissions } from '@lis/contract/access/permissions.ts'
import { expect, it } from 'vitest'
import { columnNames } from './view-layouts.ts'

it("LIST-072 LIST-138 tab All has the column 'Notify Patient?', and no role may see it", () => {
  expect(columnNames('All')).toContain('notify')
  expect(permissions['requisitions.seeNotifyPatient']).toEqual([])
})

it('the list of practices and that of physicians name each their counterpart', () => {
  const [practice, physician] = [columnNames('AllForClient'), columnNames('AllForPhysician')]
  expect(practice.filter((name) => !physician.includes(name))).toEqual(['physician'])
  expect(physician.filter((name) => !practice.includes(name))).toEqual(['client'])
})
