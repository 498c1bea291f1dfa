import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { oruMessage } from '../deliveries/oru.ts'
import { findReportContent } from '../reports/content.ts'

const test = openTestApp()
let staff: Caller
beforeAll(async () => {
  staff = await test.as('STF')
})

const query = (text: string, values: unknown[] = []) => test.database.owner.query(text, values)
const testId = async (code: string): Promise<number> =>
  (await query('select id from test where code = $1', [code])).rows[0].id

/** A collaborator with a range of its own for cholesterol, and one of its requisitions in Processing. */
const ordered = async (codes: string[], own: Record<string, unknown>, gender_code = 'MALE') => {
  const { id: cola } = await test.given.collaborator()
  const range = { testId: await testId(codes[0] as string), colaSigDigits: 0, units: 'mg/dL', ...own }
  const added = await staff.post(`collaborators/${cola}/test_ranges`, { colaRanges: [range] })
  expect(added.status).toBe(200)
  const { id: patient } = await test.given.patient({ gender_code })
  const { id } = await test.given.requisition({
    status_code: 'PROCESS',
    collaborator_id: cola,
    patient_id: patient,
  })
  const tests: Record<string, number> = {}
  for (const code of codes) tests[code] = (await test.given.orderedTest(id, code)).id
  const change = async (over: Record<string, unknown>) => {
    const path = `collaborators/${cola}/test_ranges/${added.body.data.id}`
    expect((await staff.put(path, { ...range, ...over })).status).toBe(200)
  }
  return { id, cola, patient, tests, change }
}
const save = async (id: number, reqTestId: number | undefined, result: string) => {
  const reply = await staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result }] })
  expect([reply.status, reply.body.message]).toEqual([200, 'Successfully saved'])
}
const contentOf = (id: number) => findReportContent(test.services.databases(systemScope), id)
const printed = async (id: number, code: string) => {
  const { results } = await contentOf(id)
  const { value, range, flag, interpretation } = results.find((one) => one.code === code) ?? {}
  return [value, range, flag, interpretation]
}
const onScreen = async (id: number, code: string) => {
  const { body } = await staff.get(`requisitions/${id}/req_tests?filter=[isRetest:0]`)
  const row = body.data.find((one: { testCode: string }) => one.testCode === code)
  const { lo, hi } = row.ranges.find((one: { band: string }) => one.band === 'normal') ?? {}
  return [row.band, row.interpretation, lo, hi]
}
const released = async (id: number): Promise<number> => {
  await query("update requisition set status_code = 'RESULT' where id = $1", [id])
  const { id: report } = (await staff.post(`requisitions/${id}/reports/make`, {})).body.data
  expect((await staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })).status).toBe(200)
  await query("update requisition set status_code = 'PROCESS' where id = $1", [id])
  return report
}
const qcStatusOf = async (report: number) =>
  (await query('select lab_qc_status_code as code from report where id = $1', [report])).rows[0].code
const upTo = (hi: number) => ({ colaMNormalHi: hi, colaMBorderLo: hi + 1 })

