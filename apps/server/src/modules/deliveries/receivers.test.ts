import { buffer } from 'node:stream/consumers'
import { getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'
import { openSmtpTransport } from '../../platform/messaging/smtp-transport.ts'

const world = openDeliveries()
const { test, released, work, makeDue, ledgerOf, issuesOf, historyOf, deliver } = world

const owner = (text: string, values: unknown[]) => test.database.owner.query(text, values)
const setClient = (id: number, change: string) => owner(`update client set ${change} where id = $1`, [id])
const setCopy = (id: number, clientId: number) =>
  owner('update requisition set copy_to_client_id = $2 where id = $1', [id, clientId])
const setStatus = (id: number, code: string) =>
  owner('update requisition set status_code = $2 where id = $1', [id, code])
const hasFlag = async (id: number) => (await world.staff.get(`requisitions/${id}`)).body.data.flag !== ''
const lateIds = async () =>
  (await world.staff.get('deliveries/late?perPage=-1')).body.data.map(({ reqId }: { reqId: number }) => reqId)
const sentTo = () => world.mail.received.map(({ to }) => to?.[0]?.address).sort()
const deliverAll = (id: number) => world.staff.post(`requisitions/${id}/rep_delivery`, {})
const resend = (rowId: number) => world.staff.post(`deliveries/${rowId}/resend`, {})
const setQc = (id: number, report: number, labQcStatusCode: string) =>
  world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode })
const correct = async (id: number, report: number) => {
  const reply = await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, {
    correctionReason: 'Wrong dilution',
  })
  expect(reply.status).toBe(200)
  await setQc(id, report, 'RELEASE')
  await work()
}
const copyClient = (fax: string) => test.given.client({ transmit_method_code: 'FAX', fax_email: fax })
/** As the list of requisitions shows it. */
const listed = async (filter: object): Promise<Record<string, unknown>[]> =>
  (await world.staff.get(`requisitions/ALL?filter=${encodeURIComponent(JSON.stringify(filter))}`)).body.data
const listRow = async (id: number) => (await listed({ reqId: [id] }))[0] as Record<string, unknown>
const isFoundAsDelivered = async (id: number) =>
  (await listed({ reqId: [id], dateDelivered: '[01/01/2020-12/31/2090]' })).length === 1
const undelivered = { latestDeliveryDate: null, latestTransmitMethodDesc: null, latestDeliveredByName: null }
/** Nobody listens on the port. */
const over = () => {
  const dead = openSmtpTransport({ url: 'smtp://127.0.0.1:9', from: 'LIS <no-reply@lab.example>' })
  return { EMAIL: dead, FAX: dead }
}
/** A fax that could not be sent, to an address that turns out to be wrong. */
const mistyped = async () => {
  const made = await released({ transmit_method_code: 'FAX', fax_email: 'stranger@fax.example' })
  await deliverAll(made.id)
  await work({ over: over() })
  expect(await ledgerOf(made.id)).toMatchObject([{ deliveryState: 'RETRYING' }])
  await setClient(made.clientId, "fax_email = 'office@fax.example'")
  return made
}

