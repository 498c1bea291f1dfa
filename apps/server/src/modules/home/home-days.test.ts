import type { Home } from '@lis/contract/home.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { countPinnedViews } from './count-pinned-views.ts'
import { fillTurnaroundDays } from './turnaround-days.ts'

const test = openTestApp()

const homeOf = async (caller: Caller): Promise<Home> => (await caller.get('home')).body.data
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

/** Released so many hours ago, so many hours after its receipt. */
const released = async (hours: number, after: number) => {
  const { id } = await test.given.requisition({ status_code: 'RELEASE' })
  await test.given.specimen(id, { received_at: hoursAgo(hours + after) })
  const move = (from_code: string, to_code: string, at: string) =>
    test.given.store('requisition_status_event', { requisition_id: id, from_code, to_code, at })
  await move('RESULT', 'REPORT', hoursAgo(hours + after / 2))
  await move('REPORT', 'RELEASE', hoursAgo(hours))
}

describe('a new laboratory', () => {
  it('HOME-01 is told what is missing before its first order', async () => {
    const caller = await test.as('MGMT')
    const steps = async () => (await homeOf(caller)).firstSteps
    expect(await steps()).toEqual(expect.arrayContaining(['CLIENT', 'PHYSICIAN']))
    await test.given.requisition()
    expect(await steps()).toEqual([])
    expect((await homeOf(await test.as('SLS'))).firstSteps).toEqual([])
  })
})

describe('the days before today', () => {
  it('HOME-02 are measured once they are over, from the first with data', async () => {
    const admin = await test.as('ADM')
    expect((await homeOf(admin)).turnaroundDays).toEqual({ shareWithinTarget: null, days: [] })
    for (const [hours, after] of [
      [10 * 24, 20],
      [10 * 24, 40],
      [5 * 24, 200],
    ] as const)
      await released(hours, after)
    await sql`delete from turnaround_day`.execute(test.database.db)
    await fillTurnaroundDays(test.database.db)
    const { turnaroundDays, failed } = await homeOf(admin)
    expect(failed).toEqual({})
    expect(turnaroundDays?.shareWithinTarget).toBe(66.7)
    const days = turnaroundDays?.days ?? []
    const withData = days.filter(({ p90Hours }) => p90Hours.TOTAL !== undefined)
    expect(
      withData.map(({ shareWithinTarget, p90Hours }) => [shareWithinTarget, p90Hours.TOTAL, p90Hours.REPORT]),
    ).toEqual([
      [100, 40, 20],
      [0, 200, 100],
    ])
    expect(days.length).toBeLessThanOrEqual(20)
    const measured = () => sql`select * from turnaround_day order by day, stage_code`.execute(test.database.db)
    const before = (await measured()).rows
    await released(5 * 24, 1)
    await fillTurnaroundDays(test.database.db)
    expect((await measured()).rows).toEqual(before)
  })

  it('HOME-03 are not shown to a practice', async () => {
    expect(await homeOf(await test.as('CLNT'))).not.toHaveProperty('turnaroundDays')
  })
})

describe('a pinned view', () => {
  it('HOME-01 is compared with its first count of the day, in the scope of its user', async () => {
    const client = await test.given.client()
    const caller = await test.as('CLNT', client.id)
    await test.given.requisition({ client_id: client.id })
    const { body } = await caller.post('smart_filters', {
      smartName: 'Logged ones',
      smartScreen: 'requisitions/AllForClient',
      smartValues: { reqStatusCode: { value: 'LOG', viewValue: 'Logged' } },
      isPinned: true,
    })
    const shown = async () => (await homeOf(caller)).pinnedViews?.[0]
    expect(await shown()).toMatchObject({ count: 1, earlier: null })
    await countPinnedViews(test.services)
    await test.given.requisition({ client_id: client.id })
    await test.given.requisition()
    await countPinnedViews(test.services)
    expect(await shown()).toMatchObject({ count: 2, earlier: { count: 1 } })
    await sql`update pinned_view_count set counted_at = now() - interval '1 day'`.execute(test.database.db)
    await countPinnedViews(test.services)
    expect(await shown()).toMatchObject({ count: 2, earlier: { count: 2 } })
    await caller.put(`smart_filters/${body.data.id}`, { smartValues: { reqStatusCode: { value: 'ACC' } } })
    expect(await shown()).toMatchObject({ count: 0, earlier: null })
  })

  it('HOME-01 of an account that is closed, or with a filter that no longer exists, holds up no other', async () => {
    const [closed, other] = [await test.as('STF'), await test.as('STF')]
    const pin = async (caller: Caller, smartValues: object) =>
      (
        await caller.post('smart_filters', {
          smartName: `View ${Object.keys(smartValues)}`,
          smartScreen: 'requisitions/Logged',
          smartValues,
          isPinned: true,
        })
      ).body.data.id
    await pin(closed, { reqId: { value: '1' } })
    await sql`update app_user set status_code = 'LCK' where id = ${closed.userId}`.execute(test.database.db)
    await pin(other, { gone: { value: '1' } })
    const counted = await pin(other, { reqId: { value: '1' } })
    await countPinnedViews(test.services)
    const { pinnedViews, failed } = await homeOf(other)
    expect(pinnedViews?.find(({ id }) => id === counted)).toMatchObject({ count: 0, earlier: { count: 0 } })
    expect(Object.values(failed)).toEqual(['Unknown filter field "gone"'])
  })
})

describe('GET home/counts', () => {
  it('HOME-01 has the numbers of the queues with an item of the menu, and no patient', async () => {
    const { id } = await test.given.requisition({ status_code: 'PROCESS' })
    const ordered = await test.given.orderedTest(id, 'HDL')
    const { test_id } = await test.database.db
      .selectFrom('requisition_test')
      .select('test_id')
      .where('id', '=', ordered.id)
      .executeTakeFirstOrThrow()
    await test.given.store('critical_call', {
      requisition_id: id,
      requisition_test_id: ordered.id,
      test_id,
      value: '5',
      is_critical: true,
      due_at: hoursAgo(1),
      raised_at: hoursAgo(2),
    })
    const staff = await test.as('STF')
    const { status, body } = await staff.get('home/counts')
    expect([status, body.data.mayOrder]).toEqual([200, 0])
    const { queues } = await homeOf(staff)
    for (const { code, count, state } of body.data.queues)
      expect(queues.find((queue) => queue.code === code)).toMatchObject({ count, state })
    expect(body.data.queues).toContainEqual({ code: 'CRITICAL', count: 1, state: 'LATE' })
    expect(queues[0]?.code).toBe('CRITICAL')
  })

  it('HOME-11 says whether the practice may order', async () => {
    const [ordering, other] = [await test.given.client({ is_portal_order: true }), await test.given.client()]
    const mayOrder = async (clientId: number) => (await (await test.as('CLNT', clientId)).get('home/counts')).body.data
    expect(await mayOrder(ordering.id)).toEqual({
      queues: [{ code: 'NEW_RESULTS', count: 0, state: 'OK' }],
      mayOrder: 1,
    })
    expect(await mayOrder(other.id)).toMatchObject({ mayOrder: 0 })
  })
})
