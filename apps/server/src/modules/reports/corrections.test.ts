import { randomUUID } from 'node:crypto'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../test/app.ts'
import { openDeliveries } from '../../../test/deliveries.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { oruMessage } from '../deliveries/oru.ts'
import { findReportContent } from './content.ts'
import { makeReportsJob } from './jobs.ts'

const world = openDeliveries()
const { test, released, addReport, work } = world

const owner = (text: string, values: unknown[]) => test.database.owner.query(text, values)
const qc = (id: number, report: number, labQcStatusCode: string) =>
  world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode })
const correct = (id: number, report: number, body: object = {}) =>
  world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Mixed up', ...body })
const reportsOf = async (id: number, who: Caller = world.staff) =>
  (await who.get(`requisitions/${id}/reports`)).body.data
const historyOf = async (id: number, who: Caller): Promise<{ reportActionDesc: string }[]> =>
  (await who.get(`requisitions/${id}/rep_histories`)).body.data
const versionsOf = async (id: number, who: Caller) => (await who.get(`requisitions/${id}/report_versions`)).body.data
const textOf = async (url: string) => {
  const { pathname, search } = new URL(url)
  const { rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
  return (await extractText(await getDocumentProxy(new Uint8Array(rawPayload)), { mergePages: true })).text
}
const viewed = async (report: number, who: Caller = world.staff) =>
  textOf((await who.get(`reports/${report}/view`)).body.data.url)
const contentOf = async (report: number, versionNo: number) =>
  (await owner('select content from report_version where report_id = $1 and version_no = $2', [report, versionNo]))
    .rows[0].content
/** Versions are append-only, also for a test that needs one of earlier days. */
const setContent = async (report: number, content: object | null) => {
  await test.database.owner.query('alter table report_version disable trigger user')
  await owner('update report_version set content = $2 where report_id = $1', [report, content])
  await test.database.owner.query('alter table report_version enable trigger user')
}
const testIdOf = async (id: number, testCode: string): Promise<number> =>
  (await world.staff.get(`requisitions/${id}/req_tests`)).body.data.find(
    (row: { testCode: string }) => row.testCode === testCode,
  ).id
/** As a person does it: back to Processing, modified, saved. */
const modify = async (id: number, testCode: string, result: string) => {
  await owner("update requisition set status_code = 'PROCESS' where id = $1", [id])
  const reqTestId = await testIdOf(id, testCode)
  await world.staff.put(`requisitions/${id}/req_tests/${reqTestId}/modify`, {})
  await world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result }] })
}

/** Somebody has compared the file with the changed record. */
const releaseCompared = (id: number, report: number) =>
  world.staff.put(`requisitions/${id}/reports/${report}`, {
    labQcStatusCode: 'RELEASE',
    answers: { RECORD_CHANGED: 'SAVE' },
  })

