import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { roles } from '@lis/contract/access/roles.ts'
import { Server as Hl7Server } from 'node-hl7-server'
import { getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { type MailServer, openMailServer } from '../../../test/mail-server.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { deliverDue } from '../../platform/messaging/deliver.ts'
import type { Transports } from '../../platform/messaging/message.ts'
import { openMllpTransport } from '../../platform/messaging/mllp-transport.ts'
import { openSmtpTransport } from '../../platform/messaging/smtp-transport.ts'
import { followMessage } from './follow.ts'
import { sendDeliveriesJob } from './send-job.ts'

const test = openTestApp()
let staff: Caller
let mail: MailServer
let transports: Transports

beforeAll(async () => {
  staff = await test.as('STF')
  mail = await openMailServer()
  const smtp = openSmtpTransport({ url: mail.url, from: 'LIS <no-reply@lab.example>', stepMs: 2000 })
  transports = { EMAIL: smtp, FAX: smtp }
})
afterAll(async () => {
  transports.EMAIL?.close()
  await mail?.close()
})
beforeEach(() => {
  mail.received.length = 0
  mail.refuse = () => false
})

/** A Released requisition with one report of our own that is out. */
const released = async (client: Parameters<typeof test.given.client>[0] = {}, status = 'RELEASE') => {
  const { id: clientId } = await test.given.client({ email: 'office@practice.example', ...client })
  const patient = await test.given.patient({ last_name: 'Doe', first_name: 'Jane', dob: '1970-01-02' })
  const { id } = await test.given.requisition({ client_id: clientId, patient_id: patient.id, status_code: 'RESULT' })
  const { rows } = await test.database.owner.query("select id from test where code in ('CHOL', 'HDL') order by code")
  for (const [index, value] of ['251', '51'].entries())
    await test.given.store('requisition_test', {
      requisition_id: id,
      test_id: rows[index].id,
      result: value,
      result_num: value,
      reportable_result: value,
      interpretation: index === 0 ? 'Unfavorable | very ^ high' : 'Normal',
    })
  const report = await addReport(id)
  await test.database.owner.query('update requisition set status_code = $2 where id = $1', [id, status])
  return { id, report, clientId, patientId: patient.id }
}
const addReport = async (id: number, qc = 'RELEASE'): Promise<number> => {
  const report = (await staff.post(`requisitions/${id}/reports/make`, {})).body.data.id
  if (qc !== 'PENDING') await staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: qc })
  return report
}

/** What a worker does: the jobs that wait, then one round of the outbox. */
const work = async (
  over: Transports = transports,
  sendMs = 5000,
  { services = test.services, attempt = 1 }: { services?: typeof test.services; attempt?: number } = {},
) => {
  const { rows } = await test.database.owner.query(
    "update job set state = 'DONE' where kind = 'deliveries.send' and state = 'QUEUED' returning id, user_id, input",
  )
  for (const { id, user_id: userId, input } of rows)
    await sendDeliveriesJob.run(
      {
        id,
        userId,
        attempt,
        services,
        signal: AbortSignal.timeout(60_000),
        progress: async () => undefined,
      },
      input,
    )
  const db = test.services.databases(systemScope)
  while (
    (await deliverDue({
      db,
      store: test.services.store,
      transports: over,
      demo: false,
      onOutcome: followMessage,
      sendMs,
    })) > 0
  );
}
const makeDue = () =>
  test.database.owner.query("update outbox_message set next_attempt_at = now() where state in ('FAILED', 'SENDING')")
const ledgerOf = async (id: number) => (await staff.get(`requisitions/${id}/deliveries`)).body.data
const statusOf = async (id: number) => (await staff.get(`requisitions/${id}`)).body.data.reqStatusCode
const deliver = (id: number, reportIds: number[], transmitMethodCode?: string, who = staff) =>
  who.post(`requisitions/${id}/delivery`, { reportIds, transmitMethodCode })