describe('an address that is corrected while a delivery waits', () => {
  it("gets it by 'Try now', and the former address never does", async () => {
    const { id } = await mistyped()
    const [row] = await ledgerOf(id)
    expect((await resend(row.id)).status).toBe(200)
    const answer = 'Withdrawn before it was sent: the address has changed; deliver again'
    expect((await ledgerOf(id))[1]).toMatchObject({ id: row.id, deliveryState: 'FAILED', answer })
    await makeDue()
    await work()
    expect(sentTo()).toEqual(['office@fax.example'])
    expect(await hasFlag(id)).toBe(false)
    expect(await lateIds()).not.toContain(id)
  })

  it('stops the next attempt, which is then on the work list and an issue until the new address has it', async () => {
    const { id } = await mistyped()
    await makeDue()
    await work()
    expect(sentTo()).toEqual([])
    const [row] = await ledgerOf(id)
    const answer = 'Withdrawn: the address has changed; deliver again'
    expect(row).toMatchObject({ deliveryState: 'FAILED', answer })
    expect((await historyOf(id))[0]).toBe('Delivery withdrawn: the address has changed; deliver again')
    expect(await lateIds()).toContain(id)
    await resend(row.id)
    await work()
    expect(sentTo()).toEqual(['office@fax.example'])
    expect(await lateIds()).not.toContain(id)
    expect(await issuesOf(id)).toMatchObject([{ issueCode: 'DELIVFAIL', issueStatusCode: 'RESOLVED' }])
  })

  it('shows on the requisition also when the first attempt was still to come', async () => {
    const { id, clientId } = await released({ transmit_method_code: 'EMAIL' })
    await deliverAll(id)
    await setClient(clientId, "email = 'new@practice.example'")
    await work()
    expect(sentTo()).toEqual([])
    expect(await hasFlag(id)).toBe(true)
    expect(await issuesOf(id)).toMatchObject([{ issueCode: 'DELIVFAIL', issueStatusCode: 'OPEN' }])
  })

  it('does not stop what waits by another way', async () => {
    const { id, report, clientId } = await released({ fax_email: 'office@fax.example' })
    await deliver(id, [report], 'EMAIL')
    await deliver(id, [report], 'FAX')
    await work({ over: over() })
    await setClient(clientId, "name = name || ' and Partners', email = 'new@practice.example'")
    const [, mail] = await ledgerOf(id)
    await resend(mail.id)
    await makeDue()
    await work()
    expect(sentTo()).toEqual(['new@practice.example', 'office@fax.example'])
  })
})

it('nothing leaves of a requisition that has been deleted', async () => {
  const { id } = await released({ transmit_method_code: 'EMAIL' })
  await deliverAll(id)
  await owner('update requisition set deleted_at = now() where id = $1', [id])
  await work()
  expect(sentTo()).toEqual([])
  const { rows } = await owner('select state, failure from report_delivery where requisition_id = $1', [id])
  expect(rows).toEqual([{ state: 'FAILED', failure: 'Withdrawn: the requisition has been deleted' }])
})

