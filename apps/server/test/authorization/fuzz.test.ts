import { type Role, roles } from '@lis/contract/access/roles.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modules } from '../../src/modules.ts'
import { openApiDocument } from '../../src/platform/http/open-api.ts'
import { type Caller, openTestApp } from '../app.ts'
import { type Known, nearlyRight } from './fuzz-exact.ts'
import { bodyFor, type JsonSchema, valueFor } from './fuzz-values.ts'
import { enter, makeWorld, mark, recordsOf, type World } from './world.ts'

/** More by hand: `LIS_FUZZ_REQUESTS=100000 LIS_FUZZ_SEED=7 npx vitest run fuzz`. */
const requests = Number(process.env.LIS_FUZZ_REQUESTS ?? 3000)
const seed = Number(process.env.LIS_FUZZ_SEED ?? 20_261_115)

function takesAway({ method, path }: Operation) {
  return method === 'DELETE' || path.includes('logout')
}

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
  roles: string[]
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
    roles: one['x-roles'] as string[],
  })),
)
// Deleting calls come last, so that the calls before them find the records.
operations.sort((one, other) => Number(takesAway(one)) - Number(takesAway(other)))
const each = Math.max(1, Math.ceil(requests / operations.length))

// One connection for each pool: a call that waits for a second one while it holds the first would answer 503.
const test = openTestApp({ env: { DATABASE_POOL_SIZE: '1' } })
let world: World
let known: Known
const callers = new Map<string, Caller>()
const renewWorld = async () => {
  const word = `${mark.own}${worlds++ || ''}`
  world = await makeWorld(test, word, await labId())
  known = await knownIn(world)
  callers.clear()
}
let worlds = 0
let lab: Promise<number> | undefined
const labId = () => {
  lab ??= test.given.lab().then(({ id }) => id)
  return lab
}
beforeAll(renewWorld)

/** Names under which the calls take the records of the world. */
const knownIn = async (one: World): Promise<Known> => {
  const { rows } = await test.database.owner.query(
    `select (select min(id) from country) as country, (select min(id) from department) as dept, (select min(id) from program) as program,
      (select min(id) from test) as test, (select min(id) from lab_note_type) as note, (select min(id) from flag) as flag`,
  )
  const [first] = rows
  const { rows: states } = await test.database.owner.query('select min(id) as id from state where country_id = $1', [
    first.country,
  ])
  const ids: Record<string, number> = {
    ...{
      clientId: one.clientId,
      copyToClientId: one.clientId,
      colaId: one.collaboratorId,
      collaborator: one.collaboratorId,
    },
    ...{ orderingClientPhysId: one.linkId, copyToClientPhysId: one.linkId, eventId: one.eventId, labId: one.labId },
    ...{ physId: one.physicianId, salesId: one.salesId, serviceId: one.salesId, reportToId: one.salesId },
    ...{ reqId: one.reqId, reportId: one.reportId, patientId: one.patientId, reqTestId: one.testId, icdId: one.icdId },
    ...{ testId: first.test, deptId: first.dept, reporterDeptId: first.dept, resolverDeptId: first.dept },
    ...{ programId: first.program, labNoteTypeId: first.note, flagId: first.flag, useBillId: one.billId },
    useInsuranceId: one.insuranceId,
  }
  const several = Object.entries(ids).map(([name, id]) => [`${name}s`, [id]])
  const places = ['client', 'cola', 'patient', 'guarantor'].flatMap((of) => [
    [`${of}CountryId`, first.country],
    [`${of}StateId`, states[0].id],
  ])
  return {
    ...ids,
    ...Object.fromEntries(several),
    ...Object.fromEntries(places),
    version: 1,
    baseVersion: 1,
    panelIds: [],
  }
}

const callerOf = async (role: string): Promise<Caller> => {
  if (role === 'nobody') return test.nobody
  const found = callers.get(role) ?? (await enter(test, role as Role, world))
  callers.set(role, found)
  return found
}
/** Mostly a caller with the permission; now and then any caller. */
const roleFor = (operation: Operation) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('MGMT') },
    {
      weight: 5,
      arbitrary: fc.constantFrom(...(operation.roles[0] === 'everybody' ? ['nobody', 'GST'] : operation.roles)),
    },
    { weight: 1, arbitrary: fc.constantFrom('nobody', ...roles) },
  )

const answered = new Map<number, number>()
const slowest: [number, string][] = []
let tables: RegExp
beforeAll(async () => {
  const { rows } = await test.database.owner.query(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_name like '%\\_%'",
  )
  tables = new RegExp(`\\b(${rows.map(({ name }) => name).join('|')})\\b`)
})
afterAll(() => {
  if (!process.env.LIS_FUZZ_REQUESTS) return
  console.log('answers by status', Object.fromEntries(answered))
  console.log('slowest, in ms', slowest.sort(([one], [other]) => other - one).slice(0, 8))
})

/** What must not be in any reply: paths of our code, and SQL. */
const inner =
  /\.ts:\d+|node_modules|\bat \S+ \(|syntax error|violates|relation "|column "|\$\d+::|select .+ from |insert into|update .+ set /i

const strangePaths = ['0', '-1', '99999999999999999999', '1e3', '%00', '..', "'", 'ALL', 'LOG', 'x'.repeat(300)]
const pathWords: Record<string, string> = {
  view: 'ALL',
  status: 'LOG',
  form: 'requisition',
  recordKey: 'new',
  screen: 'users',
}

/** The record that the address names; else another one that exists, a number that does not, or anything. */
const pathValue = ({ name, schema }: Parameter, before: string, root: string) =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constant(pathWords[name] ?? recordsOf(world, root, 1)[before] ?? worldIds()[name] ?? '1'),
    },
    { weight: 3, arbitrary: fc.constantFrom(...Object.values(worldIds())) },
    { weight: 1, arbitrary: valueFor(schema, name) },
    { weight: 1, arbitrary: fc.constantFrom(...strangePaths) },
  )
