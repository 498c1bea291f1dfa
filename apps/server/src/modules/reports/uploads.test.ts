import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { makePdf, makeScan, proofOf } from '../../../test/report-files.ts'
import { sendToStore } from '../../../test/uploads.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

let serial = 0
const order = async (first: string, last: string, dob = '1961-05-06') => {
  const patient = await test.given.patient({ first_name: first, last_name: last, dob })
  const { id } = await test.given.requisition({ patient_id: patient.id })
  return { id, patientId: patient.id }
}
const reportOf = async (reqId: number) => {
  const proof = await proofOf(test.database.owner, reqId)
  return makePdf((page) => page.text(`${proof}\nGlucose 5.1\n${++serial}`))
}
const send = async (reqId: number, bytes: Buffer) => {
  const { body } = await staff.post(`requisitions/${reqId}/upload`, { fileName: 'a.pdf', docTypeCode: 'REPORT' })
  expect(await sendToStore(test, body.data.fields, bytes)).toBe(204)
  return { reportFileName: body.data.newFileName as string, reportOriginalFileName: 'a.pdf' }
}
const reportsOf = async (reqId: number) => (await staff.get(`requisitions/${reqId}/reports`)).body.data
const historyOf = async (reqId: number, who = staff): Promise<string[]> =>
  (await who.get(`requisitions/${reqId}/rep_histories`)).body.data.map(
    (row: { reportActionDesc: string }) => row.reportActionDesc,
  )

