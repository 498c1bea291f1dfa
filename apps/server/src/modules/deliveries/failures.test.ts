import { describe, expect, it } from 'vitest'
import { appendToChain, openConcurrentTransaction, untilBlocked } from '../../../test/concurrent-transaction.ts'
import { openDeliveries } from '../../../test/deliveries.ts'
import { openSmsGateway } from '../../../test/sms-gateway.ts'
import { openSmsTransport } from '../../platform/messaging/sms-transport.ts'
import { openSmtpTransport } from '../../platform/messaging/smtp-transport.ts'
import { fillRows } from '../jobs/maintenance.ts'

const world = openDeliveries()
const { test, released, addReport, work, makeDue, ledgerOf, notificationsOf, issuesOf, statusOf, historyOf } = world

const lateIds = async () =>
  (await world.staff.get('deliveries/late?perPage=-1')).body.data.map(({ reqId }: { reqId: number }) => reqId)
const hasFlag = async (id: number) => (await world.staff.get(`requisitions/${id}`)).body.data.flag !== ''
/** What the system has added to the one issue of a requisition. */
const logsOf = async (id: number): Promise<string[]> => {
  const [issue] = await issuesOf(id)
  return (await world.staff.get(`requisitions/${id}/issues/${issue.id}/work_logs`)).body.data.map(
    ({ issueWorkLog }: { issueWorkLog: string }) => issueWorkLog,
  )
}
const later = expect.stringMatching(/^20\d\d-/)
/** Nobody listens on the port. */
const deadGateway = () => openSmtpTransport({ url: 'smtp://127.0.0.1:9', from: 'LIS <no-reply@lab.example>' })

/** On the requisition: the flag and an issue for those who deliver; on the work list. */
const showsFailure = async (id: number, note: string) => {
  expect(await hasFlag(id)).toBe(true)
  expect(await issuesOf(id)).toMatchObject([
    {
      issueCode: 'DELIVFAIL',
      issueDesc: expect.stringMatching(/^The report could not be delivered to Client \d+$/),
      issueNote: expect.stringContaining(note),
      issueStatusCode: 'OPEN',
      resolverDeptName: 'Results Delivery',
    },
  ])
  expect(await lateIds()).toContain(id)
}
const isOver = async (id: number) => {
  expect(await hasFlag(id)).toBe(false)
  expect((await issuesOf(id)).map(({ issueStatusCode }: { issueStatusCode: string }) => issueStatusCode)).toEqual([
    'RESOLVED',
  ])
  expect(await lateIds()).not.toContain(id)
}

describe('a refusal', () => {
  it('DELIV-58 is final: it shows at once as what it is, blocks nobody else, and is over with a resend that arrives', async () => {
    const bad = await released({ transmit_method_code: 'EMAIL', email: 'gone@practice.example' })
    const good = await released({ transmit_method_code: 'EMAIL' })
    world.mail.refuse = (address) => address.startsWith('gone@') && 550
    await world.staff.post('requisitions/bulk_delivery', { reqIds: [bad.id, good.id] })
    await work()
    expect((await ledgerOf(good.id))[0].deliveryState).toBe('SENT')
    const [row] = await ledgerOf(bad.id)
    expect(row).toMatchObject({
      deliveryState: 'REFUSED',
      attempts: 1,
      answer: expect.stringContaining('550'),
      nextAttemptDate: null,
    })
    expect(await statusOf(bad.id)).toBe('RELEASE')
    expect((await historyOf(bad.id))[0]).toMatch(/^Delivery refused: .*550/)
    const { rows } = await test.database.owner.query('select collaborator_id from requisition where id = $1', [bad.id])
    const partner = await test.as('COLA', rows[0].collaborator_id)
    const told = (await partner.get(`requisitions/${bad.id}/rep_histories`)).body.data
    expect(told.map((row: { reportActionDesc: string }) => row.reportActionDesc)).toEqual([
      'Lab QC: Release',
      'Made from the results',
    ])
    await showsFailure(bad.id, 'It was refused and will not be retried.')
    await makeDue()
    await work()
    expect((await ledgerOf(bad.id))[0].attempts).toBe(1)

    await test.database.owner.query("update client set email = 'new@practice.example' where id = $1", [bad.clientId])
    expect((await world.staff.post(`deliveries/${row.id}/resend`, {})).status).toBe(200)
    await work()
    expect((await ledgerOf(bad.id))[0]).toMatchObject({ deliveryState: 'SENT', recipient: 'new@practice.example' })
    expect(await statusOf(bad.id)).toBe('DELIVER')
    await isOver(bad.id)

    // As before the column of the index.
    await test.database.owner.query('update report_delivery set is_superseded = false where requisition_id = $1', [
      bad.id,
    ])
    expect(await fillRows(test.services.pool, 'superseded_fill')).toBe(true)
    const { rows: marks } = await test.database.owner.query(
      'select state, is_superseded from report_delivery where requisition_id = $1 order by id',
      [bad.id],
    )
    expect(marks).toEqual([
      { state: 'FAILED', is_superseded: true },
      { state: 'DELIVERED', is_superseded: false },
    ])
  })
})