describe('an outdated report made here', () => {
  it('is not released: it is corrected, or made again if it was never released; lab QC decides on one made elsewhere', async () => {
    const { id, report, patientId } = await released({}, 'PROCESS')
    const pending = await addReport(id, 'PENDING')
    const other = await test.given.patient({ last_name: 'Rightful', first_name: 'Ann' })
    await world.staff.put(`requisitions/${id}/patients/${other.id}`, { seenPatientId: patientId })
    const { status, body } = await qc(id, pending, 'RELEASE')
    expect([status, body.message]).toEqual([
      409,
      expect.stringMatching(
        /^The record has changed since this report was made \(Patient\b.*\): make a new one instead$/,
      ),
    ])
    expect((await qc(id, report, 'RELEASE')).body.message).toMatch(/: correct it instead$/)
    await correct(id, report)
    expect((await qc(id, report, 'RELEASE')).status).toBe(200)
    await owner('alter table report_version disable trigger user', [])
    await owner('update report_version set is_made_here = false where report_id = $1', [pending])
    await owner('alter table report_version enable trigger user', [])
    const asked = await qc(id, pending, 'RELEASE')
    expect([asked.status, asked.body.code, asked.body.current.questions]).toEqual([
      409,
      'question',
      [
        expect.objectContaining({
          code: 'RECORD_CHANGED',
          field: 'labQcStatusCode',
          message: expect.stringMatching(/^The record has changed since this file was uploaded .*\(Patient\b/),
        }),
      ],
    ])
    expect((await releaseCompared(id, pending)).status).toBe(200)
    const { rows } = await test.database.owner.query(
      "select reason from audit_entry where entity = 'report' and entity_id = $1 order by id desc limit 1",
      [pending],
    )
    expect(rows[0].reason).toMatch(/Does the file show what is in the record now\? It does, release it\.$/)
  })

  it('is not released after a change of physician NPI, order ID, fasting or laboratory', async () => {
    const { id, report, clientId } = await released({}, 'PROCESS')
    const before = (
      await owner('select ph.* from requisition r join physician ph on ph.id = r.physician_id where r.id = $1', [id])
    ).rows[0]
    const { first_name, last_name, title } = before
    const namesake = await test.given.physician({ first_name, last_name, title, npi_number: '1003000126' })
    const pair = await test.given.clientPhysician(clientId, namesake.id)
    const lab = await test.given.lab()
    await owner('insert into client_lab (client_id, lab_id) values ($1, $2)', [clientId, lab.id])
    const card = { orderingClientPhysId: pair.id, extOrderId: '0007', isFasting: 1, labId: lab.id }
    expect((await world.staff.put(`requisitions/${id}`, card)).status).toBe(200)
    const { status, body } = await qc(id, report, 'RELEASE')
    expect([status, body.message]).toEqual([
      409,
      'The record has changed since this report was made (Ordering physician, Laboratory, Order ID, Fasting): correct it instead',
    ])
    await correct(id, report)
    expect((await qc(id, report, 'RELEASE')).status).toBe(200)
    expect((await reportsOf(id))[0].changes).toEqual([
      `NPI of the ordering physician changed from ${before.npi_number} to 1003000126`,
      'Order ID changed from (none) to 0007',
      expect.stringMatching(/^Laboratory changed from .+ to .+$/),
      'Fasting changed from Not stated to Yes',
    ])
    expect(await viewed(report)).not.toContain('No value on this report has changed')
  })

  it('is replaced by the new one if it was never released', async () => {
    const { id } = await test.given.requisition({ status_code: 'PROCESS' })
    const { rows } = await owner("select id from test where code = 'CHOL'", [])
    const added = await world.staff.post(`requisitions/${id}/req_tests`, { panelIds: [], testIds: [rows[0].id] })
    const reqTests = [{ reqTestId: added.body.data.id, result: '180' }]
    await world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests })
    const make = async () => (await world.staff.post(`requisitions/${id}/reports/make`, {})).body.data.id as number
    const first = await make()
    await modify(id, 'CHOL', '190')
    const second = await make()
    expect((await reportsOf(id)).map((row: { id: number }) => row.id)).toEqual([second])
    expect((await qc(id, first, 'RELEASE')).status).toBe(404)
    expect((await qc(id, second, 'RELEASE')).status).toBe(200)
    const audit = await owner(
      "select reason from audit_entry where entity = 'report' and entity_id = $1 and action = 'DELETE'",
      [first],
    )
    expect(audit.rows).toEqual([{ reason: 'A new report takes its place: CHOL changed' }])
  })

  it('is released if it is merely incomplete: newer results are in the next one', async () => {
    const { id } = await released({}, 'PROCESS')
    const pending = await addReport(id, 'PENDING')
    const { rows } = await owner("select id from test where code = 'TRIG'", [])
    const added = await world.staff.post(`requisitions/${id}/req_tests`, { panelIds: [], testIds: [rows[0].id] })
    const reqTests = [{ reqTestId: added.body.data.id, result: '120' }]
    await world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests })
    expect((await qc(id, pending, 'RELEASE')).status).toBe(200)
  })
})

describe('a correction of a correction that was never released', () => {
  it('is compared with the latest released version, and names it in the PDF, the list and the HL7 message', async () => {
    const { id, report } = await released()
    await modify(id, 'CHOL', '120')
    await correct(id, report)
    await qc(id, report, 'HOLD')
    await modify(id, 'CHOL', '121')
    expect((await correct(id, report)).status).toBe(200)
    const [row] = await reportsOf(id)
    const change = /^Cholesterol, total changed from 251 mg\/dL .* to 121 mg\/dL/
    expect(row).toMatchObject({ versionNo: 3, changes: [expect.stringMatching(change)] })
    const text = await viewed(report)
    expect(text).toContain('This report replaces version 1. Please discard it.')
    expect(text).toContain('changed from 251 mg/dL')
    const content = await contentOf(report, 3)
    const oru = oruMessage({
      receiver: 'C-0420',
      content,
      versionNo: 3,
      correctionReason: 'Mixed up',
      sentAt: new Date(),
    })
    expect(oru).toContain('NTE|1|L|Corrected report, version 3, replaces version 1: Mixed up')
    expect(oru).toMatch(/NTE\|2\|L\|Cholesterol, total changed from 251 mg\/dL/)
    // Once it is released, the next one replaces it.
    await qc(id, report, 'RELEASE')
    await modify(id, 'CHOL', '122')
    await correct(id, report)
    expect(await viewed(report)).toContain('This report replaces version 3')
    expect((await reportsOf(id))[0].changes[0]).toContain('changed from 121 mg/dL')
  })

  it('names it on the first page of a file made elsewhere too', async () => {
    const { id, report } = await released()
    await correct(id, report)
    await correct(id, report, await world.uploadFile(id))
    expect(await viewed(report)).toContain('This report replaces version 1')
  })

  it.each([
    { results: ['120'], released: '120' },
    { results: ['120', '119'], released: '119' },
  ])('is compared with the content of a file made elsewhere at its last release: $released', async (one) => {
    const { id } = await released()
    await modify(id, 'CHOL', '119')
    const report = await world.addUploaded(id)
    await qc(id, report, 'RELEASE')
    // The result was mistyped, and the file is right.
    for (const result of one.results) {
      await modify(id, 'CHOL', result)
      expect((await releaseCompared(id, report)).status).toBe(200)
    }
    await modify(id, 'CHOL', '121')
    await correct(id, report)
    const { changes } = (await reportsOf(id)).find((row: { id: number }) => row.id === report)
    const change = new RegExp(`^Cholesterol, total changed from ${one.released} mg/dL .* to 121 mg/dL`)
    expect(changes).toEqual([expect.stringMatching(change)])
  })

  it('finds the released version even if only the time of its release was stored', async () => {
    const { id, report } = await released()
    await owner('update report_event set version_no = null where report_id = $1', [report])
    await correct(id, report)
    await correct(id, report)
    expect(await viewed(report)).toContain('This report replaces version 1')
  })
})

