import { type Role, roles } from '@lis/contract/access/roles.ts'
import { printPath } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { modules } from '../../src/app.ts'
import { type Caller, openTestApp } from '../app.ts'
import { expectedCalls } from './expected-calls.ts'

const test = openTestApp()
const callers = new Map<string, Caller>()
beforeAll(async () => {
  for (const role of roles) callers.set(role, await test.as(role))
})

const calls = modules
  .flatMap((module) => Object.values(module.routes))
  .map((route) => ({ name: `${route.method} ${printPath(route, (name) => `:${name}`)}`, route }))

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
  printPath(call.route, (name) => (call.name.includes('jobs/:id') ? uuid : (values[name] ?? missing)))

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

  it.each(calls)('PERM-020..PERM-128 $name answers those who may and no others', async (call) => {
    const who = expectedCalls.get(call.name) ?? []
    const isOpen = who.includes('everybody')
    const nobody = await statusFor(test.nobody, call)
    expect(isOpen ? nobody !== 401 || call.route.access === 'public' : nobody === 401, `nobody: ${nobody}`).toBe(true)
    const admitted: Role[] = []
    for (const role of roles) {
      const status = await statusFor(callers.get(role) as Caller, call)
      expect(status, `${role}: ${status}`).toBeLessThan(500)
      if (isOpen || (status !== 401 && status !== 403)) admitted.push(role)
    }
    expect(admitted.join(' ')).toBe(isOpen ? roles.join(' ') : who.join(' '))
  })
})
