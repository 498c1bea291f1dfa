import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { verifyLists } from '../requisition-list/verify-lists.ts'

const test = openTestApp()
let admin: Caller
let staff: Caller

beforeAll(async () => {
  admin = await test.as('ADM')
  staff = await test.as('STF')
})

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const hoursAfter = (at: string, hours: number) => new Date(new Date(at).getTime() + hours * 3_600_000).toISOString()
const testId = async (code: string): Promise<number> =>
  (await test.database.owner.query('select id from test where code = $1', [code])).rows[0].id

/** An order of a laboratory of its own, received at that time. */
const received = async (at: string, tests: readonly string[] = ['CHOL'], over: object = {}) => {
  const lab = await test.given.lab()
  const { id } = await test.given.requisition({ lab_id: lab.id, status_code: 'ACC', status_at: at, ...over })
  await test.given.specimen(id, { received_at: at })
  for (const code of tests) await test.given.orderedTest(id, code)
  return { id, labId: lab.id }
}

const rowOf = async (id: number) =>
  (await staff.get(`requisitions/ALL?filter=${JSON.stringify({ reqId: id })}`)).body.data[0]
const dueOf = async (id: number) => {
  const { dueDate } = await rowOf(id)
  return dueDate && new Date(dueDate).toISOString()
}
const setTarget = async (body: object) => {
  const { status, body: reply } = await admin.post('tat_targets', body)
  expect([status, reply.message]).toEqual([200, expect.any(String)])
  return reply.data.id as number
}
const inOwnLab = async (ids: number[], order: string) => {
  const query = `sort=${JSON.stringify(order.split(' '))}&filter=${JSON.stringify({ id: ids })}`
  const { status, body } = await staff.get(`requisitions/ALL?${query}`)
  expect(status).toBe(200)
  return body.data.map(({ id }: { id: number }) => id)
}

