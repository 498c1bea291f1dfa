import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

const svdx = async () =>
  (await test.database.db.selectFrom('test').select('id').where('code', '=', 'SVDX').executeTakeFirstOrThrow()).id

/** A requisition of the patient with an SVDx result. */
const resulted = async (patientId: number, result: string | null, day: string, isDiabetic = true) => {
  const { id } = await test.given.requisition({ patient_id: patientId })
  await test.database.db
    .insertInto('requisition_test')
    .values({
      requisition_id: id,
      test_id: await svdx(),
      result,
      process_date: `${day}T10:00:00Z`,
      resulted_at: `${day}T12:00:00Z`,
    })
    .execute()
  await test.database.db
    .insertInto('patient_history')
    .values({ requisition_id: id, is_diabetic: isDiabetic, is_family_history: false })
    .execute()
  return id
}

describe('GET patients/:id/serial, PAT-109', () => {
  it("lists the SVDx results by process date with the patient's history: PAT-101 PAT-110..PAT-114", async () => {
    const patient = await test.given.patient()
    const second = await resulted(patient.id, '7.1', '2026-03-01')
    const first = await resulted(patient.id, '5.2', '2026-01-01', false)
    await resulted((await test.given.patient()).id, '9', '2026-02-01')
    const { status, body } = await (await test.as('STF')).get(`patients/${patient.id}/serial`)
    expect(status).toBe(200)
    expect(
      body.data.map(({ reqId, result, isDiabetic, isFamilyHistory }: Record<string, unknown>) => [
        reqId,
        result,
        isDiabetic,
        isFamilyHistory,
      ]),
    ).toEqual([
      [first, '5.2', 0, 0],
      [second, '7.1', 1, 0],
    ])
    expect(body.data[0].processDate).toContain('2026-01-01')
  })

  it('leaves out results of a failed requisition', async () => {
    const patient = await test.given.patient()
    const failed = await resulted(patient.id, '7.1', '2026-03-01')
    const staff = await test.as('STF')
    const charted = async () => (await staff.get(`patients/${patient.id}/serial`)).body.data.length
    expect(await charted()).toBe(1)
    await test.database.owner.query("insert into requisition_reason select $1, id from reason where code = '907'", [
      failed,
    ])
    expect(await charted()).toBe(0)
  })

  it('is forbidden for those who may not see results, and leaves out requisitions outside the scope', async () => {
    const patient = await test.given.patient()
    await resulted(patient.id, '7.1', '2026-03-01')
    for (const role of ['SLS', 'COLA', 'CLNT', 'PHYS', 'BILL', 'GST'] as const)
      expect([role, (await (await test.as(role)).get(`patients/${patient.id}/serial`)).status]).toEqual([role, 403])
    expect((await (await test.as('STF')).get('patients/999999/serial')).status).toBe(404)
  })
})
