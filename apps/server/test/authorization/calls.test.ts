import { type Role, roles } from '@lis/contract/access/roles.ts'
import { fillPath } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { modules } from '../../src/modules.ts'
import { type Caller, openTestApp } from '../app.ts'
import { expectedCalls } from './expected-calls.ts'

const test = openTestApp()
const callers = new Map<string, Caller>()
beforeAll(async () => {
  for (const role of roles) callers.set(role, await test.as(role))
  // Ordering takes a practice besides the role.
  const client = await test.given.client({ is_portal_order: true })
  const physician = await test.given.physician()
  await test.given.clientPhysician(client.id, physician.id)
  callers.set('CLNT', await test.as('CLNT', client.id))
  callers.set('PHYS', await test.as('PHYS', physician.id))
})

const calls = modules
  .flatMap((module) => Object.values(module.routes))
  .map((route) => ({ name: `${route.method} ${fillPath(route, (name) => `:${name}`)}`, route }))

const missing = '999999999'
const uuid = '00000000-0000-4000-8000-000000000000'
/** Nothing of the kind exists, so that no call does any harm: who may not is refused before anything is looked for. */
const values: Record<string, string> = {
  view: 'ALL',
  status: 'LOG',
  type: 'PASSCODE',
  loadFileTypeCode: 'RESULT',
  form: 'requisition',
  recordKey: 'new',
  sessionId: uuid,
  username: 'nobody.here',
}
const address = (call: (typeof calls)[number]) =>
  fillPath(call.route, (name) => (call.name.includes('jobs/:id') ? uuid : (values[name] ?? missing)))

const statusFor = async (caller: Caller, call: (typeof calls)[number]) => {
  const path = address(call)
  if (call.route.method === 'GET') return (await caller.get(path)).status
  const send = { POST: caller.post, PUT: caller.put, DELETE: caller.del }[call.route.method]
  return (await send(path, {})).status
}

describe('every call', () => {
  it('PERM-018 has a row in the table of who may make it, and the table has no other', () => {
    expect([...expectedCalls.keys()].sort()).toEqual([...new Set(calls.map(({ name }) => name))].sort())
  })

  const admittedTo = async (call: (typeof calls)[number]): Promise<Role[]> => {
    const admitted: Role[] = []
    for (const role of roles) {
      const status = await statusFor(callers.get(role) as Caller, call)
      expect(status, `${role}: ${status}`).toBeLessThan(500)
      if (status !== 401 && status !== 403) admitted.push(role)
    }
    return admitted
  }

  it.each(calls)('$name answers those who may and no others', async (call) => {
    const who = expectedCalls.get(call.name) ?? []
    const isOpen = who.includes('everybody')
    const nobody = await statusFor(test.nobody, call)
    expect(isOpen ? nobody !== 401 || call.route.access === 'public' : nobody === 401, `nobody: ${nobody}`).toBe(true)
    const admitted = await admittedTo(call)
    if (!isOpen) expect(admitted.join(' ')).toBe(who.join(' '))
  })

  // The permissions that the specification names, each by the call that it guards.
  it.each([
    ['PERM-027 DETAIL-031', 'PUT requisitions/:id', 'ADM MGMT STF'],
    ['PERM-028 PAT-016', 'PUT requisitions/:id/patients/:patientId', 'ADM MGMT STF COLA'],
    ['PERM-028 PAT-016', 'PUT requisitions/:id/patient_hists/:histId', 'ADM MGMT STF COLA'],
    ['PERM-030 ISSUE-03', 'POST requisitions/:id/issues', 'ADM MGMT STF'],
    ['PERM-031 DELIV-36', 'PUT requisitions/:reqID/reports/:reportID', 'ADM MGMT STF'],
    ['PERM-034 ISSUE-48', 'GET users/:userId/notifications', 'ADM MGMT STF COLA'],
    ['PERM-042', 'GET collaborators/:id', 'ADM MGMT STF'],
    ['PERM-043', 'GET sales/:id', 'ADM MGMT STF'],
    ['PERM-044 SPEC-071', 'GET freezer_specs', 'ADM MGMT STF'],
    ['PERM-046', 'POST clients', 'ADM MGMT STF'],
    ['PERM-047', 'PUT clients/:id', 'ADM MGMT STF'],
    ['PERM-048', 'POST physicians', 'ADM MGMT STF'],
    ['PERM-049', 'PUT physicians/:id', 'ADM MGMT STF'],
    ['PERM-088 DETAIL-033', 'PUT requisitions/:reqID/pass_codes', 'ADM MGMT STF'],
    ['PERM-088 DETAIL-033', 'PUT requisitions/:reqID/fail_codes', 'ADM MGMT STF'],
    ['PERM-089 SPEC-003', 'POST requisitions/:id/specimens', 'ADM MGMT STF'],
    ['PERM-090 BLG-019', 'PUT requisitions/:id/billings/:billId', 'ADM MGMT STF'],
    ['PERM-107 DOC-10', 'POST requisitions/:id/scanreqs', 'ADM MGMT STF COLA'],
    ['PERM-108 TEST-06', 'POST requisitions/:id/req_tests', 'ADM MGMT STF'],
    ['PERM-113 BLG-073', 'POST requisitions/:id/billings/:billId/insurances', 'ADM MGMT STF'],
    ['PERM-114 BLG-088', 'POST requisitions/:id/req_icds', 'ADM MGMT STF'],
    ['PERM-115 BLG-094', 'POST requisitions/:id/bill_notes', 'ADM MGMT STF'],
  ])('%s %s is for %s alone', async (_, name, who) => {
    const call = calls.find((one) => one.name === name)
    expect(call, name).toBeDefined()
    const admitted = await admittedTo(call as (typeof calls)[number])
    expect(admitted.toSorted()).toEqual(who.split(' ').toSorted())
  })
})
