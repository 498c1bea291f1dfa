import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { oruMessage } from '../deliveries/oru.ts'
import { findReportContent, type ReportContent, type ReportResult } from './content.ts'

// Pass and fail codes on reports, and what happens to a report when they change.

const world = openDeliveries()
const { test, released, work, historyOf, ledgerOf, statusOf } = world

const owner = (text: string, values: unknown[]) => test.database.owner.query(text, values)
const reasonId = async (code: string): Promise<number> =>
  (await owner('select id from reason where code = $1', [code])).rows[0].id
const reasonIds = (codes: readonly string[]) => Promise.all(codes.map(reasonId))
const testIdOf = async (id: number, testCode: string): Promise<number> =>
  (await world.staff.get(`requisitions/${id}/req_tests`)).body.data.find(
    (row: { testCode: string }) => row.testCode === testCode,
  ).id
const setCodes = async (id: number, testCode: string, type: 'pass' | 'fail', codes: readonly string[]) => {
  const path = `requisitions/${id}/req_tests/${await testIdOf(id, testCode)}/${type}_codes`
  expect((await world.staff.put(path, { [`${type}Ids`]: await reasonIds(codes) })).status).toBe(200)
}
const setOrderCodes = async (id: number, type: 'pass' | 'fail', codes: readonly string[]) => {
  const saved = await world.staff.put(`requisitions/${id}/${type}_codes`, { [`${type}Ids`]: await reasonIds(codes) })
  expect(saved.status).toBe(200)
}
const save = async (id: number, testCode: string, result: string) => {
  const reqTests = [{ reqTestId: await testIdOf(id, testCode), result, isConfirmed: 1 }]
  expect((await world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests })).status).toBe(200)
}
const ordered = async (codes: readonly string[]) => {
  const { id } = await test.given.requisition({ status_code: 'PROCESS' })
  for (const code of codes) await test.given.orderedTest(id, code)
  return id
}
const setStatus = (id: number, status: string) =>
  owner('update requisition set status_code = $2 where id = $1', [id, status])

const contentOf = (id: number) => findReportContent(test.services.databases(systemScope), id)
const resultOf = ({ results }: ReportContent, code: string) => results.find((result) => result.code === code)
const make = (id: number) => world.staff.post(`requisitions/${id}/reports/make`, {})
const qcOf = async (id: number): Promise<string[]> =>
  (await world.staff.get(`requisitions/${id}/reports`)).body.data.map(
    ({ labQcStatusCode }: { labQcStatusCode: string }) => labQcStatusCode,
  )
const release = (id: number, report: number) =>
  world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
const correct = (id: number, report: number) =>
  world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Looked at again' })
const changesOf = async (id: number): Promise<string[]> =>
  (await world.staff.get(`requisitions/${id}/reports`)).body.data[0].changes
