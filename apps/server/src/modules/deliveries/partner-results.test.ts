import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'
import { MllpDecoder, mllpBlock } from '../../platform/hl7/mllp-decoder.ts'

const world = openDeliveries()
const { released, work } = world

/** What the partner's system has received, and what it answers. */
const received: string[] = []
let answer = 'AA'
const server = createServer((socket: Socket) => {
  const decoder = new MllpDecoder()
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    for (const block of decoder.push(chunk)) {
      const text = block.toString()
      received.push(text)
      const control = text.split('|')[9]
      socket.write(mllpBlock(`MSH|^~\\&|EHR|FAC|LIS|LAB|20261118||ACK|1|P|2.5.1\rMSA|${answer}|${control}\r`))
    }
  })
})
const address = () => `mllp://127.0.0.1:${(server.address() as AddressInfo).port}`
const fieldsOf = (text: string | undefined, name: string) =>
  (text ?? '')
    .split('\r')
    .find((line) => line.startsWith(name))
    ?.split('|') ?? []

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
})
afterAll(() => server.close())
beforeEach(() => {
  received.length = 0
  answer = 'AA'
})

interface Ordered {
  owner?: 'client' | 'collaborator'
  deliverTo?: string | null
  alias?: string
  number?: { identifier: string; authority: string }
}

/** A released requisition that a partner has ordered. */
const ordered = async ({ owner = 'client', deliverTo = null, alias, number }: Ordered = {}) => {
  const { given, database } = world.test
  const cola = await given.collaborator({ report_deliver_to_code: deliverTo, ...(alias !== undefined && { alias }) })
  const made = await released({ transmit_method_code: 'PORTAL', collaborator_id: cola.id })
  const partner = await given.interfacePartner({
    ...(owner === 'client' ? { client_id: made.clientId } : { collaborator_id: cola.id }),
    result_url: address(),
  })
  const message = await given.store('interface_message', {
    direction: 'IN',
    kind: 'HL7',
    partner_id: partner.id,
    state: 'ACCEPTED',
    requisition_id: made.id,
  })
  await database.db
    .insertInto('interface_order')
    .values({
      partner_id: partner.id,
      placer_number: 'SO-1',
      message_id: message.id,
      requisition_id: made.id,
      content_hash: Buffer.alloc(1),
    })
    .execute()
  if (number)
    await database.db
      .insertInto('interface_patient')
      .values({ partner_id: partner.id, patient_id: made.patientId, ...number })
      .execute()
  return { ...made, colaId: cola.id, partnerId: partner.id }
}

const sendAll = async (id: number) => {
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
}

it('IFC-20 PID-3 names the whole authority of the number, as the partner has sent it', async () => {
  const { id, patientId } = await ordered({ number: { identifier: '7|8', authority: 'FAC&1.2.3&ISO' } })
  await sendAll(id)
  expect(received).toHaveLength(1)
  expect(fieldsOf(received[0], 'PID')[3]).toBe(`7\\F\\8^^^FAC&1.2.3&ISO^MR~${patientId}^^^LIS^PI`)
})

const outgoingOf = async (partnerId: number) => {
  const filter = encodeURIComponent(`[interfaceId:${partnerId},direction:OUT]`)
  return (await world.staff.get(`interface_messages?filter=${filter}&perPage=100`)).body.data
}
const resend = async (messageId: number) => {
  const { status } = await world.staff.post(`interface_messages/${messageId}/resend`, {})
  await work()
  return status
}

it('IFC-05 resends a message that was delivered, under its control id', async () => {
  const { id, partnerId } = await ordered()
  await sendAll(id)
  const [sent] = await outgoingOf(partnerId)
  expect(await resend(sent.id)).toBe(200)
  expect(received.map((text) => fieldsOf(text, 'MSH')[9])).toEqual([sent.controlId, sent.controlId])
  expect(await outgoingOf(partnerId)).toMatchObject([{ id: sent.id, state: 'SENT', attempts: 1 }])
})

it('IFC-05 IFC-20 resends to the address that the interface has now', async () => {
  const { id, partnerId } = await ordered()
  const setAddress = (url: string) =>
    world.test.database.db
      .updateTable('interface_partner')
      .set({ result_url: url })
      .where('id', '=', partnerId)
      .execute()
  await setAddress('mllp://127.0.0.1:1')
  await sendAll(id)
  expect(received).toEqual([])
  const [waiting] = await outgoingOf(partnerId)
  await setAddress(address())
  expect(await resend(waiting.id)).toBe(200)
  expect(received).toHaveLength(1)
  expect(await outgoingOf(partnerId)).toMatchObject([{ id: waiting.id, state: 'SENT' }])
})

