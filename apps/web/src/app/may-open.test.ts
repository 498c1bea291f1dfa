import { roles } from '@lis/contract/access/roles.ts'
import { describe, expect, it } from 'vitest'
import { mayOpen } from './may-open.ts'
import { appRoutes } from './routes.ts'

const dept = (deptCode: string) => ({ deptId: 1, deptCode, deptName: deptCode })
const someone = (userRoleCode: unknown, ...codes: string[]) => ({
  access: { userRoleCode },
  userDepts: codes.map(dept),
})
const page = { access: 'requisitions.list', departments: ['LAB', 'ACC'] } as const

describe('a page', () => {
  it('that names departments is closed to all others, whatever their role', () => {
    expect(mayOpen(page, someone('ADM', 'ACC'))).toBe(true)
    expect(mayOpen(page, someone('ADM', 'BILLING'))).toBe(false)
    expect(mayOpen(page, someone('ADM'))).toBe(false)
  })

  it('with departments still requires the role', () => {
    expect(mayOpen({ ...page, access: 'users.write' }, someone('STF', 'LAB'))).toBe(false)
    expect(mayOpen(page, someone('Et', 'LAB'))).toBe(false)
  })

  it('PERM-117 without departments is open to every department', () => {
    expect(appRoutes.filter(({ departments }) => departments !== undefined)).toEqual([])
    for (const route of appRoutes)
      for (const role of roles) expect(mayOpen(route, someone(role, 'LAB'))).toBe(mayOpen(route, someone(role)))
  })
})

describe('master data', () => {
  it.each([
    ['SHELL-05', 'clients'],
    ['SHELL-06', 'physicians'],
    ['SHELL-07', 'sales'],
    ['SHELL-08', 'collaborators'],
    ['SHELL-09', 'users'],
  ])('%s %s has a list, a page, a create form and an edit form', (_, type) => {
    const paths = appRoutes.map(({ path }) => path)
    for (const path of [`/${type}`, `/${type}/create`, `/${type}/:id`, `/${type}/:id/show`])
      expect(paths).toContain(path)
  })
})