describe('a correction made elsewhere', () => {
  /** The file shows 110 where the record still says 100. */
  const uploaded = async () => {
    const { id, report } = await released()
    await modify(id, 'CHOL', '100')
    await correct(id, report, await world.uploadFile(id))
    return { id, report }
  }

  it('is not released while its first page is outdated; after a new upload it is', async () => {
    const { id, report } = await uploaded()
    await modify(id, 'CHOL', '110')
    const { status, body } = await qc(id, report, 'RELEASE')
    expect([status, body.message]).toEqual([
      409,
      'The first page of this correction no longer says what has changed: upload it again',
    ])
    expect((await correct(id, report, await world.uploadFile(id))).status).toBe(200)
    expect((await qc(id, report, 'RELEASE')).status).toBe(200)
    const change = /Cholesterol, total changed from 251 mg\/dL .* to 110 mg\/dL/
    expect((await contentOf(report, 3)).changes).toEqual([expect.stringMatching(change)])
    expect(await viewed(report)).toMatch(/Cholesterol, total changed from 251 mg\/dL [^•]* to 110 mg\/dL/)
  })

  it('is not released if a result of the version before was open at its upload and has a value now', async () => {
    const { id, report } = await released()
    await owner("update requisition set status_code = 'PROCESS' where id = $1", [id])
    const reqTestId = await testIdOf(id, 'CHOL')
    await world.staff.put(`requisitions/${id}/req_tests/${reqTestId}/modify`, {})
    await correct(id, report, await world.uploadFile(id))
    await world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result: '110' }] })
    expect((await qc(id, report, 'RELEASE')).body.message).toMatch(/^The first page of this correction/)
    expect((await correct(id, report, await world.uploadFile(id))).status).toBe(200)
    expect((await qc(id, report, 'RELEASE')).status).toBe(200)
  })

  it('does not mention earlier values, which it does not print', async () => {
    const { id: client_id } = await test.given.client()
    const { id: patient_id } = await test.given.patient()
    const order = async (collected_at: string, value: string) => {
      const { id } = await test.given.requisition({ client_id, patient_id, collected_at, status_code: 'PROCESS' })
      await test.given.orderedTest(id, 'CHOL', { result: value, result_num: value, reportable_result: value })
      return { id, report: await addReport(id) }
    }
    const march = await order('2026-03-01T13:00:00Z', '310')
    const september = await order('2026-09-01T13:00:00Z', '200')
    await qc(march.id, march.report, 'HOLD')
    await correct(september.id, september.report, await world.uploadFile(september.id))
    await qc(march.id, march.report, 'RELEASE')
    expect((await contentOf(september.report, 2)).changes).toEqual([])
    expect((await qc(september.id, september.report, 'RELEASE')).status).toBe(200)
  })

  it('is released while its first page is right, also a second time and with new results', async () => {
    const { id, report } = await uploaded()
    await test.given.orderedTest(id, 'TRIG', { result: '90', result_num: '90', reportable_result: '90' })
    for (const code of ['RELEASE', 'HOLD', 'RELEASE']) expect((await qc(id, report, code)).status).toBe(200)
  })
})

