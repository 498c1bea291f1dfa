import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()

const superAdmins = ['ADM', 'MGMT', 'STF'] as const
const others = ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const

interface Spec {
  reqId: number
  rowLetter: string
  slot: number
}

/** Samples of one requisition in the first slots of a box. */
const filled = async (count: number, over: Parameters<typeof test.given.requisition>[0] = {}) => {
  const labId = over.lab_id ?? (await test.given.lab()).id
  const requisition = await test.given.requisition({ ...over, lab_id: labId })
  const box = await test.given.freezerBox(labId)
  const staff = await test.as('STF')
  const trackerIds = box.slotIds.slice(0, count)
  const { body } = await staff.post(`requisitions/${requisition.id}/spec_locs`, {
    specLocTypeCode: 'SERUM',
    sampleSizeCode: 'CRYO10',
    aliquot: count,
    trackerIds,
  })
  return { labId, box, staff, reqId: requisition.id, ids: body.data.ids as number[] }
}

describe('storage levels', () => {
  it('lead from freezer to shelf, rack and box, with the number of free slots, SPEC-065..SPEC-068 LOOK-060..LOOK-063', async () => {
    const { labId, box, staff } = await filled(4)
    await test.given.freezerBox(labId, { freezer_id: box.freezerId, shelf: '10', side: 2 })
    await test.given.freezerBox(labId, { freezer_id: box.freezerId, shelf: '2', rack: 'Rack 1/a', side: 2 })
    await test.given.freezerBox((await test.given.lab()).id)
    const freezers = `labs/${labId}/dd_freezer`
    expect((await staff.get(freezers)).body.data).toEqual([
      {
        sampleStorageCode: box.freezer,
        sampleStorageDesc: expect.stringMatching(/^Freezer/),
        code: box.freezer,
        description: expect.stringMatching(/^Freezer/),
        freeCount: 85,
        slotCount: 89,
      },
    ])
    const shelves = `${freezers}/${box.freezer}/dd_shelf`
    const { body } = await staff.get(shelves)
    expect(body.data.map(({ shelf, freeCount }: { shelf: string; freeCount: number }) => [shelf, freeCount])).toEqual([
      ['1', 77],
      ['2', 4],
      ['10', 4],
    ])
    const racks = await staff.get(`${shelves}/2/dd_rack`)
    expect(racks.body.data).toEqual([
      { rack: 'Rack 1/a', code: 'Rack 1/a', description: 'Rack 1/a', freeCount: 4, slotCount: 4 },
    ])
    const boxes = await staff.get(`${shelves}/2/dd_rack/${encodeURIComponent('Rack 1/a')}/dd_box`)
    expect(boxes.body.data).toMatchObject([{ box: expect.stringMatching(/^B/), freeCount: 4 }])
    const first = await staff.get(`${shelves}/1/dd_rack/A/dd_box`)
    expect(first.body.data).toEqual([
      { box: box.box, code: box.box, description: box.box, freeCount: 77, slotCount: 81 },
    ])
  })

  it('show every slot of a box with the requisition of its sample', async () => {
    const { labId, box, staff, reqId } = await filled(2)
    const way = `labs/${labId}/dd_freezer/${box.freezer}/dd_shelf/1/dd_rack/A/dd_box`
    const { body } = await staff.get(`${way}/${box.box}/slots`)
    expect(body.data).toMatchObject({ rowCount: 9, columnCount: 9, lastPlacedByUsername: expect.any(String) })
    expect(body.data.slots).toHaveLength(81)
    expect(body.data.slots.slice(0, 3)).toEqual([
      { trackerId: box.slotIds[0], rowLetter: 'A', slot: 1, reqId },
      { trackerId: box.slotIds[1], rowLetter: 'A', slot: 2, reqId },
      { trackerId: box.slotIds[2], rowLetter: 'A', slot: 3, reqId: null },
    ])
    expect((await staff.get(`${way}/NOBOX/slots`)).status).toBe(404)
  })

  it('list free slots, filtered level by level, SPEC-064', async () => {
    const { labId, box, staff } = await filled(80)
    const second = await test.given.freezerBox(labId, { freezer_id: box.freezerId, shelf: '2', side: 2 })
    const all = await staff.get(`labs/${labId}/empty_storages`)
    expect(all.body.total).toBe(5)
    expect(all.body.data[0]).toEqual({
      trackerId: box.slotIds[80],
      sampleStorageCode: box.freezer,
      sampleStorageDesc: expect.any(String),
      shelf: '1',
      rack: 'A',
      box: box.box,
      rowLetter: 'I',
      slot: 9,
    })
    const narrowed = await staff.get(
      `labs/${labId}/empty_storages?sampleStorageCode=${box.freezer}&shelf=2&rack=A&box=${second.box}`,
    )
    expect(narrowed.body.data.map(({ trackerId }: { trackerId: number }) => trackerId)).toEqual(second.slotIds)
  })

  it('are shown to those who may place samples', async () => {
    const { labId } = await filled(1)
    for (const role of superAdmins) {
      const caller = await test.as(role)
      expect((await caller.get(`labs/${labId}/dd_freezer`)).status).toBe(200)
      expect((await caller.get(`labs/${labId}/empty_storages`)).status).toBe(200)
    }
    for (const role of others)
      expect((await (await test.as(role)).get(`labs/${labId}/empty_storages`)).status).toBe(403)
    for (const role of ['COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect((await (await test.as(role)).get(`labs/${labId}/dd_freezer`)).status).toBe(403)
  })
})

describe('GET freezer_specs, SPEC-073 SPEC-104', () => {
  const withAllFields = once(async () => {
    const lab = await test.given.lab({ zone: 'America/Chicago' })
    const client = await test.given.client({ name: 'Meridian Practice' })
    const physician = await test.given.physician({ first_name: 'Ana', last_name: 'Reyes' })
    const patient = await test.given.patient({ first_name: 'Jane', last_name: 'Frost' })
    const { staff, reqId, box } = await filled(1, {
      lab_id: lab.id,
      client_id: client.id,
      physician_id: physician.id,
      patient_id: patient.id,
      collected_at: '2026-11-01T13:00:00Z',
      collected_zone: 'America/Los_Angeles',
    })
    await test.given.specimen(reqId, { received_at: '2026-11-02T15:00:00Z' })
    const { body } = await staff.get(`freezer_specs?reqId=${reqId}`)
    expect(body.total).toBe(1)
    const expected = {
      sampleStorageCode: box.freezer,
      shelf: '1',
      rack: 'A',
      box: box.box,
      rowLetter: 'A',
      slot: 1,
      reqId,
      clientId: client.id,
      clientName: 'Meridian Practice',
      physId: physician.id,
      physName: 'Reyes, Ana',
      patientFirstName: 'Jane',
      patientLastName: 'Frost',
      dateCollected: expect.stringMatching(/^2026-11-01T13:00:00/),
      dateReceived: expect.stringMatching(/^2026-11-02T15:00:00/),
      collectedTz: 'America/Los_Angeles',
      collectedTzAbbr: 'PST',
      labTz: 'America/Chicago',
      labTzAbbr: 'CST',
    }
    return { data: body.data[0], expected }
  })

  it.each([
    ['SPEC-089', 'sampleStorageCode'],
    ['SPEC-090', 'shelf'],
    ['SPEC-091', 'rack'],
    ['SPEC-092', 'box'],
    ['SPEC-093', 'rowLetter'],
    ['SPEC-094', 'slot'],
    ['SPEC-095', 'reqId'],
    ['SPEC-096', 'clientId'],
    ['SPEC-097', 'clientName'],
    ['SPEC-098', 'physId'],
    ['SPEC-099', 'physName'],
    ['SPEC-100', 'patientFirstName patientLastName'],
    ['SPEC-101', 'dateCollected'],
    ['SPEC-102', 'dateReceived'],
    ['SPEC-103', 'collectedTz collectedTzAbbr labTz labTzAbbr'],
  ])('%s carries %s', async (_, fields) => {
    const { data, expected } = await withAllFields()
    for (const field of fields.split(' ')) {
      expect(expected).toHaveProperty(field)
      expect(data[field]).toEqual(expected[field as keyof typeof expected])
    }
  })

  it('finds by freezer, shelf, rack, box, requisition, client, physician, name and days, SPEC-086', async () => {
    const patient = await test.given.patient({ first_name: 'Otto', last_name: 'Quill' })
    const { staff, reqId, box } = await filled(2, { patient_id: patient.id, collected_at: '2026-10-05T03:00:00Z' })
    await test.given.specimen(reqId, { received_at: '2026-10-07T03:30:00Z' })
    const { client_id, physician_id } = await test.database.db
      .selectFrom('requisition')
      .select(['client_id', 'physician_id'])
      .where('id', '=', reqId)
      .executeTakeFirstOrThrow()
    const wanted = [
      `sampleStorageCode=${box.freezer}`,
      `sampleStorageCode=${box.freezer}&shelf=1&rack=A&box=${box.box}`,
      `reqId=${reqId}`,
      `clientId=${client_id}`,
      `physId=${physician_id}`,
      'patientName=quill',
      'patientName=Quill, Otto',
      'patientName=otto quill',
      'patientName=otto  quill',
      // The evening before in New York, where it was drawn and received.
      `dateCollected=${encodeURIComponent('[10/04/2026-10/04/2026]')}`,
      `dateReceived=${encodeURIComponent('[10/06/2026-10/06/2026]')}`,
    ]
    for (const query of wanted) {
      const { body } = await staff.get(`freezer_specs?${query}`)
      expect([query, body.total, body.data.map((row: Spec) => row.reqId)]).toEqual([query, 2, [reqId, reqId]])
    }
    expect((await staff.get(`freezer_specs?sampleStorageCode=${box.freezer}&shelf=9`)).body.total).toBe(0)
    expect((await staff.get('freezer_specs?dateCollected=soon')).status).toBe(400)
    expect((await staff.get('freezer_specs?filter=[color:red]')).status).toBe(400)
  })

  it('sorts slots by position, A2 before A10, without discarded samples', async () => {
    const { staff, reqId, ids } = await filled(11)
    const path = `freezer_specs?reqId=${reqId}&perPage=25`
    const slots = async (sort: string) =>
      (await staff.get(`${path}&sort=[slot,${sort}]`)).body.data.map((row: Spec) => `${row.rowLetter}${row.slot}`)
    expect(await slots('asc')).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'B1', 'B2'])
    expect((await slots('desc'))[0]).toBe('B2')
    await staff.del(`requisitions/${reqId}/spec_locs/bulk_discard?id=${ids.slice(1).join(',')}`)
    expect(await slots('asc')).toEqual(['A1'])
  })

  it('is open to super admins only, SPEC-071', async () => {
    for (const role of superAdmins) expect((await (await test.as(role)).get('freezer_specs')).status).toBe(200)
    for (const role of others) {
      const caller = await test.as(role)
      expect((await caller.get('freezer_specs')).status).toBe(403)
      expect((await caller.get('freezer_specs/export')).status).toBe(403)
    }
    expect((await test.nobody.get('freezer_specs')).status).toBe(401)
  })
})