describe('a copy', () => {
  it('for a former receiver of copies is withdrawn; the reports stay released', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    const [former, next] = [await copyClient('former@fax.example'), await copyClient('next@fax.example')]
    await setCopy(id, former.id)
    await deliverAll(id)
    await work({ over: { FAX: over().FAX } })
    expect(await hasFlag(id)).toBe(true)
    await setStatus(id, 'PROCESS')
    expect((await world.staff.put(`requisitions/${id}`, { copyToClientId: next.id })).status).toBe(200)
    const [copy] = (await ledgerOf(id)).filter(
      ({ transmitMethodCode }: Record<string, string>) => transmitMethodCode === 'FAX',
    )
    expect(copy).toMatchObject({
      deliveryState: 'FAILED',
      answer: expect.stringMatching(/^Withdrawn before it was sent: Client \d+ is no longer a receiver$/),
    })
    expect((await world.staff.get(`requisitions/${id}/reports`)).body.data[0].labQcStatusCode).toBe('RELEASE')
    expect(await lateIds()).toContain(id)
    expect((await resend(copy.id)).body.message).toBe(`Requisition #${id} no longer has this receiver`)
    expect((await world.staff.put(`requisitions/${id}`, { copyToClientId: null })).status).toBe(200)
    expect(await lateIds()).not.toContain(id)
    expect(await hasFlag(id)).toBe(false)
    await makeDue()
    await work()
    expect(sentTo()).toEqual(['office@practice.example'])
  })

  it('DETAIL-108 is withdrawn, with a history entry, even if the next receiver has the same name', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    const [former, next] = [await copyClient('former@fax.example'), await copyClient('next@fax.example')]
    await owner("update client set name = 'Same Name Practice' where id = any($1)", [[former.id, next.id]])
    await setCopy(id, former.id)
    await deliverAll(id)
    await work({ over: { FAX: over().FAX } })
    await setStatus(id, 'PROCESS')
    const { version } = (await world.staff.get(`requisitions/${id}`)).body.data
    const { body } = await world.staff.put(`requisitions/${id}`, { copyToClientId: next.id })
    expect(body.data.version).toBeGreaterThan(version)
    const states = (await ledgerOf(id)).map((row: Record<string, string>) => [
      row.transmitMethodCode,
      row.deliveryState,
    ])
    expect(states).toContainEqual(['FAX', 'FAILED'])
    const { rows } = await owner(
      "select new_data ->> 'copyToClientName' as copy from audit_entry where requisition_id = $1 and action = 'EDIT'",
      [id],
    )
    expect(rows).toEqual([{ copy: `Same Name Practice (${next.id})` }])
  })

  it('that is encrypted opens with the number of the one it is for, and leaves for nobody else', async () => {
    const encrypted = { transmit_method_code: 'EMAIL', encrypt_pdf: true }
    const { id } = await released({ transmit_method_code: 'PRINT' })
    const former = await test.given.client({ ...encrypted, email: 'former@copy.example', legacy_client_id: 'C-0001' })
    const next = await test.given.client({ ...encrypted, email: 'next@copy.example', legacy_client_id: 'C-0002' })
    await setCopy(id, former.id)
    await deliverAll(id)
    await setCopy(id, next.id)
    await work()
    expect(sentTo()).toEqual([])
    const { rows } = await owner(
      "select f.object_key from outbox_message m join stored_file f on f.id = any(m.attachment_ids) where m.recipient = 'former@copy.example'",
      [],
    )
    const bytes = new Uint8Array(await buffer(await test.services.store.get(rows[0].object_key)))
    expect((await getDocumentProxy(bytes, { password: 'C-0001-01021970' })).numPages).toBeGreaterThan(0)
  })

  it.each([
    ['PORTAL', 'Portal'],
    ['EMAIL', 'E-mail'],
  ])(
    'by %s is not sent where nobody could open it: the others get theirs, and an issue says what to do',
    async (method, name) => {
      const { id } = await released({ transmit_method_code: 'EMAIL' })
      const copy = await test.given.client({ email: 'copy@practice.example', transmit_method_code: method })
      await setCopy(id, copy.id)
      const plan = await world.staff.post('requisitions/bulk_delivery', { reqIds: [id], dryRun: true })
      expect(plan.body.data).toMatchObject({ moved: [id], refused: [] })
      expect((await deliverAll(id)).status).toBe(200)
      await work()
      expect(sentTo()).toEqual(['office@practice.example'])
      expect(await world.statusOf(id)).toBe('DELIVER')
      const why = new RegExp(
        `^Client \\d+ gets a copy and could not open it by ${name}; give it a Secure Fax or encrypted e-mail`,
      )
      const [failed] = await ledgerOf(id)
      expect(failed).toMatchObject({ deliveryState: 'FAILED', answer: expect.stringMatching(why) })
      expect(await hasFlag(id)).toBe(true)
      expect(await lateIds()).toContain(id)
      expect(await issuesOf(id)).toMatchObject([{ issueCode: 'DELIVFAIL', issueNote: expect.stringMatching(why) }])
      expect((await resend(failed.id)).status).toBe(409)
      await setClient(copy.id, "transmit_method_code = 'FAX', fax_email = 'copy@fax.example'")
      expect((await resend(failed.id)).status).toBe(200)
      await work()
      expect(sentTo()).toEqual(['copy@fax.example', 'office@practice.example'])
      expect(await hasFlag(id)).toBe(false)
    },
  )

  it('without an address is refused, as every receiver without one', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    await setCopy(id, (await test.given.client({ transmit_method_code: 'FAX' })).id)
    expect((await deliverAll(id)).body.message).toMatch(/cannot be sent: Client \d+ has no Secure Fax$/)
  })

  it('that is withdrawn because its address has changed is shown, whether or not others get the report', async () => {
    const { id, clientId } = await released({ transmit_method_code: 'EMAIL' })
    const copy = await copyClient('mistyped@fax.example')
    await setCopy(id, copy.id)
    await deliverAll(id)
    await setClient(copy.id, "fax_email = 'copy@fax.example'")
    await setClient(clientId, "email = 'new@practice.example'")
    const rowTo = async (recipient: string) =>
      (await ledgerOf(id)).find((row: { recipient: string }) => row.recipient === recipient)
    await resend((await rowTo('office@practice.example')).id)
    await work()
    expect(sentTo()).toEqual(['new@practice.example'])
    expect(await hasFlag(id)).toBe(true)
    const what = {
      issueDesc: expect.stringMatching(/^The report could not be delivered to Client \d+$/),
      issueNote: 'Withdrawn before it was sent: the address has changed; deliver again. It has been given up.',
    }
    expect(await issuesOf(id)).toMatchObject([{ issueCode: 'DELIVFAIL', issueStatusCode: 'OPEN', ...what }])
    await resend((await rowTo('mistyped@fax.example')).id)
    await work()
    expect(sentTo()).toEqual(['copy@fax.example', 'new@practice.example'])
    expect(await hasFlag(id)).toBe(false)
  })

  it('by mail leads the copied physician to the list, which that reader can open, and not to the page, which they cannot', async () => {
    const { id } = await released({ transmit_method_code: 'PRINT' })
    const copy = await test.given.client({ transmit_method_code: 'EMAIL', email: 'copy@practice.example' })
    const physician = await test.given.physician()
    await owner('update requisition set copy_to_client_id = $2, copy_physician_id = $3 where id = $1', [
      id,
      copy.id,
      physician.id,
    ])
    const reader = await test.as('PHYS', physician.id)
    await deliverAll(id)
    await work()
    expect(sentTo()).toEqual(['copy@practice.example'])
    const { pathname, searchParams } = new URL(/^https?:\S+$/m.exec(world.mail.received[0]?.text ?? '')?.[0] ?? '')
    expect(pathname).toBe('/requisitions')
    const [filter] = JSON.parse(searchParams.get('smartFilter') ?? '')
    const { body } = await reader.get(`requisitions/ALL?filter=[${filter.id}:${filter.value.join()}]`)
    expect(body.data.map((row: { id: number }) => row.id)).toEqual([id])
  })

  it('lies in the portal for a copied physician with an account; each reader opens only what went to its own side', async () => {
    const { id, report, clientId } = await released()
    const copy = await test.given.client({ transmit_method_code: 'PORTAL' })
    const physician = await test.given.physician()
    const pair = await test.given.clientPhysician(copy.id, physician.id)
    await owner(
      'update requisition set copy_to_client_id = $2, copy_client_physician_id = $3, copy_physician_id = $4 where id = $1',
      [id, copy.id, pair.id, physician.id],
    )
    const reader = await test.as('PHYS', physician.id)
    expect((await deliverAll(id)).status).toBe(200)
    const openedBy = async () =>
      Object.fromEntries(
        (
          await owner(
            'select recipient_kind, opened_at is not null as opened from report_delivery where requisition_id = $1',
            [id],
          )
        ).rows.map(({ recipient_kind, opened }) => [recipient_kind, opened]),
      )
    const open = (who: typeof reader) =>
      who.post(`requisitions/${id}/download`, { callSource: 'VIEW', reportIds: [report] })
    expect((await open(reader)).status).toBe(200)
    expect(await openedBy()).toEqual({ CLIENT: false, COPY: true })
    await owner('update report_delivery set opened_at = null where requisition_id = $1', [id])
    await open(await test.as('CLNT', clientId))
    expect(await openedBy()).toEqual({ CLIENT: true, COPY: false })
    expect((await open(await test.as('CLNT', copy.id))).status).toBe(404)
  })
})