describe('a result that has changed since its report was released', () => {
  const reason = (id: number) =>
    `Report ${id}.pdf has been released with another result of CHOL; correct that report instead`
  // The same call is repeated after a change of the record, so each needs its own idempotency key.
  const make = (id: number, body: object = {}) =>
    world.staff.post(`requisitions/${id}/reports/make`, body, { 'idempotency-key': randomUUID() })

  it('is not reported in a new report, alone or in bulk; the released one is corrected', async () => {
    const { id, report } = await released()
    const untouched = await released()
    await modify(id, 'CHOL', '120')
    const alone = await make(id)
    expect([alone.status, alone.body.message]).toEqual([409, reason(id)])
    const { body } = await world.staff.post('requisitions/bulk_reports', { reqIds: [id, untouched.id], dryRun: true })
    expect(body.data).toMatchObject({
      moved: [],
      refused: [
        { id, reason: reason(id), tabSlug: 'reportsDelivery' },
        { id: untouched.id, reason: `Report ${untouched.id}.pdf (version 1) is released and already says the same.` },
      ],
    })
    const context = { id: crypto.randomUUID(), userId: world.staff.userId, attempt: 1, services: test.services }
    const run = { ...context, signal: AbortSignal.timeout(180_000), progress: async () => undefined }
    expect(await makeReportsJob.run(run, { reqIds: [id] })).toEqual({ made: 0, failed: [{ id, reason: reason(id) }] })
    expect(await reportsOf(id)).toHaveLength(1)
    await correct(id, report)
    // Nobody has the correction yet.
    expect((await make(id)).status).toBe(409)
    await qc(id, report, 'RELEASE')
    const { status, body: asked } = await make(id)
    expect([status, asked.code, asked.current.questions]).toMatchObject([409, 'question', [{ code: 'SAME_REPORT' }]])
    expect(asked.message).toBe(`Report ${id}_corrected.pdf (version 2) is released and already says the same.`)
    expect(await reportsOf(id)).toHaveLength(1)
    expect((await make(id, { answers: { SAME_REPORT: 'SAVE' } })).status).toBe(200)
  })

  it('counts as changed if it can no longer be reported, or has another interpretation', async () => {
    const [failed, other] = [await released(), await released()]
    const { rows } = await owner("select id from reason where type_code = 'FAIL' order by id limit 1", [])
    const chol = await testIdOf(failed.id, 'CHOL')
    await owner(
      'update requisition_test set result = null, result_num = null, reportable_result = null where id = $1',
      [chol],
    )
    // Neither a result nor a reason why there is none: it is in work, and is reported as pending.
    expect((await make(failed.id)).status).toBe(200)
    await owner('insert into requisition_test_reason (requisition_test_id, reason_id) values ($1, $2)', [
      chol,
      rows[0].id,
    ])
    expect((await make(failed.id)).body.message).toBe(reason(failed.id))
    await owner('update requisition_test set interpretation = $2 where id = $1', [
      await testIdOf(other.id, 'CHOL'),
      'Borderline',
    ])
    expect((await make(other.id)).body.message).toBe(reason(other.id))
  })

  it('is reported again while the old report was never released, and a report with more tests completes it', async () => {
    const { id } = await test.given.requisition({ status_code: 'RESULT' })
    const number = (value: string) => ({ result: value, result_num: value, reportable_result: value })
    const { id: chol } = await test.given.orderedTest(id, 'CHOL', number('251'))
    await addReport(id, 'PENDING')
    await owner("update requisition_test set result = '250', reportable_result = '250' where id = $1", [chol])
    await addReport(id)
    await test.given.orderedTest(id, 'HDL', number('51'))
    expect((await make(id)).status).toBe(200)
  })
})

