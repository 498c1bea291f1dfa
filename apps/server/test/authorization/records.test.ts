import { fillPath } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { modules } from '../../src/modules.ts'
import { type Caller, openTestApp, type Reply } from '../app.ts'
import { expectedCalls } from './expected-calls.ts'
import { enter, makeWorld, mark, recordsOf, scopedRoles, type World } from './world.ts'

const test = openTestApp()
let own: World
let foreign: World
let ownBatch: number
let foreignBatch: number
const callers = new Map<string, Caller>()

beforeAll(async () => {
  const lab = await test.given.lab()
  own = await makeWorld(test, mark.own, lab.id)
  foreign = await makeWorld(test, mark.foreign, lab.id)
  // Billing sees what is in a batch: only our own requisition is.
  ownBatch = (await test.given.store('billing_batch', { record_count: 1 })).id
  foreignBatch = 999_999
  await test.database.db
    .insertInto('billing_batch_item')
    .values({ batch_id: ownBatch, requisition_id: own.reqId })
    .execute()
  for (const role of scopedRoles) callers.set(role, await enter(test, role, own))
  callers.set('ADM', await test.as('ADM'))
})

interface Call {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
}
const calls: Call[] = modules
  .flatMap((module) => Object.values(module.routes))
  .map((route) => ({ route, path: fillPath(route, (name) => `:${name}`) }))
  .map(({ route, path }) => ({ name: `${route.method} ${path}`, method: route.method, path }))

const words: Record<string, string> = { ':view': 'ALL', ':screen': 'users', ':resource': 'requisitions', ':tab': 'All' }

/** The first record of the path from one world, those below it from another. */
const address = ({ path }: Call, caller: Caller, world: World, below = world): string => {
  const segments = path.split('/')
  const [root = ''] = segments
  let isFirst = true
  return segments
    .map((segment, index) => {
      if (!segment.startsWith(':')) return segment
      const word = words[segment]
      if (word !== undefined) return word
      if (segments[index - 1] === 'users') return caller.userId
      const from = isFirst ? world : below
      isFirst = false
      return encodeURIComponent(
        recordsOf(from, root, from === own ? ownBatch : foreignBatch)[segments[index - 1] as string] ??
          `no-${segment.slice(1)}`,
      )
    })
    .join('/')
}

const bodies: Record<string, (world: World) => object> = {
  upload: () => ({ fileName: 'a.pdf', docTypeCode: 'SCANREQ' }),
  work_logs: () => ({ issueWorkLog: 'done' }),
  download: (world) => ({ callSource: 'VIEW', reportIds: [world.reportId] }),
  bulk_download: (world) => ({ callSource: 'VIEW', reqIds: [world.reqId] }),
  document: () => ({ originalFileName: 'a.pdf', fileName: 'requisitions/a.pdf' }),
}
const documentCalls = ['scanreqs', 'inscards', 'addons', 'scaneobs', 'scaninvoices', 'checks']
const bodyOf = ({ path }: Call, world: World): object => {
  const last = path.split('/').at(-1) as string
  if (path.includes('details/download')) return {}
  return (bodies[documentCalls.includes(last) ? 'document' : last] ?? (() => ({})))(world)
}

const make = (call: Call, caller: Caller, world: World, below = world): Promise<Reply> => {
  const path = address(call, caller, world, below)
  if (call.method === 'GET') return caller.get(path)
  const send = { POST: caller.post, PUT: caller.put, DELETE: caller.del }[call.method]
  return send(path, bodyOf(call, below))
}

const rolesOf = (call: Call) => scopedRoles.filter((role) => expectedCalls.get(call.name)?.includes(role))
const caller = (role: string) => callers.get(role) as Caller
const leaksIn = ({ body }: Reply) => JSON.stringify(body).includes(mark.foreign)

/** Calls whose first parameter is a record of a practice; the others identify a kind, a user's own record, or a laboratory. */
const personal =
  /^(users|mfa|drafts|jobs|report_files|smart_filters|schedules|list_settings|requisition_scans|undo_actions|lovs|countries|labs|requisitions\/:view|bulk_csv_uploader)/
const ofRecord = calls.filter(
  (call) => call.path.includes(':') && !personal.test(call.path) && rolesOf(call).length > 0,
)
/** Deleting or changing one's own record would break the following calls. */
const reading = calls.filter(
  (call) => call.method === 'GET' && !call.path.endsWith('_reports/preview') && rolesOf(call).length > 0,
)

describe('a record outside the scope', () => {
  it.each(ofRecord)('PERM-018 $name answers 404, as if it did not exist', async (call) => {
    for (const role of rolesOf(call)) {
      const reply = await make(call, caller(role), foreign)
      expect([role, reply.status, reply.body.message, leaksIn(reply)]).toEqual([role, 404, expect.any(String), false])
    }
  })

  const nested = ofRecord.filter(({ path }) => path.split(':').length > 2 && !path.includes('req_icds'))
  it.each(nested)('$name does not reach it through a record of one’s own', async (call) => {
    // A super admin may give a requisition another patient that is known (PAT-G11): there the two need not belong together.
    const others = call.name === 'PUT requisitions/:id/patients/:patientId' ? [] : ['ADM']
    for (const role of [...rolesOf(call), ...others]) {
      const reply = await make(call, caller(role), own, foreign)
      expect([role, reply.status, leaksIn(reply)]).toEqual([role, 404, false])
    }
  })
})

