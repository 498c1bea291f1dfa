import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modules } from '../../src/app.ts'
import { openApiDocument } from '../../src/platform/http/open-api.ts'
import { type Caller, openTestApp } from '../app.ts'
import { bodyFor, type JsonSchema, valueFor } from './fuzz-values.ts'
import { enter, makeWorld, mark, type World } from './world.ts'

/** More by hand: `LIS_FUZZ_REQUESTS=100000 LIS_FUZZ_SEED=7 npx vitest run fuzz`. */
const requests = Number(process.env.LIS_FUZZ_REQUESTS ?? 3000)
const seed = Number(process.env.LIS_FUZZ_SEED ?? 20_261_115)

interface Parameter {
  name: string
  in: 'path' | 'query'
  schema: JsonSchema
}
interface Operation {
  method: string
  path: string
  parameters: Parameter[]
  body: JsonSchema | undefined
}

const { paths } = openApiDocument(modules, '/api/v3.0', 'test') as {
  paths: Record<string, Record<string, Record<string, unknown>>>
}
const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => ({
    method: method.toUpperCase(),
    path,
    parameters: one.parameters as Parameter[],
    body: (one.requestBody as { content: Record<string, { schema: JsonSchema }> } | undefined)?.content[
      'application/json'
    ]?.schema,
  })),
)
const each = Math.max(1, Math.ceil(requests / operations.length))

const test = openTestApp()
let world: World
let caller: Caller
beforeAll(async () => {
  world = await makeWorld(test, mark.own, (await test.given.lab()).id)
  caller = await test.as('MGMT')
})

const answered = new Map<number, number>()
afterAll(() => {
  if (process.env.LIS_FUZZ_REQUESTS) console.log('answers by status', Object.fromEntries(answered))
})

/** What must not be in any reply: where our code is, and how the database is asked. */
const inner =
  /\.ts:\d+|node_modules|\bat \S+ \(|syntax error|violates|relation "|column "|\$\d+::|select .+ from |insert into|update .+ set /i

/** Records that exist, a number that does not, and anything else. */
const pathValue = ({ name, schema }: Parameter) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...Object.values(worldIds())) },
    { weight: 2, arbitrary: valueFor(schema, name) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '0',
        '-1',
        '99999999999999999999',
        '1e3',
        '%00',
        '..',
        "'",
        'ALL',
        'LOG',
        'x'.repeat(300),
      ),
    },
  )
const worldIds = () => Object.fromEntries(Object.entries(world).filter(([, value]) => typeof value === 'number'))

const callsOf = ({ parameters, body }: Operation) =>
  fc.record({
    path: fc.record(Object.fromEntries(parameters.filter((p) => p.in === 'path').map((p) => [p.name, pathValue(p)]))),
    query: fc.record(
      Object.fromEntries(parameters.filter((p) => p.in === 'query').map((p) => [p.name, valueFor(p.schema, p.name)])),
      { requiredKeys: [] },
    ),
    body: body ? bodyFor(body) : fc.constant(undefined),
  })

const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

describe('every call of the OpenAPI document', () => {
  it.each(operations)(
    '$method $path takes anything without failing inside or telling how it works',
    { timeout: 600_000 },
    async (operation) => {
      for (const input of fc.sample(callsOf(operation), { numRuns: each, seed })) {
        const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent(text(input.path[name]).toWellFormed()),
        )
        const query = new URLSearchParams(
          Object.fromEntries(Object.entries(input.query).map(([name, value]) => [name, text(value)])),
        ).toString()
        const reply = await test.inject({
          method: operation.method as 'GET',
          url: `/api/v3.0${address}?${query}`,
          headers: { authorization: `Bearer ${caller.token}` },
          ...(input.body !== undefined && { payload: input.body as object }),
        })
        answered.set(reply.status, (answered.get(reply.status) ?? 0) + 1)
        const shown = JSON.stringify(reply.body)
        const what = `${operation.method} ${address}?${query} ${JSON.stringify(input.body)?.slice(0, 600)} → ${shown?.slice(0, 300)}`
        expect(reply.status, what).toBeLessThan(500)
        if (reply.status >= 400) expect(inner.test(shown ?? ''), what).toBe(false)
        // A call that ended the caller's own session or rights: the next one is somebody new.
        if ([401, 403, 408, 420].includes(reply.status)) caller = await test.as('MGMT')
      }
    },
  )
})

describe('what a caller must not be able to do', () => {
  it('a profile takes no role, entity, status or other field that is not its own', async () => {
    const cola = await enter(test, 'COLA', world)
    const row = async () =>
      (
        await test.database.owner.query(
          'select role_code, status_code, client_id, collaborator_id, user_name from app_user where id = $1',
          [cola.userId],
        )
      ).rows[0]
    const before = await row()
    const { status } = await cola.put(`mfa/profile/${cola.userId}`, {
      ...{ userFirstName: 'Ann', userLastName: 'Lee', userRoleCode: 'ADM', roleCode: 'ADM', role_code: 'ADM' },
      ...{
        entityId: 1,
        clientId: 1,
        userStatusCode: 'LCK',
        userName: 'root',
        isAdmin: true,
        deptIds: [1],
        userDepts: [1],
      },
      ...{ __proto__: { role: 'ADM' }, constructor: { prototype: { role: 'ADM' } } },
    })
    expect([200, 400]).toContain(status)
    expect(await row()).toEqual(before)
    expect((await cola.get('users')).status).toBe(403)
    const departments = await test.database.owner.query('select from app_user_department where user_id = $1', [
      cola.userId,
    ])
    expect(departments.rowCount).toBe(0)
  })

  it.each([
    '../../../etc/passwd.pdf',
    '..\\..\\boot.pdf',
    '/etc/passwd.pdf',
    'a/../../b.pdf',
    '%2e%2e%2fx.pdf',
    'x\u0000.pdf',
    '…/…/ü.pdf',
  ])('a file called %j is stored under a key of our own', async (fileName) => {
    const staff = await test.as('STF')
    const { status, body } = await staff.post(`requisitions/${world.reqId}/upload`, {
      fileName,
      docTypeCode: 'SCANREQ',
    })
    expect([200, 400]).toContain(status)
    if (status === 200) expect(body.data.fields.key).toMatch(/^[\w/-]+(\.\w+)?$/)
  })

  it('a slot serves only the session that asked for it, and only the use it was asked for', async () => {
    const [one, other] = [await enter(test, 'COLA', world), await enter(test, 'COLA', world)]
    const slot = await one.post(`requisitions/${world.reqId}/upload`, { fileName: 'a.pdf', docTypeCode: 'SCANREQ' })
    const file = { originalFileName: 'a.pdf', fileName: slot.body.data.newFileName }
    expect((await other.post(`requisitions/${world.reqId}/scanreqs`, file)).status).toBe(400)
    expect((await one.post(`requisitions/${world.reqId}/inscards`, file)).status).toBe(400)
  })

  it('no address leads away from this host', async () => {
    const away = [
      '//evil.example',
      '/\\evil.example',
      '/login?next=https://evil.example',
      '/reset/x?url=//evil.example',
      '/%2f%2fevil.example',
      '/api/v3.0//evil.example',
    ]
    for (const url of away) {
      const reply = await test.inject({ method: 'GET', url })
      expect([url, reply.status < 300 || reply.status >= 400, String(reply.headers.location ?? '')]).toEqual([
        url,
        true,
        '',
      ])
    }
  })
})