describe('a reference range that is changed', () => {
  it('applies to results that are entered afterwards; report, message and screen of the others stay as interpreted', async () => {
    const { id, cola, tests, change } = await ordered(['CHOL', 'HDL'], upTo(199))
    await save(id, tests.CHOL, '195')
    expect(await printed(id, 'CHOL')).toEqual(['195', '<= 199', '', 'Normal'])
    await change(upTo(180))
    expect(await printed(id, 'CHOL')).toEqual(['195', '<= 199', '', 'Normal'])
    expect(await onScreen(id, 'CHOL')).toEqual(['normal', 'Normal', null, '199'])
    const oru = oruMessage({
      receiver: 'C-0420',
      content: await contentOf(id),
      versionNo: 1,
      correctionReason: null,
      sentAt: new Date(),
    })
    const obx = oru.split('\r').find((line) => /^OBX\|\d+\|NM/.test(line))
    expect(obx?.split('|').slice(7, 9)).toEqual(['<= 199', 'N'])
    const { id: later } = await test.given.requisition({ status_code: 'PROCESS', collaborator_id: cola })
    await query(
      "update patient set gender_code = 'MALE' where id = (select patient_id from requisition where id = $1)",
      [later],
    )
    await save(later, (await test.given.orderedTest(later, 'CHOL')).id, '195')
    expect(await printed(later, 'CHOL')).toEqual(['195', '<= 180', 'H', 'Borderline'])
    expect(await onScreen(later, 'CHOL')).toEqual(['borderline', 'Borderline', null, '180'])
  })

  it('applies when the same value is entered again, and the correction names the range', async () => {
    const { id, tests, change } = await ordered(['CHOL'], upTo(199))
    await save(id, tests.CHOL, '170')
    await query("update requisition set status_code = 'RESULT' where id = $1", [id])
    const report = (await staff.post(`requisitions/${id}/reports/make`, {})).body.data.id
    const qc = (labQcStatusCode: string) => staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode })
    const changes = async () =>
      (await staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'New range' }))
        .status === 200 &&
      (
        await query('select content from report_version where report_id = $1 order by version_no desc limit 1', [
          report,
        ])
      ).rows[0].content.changes
    await qc('RELEASE')
    await change(upTo(180))
    // This result has no change, so the correction has no line about it.
    expect(await changes()).toEqual([])
    expect((await qc('RELEASE')).status).toBe(200)
    await query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    await staff.put(`requisitions/${id}/req_tests/${tests.CHOL}/modify`, {})
    await save(id, tests.CHOL, '170')
    expect(await printed(id, 'CHOL')).toEqual(['170', '<= 180', '', 'Normal'])
    expect((await qc('RELEASE')).body.message).toMatch(/\(CHOL\): correct it instead$/)
    expect(await changes()).toEqual(['Cholesterol, total: range changed from <= 199 to <= 180'])
  })

  it('applies to calculated results only when they are recalculated', async () => {
    const { id, tests, change } = await ordered(['NONHDL', 'CHOL', 'HDL'], upTo(150))
    await save(id, tests.CHOL, '190')
    await save(id, tests.HDL, '50')
    expect(await printed(id, 'NONHDL')).toEqual(['140', '<= 150', '', 'Normal'])
    await change(upTo(120))
    expect(await printed(id, 'NONHDL')).toEqual(['140', '<= 150', '', 'Normal'])
    await query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    await staff.put(`requisitions/${id}/req_tests/${tests.CHOL}/modify`, {})
    await save(id, tests.CHOL, '180')
    expect(await printed(id, 'NONHDL')).toEqual(['130', '<= 120', 'H', 'Borderline'])
  })

  it('leaves calculated results alone until an input changes, and reads unchanged inputs by the range of their time', async () => {
    const { id, cola, tests, change } = await ordered(['LDL', 'CHOL', 'HDL', 'TRIG', 'A1C', 'IGG'], upTo(129))
    await save(id, tests.CHOL, '200')
    await save(id, tests.HDL, '50')
    await save(id, tests.TRIG, '125')
    const report = await released(id)
    const before = ['125', '<= 129', '', 'Normal']
    expect(await printed(id, 'LDL')).toEqual(before)
    await change(upTo(110))
    const own = { testId: await testId('HDL'), colaSigDigits: 0, units: 'mg/dL', colaReportLo: 60, colaReportHi: 100 }
    expect((await staff.post(`collaborators/${cola}/test_ranges`, { colaRanges: [own] })).status).toBe(200)
    await save(id, tests.A1C, '5.5')
    expect(await printed(id, 'LDL')).toEqual(before)
    // What is ordered now is calculated now, from an HDL that was within the limits of its day.
    const added = await staff.post(`requisitions/${id}/req_tests`, { panelIds: [], testIds: [await testId('NONHDL')] })
    expect(added.status).toBe(200)
    expect((await printed(id, 'NONHDL'))[0]).toBe('150')
    expect(await printed(id, 'LDL')).toEqual(before)
    expect(await qcStatusOf(report)).toBe('RELEASE')
    await staff.put(`requisitions/${id}/req_tests/${tests.CHOL}/modify`, {})
    await save(id, tests.CHOL, '201')
    expect(await printed(id, 'LDL')).toEqual(['126', '<= 110', 'H', 'Borderline'])
    // Entered again, the HDL is below the limit, though its value is the same.
    await staff.put(`requisitions/${id}/req_tests/${tests.HDL}/modify`, {})
    await save(id, tests.HDL, '50')
    expect((await printed(id, 'LDL'))[0]).toBe('Not calculated')
  })

  it("does not apply to old results when the patient's sex is corrected: the former range for the other sex does", async () => {
    const { id, patient, tests, change } = await ordered(['CHOL'], {
      ...upTo(199),
      colaFNormalHi: 150,
      colaFBorderLo: 151,
    })
    await save(id, tests.CHOL, '160')
    expect(await printed(id, 'CHOL')).toEqual(['160', '<= 199', '', 'Normal'])
    await change({ ...upTo(100), colaFNormalHi: 101, colaFBorderLo: 102 })
    await query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    const body = { patientGenderCode: 'FEMALE', seenPatientId: patient }
    expect((await staff.put(`requisitions/${id}/patients/${patient}`, body)).status).toBe(200)
    expect(await printed(id, 'CHOL')).toEqual(['160', '<= 150', 'H', 'Borderline'])
  })

  it('is replaced by the range of a new collaborator, even if the interpretation stays the same', async () => {
    const { id, tests } = await ordered(['CHOL'], upTo(199))
    await save(id, tests.CHOL, '160')
    await query("update requisition set status_code = 'PROCESS' where id = $1", [id])
    const other = await ordered(['CHOL'], upTo(170))
    expect((await staff.put(`requisitions/${id}`, { colaId: other.cola })).status).toBe(200)
    expect(await printed(id, 'CHOL')).toEqual(['160', '<= 170', '', 'Normal'])
  })

  it('is stored once for all its results, with any number of concurrent writers', async () => {
    const { cola } = await ordered(['CHOL'], upTo(177))
    const written = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const { id } = await test.given.requisition({ status_code: 'PROCESS', collaborator_id: cola })
        const { id: reqTestId } = await test.given.orderedTest(id, 'CHOL')
        await save(id, reqTestId, '160')
        return reqTestId
      }),
    )
    const { rows } = await query('select count(distinct rules_id)::int as n from requisition_test where id = any($1)', [
      written,
    ])
    expect(rows).toEqual([{ n: 1 }])
  })
})

