import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { expectWithin } from '../../../test/quiet-machine.ts'

const test = openTestApp()

type Box = Awaited<ReturnType<typeof test.given.freezerBox>>

const wayTo = (labId: number, { freezer, shelf, rack, box }: Box) =>
  `labs/${labId}/dd_freezer/${freezer}/dd_shelf/${shelf}/dd_rack/${rack}/dd_box/${box}/slots`

/** A laboratory with one box, and requisitions of it. */
const given = async (count: number, side = 10) => {
  const lab = await test.given.lab()
  const client = await test.given.client()
  const reqIds: number[] = []
  for (let n = 0; n < count; n++)
    reqIds.push((await test.given.requisition({ lab_id: lab.id, client_id: client.id })).id)
  const box = await test.given.freezerBox(lab.id, { side })
  return { lab, client, reqIds, box, path: wayTo(lab.id, box) }
}
const filling = (samples: readonly (readonly [unknown, unknown])[], over: object = {}) => ({
  specLocTypeCode: 'SERUM',
  sampleSizeCode: 'CRYO10',
  samples: samples.map(([reqId, trackerId]) => ({ reqId, trackerId })),
  ...over,
})
const inOrder = (reqIds: readonly number[], { slotIds }: Box) =>
  reqIds.map((reqId, index) => [reqId, slotIds[index]] as const)
const rowsIn = async ({ slotIds }: Box) =>
  test.database.db
    .selectFrom('specimen_location')
    .selectAll()
    .where('slot_id', 'in', slotIds)
    .orderBy('slot_id')
    .execute()

