import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { sendDue } from './jobs.ts'

const test = openTestApp({ env: { MAIL_DOMAINS: 'lab.example, example.com' } })
const db = () => test.database.db

const daily = { reportCode: 'QAPEND', every: 'DAY', at: '07:00', tz: 'America/New_York' }
const create = async (who: Caller, body: object): Promise<number> => {
  const { status, body: reply } = await who.post('schedules', { ...daily, userIds: [who.userId], ...body })
  expect([status, reply.message]).toEqual([200, 'Successfully created'])
  return reply.data.id
}
const addressOf = async ({ userId }: Caller) =>
  (await test.database.owner.query('select email::text from app_user where id = $1', [userId])).rows[0].email as string
const mailsTo = async (address: string) => {
  const { rows } = await sql<{ subject: string; body: string; attachment_ids: number[] }>`
    select subject, body, attachment_ids from outbox_message where recipient = ${address} order by id`.execute(db())
  return rows
}
const fileOf = async (id: number) => {
  const { rows } = await sql<{ object_key: string; original_name: string }>`
    select object_key, original_name from stored_file where id = ${id}`.execute(db())
  const [file] = rows as [{ object_key: string; original_name: string }]
  const parts: Buffer[] = []
  for await (const part of await test.services.store.get(file.object_key)) parts.push(part as Buffer)
  return { name: file.original_name, text: Buffer.concat(parts).toString('utf8') }
}
const becomeDue = (id: number) =>
  sql`update schedule set next_at = now() - interval '1 minute' where id = ${id}`.execute(db())
let serial = 0
/** A shared view of the logged requisitions of a client, named after a patient. */
const viewOf = async (owner: Caller, clientIds: number[], reader: Caller) => {
  const { body } = await owner.post('smart_filters', {
    smartName: `Orders of Margaret Whitfield ${++serial}`,
    smartScreen: 'requisitions/Logged',
    smartValues: { clientId: { value: clientIds.map(String), viewValue: 'Clients' } },
  })
  const { id } = body.data
  await owner.put(`smart_filters/${id}/shares`, { roleCodes: [], userIds: [reader.userId] })
  return id as number
}