describe('a report uploaded for a requisition', () => {
  it('is refused if it is the report of another patient, with the values of file and record', async () => {
    const [right, wrong] = [await order('Ann', 'Lee'), await order('Bea', 'Moss', '1970-02-03')]
    const { status, body } = await staff.post(
      `requisitions/${right.id}/reports`,
      await send(right.id, await reportOf(wrong.id)),
    )
    const finding = 'Requisition differs; Patient Name differs; Patient DOB differs'
    expect([status, body.message]).toEqual([
      409,
      `The file does not prove that it is the report of this patient: ${finding}`,
    ])
    expect(body.errors[0].field).toBe('decision')
    expect(body.current).toEqual({
      finding,
      patientId: right.patientId,
      compared: [
        { field: 'reqId', read: `#${wrong.id}`, record: `#${right.id}`, outcome: 'mismatch' },
        { field: 'patientName', read: 'BEA MOSS', record: 'Lee, Ann', outcome: 'mismatch' },
        { field: 'patientDob', read: '02/03/1970', record: '05/06/1961', outcome: 'mismatch' },
      ],
    })
    expect(await reportsOf(right.id)).toEqual([])
    const { rows } = await test.database.owner.query('select from stored_file where object_key like $1', [
      `requisitions/${right.id}/%`,
    ])
    expect(rows).toHaveLength(0)
  })

  it('is kept with a decision on that finding, which is stored with the report, its history and the audit', async () => {
    const { id, patientId } = await order('Cy', 'Nash')
    const other = await order('Di', 'Orr')
    const names = await send(id, await reportOf(other.id))
    const { body } = await staff.post(`requisitions/${id}/reports`, names)
    const decide = (decision: object) => staff.post(`requisitions/${id}/reports`, { ...names, decision })
    const seen = { seenFinding: body.current.finding, seenPatientId: patientId }
    expect((await decide({ ...seen, reason: ' ' })).body.errors).toEqual([
      { field: 'decision.reason', message: 'Reason for keeping it is required' },
    ])
    // Somebody had something else in view.
    expect((await decide({ ...seen, seenFinding: 'Patient DOB differs', reason: 'x' })).status).toBe(409)
    expect((await decide({ ...seen, seenPatientId: other.patientId, reason: 'x' })).status).toBe(409)
    expect((await decide({ ...seen, reason: 'Maiden name, asked the practice' })).status).toBe(200)
    expect(await reportsOf(id)).toMatchObject([
      { guardFinding: seen.seenFinding, guardReason: 'Maiden name, asked the practice', labQcStatusCode: 'PENDING' },
    ])
    const kept = `Kept by decision: ${seen.seenFinding}. Reason: Maiden name, asked the practice`
    expect(await historyOf(id)).toEqual([kept, 'Uploaded'])
    const { rows } = await test.database.owner.query(
      "select reason, new_data, actor_id from audit_entry where requisition_id = $1 and entity = 'report'",
      [id],
    )
    expect(rows).toMatchObject([
      {
        reason: 'Maiden name, asked the practice',
        new_data: { guardFinding: seen.seenFinding },
        actor_id: staff.userId,
      },
    ])
  })

  it('hides the finding from readers outside the laboratory', async () => {
    const { id, patientId } = await order('Ed', 'Pike')
    const names = await send(id, await makeScan(null))
    const { current } = (await staff.post(`requisitions/${id}/reports`, names)).body
    const decision = { seenFinding: current.finding, seenPatientId: patientId, reason: 'Read it myself' }
    const { data } = (await staff.post(`requisitions/${id}/reports`, { ...names, decision })).body
    await staff.put(`requisitions/${id}/reports/${data.id}`, { labQcStatusCode: 'RELEASE' })
    const { rows } = await test.database.owner.query(
      'select client_id, collaborator_id from requisition where id = $1',
      [id],
    )
    for (const who of [await test.as('CLNT', rows[0].client_id), await test.as('COLA', rows[0].collaborator_id)]) {
      const list = (await who.get(`requisitions/${id}/reports`)).body.data
      expect(list).toMatchObject([{ guardFinding: null, guardReason: null }])
      expect((await historyOf(id, who)).join()).not.toContain('Kept')
    }
  })

  it('reports that a scan has no text', async () => {
    const { id } = await order('Flo', 'Quinn')
    const { status, body } = await staff.post(`requisitions/${id}/reports`, await send(id, await makeScan(null)))
    expect([status, body.current.finding]).toEqual([409, 'No text can be read in the file, it may be a scan'])
    const right = await staff.post(`requisitions/${id}/reports`, await send(id, await makeScan(String(id))))
    expect(right.body.current.finding).toBe('No text can be read in the file, it may be a scan')
  })

  it('is refused if the same file is on another requisition, even if it names both patients', async () => {
    const [one, two] = [await order('Gus', 'Reed'), await order('Gus', 'Reed')]
    const bytes = await reportOf(one.id)
    expect((await staff.post(`requisitions/${one.id}/reports`, await send(one.id, bytes))).status).toBe(200)
    const { body } = await staff.post(`requisitions/${two.id}/reports`, await send(two.id, bytes))
    expect(body.current.finding).toBe(`The same file is on requisition #${one.id} already; Requisition differs`)
  })

  it('is refused if it is damaged or needs a password', async () => {
    const { id } = await order('Hal', 'Snow')
    const register = async (bytes: Buffer) => staff.post(`requisitions/${id}/reports`, await send(id, bytes))
    expect((await register(await makePdf((page) => page.text('x'), { userPassword: 'y' }))).body.errors).toEqual([
      { field: 'reportFileName', message: 'The PDF is protected by a password' },
    ])
    expect((await register(Buffer.from('%PDF-1.7\nthe rest is missing'))).body.errors).toEqual([
      { field: 'reportFileName', message: 'The PDF is damaged and cannot be read' },
    ])
    const proof = await proofOf(test.database.owner, id)
    const locked = await makePdf((page) => page.text(proof), { ownerPassword: 'y' })
    expect((await register(locked)).status).toBe(200)
  })

  it('is checked as a correction too, and the version stores the decision', async () => {
    const { id, patientId } = await order('Ida', 'Todd')
    const wrong = await order('Joy', 'Usher')
    const { data } = (await staff.post(`requisitions/${id}/reports`, await send(id, await reportOf(id)))).body
    await staff.put(`requisitions/${id}/reports/${data.id}`, { labQcStatusCode: 'RELEASE' })
    const path = `requisitions/${id}/reports/${data.id}/corrections`
    const body = { correctionReason: 'Wrong unit', ...(await send(id, await reportOf(wrong.id))) }
    const refused = await staff.post(path, body)
    expect([refused.status, refused.body.current.compared[1].read]).toEqual([409, 'JOY USHER'])
    expect(await reportsOf(id)).toMatchObject([{ versionNo: 1, labQcStatusCode: 'RELEASE', guardFinding: null }])
    const decision = { seenFinding: refused.body.current.finding, seenPatientId: patientId, reason: 'Name at birth' }
    expect((await staff.post(path, { ...body, decision })).status).toBe(200)
    expect(await reportsOf(id)).toMatchObject([{ versionNo: 2, guardReason: 'Name at birth' }])
    expect(await historyOf(id)).toContain(`Kept by decision: ${decision.seenFinding}. Reason: Name at birth`)
  })
})
