import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net'
import { Server as Hl7Server } from 'node-hl7-server'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openConcurrentTransaction } from '../../../test/concurrent-transaction.ts'
import { openDeliveries } from '../../../test/deliveries.ts'
import { openMllpTransport } from '../../platform/messaging/mllp-transport.ts'

const world = openDeliveries()
const { released, work, makeDue, ledgerOf, issuesOf, statusOf } = world

type Behave = 'accept' | 'refuse' | 'reject' | 'silence' | 'silence at a report'
// biome-ignore lint/suspicious/noExplicitAny: the library's message knows its segments by text
const received: any[] = []
let behave: Behave = 'accept'
let hl7: ReturnType<Hl7Server['createInbound']>
let port = 0

beforeAll(async () => {
  port = await freePort()
  const server = new Hl7Server({ bindAddress: '127.0.0.1' })
  hl7 = server.createInbound({ port }, async (request, response) => {
    received.push(request.getMessage())
    if (behave === 'silence') return
    if (behave === 'silence at a report' && request.getMessage().toString().includes('^application^pdf^')) return
    await response.sendResponse(behave === 'refuse' ? 'AE' : behave === 'reject' ? 'AR' : 'AA')
  })
  await new Promise((ready) => hl7.once('listen', ready))
})
afterAll(() => hl7.close())
beforeEach(() => {
  received.length = 0
  behave = 'accept'
})
const mllp = () => ({ HL7: openMllpTransport({ url: `mllp://127.0.0.1:${port}` }) })

it('sends ORU^R01 with every result and the PDF; a listener parses it, and its acknowledgement is the confirmation', async () => {
  const { id } = await released({ transmit_method_code: 'HL7', legacy_client_id: 'C-0777' })
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: mllp() })
  expect(received).toHaveLength(1)
  const [message] = received
  const get = (path: string) => message.get(path).toString()
  expect([get('MSH.9.1'), get('MSH.9.2'), get('MSH.12'), get('MSH.6')]).toEqual(['ORU', 'R01', '2.5.1', 'C-0777'])
  expect([get('PID.5.1'), get('PID.5.2'), get('PID.7'), get('PID.8')]).toEqual(['Doe', 'Jane', '19700102', 'F'])
  const text: string = message.toString()
  const obx = text
    .split('\r')
    .filter((line) => line.startsWith('OBX'))
    .map((line) => line.split('|'))
  expect(
    obx.slice(0, 2).map((fields) => [fields[2], fields[3]?.split('^')[1], fields[5], fields[6], fields[8], fields[11]]),
  ).toEqual([
    ['NM', 'Cholesterol, total', '251', 'mg/dL', 'H', 'F'],
    ['NM', 'HDL cholesterol', '51', 'mg/dL', expect.any(String), 'F'],
  ])
  expect(text).toContain('Unfavorable \\F\\ very \\S\\ high')
  const document = Buffer.from(obx[2]?.[5]?.split('^')[4] ?? '', 'base64')
  const { createHash } = await import('node:crypto')
  const [row] = await ledgerOf(id)
  expect(createHash('sha256').update(document).digest('hex')).toBe(row.sha256)
  expect(row).toMatchObject({
    deliveryState: 'CONFIRMED',
    answer: expect.stringMatching(/^AA lis-/),
    confirmedDate: expect.any(String),
  })
  expect(await statusOf(id)).toBe('DELIVER')
})