const worldIds = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(world).filter(([, value]) => typeof value === 'number'))

const callsOf = (operation: Operation) => {
  const segments = operation.path.slice(1).split('/')
  const before = (name: string) => segments[segments.indexOf(`{${name}}`) - 1] ?? ''
  const [inPath, inQuery] = (['path', 'query'] as const).map((where) =>
    operation.parameters.filter((p) => p.in === where),
  )
  return fc.record({
    role: roleFor(operation),
    path: fc.record(
      Object.fromEntries((inPath ?? []).map((p) => [p.name, pathValue(p, before(p.name), segments[0] ?? '')])),
    ),
    query: someOf(inQuery ?? []),
    body: operation.body
      ? fc.oneof(
          { weight: 3, arbitrary: nearlyRight(operation.body, known) },
          { weight: 1, arbitrary: bodyFor(operation.body) },
        )
      : fc.constant(undefined),
  })
}
const queryValue = ({ name, schema }: Parameter) => {
  if (['fromDate', 'toDate'].includes(name)) return fc.oneof(fc.constant('2026-11-01'), valueFor(schema, name))
  if (name === 'id') return fc.oneof(fc.constantFrom(...Object.values(worldIds())), valueFor(schema, name))
  // A list says by which fields it is filtered and sorted.
  const fields = / Fields: (.+)/.exec(schema.description ?? '')?.[1]?.split(', ') ?? []
  if (fields.length === 0) return valueFor(schema, name)
  const words = [
    '1',
    'Own',
    "O'Brien",
    '%',
    '2026-11-01',
    '2026-11-01..2026-11-02',
    'x'.repeat(3000),
    '99999999999999999999',
    'LOG',
  ]
  const fitting = fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...words), fc.boolean())
  const listed = fitting.map(([field, word, isUp]) =>
    name === 'sort' ? `[${field},${isUp ? 'ASC' : 'DESC'}]` : JSON.stringify({ [field]: isUp ? word : [word, '2'] }),
  )
  return fc.oneof({ weight: 8, arbitrary: listed }, { weight: 1, arbitrary: valueFor(schema, name) })
}
/** Half of the queries are empty, except where a call needs to know which rows it is about. */
const someOf = (parameters: Parameter[]) => {
  const requiredKeys = parameters.filter(({ name }) => name === 'id').map(({ name }) => name)
  const query = fc.record(Object.fromEntries(parameters.map((p) => [p.name, queryValue(p)])), { requiredKeys })
  return requiredKeys.length > 0 ? query : fc.oneof(fc.constant({} as Record<string, unknown>), query)
}

const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

describe('every call of the OpenAPI document', () => {
  it.each(operations)(
    '$method $path accepts any input without an internal error or a leak of internals, also with one connection',
    { timeout: 1_200_000 },
    async (operation) => {
      if (each > 30) await renewWorld() // a long run damages its records
      for (const input of fc.sample(callsOf(operation), { numRuns: each, seed })) {
        const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent(text(input.path[name]).toWellFormed()),
        )
        const query = new URLSearchParams(
          Object.fromEntries(Object.entries(input.query).map(([name, value]) => [name, text(value)])),
        ).toString()
        const caller = await callerOf(input.role)
        const begun = performance.now()
        const reply = await test.inject({
          method: operation.method as 'GET',
          url: `/api/v3.0${address}?${query}`,
          headers: caller.token ? { authorization: `Bearer ${caller.token}` } : {},
          ...(input.body !== undefined && { payload: input.body as object }),
        })
        slowest.push([Math.round(performance.now() - begun), `${operation.method} ${operation.path}`])
        answered.set(reply.status, (answered.get(reply.status) ?? 0) + 1)
        const shown = JSON.stringify(reply.body)
        const what = `${input.role} ${operation.method} ${address}?${query} ${JSON.stringify(input.body)?.slice(0, 600)} → ${shown?.slice(0, 300)}`
        expect(reply.status, what).toBeLessThan(500)
        if (reply.status >= 400) expect(inner.test(shown ?? '') || tables.test(shown ?? ''), what).toBe(false)
        // The call has ended the caller's own session or permissions: the next one has a new caller.
        if ([401, 408, 420].includes(reply.status)) callers.delete(input.role)
      }
    },
  )
})

describe('what a caller must not be able to do', () => {
  it('a profile accepts no role, entity, status or other field of the account', async () => {
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

  it('a slot works only for its session and its purpose', async () => {
    const [one, other] = [await enter(test, 'COLA', world), await enter(test, 'COLA', world)]
    const slot = await one.post(`requisitions/${world.reqId}/upload`, { fileName: 'a.pdf', docTypeCode: 'SCANREQ' })
    const file = { originalFileName: 'a.pdf', fileName: slot.body.data.newFileName }
    expect((await other.post(`requisitions/${world.reqId}/scanreqs`, file)).status).toBe(400)
    expect((await one.post(`requisitions/${world.reqId}/inscards`, file)).status).toBe(400)
  })

  it('no returned URL leads to another host', async () => {
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
