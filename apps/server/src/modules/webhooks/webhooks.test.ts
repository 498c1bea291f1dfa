import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeApiClient } from '../../../test/api-client.ts'
import type { Caller } from '../../../test/app.ts'
import { openTestApp } from '../../../test/app.ts'
import { fhirCaller } from '../../../test/fhir.ts'
import { orderBundle } from '../../../test/order-bundle.ts'
import { sendDueWebhooks } from './send.ts'

const test = openTestApp({ env: { OUTBOUND_ALLOW: 'localhost' } })
let admin: Caller
let staff: Caller
let address: string
const received: { headers: Record<string, string>; body: string }[] = []
let respond: (response: ServerResponse) => void
const server = createServer((request: IncomingMessage, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += String(chunk)
  })
  request.on('end', () => {
    received.push({ headers: request.headers as Record<string, string>, body })
    respond(response)
  })
})
const answer =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end()

beforeAll(async () => {
  admin = await test.as('ADM')
  staff = await test.as('STF')
  await new Promise<void>((ready) => server.listen(0, 'localhost', ready))
  address = `http://localhost:${(server.address() as AddressInfo).port}/hook`
})
afterAll(() => new Promise((closed) => server.close(closed)))
beforeEach(async () => {
  received.length = 0
  respond = answer(204)
  await test.database.owner.query("update webhook set deleted_at = now(); update webhook_delivery set state = 'DONE'")
})

const input = (over: Record<string, unknown> = {}) => ({
  name: 'Portal',
  url: address,
  events: ['requisition.status'],
  ...over,
})
const create = async (over: Record<string, unknown> = {}): Promise<{ id: number; secret: string }> => {
  const { status, body } = await admin.post('webhooks', input(over))
  expect([status, body]).toMatchObject([200, { data: { secret: expect.stringMatching(/^whsec_/) } }])
  return body.data
}
const work = async () => {
  while ((await sendDueWebhooks(test.services)) > 0);
}
const makeDue = () => test.database.owner.query('update webhook_delivery set next_attempt_at = now()')
/** A move that the life cycle records. */
const move = (id: number, to: string) =>
  test.database.owner.query('insert into requisition_status_event (requisition_id, to_code) values ($1, $2)', [id, to])
const openIssues = async (requisitionId: number) => {
  const { rows } = await test.database.owner.query(
    "select i.description from issue i join issue_type t on t.id = i.issue_type_id where i.requisition_id = $1 and t.code = 'INTERFACE' and i.status_code = 'OPEN'",
    [requisitionId],
  )
  return rows.map(({ description }) => description)
}
const messages = async () => (await admin.get('interface_messages?filter=[kind:WEBHOOK]&sort=[id,DESC]')).body.data

