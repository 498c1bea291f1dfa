import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Reply } from '../../../test/app.ts'
import { openDeliveries } from '../../../test/deliveries.ts'

const world = openDeliveries()
const { test, released, ledgerOf } = world

const together = <T>(count: number, run: () => Promise<T>) => Promise.all(Array.from({ length: count }, run))
const distinct = (replies: Reply[]) => [...new Set(replies.map(({ status, body }) => `${status} ${body.data?.id}`))]
const reportsOf = async (id: number) => (await world.staff.get(`requisitions/${id}/reports`)).body.data
/** A requisition with results, and no report yet. */
const resulted = async () => {
  const { id, report } = await released()
  await test.database.owner.query('update report set deleted_at = now() where id = $1', [report])
  await forget()
  return id
}
/** As if more than the ten seconds had passed. */
const forget = () =>
  test.database.owner.query("update idempotency_key set created_at = created_at - interval '11 seconds'")

describe('the same write by the same user within ten seconds', () => {
  it('DAY-35 makes one report, also of thirty concurrent calls, and each gets the first reply', async () => {
    const id = await resulted()
    const replies = await together(30, () => world.staff.post(`requisitions/${id}/reports/make`, {}))
    expect(distinct(replies)).toEqual([`200 ${replies[0]?.body.data.id}`])
    const again = await world.staff.post(`requisitions/${id}/reports/make`, {})
    expect(again.body).toEqual(replies[0]?.body)
    expect(await reportsOf(id)).toHaveLength(1)
  })

  it.each([
    ['specimens', { specimenTypeCode: 'SERUM', temperatureTypeCode: 'FRZ', containerTypeCode: 'SST', tubeCount: 1 }],
    ['lab_notes', { labNoteTypeId: 1, note: 'Called the practice' }],
  ])('makes one row of %s, and one more after that time', async (path, body) => {
    const { id } = await test.given.requisition({ status_code: 'ACC' })
    const send = (with_: object = {}) => world.staff.post(`requisitions/${id}/${path}`, { ...body, ...with_ })
    const rows = async () => (await world.staff.get(`requisitions/${id}/${path}`)).body.data.length
    expect(distinct(await together(10, send))).toHaveLength(1)
    expect(await rows()).toBe(1)
    await forget()
    expect((await send()).status).toBe(200)
    expect(await rows()).toBe(2)
  })

  it('makes one delivery to the portal', async () => {
    const { id } = await released({ transmit_method_code: 'PORTAL' })
    await together(5, () => world.staff.post(`requisitions/${id}/rep_delivery`, {}))
    const [row, ...others] = await ledgerOf(id)
    expect(others).toEqual([])
    await together(5, () => world.staff.post(`deliveries/${row.id}/resend`, {}))
    expect(await ledgerOf(id)).toHaveLength(2)
  })

  it('is not a repeat with other content, or by another user', async () => {
    const { id } = await test.given.requisition({ status_code: 'ACC' })
    const other = await test.as('STF')
    const note = (who: typeof other, text: string) =>
      who.post(`requisitions/${id}/lab_notes`, { labNoteTypeId: 1, note: text })
    const replies = [await note(world.staff, 'one'), await note(world.staff, 'two'), await note(other, 'one')]
    expect(distinct(replies)).toHaveLength(3)
  })

  it('runs again when its requisition has changed since', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    const deliver = () => world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const first = await deliver()
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'HOLD' })
    expect((await deliver()).status).toBe(409)
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    const second = await deliver()
    expect(second.body.data.deliveryIds).not.toEqual(first.body.data.deliveryIds)
    expect(await ledgerOf(id)).toMatchObject([{ deliveryState: 'QUEUED' }, { deliveryState: 'FAILED' }])
  })

  it('runs again when the first one failed', async () => {
    const { id } = await test.given.requisition({ status_code: 'RESULT' })
    expect((await world.staff.post(`requisitions/${id}/reports/make`, {})).status).toBe(409)
    const { rows } = await test.database.owner.query("select id from test where code = 'CHOL'")
    await test.given.store('requisition_test', {
      requisition_id: id,
      test_id: rows[0].id,
      result: '180',
      reportable_result: '180',
    })
    expect((await world.staff.post(`requisitions/${id}/reports/make`, {})).status).toBe(200)
  })

  it('DAY-35 runs twice with two keys of the caller, and once with two automatic keys', async () => {
    const { id } = await test.given.requisition({ status_code: 'ACC' })
    const note = (headers: Record<string, string>) =>
      world.staff.post(`requisitions/${id}/lab_notes`, { labNoteTypeId: 1, note: 'same' }, headers)
    const key = () => ({ 'idempotency-key': randomUUID() })
    expect(distinct([await note(key()), await note(key())])).toHaveLength(2)
    const click = () => ({ ...key(), 'x-automatic-key': '1' })
    const [first, second] = [click(), click()]
    const replies = [await note(first), await note(second), await note(first), await note(second)]
    expect(distinct(replies)).toHaveLength(1)
  })
  it('DAY-35 saves an issue, a work log and a billing note that are sent twice once', async () => {
    const { id } = await test.given.requisition({ status_code: 'BILL' })
    const send = (path: string, body: object) => world.staff.post(`requisitions/${id}/${path}`, body)
    const [{ id: deptId }] = (await test.database.owner.query('select id from department order by id limit 1')).rows
    const issue = { reporterDeptId: deptId, resolverDeptId: deptId, issueDesc: 'Twice' }
    const [first, second] = await Promise.all([send('issues', issue), send('issues', issue)])
    expect([first.status, second.body]).toEqual([200, first.body])
    const log = () => send(`issues/${first.body.data.id}/work_logs`, { issueWorkLog: 'called' })
    const note = () => send('bill_notes', { note: 'called' })
    for (const write of [log, note]) {
      const one = await write()
      expect([one.status, (await write()).body]).toEqual([200, one.body])
    }
  })
})