describe('earlier values on a report', () => {
  it('are those of released reports: not held, not in doubt, not changed since', async () => {
    const { id: client_id } = await test.given.client()
    const { id: patient_id } = await test.given.patient()
    const result = (value: string) => ({ result: value, result_num: value, reportable_result: value })
    const earlier = async (month: number, value: string) => {
      const at = `2026-0${month}-01T13:00:00Z`
      const { id } = await test.given.requisition({ client_id, patient_id, collected_at: at, status_code: 'PROCESS' })
      const { id: chol } = await test.given.orderedTest(id, 'CHOL', result(value))
      return { id, chol }
    }
    const out = async (month: number, value: string) => {
      const made = await earlier(month, value)
      return { ...made, report: await addReport(made.id) }
    }
    await out(1, '101')
    const elsewhere = await earlier(2, '102')
    await addReport(elsewhere.id)
    await owner('alter table report_version disable trigger user', [])
    await owner(
      'update report_version set is_made_here = false, content = null where report_id in (select id from report where requisition_id = $1)',
      [elsewhere.id],
    )
    await owner('alter table report_version enable trigger user', [])
    const held = await out(3, '103')
    await qc(held.id, held.report, 'HOLD')
    const opened = await out(4, '104')
    await world.staff.put(`requisitions/${opened.id}/req_tests/${opened.chol}/modify`, {})
    await qc(opened.id, opened.report, 'RELEASE')
    const changed = await out(5, '105')
    await owner("update requisition_test set result = '155', reportable_result = '155' where id = $1", [changed.chol])
    await earlier(6, '106')
    const pending = await earlier(7, '107')
    await addReport(pending.id, 'PENDING')
    // A file made elsewhere, released again after the requisition has failed.
    const doubtful = await earlier(7, '177')
    const file = await world.addUploaded(doubtful.id)
    await owner("insert into requisition_reason select $1, id from reason where code = '907'", [doubtful.id])
    expect((await releaseCompared(doubtful.id, file)).status).toBe(200)
    // Released before this test had its result.
    const partial = await test.given.requisition({ client_id, patient_id, collected_at: '2026-08-01T13:00:00Z' })
    await test.given.orderedTest(partial.id, 'HDL', result('51'))
    await addReport(partial.id)
    await test.given.orderedTest(partial.id, 'CHOL', result('108'))
    const { id } = await test.given.requisition({ client_id, patient_id })
    await test.given.orderedTest(id, 'CHOL', result('109'))
    const { results } = await findReportContent(test.services.databases(systemScope), id)
    expect(results[0]?.earlier?.map(({ value }) => value)).toEqual(['102', '101'])
  })
})

describe('a report with earlier values', () => {
  const reported = async (over: object, value: string, labQc = 'RELEASE') => {
    const { id } = await test.given.requisition({ status_code: 'PROCESS', ...over })
    await test.given.orderedTest(id, 'CHOL', { result: value, result_num: value, reportable_result: value })
    return { id, report: await addReport(id, labQc) }
  }
  const series = async () => {
    const { id: client_id } = await test.given.client()
    const { id: patient_id } = await test.given.patient()
    const earlier = await reported({ client_id, patient_id, collected_at: '2026-03-01T13:00:00Z' }, '310')
    const waiting = await reported({ client_id, patient_id, collected_at: '2026-09-01T13:00:00Z' }, '200', 'PENDING')
    expect((await contentOf(waiting.report, 1)).results[0].earlier).toMatchObject([{ value: '310' }])
    return { client_id, patient_id, earlier, waiting }
  }
  const refusal = 'The record has changed since this report was made (CHOL: earlier values): make a new one instead'

  it("is not released if one of them was another patient's", async () => {
    const { earlier, waiting, patient_id } = await series()
    const other = await test.given.patient({ last_name: 'Rightful', first_name: 'Ann' })
    await world.staff.put(`requisitions/${earlier.id}/patients/${other.id}`, { seenPatientId: patient_id })
    const { status, body } = await qc(waiting.id, waiting.report, 'RELEASE')
    expect([status, body.message]).toEqual([409, refusal])
    const remade = await addReport(waiting.id)
    expect((await contentOf(remade, 1)).results[0].earlier).toEqual([])
    expect((await reportsOf(waiting.id)).map((row: { id: number }) => row.id)).toEqual([remade])
  })

  it('is not released if one of them has been corrected since', async () => {
    const { earlier, waiting } = await series()
    await modify(earlier.id, 'CHOL', '210')
    await correct(earlier.id, earlier.report)
    await qc(earlier.id, earlier.report, 'RELEASE')
    expect((await qc(waiting.id, waiting.report, 'RELEASE')).body.message).toBe(refusal)
  })

  it("is corrected with a line about that, without the former values, which may be another patient's", async () => {
    const { earlier, waiting, patient_id } = await series()
    await qc(waiting.id, waiting.report, 'RELEASE')
    const other = await test.given.patient({ last_name: 'Rightful', first_name: 'Ann' })
    await world.staff.put(`requisitions/${earlier.id}/patients/${other.id}`, { seenPatientId: patient_id })
    await qc(waiting.id, waiting.report, 'HOLD')
    await correct(waiting.id, waiting.report)
    expect((await reportsOf(waiting.id))[0].changes).toEqual(['Cholesterol, total: earlier values changed'])
    const text = await viewed(waiting.report)
    expect(text).toContain('Cholesterol, total: earlier values changed')
    expect(text).not.toContain('310')
  })

  it('is released if there are more now, also if one no longer fits beside them', async () => {
    const { waiting, client_id, patient_id } = await series()
    for (const month of [5, 6, 7])
      await reported({ client_id, patient_id, collected_at: `2026-0${month}-01T13:00:00Z` }, `22${month}`)
    expect((await qc(waiting.id, waiting.report, 'RELEASE')).status).toBe(200)
  })

  it('shows their month in the zone of their collection', async () => {
    const { id: client_id } = await test.given.client()
    const { id: patient_id } = await test.given.patient()
    // New Year's Eve in New York, and January already in London.
    const eve = { collected_at: '2026-01-01T01:00:00Z', collected_zone: 'America/New_York' }
    await reported({ client_id, patient_id, ...eve }, '310')
    const { report } = await reported({ client_id, patient_id, collected_at: '2026-09-01T13:00:00Z' }, '200')
    expect(await viewed(report)).toContain('310 (12/2025)')
  })
})