describe('webhooks', () => {
  it('IFC-42 are managed by ADM and MGMT and read by STF; the secret is shown once', async () => {
    const { id, secret } = await create()
    const { body } = await staff.get(`webhooks/${id}`)
    expect(body.data).toMatchObject({ ...input(), isActive: 1, clientId: null })
    expect(JSON.stringify(body)).not.toContain(secret)
    expect((await staff.post('webhooks', input())).status).toBe(403)
    expect((await (await test.as('CLNT')).get('webhooks')).status).toBe(403)
    expect((await admin.put(`webhooks/${id}`, { name: 'Other' })).body.data).toMatchObject({
      name: 'Other',
      url: address,
    })
    expect((await admin.del(`webhooks/${id}`)).status).toBe(200)
    expect((await staff.get(`webhooks/${id}`)).status).toBe(404)
    const stored = await test.database.owner.query('select secret from webhook where id = $1', [id])
    expect(stored.rows[0].secret.toString('latin1')).not.toContain(secret.slice(6))
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ events: [] }, 'events'],
    [{ events: ['order.lost'] }, 'events'],
    [{ clientId: 999_999 }, 'clientId'],
    [{ url: 'http://example.com/hook' }, 'url'],
    [{ url: 'https://127.0.0.1/hook' }, 'url'],
    [{ url: 'https://2130706433/hook' }, 'url'],
    [{ url: 'https://[::1]/hook' }, 'url'],
    [{ url: 'https://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://10.1.2.3/hook' }, 'url'],
    [{ url: 'https://intranet/hook' }, 'url'],
  ])('IFC-42 IFC-45 refuses %j and names %s', async (over, field) => {
    const { status, body } = await admin.post('webhooks', input(over))
    expect([status, body.errors?.[0]?.field.split('.')[0]]).toEqual([400, field])
  })

  it('IFC-42 signs by the Standard Webhooks rules, with both secrets for a day after a change', async () => {
    const { id, secret } = await create()
    await admin.post(`webhooks/${id}/test`)
    await work()
    const { secret: next } = (await admin.post(`webhooks/${id}/rotate_secret`)).body.data
    await admin.post(`webhooks/${id}/test`)
    await work()
    const [first, second] = received as [(typeof received)[0], (typeof received)[0]]
    expect(new Webhook(secret).verify(first.body, first.headers)).toMatchObject({
      type: 'webhook.test',
      timestamp: expect.any(String),
      data: { webhookId: id },
    })
    for (const one of [secret, next]) expect(new Webhook(one).verify(second.body, second.headers)).toBeTruthy()
    expect(() => new Webhook(next).verify(first.body, first.headers)).toThrow()
    await test.database.owner.query("update webhook set old_secret_until = now() - interval '1 second' where id = $1", [
      id,
    ])
    await admin.post(`webhooks/${id}/test`)
    await work()
    expect(received[2]?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  it('IFC-42 tells of the client it belongs to, with ids and codes and no patient data', async () => {
    const client = await test.given.client()
    await create({ clientId: client.id, events: ['requisition.status', 'report.released', 'report.corrected'] })
    const patient = await test.given.patient({ last_name: 'Secretive' })
    const own = await test.given.requisition({ client_id: client.id, patient_id: patient.id, ext_order_id: 'X-1' })
    const other = await test.given.requisition()
    await move(own.id, 'ACC')
    await move(other.id, 'ACC')
    const report = await test.given.store('report', { requisition_id: own.id })
    const release = "update report set lab_qc_status_code = 'RELEASE' where id = $1"
    await test.database.owner.query(release, [report.id])
    await test.database.owner.query(
      "update report set lab_qc_status_code = 'HOLD', current_version_no = 2 where id = $1",
      [report.id],
    )
    await test.database.owner.query(release, [report.id])
    await work()
    expect(received.map(({ body }) => JSON.parse(body)).map(({ type, data }) => [type, data])).toEqual([
      ['requisition.status', { reqId: own.id, reqStatusCode: 'ACC', extOrderId: 'X-1' }],
      [
        'report.released',
        { reqId: own.id, reqStatusCode: 'LOG', reportId: report.id, versionNo: 1, extOrderId: 'X-1' },
      ],
      [
        'report.corrected',
        { reqId: own.id, reqStatusCode: 'LOG', reportId: report.id, versionNo: 2, extOrderId: 'X-1' },
      ],
    ])
    expect(received.map(({ body }) => body).join()).not.toContain('Secretive')
  })

  it('IFC-45 tries again under the same id, in order per requisition, and is on the desk', async () => {
    await create()
    const [one, other] = [await test.given.requisition(), await test.given.requisition()]
    respond = answer(500)
    await move(one.id, 'ACC')
    await work()
    await move(one.id, 'PROCESS')
    await move(other.id, 'ACC')
    await work()
    const told = () =>
      received.map(({ body }) => JSON.parse(body).data).map(({ reqId, reqStatusCode }) => [reqId, reqStatusCode])
    expect(told()).toEqual([
      [one.id, 'ACC'],
      [other.id, 'ACC'],
    ])
    expect((await messages()).find(({ reqId }: { reqId: number }) => reqId === one.id)).toMatchObject({
      state: 'RETRYING',
    })
    respond = answer(200)
    await makeDue()
    await work()
    expect(told().filter(([id]) => id === one.id)).toEqual([
      [one.id, 'ACC'],
      [one.id, 'ACC'],
      [one.id, 'PROCESS'],
    ])
    const ids = received
      .filter(({ body }) => JSON.parse(body).data.reqId === one.id)
      .map(({ headers }) => headers['webhook-id'])
    expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false])
    expect(
      (await messages())
        .map(({ state, attempts, direction, ackCode }: Record<string, unknown>) => [
          state,
          attempts,
          direction,
          ackCode,
        ])
        .slice(0, 3),
    ).toEqual(
      expect.arrayContaining([
        ['SENT', 2, 'OUT', '200'],
        ['SENT', 1, 'OUT', '200'],
      ]),
    )
  })

  it('IFC-45 IFC-06 pauses 5 s, 1 min, 5 min, 30 min, 2 h, then 6 h, fails after a day, and is sent again from the desk', async () => {
    await create()
    respond = answer(302, { location: 'http://127.0.0.1:1/' })
    const { id } = await test.given.requisition()
    await move(id, 'ACC')
    const pauses: number[] = []
    for (let count = 0; count < 8; count++) {
      await work()
      const { rows } = await test.database.owner.query(
        "select state, extract(epoch from next_attempt_at - now())::int as pause, id from webhook_delivery where state <> 'DONE'",
      )
      if (!rows[0]) break
      pauses.push(Math.round(rows[0].pause))
      await test.database.owner.query(
        'update webhook_delivery set next_attempt_at = now(), first_at = first_at - make_interval(secs => $2) where id = $1',
        [rows[0].id, rows[0].pause],
      )
    }
    expect(pauses).toEqual(
      [5, 60, 300, 1800, 7200, 21_600, 21_600, 21_600].map((pause) =>
        expect.toSatisfy((got: number) => Math.abs(got - pause) <= 1),
      ),
    )
    expect(received).toHaveLength(pauses.length)
    await work()
    const [message] = await messages()
    expect(message).toMatchObject({ state: 'FAILED', reason: 'The receiver answered 302', attempts: 9, reqId: id })
    expect(await openIssues(id)).toEqual(['A message to Portal failed'])
    respond = answer(200)
    expect((await staff.post(`interface_messages/${message.id}/resend`)).status).toBe(200)
    await work()
    expect((await messages())[0]).toMatchObject({ id: message.id, state: 'SENT' })
    expect(await openIssues(id)).toEqual([])
  })

  it('IFC-45 takes the status as the answer, however long the body takes', async () => {
    await create()
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write('wait')
    }
    const { id } = await test.given.requisition()
    await move(id, 'ACC')
    await work()
    expect((await messages())[0]).toMatchObject({ state: 'SENT', ackCode: '200', reqId: id })
  })

  it('IFC-42 lists what was sent to a webhook and what waits, to those who may read it', async () => {
    const { id } = await create()
    const other = await create()
    await admin.post(`webhooks/${id}/test`)
    await work()
    respond = answer(500)
    const { id: reqId } = await test.given.requisition()
    await move(reqId, 'ACC')
    await work()
    const { status, body } = await staff.get(`webhooks/${id}/deliveries`)
    expect([status, body.total]).toEqual([200, 2])
    expect(body.data).toMatchObject([
      { messageType: 'requisition.status', state: 'RETRYING', reqId, ackCode: '500', attempts: 1 },
      { messageType: 'webhook.test', state: 'SENT', reqId: null, ackCode: '204', nextDate: null },
    ])
    expect(Date.parse(body.data[0].nextDate)).toBeGreaterThan(Date.now())
    const ofOther = await staff.get(`webhooks/${other.id}/deliveries`)
    expect(ofOther.body.data.map(({ messageType }: { messageType: string }) => messageType)).toEqual([
      'requisition.status',
    ])
    expect((await staff.get('webhooks/999999/deliveries')).status).toBe(404)
    expect((await (await test.as('SLS')).get(`webhooks/${id}/deliveries`)).status).toBe(403)
  })

  it('IFC-45 IFC-06 410 switches the webhook off, and a name that leads inside is not called', async () => {
    const { id } = await create()
    respond = answer(410)
    await admin.post(`webhooks/${id}/test`)
    await work()
    expect((await staff.get(`webhooks/${id}`)).body.data.isActive).toBe(0)
    expect((await messages())[0]).toMatchObject({ state: 'FAILED', ackCode: '410' })
    expect((await admin.post(`webhooks/${id}/test`)).status).toBe(409)
    const gone = await create()
    const { id: reqId } = await test.given.requisition()
    await move(reqId, 'ACC')
    await work()
    expect([(await staff.get(`webhooks/${gone.id}`)).body.data.isActive, await openIssues(reqId)]).toEqual([
      0,
      ['A message to Portal failed'],
    ])
    const inside = await create()
    await test.database.owner.query("update webhook set url = 'https://127.0.0.1/hook' where id = $1", [inside.id])
    received.length = 0
    await admin.post(`webhooks/${inside.id}/test`)
    await work()
    expect(received).toEqual([])
    expect((await messages())[0]).toMatchObject({ state: 'RETRYING', reason: expect.stringContaining('public') })
  })
})