describe('a failure', () => {
  it.each([
    ['a mailbox that is busy', () => ({}), '450'],
    ['a dead fax gateway', () => ({ FAX: deadGateway() }), 'ECONNREFUSED'],
  ])(
    'DELIV-58 %s shows from the first attempt on, with the answer and the time of the next one, and is given up after six',
    async (_, over, reason) => {
      const { id } = await released({ transmit_method_code: 'FAX', fax_email: 'busy@fax.example' })
      const good = await released({ transmit_method_code: 'EMAIL' })
      world.mail.refuse = (address) => address.startsWith('busy@') && 450
      await world.staff.post('requisitions/bulk_delivery', { reqIds: [id, good.id] })
      await work({ over: over() })
      const answer = expect.stringContaining(reason)
      expect((await ledgerOf(id))[0]).toMatchObject({
        deliveryState: 'RETRYING',
        attempts: 1,
        answer,
        nextAttemptDate: later,
      })
      expect((await ledgerOf(good.id))[0].deliveryState).toBe('SENT')
      await showsFailure(id, 'It will be retried automatically.')
      for (let round = 0; round < 5; round++) {
        await makeDue()
        await work({ over: over() })
      }
      expect((await ledgerOf(id))[0]).toMatchObject({
        deliveryState: 'FAILED',
        attempts: 6,
        answer,
        nextAttemptDate: null,
      })
      const history = (await historyOf(id)).slice(0, 6).map((text) => text.split(':')[0])
      expect(history).toEqual(['Delivery failed', ...Array.from({ length: 5 }, () => 'Delivery attempt failed')])
      // Still one issue; that it was given up stands in its work log.
      await showsFailure(id, 'It will be retried automatically.')
      expect(await logsOf(id)).toEqual([expect.stringContaining('It has been given up.')])
    },
  )

  it('ends automatically when a later attempt succeeds, which a person can start at once', async () => {
    const { id } = await released({ transmit_method_code: 'FAX', fax_email: 'busy@fax.example' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const [row] = await ledgerOf(id)
    const tryNow = () => world.staff.post(`deliveries/${row.id}/resend`, {})
    expect((await tryNow()).body.message).toBe(`Requisition #${id} is already on its way`)
    await work({ over: { FAX: deadGateway() } })
    await showsFailure(id, 'ECONNREFUSED')
    await work()
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'RETRYING', attempts: 1 })
    expect((await tryNow()).status).toBe(200)
    await work()
    expect(await ledgerOf(id)).toMatchObject([{ deliveryState: 'SENT', attempts: 2, nextAttemptDate: null }])
    await isOver(id)
    expect(await statusOf(id)).toBe('DELIVER')
  })

  it('of several messages of one requisition at once is one issue that names them all, and is over when all have arrived', async () => {
    const cola = await test.given.collaborator({
      report_deliver_to_code: 'BOTH',
      transmit_method_code: 'EMAIL',
      email: 'partner@lab.example',
    })
    const { id } = await released({ transmit_method_code: 'EMAIL', collaborator_id: cola.id })
    await addReport(id)
    world.mail.refuse = () => 450
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work()
    expect((await ledgerOf(id)).map(({ deliveryState }: { deliveryState: string }) => deliveryState)).toEqual(
      Array.from({ length: 4 }, () => 'RETRYING'),
    )
    expect(await issuesOf(id)).toHaveLength(1)
    expect(await logsOf(id)).toHaveLength(3)
    expect([(await issuesOf(id))[0].issueDesc, ...(await logsOf(id))].join()).toMatch(
      /Client \d+.*Collaborator \d+|Collaborator \d+.*Client \d+/,
    )
    world.mail.refuse = (address) => address.startsWith('partner@') && 450
    await makeDue()
    await work()
    expect(await hasFlag(id)).toBe(true)
    world.mail.reset()
    await makeDue()
    await work()
    await isOver(id)
  })

  it('without a gateway names the missing setting, once, and does not count as an attempt', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const before = (await historyOf(id)).length
    for (let round = 0; round < 3; round++) {
      await work({ over: { EMAIL: undefined as never } })
      await makeDue()
    }
    const answer = 'No gateway for EMAIL is configured (set SMTP_URL)'
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'RETRYING', attempts: 0, answer })
    await showsFailure(id, answer)
    expect(await logsOf(id)).toEqual([])
    expect(await historyOf(id)).toHaveLength(before)
    await work()
    await isOver(id)
  })

  it('of the disk does not delay the others: it is retried and shows why', async () => {
    const full = await released({ transmit_method_code: 'EMAIL', encrypt_pdf: true })
    const good = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post('requisitions/bulk_delivery', { reqIds: [full.id, good.id] })
    const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    const store = { ...test.services.store, put: () => Promise.reject(noSpace) }
    const services = { ...test.services, store }
    await expect(work({ services })).rejects.toThrow('ENOSPC')
    await work()
    expect((await ledgerOf(good.id))[0].deliveryState).toBe('SENT')
    const answer = 'ENOSPC: no space left on device, write'
    expect((await ledgerOf(full.id))[0]).toMatchObject({ deliveryState: 'RETRYING', answer })
    await showsFailure(full.id, 'It will be retried automatically.')

    await test.database.owner.query(
      "update job set state = 'QUEUED' where kind = 'deliveries.send' and input::text like '%' || (select id from report_delivery where requisition_id = $1) || '%'",
      [full.id],
    )
    await expect(work({ services, attempt: 11 })).rejects.toThrow('ENOSPC')
    expect((await ledgerOf(full.id))[0]).toMatchObject({ deliveryState: 'FAILED', answer })
    expect((await historyOf(full.id))[0]).toBe(`Delivery failed: ${answer}`)

    const [row] = await ledgerOf(full.id)
    await world.staff.post(`deliveries/${row.id}/resend`, {})
    await work()
    expect((await ledgerOf(full.id))[0]).toMatchObject({ deliveryState: 'SENT' })
    await isOver(full.id)
  })

  it('a delivery still in progress after so many hours is on the work list', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const listed = async (hours: string) =>
      (await world.staff.get(`deliveries/late?perPage=-1&filter=[hours:${hours}]`)).body.data.some(
        ({ reqId }: { reqId: number }) => reqId === id,
      )
    expect([await listed('24'), await listed('0')]).toEqual([false, true])
    await test.database.owner.query(
      "update report_delivery set requested_at = now() - interval '25 hours' where requisition_id = $1",
      [id],
    )
    expect(await listed('24')).toBe(true)
    expect((await world.staff.get('deliveries/late?filter=[hours:x]')).status).toBe(400)
    await work()
  })
})