const printed = async (report: number) => {
  const { pathname, search } = new URL((await world.staff.get(`reports/${report}/view`)).body.data.url)
  const { rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
  return (await extractText(await getDocumentProxy(new Uint8Array(rawPayload)), { mergePages: true })).text
}
const oruOf = (content: ReportContent) =>
  oruMessage({ receiver: 'X', content, versionNo: 1, correctionReason: null, sentAt: new Date() }).split('\r')
const statusIn = (lines: readonly string[]) => lines.find((line) => line.startsWith('OBR'))?.split('|')[25]
const instead = (id: number, codes: string) =>
  `Report ${id}.pdf has been released with another result of ${codes}; correct that report instead`

describe('a calculated test without a result', () => {
  it('whose input has failed is reported as not calculated, and the report is final', async () => {
    const id = await ordered(['CHOL', 'HDL', 'TRIG', 'LDL', 'VLDL', 'NONHDL'])
    await setCodes(id, 'TRIG', 'fail', ['902'])
    await save(id, 'CHOL', '200')
    // The other inputs are still to come.
    expect((await contentOf(id)).pending).toEqual([
      'HDL cholesterol',
      'LDL cholesterol, calculated',
      'Non-HDL cholesterol, calculated',
    ])
    await save(id, 'HDL', '50')
    expect(await statusOf(id)).toBe('RESULT')
    const content = await contentOf(id)
    expect(content.pending).toEqual([])
    const why = { value: 'Not calculated', comment: 'Triglycerides: Hemolyzed specimen', flag: '', isNormal: false }
    expect(resultOf(content, 'LDL')).toMatchObject(why)
    expect(resultOf(content, 'VLDL')).toMatchObject(why)
    expect(resultOf(content, 'NONHDL')).toMatchObject({ value: '150', comment: null })
    expect(statusIn(oruOf(content))).toBe('F')
    const text = await printed((await make(id)).body.data.id)
    expect(text).toContain('Not calculated')
    expect(text).toContain('Triglycerides: Hemolyzed specimen')
    expect(text).not.toContain('Partial report')
  })

  it('whose input is a text, or not ordered, is not pending either', async () => {
    const id = await ordered(['ELPBLP', 'ELPBLPC', 'APOB', 'APOBA1'])
    await save(id, 'ELPBLP', 'N/A')
    await save(id, 'APOB', '90')
    const content = await contentOf(id)
    expect(content.pending).toEqual([])
    expect(resultOf(content, 'ELPBLPC')).toMatchObject({ value: 'Not calculated', comment: 'ELP/BLP score: N/A' })
    expect(resultOf(content, 'APOBA1')).toMatchObject({ value: 'Not calculated', comment: 'APOA1 is not ordered' })
  })

  it('holds the report that shows it as not calculated once it has a result', async () => {
    const id = await ordered(['CHOL', 'HDL', 'TRIG', 'LDL'])
    await setCodes(id, 'TRIG', 'fail', ['902'])
    await save(id, 'CHOL', '200')
    await save(id, 'HDL', '50')
    const report = (await make(id)).body.data.id
    expect((await release(id, report)).status).toBe(200)
    await setStatus(id, 'PROCESS')
    await world.staff.put(`requisitions/${id}/req_tests/${await testIdOf(id, 'TRIG')}/modify`, {})
    await save(id, 'TRIG', '100')
    expect(await qcOf(id)).toEqual(['HOLD'])
    expect((await make(id)).body.message).toBe(instead(id, 'TRIG, LDL'))
    await correct(id, report)
    expect(await changesOf(id)).toEqual([
      'Triglycerides changed from Not reported: Hemolyzed specimen to 100 mg/dL (Normal)',
      expect.stringMatching(/^LDL cholesterol, calculated changed from Not calculated to 130 mg\/dL/),
      'LDL cholesterol, calculated: the comment "Triglycerides: Hemolyzed specimen" no longer applies',
    ])
  })
})

describe('a pass code that is a comment', () => {
  it('is printed under its result, or once for the order, in the PDF and in the HL7 message', async () => {
    const id = await ordered(['CHOL', 'HDL'])
    await save(id, 'CHOL', '200')
    await setCodes(id, 'CHOL', 'pass', ['102', '110'])
    await setOrderCodes(id, 'pass', ['101', '105'])
    await save(id, 'HDL', '50')
    const content = await contentOf(id)
    expect(resultOf(content, 'CHOL')?.comment).toBe('Accepted, slightly hemolyzed')
    expect(resultOf(content, 'HDL')?.comment).toBeNull()
    expect(content.comments).toEqual(['Accepted, non-fasting specimen'])
    const oru = oruOf(content)
    expect(oru[oru.findIndex((line) => line.startsWith('OBR')) + 1]).toBe('NTE|1|L|Accepted, non-fasting specimen')
    const obx = oru.findIndex((line) => line.startsWith('OBX|1|'))
    expect(oru.slice(obx + 1, obx + 3)).toContain('NTE|2|L|Accepted, slightly hemolyzed')
    const text = await printed((await make(id)).body.data.id)
    expect(text).toContain('Comment: Accepted, non-fasting specimen')
    expect(text).toContain('Accepted, slightly hemolyzed')
    for (const silent of ['Specimen acceptable', 'Result confirmed by repeat']) expect(text).not.toContain(silent)
  })

  it('of a test holds the reports that show the test until they are corrected; other codes and reports are left alone', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await setStatus(id, 'PROCESS')
    await setCodes(id, 'HDL', 'pass', ['110'])
    await test.given.orderedTest(id, 'TRIG', { result: '90', result_num: '90', reportable_result: '90' })
    await setCodes(id, 'TRIG', 'pass', ['102'])
    expect(await qcOf(id)).toEqual(['RELEASE'])
    await setCodes(id, 'HDL', 'pass', ['110', '102'])
    expect(await qcOf(id)).toEqual(['HOLD'])
    expect((await historyOf(id)).slice(0, 2)).toEqual([
      'Delivery withdrawn: results have changed since: HDL',
      'Lab QC: Hold: results have changed since: HDL',
    ])
    await work()
    expect(world.mail.received).toEqual([])
    const outdated = 'The record has changed since this report was made (HDL): correct it instead'
    expect((await release(id, report)).body.message).toBe(outdated)
    expect((await make(id)).body.message).toBe(instead(id, 'HDL'))
    expect((await correct(id, report)).status).toBe(200)
    expect(await changesOf(id)).toContain('HDL cholesterol: comment added: "Accepted, slightly hemolyzed"')
    expect((await release(id, report)).status).toBe(200)
    // Sends the correction here, so that it does not appear in another test.
    await work()
    expect(world.mail.received).toHaveLength(1)
  })

  it('of the order holds its reports', async () => {
    const { id, report } = await released()
    await setOrderCodes(id, 'pass', ['101'])
    expect(await qcOf(id)).toEqual(['RELEASE'])
    await setOrderCodes(id, 'pass', ['101', '105'])
    expect(await qcOf(id)).toEqual(['HOLD'])
    expect((await historyOf(id))[0]).toBe('Lab QC: Hold: the record has changed since: Pass Codes')
    expect((await release(id, report)).body.message).toBe(
      'The record has changed since this report was made (Comment): correct it instead',
    )
    expect((await make(id)).body.message).toBe(instead(id, 'CHOL, HDL'))
    await correct(id, report)
    expect(await changesOf(id)).toEqual(['Comment changed from (none) to Accepted, non-fasting specimen'])
  })
})