it('each message names the one it is for in MSH-6: the client, the collaborator, the copy receiver; under its current ID', async () => {
  const byHl7 = { transmit_method_code: 'HL7' }
  const cola = await world.test.given.collaborator({ ...byHl7, alias: 'NORTHLAB', report_deliver_to_code: 'BOTH' })
  const copy = await world.test.given.client({ ...byHl7, legacy_client_id: 'C-0779' })
  const { id, clientId } = await released({ ...byHl7, legacy_client_id: 'C-0778', collaborator_id: cola.id })
  await world.test.database.owner.query('update requisition set copy_to_client_id = $2 where id = $1', [id, copy.id])
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: mllp() })
  const namedIn = () => received.map((message) => message.get('MSH.6').toString()).toSorted()
  expect(namedIn()).toEqual(['C-0778', 'C-0779', 'NORTHLAB'])
  await world.staff.put(`clients/${clientId}`, { legacyClientId: 'C-0780' })
  received.length = 0
  const mine = (await ledgerOf(id)).find(({ recipient }: { recipient: string }) => recipient === 'C-0778')
  expect((await world.staff.post(`deliveries/${mine.id}/resend`, {})).status).toBe(200)
  await work({ over: mllp() })
  expect(namedIn()).toEqual(['C-0780'])
})

it('a code that two parties share from earlier versions gets no message: the interface is not guessed', async () => {
  const byHl7 = { transmit_method_code: 'HL7' }
  const { id } = await released({ ...byHl7, legacy_client_id: 'C-TWICE' })
  const { id: namesake } = await world.test.given.collaborator({ alias: 'c-twice' })
  const { id: gone } = await world.test.given.collaborator({ alias: 'C-TWICE' })
  expect((await world.staff.del(`collaborators/${gone}`)).status).toBe(200)
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: mllp() })
  const why =
    'C-TWICE is the Client ID or alias of more than one client or collaborator; give each its own, then resend'
  expect(received).toEqual([])
  const [row] = await ledgerOf(id)
  expect(row).toMatchObject({ deliveryState: 'FAILED', answer: why })
  const open = { issueStatusCode: 'OPEN', issueNote: expect.stringContaining(why) }
  expect(await issuesOf(id)).toMatchObject([
    { issueCode: 'INTERFACE', ...open },
    { issueCode: 'DELIVFAIL', ...open },
  ])
  expect((await world.staff.del(`collaborators/${namesake}`)).status).toBe(200)
  await world.staff.post(`deliveries/${row.id}/resend`, {})
  await work({ over: mllp() })
  expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED' })
  expect(await issuesOf(id)).toMatchObject([{ issueStatusCode: 'RESOLVED' }, { issueStatusCode: 'RESOLVED' }])
})

it.each([
  ['refuse', /refused the message: AE/],
  ['reject', /refused the message: AR/],
] as const)('a listener that will %s the message is not asked again: it is an issue at once', async (how, reason) => {
  const { id } = await released({ transmit_method_code: 'HL7' })
  behave = how
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: mllp() })
  const [row] = await ledgerOf(id)
  expect(row).toMatchObject({ deliveryState: 'REFUSED', attempts: 1, answer: expect.stringMatching(reason) })
  // The delivery department sees to the report, IT to the interface.
  const issueNote = expect.stringMatching(reason)
  expect(await issuesOf(id)).toMatchObject([
    { issueCode: 'INTERFACE', resolverDeptName: 'Information Technology', issueStatusCode: 'OPEN', issueNote },
    { issueCode: 'DELIVFAIL', issueStatusCode: 'OPEN', issueNote },
  ])
  // Refused once more: still one of each.
  await world.staff.post(`deliveries/${row.id}/resend`, {})
  await work({ over: mllp() })
  expect(await issuesOf(id)).toHaveLength(2)
  behave = 'accept'
  await world.staff.post(`deliveries/${(await ledgerOf(id))[0]?.id}/resend`, {})
  await work({ over: mllp() })
  expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED' })
  expect(await issuesOf(id)).toMatchObject([
    { issueCode: 'INTERFACE', issueStatusCode: 'RESOLVED' },
    { issueCode: 'DELIVFAIL', issueStatusCode: 'RESOLVED' },
  ])
})