describe('a report that is in doubt', () => {
  it('is not sent once it is corrected; waiting receivers get the correction', async () => {
    const { id, report } = await released({ transmit_method_code: 'FAX', fax_email: 'office@fax.example' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work({ over: { FAX: deadGateway() } })
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong dilution' })
    const answer = 'Withdrawn before it was sent: the report is being corrected'
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'FAILED', answer })
    expect((await historyOf(id)).slice(0, 2).sort()).toEqual([
      'Corrected: Wrong dilution',
      'Delivery withdrawn: the report is being corrected',
    ])
    await makeDue()
    await work()
    expect(world.mail.received).toEqual([])
    expect(await lateIds()).toContain(id)
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    await work()
    expect(world.mail.received).toHaveLength(1)
    expect(world.mail.received[0]?.text).toContain('CORRECTED report')
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'SENT', versionNo: 2, isCorrection: 1 })
    await isOver(id)
  })

  it('is held once a result that it shows is opened for modification and when it is modified; a result entered for the first time leaves a partial report out', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const isHeld = async () =>
      (await world.staff.get(`requisitions/${id}/reports`)).body.data[0].labQcStatusCode === 'HOLD'
    const save = async (testId: number, result: string) => {
      const reqTests = [{ reqTestId: testId, result, isConfirmed: 1 }]
      expect((await world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests })).status).toBe(200)
    }
    await test.database.owner.query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    const catalogue = await test.database.owner.query("select id from test where code = 'TRIG'")
    const added = await world.staff.post(`requisitions/${id}/req_tests`, {
      panelIds: [],
      testIds: [catalogue.rows[0].id],
    })
    const [chol] = (await world.staff.get(`requisitions/${id}/req_tests`)).body.data.filter(
      ({ testCode }: { testCode: string }) => testCode === 'CHOL',
    )
    const release = () => world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    await save(added.body.data.id, '120')
    expect(await isHeld()).toBe(false)
    await test.database.owner.query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    await world.staff.put(`requisitions/${id}/req_tests/${chol.id}/modify`, {})
    expect(await isHeld()).toBe(true)
    expect((await historyOf(id))[0]).toBe('Lab QC: Hold: results are being modified: CHOL')
    const outdated = 'The record has changed since this report was made (CHOL): correct it instead'
    expect((await release()).body.message).toBe(outdated)
    // Unchanged: then there is nothing to correct.
    await world.staff.put(`requisitions/${id}/req_tests/${chol.id}/cancel_mod`, {})
    expect((await release()).status).toBe(200)
    await test.database.owner.query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    await world.staff.put(`requisitions/${id}/req_tests/${chol.id}/modify`, {})
    await save(chol.id, '201')
    expect(await isHeld()).toBe(true)
    await test.database.owner.query("update requisition set status_code = 'RELEASE' where id = $1", [id])
    const refused = await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    expect(refused.body.message).toContain('no report with lab QC result RELEASE')
    expect((await release()).body.message).toBe(outdated)
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong dilution' })
    expect((await release()).status).toBe(200)
    expect((await world.staff.post(`requisitions/${id}/rep_delivery`, {})).status).toBe(200)
    await work()
    expect(world.mail.received).toHaveLength(1)
  })

  it('is not sent once lab QC withdraws its release, whether or not its message is written', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const hold = () => world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'HOLD' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await hold()
    await work()
    expect(world.mail.received).toEqual([])
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    world.mail.refuse = () => 450
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work()
    await hold()
    world.mail.reset()
    await makeDue()
    await work()
    expect(world.mail.received).toEqual([])
    const answer = 'Withdrawn before it was sent: lab QC is Hold'
    expect(await ledgerOf(id)).toMatchObject([
      { deliveryState: 'FAILED', answer },
      { deliveryState: 'FAILED', answer },
    ])
  })

  it.each([
    ['fails', "state = 'FAILED'"],
    ['dies', "state = 'SENDING'"],
  ])('is not sent when the sender that had claimed it %s', async (_, left) => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    world.mail.refuse = () => 450
    await work()
    const message = '(select message_id from report_delivery where requisition_id = $1 and message_id is not null)'
    const set = (values: string) =>
      test.database.owner.query(`update outbox_message set ${values} where id = ${message}`, [id])
    await set("state = 'SENDING'")
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong dilution' })
    // A send that is already running cannot be stopped.
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'RETRYING' })
    await set(left)
    world.mail.reset()
    await makeDue()
    await work()
    expect(world.mail.received).toEqual([])
    expect((await ledgerOf(id))[0]).toMatchObject({
      deliveryState: 'FAILED',
      answer: 'Withdrawn: the report has been corrected or held',
      versionNo: 1,
      currentVersionNo: 2,
    })
    expect(await lateIds()).toContain(id)
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    await work()
    expect(world.mail.received.map(({ text }) => text?.includes('CORRECTED report'))).toEqual([true])
    expect(await lateIds()).not.toContain(id)
  })

  it.each([
    ['was withdrawn', 'Withdrawn before it was sent: lab QC is Hold'],
    ['has arrived', '250'],
  ])('is not sent again when somebody queues its message by hand after it %s', async (how, answer) => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    if (how === 'was withdrawn') {
      world.mail.refuse = () => 450
      await work()
      await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'HOLD' })
    } else await work()
    const before = await ledgerOf(id)
    expect(before[0].answer).toContain(answer)
    const message = '(select message_id from report_delivery where requisition_id = $1)'
    const tell = async () =>
      (
        await test.database.owner.query(
          `select m.state, a.succeeded, a.detail from outbox_message m join outbox_attempt a on a.message_id = m.id
           where m.id = ${message} order by a.id desc limit 1`,
          [id],
        )
      ).rows[0]
    const end = how === 'was withdrawn' ? 'DEAD' : 'SENT'
    expect(await tell()).toEqual({ state: end, succeeded: end === 'SENT', detail: expect.stringContaining(answer) })
    world.mail.reset()
    await test.database.owner.query(
      `update outbox_message set state = 'QUEUED', attempts = 0, next_attempt_at = now() where id = ${message}`,
      [id],
    )
    await work()
    expect(world.mail.received).toEqual([])
    const detail = "Withdrawn: the delivery is over; only 'Resend' sends again"
    expect(await tell()).toEqual({ state: end, succeeded: false, detail })
    expect(await ledgerOf(id)).toMatchObject([{ ...before[0], attempts: expect.any(Number) }])
  })
})