describe('a correction', () => {
  it('is not sent to former receivers, nor as a correction to new ones: an issue says whom to inform', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const [former, next] = [await copyClient('former@fax.example'), await copyClient('next@fax.example')]
    await setCopy(id, former.id)
    await deliverAll(id)
    await work()
    expect(sentTo()).toEqual(['former@fax.example', 'office@practice.example'])
    await setStatus(id, 'PROCESS')
    await world.staff.put(`requisitions/${id}`, { copyToClientId: next.id })
    world.mail.reset()
    await correct(id, report)
    expect(sentTo()).toEqual(['office@practice.example'])
    const told = {
      issueCode: 'REPNOTREC',
      issueStatusCode: 'OPEN',
      resolverDeptName: 'Results Delivery',
      issueDesc: expect.stringMatching(
        /^Client \d+ has version 1 of this report and is no longer a receiver: tell them$/,
      ),
      issueNote: 'It was sent by Secure fax to former@fax.example. Version 2 has not been sent to them.',
    }
    expect(await issuesOf(id)).toMatchObject([told])
    expect(
      (await ledgerOf(id)).map(({ recipient, isReceiver }: Record<string, unknown>) => [recipient, isReceiver]),
    ).toEqual([
      ['office@practice.example', 1],
      ['former@fax.example', 0],
      ['office@practice.example', 1],
    ])
    await setQc(id, report, 'HOLD')
    await setQc(id, report, 'RELEASE')
    const [issue] = await issuesOf(id)
    expect((await world.staff.get(`requisitions/${id}/issues/${issue.id}/work_logs`)).body.data).toEqual([])
    await setStatus(id, 'RELEASE')
    world.mail.reset()
    await deliverAll(id)
    await work()
    const texts = new Map(world.mail.received.map(({ to, text }) => [to?.[0]?.address, text]))
    expect(texts.get('office@practice.example')).toContain('It replaces the one you received before')
    expect(texts.get('next@fax.example')).toContain('This is a CORRECTED report.')
    expect(texts.get('next@fax.example')).not.toContain('received before')
    // A delivery to others does not inform the receiver of the wrong report.
    expect(await issuesOf(id)).toMatchObject([told])
  })

  it('that is the first to reach a receiver does not mention an earlier one', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await setCopy(id, (await copyClient('copy@fax.example')).id)
    await deliverAll(id)
    await work({ over: { FAX: over().FAX } })
    expect(sentTo()).toEqual(['office@practice.example'])
    world.mail.reset()
    await correct(id, report)
    const texts = new Map(world.mail.received.map(({ to, text }) => [to?.[0]?.address, text]))
    expect(texts.get('office@practice.example')).toContain(
      'It replaces the one you received before; please discard that.',
    )
    expect(texts.get('copy@fax.example')).toContain(
      'This is a CORRECTED report. If you have received an earlier one, please discard it.',
    )
    expect(texts.get('copy@fax.example')).not.toContain('received before')
  })

  it('names each former receiver in an issue of its own, whatever else is open', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const formers = [await copyClient('first@fax.example'), await copyClient('second@fax.example')]
    for (const former of formers) {
      await setCopy(id, former.id)
      await deliverAll(id)
      await work()
    }
    await setCopy(id, (await copyClient('next@fax.example')).id)
    const { rows } = await owner("select id from department where code = 'DELIVERY'", [])
    const byHand = {
      issueCode: 'REPNOTREC',
      reporterDeptId: rows[0].id,
      resolverDeptId: rows[0].id,
      issueDesc: 'Report was not received',
      issueNote: null,
    }
    expect((await world.staff.post(`requisitions/${id}/issues`, byHand)).status).toBe(200)
    await correct(id, report)
    const warned = async () => (await issuesOf(id)).map(({ issueNote }: { issueNote: string | null }) => issueNote)
    const notes = [
      null,
      'It was sent by Secure fax to first@fax.example. Version 2 has not been sent to them.',
      'It was sent by Secure fax to second@fax.example. Version 2 has not been sent to them.',
    ]
    expect((await warned()).sort()).toEqual([...notes].sort())
    await setQc(id, report, 'HOLD')
    await setQc(id, report, 'RELEASE')
    expect(await warned()).toHaveLength(3)
  })

  it('that a former receiver already has raises no issue', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await setCopy(id, (await copyClient('former@fax.example')).id)
    await deliverAll(id)
    await work()
    await correct(id, report)
    expect(sentTo().filter((address) => address === 'former@fax.example')).toHaveLength(2)
    await setCopy(id, (await copyClient('next@fax.example')).id)
    await setQc(id, report, 'HOLD')
    await setQc(id, report, 'RELEASE')
    expect(await issuesOf(id)).toEqual([])
  })

  it('goes to the current address of the receiver; without one the delivery fails', async () => {
    const moved = await released({ transmit_method_code: 'EMAIL' })
    await deliverAll(moved.id)
    await work()
    await setClient(moved.clientId, "email = 'new@practice.example', name = name || ' and Partners'")
    world.mail.reset()
    await correct(moved.id, moved.report)
    expect(sentTo()).toEqual(['new@practice.example'])
    await setClient(moved.clientId, 'email = null')
    world.mail.reset()
    await correct(moved.id, moved.report)
    expect(sentTo()).toEqual([])
    expect((await ledgerOf(moved.id))[0]).toMatchObject({
      deliveryState: 'FAILED',
      versionNo: 3,
      answer: expect.stringContaining('has no e-mail address'),
    })
    expect(await lateIds()).toContain(moved.id)
    expect(await hasFlag(moved.id)).toBe(true)
  })

  it('held and released again goes only to those who do not have it', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL', fax_email: 'office@fax.example' })
    await deliverAll(id)
    await deliver(id, [report], 'FAX')
    await work()
    world.mail.reset()
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong dilution' })
    await setQc(id, report, 'RELEASE')
    await work({ over: { FAX: over().FAX } })
    expect(sentTo()).toEqual(['office@practice.example'])
    await setQc(id, report, 'HOLD')
    await setQc(id, report, 'RELEASE')
    await work()
    expect(sentTo()).toEqual(['office@fax.example', 'office@practice.example'])
  })
})