const historyOf = async (id: number): Promise<string[]> =>
  (await staff.get(`requisitions/${id}/rep_histories`)).body.data.map(
    (row: { reportActionDesc: string }) => row.reportActionDesc,
  )

describe('delivery by mail', () => {
  it('DELIV-01 DELIV-10 DELIV-16..DELIV-18 DELIV-22 DELIV-23 DELIV-55 sends the portal link, writes the ledger and moves the requisition on', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const { status, body } = await staff.post(`requisitions/${id}/rep_delivery`, {})
    expect([status, body.message]).toEqual([200, 'Delivery started for 1 report(s)'])
    expect(await ledgerOf(id)).toMatchObject([
      { deliveryState: 'QUEUED', recipient: 'office@practice.example', attempts: 0 },
    ])
    expect(await statusOf(id)).toBe('RELEASE')
    await work()
    expect(mail.received).toHaveLength(1)
    expect(mail.received[0]).toMatchObject({
      to: [{ address: 'office@practice.example' }],
      subject: `Laboratory report for requisition #${id}`,
    })
    expect(mail.received[0]?.text).toContain(`/requisitions/${id}/show/reportsDelivery`)
    expect(mail.received[0]?.text).not.toMatch(/Doe|Jane|251|Cholesterol/)
    expect(mail.received[0]?.attachments).toEqual([])
    expect(await ledgerOf(id)).toMatchObject([
      {
        reportId: report,
        versionNo: 1,
        transmitMethodCode: 'EMAIL',
        deliveryState: 'SENT',
        answer: expect.stringContaining('250'),
        attempts: 1,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    expect(await statusOf(id)).toBe('DELIVER')
    expect((await historyOf(id))[0]).toBe('Delivered: E-mail to office@practice.example')
    const [row] = (await staff.get(`requisitions/${id}/reports`)).body.data
    expect(row).toMatchObject({
      reportIsDelivered: 1,
      latestTransmitMethodDesc: 'E-mail',
      latestDeliveredByName: expect.stringMatching(/^Test User/),
      latestDeliveryDate: expect.any(String),
    })
  })

  it('attaches the PDF, encrypted, where the client wants it; the ledger has the hash of what left', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL', encrypt_pdf: true, legacy_client_id: 'C-0420' })
    await staff.post(`requisitions/${id}/rep_delivery`, {})
    await work()
    const [attachment] = mail.received[0]?.attachments ?? []
    const bytes = new Uint8Array(attachment?.content as ArrayBuffer)
    await expect(getDocumentProxy(bytes.slice())).rejects.toThrow(/password/i)
    const pdf = await getDocumentProxy(bytes.slice(), { password: 'C-0420-01021970' })
    const page = await pdf.getPage(1)
    const text = (await page.getTextContent()).items.map((item) => ('str' in item ? item.str : '')).join(' ')
    expect(text).toContain('251')
    const { createHash } = await import('node:crypto')
    expect((await ledgerOf(id))[0].sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it('waits for every released report before it moves on', async () => {
    const { id, report } = await released()
    const second = await addReport(id)
    await deliver(id, [report], 'EMAIL')
    await work()
    expect(await statusOf(id)).toBe('RELEASE')
    await deliver(id, [second], 'EMAIL')
    await work()
    expect(await statusOf(id)).toBe('DELIVER')
  })
})

it('a fax is a mail with the PDF to the Secure Fax address', async () => {
  const { id } = await released({ transmit_method_code: 'FAX', fax_email: '15551234@fax.example' })
  await staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  expect(mail.received[0]).toMatchObject({ to: [{ address: '15551234@fax.example' }] })
  expect(mail.received[0]?.attachments[0]).toMatchObject({ mimeType: 'application/pdf' })
})

it('what lies in the portal has arrived at once; the ledger shows when the practice opened it', async () => {
  const { id, report, clientId } = await released()
  await staff.post(`requisitions/${id}/rep_delivery`, {})
  expect(await statusOf(id)).toBe('DELIVER')
  expect(await ledgerOf(id)).toMatchObject([{ transmitMethodCode: 'PORTAL', deliveryState: 'SENT' }])
  const practice = await test.as('CLNT', clientId)
  await practice.post(`requisitions/${id}/download`, { callSource: 'VIEW', reportIds: [report] })
  expect(await ledgerOf(id)).toMatchObject([{ deliveryState: 'OPENED', openedDate: expect.any(String) }])
})

it('a printed report counts when a person says that it was printed', async () => {
  const { id, report } = await released()
  await deliver(id, [report], 'PRINT')
  await work()
  const [row] = await ledgerOf(id)
  expect([row.deliveryState, await statusOf(id)]).toEqual(['QUEUED', 'RELEASE'])
  expect((await staff.put(`deliveries/${row.id}/confirm`, {})).status).toBe(200)
  expect((await ledgerOf(id))[0].deliveryState).toBe('CONFIRMED')
  expect(await statusOf(id)).toBe('DELIVER')
  expect((await staff.put(`deliveries/${row.id}/confirm`, {})).status).toBe(409)
})

it('the collaborator and whoever gets a copy are served too, each in its own way', async () => {
  const cola = await test.given.collaborator({
    report_deliver_to_code: 'BOTH',
    transmit_method_code: 'EMAIL',
    email: 'partner@lab.example',
  })
  const copy = await test.given.client({ transmit_method_code: 'FAX', fax_email: 'copy@fax.example' })
  const { id } = await released({ transmit_method_code: 'EMAIL', collaborator_id: cola.id })
  await test.database.owner.query('update requisition set copy_to_client_id = $2 where id = $1', [id, copy.id])
  await staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  expect(mail.received.flatMap(({ to }) => to?.map(({ address }) => address)).sort()).toEqual([
    'copy@fax.example',
    'office@practice.example',
    'partner@lab.example',
  ])
})

describe('refusals', () => {
  it('DELIV-56 DELIV-57 DELIV-58 the method is required and known, the reports released and of this requisition', async () => {
    const { id, report } = await released()
    const other = await released()
    const pending = await addReport(id, 'PENDING')
    expect((await deliver(id, [report])).body).toMatchObject({
      errors: [{ field: 'transmitMethodCode', message: 'Delivery Method is required' }],
    })
    expect((await deliver(id, [report], 'PIGEON')).body.message).toBe('Delivery Method is invalid')
    expect((await deliver(id, [], 'EMAIL')).status).toBe(400)
    expect((await deliver(id, [other.report], 'EMAIL')).status).toBe(404)
    expect((await deliver(id, [pending], 'EMAIL')).body.message).toContain('has no report with lab QC result RELEASE')
    expect((await deliver(id, [report], 'FAX')).body.message).toMatch(
      new RegExp(`^Requisition #${id} cannot be sent: Client \\d+ has no Secure Fax$`),
    )
    expect(await ledgerOf(id)).toEqual([])
  })

  it('DELIV-60 only super admins deliver, see the ledger and the work list', async () => {
    const { id, report, clientId } = await released()
    for (const role of roles) {
      const who = await test.as(role, role === 'CLNT' ? clientId : undefined)
      const may = ['ADM', 'MGMT', 'STF'].includes(role)
      const replies = [
        await deliver(id, [report], 'PIGEON', who),
        await who.post('requisitions/bulk_delivery', { reqIds: [id], dryRun: true }),
        await who.post('requisitions/send_notif', { reqIds: [id], dryRun: true }),
        await who.get(`requisitions/${id}/deliveries`),
        await who.get('deliveries/late'),
        await who.post('deliveries/999999/resend', {}),
      ]
      expect([role, replies.map(({ status }) => (status === 403 ? 'no' : 'yes'))]).toEqual([
        role,
        replies.map(() => (may ? 'yes' : 'no')),
      ])
    }
  })
})

describe('many at once', () => {
  it('LIST-225 says what will go and what will not, then does exactly that; twice at once sends once', async () => {
    const good = await released({ transmit_method_code: 'EMAIL' })
    const silent = await released({ transmit_method_code: 'EMAIL', email: null })
    const early = await released({ transmit_method_code: 'EMAIL' }, 'REPORT')
    const held = await released({ transmit_method_code: 'EMAIL' })
    await staff.put(`requisitions/${held.id}/reports/${held.report}`, { labQcStatusCode: 'HOLD' })
    const reqIds = [good.id, silent.id, early.id, held.id, 7]
    const plan = await staff.post('requisitions/bulk_delivery', { reqIds, dryRun: true })
    expect(plan.body.data.moved).toEqual([good.id])
    expect(plan.body.data.refused.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringContaining('has no e-mail address'),
      `Requisition #${early.id} is Reported, not Released`,
      `Requisition #${held.id} has no report with lab QC result RELEASE`,
      'Requisition #7 not found',
    ])
    expect(await ledgerOf(good.id)).toEqual([])
    const replies = await Promise.all([1, 2].map(() => staff.post('requisitions/bulk_delivery', { reqIds })))
    expect(replies.map(({ body }) => body.message).sort()).toEqual([
      'Delivery started for 0 requisition(s), 5 not done',
      'Delivery started for 1 requisition(s), 4 not done',
    ])
    await work()
    expect(mail.received).toHaveLength(1)
    const again = await staff.post('requisitions/bulk_delivery', { reqIds: [good.id] })
    expect(again.body.message).toBe('Delivery started for 1 requisition(s)')
    await work()
    expect(await ledgerOf(good.id)).toHaveLength(2)
  })

  it('DELIV-02 LIST-224 tells patients that results are ready, never the results; who cannot be told is named', async () => {
    const [byMail, bySms, nowhere, unwilling] = [await released(), await released(), await released(), await released()]
    const set = (one: { patientId: number }, change: string) =>
      test.database.owner.query(`update patient set ${change} where id = $1`, [one.patientId])
    await set(byMail, "email = 'jane@example.org'")
    await set(bySms, "home_phone = '16175550123'")
    await set(unwilling, "email = 'no@example.org', is_notify_opt_out = true")
    const reqIds = [byMail.id, bySms.id, nowhere.id, unwilling.id]
    const { body } = await staff.post('requisitions/send_notif', { reqIds })
    expect(body.message).toBe('Notification sent for 2 requisition(s), 2 not done')
    expect(body.data.refused.map(({ reason }: { reason: string }) => reason)).toEqual([
      `The patient of #${nowhere.id} has no e-mail address and no home phone`,
      `The patient of #${unwilling.id} does not want to be notified`,
    ])
    const { rows } = await test.database.owner.query(
      "select channel, recipient, body from outbox_message where recipient in ('jane@example.org', '16175550123') order by id",
    )
    expect(rows).toMatchObject([{ channel: 'EMAIL' }, { channel: 'SMS', recipient: '16175550123' }])
    expect(rows[0].body).toMatch(/^Your laboratory results are ready\. Please contact Client \d+\.$/)
  })
})

it('a patient who cannot be told is an issue, with the words of the mail server', async () => {
  const { id, patientId } = await released({ transmit_method_code: 'PORTAL' })
  await test.database.owner.query("update patient set email = 'gone@patient.example' where id = $1", [patientId])
  mail.refuse = (address) => address === 'gone@patient.example' && 550
  await staff.post('requisitions/send_notif', { reqIds: [id] })
  await work()
  expect((await staff.get(`requisitions/${id}/issues`)).body.data).toMatchObject([
    {
      issueCode: 'DELIVFAIL',
      issueDesc: 'The patient could not be notified',
      issueNote: expect.stringContaining('550'),
    },
  ])
  const { rows } = await test.database.owner.query(
    "select new_data, reason from audit_entry where requisition_id = $1 and actor_name = 'Delivery' and entity = 'requisition'",
    [id],
  )
  expect(rows).toEqual([{ new_data: { patientNotNotified: 'EMAIL' }, reason: expect.stringContaining('550') }])
})

describe('a failure', () => {
  const lateIds = async () =>
    (await staff.get('deliveries/late?perPage=-1')).body.data.map(({ reqId }: { reqId: number }) => reqId)
  const showsFailure = async (id: number) => {
    expect((await staff.get(`requisitions/${id}`)).body.data.flag).not.toBe('')
    expect((await staff.get(`requisitions/${id}/issues`)).body.data).toMatchObject([
      {
        issueCode: 'DELIVFAIL',
        issueDesc: expect.stringMatching(/^The report could not be delivered to Client \d+$/),
        resolverDeptName: 'Results Delivery',
      },
    ])
    expect((await historyOf(id))[0]).toContain('Delivery failed')
    expect(await lateIds()).toContain(id)
  }
  /** Nobody listens on the port. */
  const deadGateway = () => openSmtpTransport({ url: 'smtp://127.0.0.1:9', from: 'LIS <no-reply@lab.example>' })
  const again = (id: number) =>
    test.database.owner.query(
      "update job set state = 'QUEUED' where kind = 'deliveries.send' and input::text like '%' || (select id from report_delivery where requisition_id = $1) || '%'",
      [id],
    )

  it('that is final shows at once on the requisition and as an issue, blocks nobody else, and is over with a resend that arrives', async () => {
    const bad = await released({ transmit_method_code: 'EMAIL', email: 'gone@practice.example' })
    const good = await released({ transmit_method_code: 'EMAIL' })
    mail.refuse = (address) => address.startsWith('gone@') && 550
    await staff.post('requisitions/bulk_delivery', { reqIds: [bad.id, good.id] })
    await work()
    expect((await ledgerOf(good.id))[0].deliveryState).toBe('SENT')
    const [row] = await ledgerOf(bad.id)
    expect(row).toMatchObject({ deliveryState: 'FAILED', attempts: 1, answer: expect.stringContaining('550') })
    expect(await statusOf(bad.id)).toBe('RELEASE')
    await showsFailure(bad.id)
    await test.database.owner.query("update client set email = 'new@practice.example' where id = $1", [bad.clientId])
    expect((await staff.post(`deliveries/${row.id}/resend`, {})).status).toBe(200)
    await work()
    expect((await ledgerOf(bad.id))[0]).toMatchObject({ deliveryState: 'SENT', recipient: 'new@practice.example' })
    const { body } = await staff.get(`requisitions/${bad.id}`)
    expect(body.data).toMatchObject({ flag: '', reqStatusCode: 'DELIVER', issueCount: 0 })
    expect(await lateIds()).not.toContain(bad.id)
  })

  it.each([
    ['a mailbox that is busy', () => ({ ...transports }), '450'],
    ['a dead fax gateway', () => ({ FAX: deadGateway() }), 'ECONNREFUSED'],
  ])(
    '%s is tried again, with the reason in the ledger from the first time on, and given up after six times',
    async (_, over, reason) => {
      const { id } = await released({ transmit_method_code: 'FAX', fax_email: 'busy@fax.example' })
      const good = await released({ transmit_method_code: 'EMAIL' })
      mail.refuse = (address) => address.startsWith('busy@') && 450
      await staff.post('requisitions/bulk_delivery', { reqIds: [id, good.id] })
      await work({ ...transports, ...over() })
      const answer = expect.stringContaining(reason)
      expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'RETRYING', attempts: 1, answer })
      expect((await ledgerOf(good.id))[0].deliveryState).toBe('SENT')
      expect((await staff.get(`requisitions/${id}/issues`)).body.data).toEqual([])
      for (let round = 0; round < 5; round++) {
        await makeDue()
        await work({ ...transports, ...over() })
      }
      expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'FAILED', attempts: 6, answer })
      await showsFailure(id)
    },
  )

  it('of the disk is no reason to hold up the others: it is tried again and shows why', async () => {
    const full = await released({ transmit_method_code: 'EMAIL', encrypt_pdf: true })
    const good = await released({ transmit_method_code: 'EMAIL' })
    await staff.post('requisitions/bulk_delivery', { reqIds: [full.id, good.id] })
    const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    const store = { ...test.services.store, put: () => Promise.reject(noSpace) }
    const onFullDisk = { ...test.services, store }
    await expect(work(transports, 5000, { services: onFullDisk })).rejects.toThrow('ENOSPC')
    await work()
    expect((await ledgerOf(good.id))[0].deliveryState).toBe('SENT')
    const answer = 'ENOSPC: no space left on device, write'
    expect((await ledgerOf(full.id))[0]).toMatchObject({ deliveryState: 'RETRYING', answer })

    await again(full.id)
    await expect(work(transports, 5000, { services: onFullDisk, attempt: 11 })).rejects.toThrow('ENOSPC')
    expect((await ledgerOf(full.id))[0]).toMatchObject({ deliveryState: 'FAILED', answer })
    await showsFailure(full.id)

    const [row] = await ledgerOf(full.id)
    await staff.post(`deliveries/${row.id}/resend`, {})
    await work()
    expect((await ledgerOf(full.id))[0]).toMatchObject({ deliveryState: 'SENT' })
  })

  it('what is still under way after so many hours stands on the work list', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    await staff.post(`requisitions/${id}/rep_delivery`, {})
    const listed = async (hours: string) =>
      (await staff.get(`deliveries/late?perPage=-1&filter=[hours:${hours}]`)).body.data.some(
        ({ reqId }: { reqId: number }) => reqId === id,
      )
    expect([await listed('24'), await listed('0')]).toEqual([false, true])
    await test.database.owner.query(
      "update report_delivery set requested_at = now() - interval '25 hours' where requisition_id = $1",
      [id],
    )
    expect(await listed('24')).toBe(true)
    expect((await staff.get('deliveries/late?filter=[hours:x]')).status).toBe(400)
    await work()
  })
})

