import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()

const form = (trackerIds: readonly unknown[], over: object = {}) => ({
  specLocTypeCode: 'SERUM',
  sampleSizeCode: 'CRYO10',
  aliquot: trackerIds.length,
  trackerIds,
  ...over,
})

/** A requisition of a laboratory with one box of its own. */
const stored = async (side = 9) => {
  const lab = await test.given.lab()
  const requisition = await test.given.requisition({ lab_id: lab.id })
  return {
    lab,
    box: await test.given.freezerBox(lab.id, { side }),
    id: requisition.id,
    path: `requisitions/${requisition.id}/spec_locs`,
  }
}

describe('POST requisitions/:id/spec_locs, SPEC-062', () => {
  const withAllFields = once(async () => {
    const { box, id, path } = await stored()
    const tube = await test.given.specimen(id)
    const staff = await test.as('STF')
    const { status, body } = await staff.post(path, form([box.slotIds[30], box.slotIds[31]]))
    expect([status, body.message, body.data.ids.length]).toEqual([200, 'Successfully created', 2])
    const { body: list } = await staff.get(path)
    expect(list.total).toBe(2)
    const expected = {
      status: 'Placed',
      specLocTypeCode: 'SERUM',
      specLocTypeDesc: 'Serum aliquot',
      sampleSizeCode: 'CRYO10',
      sampleSizeDesc: 'Cryovial 1.0 mL',
      aliquot: 1,
      sampleStorageCode: box.freezer,
      shelf: '1',
      rack: 'A',
      box: box.box,
      rowLetter: 'D',
      slot: 4,
      sampleStorageDesc: expect.stringMatching(/^Freezer/),
      placedDate: expect.stringMatching(/^20/),
      placedByUsername: expect.stringMatching(/^user/),
      discardDate: null,
      discardByUsername: null,
      trackerIds: [box.slotIds[30]],
      specimenId: tube.id,
      labTz: 'America/New_York',
    }
    return { list, data: list.data[0], expected }
  })

  it('SPEC-061 places the samples and shows their locations', async () => {
    const { list, data, expected } = await withAllFields()
    expect(data).toMatchObject(expected)
    expect(Date.now() - Date.parse(data.placedDate)).toBeLessThan(60_000)
    expect(list.data.map((row: { aliquot: number }) => row.aliquot)).toEqual([1, 2])
  })

  it.each([
    ['SPEC-038', 'specLocTypeCode'],
    ['SPEC-039', 'sampleSizeCode'],
    ['SPEC-040', 'aliquot'],
    ['SPEC-041', 'sampleStorageCode'],
    ['SPEC-042', 'sampleStorageDesc'],
    ['SPEC-043', 'shelf'],
    ['SPEC-044', 'rack'],
    ['SPEC-045', 'box'],
    ['SPEC-046', 'rowLetter'],
    ['SPEC-047', 'slot'],
    ['SPEC-048', 'placedDate'],
    ['SPEC-049', 'placedByUsername'],
    ['SPEC-052', 'trackerIds'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await withAllFields()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('requires exactly as many slots as aliquots, SPEC-057 SPEC-058', async () => {
    const { box, path } = await stored()
    const staff = await test.as('STF')
    for (const slots of [[], box.slotIds.slice(0, 1), box.slotIds.slice(0, 3)]) {
      const { status, body } = await staff.post(path, form(slots, { aliquot: 2 }))
      expect([status, body.errors]).toEqual([
        400,
        [{ field: 'trackerIds', message: 'You are only allowed to select 2 location' }],
      ])
    }
    expect((await staff.get(path)).body.total).toBe(0)
  })

  it('names what is missing or unknown, SPEC-054..SPEC-056', async () => {
    const { box, path } = await stored()
    const staff = await test.as('STF')
    const bare = await staff.post(path, { aliquot: '', trackerIds: [box.slotIds[0]] })
    expect(bare.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'Specimen Type is required',
      'Aliquot/Container is required',
      'Aliquot is required',
    ])
    const unknown = await staff.post(path, form([box.slotIds[0]], { sampleSizeCode: 'BUCKET' }))
    expect(unknown.body.errors).toEqual([{ field: 'sampleSizeCode', message: 'Aliquot/Container is invalid' }])
    expect((await staff.post(path, form([999_999_999]))).body.errors[0].field).toBe('trackerIds')
    expect((await staff.post(path, form([box.slotIds[0]], { specimenId: 999 }))).body.errors[0].field).toBe(
      'specimenId',
    )
  })

  it("accepts only slots of the requisition's laboratory, SPEC-037", async () => {
    const { path } = await stored()
    const elsewhere = await stored()
    const { status, body } = await (await test.as('STF')).post(path, form([elsewhere.box.slotIds[0]]))
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'trackerIds', message: 'Only slots of the laboratory of the requisition can be chosen' }],
    ])
  })

  it('refuses a taken slot by its name, and places nothing', async () => {
    const { box, path } = await stored()
    const staff = await test.as('STF')
    await staff.post(path, form([box.slotIds[0]]))
    const { status, body } = await staff.post(path, form([box.slotIds[0], box.slotIds[1]]))
    expect([status, body.message]).toEqual([409, 'Slot A1 has just been taken by someone else'])
    expect((await staff.get(path)).body.total).toBe(1)
  })

  it('gives a slot to one of many concurrent calls, and refuses the others', async () => {
    const { box, lab } = await stored()
    const people = await Promise.all(Array.from({ length: 8 }, () => test.as('STF')))
    const requisitions = await Promise.all(people.map(() => test.given.requisition({ lab_id: lab.id })))
    const replies = await Promise.all(
      people.map((person, n) =>
        // Alternately from the front and from the back: without a fixed order they would deadlock.
        person.post(
          `requisitions/${requisitions[n]?.id}/spec_locs`,
          form(n % 2 ? box.slotIds.slice(0, 5) : box.slotIds.slice(0, 5).toReversed()),
        ),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
    for (const { body } of replies.filter(({ status }) => status === 409))
      expect(body.message).toBe('Slots A1, A2, A3, A4, A5 have just been taken by someone else')
    const rows = await test.database.db
      .selectFrom('specimen_location')
      .select('requisition_id')
      .where('slot_id', 'in', box.slotIds)
      .execute()
    expect([rows.length, new Set(rows.map((row) => row.requisition_id)).size]).toEqual([5, 1])
  })

  it('places 100 samples in one call', async () => {
    const { box, path } = await stored(10)
    const staff = await test.as('STF')
    const { status, body } = await staff.post(path, form(box.slotIds))
    expect([status, body.data.ids.length]).toEqual([200, 100])
    const { body: list } = await staff.get(path)
    expect([list.data.length, list.total]).toEqual([100, 100])
    const full = await staff.get(`${wayTo(await boxOf(path, box))}/slots`)
    expect(full.body.data.slots.every(({ reqId }: { reqId: number | null }) => reqId !== null)).toBe(true)
  })

  it('is for super admins; the table for those who have the tab, within their scope', async () => {
    const { box, id, path } = await stored()
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const) {
      const caller = await test.as(role)
      expect((await caller.post(path, form([box.slotIds[0]]))).status).toBe(403)
      expect((await caller.del(`${path}/bulk_discard?id=1`)).status).toBe(403)
    }
    for (const role of ['COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect((await (await test.as(role)).get(path)).status).toBe(403)
    const { client_id } = await test.database.db
      .selectFrom('requisition')
      .select('client_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const seller = await test.given.salesPerson()
    await test.given.clientSales(client_id, seller.id)
    expect((await (await test.as('SLS', seller.id)).get(path)).status).toBe(200)
    expect((await (await test.as('SLS')).get(path)).status).toBe(404)
  })
})

describe('DELETE requisitions/:id/spec_locs/bulk_discard, SPEC-063', () => {
  it('frees the slots and keeps the rows, SPEC-050 SPEC-051 SPEC-059 SPEC-069', async () => {
    const { box, id, path } = await stored()
    const staff = await test.as('STF')
    const { body } = await staff.post(path, form(box.slotIds.slice(0, 3)))
    const [first, second] = body.data.ids
    const discarded = await staff.del(`${path}/bulk_discard?id=${first},${second}`)
    expect([discarded.status, discarded.body.message]).toEqual([200, 'Successfully updated'])
    const { body: list } = await staff.get(path)
    expect(list.data.map((row: { status: string }) => row.status)).toEqual(['Discard', 'Discard', 'Placed'])
    expect(list.data[0]).toMatchObject({ discardByUsername: expect.stringMatching(/^user/), rowLetter: 'A', slot: 1 })
    expect(Date.now() - Date.parse(list.data[0].discardDate)).toBeLessThan(60_000)

    const again = await staff.del(`${path}/bulk_discard?id=${first},${second}`)
    expect(again.status).toBe(200)
    expect((await staff.get(path)).body.data[0].discardDate).toBe(list.data[0].discardDate)

    expect((await staff.post(path, form([box.slotIds[0]]))).status).toBe(200)
    const actions = await test.database.db
      .selectFrom('audit_entry')
      .select('action')
      .where('requisition_id', '=', id)
      .orderBy('id')
      .execute()
    expect(actions.map(({ action }) => action)).toEqual(['PLACE', 'DISCARD', 'PLACE'])
  })

  it('does not touch samples of other requisitions', async () => {
    const { path } = await stored()
    const other = await stored()
    const staff = await test.as('STF')
    const { body } = await staff.post(other.path, form([other.box.slotIds[0]]))
    expect((await staff.del(`${path}/bulk_discard?id=${body.data.ids[0]}`)).status).toBe(404)
    expect((await staff.get(other.path)).body.data[0].status).toBe('Placed')
    expect((await staff.del(`${path}/bulk_discard?id=`)).status).toBe(400)
  })
})

const boxOf = async (path: string, box: { freezer: string; shelf: string; rack: string; box: string }) => {
  const id = Number(path.split('/')[1])
  const { lab_id } = await test.database.db
    .selectFrom('requisition')
    .select('lab_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...box, labId: lab_id }
}
const wayTo = ({
  labId,
  freezer,
  shelf,
  rack,
  box,
}: {
  labId: number
  freezer: string
  shelf: string
  rack: string
  box: string
}) => `labs/${labId}/dd_freezer/${freezer}/dd_shelf/${shelf}/dd_rack/${rack}/dd_box/${box}`