describe('a patient who cannot be notified', () => {
  const told = async (change: string) => {
    const one = await released({ transmit_method_code: 'PORTAL' })
    await test.database.owner.query(`update patient set ${change} where id = $1`, [one.patientId])
    await world.staff.post('requisitions/send_notif', { reqIds: [one.id] })
    return one.id
  }

  it('DELIV-02 raises an issue at once, with the answer of the mail server, and the notification is Refused', async () => {
    world.mail.refuse = (address) => address === 'gone@patient.example' && 550
    const id = await told("email = 'gone@patient.example'")
    expect(await notificationsOf(id)).toMatchObject([
      { deliveryState: 'QUEUED', transmitMethodDesc: 'E-mail', recipient: 'gone@patient.example', answer: null },
    ])
    await work()
    expect(await notificationsOf(id)).toMatchObject([
      { deliveryState: 'REFUSED', answer: expect.stringContaining('550'), attempts: 1, nextAttemptDate: null },
    ])
    expect(await issuesOf(id)).toMatchObject([
      {
        issueCode: 'DELIVFAIL',
        issueDesc: 'The patient could not be notified',
        issueNote: expect.stringMatching(/550.* It was refused and will not be retried\./),
      },
    ])
    const { rows } = await test.database.owner.query(
      "select new_data, reason from audit_entry where requisition_id = $1 and actor_name = 'Delivery' and entity = 'requisition'",
      [id],
    )
    expect(rows).toEqual([{ new_data: { patientNotNotified: 'EMAIL' }, reason: expect.stringContaining('550') }])
    // A delivered report does not count as a notification of the patient.
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work()
    expect(await hasFlag(id)).toBe(true)
    await test.database.owner.query(
      "update patient set email = 'jane@patient.example' where id = (select patient_id from requisition where id = $1)",
      [id],
    )
    await world.staff.post('requisitions/send_notif', { reqIds: [id] })
    await work()
    expect(await notificationsOf(id)).toMatchObject([
      { deliveryState: 'SENT', recipient: 'jane@patient.example', sentDate: later },
      { deliveryState: 'REFUSED' },
    ])
    expect(await hasFlag(id)).toBe(false)
    expect((await issuesOf(id))[0].issueStatusCode).toBe('RESOLVED')
  })

  it('DELIV-02 by a text gateway that is down is tried again and shows so; a number it does not know is refused', async () => {
    let status = 503
    const gateway = await openSmsGateway(() => status)
    const over = { SMS: openSmsTransport({ url: gateway.url }) }
    const id = await told("home_phone = '16175550123'")
    await work({ over })
    expect(await notificationsOf(id)).toMatchObject([
      {
        deliveryState: 'RETRYING',
        transmitMethodDesc: 'SMS',
        answer: expect.stringContaining('503'),
        nextAttemptDate: later,
      },
    ])
    expect(await hasFlag(id)).toBe(true)
    expect(await issuesOf(id)).toMatchObject([
      { issueDesc: 'The patient could not be notified', issueStatusCode: 'OPEN' },
    ])
    status = 200
    await makeDue()
    await work({ over })
    expect(await notificationsOf(id)).toMatchObject([{ deliveryState: 'SENT', attempts: 2 }])
    expect((await issuesOf(id))[0].issueStatusCode).toBe('RESOLVED')
    expect(gateway.calls[0]?.body).toEqual({
      to: '16175550123',
      body: expect.stringMatching(/^Your laboratory results are ready\. Please contact Client \d+\.$/),
    })
    status = 422
    const unknown = await told("home_phone = '16175550124'")
    await work({ over })
    expect(await notificationsOf(unknown)).toMatchObject([{ deliveryState: 'REFUSED' }])
    gateway.close()
  })
})