describe('a file that went to the wrong practice and is released again for the right one', () => {
  const wronglySent = async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    await owner('update report set deleted_at = now() where requisition_id = $1', [id])
    const report = await world.addUploaded(id)
    await setQc(id, report, 'RELEASE')
    await deliverAll(id)
    await work()
    expect(sentTo()).toEqual(['office@practice.example'])
    await setStatus(id, 'PROCESS')
    const next = await test.given.requisitionBody()
    const { clientId, orderingClientPhysId, eventId, labId, collaborator: colaId } = next
    await setClient(clientId, "email = 'rightful@practice.example'")
    await world.staff.put(`requisitions/${id}`, { clientId, orderingClientPhysId, eventId, labId, colaId })
    const compared = { labQcStatusCode: 'RELEASE', answers: { RECORD_CHANGED: 'SAVE' } }
    expect((await world.staff.put(`requisitions/${id}/reports/${report}`, compared)).status).toBe(200)
    return { id, report }
  }
  const reportRow = async (id: number, report: number) =>
    (await world.staff.get(`requisitions/${id}/reports`)).body.data.find((row: { id: number }) => row.id === report)

  it('is not delivered until that one has it, and the requisition waits for it', async () => {
    const { id, report } = await wronglySent()
    const nothing = { reportIsDelivered: 0, latestDeliveryDate: null, latestTransmitMethodDesc: null }
    expect(await reportRow(id, report)).toMatchObject(nothing)
    await setStatus(id, 'RELEASE')
    const second = await world.addUploaded(id)
    await setQc(id, second, 'RELEASE')
    await deliver(id, [second], 'EMAIL')
    await work()
    expect(await world.statusOf(id)).toBe('RELEASE')
    await deliver(id, [report], 'EMAIL')
    await work()
    expect(await reportRow(id, report)).toMatchObject({ reportIsDelivered: 1, latestTransmitMethodDesc: 'E-mail' })
    expect(await world.statusOf(id)).toBe('DELIVER')
  })

  it('is listed without a delivery until the right practice has it LIST-184', async () => {
    const { id, report } = await wronglySent()
    expect(await listRow(id)).toMatchObject(undelivered)
    expect(await isFoundAsDelivered(id)).toBe(false)
    await setStatus(id, 'RELEASE')
    await deliver(id, [report], 'EMAIL')
    await work()
    expect(await listRow(id)).toMatchObject({
      latestTransmitMethodDesc: 'E-mail',
      latestDeliveryDate: expect.any(String),
    })
    expect(await isFoundAsDelivered(id)).toBe(true)
  })

  it('raises an issue that says who has it, once', async () => {
    const { id, report } = await wronglySent()
    const told = {
      issueCode: 'REPNOTREC',
      issueDesc: expect.stringMatching(
        /^Client \d+ has version 1 of this report and is no longer a receiver: tell them$/,
      ),
      issueNote: 'It was sent by E-mail to office@practice.example.',
    }
    expect(await issuesOf(id)).toMatchObject([told])
    await setQc(id, report, 'HOLD')
    await setQc(id, report, 'RELEASE')
    expect(await issuesOf(id)).toHaveLength(1)
  })
})