it('IFC-05 IFC-06 a resend of a refused message delivers the report and closes the issue', async () => {
  const { id, partnerId } = await ordered()
  answer = 'AE'
  await sendAll(id)
  const [refused] = await outgoingOf(partnerId)
  expect(refused).toMatchObject({ state: 'FAILED', ackCode: 'AE' })
  expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: 'REFUSED' }])
  const issues = async () => (await world.issuesOf(id)).map((one: { issueStatusCode: string }) => one.issueStatusCode)
  expect(await issues()).toEqual(['OPEN', 'OPEN'])
  answer = 'AA'
  expect(await resend(refused.id)).toBe(200)
  expect(await outgoingOf(partnerId)).toMatchObject([{ state: 'SENT', ackCode: 'AA', reason: null }])
  expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: 'CONFIRMED' }])
  expect(await issues()).toEqual(['RESOLVED', 'RESOLVED'])
  expect(await world.statusOf(id)).toBe('DELIVER')
})

it('IFC-05 a resend that fails leaves the delivery as it was, and its issue closes with the next one', async () => {
  const { id, partnerId } = await ordered()
  await sendAll(id)
  const [sent] = await outgoingOf(partnerId)
  answer = 'AR'
  await resend(sent.id)
  expect(await outgoingOf(partnerId)).toMatchObject([{ state: 'FAILED', ackCode: 'AR' }])
  expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: 'CONFIRMED' }])
  expect(await world.issuesOf(id)).toMatchObject([{ issueCode: 'INTERFACE', issueStatusCode: 'OPEN' }])
  answer = 'AA'
  await resend(sent.id)
  expect(await world.issuesOf(id)).toMatchObject([{ issueStatusCode: 'RESOLVED' }])
})

it('IFC-05 a resend of a report that is held is not sent: the desk says why', async () => {
  const { id, partnerId, report } = await ordered()
  await sendAll(id)
  const [sent] = await outgoingOf(partnerId)
  await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'HOLD' })
  await resend(sent.id)
  expect(received).toHaveLength(1)
  expect(await outgoingOf(partnerId)).toMatchObject([
    { state: 'DISMISSED', reason: expect.stringContaining('held'), settledDate: expect.any(String) },
  ])
})

it('IFC-05 a message that waits for its next attempt is dismissed with its report', async () => {
  const { id, partnerId, report } = await ordered()
  answer = 'ZZ'
  await sendAll(id)
  expect(await outgoingOf(partnerId)).toMatchObject([{ state: 'RETRYING' }])
  await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'HOLD' })
  expect(await outgoingOf(partnerId)).toMatchObject([
    { state: 'DISMISSED', reason: expect.stringContaining('Withdrawn'), settledDate: expect.any(String) },
  ])
})

it.each([
  ['a collaborator, delivered to the client', { owner: 'collaborator', deliverTo: 'CLIENT' }, ['CLIENT', 'COLA']],
  ['a collaborator, delivered to nobody by name', { owner: 'collaborator', deliverTo: null }, ['CLIENT', 'COLA']],
  ['a collaborator without an alias', { owner: 'collaborator', deliverTo: 'CLIENT', alias: '' }, ['CLIENT', 'COLA']],
  ['a client, delivered to the collaborator', { owner: 'client', deliverTo: 'COLA' }, ['CLIENT', 'COLA']],
  ['a client, delivered to the client', { owner: 'client', deliverTo: 'CLIENT' }, ['CLIENT']],
] as const)('IFC-20 results go back to the interface of %s', async (_, how, kinds) => {
  const { id, partnerId } = await ordered(how)
  await sendAll(id)
  const { rows } = await world.test.database.owner.query(
    'select recipient_kind as kind, transmit_method_code as method, state from report_delivery where requisition_id = $1 order by recipient_kind',
    [id],
  )
  const sender = how.owner === 'client' ? 'CLIENT' : 'COLA'
  expect(rows.map(({ kind }) => kind)).toEqual(kinds)
  expect(rows.find(({ kind }) => kind === sender)).toEqual({ kind: sender, method: 'HL7', state: 'DELIVERED' })
  expect(received).toHaveLength(1)
  expect(await outgoingOf(partnerId)).toMatchObject([{ state: 'SENT', reqId: id }])
})