describe('a notification that waits', () => {
  const waiting = async () => {
    const one = await released({ transmit_method_code: 'PORTAL' })
    await test.database.owner.query("update patient set email = 'jane@patient.example' where id = $1", [one.patientId])
    await world.staff.post('requisitions/send_notif', { reqIds: [one.id] })
    await work({ over: { EMAIL: deadGateway() } })
    expect(await notificationsOf(one.id)).toMatchObject([{ deliveryState: 'RETRYING' }])
    return one
  }
  type One = Awaited<ReturnType<typeof waiting>>
  const set = (one: One, change: string) =>
    test.database.owner.query(`update patient set ${change} where id = $1`, [one.patientId])
  const isCalledOff = async ({ id }: One, why: string) => {
    await makeDue()
    await work()
    expect(world.mail.received).toEqual([])
    expect(await notificationsOf(id)).toMatchObject([
      { deliveryState: 'FAILED', answer: `Withdrawn: ${why}`, nextAttemptDate: null },
    ])
  }

  it.each([
    [
      'the report is held',
      'no report is released any more; notify again',
      ({ id, report }: One) => world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'HOLD' }),
    ],
    [
      'the patient has another address',
      'the patient or the address has changed; notify again',
      (one: One) => set(one, "email = 'new@patient.example'"),
    ],
    [
      'the requisition has another patient',
      'the patient or the address has changed; notify again',
      async ({ id }: One) => {
        const other = await test.given.patient({ email: 'other@patient.example' })
        await test.database.owner.query('update requisition set patient_id = $2 where id = $1', [id, other.id])
      },
    ],
  ])('DELIV-02 is not sent once %s; that the patient was not notified remains visible', async (_, why, change) => {
    const one = await waiting()
    await change(one)
    await isCalledOff(one, why)
    expect(await hasFlag(one.id)).toBe(true)
    expect(await logsOf(one.id)).toEqual([expect.stringContaining(`Withdrawn: ${why}`)])
  })

  it('DELIV-02 is not sent once the patient does not want it, without an issue', async () => {
    const one = await waiting()
    await set(one, 'is_notify_opt_out = true')
    await isCalledOff(one, 'the patient does not want to be notified')
    expect(await hasFlag(one.id)).toBe(false)
    expect((await issuesOf(one.id))[0].issueStatusCode).toBe('RESOLVED')
  })

  it('DELIV-02 is not sent once the requisition has been deleted', async () => {
    const { id } = await waiting()
    await test.database.owner.query('update requisition set deleted_at = now() where id = $1', [id])
    await makeDue()
    await work()
    expect(world.mail.received).toEqual([])
  })
})

describe('a message that has left', () => {
  it('is sent once, also when somebody else writes to the history of the requisition while it is recorded', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post('requisitions/bulk_delivery', { reqIds: [id] })
    const rival = await openConcurrentTransaction(test.database)
    await rival.query(appendToChain, [id])
    const working = work()
    await untilBlocked(test.database, 1)
    await rival.commit()
    await working.catch(() => undefined)
    await makeDue()
    await work()
    expect(world.mail.received).toHaveLength(1)
    expect((await ledgerOf(id))[0]).toMatchObject({ deliveryState: 'SENT', attempts: 1 })
    expect(await statusOf(id)).toBe('DELIVER')
  })
})