it('a listener that falls silent is tried again with the same control id', async () => {
  const { id } = await released({ transmit_method_code: 'HL7' })
  behave = 'silence'
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: mllp(), sendMs: 3000 })
  const answer = expect.stringMatching(/did not (acknowledge|answer)/)
  const nextAttemptDate = expect.any(String)
  expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'RETRYING', answer, nextAttemptDate })
  expect(await issuesOf(id)).toMatchObject([{ issueCode: 'DELIVFAIL', issueStatusCode: 'OPEN', issueNote: answer }])
  behave = 'accept'
  await makeDue()
  await work({ over: mllp() })
  expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED', attempts: 2 })
  expect(await issuesOf(id)).toMatchObject([{ issueStatusCode: 'RESOLVED' }])
  const mine = received.map((message) => message.get('MSH.10').toString())
  expect(new Set(mine).size).toBe(1)
  expect(mine).toHaveLength(2)
})

it('a listener with a temporary error is retried; each client has its configured receiver', async () => {
  const troubled: TcpServer = createServer((socket) =>
    socket.once('data', (chunk) => {
      const control = chunk.toString().split('|')[9]
      socket.write(`\x0bMSH|^~\\&|||||||ACK\rMSA|AR|${control}\rERR|||207^Application internal error\r\x1c\r`)
    }),
  )
  await new Promise<void>((ready) => troubled.listen(0, '127.0.0.1', ready))
  const own = `mllp://127.0.0.1:${(troubled.address() as AddressInfo).port}`
  const one = await released({ transmit_method_code: 'HL7', legacy_client_id: 'C-0801' })
  const other = await released({ transmit_method_code: 'HL7', legacy_client_id: 'C-0802' })
  await world.staff.post('requisitions/bulk_delivery', { reqIds: [one.id, other.id] })
  const url = `mllp://127.0.0.1:${port}`
  await work({ over: { HL7: openMllpTransport({ url, receivers: new Map([['C-0801', own]]) }) } })
  expect((await ledgerOf(one.id))[0]).toMatchObject({
    deliveryState: 'RETRYING',
    answer: expect.stringContaining('207'),
  })
  expect((await ledgerOf(other.id))[0]).toMatchObject({ deliveryState: 'CONFIRMED' })
  await makeDue()
  await work({ over: { HL7: openMllpTransport({ receivers: new Map([['C-0802', own]]) }) } })
  expect((await ledgerOf(one.id))[0].answer).toBe(
    'No HL7 receiver for C-0801 is configured (set HL7_RECEIVERS or HL7_URL)',
  )
  await makeDue()
  await work({ over: mllp() })
  expect((await ledgerOf(one.id))[0]).toMatchObject({ deliveryState: 'CONFIRMED', attempts: 3 })
  await new Promise((closed) => troubled.close(closed))
})

it('a connection that drops, or that nobody answers, is no delivery', async () => {
  const { id } = await released({ transmit_method_code: 'HL7' })
  const dropping: TcpServer = createServer((socket) => socket.once('data', () => socket.destroy()))
  await new Promise<void>((ready) => dropping.listen(0, '127.0.0.1', ready))
  const url = `mllp://127.0.0.1:${(dropping.address() as AddressInfo).port}`
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: { HL7: openMllpTransport({ url }) } })
  expect((await ledgerOf(id))[0]).toMatchObject({
    deliveryState: 'RETRYING',
    answer: expect.stringContaining('closed the connection'),
  })
  await new Promise((closed) => dropping.close(closed))
  await makeDue()
  await work({ over: { HL7: openMllpTransport({ url }) } })
  expect((await ledgerOf(id))[0].answer).toContain('cannot be reached')
  await makeDue()
  await work({ over: mllp() })
  expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED', attempts: 3 })
})

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

