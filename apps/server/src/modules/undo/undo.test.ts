import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { verifyLists } from '../requisition-list/verify-lists.ts'

const test = openTestApp()
let staff: Caller
beforeAll(async () => {
  staff = await test.as('STF')
})

const owner = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows
const statusOf = async (id: number) =>
  (await owner('select status_code from requisition where id = $1', [id]))[0].status_code
const undo = (id: number, who = staff) => who.post(`undo_actions/${id}/undo`, {})
const listed = async (id: number, who = staff) =>
  (await who.get('undo_actions')).body.data.find((one: { id: number }) => one.id === id)

const ready = async () => {
  const { id } = await test.given.requisition()
  await test.given.store('requisition_test', { requisition_id: id, test_id: await test.given.firstId('test') })
  await test.given.specimen(id)
  return id
}
/** Two requisitions that have just been accessioned. */
const moved = async () => {
  const ids = [await ready(), await ready()] as const
  const { status, body } = await staff.put(`requisitions/LOG/next_status/bulk_move?id=${ids.join(',')}`, {})
  expect([status, body.data.moved]).toEqual([200, [...ids]])
  return { ids, undoId: body.undoId }
}

const box = async () => {
  const { id: lab } = await test.given.lab()
  const requisition = await test.given.requisition({ lab_id: lab })
  const { slotIds: slots } = await test.given.freezerBox(lab)
  const place = (trackerIds: number[]) =>
    staff.post(`requisitions/${requisition.id}/spec_locs`, {
      specLocTypeCode: 'SERUM',
      sampleSizeCode: 'CRYO10',
      aliquot: trackerIds.length,
      trackerIds,
    })
  const places = async () =>
    (await staff.get(`requisitions/${requisition.id}/spec_locs`)).body.data.map(
      ({ status, trackerIds }: { status: string; trackerIds: number[] }) => [status, trackerIds[0]],
    )
  return { id: requisition.id, slots, place, places }
}

