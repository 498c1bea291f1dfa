import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { expectWithin } from '../../../test/quiet-machine.ts'

const test = openTestApp()
let staff: Caller
let manager: Caller
beforeAll(async () => {
  staff = await test.as('STF')
  manager = await test.as('MGMT')
})
const owner = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows

/** A box with samples of separate requisitions in the first slots. */
const filled = async (count: number, labId?: number, side = 10) => {
  const lab = labId ?? (await test.given.lab()).id
  const box = await test.given.freezerBox(lab, { side })
  const path = `labs/${lab}/dd_freezer/${box.freezer}/dd_shelf/${box.shelf}/dd_rack/${box.rack}/dd_box/${box.box}`
  const reqIds: number[] = []
  for (let index = 0; index < count; index++) reqIds.push((await test.given.requisition({ lab_id: lab })).id)
  const samples = reqIds.map((reqId, index) => ({ reqId, trackerId: box.slotIds[index] }))
  const ids: number[] =
    count === 0
      ? []
      : (await staff.post(`${path}/slots`, { specLocTypeCode: 'SERUM', sampleSizeCode: 'CRYO10', samples })).body.data
          .ids
  return { lab, box, path, reqIds, ids, slots: box.slotIds as number[] }
}
const placesOf = async (ids: readonly number[]) =>
  (
    await owner(
      'select slot_id, discarded_at is null as placed from specimen_location where id = any($1) order by id',
      [ids],
    )
  ).map(({ slot_id, placed }) => (placed ? slot_id : null))