it('sends the parts of the patient name, whatever characters they contain; older contents the full name', async () => {
  const byHl7 = { transmit_method_code: 'HL7' }
  const named = await released(byHl7, 'RELEASE', {
    last_name: 'Smith, Jr',
    first_name: 'Mary Ann',
    middle_name: 'de la O',
  })
  const plain = await released(byHl7, 'RELEASE', { first_name: 'Mary Ann' })
  const old = await released(byHl7, 'RELEASE', { middle_name: 'Q' })
  const past = await openConcurrentTransaction(world.test.database)
  // As it was stored before the parts were kept; versions are append-only, also for this test.
  await past.query("set local session_replication_role = 'replica'")
  await past.query("update report_version set content = content #- '{patient,names}' where report_id = $1", [
    old.report,
  ])
  await past.commit()
  for (const { id } of [named, plain, old]) {
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work({ over: mllp() })
  }
  const names = received.map((message) => /\rPID\|(?:[^|]*\|){4}([^|]*)/.exec(message.toString())?.[1])
  expect(names).toEqual(['Smith, Jr^Mary Ann^de la O', 'Doe^Mary Ann', 'Doe^Jane^Q'])
})

it('carries the patient and the results as of the day on which lab QC released a file made elsewhere, not of the upload', async () => {
  const { owner } = world.test.database
  const { id, report, patientId } = await released({ transmit_method_code: 'HL7' }, 'PROCESS')
  await owner.query('update report set deleted_at = now() where id = $1', [report])
  const uploaded = await world.addUploaded(id)
  const qc = (labQcStatusCode: string, answers = {}) =>
    world.staff.put(`requisitions/${id}/reports/${uploaded}`, { labQcStatusCode, answers })
  await qc('RELEASE')
  const rightful = await world.test.given.patient({ last_name: 'Rightful', first_name: 'Ann', dob: '1980-02-03' })
  await world.staff.put(`requisitions/${id}/patients/${rightful.id}`, { seenPatientId: patientId })
  await owner.query(
    "update requisition_test t set result = '120', result_num = 120, reportable_result = '120' from test c where c.id = t.test_id and c.code = 'CHOL' and t.requisition_id = $1",
    [id],
  )
  // It arrived later, so it is not in the file.
  await world.test.given.orderedTest(id, 'TRIG', { result: '90', result_num: '90', reportable_result: '90' })
  await world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
  expect((await qc('RELEASE')).body.code).toBe('question')
  expect((await qc('RELEASE', { RECORD_CHANGED: 'SAVE' })).status).toBe(200)
  await world.deliver(id, [uploaded], 'HL7')
  await work({ over: mllp() })
  const text: string = received[0].toString()
  expect(text).toMatch(/\rPID\|.*\|Rightful\^Ann\|\|19800203\|/)
  const values = [...text.matchAll(/\rOBX\|\d+\|NM\|[^|^]*\^([^^]*)[^|]*\|\|([^|]*)/g)].map(([, name, value]) => [
    name,
    value,
  ])
  expect(values).toEqual([
    ['Cholesterol, total', '120'],
    ['HDL cholesterol', '51'],
  ])
  expect(/\rOBR(?:\|[^|\r]*){24}\|(\w)/.exec(text)?.[1]).toBe('P')
})

it('DELIV-01 takes back by a correction what an earlier version says and it does not, until there is a result again', async () => {
  const { owner } = world.test.database
  const { id, report } = await released({ transmit_method_code: 'HL7' })
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: mllp() })
  await owner.query("update requisition set status_code = 'PROCESS' where id = $1", [id])
  const ordered: { id: number; testCode: string }[] = (await world.staff.get(`requisitions/${id}/req_tests`)).body.data
  const idOf = (code: string) => ordered.find(({ testCode }) => testCode === code)?.id
  const save = (code: string, result: string) =>
    world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, {
      reqTests: [{ reqTestId: idOf(code), result, isConfirmed: 1 }],
    })
  /** Name, value and status of every result in the message that the correction sends. */
  const corrected = async () => {
    received.length = 0
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'In doubt' })
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    await work({ over: mllp() })
    const lines: string[] = received[0].toString().split('\r')
    const fields = lines.filter((line) => /^OBX\|\d+\|(NM|ST)/.test(line)).map((line) => line.split('|'))
    expect(lines.filter((line) => line.startsWith('OBX')).map((line) => line.split('|')[1])).toEqual(
      [...fields, null].map((_, index) => String(index + 1)),
    )
    return fields.map((obx) => [obx[3]?.split('^')[1], obx[5], obx[11]])
  }
  await world.staff.put(`requisitions/${id}/req_tests/${idOf('HDL')}/modify`, {})
  const withoutHdl = [
    ['Cholesterol, total', '251', 'C'],
    ['HDL cholesterol', '', 'W'],
  ]
  expect(await corrected()).toEqual(withoutHdl)
  // A receiver that missed that one gets it with the next.
  expect(await corrected()).toEqual(withoutHdl)
  await save('HDL', '52')
  expect(await corrected()).toEqual([
    ['Cholesterol, total', '251', 'C'],
    ['HDL cholesterol', '52', 'C'],
  ])
})