describe('GET freezer_specs/export, SPEC-085 SPEC-105', () => {
  const download = async (url: string) => {
    const { pathname, search } = new URL(url, 'http://localhost')
    return (await test.app.inject({ url: pathname + search })).body
  }

  it('accepts each filter as a parameter of its own beside filterActive, and exports what the page shows, SPEC-106 SPEC-107', async () => {
    const patient = await test.given.patient({ first_name: '=cmd', last_name: 'Formula' })
    const { staff, reqId, box } = await filled(2, { patient_id: patient.id, collected_at: '2026-10-05T03:00:00Z' })
    await filled(1)
    const { body } = await staff.get(
      `freezer_specs/export?sampleStorageCode=${box.freezer}&shelf=1&filterActive=true&format=csv`,
    )
    expect(body.retval).toBe('SUCCESS')
    const lines = (await download(body.data.url))
      .replace(/^\uFEFF/, '')
      .trim()
      .split('\n')
    expect(lines[0]).toBe(
      'Freezer,Shelf,Rack,Box,Slot,Req id,Client,Physician,Patient Name,Date Collected,Date Received',
    )
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain(`,A1,${reqId},`)
    expect(lines[1]).toContain('"Formula, =cmd",10/04/26 23:00 EDT,')
    const none = await staff.get('freezer_specs/export?box=NOBOX&filterActive=true')
    expect(none.body).toEqual({ retval: 'EMPTY', data: null, message: 'No matching records found for export' })
  })
})