describe('a report from before pass codes were printed', () => {
  /** Versions are append-only, also for a test that needs one of earlier days. */
  const makeOld = async (report: number) => {
    await test.database.owner.query('alter table report_version disable trigger user')
    await owner(
      `update report_version set content = (content - 'comments') || jsonb_build_object('results',
        (select jsonb_agg(e || jsonb_build_object('comment', null)) from jsonb_array_elements(content -> 'results') e)) where report_id = $1`,
      [report],
    )
    await test.database.owner.query('alter table report_version enable trigger user')
  }
  const old = async () => {
    const { id, report } = await released({}, 'PROCESS')
    await setCodes(id, 'CHOL', 'pass', ['102'])
    await setOrderCodes(id, 'pass', ['105'])
    await makeOld(report)
    await owner("update report set lab_qc_status_code = 'RELEASE' where id = $1", [report])
    return { id, report }
  }

  it('is completed by one that prints them, and can be released again', async () => {
    const { id, report } = await old()
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'HOLD' })
    expect((await release(id, report)).status).toBe(200)
    await test.given.orderedTest(id, 'TRIG', { result: '90', result_num: '90', reportable_result: '90' })
    expect((await make(id)).status).toBe(200)
  })

  it('is corrected if its result has changed', async () => {
    const { id } = await old()
    await owner(
      "update requisition_test t set result = '120', result_num = 120, reportable_result = '120' from test c where c.id = t.test_id and c.code = 'CHOL' and t.requisition_id = $1",
      [id],
    )
    expect((await make(id)).body.message).toBe(instead(id, 'CHOL'))
  })
})

describe('a fail code of a test', () => {
  /** A released report that says 'Not reported: Hemolyzed specimen', whose delivery waits. */
  const failedAndReleased = async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await setStatus(id, 'PROCESS')
    await setCodes(id, 'HDL', 'fail', ['902'])
    expect(await qcOf(id)).toEqual(['HOLD'])
    await correct(id, report)
    await release(id, report)
    await setStatus(id, 'RELEASE')
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await setStatus(id, 'PROCESS')
    return { id, report }
  }
  const isHeld = async (id: number) => {
    expect(await qcOf(id)).toEqual(['HOLD'])
    await work()
    expect(world.mail.received).toEqual([])
    expect((await ledgerOf(id))[0]).toMatchObject({
      deliveryState: 'FAILED',
      answer: 'Withdrawn before it was sent: results have changed since: HDL',
    })
  }

  it('that is removed holds the report that shows it, and the returning result is a correction', async () => {
    const { id, report } = await failedAndReleased()
    await setCodes(id, 'HDL', 'fail', [])
    await isHeld(id)
    expect(resultOf(await contentOf(id), 'HDL')?.value).toBe('51')
    expect((await make(id)).body.message).toBe(instead(id, 'HDL').replace('.pdf', '_corrected.pdf'))
    await correct(id, report)
    expect(await changesOf(id)).toEqual([
      expect.stringContaining('HDL cholesterol changed from Not reported: Hemolyzed specimen to 51 '),
    ])
  })

  it('that is replaced by another holds it too', async () => {
    const { id } = await failedAndReleased()
    await setCodes(id, 'HDL', 'fail', ['901'])
    await isHeld(id)
    expect((await make(id)).status).toBe(409)
  })

  it('does not hold a partial report without its test', async () => {
    const { id } = await released()
    await setStatus(id, 'PROCESS')
    await test.given.orderedTest(id, 'TRIG')
    await setCodes(id, 'TRIG', 'fail', ['902'])
    await setStatus(id, 'PROCESS')
    await setCodes(id, 'TRIG', 'fail', ['903'])
    expect(await qcOf(id)).toEqual(['RELEASE'])
    expect((await make(id)).status).toBe(200)
  })
})