/** A report that the receiver has under Jane Doe, with the further steps. */
const underJane = async ({ isUploaded = false } = {}) => {
  const { id, report: made, patientId: jane } = await released({ transmit_method_code: 'HL7' })
  let report = made
  // Releasing a file made elsewhere asks whether it shows what has changed since.
  const answers = { RECORD_CHANGED: 'SAVE' }
  const release = () => world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE', answers })
  if (isUploaded) {
    await world.test.database.owner.query('update report set deleted_at = now() where id = $1', [made])
    report = await world.addUploaded(id)
    await release()
  }
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work({ over: mllp() })
  let owner = jane
  const giveTo = async (patient: number, sent = {}) => {
    // Only there a patient is changed.
    await world.test.database.owner.query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    const reply = await world.staff.put(`requisitions/${id}/patients/${patient}`, { ...sent, seenPatientId: owner })
    expect(reply.status).toBe(200)
    owner = patient
  }
  /** The correction as it leaves; the reason names both, as people do. */
  const correct = async () => {
    received.length = 0
    await world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
    const correctionReason = 'Not Doe, but Rightful'
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason })
    await release()
  }
  return { id, jane, giveTo, correct, release }
}
const rightfulOwner = async (first = 'Ann'): Promise<number> =>
  (await world.test.given.patient({ last_name: 'Rightful', first_name: first, dob: '1980-02-03' })).id
const patientsIn = (messages = received) => messages.map((message) => Number(message.get('PID.3.1').toString()))
const controlIds = () => received.map((message) => message.get('MSH.10').toString())

it('DELIV-01 takes back from the former patient, before the correction, what the receiver has under that name', async () => {
  const { id, jane, giveTo, correct } = await underJane()
  const [before]: string[] = received.map((message) => message.toString())
  const ann = await rightfulOwner()
  await giveTo(ann)
  await correct()
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([jane, ann])
  const [former = '', present = '']: string[] = received.map((message) => message.toString())
  const lines = (text: string, name: string) => text.split('\r').filter((line) => line.startsWith(name))
  expect(lines(former, 'PID')).toEqual(lines(before ?? '', 'PID'))
  expect(lines(former, 'ORC')).toEqual(lines(before ?? '', 'ORC'))
  expect(/\rOBR(?:\|[^|\r]*){24}\|(\w)/.exec(former)?.[1]).toBe('C')
  expect(lines(former, 'OBX').map((line) => line.replace(/\|[^|]*\^([^^|]*)\^[^|]*/, '|$1'))).toEqual([
    'OBX|1|NM|Cholesterol, total||||||||W',
    'OBX|2|NM|HDL cholesterol||||||||W',
    'OBX|3|ED|Laboratory report||||||||W',
  ])
  expect(former).not.toMatch(/Rightful|Ann|19800203|Unfavorable/)
  expect(present.replace(/Base64\^[^|]*/, '')).not.toMatch(/Jane|19700102/)
  expect(lines(present, 'OBX').map((line) => line.split('|')[11])).toEqual(['C', 'C', 'C'])
  const [row] = await ledgerOf(id)
  const answer = expect.stringMatching(/^AA w1-\S+; AA lis-\S+$/)
  expect(row).toMatchObject({ versionNo: 2, deliveryState: 'CONFIRMED', attempts: 1, answer })
  // Once is enough, until the requisition gets that patient again and then another one.
  await correct()
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([ann])
  await giveTo(jane)
  await correct()
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([ann, jane])
  await giveTo(ann)
  await correct()
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([jane, ann])
})