describe('HOME-05 turnaround targets', () => {
  it('are set by ADM and MGMT, read by super roles, and written to the audit', async () => {
    const lab = await test.given.lab()
    const body = { labId: lab.id, priority: 'STAT', targetHours: 4, isWorkingTime: 0 }
    expect((await staff.post('tat_targets', body)).status).toBe(403)
    const id = await setTarget(body)
    expect((await staff.get(`tat_targets/${id}`)).body.data).toMatchObject({ ...body, testId: null, panelId: null })
    const changed = await (await test.as('MGMT')).put(`tat_targets/${id}`, { targetHours: 6 })
    expect(changed.body.data).toMatchObject({ targetHours: 6, priority: 'STAT', version: 2 })
    const { rows } = await test.database.owner.query(
      `select action from audit_entry where entity = 'tat_target' and entity_id = $1 order by id`,
      [id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['CREATE', 'UPDATE'])
    expect((await admin.del(`tat_targets/${id}`)).status).toBe(200)
    expect((await staff.get(`tat_targets/${id}`)).status).toBe(404)
  })

  it.each([
    [{ targetHours: 0 }, 'targetHours'],
    [{ targetHours: 'soon' }, 'targetHours'],
    [{}, 'targetHours'],
    [{ targetHours: 4, priority: 'URGENT' }, 'priority'],
    [{ targetHours: 4, labId: 999_999 }, 'labId'],
    [{ targetHours: 4, testId: 999_999 }, 'testId'],
  ])('refuse %j by its field', async (body, field) => {
    const { status, body: reply } = await admin.post('tat_targets', body)
    expect([status, reply.errors[0].field]).toEqual([400, field])
  })

  it('refuse a test together with a panel, and a second target for the same', async () => {
    const { labId } = await received(hoursAgo(1))
    const panel = (await test.database.owner.query('select id from panel limit 1')).rows[0].id
    const both = await admin.post('tat_targets', { testId: await testId('CHOL'), panelId: panel, targetHours: 4 })
    expect([both.status, both.body.errors[0].field]).toEqual([400, 'panelId'])
    await setTarget({ labId, targetHours: 4 })
    expect((await admin.post('tat_targets', { labId, targetHours: 5 })).status).toBe(409)
  })

  it('give each requisition its due date from the receipt, by the most specific of them', async () => {
    const at = hoursAgo(2)
    const { id, labId } = await received(at)
    expect(await dueOf(id)).toBeNull()
    await setTarget({ labId, targetHours: 48 })
    expect(await dueOf(id)).toBe(hoursAfter(at, 48))
    const ofTest = await setTarget({ labId, testId: await testId('CHOL'), targetHours: 12 })
    expect(await dueOf(id)).toBe(hoursAfter(at, 12))
    // The slowest test decides.
    await test.given.orderedTest(id, 'HDL')
    expect(await dueOf(id)).toBe(hoursAfter(at, 48))
    await setTarget({ labId, priority: 'STAT', targetHours: 3 })
    expect(await dueOf(id)).toBe(hoursAfter(at, 48))
    await test.database.owner.query(
      `insert into requisition_flag (requisition_id, flag_id) select $1, id from flag where code = 'STAT'`,
      [id],
    )
    expect(await dueOf(id)).toBe(hoursAfter(at, 3))
    await admin.del(`tat_targets/${ofTest}`)
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it('count only the hours and days in which the laboratory works', async () => {
    // Friday, 16:00 in New York.
    const { id, labId } = await received('2026-07-10T20:00:00.000Z')
    await test.database.owner.query(`update lab set zone = 'America/New_York' where id = $1`, [labId])
    await setTarget({ labId, targetHours: 10, isWorkingTime: 1 })
    // An hour on Friday, nine on Monday from 8.
    expect(await dueOf(id)).toBe('2026-07-13T21:00:00.000Z')
    const calendar = { workDays: [1, 2, 3, 4, 5, 6], opens: '06:00', closes: '24:00', holidays: ['2026-07-11'] }
    expect((await staff.put(`labs/${labId}/calendar`, calendar)).status).toBe(403)
    const { status, body } = await admin.put(`labs/${labId}/calendar`, calendar)
    expect([status, body.data]).toEqual([200, { id: labId, ...calendar, version: 1 }])
    expect((await staff.get(`labs/${labId}/calendar`)).body.data).toMatchObject(calendar)
    // Eight hours on Friday, two on Monday from 6.
    expect(await dueOf(id)).toBe('2026-07-13T12:00:00.000Z')
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it.each([
    [{ workDays: [] }, 'workDays'],
    [{ workDays: [8] }, 'workDays'],
    [{ opens: '25:00' }, 'opens'],
    [{ opens: '18:00', closes: '08:00' }, 'closes'],
    [{ holidays: ['2026-02-30'] }, 'holidays'],
  ])('refuse the calendar %j by its field', async (change, field) => {
    const { id } = await test.given.lab()
    const { status, body } = await admin.put(`labs/${id}/calendar`, change)
    expect([status, body.errors[0].field.split('.')[0]]).toEqual([400, field])
  })

  it('say what will be late by now and by the usual time of the stages left; filter and sort by it', async () => {
    const late = await received(hoursAgo(30))
    const soon = await received(hoursAgo(1))
    const intime = await received(hoursAgo(1))
    const without = await received(hoursAgo(400))
    await setTarget({ labId: late.labId, targetHours: 24 })
    await setTarget({ labId: soon.labId, targetHours: 20 })
    await setTarget({ labId: intime.labId, targetHours: 90 })
    const all = [late, soon, intime, without].map(({ id }) => id)
    const flags = async () => (await Promise.all(all.map(rowOf))).map(({ willBeLate }) => willBeLate)
    expect(await flags()).toEqual([1, 0, 0, 0])
    // Ten hours in each of the four stages to the release: 31 hours from the receipt for those that came an hour ago.
    await test.database.owner.query(`
      insert into stage_usual (status_code, hours) select unnest(array['ACC', 'PROCESS', 'RESULT', 'REPORT']), 10;
      select turnaround_refresh()`)
    expect(await flags()).toEqual([1, 1, 0, 0])
    const found = async (value: string) =>
      (await staff.get(`requisitions/ALL?filter=${JSON.stringify({ id: all, willBeLate: value })}`)).body.data.map(
        ({ id }: { id: number }) => id,
      )
    expect([await found('1'), await found('0')]).toEqual([all.slice(0, 2), all.slice(2)])
    expect(await inOwnLab(all, 'willBeLate DESC')).toEqual([late.id, soon.id, intime.id, without.id])
    expect(await inOwnLab(all, 'dueDate ASC')).toEqual([late.id, soon.id, intime.id, without.id])
    expect(await inOwnLab(all, 'dueDate DESC')).toEqual([intime.id, soon.id, late.id, without.id])
    expect((await staff.get(`requisitions/ALL?filter=${JSON.stringify({ willBeLate: 'maybe' })}`)).status).toBe(400)
    expect(await verifyLists(test.database.owner)).toEqual([])
    // After the release nothing is late any more, and the due date stays.
    await test.database.owner.query(`update requisition set status_code = 'RELEASE', status_at = now() where id = $1`, [
      late.id,
    ])
    const due = await dueOf(late.id)
    expect((await rowOf(late.id)).willBeLate).toBe(0)
    await setTarget({ labId: late.labId, testId: await testId('CHOL'), targetHours: 1 })
    expect(await dueOf(late.id)).toBe(due)
    await test.database.owner.query(`update requisition set status_code = 'PROCESS', status_at = now() where id = $1`, [
      late.id,
    ])
    expect(await dueOf(late.id)).not.toBe(due)
    expect(await verifyLists(test.database.owner)).toEqual([])
  })
})