describe('a requisition that moves to another practice and patient', () => {
  const moveTo = async (id: number, formerPatientId: number) => {
    await owner("update requisition set status_code = 'PROCESS' where id = $1", [id])
    const rightful = await test.given.patient({ last_name: 'Rightful', first_name: 'Ann', dob: '1980-02-03' })
    await world.staff.put(`requisitions/${id}/patients/${rightful.id}`, { seenPatientId: formerPatientId })
    const next = await test.given.requisitionBody()
    const { clientId, orderingClientPhysId, eventId, labId, collaborator: colaId } = next
    const card = { clientId, orderingClientPhysId, eventId, labId, colaId }
    expect((await world.staff.put(`requisitions/${id}`, card)).status).toBe(200)
    return { clientId, practice: await test.as('CLNT', clientId), partner: await test.as('COLA', colaId) }
  }
  const download = (id: number, report: number, versionNo: number, who: Caller) =>
    who.post(`requisitions/${id}/download`, { callSource: 'VIEW', reportIds: [report], versionNo })
  // Not the year alone, which any fraction of a second may hold.
  const former = /Former|Wrongly|1955-05-05|05.?05.?1955|practice\.example|Old Practice/

  const corrected = async (forget: (report: number) => Promise<void> = async () => undefined) => {
    const { id: collaborator_id } = await test.given.collaborator({ report_name_format_code: 'LASTFIRSTDOB' })
    const client = { name: 'Old Practice', transmit_method_code: 'EMAIL', collaborator_id }
    const { id, report, patientId } = await released(client, 'RELEASE', {
      last_name: 'Former',
      first_name: 'Wrongly',
      dob: '1955-05-05',
    })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work()
    await forget(report)
    const readers = await moveTo(id, patientId)
    return { id, report, ...readers }
  }

  it('hides the former practice from the new one: version, name and address, also before the correction', async () => {
    const { id, report, practice, partner } = await corrected()
    for (const who of [practice, partner]) {
      expect(await reportsOf(id, who)).toEqual([])
      expect(await historyOf(id, who)).toEqual([])
    }
    await correct(id, report)
    await qc(id, report, 'RELEASE')
    await work()
    for (const who of [practice, partner]) {
      const versions = await versionsOf(id, who)
      expect(versions.map(({ versionNo }: { versionNo: number }) => versionNo)).toEqual([2])
      expect(JSON.stringify(versions)).not.toMatch(former)
      expect(JSON.stringify(await historyOf(id, who))).not.toMatch(former)
      expect((await download(id, report, 1, who)).status).toBe(404)
      expect((await who.get(`reports/${report}/view?versionNo=1`)).status).toBe(404)
      expect((await download(id, report, 2, who)).status).toBe(200)
    }
    const text = await viewed(report, practice)
    expect(text).toContain('Patient changed: the earlier version was about another person.')
    expect(text).not.toMatch(former)
    const content = await contentOf(report, 2)
    const oru = oruMessage({
      receiver: 'C-0420',
      content,
      versionNo: 2,
      correctionReason: 'Mixed up',
      sentAt: new Date(),
    })
    expect(oru).not.toMatch(former)
    expect((await versionsOf(id, world.staff)).map(({ versionNo }: { versionNo: number }) => versionNo)).toEqual([2, 1])
    expect((await download(id, report, 1, world.staff)).status).toBe(200)
  })

  it('does not name the former one in issues outside the laboratory or in the history for sales', async () => {
    const { id, report, clientId, practice, partner } = await corrected()
    const seller = await test.given.salesPerson()
    await test.given.clientSales(clientId, seller.id)
    const sales = await test.as('SLS', seller.id)
    await correct(id, report)
    await qc(id, report, 'RELEASE')
    await work()
    const issues = `requisitions/${id}/issues`
    const [warning] = (await world.staff.get(issues)).body.data
    expect(warning).toMatchObject({ issueCode: 'REPNOTREC', issueDesc: expect.stringMatching(/^Old Practice has/) })
    const logs = `${issues}/${warning.id}/work_logs`
    expect((await world.staff.post(logs, { issueWorkLog: 'Called Old Practice' })).status).toBe(200)
    // What a person writes under the same type is for all who have the tab.
    const { reporterDeptId, resolverDeptId } = warning
    const issueDesc = 'Front desk cannot find the report'
    await world.staff.post(issues, {
      issueCode: 'REPNOTREC',
      reporterDeptId,
      resolverDeptId,
      issueDesc,
      issueNote: null,
    })
    for (const who of [practice, partner, sales]) {
      const { data } = (await who.get(issues)).body
      expect(data.map((issue: { issueDesc: string }) => issue.issueDesc)).toEqual([issueDesc])
      expect((await who.get(logs)).status).toBe(404)
      expect((await who.get(`requisitions/${id}`)).body.data.issueCount).toBe(1)
    }
    expect((await practice.post(logs, { issueWorkLog: 'Who?' })).status).toBe(404)
    expect((await world.staff.get(`requisitions/${id}`)).body.data.issueCount).toBe(2)
    const { data: notifications } = (await partner.get(`users/${partner.userId}/notifications`)).body
    expect(notifications).toMatchObject([{ id, issueCount: 1 }])
    const { data: history } = (await sales.get(`requisitions/${id}/req_hists?perPage=-1`)).body
    expect(JSON.stringify(history)).not.toMatch(former)
    const about = ({ reqActionCode }: { reqActionCode: string }) => reqActionCode === 'ISSUE'
    expect(history.filter(about)).toHaveLength(1)
    const all = (await world.staff.get(`requisitions/${id}/req_hists?perPage=-1`)).body.data
    expect(all.filter(about)).toHaveLength(3)
  })

  it.each([
    ['without its content', null],
    ['without the numbers of practice and collaborator', 'owner'],
  ])('also if an older version was stored %s', async (_, part) => {
    const { id, report, practice } = await corrected(async (report) => {
      const { owner: _owner, ...rest } = await contentOf(report, 1)
      await setContent(report, part ? rest : null)
    })
    await correct(id, report)
    await qc(id, report, 'RELEASE')
    expect((await versionsOf(id, practice)).map(({ versionNo }: { versionNo: number }) => versionNo)).toEqual([2])
    expect((await download(id, report, 1, practice)).status).toBe(404)
  })

  it('shows earlier versions of a report to their own parties only, including old content', async () => {
    const { id, report, clientId } = await released({ transmit_method_code: 'PORTAL' })
    const practice = await test.as('CLNT', clientId)
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const content = await contentOf(report, 1)
    const { owner: _owner, ...older } = content
    await correct(id, report)
    await qc(id, report, 'RELEASE')
    for (const stored of [content, older, null]) {
      await setContent(report, stored)
      const versions = await versionsOf(id, practice)
      expect(versions).toMatchObject([
        { versionNo: 2, recipients: [expect.stringContaining('Portal')] },
        { versionNo: 1, recipients: [expect.stringContaining('Portal')] },
      ])
      expect((await download(id, report, 1, practice)).status).toBe(200)
      expect(
        (await historyOf(id, practice)).filter((row) => row.reportActionDesc.startsWith('Delivered')),
      ).toHaveLength(2)
    }
  })

  it('shows a file made elsewhere to the new practice after it was released again for it', async () => {
    const { id, patientId } = await released({ name: 'Old Practice' }, 'PROCESS')
    const report = await world.addUploaded(id)
    await qc(id, report, 'RELEASE')
    const { practice, partner } = await moveTo(id, patientId)
    expect((await releaseCompared(id, report)).status).toBe(200)
    await correct(id, report)
    for (const who of [practice, partner]) expect((await download(id, report, 1, who)).status).toBe(200)
  })

  it('says only that the practice has changed if the patient is the same', async () => {
    const { id, report } = await released({ name: 'Old Practice' }, 'PROCESS')
    const next = await test.given.requisitionBody()
    const { clientId, orderingClientPhysId, eventId, labId, collaborator: colaId } = next
    await world.staff.put(`requisitions/${id}`, { clientId, orderingClientPhysId, eventId, labId, colaId })
    await correct(id, report)
    const { changes } = (await reportsOf(id))[0]
    expect(changes[0]).toBe('Client changed: the earlier version was issued for another practice')
    expect(JSON.stringify(changes)).not.toMatch(/Old Practice|Ordering physician/)
  })
})