it('DELIV-01 a correction for another patient has arrived when both messages are acknowledged; a repeat has their control ids', async () => {
  const { id, jane, giveTo, correct } = await underJane()
  const ann = await rightfulOwner()
  await giveTo(ann)
  await correct()
  behave = 'silence at a report'
  await work({ over: mllp(), sendMs: 3000 })
  expect(patientsIn()).toEqual([jane, ann])
  expect((await ledgerOf(id))[0]).toMatchObject({ versionNo: 2, deliveryState: 'RETRYING' })
  behave = 'accept'
  await makeDue()
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([jane, ann, jane, ann])
  expect(new Set(controlIds()).size).toBe(2)
  expect(controlIds().slice(2)).toEqual(controlIds().slice(0, 2))
  expect((await ledgerOf(id))[0]).toMatchObject({ versionNo: 2, deliveryState: 'CONFIRMED', attempts: 2 })
})

it('DELIV-01 what a receiver does not take back is an issue at once, and the correction waits for it', async () => {
  const { id, jane, giveTo, correct } = await underJane()
  const ann = await rightfulOwner()
  await giveTo(ann)
  await correct()
  behave = 'refuse'
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([jane])
  const answer = expect.stringContaining('refused message 1 of 2: AE')
  const [row] = await ledgerOf(id)
  expect(row).toMatchObject({ versionNo: 2, deliveryState: 'REFUSED', answer })
  expect(await issuesOf(id)).toMatchObject([
    { issueCode: 'INTERFACE', issueNote: answer },
    { issueCode: 'DELIVFAIL', issueNote: answer },
  ])
  behave = 'accept'
  received.length = 0
  await world.staff.post(`deliveries/${row.id}/resend`, {})
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([jane, ann])
  expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED' })
})

it.each([
  ['did not leave: nobody is named who is not known there', 'unreachable', false],
  ['was refused: nobody is named who is not known there', 'refuse', false],
  ['was left without an answer: it may have been taken', 'silence at a report', true],
] as const)(
  'DELIV-01 takes back from every former patient that the receiver has; a version between that %s',
  async (_, how, isTakenBack) => {
    const { id, jane, giveTo, correct } = await underJane()
    const [ann, eve] = [await rightfulOwner(), await rightfulOwner('Eve')]
    await giveTo(ann)
    await correct()
    if (how !== 'unreachable') behave = how
    const nowhere = { HL7: openMllpTransport({ url: `mllp://127.0.0.1:${await freePort()}` }) }
    await work({ over: how === 'unreachable' ? nowhere : mllp(), sendMs: 3000 })
    await giveTo(eve)
    await correct()
    behave = 'accept'
    await work({ over: mllp() })
    expect(patientsIn()).toEqual(isTakenBack ? [jane, ann, eve] : [jane, eve])
    expect((await ledgerOf(id))[0]).toMatchObject({ versionNo: 3, deliveryState: 'CONFIRMED' })
  },
)

it('DELIV-01 takes nothing back where a name or a birth date was only spelled wrong: it is the same patient', async () => {
  const { id, jane, giveTo, correct } = await underJane()
  const answers = { IDENTITY_CHANGE: 'SAME_PERSON' }
  await giveTo(jane, { patientLastName: 'Dough', patientDob: '1970-01-03', answers })
  await world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
  await correct()
  await work({ over: mllp() })
  expect(patientsIn()).toEqual([jane])
  expect(received[0].get('PID.5.1').toString()).toBe('Dough')
})