describe('the delivery that the list shows', () => {
  it('is one to a receiver of today, also when the copy and the status change at once', async () => {
    const { id } = await released({ transmit_method_code: 'EMAIL' })
    const [copy, next] = [await copyClient('copy@fax.example'), await copyClient('next@fax.example')]
    await setCopy(id, copy.id)
    await deliverAll(id)
    await work()
    await owner(
      "update report_delivery set delivered_at = delivered_at + interval '1 minute' where requisition_id = $1 and recipient_kind = 'COPY'",
      [id],
    )
    expect((await listRow(id)).latestTransmitMethodDesc).toBe('Secure fax')
    await owner("update requisition set copy_to_client_id = $2, status_code = 'BILL' where id = $1", [id, next.id])
    expect((await listRow(id)).latestTransmitMethodDesc).toBe('E-mail')
    await setCopy(id, copy.id)
    expect((await listRow(id)).latestTransmitMethodDesc).toBe('Secure fax')
  })
})

describe('whose a delivery is', () => {
  it('goes by the number of its receiver, not by the name', async () => {
    const { id, clientId } = await released({ transmit_method_code: 'PORTAL' })
    const practice = await test.as('CLNT', clientId)
    await deliverAll(id)
    const seen = async () => {
      const { body } = await practice.get(`requisitions/${id}/rep_histories`)
      return body.data.filter((row: { reportActionDesc: string }) => row.reportActionDesc.startsWith('Delivered'))
        .length
    }
    await setClient(clientId, "name = name || ' and Partners'")
    expect(await seen()).toBe(1)
    expect((await ledgerOf(id))[0]).toMatchObject({ isReceiver: 1 })
    const namesake = await test.given.client({})
    await owner(
      'update client set name = (select recipient_name from report_delivery where requisition_id = $2) where id = $1',
      [namesake.id, id],
    )
    await owner('update report_delivery set party_id = $2 where requisition_id = $1', [id, namesake.id])
    expect(await seen()).toBe(0)
    expect((await ledgerOf(id))[0]).toMatchObject({ isReceiver: 0 })
  })
})