describe('a requisition whose report is corrected', () => {
  it('moves to Released with its corrected report and to Delivered with the last delivery; Latest Reported is the new version', async () => {
    const { id, report } = await released({ transmit_method_code: 'EMAIL' })
    await owner('update requisition set is_dem_qc_pass = true where id = $1', [id])
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await work()
    const detail = async () => (await world.staff.get(`requisitions/${id}`)).body.data
    const first = await detail()
    expect(first.reqStatusCode).toBe('DELIVER')
    await modify(id, 'CHOL', '121')
    expect((await detail()).reqStatusCode).toBe('RESULT')
    await correct(id, report)
    expect(Date.parse((await detail()).latestReportedDate)).toBeGreaterThan(Date.parse(first.latestReportedDate))
    await qc(id, report, 'RELEASE')
    expect((await detail()).reqStatusCode).toBe('RELEASE')
    await work()
    expect((await detail()).reqStatusCode).toBe('DELIVER')
    const steps = (await world.staff.get(`requisitions/${id}/req_hists`)).body.data.filter(
      ({ reason }: { reason: string | null }) => reason === 'Corrected report released',
    )
    expect(steps).toHaveLength(2)
  })

  it('names the patient as at its release, until the patient is edited in the order itself', async () => {
    const { id, report, patientId, clientId } = await released()
    const { id: next } = await test.given.requisition({ client_id: clientId, patient_id: patientId })
    await owner('insert into requisition_status_event (requisition_id, from_code, to_code) values ($1, $2, $3)', [
      id,
      'REPORT',
      'RELEASE',
    ])
    const answers = { IDENTITY_CHANGE: 'SAME_PERSON' }
    const rename = (through: number, patientLastName: string) =>
      world.staff.put(`requisitions/${through}/patients/${patientId}`, { patientLastName, answers })
    const lastName = async () => (await world.staff.get(`requisitions/${id}`)).body.data.patientLastName
    const first = await lastName()
    await modify(id, 'CHOL', '121')
    expect((await rename(next, 'Married')).status).toBe(200)
    expect(await lastName()).toBe(first)
    expect((await correct(id, report)).status).toBe(200)
    expect(await viewed(report)).toContain(`${first}, `)
    expect(await viewed(report)).not.toContain('Married')
    // Saved in the order, with what the record says: now the order says it too.
    await owner("update requisition set status_code = 'PROCESS' where id = $1", [id])
    expect((await rename(id, 'Married')).status).toBe(200)
    expect(await lastName()).toBe('Married')
    expect((await reportsOf(id))[0].labQcStatusCode).toBe('HOLD')
    expect((await correct(id, report)).status).toBe(200)
    expect(await viewed(report)).toContain('Married, ')
  })

  it('stays where it is while a result is missing', async () => {
    const { id, report } = await released()
    await owner("update requisition set status_code = 'PROCESS', is_dem_qc_pass = true where id = $1", [id])
    await world.staff.put(`requisitions/${id}/req_tests/${await testIdOf(id, 'CHOL')}/modify`, {})
    await correct(id, report)
    expect((await qc(id, report, 'RELEASE')).status).toBe(200)
    expect((await world.staff.get(`requisitions/${id}`)).body.data.reqStatusCode).toBe('PROCESS')
  })

  it('SOUT-06 marks exactly the changed rows in the table of its report', async () => {
    const { id, report } = await released()
    await modify(id, 'CHOL', '121')
    await correct(id, report)
    const text = (await viewed(report)).replaceAll('\n', ' ')
    expect(text).toMatch(/Cholesterol, total\s+\(corrected\)/)
    expect(text).not.toMatch(/HDL cholesterol\s+\(corrected\)/)
  })
})