describe('an event', () => {
  const tellings = () =>
    received.map(({ body }) => JSON.parse(body) as { type: string; data: object }).map(({ type, data }) => [type, data])

  it('IFC-42 order.accepted and order.held report the outcome of a message, also after a decision', async () => {
    const client = await test.given.client()
    const lab = await test.given.lab()
    await test.database.db.insertInto('client_lab').values({ client_id: client.id, lab_id: lab.id }).execute()
    await test.given.event(client.id)
    const physician = await test.given.physician()
    await test.given.clientPhysician(client.id, physician.id)
    const { rows } = await test.database.owner.query('select npi_number as npi from physician where id = $1', [
      physician.id,
    ])
    const api = await makeApiClient(test, admin, { userRoleCode: 'CLNT', entityId: client.id })
    const partner = { name: 'Saltmarsh', kind: 'FHIR', clientId: client.id, apiClientId: api.id }
    expect((await admin.post('interfaces', partner)).status).toBe(200)
    await create({ clientId: client.id, events: ['order.accepted', 'order.held'] })
    await create({ clientId: (await test.given.client()).id, events: ['order.accepted', 'order.held'] })
    const send = (placer: string, code: string) =>
      fhirCaller(test, api.token).post('', orderBundle({ placer, code, npi: rows[0].npi }))
    expect((await send('SO-1', 'CHOL')).status).toBe(200)
    expect((await send('SO-2', 'GLYHB')).status).toBe(202)
    const { data } = (await admin.get(`interface_messages?filter=[kind:FHIR,state:HELD]`)).body
    const testId = (await test.database.owner.query("select id from test where code = 'A1C' or code = 'HDL' limit 1"))
      .rows[0].id
    const decided = await staff.post(`interface_messages/${data[0].id}/reprocess`, {
      codes: [{ code: 'GLYHB', testId }],
    })
    expect(decided.body.data.state).toBe('ACCEPTED')
    await work()
    const requisitions = await test.database.owner.query(
      'select id, ext_order_id from requisition where client_id = $1 order by id',
      [client.id],
    )
    const [one, two] = requisitions.rows.map(({ id }) => id)
    const made = (await admin.get('interface_messages?filter=[kind:FHIR]&sort=[id,ASC]')).body.data
    const accepted = (messageId: number, reqId: number, extOrderId: string) => [
      'order.accepted',
      { messageId, reqId, reqStatusCode: 'LOG', extOrderId },
    ]
    expect(tellings().toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(
      [
        accepted(made[0].id, one, 'SO-1'),
        ['order.held', { messageId: made[1].id, extOrderId: 'SO-2' }],
        accepted(made[1].id, two, 'SO-2'),
      ].toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    )
  })

  it('IFC-42 critical.called is sent when the value has been read back', async () => {
    await create({ events: ['critical.called'] })
    await admin.post('critical_limits', { testCode: 'HDL', lo: 20, callMinutes: 15 })
    const { id } = await test.given.requisition({ status_code: 'PROCESS', ext_order_id: 'SO-9' })
    const { id: reqTestId } = await test.given.orderedTest(id, 'HDL')
    const saved = await staff.put(`requisitions/${id}/req_tests/bulk_edit`, {
      reqTests: [{ reqTestId, result: '15', isConfirmed: 1 }],
    })
    expect(saved.status).toBe(200)
    const [call] = (await staff.get(`critical_calls?reqId=${id}`)).body.data
    const attempt = (body: object) => staff.post(`critical_calls/${call.id}/attempts`, body)
    await attempt({ outcome: 'NOANSWER' })
    await work()
    expect(tellings()).toEqual([])
    const reached = await attempt({ outcome: 'REACHED', calledTo: 'Dr. Okonjo', role: 'Physician', readBack: '15' })
    expect(reached.body.data.state).toBe('CLOSED')
    await work()
    expect(tellings()).toEqual([
      ['critical.called', { reqId: id, reqStatusCode: 'RESULT', criticalCallId: call.id, extOrderId: 'SO-9' }],
    ])
  })
})