it("IFC-20 a failure towards the sender of an order counts whatever the collaborator's record says", async () => {
  const { id, colaId } = await ordered({ deliverTo: 'CLIENT' })
  answer = 'AE'
  await sendAll(id)
  for (const reportDeliverToCode of ['COLA', 'CLIENT', 'COLA']) {
    await world.staff.put(`collaborators/${colaId}`, { reportDeliverToCode })
    const open = (await world.issuesOf(id)).filter((one: { issueStatusCode: string }) => one.issueStatusCode === 'OPEN')
    expect(open).toHaveLength(2)
  }
})

const interfaceIssue = async (id: number) =>
  (await world.issuesOf(id)).find((one: { issueCode: string }) => one.issueCode === 'INTERFACE')?.issueStatusCode

it('IFC-06 results that arrive do not close the issue while another message of the requisition is held', async () => {
  const { id, partnerId } = await ordered()
  answer = 'AE'
  await sendAll(id)
  const held = await world.test.given.store('interface_message', {
    direction: 'IN',
    kind: 'HL7',
    partner_id: partnerId,
    state: 'HELD',
    requisition_id: id,
  })
  answer = 'AA'
  const [refused] = await outgoingOf(partnerId)
  await resend(refused.id)
  expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: 'CONFIRMED' }])
  expect(await interfaceIssue(id)).toBe('OPEN')
  expect((await world.staff.post(`interface_messages/${held.id}/dismiss`, { reason: 'Settled' })).status).toBe(200)
  expect(await interfaceIssue(id)).toBe('RESOLVED')
})

it('IFC-06 results that were refused do not keep the issue open once the partner has got them', async () => {
  const { id } = await ordered()
  answer = 'AE'
  await sendAll(id)
  expect(await interfaceIssue(id)).toBe('OPEN')
  answer = 'AA'
  await world.staff.post(`deliveries/${(await world.ledgerOf(id))[0].id}/resend`, {})
  await work()
  expect(await interfaceIssue(id)).toBe('RESOLVED')
})

it('IFC-03 IFC-04 the desk shows results as they went, with their fields and the answer, and keeps them encrypted', async () => {
  const { id, partnerId } = await ordered()
  answer = 'AE'
  await sendAll(id)
  const [row] = await outgoingOf(partnerId)
  const control = fieldsOf(received[0], 'MSH')[9] ?? ''
  expect(row).toMatchObject({ controlId: control, messageType: 'ORU^R01', ackCode: 'AE' })
  const shown = async () => (await world.staff.get(`interface_messages/${row.id}`)).body.data
  const refused = await shown()
  const withoutFile = (received[0] ?? '').replace(/Base64\^[^|]*/, 'Base64^{attachment}').replaceAll('\r', '\n')
  expect(refused.rawMessage).toBe(withoutFile)
  expect(refused.fields).toContainEqual({ path: 'MSH-10', name: 'Control id', value: control })
  expect(refused.fields).toContainEqual({ path: 'PID-5', name: 'Name', value: 'Doe^Jane' })
  expect(refused.answer).toContain(`MSA|AE|${control}`)
  const { rows } = await world.test.database.owner.query(
    'select i.raw, m.* from interface_message i join outbox_message m on m.id = i.outbox_message_id where i.id = $1',
    [row.id],
  )
  expect(rows[0].raw.includes('Doe')).toBe(false)
  expect(rows[0].encrypted_body.length).toBeGreaterThan(100)
  expect(Object.values(rows[0]).filter((value) => String(value).includes('Doe'))).toEqual([])
  answer = 'AA'
  await resend(row.id)
  expect((await shown()).answer).toContain(`MSA|AA|${control}`)
})

it('IFC-03 results have their control id before they leave, whatever the receiver answers', async () => {
  const { id, partnerId } = await ordered()
  answer = 'Z\u0000'
  await sendAll(id)
  const [row] = await outgoingOf(partnerId)
  expect(row).toMatchObject({ state: 'RETRYING', controlId: fieldsOf(received[0], 'MSH')[9], ackCode: null })
})