/** Billing users choose no client anywhere: they have only the billing date to filter by (VIEW-G5). */
const isAnswered = (call: Call, role: string) =>
  !(role === 'BILL' && /^clients\/:id/.test(call.path)) &&
  !/^(users\/:id|jobs|report_files|drafts|smart_filters\/:id|requisition_scans)/.test(call.path)
const fileAt = (link: string) => {
  const { pathname, search } = new URL(link, 'http://localhost')
  return test.app.inject({ method: 'GET', url: pathname + search })
}

/** What a call cannot do without. */
const questions: Record<string, string> = {
  'GET patients': 'patients?filter=[patientLastName:own]',
  'GET insights': 'insights?tab=qaReports&fromDate=1/01/2026&toDate=12/31/2026',
}

describe('one’s own', () => {
  it.each(reading)('$name is answered, and nothing of others comes with it', async (call) => {
    for (const role of rolesOf(call).filter((one) => isAnswered(call, one))) {
      const asked = { ...call, path: questions[call.name] ?? call.path }
      const reply = await make(asked, caller(role), own)
      expect([role, reply.status, leaksIn(reply)], JSON.stringify(reply.body).slice(0, 200)).toEqual([role, 200, false])
      const link = reply.body.data?.url as string | undefined
      if (!link) continue
      const file = await fileAt(call.path.endsWith('export') ? await csvOf(call, caller(role)) : link)
      expect([role, file.statusCode, file.rawPayload.includes(mark.foreign)]).toEqual([role, 200, false])
      expect(file.rawPayload.includes(mark.own), 'the file holds what is one’s own').toBe(true)
    }
  })
  const csvOf = async (call: Call, who: Caller) =>
    (await who.get(`${address(call, who, own)}?format=csv`)).body.data.url as string

  it.each(reading.filter(({ path }) => !path.includes('export')))(
    '$name finds nothing of others when asked for it by name or number',
    async (call) => {
      const questions = [
        `filter=[search:${mark.foreign}]`,
        `filter=[patientLastName:${mark.foreign}]`,
        `filter=[id:${foreign.reqId}]`,
        `filter=[clientId:${foreign.clientId}]`,
        `q=${mark.foreign}`,
        `q=${foreign.reqId}`,
      ]
      for (const role of rolesOf(call).filter((one) => isAnswered(call, one))) {
        for (const question of questions) {
          const reply = await caller(role).get(`${address(call, caller(role), own)}?${question}`)
          expect([200, 400]).toContain(reply.status)
          expect([role, question, leaksIn(reply)]).toEqual([role, question, false])
        }
      }
    },
  )

  it('is all that totals count', async () => {
    const total = async (role: string, path: string) => (await caller(role).get(path)).body.total
    for (const role of scopedRoles) {
      const view = role === 'CLNT' || role === 'PHYS' ? 'CLIENTPHYSROLE' : 'ALL'
      const answer = await caller(role).get(`requisitions/${view}`)
      if (answer.status === 200) expect([role, answer.body.total]).toEqual([role, 1])
    }
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS']) {
      expect([role, await total(role, 'clients')]).toEqual([role, 1])
      expect([role, await total(role, 'physicians')]).toEqual([role, 1])
      expect([role, await total(role, 'collaborators')]).toEqual([role, 1])
      expect([role, await total(role, 'bulk_report_uploader')]).toEqual([role, 1])
    }
  })
})

describe('the reports pages', () => {
  it('show nothing foreign in any report that a role has', async () => {
    let seen = 0
    for (const role of scopedRoles)
      for (const page of ['qa_reports', 'summary_reports'])
        for (const { reportCode } of (await caller(role).get(page)).body.data) {
          const period = 'fromDate=11/01/2026&toDate=11/14/2026'
          const reply = await caller(role).get(`${page}/preview?reportCode=${reportCode}&${period}`)
          expect([role, reportCode, leaksIn(reply)]).toEqual([role, reportCode, false])
          expect([role, reportCode, reply.status, reply.body.message]).toEqual([role, reportCode, 200, ''])
          seen++
        }
    expect(seen).toBeGreaterThan(0)
  })

  it('make no file of foreign requisitions or events', async () => {
    for (const role of scopedRoles) {
      const results = { colaId: foreign.collaboratorId, reqIds: [foreign.reqId] }
      const replies = [await caller(role).post('adhoc_reqs/download', results)]
      replies.push(
        await caller(role).post('event_reqs/download', { clientId: foreign.clientId, eventId: foreign.eventId }),
      )
      for (const reply of replies)
        expect([role, reply.status >= 400 || reply.body.data?.url === null]).toEqual([role, true])
    }
  })
})