describe('a receiver whom the collaborator no longer names', () => {
  const collaborator = (report_deliver_to_code: string) =>
    test.given.collaborator({ report_deliver_to_code, transmit_method_code: 'EMAIL', email: 'partner@lab.example' })
  const deliverTo = async (id: number, reportDeliverToCode: string) => {
    const { data } = (await world.staff.get(`collaborators/${id}`)).body
    expect((await world.staff.put(`collaborators/${id}`, { ...data, reportDeliverToCode })).status).toBe(200)
  }
  /** One of two receivers does not take mail. */
  const refusedBy = async (address: string) => {
    const cola = await collaborator('BOTH')
    const made = await released({ transmit_method_code: 'EMAIL', collaborator_id: cola.id })
    world.mail.refuse = (to) => to === address && 550
    await deliverAll(made.id)
    await work()
    return { ...made, colaId: cola.id }
  }
  const isTrouble = async (id: number) => [await hasFlag(id), (await lateIds()).includes(id)]
  const refusals = async (id: number) =>
    (await ledgerOf(id)).filter(({ deliveryState }: { deliveryState: string }) => deliveryState === 'REFUSED').length

  it.each([
    ['collaborator', 'partner@lab.example', 'CLIENT', 'COLA'],
    ['practice', 'office@practice.example', 'COLA', 'CLIENT'],
  ])('COL-40 needs no attention any more, and stays in ledger and history: %s', async (_, address, others, own) => {
    const { id, colaId } = await refusedBy(address)
    expect(await isTrouble(id)).toEqual([true, true])
    await deliverTo(colaId, own)
    expect(await isTrouble(id)).toEqual([true, true])
    await deliverTo(colaId, others)
    expect(await isTrouble(id)).toEqual([false, false])
    expect(await issuesOf(id)).toMatchObject([{ issueCode: 'DELIVFAIL', issueStatusCode: 'RESOLVED' }])
    expect(await refusals(id)).toBe(1)
    expect((await historyOf(id)).join()).toContain('Delivery refused')
  })

  it('COL-40 is one again where a person delivers to it on purpose', async () => {
    const { id, report, colaId } = await refusedBy('office@practice.example')
    await deliverTo(colaId, 'COLA')
    await deliver(id, [report], 'EMAIL')
    await work()
    expect(await isTrouble(id)).toEqual([true, true])
  })

  it('COL-40 is one again, on the work list, by its flag and by its issue, where it is named again', async () => {
    const { id, colaId } = await refusedBy('partner@lab.example')
    await deliverTo(colaId, 'CLIENT')
    expect(await isTrouble(id)).toEqual([false, false])
    await deliverTo(colaId, 'COLA')
    expect(await isTrouble(id)).toEqual([true, true])
    expect((await issuesOf(id)).map((issue: { issueStatusCode: string }) => issue.issueStatusCode)).toContain('OPEN')
  })

  it('COL-40 is one where it has the report and its correction could not be sent', async () => {
    const { id, report, colaId } = await refusedBy('nobody@lab.example')
    await deliverTo(colaId, 'CLIENT')
    world.mail.refuse = (to) => to === 'partner@lab.example' && 550
    await correct(id, report)
    expect(await isTrouble(id)).toEqual([true, true])
  })

  it('COL-40 is none where what was tried again has been given up since', async () => {
    const { id, colaId } = await refusedBy('nobody@lab.example')
    const another = await released({ transmit_method_code: 'EMAIL', collaborator_id: colaId })
    world.mail.refuse = (to) => to === 'partner@lab.example' && 450
    await deliverAll(another.id)
    await work()
    await deliverTo(colaId, 'CLIENT')
    expect(await isTrouble(another.id)).toEqual([true, true])
    world.mail.refuse = (to) => to === 'partner@lab.example' && 550
    await makeDue()
    await work()
    expect(await isTrouble(another.id)).toEqual([false, false])
    expect(await isTrouble(id)).toEqual([false, false])
  })

  it('COL-40 is none where the requisition has gone to a collaborator who takes no reports', async () => {
    const { id } = await refusedBy('partner@lab.example')
    const { id: colaId } = await collaborator('CLIENT')
    await setStatus(id, 'PROCESS')
    expect((await world.staff.put(`requisitions/${id}`, { colaId })).status).toBe(200)
    expect(await isTrouble(id)).toEqual([false, false])
    expect(await refusals(id)).toBe(1)
  })
})