it('a correction goes to everyone who has the old version, and says so', async () => {
  const { id, report } = await released({ transmit_method_code: 'EMAIL' })
  await staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  await deliver(id, [report], 'PORTAL')
  await staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong dilution' })
  await work()
  expect(mail.received).toHaveLength(1)
  const versions = (await staff.get(`requisitions/${id}/report_versions`)).body.data
  expect(versions[1].recipients.map((text: string) => /\((.+)\)$/.exec(text)?.[1]).sort()).toEqual(['E-mail', 'Portal'])
  await staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
  await work()
  expect(mail.received[1]).toMatchObject({ subject: `Corrected laboratory report for requisition #${id}` })
  expect(mail.received[1]?.text).toContain('CORRECTED report')
  const rows = (await ledgerOf(id)).filter(({ versionNo }: { versionNo: number }) => versionNo === 2)
  expect(
    rows
      .map(({ transmitMethodCode, isCorrection }: { transmitMethodCode: string; isCorrection: number }) => [
        transmitMethodCode,
        isCorrection,
      ])
      .sort(),
  ).toEqual([
    ['EMAIL', 1],
    ['PORTAL', 1],
  ])
})

describe('delivery by HL7', () => {
  type Behave = 'accept' | 'refuse' | 'reject' | 'silence'
  // biome-ignore lint/suspicious/noExplicitAny: the library's message knows its segments by text
  const received: any[] = []
  let behave: Behave = 'accept'
  let hl7: { close: () => Promise<boolean> }
  let port = 0

  beforeAll(async () => {
    port = await freePort()
    const server = new Hl7Server({ bindAddress: '127.0.0.1' })
    hl7 = server.createInbound({ port }, async (request, response) => {
      received.push(request.getMessage())
      if (behave === 'silence') return
      await response.sendResponse(behave === 'accept' ? 'AA' : behave === 'refuse' ? 'AE' : 'AR')
    })
    await wait(100)
  })
  afterAll(() => hl7.close())
  beforeEach(() => {
    received.length = 0
    behave = 'accept'
  })
  const mllp = () => ({ HL7: openMllpTransport({ url: `mllp://127.0.0.1:${port}` }) })

  it('sends ORU^R01 with every result and the PDF; a listener parses it, and its acknowledgement is the confirmation', async () => {
    const { id } = await released({ transmit_method_code: 'HL7', legacy_client_id: 'C-0777' })
    await staff.post(`requisitions/${id}/rep_delivery`, {})
    await work(mllp())
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
      obx
        .slice(0, 2)
        .map((fields) => [fields[2], fields[3]?.split('^')[1], fields[5], fields[6], fields[8], fields[11]]),
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

  it.each([
    ['refuse', /refused the message: AE/],
    ['reject', /refused the message: AR/],
  ] as const)('a listener that will %s the message is not asked again: it is an issue at once', async (how, reason) => {
    const { id } = await released({ transmit_method_code: 'HL7' })
    behave = how
    await staff.post(`requisitions/${id}/rep_delivery`, {})
    await work(mllp())
    const [row] = await ledgerOf(id)
    expect(row).toMatchObject({ deliveryState: 'FAILED', attempts: 1, answer: expect.stringMatching(reason) })
    expect((await staff.get(`requisitions/${id}/issues`)).body.data).toMatchObject([{ issueCode: 'DELIVFAIL' }])
    behave = 'accept'
    await staff.post(`deliveries/${row.id}/resend`, {})
    await work(mllp())
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED' })
  })

  it('a listener that falls silent is tried again with the same control id', async () => {
    const { id } = await released({ transmit_method_code: 'HL7' })
    behave = 'silence'
    await staff.post(`requisitions/${id}/rep_delivery`, {})
    await work(mllp(), 700)
    const answer = expect.stringMatching(/did not (acknowledge|answer)/)
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'RETRYING', answer })
    behave = 'accept'
    await makeDue()
    await work(mllp())
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED', attempts: 2 })
    const mine = received.map((message) => message.get('MSH.10').toString())
    expect(new Set(mine).size).toBe(1)
    expect(mine).toHaveLength(2)
  })

  it('a listener with trouble of its own is tried again; each client has the receiver that is set for it', async () => {
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
    await staff.post('requisitions/bulk_delivery', { reqIds: [one.id, other.id] })
    const url = `mllp://127.0.0.1:${port}`
    await work({ HL7: openMllpTransport({ url, receivers: new Map([['C-0801', own]]) }) })
    expect((await ledgerOf(one.id))[0]).toMatchObject({
      deliveryState: 'RETRYING',
      answer: expect.stringContaining('207'),
    })
    expect((await ledgerOf(other.id))[0]).toMatchObject({ deliveryState: 'CONFIRMED' })
    await makeDue()
    await work({ HL7: openMllpTransport({ receivers: new Map([['C-0802', own]]) }) })
    expect((await ledgerOf(one.id))[0].answer).toBe(
      'No HL7 receiver for C-0801 is configured (set HL7_RECEIVERS or HL7_URL)',
    )
    await makeDue()
    await work(mllp())
    expect((await ledgerOf(one.id))[0]).toMatchObject({ deliveryState: 'CONFIRMED', attempts: 3 })
    await new Promise((closed) => troubled.close(closed))
  })

  it('a connection that drops, or that nobody answers, is no delivery', async () => {
    const { id } = await released({ transmit_method_code: 'HL7' })
    const dropping: TcpServer = createServer((socket) => socket.once('data', () => socket.destroy()))
    await new Promise<void>((ready) => dropping.listen(0, '127.0.0.1', ready))
    const url = `mllp://127.0.0.1:${(dropping.address() as AddressInfo).port}`
    await staff.post(`requisitions/${id}/rep_delivery`, {})
    await work({ HL7: openMllpTransport({ url }) })
    expect((await ledgerOf(id))[0]).toMatchObject({
      deliveryState: 'RETRYING',
      answer: expect.stringContaining('closed the connection'),
    })
    await new Promise((closed) => dropping.close(closed))
    await makeDue()
    await work({ HL7: openMllpTransport({ url }) })
    expect((await ledgerOf(id))[0].answer).toContain('cannot be reached')
    await makeDue()
    await work(mllp())
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'CONFIRMED', attempts: 3 })
  })
})

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