describe('a fail code of the requisition', () => {
  const isNotPerformed = ({ value, failReasons }: ReportResult) =>
    value === '' && failReasons === 'Patient identity does not match requisition'

  it('holds its reports, and a new report shows only the reason for each test', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await setOrderCodes(id, 'fail', ['907'])
    expect(await qcOf(id)).toEqual(['HOLD'])
    await work()
    expect(world.mail.received).toEqual([])
    expect((await historyOf(id))[1]).toBe('Lab QC: Hold: the record has changed since: Fail Codes')
    expect((await release(id, report)).body.message).toBe(
      'The record has changed since this report was made (CHOL, HDL): correct it instead',
    )
    expect((await make(id)).body.message).toBe(instead(id, 'CHOL, HDL'))
    expect((await correct(id, report)).status).toBe(200)
    expect((await release(id, report)).status).toBe(200)
    const content = await contentOf(id)
    expect(content.results.every(isNotPerformed)).toBe(true)
    expect(content.pending).toEqual([])
    const text = await printed(report)
    expect(text).toContain('Not reported: Patient identity does not match requisition')
    // When it is removed, the entered results return, by another correction.
    await setOrderCodes(id, 'fail', [])
    expect(await qcOf(id)).toEqual(['HOLD'])
    expect((await make(id)).status).toBe(409)
    expect((await contentOf(id)).results.map(({ value }) => value)).toEqual(['251', '51'])
  })

  it('TEST-G14 finishes its tests without a result, and appears in the checklist', async () => {
    const id = await ordered(['CHOL', 'HDL', 'NONHDL'])
    const lineOf = async () =>
      (await world.staff.get(`requisitions/${id}/checklist`)).body.data.find(
        ({ code }: { code: string }) => code === 'failCodes',
      )
    expect(await lineOf()).toBeUndefined()
    await setOrderCodes(id, 'fail', ['907'])
    expect(await statusOf(id)).toBe('RESULT')
    expect(await lineOf()).toEqual({
      code: 'failCodes',
      isDone: 0,
      title: 'Fail code on this requisition: 907 Patient identity does not match requisition',
      detail: 'Its tests are reported as not performed, with this reason',
      tabSlug: 'status',
    })
    const content = await contentOf(id)
    expect(content.pending).toEqual([])
    expect(content.results.every(isNotPerformed)).toBe(true)
    expect(statusIn(oruOf(content))).toBe('F')
  })

  it('set by mistake can be removed: a requisition with missing results returns to Processing', async () => {
    const id = await ordered(['CHOL', 'HDL'])
    await save(id, 'CHOL', '200')
    await setOrderCodes(id, 'fail', ['907', '901'])
    await setOrderCodes(id, 'fail', ['907'])
    expect(await statusOf(id)).toBe('RESULT')
    await setOrderCodes(id, 'fail', [])
    expect(await statusOf(id)).toBe('PROCESS')
    const { rows } = await owner(
      'select from_code, to_code, reason from requisition_status_event where requisition_id = $1 order by id',
      [id],
    )
    expect(rows.at(-1)).toEqual({ from_code: 'RESULT', to_code: 'PROCESS', reason: 'Fail code taken off' })
    await save(id, 'HDL', '50')
    expect(await statusOf(id)).toBe('RESULT')
    // With all its results, or further on, it stays where it is.
    for (const status of ['RESULT', 'REPORT']) {
      await setStatus(id, status)
      await setOrderCodes(id, 'fail', ['907'])
      await setOrderCodes(id, 'fail', [])
      expect(await statusOf(id)).toBe(status)
    }
  })

  it('allows its report to be made in bulk as well as alone', async () => {
    const [id, untested] = [await ordered(['CHOL', 'HDL']), await ordered([])]
    const plan = async () =>
      (await world.staff.post('requisitions/bulk_reports', { reqIds: [id, untested], dryRun: true })).body.data.moved
    expect(await plan()).toEqual([])
    await setOrderCodes(id, 'fail', ['907'])
    await setOrderCodes(untested, 'fail', ['907'])
    expect(await plan()).toEqual([id])
    expect((await make(id)).status).toBe(200)
  })
})