describe('POST …/dd_box/:box/slots', () => {
  it('places 100 samples of 100 requisitions in one call, each in its slot', async () => {
    const { box, reqIds, path } = await given(100)
    const tube = await test.given.specimen(reqIds[7] as number)
    const staff = await test.as('STF')
    const { status, body } = await staff.post(path, filling(inOrder(reqIds, box)))
    expect([status, body.message, body.data.ids.length]).toEqual([200, 'Successfully created', 100])
    const rows = await rowsIn(box)
    expect(rows.map((row) => row.requisition_id)).toEqual(reqIds)
    expect(rows.map(({ id }) => id)).toEqual(body.data.ids)
    expect(rows.every(({ aliquot, placed_by }) => aliquot === 1 && placed_by === staff.userId)).toBe(true)
    expect(rows[7]?.specimen_id).toBe(tube.id)
    const { body: own } = await staff.get(`requisitions/${reqIds[11]}/spec_locs`)
    expect(own.data).toMatchObject([{ rowLetter: 'B', slot: 2, sampleSizeCode: 'CRYO10', status: 'Placed' }])
    const audit = await test.database.db
      .selectFrom('audit_entry')
      .select(['requisition_id', 'action', 'new_data'])
      .where('requisition_id', 'in', reqIds)
      .orderBy('requisition_id')
      .execute()
    expect(audit.map((row) => [row.requisition_id, row.action])).toEqual(reqIds.map((id) => [id, 'PLACE']))
    expect(audit[11]?.new_data).toMatchObject({ slots: 'B2', aliquot: 1, trackerIds: [box.slotIds[11]] })
  })

  it('takes well under 300 ms for 100 samples', async () => {
    const { lab, reqIds } = await given(100)
    const staff = await test.as('STF')
    const boxes = await Promise.all([1, 2, 3, 4, 5].map(() => test.given.freezerBox(lab.id, { side: 10 })))
    await expectWithin(300, async () => {
      const box = boxes.pop() as (typeof boxes)[number]
      expect((await staff.post(wayTo(lab.id, box), filling(inOrder(reqIds, box)))).status).toBe(200)
    })
  })

  it('numbers the aliquots of a requisition with several samples', async () => {
    const { box, reqIds, path } = await given(2)
    const [one, two] = reqIds as [number, number]
    const samples = [one, two, one].map((reqId, index) => [reqId, box.slotIds[index + 3]] as const)
    expect((await (await test.as('STF')).post(path, filling(samples))).status).toBe(200)
    expect((await rowsIn(box)).map((row) => [row.requisition_id, row.aliquot])).toEqual([
      [one, 1],
      [two, 1],
      [one, 2],
    ])
  })

  it('names each sample that cannot be placed by its index, and places none', async () => {
    const { box, reqIds, path } = await given(2)
    const elsewhere = await given(1)
    const [slot] = elsewhere.box.slotIds
    const gone = await test.given.requisition({
      lab_id: (await test.given.lab()).id,
      deleted_at: '2026-01-01T00:00:00Z',
    })
    const samples = [
      ...inOrder([reqIds[0] as number, 999_999_999, elsewhere.reqIds[0] as number, gone.id], box),
      [reqIds[1], slot] as const,
    ]
    const { status, body } = await (await test.as('STF')).post(path, filling(samples))
    const { name } = await test.database.db
      .selectFrom('lab')
      .select('name')
      .where('id', '=', elsewhere.lab.id)
      .executeTakeFirstOrThrow()
    expect([status, body.errors]).toEqual([
      400,
      [
        { field: 'samples.1', message: 'Requisition #999999999 not found' },
        { field: 'samples.2', message: `Requisition #${elsewhere.reqIds[0]} belongs to ${name}` },
        { field: 'samples.3', message: `Requisition #${gone.id} not found` },
        { field: 'samples.4', message: 'Slot is invalid' },
      ],
    ])
    expect(await rowsIn(box)).toEqual([])
  })

  it('gives every sample a slot of its own, SPEC-057 SPEC-058, and requires the same fields as a single placement, SPEC-054 SPEC-055', async () => {
    const { box, reqIds, path } = await given(2)
    const staff = await test.as('STF')
    const [one, two] = reqIds as [number, number]
    const twice = await staff.post(path, filling([[one, box.slotIds[0]], [two, box.slotIds[0]]])) // biome-ignore format: one line
    expect(twice.body.errors).toEqual([{ field: 'samples', message: 'You are only allowed to select 2 location' }])
    const bare = await staff.post(path, { samples: [] })
    expect(bare.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'Specimen Type is required',
      'Aliquot/Container is required',
      'Samples is required',
    ])
    const unknown = await staff.post(path, filling([[one, box.slotIds[0]]], { specLocTypeCode: 'GOLD' }))
    expect(unknown.body.errors).toEqual([{ field: 'specLocTypeCode', message: 'Specimen Type is invalid' }])
    expect((await staff.post(`${path.replace(/[^/]+\/slots$/, 'NOBOX/slots')}`, filling([[one, 1]]))).status).toBe(404)
  })

  it('lets one of several concurrent calls fill the box, and names the taken slots to the others', async () => {
    const { box, lab, path } = await given(0, 4)
    const people = await Promise.all([1, 2, 3, 4].map(() => test.as('STF')))
    const batches = await Promise.all(
      people.map(async () => [
        (await test.given.requisition({ lab_id: lab.id })).id,
        (await test.given.requisition({ lab_id: lab.id })).id,
      ]),
    )
    const replies = await Promise.all(
      people.map((person, n) => {
        const samples = inOrder(batches[n] as number[], box)
        return person.post(path, filling(n % 2 ? samples : samples.toReversed()))
      }),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    for (const { body } of replies.filter(({ status }) => status === 409))
      expect(body.message).toMatch(/^Slots (A1, A2|A2, A1) have just been taken by someone else$/)
    expect(new Set((await rowsIn(box)).map((row) => row.requisition_id)).size).toBe(2)
  })

  it('is for super admins', async () => {
    const { box, reqIds, path, client, lab } = await given(1)
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const) {
      const caller = await test.as(role, role === 'CLNT' ? client.id : undefined)
      expect((await caller.post(path, filling(inOrder(reqIds, box)))).status).toBe(403)
      expect((await caller.get(`labs/${lab.id}/samples?id=${reqIds[0]}`)).status).toBe(403)
    }
    expect(await rowsIn(box)).toEqual([])
  })
})

describe('GET labs/:labId/samples', () => {
  it('names the patients of scanned samples in order, and why one cannot be placed', async () => {
    const { lab, box, reqIds, path } = await given(2)
    const [one, two] = reqIds as [number, number]
    const other = await given(1)
    const staff = await test.as('STF')
    await staff.post(path, filling([[two, box.slotIds[0]]]))
    const { body } = await staff.get(`labs/${lab.id}/samples?id=${two},${other.reqIds[0]},999999999,${one}`)
    expect(body.data).toMatchObject([
      { reqId: two, patientName: expect.stringContaining(', '), placedCount: 1, reason: null },
      { reqId: other.reqIds[0], reason: expect.stringMatching(/^Requisition #\d+ belongs to /) },
      { reqId: 999_999_999, patientName: '', patientDob: null, reason: 'Requisition #999999999 not found' },
      { reqId: one, placedCount: 0, reason: null },
    ])
    expect((await staff.get(`labs/${lab.id}/samples?id=abc`)).status).toBe(400)
  })
})