describe('removing a report', () => {
  const remove = (id: number, report: number, body: object = { reason: 'Made twice' }, who: Caller = world.staff) =>
    who.del(`requisitions/${id}/reports/${report}`, body)

  it('removes one that was never released, with the reason in the history, and the list is no longer partial', async () => {
    const { id } = await released()
    const pending = await addReport(id, 'PENDING')
    const isPartial = async () =>
      (await owner('select is_partial_release from requisition_list where requisition_id = $1', [id])).rows[0]
        .is_partial_release
    expect(await isPartial()).toBe(true)
    expect((await remove(id, pending, {})).body.errors).toEqual([
      { field: 'reason', message: 'Reason for the removal is required' },
    ])
    expect((await remove(id, pending)).status).toBe(200)
    expect([(await reportsOf(id)).length, await isPartial()]).toEqual([1, false])
    expect((await historyOf(id, world.staff))[0]).toMatchObject({ reportActionDesc: 'Removed: Made twice' })
    expect((await remove(id, pending)).status).toBe(404)
  })

  it('is refused for one that was released, for the only one of a Reported requisition, and on another requisition', async () => {
    const { id, report } = await released()
    expect((await remove(id, report)).body.message).toMatch(/has been released and can no longer be removed/)
    const other = await released()
    const pending = await addReport(other.id, 'PENDING')
    expect((await remove(id, pending)).status).toBe(404)
    await owner('update report set deleted_at = now() where id = $1', [other.report])
    expect((await remove(other.id, pending)).body.message).toMatch(/this is its only report/)
  })
})