describe('undo', () => {
  it('DAY-32 of a deletion brings the record back, once, and is in the history', async () => {
    const { id } = await test.given.requisition()
    const { body } = await staff.del(`requisitions/${id}`)
    expect(body.undoId).toEqual(expect.any(Number))
    expect(await listed(body.undoId)).toMatchObject({
      description: 'Delete 1 requisition',
      count: 1,
      canUndo: true,
      reason: null,
    })
    const both = await Promise.all([undo(body.undoId), undo(body.undoId)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await staff.get(`requisitions/${id}`)).status).toBe(200)
    expect((await undo(body.undoId)).body.message).toMatch(/^Already undone by /)
    const [last] = await owner(
      `select action, actor_id from audit_entry where entity = 'requisition' and entity_id = $1 order by id desc limit 1`,
      [id],
    )
    expect(last).toEqual({ action: 'RESTORE', actor_id: staff.userId })
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it('DAY-32 of a bulk deletion is in the data too', async () => {
    const ids = [(await test.given.requisition()).id, (await test.given.requisition()).id]
    const { body } = await staff.del(`requisitions/bulk_delete?id=${ids.join(',')}`)
    expect(body.data).toMatchObject({ moved: ids, undoId: body.undoId })
    expect((await undo(body.undoId)).body.data).toEqual({ id: body.undoId, count: 2 })
    for (const id of ids) expect((await staff.get(`requisitions/${id}`)).status).toBe(200)
  })

  it('DAY-32 of placing frees the slot, and of discarding puts the sample back', async () => {
    const { slots, place, places, id } = await box()
    const placed = await place([slots[0] as number, slots[1] as number])
    expect(placed.status).toBe(200)
    expect((await undo(placed.body.undoId)).status).toBe(200)
    expect(await places()).toEqual([])
    const again = await place([slots[0] as number])
    const discarded = await staff.del(`requisitions/${id}/spec_locs/bulk_discard?id=${again.body.data.ids[0]}`)
    expect(await places()).toEqual([['Discard', slots[0]]])
    expect((await undo(discarded.body.undoId)).status).toBe(200)
    expect(await places()).toEqual([['Placed', slots[0]]])
  })

  it('DAY-32 names what stands in its way, and then changes nothing', async () => {
    const { slots, place, places, id } = await box()
    const placed = await place([slots[0] as number, slots[1] as number])
    const discarded = await staff.del(`requisitions/${id}/spec_locs/bulk_discard?id=${placed.body.data.ids.join(',')}`)
    await place([slots[1] as number])
    const before = await places()
    const refused = await undo(discarded.body.undoId)
    expect(refused.status).toBe(409)
    expect(refused.body.message).toContain(`A sample of #${id} is in slot`)
    expect(await listed(discarded.body.undoId)).toMatchObject({ canUndo: false })
    expect(await places()).toEqual(before)
  })

  it('DAY-32 of a bulk move is refused as a whole when one requisition has been moved on', async () => {
    const { ids, undoId } = await moved()
    const [first, second] = ids
    const next = await staff.put(`requisitions/ACC/next_status/bulk_move?id=${first}`, {})
    expect(next.body.data.moved).toEqual([first])
    const refused = await undo(undoId)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `It cannot be undone: Requisition #${first} has been moved on and is Processing now`,
    ])
    expect(await statusOf(second)).toBe('ACC')
    expect((await undo(next.body.undoId)).status).toBe(200)
    expect(await statusOf(first)).toBe('ACC')
  })

  it('DAY-32 of a bulk move takes every requisition back, by the person who undoes it', async () => {
    const { ids, undoId } = await moved()
    const manager = await test.as('ADM')
    expect((await undo(undoId, manager)).status).toBe(200)
    for (const id of ids) expect(await statusOf(id)).toBe('LOG')
    const rows = await owner(
      `select reason, actor_id from requisition_status_event where requisition_id = $1 order by id desc limit 1`,
      [ids[0]],
    )
    expect(rows).toEqual([{ reason: 'Undo', actor_id: manager.userId }])
  })

  it('DAY-32 of samples goes from the last action to the first', async () => {
    const { slots, place, places, id } = await box()
    const discard = async (sample: number, who = staff) =>
      (await who.del(`requisitions/${id}/spec_locs/bulk_discard?id=${sample}`)).body.undoId
    const placed = (await place([slots[0] as number])).body
    const [sample] = placed.data.ids
    const first = await discard(sample)
    expect((await undo(placed.undoId)).status).toBe(409)
    expect((await undo(first)).status).toBe(200)
    expect(await listed(placed.undoId)).toMatchObject({ canUndo: true, reason: null })
    const second = await discard(sample)
    expect((await undo(placed.undoId)).status).toBe(409)
    expect((await undo(second)).status).toBe(200)
    expect((await undo(placed.undoId)).status).toBe(200)
    expect(await places()).toEqual([])
  })

  it('DAY-32 is refused for samples that somebody else has moved on, also after an own later action was undone', async () => {
    const { slots, place, places, id } = await box()
    const placed = (await place([slots[0] as number])).body
    const discard = (who: Caller) => who.del(`requisitions/${id}/spec_locs/bulk_discard?id=${placed.data.ids[0]}`)
    expect((await undo((await discard(staff)).body.undoId)).status).toBe(200)
    const other = await test.as('STF')
    const { body } = await discard(other)
    const refused = await undo(placed.undoId)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `It cannot be undone: The sample of #${id} in slot A1 has been moved on`,
    ])
    expect(await places()).toEqual([['Discard', slots[0]]])
    expect((await undo(body.undoId, other)).status).toBe(200)
    expect((await undo(placed.undoId)).status).toBe(200)
  })

  it('DAY-32 of bulk moves goes from the last to the first, and ends where somebody else has moved on', async () => {
    const { ids, undoId } = await moved()
    const list = ids.join(',')
    const next = async (who = staff) => {
      const { status, body } = await who.put(`requisitions/ACC/next_status/bulk_move?id=${list}`, {})
      expect([status, body.data.moved]).toEqual([200, [...ids]])
      return body.undoId
    }
    const second = await next()
    expect((await undo(undoId)).status).toBe(409)
    expect((await undo(second)).status).toBe(200)
    const other = await test.as('STF')
    const foreign = await next(other)
    expect((await undo(undoId)).body.message).toContain(`#${ids[0]} has been moved on and is Processing now`)
    expect((await undo(foreign, other)).status).toBe(200)
    expect((await undo(undoId)).status).toBe(200)
    for (const id of ids) expect(await statusOf(id)).toBe('LOG')
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it('DAY-32 of a bulk move works after a deletion that was undone', async () => {
    const { ids, undoId } = await moved()
    const { body } = await staff.del(`requisitions/${ids[0]}`)
    expect((await undo(undoId)).body.message).toContain(`#${ids[0]} has been deleted`)
    expect((await undo(body.undoId)).status).toBe(200)
    expect((await undo(undoId)).status).toBe(200)
  })

  it('DAY-32 is for the person who did it, ADM and MGMT, and within its time', async () => {
    const { id } = await test.given.requisition()
    const { body } = await staff.del(`requisitions/${id}`)
    const other = await test.as('STF')
    expect((await undo(body.undoId, other)).status).toBe(403)
    expect(await listed(body.undoId, other)).toBeUndefined()
    expect((await undo(body.undoId, await test.as('MGMT'))).status).toBe(200)
    const { body: late } = await staff.del(`requisitions/${id}`)
    await owner(`update undo_action set created_at = now() - interval '601 seconds' where id = $1`, [late.undoId])
    const refused = await undo(late.undoId)
    expect([refused.status, refused.body.message]).toEqual([409, 'The time in which it could be undone is over'])
    expect((await undo(999_999_999)).status).toBe(404)
  })
})
