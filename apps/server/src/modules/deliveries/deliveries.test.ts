import { roles } from '@lis/contract/access/roles.ts'
import { getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'

const world = openDeliveries()
const { test, released, addReport, work, ledgerOf, statusOf, historyOf, deliver } = world

describe('delivery by mail', () => {
  it('DELIV-01 DELIV-10 DELIV-16..DELIV-18 DELIV-22 DELIV-23 DELIV-55 sends the portal link, writes the ledger and moves the requisition on', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const { status, body } = await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    expect([status, body.message]).toEqual([200, 'Delivery started for 1 report(s)'])
    expect(await ledgerOf(id)).toMatchObject([
      { deliveryState: 'QUEUED', recipient: 'office@practice.example', attempts: 0 },
    ])
    expect(await statusOf(id)).toBe('RELEASE')
    await work()
    expect(world.mail.received).toHaveLength(1)
    expect(world.mail.received[0]).toMatchObject({
      to: [{ address: 'office@practice.example' }],
      subject: `Laboratory report for requisition #${id}`,
    })
    expect(world.mail.received[0]?.text).toContain(`/requisitions/${id}/show/reportsDelivery`)
    expect(world.mail.received[0]?.text).not.toMatch(/Doe|Jane|251|Cholesterol/)
    expect(world.mail.received[0]?.attachments).toEqual([])
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
    const activity = (await world.staff.get(`requisitions/${id}/req_hists`)).body.data
    expect(activity).toContainEqual(
      expect.objectContaining({
        reqActionDesc: 'Delivery',
        newData: [
          { key: 'Report', value: expect.stringMatching(/\.pdf$/) },
          { key: 'Version', value: '1' },
          { key: 'Delivered To', value: 'office@practice.example' },
          { key: 'Delivery Method', value: 'E-mail' },
        ],
      }),
    )
    const [row] = (await world.staff.get(`requisitions/${id}/reports`)).body.data
    expect(row).toMatchObject({
      reportIsDelivered: 1,
      latestTransmitMethodDesc: 'E-mail',
      latestDeliveredByName: expect.stringMatching(/^Test User/),
      latestDeliveryDate: expect.any(String),
    })
  })

  it('attaches the PDF, encrypted, where the client wants it; the ledger has the hash of what left', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL', encrypt_pdf: true, legacy_client_id: 'C-0420' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work()
    const [attachment] = world.mail.received[0]?.attachments ?? []
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
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  expect(world.mail.received[0]).toMatchObject({ to: [{ address: '15551234@fax.example' }] })
  expect(world.mail.received[0]?.attachments[0]).toMatchObject({ mimeType: 'application/pdf' })
})

it('what lies in the portal has arrived at once; the ledger shows when the practice opened it', async () => {
  const { id, report, clientId } = await released()
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
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
  expect((await world.staff.put(`deliveries/${row.id}/confirm`, {})).status).toBe(200)
  expect((await ledgerOf(id))[0].deliveryState).toBe('CONFIRMED')
  expect(await statusOf(id)).toBe('DELIVER')
  expect((await world.staff.put(`deliveries/${row.id}/confirm`, {})).status).toBe(409)
})

it('the collaborator and the copy receiver get the report too, each by its own channel', async () => {
  const cola = await test.given.collaborator({
    report_deliver_to_code: 'BOTH',
    transmit_method_code: 'EMAIL',
    email: 'partner@lab.example',
  })
  const copy = await test.given.client({ transmit_method_code: 'FAX', fax_email: 'copy@fax.example' })
  const { id } = await released({ transmit_method_code: 'EMAIL', collaborator_id: cola.id })
  await test.database.owner.query('update requisition set copy_to_client_id = $2 where id = $1', [id, copy.id])
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  expect(world.mail.received.flatMap(({ to }) => to?.map(({ address }) => address)).sort()).toEqual([
    'copy@fax.example',
    'office@practice.example',
    'partner@lab.example',
  ])
})

it("'Deliver To' collaborator leaves out only the client: the copy receiver still gets it", async () => {
  const cola = await test.given.collaborator({
    report_deliver_to_code: 'COLA',
    transmit_method_code: 'EMAIL',
    email: 'partner@lab.example',
  })
  const copy = await test.given.client({ transmit_method_code: 'FAX', fax_email: 'copy@fax.example' })
  const { id } = await released({ transmit_method_code: 'EMAIL', collaborator_id: cola.id })
  await test.database.owner.query('update requisition set copy_to_client_id = $2 where id = $1', [id, copy.id])
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  expect(world.mail.received.flatMap(({ to }) => to?.map(({ address }) => address)).sort()).toEqual([
    'copy@fax.example',
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
    await world.staff.put(`requisitions/${held.id}/reports/${held.report}`, { labQcStatusCode: 'HOLD' })
    const reqIds = [good.id, silent.id, early.id, held.id, 7]
    const plan = await world.staff.post('requisitions/bulk_delivery', { reqIds, dryRun: true })
    expect(plan.body.data.moved).toEqual([good.id])
    expect(plan.body.data.refused.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringContaining('has no e-mail address'),
      `Requisition #${early.id} is Reported, not Released`,
      `Requisition #${held.id} has no report with lab QC result RELEASE`,
      'Requisition #7 not found',
    ])
    expect(await ledgerOf(good.id)).toEqual([])
    const replies = await Promise.all([1, 2].map(() => world.staff.post('requisitions/bulk_delivery', { reqIds })))
    expect(replies.map(({ body }) => body.message).sort()).toEqual([
      'Delivery started for 0 requisition(s), 5 not done',
      'Delivery started for 1 requisition(s), 4 not done',
    ])
    await work()
    expect(world.mail.received).toHaveLength(1)
    const again = await world.staff.post('requisitions/bulk_delivery', { reqIds: [good.id] })
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
    const { body } = await world.staff.post('requisitions/send_notif', { reqIds })
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
    await work()
    expect(world.mail.received.map(({ to, text }) => [to?.[0]?.address, text?.trim()])).toEqual([
      ['jane@example.org', rows[0].body],
    ])
  })
})
it('a correction goes to everyone who has the old version, and says so', async () => {
  const { id, report } = await released({ transmit_method_code: 'EMAIL' })
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  await work()
  await deliver(id, [report], 'PORTAL')
  await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong dilution' })
  await work()
  expect(world.mail.received).toHaveLength(1)
  const versions = (await world.staff.get(`requisitions/${id}/report_versions`)).body.data
  expect(versions[1].recipients.map((text: string) => /\((.+)\)$/.exec(text)?.[1]).sort()).toEqual(['E-mail', 'Portal'])
  await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
  await work()
  expect(world.mail.received[1]).toMatchObject({ subject: `Corrected laboratory report for requisition #${id}` })
  expect(world.mail.received[1]?.text).toContain('CORRECTED report')
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

describe('what a delivery would send', () => {
  it('is shown first: reports, receivers, methods and addresses, or why nothing would be sent', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    const plan = async () => (await world.staff.get(`requisitions/${id}/rep_delivery`)).body.data
    expect(await plan()).toMatchObject({
      reports: [{ reportOriginalFileName: `${id}.pdf`, versionNo: 1 }],
      receivers: [{ transmitMethodDesc: 'E-mail', recipient: 'office@practice.example', problem: null }],
      refusal: null,
    })
    await test.database.owner.query("update requisition set status_code = 'RESULT' where id = $1", [id])
    expect((await plan()).refusal).toBe(`Requisition #${id} is Resulted, not Released`)
    expect(await ledgerOf(id)).toEqual([])
  })
})