describe('a calculated result that is removed from the order', () => {
  it('holds the report that shows it; the removal of a test without result holds none', async () => {
    const { id, tests } = await ordered(['NONHDL', 'CHOL', 'HDL', 'IGG', 'A1C'], upTo(150))
    await save(id, tests.CHOL, '190')
    await save(id, tests.HDL, '50')
    const report = await released(id)
    expect((await staff.del(`requisitions/${id}/req_tests/${tests.IGG}`)).status).toBe(200)
    expect(await qcStatusOf(report)).toBe('RELEASE')
    expect((await staff.del(`requisitions/${id}/req_tests/${tests.NONHDL}`)).status).toBe(200)
    expect(await qcStatusOf(report)).toBe('HOLD')
  })
})

describe('a test without a result that a report names, removed from the order', () => {
  it('TEST-71 holds that report, with a fail code or Not calculated', async () => {
    const { id, tests } = await ordered(['CHOL', 'HDL', 'NONHDL', 'A1C'], upTo(150))
    await save(id, tests.CHOL, '190')
    const failed = await test.database.owner.query("select id from reason where code = '901'")
    const failIds = failed.rows.map((row) => row.id)
    await staff.put(`requisitions/${id}/req_tests/${tests.HDL}/fail_codes`, { failIds })
    const report = await released(id)
    for (const code of ['NONHDL', 'HDL']) {
      expect((await staff.del(`requisitions/${id}/req_tests/${tests[code]}`)).status).toBe(200)
      expect(await qcStatusOf(report)).toBe('HOLD')
      await test.database.owner.query("update report set lab_qc_status_code = 'RELEASE' where id = $1", [report])
    }
    expect((await staff.del(`requisitions/${id}/req_tests/${tests.A1C}`)).status).toBe(200)
    expect(await qcStatusOf(report)).toBe('RELEASE')
  })
})