it('a retry that fails after the report was delivered in another way raises no issue', async () => {
  const { id, report } = await released({ transmit_method_code: 'EMAIL', fax_email: 'office@fax.example' })
  await deliverAll(id)
  const dead = { EMAIL: over().EMAIL }
  await work({ over: dead })
  expect(await hasFlag(id)).toBe(true)
  await deliver(id, [report], 'FAX')
  await work({ over: dead })
  expect(await hasFlag(id)).toBe(false)
  for (let round = 0; round < 5; round++) {
    await makeDue()
    await work({ over: dead })
  }
  expect((await ledgerOf(id))[1]).toMatchObject({ deliveryState: 'FAILED', attempts: 6 })
  expect(await hasFlag(id)).toBe(false)
  expect(await issuesOf(id)).toMatchObject([{ issueStatusCode: 'RESOLVED' }])
})

describe('the plan of a bulk delivery', () => {
  it('lists each receiver once with method, address and requisitions, and sends nothing', async () => {
    const one = await released({ transmit_method_code: 'EMAIL', email: 'office@north.example' })
    const two = await released({ transmit_method_code: 'PORTAL' })
    // Both send a copy to the same practice.
    const copy = await test.given.client({ transmit_method_code: 'EMAIL', email: 'copy@south.example' })
    for (const { id } of [one, two]) await setCopy(id, copy.id)
    const reqIds = [one.id, two.id]
    const { data } = (await world.staff.post('requisitions/bulk_delivery', { reqIds, dryRun: true })).body
    expect(data.moved).toEqual(reqIds)
    expect(data.receivers).toHaveLength(3)
    expect(data.receivers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ recipient: 'office@north.example', reqIds: [one.id], reportCount: 1, problem: null }),
        expect.objectContaining({
          transmitMethodDesc: 'E-mail',
          recipient: 'copy@south.example',
          reqIds,
          reportCount: 2,
        }),
        expect.objectContaining({ transmitMethodDesc: 'Portal', reqIds: [two.id], reportCount: 1 }),
      ]),
    )
    for (const id of reqIds) expect(await ledgerOf(id)).toEqual([])
  })
})