describe('a schedule', () => {
  it('HOME-08 sends a report on its day as a link, once, and goes on with the next', async () => {
    const owner = await test.as('MGMT')
    const id = await create(owner, {})
    const [row] = (await owner.get(`schedules?filter=[id:${id}]`)).body.data
    expect(row).toMatchObject({
      ...daily,
      id,
      userIds: [owner.userId],
      roleCodes: [],
      emails: [],
      sendAs: 'LINK',
      onlyWhenNotEmpty: 0,
    })
    expect(Date.parse(row.nextDate)).toBeGreaterThan(Date.now())
    const timeIn = new Date(row.nextDate).toLocaleTimeString('en-GB', {
      timeZone: daily.tz,
      hour: '2-digit',
      minute: '2-digit',
    })
    expect(timeIn).toBe('07:00')
    await becomeDue(id)
    await Promise.all([sendDue(test.services), sendDue(test.services)])
    const mails = await mailsTo(await addressOf(owner))
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({
      subject: expect.stringMatching(/^Pending by status and age, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/),
      body: expect.stringMatching(/\/insights\/qaReports\/QAPEND\?from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/),
      attachment_ids: [],
    })
    const [after] = (await owner.get(`schedules?filter=[id:${id}]`)).body.data
    expect([after.nextDate, typeof after.sentDate]).toEqual([row.nextDate, 'string'])
    const { rows } =
      await sql`select from audit_entry where entity = 'schedule' and entity_id = ${id} and action = 'SEND'`.execute(
        db(),
      )
    expect(rows).toHaveLength(1)
  })

  it('HOME-08 sends each receiver the figures that it may see, as a file, without a name in the mail', async () => {
    const own = await test.given.client()
    const other = await test.given.client()
    const owner = await test.as('STF')
    const reader = await test.as('CLNT', own.id)
    for (const { id } of [own, other]) await test.given.requisition({ client_id: id })
    const view = await viewOf(owner, [own.id, other.id], reader)
    const id = await create(owner, {
      reportCode: undefined,
      smartFilterId: view,
      userIds: [owner.userId, reader.userId],
      sendAs: 'CSV',
    })
    const { status, body } = await owner.post(`schedules/${id}/send`)
    expect([status, body.data]).toEqual([200, { sent: 2, empty: 0, refused: [] }])
    const lines = async (who: Caller) => {
      const [mail] = await mailsTo(await addressOf(who))
      const file = await fileOf(mail?.attachment_ids[0] as number)
      expect([mail?.subject, file.name]).toEqual([`Smart view ${view}`, `Smart view ${view}.csv`])
      expect(`${mail?.subject} ${mail?.body}`).not.toContain('Whitfield')
      return file.text.trim().split('\n').length - 1
    }
    expect([await lines(owner), await lines(reader)]).toEqual([2, 1])
  })

  it.each(['XLSX', 'PDF'])('HOME-08 sends a report as %s', async (sendAs) => {
    const owner = await test.as('ADM')
    const id = await create(owner, { sendAs, userIds: [], emails: ['Quality@lab.example'] })
    expect((await owner.post(`schedules/${id}/send`)).body.data.sent).toBe(1)
    const mails = await mailsTo('quality@lab.example')
    const { text } = await fileOf(mails.at(-1)?.attachment_ids[0] as number)
    expect(text.slice(0, 4)).toBe(sendAs === 'PDF' ? '%PDF' : 'PK\u0003\u0004')
  })

  it('HOME-08 sends nothing to a receiver who has lost the right, and tells the owner', async () => {
    const { id: clientId } = await test.given.client()
    const owner = await test.as('STF')
    const reader = await test.as('STF')
    const view = await viewOf(owner, [clientId], reader)
    const id = await create(owner, { reportCode: undefined, smartFilterId: view, userIds: [reader.userId] })
    await owner.put(`smart_filters/${view}/shares`, { roleCodes: [], userIds: [] })
    await becomeDue(id)
    await sendDue(test.services)
    expect(await mailsTo(await addressOf(reader))).toEqual([])
    const [told] = await mailsTo(await addressOf(owner))
    expect(told).toMatchObject({
      subject: `'Smart view ${view}' was not sent to everyone`,
      body: expect.stringContaining('may not see this report'),
    })
    await owner.del(`smart_filters/${view}`)
    await becomeDue(id)
    await sendDue(test.services)
    expect((await mailsTo(await addressOf(owner))).at(-1)?.subject).toBe('A schedule has ended')
    expect((await owner.get(`schedules?filter=[id:${id}]`)).body.total).toBe(0)
  })

  it('HOME-08 sends nothing to an address whose account has been closed, and tells the owner', async () => {
    const owner = await test.as('MGMT')
    const closed = [await test.as('STF'), await test.as('STF')]
    const addresses = [`closed${owner.userId}@elsewhere.example`, `closed${owner.userId}@lab.example`]
    for (const [place, { userId }] of closed.entries())
      await test.database.owner.query('update app_user set email = $2 where id = $1', [userId, addresses[place]])
    const id = await create(owner, { userIds: [owner.userId], emails: addresses })
    const send = async () => (await owner.post(`schedules/${id}/send`)).body
    expect((await send()).data).toEqual({ sent: 3, empty: 0, refused: [] })
    for (const { userId } of closed)
      await test.database.owner.query(`update app_user set status_code = 'LCK' where id = $1`, [userId])
    const refused = addresses.map((address) => `${address} may not see this report`)
    const { data, message } = await send()
    expect(data).toEqual({ sent: 1, empty: 0, refused })
    expect(message).toBe(`Sent to 1 person. Not sent: ${refused.join('; ')}`)
    for (const address of addresses) expect(await mailsTo(address)).toHaveLength(1)
    expect((await mailsTo(await addressOf(owner))).at(-1)?.body).toContain(refused.join('\n- '))
  })

  it('HOME-08 names a receiver for whom the view cannot be read, and sends to the others', async () => {
    const { id: clientId } = await test.given.client()
    const owner = await test.as('STF')
    const { body } = await owner.post('smart_filters', {
      smartName: `Gone ${++serial}`,
      smartScreen: 'requisitions/Logged',
      smartValues: { goneFilter: { value: String(clientId), viewValue: 'Gone' } },
    })
    const id = await create(owner, { reportCode: undefined, smartFilterId: body.data.id })
    await becomeDue(id)
    await sendDue(test.services)
    expect(await mailsTo(await addressOf(owner))).toMatchObject([
      { subject: expect.stringContaining('was not sent to everyone'), body: expect.stringContaining('goneFilter') },
    ])
    const [{ nextDate }] = (await owner.get(`schedules?filter=[id:${id}]`)).body.data
    expect(Date.parse(nextDate) - Date.now()).toBeGreaterThan(11 * 60_000)
  })

  it('HOME-08 sends nothing empty where that was asked for', async () => {
    const { id: clientId } = await test.given.client()
    const owner = await test.as('STF')
    const view = await viewOf(owner, [clientId], await test.as('STF'))
    const id = await create(owner, { reportCode: undefined, smartFilterId: view, onlyWhenNotEmpty: 1 })
    expect((await owner.post(`schedules/${id}/send`)).body.data).toEqual({ sent: 0, empty: 1, refused: [] })
    expect(await mailsTo(await addressOf(owner))).toEqual([])
  })

  it('HOME-08 refuses a file for an address elsewhere, a link for somebody who may not see it, and what is incomplete', async () => {
    const { id: clientId } = await test.given.client()
    const owner = await test.as('STF')
    const stranger = await test.as('CLNT', clientId)
    const view = await viewOf(owner, [clientId], await test.as('STF'))
    const refused = async (body: object) => {
      const { status, body: reply } = await owner.post('schedules', { ...daily, userIds: [owner.userId], ...body })
      return [status, reply.errors?.[0]?.field]
    }
    const elsewhere = { userIds: [], emails: ['someone@elsewhere.example'] }
    const ofView = { reportCode: undefined, smartFilterId: view }
    expect(await refused({ ...elsewhere, sendAs: 'CSV' })).toEqual([400, 'emails'])
    expect(await refused(elsewhere)).toEqual([400, 'emails'])
    expect(await refused({ ...ofView, userIds: [stranger.userId] })).toEqual([400, 'userIds'])
    expect(await refused({ userIds: [] })).toEqual([400, 'userIds'])
    expect(await refused({ smartFilterId: view })).toEqual([400, 'reportCode'])
    expect(await refused({ reportCode: 'NONE' })).toEqual([400, 'reportCode'])
    expect(await refused({ at: '7' })).toEqual([400, 'at'])
    expect(await refused({ every: 'YEAR' })).toEqual([400, 'every'])
    expect(await refused({ tz: 'EST5' })).toEqual([400, 'tz'])
    expect((await stranger.post('schedules', { ...daily, roleCodes: ['STF'] })).body.errors[0].field).toBe('roleCodes')
  })

  it('HOME-08 is changed, sent and ended by its owner alone', async () => {
    const owner = await test.as('MGMT')
    const other = await test.as('MGMT')
    const id = await create(owner, {})
    const { status, body } = await owner.put(`schedules/${id}`, { every: 'WEEK', at: '18:30' })
    expect([status, body.data]).toMatchObject([
      200,
      { every: 'WEEK', at: '18:30', userIds: [owner.userId], version: 2 },
    ])
    expect((await other.get(`schedules?filter=[id:${id}]`)).body.total).toBe(0)
    expect((await other.put(`schedules/${id}`, { every: 'DAY' })).status).toBe(404)
    expect((await other.post(`schedules/${id}/send`)).status).toBe(404)
    expect((await other.del(`schedules/${id}`)).status).toBe(404)
    expect((await owner.del(`schedules/${id}`)).status).toBe(200)
    expect((await owner.del(`schedules/${id}`)).status).toBe(404)
  })
})