describe('what belongs to a person', () => {
  it('is not accessible to another: profile, sessions, drafts, views, jobs, notifications, log-out', async () => {
    const [one, other] = [await enter(test, 'COLA', own), await enter(test, 'COLA', own)]
    const view = { smartName: 'Mine', smartScreen: 'requisitions', smartValues: { search: { value: mark.foreign } } }
    const saved = await one.post('smart_filters', view)
    expect(saved.status).toBe(200)
    const draft = { baseVersion: null, body: { a: mark.foreign } }
    expect((await one.put('drafts/requisition/new/mine', draft)).status).toBe(200)
    const job = await test.given.store('job', { kind: 'count', user_id: one.userId, message: mark.foreign })
    const session = (await one.get('mfa/profile/sessions')).body.data[0].id
    const attempts: [string, Promise<Reply>][] = [
      ['profile', other.get(`users/${one.userId}`)],
      ['change', other.put(`mfa/profile/${one.userId}`, { userFirstName: 'A', userLastName: 'B' })],
      ['log-out', other.put(`mfa/logout/${one.userId}`, {})],
      ['session', other.del(`mfa/profile/sessions/${session}`)],
      ['view', other.del(`smart_filters/${saved.body.data.id}`)],
      ['job', other.get(`jobs/${job.id}`)],
      ['cancel', other.put(`jobs/${job.id}/cancel`, {})],
      ['report file', other.get(`report_files/${job.id}`)],
      ['notifications', other.get(`users/${one.userId}/notifications`)],
      ['read', other.post(`users/${one.userId}/notifications/${own.reqId}/read`, {})],
      ['foreign read', other.post(`users/${other.userId}/notifications/${foreign.reqId}/read`, {})],
    ]
    for (const [what, reply] of attempts) expect([what, (await reply).status]).toEqual([what, 404])
    expect((await other.get('drafts/requisition/new')).body.data).toEqual([])
    expect(leaksIn(await other.get('smart_filters'))).toBe(false)
  })
})

describe('bulk calls', () => {
  it('accept no foreign record, also among one’s own', async () => {
    for (const role of ['BILL', 'COLA', 'CLNT', 'PHYS']) {
      const body = { callSource: 'VIEW', reqIds: [own.reqId, foreign.reqId] }
      const mixed = await caller(role).post('requisitions/bulk_download', body)
      if (mixed.status === 200) {
        const file = await fileAt(mixed.body.data.url)
        expect(file.rawPayload.includes(mark.foreign)).toBe(false)
      } else expect([role, mixed.status]).toEqual([role, 404])
      const alone = await caller(role).post('requisitions/bulk_download', { ...body, reqIds: [foreign.reqId] })
      expect([role, alone.status === 200 && alone.body.data !== null]).toEqual([role, false])
      const report = { callSource: 'VIEW', reportIds: [foreign.reportId] }
      expect([role, (await caller(role).post(`requisitions/${own.reqId}/download`, report)).status]).toEqual([
        role,
        404,
      ])
    }
  })

  it('a collaborator orders nothing for a client, patient or physician of others', async () => {
    const cola = caller('COLA')
    const body = await test.given.requisitionBody({
      clientId: own.clientId,
      labId: own.labId,
      eventId: own.eventId,
      orderingClientPhysId: own.linkId,
    })
    const attempts: Record<string, unknown>[] = [
      {
        clientId: foreign.clientId,
        collaborator: foreign.collaboratorId,
        eventId: foreign.eventId,
        orderingClientPhysId: foreign.linkId,
      },
      { orderingClientPhysId: foreign.linkId },
      { eventId: foreign.eventId },
      { patientId: foreign.patientId },
      { collaborator: foreign.collaboratorId },
    ]
    for (const over of attempts) {
      const reply = await cola.post('requisitions', { ...body, ...over })
      expect([over, [400, 404].includes(reply.status), leaksIn(reply)]).toEqual([over, true, false])
    }
    expect((await cola.post('requisitions', body)).status).toBe(200)
  })
})

describe('links to files', () => {
  it('are valid for one file and for five minutes', async () => {
    const sales = caller('SLS')
    const link = (await sales.get(`requisitions/${own.reqId}/docs/${own.documentId}/view`)).body.data.url as string
    expect((await fileAt(link)).statusCode).toBe(200)
    const turned = link.replaceAll(mark.own, mark.foreign)
    expect(turned).not.toBe(link)
    expect((await fileAt(turned)).statusCode).toBeGreaterThanOrEqual(403)
    const url = new URL(link, 'http://localhost')
    for (const [name, value] of url.searchParams) {
      const changed = new URL(url)
      changed.searchParams.set(name, /^\d+$/.test(value) ? String(Number(value) + 3600) : `${value}x`)
      expect([name, (await fileAt(changed.href)).statusCode]).not.toEqual([name, 200])
    }
    url.search = ''
    expect((await fileAt(url.href)).statusCode).toBeGreaterThanOrEqual(400)
  })
})