describe('POST …/dd_box/{box}/reconcile', () => {
  it('DAY-21 says what matches, is missing, extra and misplaced, puts it right, and can be undone', async () => {
    const { lab, path, reqIds, ids, slots } = await filled(4)
    const other = await filled(1, lab)
    const nowhere = (await test.given.requisition({ lab_id: lab })).id
    const codes = [
      { code: `${nowhere}S`, trackerId: slots[8] },
      { code: `S-${other.ids[0]}`, trackerId: slots[7] },
      { code: `S-${ids[2]}`, trackerId: slots[1] },
      { code: String(reqIds[0]), trackerId: slots[0] },
      { code: String(reqIds[0]), trackerId: slots[0] },
      { code: `S-${ids[1]}`, trackerId: slots[2] },
    ]
    const dry = await staff.post(`${path}/reconcile`, { codes, dryRun: true })
    expect(dry.status).toBe(200)
    const shown = (name: string) =>
      dry.body.data[name].map(({ reqId, trackerId }: { reqId: number; trackerId: number }) => [reqId, trackerId])
    expect(shown('matched')).toEqual([[reqIds[0], slots[0]]])
    expect(shown('missing')).toEqual([[reqIds[3], slots[3]]])
    expect(shown('extra')).toEqual([
      [nowhere, slots[8]],
      [other.reqIds[0], slots[7]],
    ])
    expect(shown('misplaced').sort()).toEqual(
      [
        [reqIds[1], slots[2]],
        [reqIds[2], slots[1]],
      ].sort(),
    )
    expect(dry.body.data.extra.map(({ recordedAt }: { recordedAt: string | null }) => recordedAt)).toEqual([
      null,
      expect.stringContaining(other.box.freezer),
    ])
    expect(await placesOf(ids)).toEqual(slots.slice(0, 4))
    const { boxVersion } = dry.body.data
    const done = await staff.post(`${path}/reconcile`, { codes, boxVersion })
    expect(done.status).toBe(200)
    expect(await placesOf(ids)).toEqual([slots[0], slots[2], slots[1], null])
    expect(await placesOf(other.ids)).toEqual([slots[7]])
    const again = await staff.post(`${path}/reconcile`, { codes, dryRun: true })
    expect([
      again.body.data.matched.length,
      again.body.data.missing,
      again.body.data.extra,
      again.body.data.misplaced,
    ]).toEqual([5, [], [], []])
    expect((await staff.post(`undo_actions/${done.body.undoId}/undo`, {})).status).toBe(200)
    expect(await placesOf(ids)).toEqual(slots.slice(0, 4))
    expect(await placesOf(other.ids)).toEqual([other.slots[0]])
    expect(await owner('select 1 from specimen_location where requisition_id = $1', [nowhere])).toEqual([])
  })

  describe.each([
    ['the label of the requisition first', (codes: readonly string[]) => [...codes]],
    ['the label of the requisition last', (codes: readonly string[]) => codes.toReversed()],
  ])('with %s', (_, inOrder) => {
    it('DAY-21 counts a sample once that is scanned by its own code and by the label of its requisition', async () => {
      const { path, box, reqIds, ids, slots } = await filled(2)
      const [label] = reqIds as [number]
      const aliquot = { specLocTypeCode: 'SERUM', sampleSizeCode: 'CRYO10' }
      const more = await staff.post(`${path}/slots`, { ...aliquot, samples: [{ reqId: label, trackerId: slots[5] }] })
      const all = [...ids, ...more.body.data.ids]
      // Two labels of one requisition, and the code of one of its two samples, which is stored in the first slot.
      const codes = inOrder([String(label), `${label}S`, `S-${ids[0]}`]).map((code) => ({ code }))
      const dry = await staff.post(`${path}/reconcile`, { codes, dryRun: true })
      const { matched, missing, extra, misplaced, boxVersion } = dry.body.data
      expect(matched).toHaveLength(2)
      expect(new Set(matched.map(({ trackerId }: { trackerId: number }) => trackerId))).toEqual(
        new Set([slots[0], slots[5]]),
      )
      expect([extra, misplaced]).toEqual([[], []])
      expect(missing).toMatchObject([{ code: `S-${ids[1]}`, recordedAt: expect.stringContaining(box.box) }])
      const done = await staff.post(`${path}/reconcile`, { codes, boxVersion })
      expect([done.status, done.body.data.extra]).toEqual([200, []])
      expect(await placesOf(all)).toEqual([slots[0], null, slots[5]])
      const count = 'select count(*)::int as n from specimen_location where requisition_id = $1'
      expect(await owner(count, [label])).toEqual([{ n: 2 }])
    })
  })

  it('DAY-21 takes a label in another slot for another sample, and the code of a sample elsewhere for that sample', async () => {
    const { lab, path, reqIds, ids, slots } = await filled(1)
    const other = await filled(1, lab)
    const codes = [
      { code: String(other.reqIds[0]) },
      { code: String(reqIds[0]), trackerId: slots[3] },
      { code: `S-${other.ids[0]}` },
      { code: `S-${ids[0]}`, trackerId: slots[0] },
    ]
    const { body } = await staff.post(`${path}/reconcile`, { codes, dryRun: true })
    expect(body.data).toMatchObject({
      matched: [{ code: `S-${ids[0]}` }],
      missing: [],
      extra: [
        { code: String(reqIds[0]), trackerId: slots[3], recordedAt: null },
        { code: `S-${other.ids[0]}`, recordedAt: expect.stringContaining(other.box.freezer) },
      ],
      misplaced: [],
    })
  })

  it('DAY-21 DAY-32 stores a discarded sample that is found in the box under its own number again', async () => {
    const { path, reqIds, ids, slots } = await filled(2)
    await staff.del(`requisitions/${reqIds[1]}/spec_locs/bulk_discard?id=${ids[1]}`)
    expect(await placesOf(ids)).toEqual([slots[0], null])
    const codes = ids.map((id, index) => ({ code: `S-${id}`, trackerId: slots[index * 5] }))
    const done = await staff.post(`${path}/reconcile`, { codes })
    expect(done.body.data).toMatchObject({ missing: [], extra: [{ code: `S-${ids[1]}`, recordedAt: null }] })
    expect(await placesOf(ids)).toEqual([slots[0], slots[5]])
    const again = await staff.post(`${path}/reconcile`, { codes })
    expect(again.body.data).toMatchObject({ matched: [{}, {}], missing: [], extra: [], misplaced: [] })
    expect((await staff.post(`undo_actions/${done.body.undoId}/undo`, {})).status).toBe(200)
    expect(await placesOf(ids)).toEqual([slots[0], null])
  })

  it('DAY-21 refuses a box that has changed, and of two people one', async () => {
    const { path, ids, slots, reqIds } = await filled(3)
    const codes = [{ code: `S-${ids[0]}`, trackerId: slots[5] }]
    const { boxVersion } = (await staff.post(`${path}/reconcile`, { codes, dryRun: true, boxVersion: null })).body.data
    const both = await Promise.all([1, 2].map(() => staff.post(`${path}/reconcile`, { codes, boxVersion })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await placesOf(ids)).toEqual([slots[5], null, null])
    const wrong = await staff.post(`${path}/reconcile`, {
      codes: [{ code: 'nonsense' }, { code: String(reqIds[0]), trackerId: 1 }],
    })
    expect([wrong.status, wrong.body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      400,
      ['codes.0', 'codes.1'],
    ])
  })

  it('DAY-21 puts a box of 100 right in less than a second', async () => {
    const { path, ids, slots } = await filled(100)
    let turn = 0
    await expectWithin(1000, async () => {
      turn++
      const codes = ids.map((id, index) => ({ code: `S-${id}`, trackerId: slots[(index + turn) % 100] }))
      expect((await staff.post(`${path}/reconcile`, { codes })).status).toBe(200)
    })
    expect((await placesOf(ids))[99]).toBe(slots[(99 + turn) % 100])
  })
})

describe('POST …/move', () => {
  it('DAY-21 moves a box with its samples, refuses a taken address, and can be undone', async () => {
    const { lab, box, path, ids } = await filled(2)
    const to = { labId: lab, freezer: box.freezer, shelf: '7', rack: 'Z', box: 'NEW' }
    const { status, body } = await staff.post(`${path}/move`, to)
    expect([status, body.data.boxCount]).toEqual([200, 1])
    const now = `labs/${lab}/dd_freezer/${box.freezer}/dd_shelf/7`
    expect(
      (await staff.get(`${now}/dd_rack/Z/dd_box/NEW/slots`)).body.data.slots.filter(
        (slot: { reqId: number | null }) => slot.reqId,
      ),
    ).toHaveLength(2)
    expect((await staff.get(`${path}/slots`)).status).toBe(404)
    const other = await filled(0, lab)
    expect((await staff.post(`${other.path}/move`, to)).status).toBe(409)
    expect((await staff.post(`undo_actions/${body.undoId}/undo`, {})).status).toBe(200)
    expect((await staff.get(`${path}/slots`)).status).toBe(200)
    const shelf = path.split('/dd_rack/')[0]
    expect(
      (await staff.post(`${shelf}/move`, { labId: lab, freezer: box.freezer, shelf: '8' })).body.data.boxCount,
    ).toBe(1)
    expect((await placesOf(ids)).every((slot) => slot !== null)).toBe(true)
  })
})

describe('the discard list', () => {
  it('DAY-22 holds what is due, oldest first, never of a requisition that is not reported, and discards with a reason', async () => {
    const { lab, ids, reqIds } = await filled(4)
    expect((await staff.put(`labs/${lab}/retention_rules`, [])).status).toBe(403)
    const rules = [{ specLocTypeCode: 'SERUM', days: 30 }]
    expect((await manager.put(`labs/${lab}/retention_rules`, rules)).status).toBe(200)
    expect((await manager.get(`labs/${lab}/retention_rules`)).body.data).toEqual(rules)
    const age = (id: number, days: number) =>
      owner(`update specimen_location set placed_at = now() - make_interval(days => $2) where id = $1`, [id, days])
    await Promise.all([
      age(ids[0] as number, 31),
      age(ids[1] as number, 40),
      age(ids[2] as number, 90),
      age(ids[3] as number, 29),
    ])
    for (const id of [reqIds[0], reqIds[1], reqIds[3]])
      await owner(`update requisition set status_code = 'DELIVER' where id = $1`, [id])
    const list = async () => (await staff.get(`labs/${lab}/discard_list`)).body.data.map(({ id }: { id: number }) => id)
    expect(await list()).toEqual([ids[1], ids[0]])
    const path = `labs/${lab}/discard_list`
    const missing = await staff.post(path, { ids: [ids[0]] })
    expect([missing.status, missing.body.errors[0].field]).toEqual([400, 'reason'])
    expect((await staff.post(path, { ids: [ids[0], ids[2]], reason: 'Retention' })).status).toBe(409)
    expect((await staff.post(path, { ids: [ids[0]], reason: 'Retention', dryRun: true })).body.data.discarded).toBe(1)
    expect(await list()).toEqual([ids[1], ids[0]])
    const done = await staff.post(path, { ids: [ids[0]], reason: 'Retention' })
    expect([done.status, done.body.data.discarded]).toEqual([200, 1])
    expect(await list()).toEqual([ids[1]])
    expect((await staff.post(`undo_actions/${done.body.undoId}/undo`, {})).status).toBe(200)
    expect(await list()).toEqual([ids[1], ids[0]])
  })
})
