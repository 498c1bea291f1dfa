import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { verifyLists } from '../requisition-list/verify-lists.ts'

const test = openTestApp()
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

const owner = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows
const patientOf = async (id: number) =>
  Number((await owner('select patient_id from requisition where id = $1', [id]))[0].patient_id)
const merge = (body: object, who = admin) => who.post('patients/merge', body)
const undo = (id: number, who = admin) => who.post(`patients/merges/${id}/undo`, {})

/** Two records of one person, each with a requisition. */
const pair = async (gone: object = {}) => {
  const keep = await test.given.patient({ first_name: 'Ada', last_name: 'Merge', dob: '1960-01-02', city: 'Salem' })
  const other = await test.given.patient({ first_name: 'Ada', last_name: 'Merge', dob: '1960-01-02', ...gone })
  const kept = await test.given.requisition({ patient_id: keep.id })
  const moved = await test.given.requisition({ patient_id: other.id })
  return { keepId: keep.id, goneId: other.id, keptReq: kept.id, movedReq: moved.id }
}

describe('POST patients/merge', () => {
  it('DAY-30 moves the requisitions to the kept record, and every later call with the old id finds that', async () => {
    const { keepId, goneId, keptReq, movedReq } = await pair({ city: 'Eugene', middle_name: 'B' })
    const tried = await merge({ keepId, goneId, dryRun: true })
    const differences = [
      { field: 'patientMiddleName', keep: null, gone: 'B' },
      { field: 'patientCity', keep: 'Salem', gone: 'Eugene' },
    ]
    expect([tried.status, tried.body.data]).toEqual([
      200,
      { mergeId: null, reqIds: [movedReq], differences, heldReports: [], undoUntil: null },
    ])
    expect(await patientOf(movedReq)).toBe(goneId)
    const { status, body } = await merge({ keepId, goneId, fields: { patientCity: 'GONE' } })
    expect([status, body.data]).toEqual([
      200,
      {
        mergeId: expect.any(Number),
        reqIds: [movedReq],
        differences,
        heldReports: [],
        undoUntil: expect.stringMatching(/Z$/),
      },
    ])
    expect(await patientOf(movedReq)).toBe(keepId)
    const { body: card } = await admin.get(`requisitions/${movedReq}/patient`)
    expect(card.data.patient).toMatchObject({ id: keepId, patientCity: 'Eugene', patientMiddleName: null })
    const changed = await admin.put(`requisitions/${keptReq}/patients/${goneId}`, { patientCity: 'Bend' })
    expect([changed.status, changed.body.data.id, changed.body.data.patientCity]).toEqual([200, keepId, 'Bend'])
    for (const path of ['insurances', 'docs', 'serial', 'access_log', 'merges'])
      expect([path, (await admin.get(`patients/${goneId}/${path}`)).status]).toEqual([path, 200])
    const found = await admin.get(`patients?filter=${encodeURIComponent(JSON.stringify({ id: String(goneId) }))}`)
    expect(found.body.data.map(({ id }: { id: number }) => id)).toEqual([keepId])
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it('DAY-30 the access log of the kept record holds what was seen under the old id', async () => {
    const { keepId, goneId, movedReq } = await pair()
    await admin.get(`requisitions/${movedReq}/patient`)
    await test.services.accessLog.flush()
    await merge({ keepId, goneId })
    for (const id of [keepId, goneId]) {
      const { body } = await admin.get(`patients/${id}/access_log?perPage=50`)
      expect(body.data.some(({ patientIds }: { patientIds: number[] }) => patientIds.includes(goneId))).toBe(true)
    }
  })

  it('DAY-30 is undone within 30 days: back comes what was moved, and later requisitions stay', async () => {
    const { keepId, goneId, movedReq } = await pair({ city: 'Eugene' })
    const { body } = await merge({ keepId, goneId, fields: { patientCity: 'GONE' } })
    const later = await test.given.requisition({ patient_id: goneId })
    expect(await patientOf(later.id)).toBe(keepId)
    const undone = await undo(body.data.mergeId)
    expect([undone.status, undone.body.data]).toEqual([200, { id: body.data.mergeId, reqIds: [movedReq] }])
    expect([await patientOf(movedReq), await patientOf(later.id)]).toEqual([goneId, keepId])
    const { body: card } = await admin.get(`requisitions/${movedReq}/patient`)
    expect(card.data.patient).toMatchObject({ id: goneId, patientCity: 'Eugene' })
    const { body: kept } = await admin.get(`requisitions/${later.id}/patient`)
    expect(kept.data.patient).toMatchObject({ id: keepId, patientCity: 'Salem' })
    expect((await undo(body.data.mergeId)).status).toBe(409)
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it('DAY-30 after 30 days, and below another merge, there is no undo', async () => {
    const { keepId, goneId } = await pair()
    const { body: first } = await merge({ keepId, goneId })
    const third = await test.given.patient({ first_name: 'Ada', last_name: 'Merge', dob: '1960-01-02' })
    const { body: second } = await merge({ keepId: third.id, goneId: keepId })
    const refused = await undo(first.data.mergeId)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `Patient ${keepId} has been merged into patient ${third.id} since. Please undo that first.`,
    ])
    expect((await admin.get(`patients/${goneId}/merges`)).body.data).toMatchObject([
      { id: second.data.mergeId, canUndo: true },
      { id: first.data.mergeId, canUndo: false },
    ])
    await owner(`update patient_merge set merged_at = now() - interval '31 days' where id = $1`, [second.data.mergeId])
    expect((await undo(second.data.mergeId)).status).toBe(409)
  })

  it('DAY-30 is for ADM and MGMT, and not for one record with itself', async () => {
    const { keepId, goneId, movedReq } = await pair()
    for (const role of ['STF', 'COLA', 'CLNT'] as const)
      expect((await merge({ keepId, goneId }, await test.as(role))).status).toBe(403)
    expect(await patientOf(movedReq)).toBe(goneId)
    expect((await merge({ keepId, goneId: keepId })).status).toBe(400)
    expect((await merge({ keepId, goneId: 999_999_999 })).status).toBe(404)
    expect((await merge({ keepId, goneId }, await test.as('MGMT'))).status).toBe(200)
    expect((await merge({ keepId, goneId })).status).toBe(409)
  })

  it('DAY-30 lets one of two crossing merges win and loses nothing', async () => {
    const { keepId, goneId, keptReq, movedReq } = await pair()
    const both = await Promise.all([merge({ keepId, goneId }), merge({ keepId: goneId, goneId: keepId })])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await patientOf(keptReq)).toBe(await patientOf(movedReq))
  })

  it('DAY-30 another name holds reports that are on their way and keeps that of reports that are out', async () => {
    const { keepId, goneId, movedReq } = await pair({ last_name: 'Maiden' })
    const report = await test.given.store('report', {
      requisition_id: movedReq,
      lab_qc_status_code: 'RELEASE',
    } as never)
    const out = await test.given.requisition({ patient_id: goneId, status_code: 'DELIVER' })
    await owner('update requisition set is_dem_qc_pass = true where id = $1', [movedReq])
    const { body } = await merge({ keepId, goneId })
    expect(body.data.heldReports).toEqual([(report as { id: number }).id])
    const rows = await owner('select is_dem_qc_pass from requisition where id = $1', [movedReq])
    expect(rows).toEqual([{ is_dem_qc_pass: false }])
    const list = await admin.get(`requisitions/${out.id}/patient`)
    expect(list.body.data).toMatchObject({ patient: { id: keepId }, kept: { patientLastName: 'Maiden' } })
    const { body: history } = await admin.get(`requisitions/${movedReq}/req_hists?perPage=50`)
    expect(JSON.stringify(history)).toContain('Patients merged')
    expect(await verifyLists(test.database.owner)).toEqual([])
  })

  it('DAY-30 an SSN can be taken over and is given back by the undo, encrypted all the time', async () => {
    const { keepId, goneId, keptReq, movedReq } = await pair()
    await admin.put(`requisitions/${movedReq}/patients/${goneId}`, { patientSsn: '123-45-6789' })
    const { body } = await merge({ keepId, goneId, fields: { patientSsn: 'GONE' } })
    const shown = async (id: number, patientId: number) =>
      (await admin.post(`requisitions/${id}/patients/${patientId}/ssn`, {})).body.data?.patientSsn
    expect(await shown(keptReq, keepId)).toBe('123-45-6789')
    expect(JSON.stringify(await owner('select * from patient_merge'))).not.toContain('123456789')
    await undo(body.data.mergeId)
    expect([await shown(keptReq, keepId), await shown(movedReq, goneId)]).toEqual([null, '123-45-6789'])
  })
})
