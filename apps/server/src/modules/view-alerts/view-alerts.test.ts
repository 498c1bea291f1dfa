import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { checkAlerts } from './check-job.ts'
import { startViewAlerts } from './start-view-alerts.ts'

const test = openTestApp()
const db = () => test.database.db
const look = () => checkAlerts(test.services)

let serial = 0
/** A view of the logged requisitions of one client. */
const viewOf = async (owner: Caller, clientId: number, over: object = {}) => {
  const { status, body } = await owner.post('smart_filters', {
    smartName: `Watched ${++serial}`,
    smartScreen: 'requisitions/Logged',
    smartValues: { clientId: { value: [String(clientId)], viewValue: 'Client' } },
    ...over,
  })
  expect([status, body.message]).toEqual([200, 'Successfully created'])
  return body.data.id as number
}
const noticesOf = async (person: Caller) => (await person.get(`users/${person.userId}/alerts`)).body.data
const mailsOf = async (person: Caller) => {
  const { rows } = await sql<{
    subject: string
    body: string
  }>`select m.subject, m.body from outbox_message m join app_user u on u.email = m.recipient
    where u.id = ${person.userId} and m.subject like 'Smart view%' order by m.id`.execute(db())
  return rows
}
const anHourLater = () =>
  sql`update view_alert set told_at = told_at - interval '61 minutes' where told_at is not null`.execute(db())

describe('an alert on a view', () => {
  it('HOME-09 notifies once when the view is no longer empty, and again only after an hour', async () => {
    const { id: clientId } = await test.given.client()
    const owner = await test.as('STF')
    const id = await viewOf(owner, clientId)
    const alert = { alertKind: 'NOT_EMPTY', channels: ['BELL', 'MAIL'] }
    expect((await owner.put(`smart_filters/${id}/alert`, alert)).status).toBe(200)
    await look()
    expect(await noticesOf(owner)).toEqual([])
    await test.given.requisition({ client_id: clientId })
    await look()
    await look()
    const [notice, ...more] = await noticesOf(owner)
    expect([notice, more]).toMatchObject([
      { smartFilterId: id, count: 1, link: `/requisitions?view=${id}`, isRead: 0 },
      [],
    ])
    expect(await mailsOf(owner)).toMatchObject([{ body: expect.stringContaining(`: 1 requisition.`) }])
    expect((await owner.put(`smart_filters/${id}/alert`, { ...alert, channels: ['BELL'] })).status).toBe(200)
    await look()
    expect((await noticesOf(owner)).length).toBe(1)
    await anHourLater()
    await look()
    expect((await noticesOf(owner)).length).toBe(2)
    expect((await owner.post(`users/${owner.userId}/alerts/${notice.id}/read`)).status).toBe(200)
    expect((await noticesOf(owner)).map(({ isRead }: { isRead: number }) => isRead)).toEqual([0, 1])
  })

  it('HOME-09 notifies within 60 s of a change, without waiting for the job of each minute', async () => {
    const owner = await test.as('STF')
    const watched = async () => {
      const { id: clientId } = await test.given.client()
      const id = await viewOf(owner, clientId)
      await owner.put(`smart_filters/${id}/alert`, { alertKind: 'NOT_EMPTY', channels: ['BELL'] })
      return clientId
    }
    const clientIds = [await watched(), await watched()]
    const alerts = startViewAlerts({ services: test.services, databaseUrl: test.database.url })
    try {
      // The second change comes after a round that has looked already.
      for (const [place, client_id] of clientIds.entries()) {
        await test.given.requisition({ client_id })
        await expect
          .poll(async () => (await noticesOf(owner)).length, { timeout: 60_000, interval: 250 })
          .toBe(place + 1)
      }
    } finally {
      await alerts.stop()
    }
  })

  it('HOME-09 counts in the scope of its owner and ends when they lose access', async () => {
    const own = await test.given.client()
    const other = await test.given.client()
    const owner = await test.as('STF')
    const reader = await test.as('CLNT', own.id)
    const id = await viewOf(owner, own.id, {
      smartScreen: 'requisitions/AllForClient',
      smartValues: { clientId: { value: [String(own.id), String(other.id)], viewValue: 'Both' } },
    })
    await owner.put(`smart_filters/${id}/shares`, { roleCodes: [], userIds: [reader.userId] })
    expect(
      (await reader.put(`smart_filters/${id}/alert`, { alertKind: 'MORE_THAN', alertValue: 1, channels: ['BELL'] }))
        .status,
    ).toBe(200)
    await test.given.requisition({ client_id: own.id })
    await test.given.requisition({ client_id: other.id })
    await look()
    expect(await noticesOf(reader)).toEqual([])
    await test.given.requisition({ client_id: own.id })
    await look()
    expect((await noticesOf(reader)).map(({ count }: { count: number }) => count)).toEqual([2])
    await owner.put(`smart_filters/${id}/shares`, { roleCodes: [], userIds: [] })
    await look()
    const { rows } = await sql`select from view_alert where user_id = ${reader.userId}`.execute(db())
    expect(rows).toHaveLength(0)
  })

  it('HOME-09 notifies when a row is older than so many hours, and never after the alert was deleted', async () => {
    const { id: clientId } = await test.given.client()
    const owner = await test.as('STF')
    const id = await viewOf(owner, clientId)
    await test.given.requisition({ client_id: clientId, status_at: new Date(Date.now() - 5 * 3_600_000).toISOString() })
    const set = (alertValue: number) =>
      owner.put(`smart_filters/${id}/alert`, { alertKind: 'OLDER_THAN', alertValue, channels: ['BELL'] })
    await set(6)
    await look()
    expect(await noticesOf(owner)).toEqual([])
    await set(4)
    await look()
    expect(await noticesOf(owner)).toHaveLength(1)
    await anHourLater()
    expect((await owner.del(`smart_filters/${id}/alert`)).status).toBe(200)
    await look()
    expect(await noticesOf(owner)).toHaveLength(1)
  })

  it('HOME-09 is refused without a number, without a channel, on a view of others, and read only by its person', async () => {
    const { id: clientId } = await test.given.client()
    const owner = await test.as('STF')
    const stranger = await test.as('STF')
    const id = await viewOf(owner, clientId)
    const put = (who: Caller, body: object) => who.put(`smart_filters/${id}/alert`, body)
    expect((await put(owner, { alertKind: 'MORE_THAN', channels: ['BELL'] })).body.errors[0].field).toBe('alertValue')
    expect((await put(owner, { alertKind: 'NOT_EMPTY', channels: [] })).body.errors[0].field).toBe('channels')
    expect((await put(stranger, { alertKind: 'NOT_EMPTY', channels: ['BELL'] })).status).toBe(404)
    expect((await stranger.get(`users/${owner.userId}/alerts`)).status).toBe(404)
  })
})