it('DELIV-01 a file made elsewhere that is released again, for another patient, goes to the interfaces that have it under the former one', async () => {
  const { id, jane, giveTo, release } = await underJane({ isUploaded: true })
  const ann = await rightfulOwner()
  for (const [former, present] of [
    [jane, ann],
    [ann, jane],
  ] as const) {
    await giveTo(present)
    await world.staff.put(`requisitions/${id}/dem_qc`, { isDemQcPass: 1 })
    received.length = 0
    expect((await release()).status).toBe(200)
    await work({ over: mllp() })
    expect(patientsIn()).toEqual([former, present])
    expect((await ledgerOf(id))[0]).toMatchObject({ versionNo: 1, deliveryState: 'CONFIRMED' })
  }
  // Released again, nothing new is sent.
  await world.staff.put(`requisitions/${id}/reports/${(await ledgerOf(id))[0].reportId}`, { labQcStatusCode: 'HOLD' })
  received.length = 0
  await release()
  await work({ over: mllp() })
  expect(received).toEqual([])
})

it('IFC-20 sends the results of an order that came over an interface in the words of its sender, to its own address', async () => {
  const { id, clientId, patientId } = await released({ transmit_method_code: 'PORTAL' })
  const { db, owner } = world.test.database
  const partner = await world.test.given.interfacePartner({
    client_id: clientId,
    sending_app: 'SALTMARSH EHR',
    sending_facility: 'SM-2041',
    result_url: `mllp://127.0.0.1:${port}`,
  })
  const order = await world.test.given.store('interface_message', {
    direction: 'IN',
    kind: 'HL7',
    partner_id: partner.id,
    state: 'ACCEPTED',
  })
  const placed = { partner_id: partner.id, requisition_id: id }
  for (const [place, [placer, code]] of [
    ['SO-1', 'CHOL'],
    ['SO-2', 'HDL'],
  ].entries()) {
    const { id: testId } = await db
      .selectFrom('test')
      .select('id')
      .where('code', '=', code as string)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('interface_order')
      .values({ ...placed, placer_number: placer as string, message_id: order.id, content_hash: Buffer.alloc(1) })
      .execute()
    await db
      .insertInto('interface_order_item')
      .values({
        ...placed,
        placer_number: placer as string,
        place,
        test_id: testId,
        code: `THEIR${code}`,
        name: code as string,
      })
      .execute()
  }
  await db
    .insertInto('interface_patient')
    .values({ partner_id: partner.id, identifier: '88-2031', authority: 'SM', patient_id: patientId })
    .execute()
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  expect(received).toHaveLength(1)
  const lines: string[][] = received[0]
    .toString()
    .split('\r')
    .map((line: string) => line.split('|'))
  const of = (name: string) => lines.filter(([segment]) => segment === name)
  expect(of('MSH')[0]?.slice(4, 6)).toEqual(['SALTMARSH EHR', 'SM-2041'])
  expect(of('PID')[0]?.[3]).toBe(`88-2031^^^SM^MR~${patientId}^^^LIS^PI`)
  expect(of('OBR').map((fields) => fields.slice(2, 5))).toEqual([
    ['SO-1', `${id}^LIS`, 'THEIRCHOL^CHOL^L'],
    ['SO-2', `${id}^LIS`, 'THEIRHDL^HDL^L'],
    ['SO-1', `${id}^LIS`, '11502-2^Laboratory report^LN'],
  ])
  expect(of('ORC').map((fields) => fields[2])).toEqual(['SO-1', 'SO-2', 'SO-1'])
  expect(of('OBX')[0]?.[3]).toBe('2093-3^Cholesterol, total^LN^THEIRCHOL^CHOL^L')
  const { rows } = await owner.query(
    "select state, ack_code, requisition_id from interface_message where direction = 'OUT'",
  )
  expect(rows).toEqual([{ state: 'SENT', ack_code: 'AA', requisition_id: id }])
})
