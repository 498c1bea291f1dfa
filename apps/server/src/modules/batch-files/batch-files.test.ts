import { batchFileRoutes, fileStatusTone, isRetryable, maxBatchFiles, reuploadHint } from '@lis/contract/batch-files.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import yazl from 'yazl'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { openConcurrentTransaction, untilBlocked } from '../../../test/concurrent-transaction.ts'
import { multipart, storagePath } from '../../../test/multipart.ts'
import { once } from '../../../test/once.ts'
import { layouts, makePdf, makeReport, makeScan, type ReportPerson } from '../../../test/report-files.ts'
import { openWorker } from '../../platform/jobs/worker.ts'
import { settledKey } from '../../platform/storage/object-store.ts'
import { removeExpired } from '../jobs/maintenance.ts'
import { processFileJob, sweepFilesJob } from './jobs.ts'
import { processFile } from './process-file.ts'

const test = openTestApp()

/** A requisition and the person its reports name. */
const patientOrder = async (over: Partial<ReportPerson> & { clientId?: number } = {}): Promise<ReportPerson> => {
  const person = { firstName: 'Maria', lastName: 'Lopez', dob: '1968-04-17', ...over }
  const patient = await test.given.patient({
    first_name: person.firstName,
    last_name: person.lastName,
    dob: person.dob,
  })
  const { id } = await test.given.requisition({
    patient_id: patient.id,
    ...(over.clientId !== undefined && { client_id: over.clientId }),
  })
  return { ...person, reqId: id }
}

const send = async (slot: { url: string; fields: Record<string, string> }, bytes: Buffer) => {
  const { payload, headers } = multipart(slot.fields, bytes)
  return test.inject({ method: 'POST', url: storagePath(slot.fields), payload, headers })
}

interface Slot {
  id: number
  url: string
  fields: Record<string, string>
  reportOriginalFileName: string
}

/** The calls of a batch upload as the browser makes them, up to the jobs. */
const sendBatch = async (who: Caller, files: Record<string, Buffer>, batchTypeCode = 'REPORT') => {
  const init = await who.post('bulk_report_uploader/init', { fileNames: Object.keys(files), batchTypeCode })
  expect(init.status).toBe(200)
  const { id, files: slots } = init.body.data as { id: number; files: Slot[] }
  const names = Object.keys(files)
  for (const [index, slot] of slots.entries()) {
    expect((await send(slot, files[names[index] as string] as Buffer)).status).toBe(204)
    const done = await who.post(`bulk_report_uploader/${id}/finish/${slot.id}`, { batchTypeCode })
    expect(done.body.data.reportLoadStatusCode).toBe('INIT')
  }
  return { id, slots }
}

/** The whole upload, including the jobs. */
const uploadBatch = async (who: Caller, files: Record<string, Buffer>, batchTypeCode = 'REPORT') => {
  const { id, slots } = await sendBatch(who, files, batchTypeCode)
  for (const slot of slots) await processFile(test.services, slot.id)
  return { id, slots, files: await filesOf(who, id) }
}

const filesOf = async (who: Caller, id: number) =>
  (await who.get(`bulk_report_uploader/${id}/files?perPage=100`)).body.data as Record<string, unknown>[]
const reportsOf = async (reqId: number) => {
  const { rows } = await sql<{ id: number; original_name: string }>`
    select p.id, f.original_name from report p join report_version v on v.report_id = p.id join stored_file f on f.id = v.file_id
    where p.requisition_id = ${reqId} order by p.id`.execute(test.database.db)
  return rows
}

describe('a batch of reports', () => {
  it('goes init, storage, finish, and files each report on its requisition BATCH-01 BATCH-41..BATCH-43', async () => {
    const staff = await test.as('STF')
    const [one, two] = [await patientOrder(), await patientOrder({ firstName: 'Zoë', lastName: 'Müller' })]
    const { id, files } = await uploadBatch(staff, {
      [`${one.reqId}.pdf`]: await makeReport(one),
      [`${two.reqId}_final.pdf`]: await makeReport(two, 'labels'),
    })
    expect(
      files.map((file) => [file.reportOriginalFileName, file.reportLoadStatusCode, file.reqId, file.loadId]),
    ).toEqual([
      [`${one.reqId}.pdf`, 'COMPLETE', one.reqId, id],
      [`${two.reqId}_final.pdf`, 'COMPLETE', two.reqId, id],
    ])
    expect(await reportsOf(one.reqId)).toHaveLength(1)
    const { rows } = await sql`select action_code, actor_id from report_event e join report p on p.id = e.report_id
      where p.requisition_id = ${one.reqId}`.execute(test.database.db)
    expect(rows).toEqual([{ action_code: 'UPLOAD', actor_id: staff.userId }])
    const audit =
      await sql`select actor_id from audit_entry where entity = 'report' and requisition_id = ${one.reqId}`.execute(
        test.database.db,
      )
    expect(audit.rows).toEqual([{ actor_id: staff.userId }])
  })

  const settled = once(async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const name = `${order.reqId}.pdf`
    const { id, files } = await uploadBatch(staff, { [name]: await makeReport(order) })
    const list = (await staff.get(`bulk_report_uploader?filter=[id:${id}]`)).body.data
    const moment = expect.stringMatching(/^20\d\d-.*(Z|\+00:00)$/)
    const file = {
      reportOriginalFileName: name,
      reportLoadStatusCode: 'COMPLETE',
      reportLoadStatusDesc: 'Complete',
      statusDate: moment,
      loadId: id,
    }
    const batch = {
      id,
      loadDate: moment,
      batchTypeCode: 'REPORT',
      batchTypeDesc: 'Test reports',
      totalFiles: 1,
      totalFilesCompleted: 1,
      totalFilesPending: 0,
      loadByName: expect.any(String),
    }
    return { list, files, batch, file }
  })

  it('is listed with its files BATCH-46', async () => {
    const { list, files, batch, file } = await settled()
    expect(list).toEqual([batch])
    expect(files).toMatchObject([file])
  })

  it.each([
    ['BATCH-17', 'id'],
    ['BATCH-18', 'loadDate'],
    ['BATCH-19', 'batchTypeCode'],
    ['BATCH-20', 'batchTypeDesc'],
    ['BATCH-21', 'totalFiles'],
    ['BATCH-22', 'totalFilesCompleted'],
  ])('%s carries %s', async (_, field) => {
    const { list, batch } = await settled()
    expect(batch).toHaveProperty(field)
    expect(list[0][field]).toEqual(batch[field as keyof typeof batch])
  })

  it.each([
    ['BATCH-23', 'reportOriginalFileName'],
    ['BATCH-24', 'reportLoadStatusCode'],
    ['BATCH-25', 'reportLoadStatusDesc'],
    ['BATCH-26', 'statusDate'],
    ['BATCH-27', 'loadId'],
  ])('%s of each file there is %s', async (_, field) => {
    const { files, file } = await settled()
    expect(file).toHaveProperty(field)
    expect((files[0] as Record<string, unknown>)[field]).toEqual(file[field as keyof typeof file])
  })

  it('accepts further reports named by the number, a dash and any text', async () => {
    const staff = await test.as('ADM')
    const order = await patientOrder()
    const { files } = await uploadBatch(staff, {
      [`${order.reqId}-2.pdf`]: await makeReport(order),
      [`${order.reqId} 🧪 final.pdf`]: await makeReport(order, 'labels'),
      [`../../${order.reqId}_x.pdf`]: await makeReport(order, 'plain'),
    })
    expect(files.map((file) => [file.reportOriginalFileName, file.reportLoadStatusCode])).toEqual([
      [`${order.reqId}-2.pdf`, 'COMPLETE'],
      [`${order.reqId} 🧪 final.pdf`, 'COMPLETE'],
      [`${order.reqId}_x.pdf`, 'COMPLETE'],
    ])
    expect(await reportsOf(order.reqId)).toHaveLength(3)
  })

  it('gives each bad file its own message and goes on with the rest BATCH-10 BATCH-G3 BATCH-G11', async () => {
    const staff = await test.as('MGMT')
    const order = await patientOrder()
    const { id, files } = await uploadBatch(staff, {
      [`${order.reqId}_zip.pdf`]: await zipBytes(),
      [`${order.reqId}_locked.pdf`]: await makePdf((page) => page.text('x'), { userPassword: 'secret' }),
      [`${order.reqId}_empty.pdf`]: Buffer.alloc(0),
      [`${order.reqId}_torn.pdf`]: Buffer.from('%PDF-1.7\nthe rest is missing'),
      '999999999.pdf': await makeReport(order, 'labels'),
      'report.pdf': await makeReport(order, 'table'),
      [`${order.reqId}.pdf`]: await makeReport(order),
    })
    expect(files.map((file) => [file.reportLoadStatusCode, file.reportLoadStatusDesc, file.note])).toEqual([
      ['BADFILE', 'Not a PDF', 'The file is not a PDF'],
      ['BADFILE', 'Not a PDF', 'The PDF is protected by a password'],
      ['BADFILE', 'Not a PDF', 'The file is empty'],
      ['BADFILE', 'Not a PDF', 'The PDF is damaged and cannot be read'],
      ['NOREQ', 'Requisition not found', 'There is no requisition #999999999'],
      ['NOREQ', 'Requisition not found', 'The file name must begin with the requisition id'],
      ['COMPLETE', 'Complete', null],
    ])
    const { body } = await staff.get(`bulk_report_uploader?filter=[id:${id}]`)
    expect(body.data[0]).toMatchObject({ totalFiles: 7, totalFilesCompleted: 1 })
  })

  it('files the same file once, however often and under whatever name it is sent', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const bytes = await makeReport(order)
    const first = await uploadBatch(staff, { [`${order.reqId}.pdf`]: bytes, [`${order.reqId}_copy.pdf`]: bytes })
    const again = await uploadBatch(staff, { [`${order.reqId}.pdf`]: bytes })
    expect([...first.files, ...again.files].map((file) => file.reportLoadStatusCode)).toEqual(Array(3).fill('COMPLETE'))
    expect(again.files[0]?.note).toBe('The same file is on this requisition already; it was not filed again')
    expect(await reportsOf(order.reqId)).toHaveLength(1)
  })

  it('files it once when both arrive at the same time', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const bytes = await makeReport(order)
    const names = ['a', 'b', 'c', 'd'].map((letter) => `${order.reqId}_${letter}.pdf`)
    const { slots } = await sendBatch(staff, Object.fromEntries(names.map((name) => [name, bytes])))
    await Promise.all(slots.flatMap(({ id }) => [processFile(test.services, id), processFile(test.services, id)]))
    expect(await reportsOf(order.reqId)).toHaveLength(1)
  })

  it('compares with the new patient when the requisition is being reassigned at that time', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const other = await test.given.patient({ first_name: 'Elena', last_name: 'Lopez', dob: '1971-12-02' })
    const { id, slots } = await sendBatch(staff, { [`${order.reqId}.pdf`]: await makeReport(order) })
    const rival = await openConcurrentTransaction(test.database)
    await rival.query('select from patient where id = $1 for update', [other.id])
    // The change locks the requisition and waits for its new patient; the file arrives in between.
    const change = staff.put(`requisitions/${order.reqId}/patients/${other.id}`, {})
    await untilBlocked(test.database, 1)
    const settled = processFile(test.services, slots[0]?.id as number)
    await untilBlocked(test.database, 2)
    await rival.commit()
    expect((await change).status).toBe(200)
    await settled
    expect((await filesOf(staff, id))[0]).toMatchObject({
      reportLoadStatusCode: 'HELD',
      note: 'Patient Name differs; Patient DOB differs',
    })
    expect(await reportsOf(order.reqId)).toEqual([])
  })

  it('holds the second of two copies for different requisitions, also when both are settled at once', async () => {
    const staff = await test.as('STF')
    const [one, two] = [await patientOrder(), await patientOrder()]
    const bytes = await makeScan(null)
    const { id, slots } = await sendBatch(
      staff,
      { [`${one.reqId}.pdf`]: bytes, [`${two.reqId}.pdf`]: bytes },
      'SCANREQ',
    )
    const rival = await openConcurrentTransaction(test.database)
    // Nothing can be filed meanwhile: without the lock, both have looked for copies by then.
    await rival.query('lock table document in share mode')
    const settled = Promise.all(slots.map((slot) => processFile(test.services, slot.id)))
    await untilBlocked(test.database, 2)
    await rival.commit()
    await settled
    const files = await filesOf(staff, id)
    expect(files.map((file) => file.reportLoadStatusCode).sort()).toEqual(['COMPLETE', 'HELD'])
    const filed = files.find((file) => file.reportLoadStatusCode === 'COMPLETE')
    const held = files.find((file) => file.reportLoadStatusCode === 'HELD')
    expect(held?.note).toBe(`The same file is on requisition #${filed?.reqId} already`)
  })
})

const zipBytes = async () => {
  const zip = new yazl.ZipFile()
  zip.addBuffer(Buffer.from('hello'), 'a.txt')
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('states of a file', () => {
  it('has the tone of the specification, and is retried or not BATCH-31 BATCH-32 BATCH-33 BATCH-36 BATCH-37', () => {
    expect(
      (['INIT', 'COMPLETE', 'FILENOTFOUND', 'NOREQ', 'BADFILE', 'HELD', 'REJECTED'] as const).map(fileStatusTone),
    ).toEqual(['normal', 'ok', 'error', 'error', 'error', 'error', 'error'])
    expect(
      (['INIT', 'COMPLETE', 'FILENOTFOUND', 'NOREQ', 'BADFILE', 'HELD', 'REJECTED'] as const).map(isRetryable),
    ).toEqual([true, false, false, true, true, true, false])
  })

  it('calls a file that never came FILENOTFOUND, and lets it be sent again by a new slot BATCH-29 BATCH-34', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const init = await staff.post('bulk_report_uploader/init', {
      fileNames: [`${order.reqId}.pdf`],
      batchTypeCode: 'REPORT',
    })
    const { id, files } = init.body.data as { id: number; files: Slot[] }
    const [slot] = files as [Slot]
    const early = await staff.post(`bulk_report_uploader/${id}/finish/${slot.id}`, { batchTypeCode: 'REPORT' })
    expect(early.body.data).toMatchObject({
      reportLoadStatusCode: 'FILENOTFOUND',
      reportLoadStatusDesc: 'File not found',
    })
    expect(reuploadHint).toBe('Please upload the file again.')
    const renewed = await staff.post(`bulk_report_uploader/${id}/slot/${slot.id}`, {})
    expect((await send(renewed.body.data, await makeReport(order))).status).toBe(204)
    await staff.post(`bulk_report_uploader/${id}/finish/${slot.id}`, { batchTypeCode: 'REPORT' })
    await processFile(test.services, slot.id)
    expect((await filesOf(staff, id))[0]).toMatchObject({ reportLoadStatusCode: 'COMPLETE' })
    expect((await staff.post(`bulk_report_uploader/${id}/slot/${slot.id}`, {})).status).toBe(409)
  })

  it('redoes the assignment on retry with an empty body BATCH-35 BATCH-38 BATCH-44', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const later = order.reqId + 5000
    const { id, slots, files } = await uploadBatch(staff, {
      [`${later}.pdf`]: await makeReport({ ...order, reqId: later }),
    })
    expect(files[0]?.reportLoadStatusCode).toBe('NOREQ')
    const patient = await test.given.patient({ first_name: 'Maria', last_name: 'Lopez', dob: order.dob })
    await test.given.requisition({ id: later, patient_id: patient.id })
    const [slot] = slots as [Slot]
    const retried = await staff.post(`bulk_report_uploader/${id}/finish/${slot.id}`, {})
    expect(retried.body.data.reportLoadStatusCode).toBe('INIT')
    await processFile(test.services, slot.id)
    expect((await filesOf(staff, id))[0]).toMatchObject({ reportLoadStatusCode: 'COMPLETE', reqId: later })
    const again = await staff.post(`bulk_report_uploader/${id}/finish/${slot.id}`, {})
    expect(again.body.data.reportLoadStatusCode).toBe('COMPLETE')
  })

  it('lists the failed ones for download, and says when there are none BATCH-15 BATCH-48', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const bad = await uploadBatch(staff, { 'nobody.pdf': await makeReport(order) })
    const failed = await staff.get(`bulk_report_uploader/${bad.id}/failed?format=csv`)
    expect(failed.body.retval).toBe('SUCCESS')
    const file = await test.inject({ method: 'GET', url: pathOf(failed.body.data.url) })
    expect(file.body).toContain('File Name,Req ID,Status,Status Date,Reason')
    // The time as people write it, by the clocks of the laboratory.
    expect(file.body).toMatch(/nobody\.pdf,,Requisition not found,\d\d\/\d\d\/\d\d \d\d:\d\d [A-Z]{3,4},/)
    const good = await uploadBatch(staff, { [`${order.reqId}.pdf`]: await makeReport(order) })
    expect((await staff.get(`bulk_report_uploader/${good.id}/failed`)).body.retval).toBe('EMPTY')
  })

  it('is settled by the worker, also when nobody finished it BATCH-30', async () => {
    const staff = await test.as('STF')
    const [one, two, three] = [await patientOrder(), await patientOrder(), await patientOrder()]
    const names = [one, two, three].map(({ reqId }) => `${reqId}.pdf`)
    const init = await staff.post('bulk_report_uploader/init', { fileNames: names, batchTypeCode: 'REPORT' })
    const { id, files: slots } = init.body.data as { id: number; files: [Slot, Slot, Slot] }
    await send(slots[0], await makeReport(one))
    await send(slots[1], await makeReport(two))
    await staff.post(`bulk_report_uploader/${id}/finish/${slots[0].id}`, { batchTypeCode: 'REPORT' })
    // The second arrived but its browser was closed, the third never left it.
    await sql`update upload_slot set expires_at = now() - interval '1 minute' where purpose = ${`batch-file:${id}`}`.execute(
      test.database.db,
    )
    const worker = await openWorker(test.services, [processFileJob, sweepFilesJob], { databaseUrl: test.database.url })
    await expect.poll(async () => (await filesOf(staff, id))[0]?.reportLoadStatusCode).toBe('COMPLETE')
    await sweepFilesJob.run({ services: test.services } as never, {} as never)
    await worker.stop()
    expect((await filesOf(staff, id)).map((file) => file.reportLoadStatusCode)).toEqual([
      'COMPLETE',
      'COMPLETE',
      'FILENOTFOUND',
    ])
  })

  it('counts as uploaded even if a first attempt moved the object and was rolled back', async () => {
    const staff = await test.as('STF')
    const init = await staff.post('bulk_report_uploader/init', { fileNames: ['1.pdf'], batchTypeCode: 'REPORT' })
    const { id, files } = init.body.data as { id: number; files: [Slot] }
    const { object_key } = await test.database.db
      .selectFrom('report_upload_file')
      .select('object_key')
      .where('id', '=', files[0].id)
      .executeTakeFirstOrThrow()
    const finish = async () =>
      (await staff.post(`bulk_report_uploader/${id}/finish/${files[0].id}`, { batchTypeCode: 'REPORT' })).body.data
    expect((await finish()).reportLoadStatusCode).toBe('FILENOTFOUND')
    // As S3 settles it.
    await test.services.store.put(settledKey(object_key), Buffer.from('%PDF-1.7'), 'application/pdf')
    expect((await finish()).reportLoadStatusCode).toBe('INIT')
  })

  it('are kept by the clean-up after an outage of any length, until their job has run', async () => {
    const staff = await test.as('STF')
    const one = await patientOrder()
    const { id, slots } = await sendBatch(staff, {
      [`${one.reqId}.pdf`]: await makeReport(one),
      'x.pdf': Buffer.from('no PDF'),
    })
    await sql`update upload_slot set expires_at = now() - interval '3 days' where purpose = ${`batch-file:${id}`}`.execute(
      test.database.db,
    )
    const { store, disk } = test.services
    const cleanUp = () => removeExpired(test.database.db, store, disk)
    const openSlots = async () =>
      (await sql`select from upload_slot where purpose = ${`batch-file:${id}`}`.execute(test.database.db)).rows.length
    await cleanUp()
    expect(await openSlots()).toBe(2)
    for (const slot of slots) await processFile(test.services, slot.id)
    expect((await filesOf(staff, id)).map((file) => file.reportLoadStatusCode)).toEqual(['COMPLETE', 'BADFILE'])
    await cleanUp()
    expect(await openSlots()).toBe(0)
    const { body } = await staff.get(`requisitions/${one.reqId}/reports`)
    expect(body.data).toHaveLength(1)
  })
})

const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')

describe('the matching desk', () => {
  const heldBatch = async (staff: Caller) => {
    const [named, real] = [await patientOrder(), await patientOrder({ firstName: 'Elena', dob: '1971-12-02' })]
    const batch = await uploadBatch(staff, { [`${named.reqId}.pdf`]: await makeReport(real) })
    return { named, real, batch, fileId: Number(batch.files[0]?.id) }
  }

  it('holds a report of another patient and shows both sides', async () => {
    const staff = await test.as('STF')
    const { named, real, batch, fileId } = await heldBatch(staff)
    expect(batch.files[0]).toMatchObject({
      reportLoadStatusCode: 'HELD',
      note: 'Requisition differs; Patient Name differs; Patient DOB differs',
    })
    expect(await reportsOf(named.reqId)).toEqual([])
    const { body } = await staff.get(`bulk_report_uploader/held/${fileId}`)
    expect(body.data).toMatchObject({
      record: { reqId: named.reqId, patientName: 'Lopez, Maria', patientDob: '04/17/1968' },
      namedReqIds: [real.reqId],
      compared: [
        { field: 'reqId', read: `#${real.reqId}`, record: `#${named.reqId}`, outcome: 'mismatch' },
        { field: 'patientName', read: 'ELENA LOPEZ F', record: 'Lopez, Maria', outcome: 'mismatch' },
        { field: 'patientDob', read: '12/02/1971', record: '04/17/1968', outcome: 'mismatch' },
      ],
    })
    expect((await test.inject({ method: 'GET', url: pathOf(body.data.url) })).headers['content-type']).toBe(
      'application/pdf',
    )
    const other = await staff.get(`bulk_report_uploader/held/${fileId}?reqId=${real.reqId}`)
    expect(other.body.data.compared.map((row: { outcome: string }) => row.outcome)).toEqual(['match', 'match', 'match'])
    expect((await staff.get('bulk_report_uploader/held')).body.data.map((file: { id: number }) => file.id)).toContain(
      fileId,
    )
  })

  it('shows a held file without a requisition alone, so that it can be rejected or filed elsewhere', async () => {
    const staff = await test.as('STF')
    const { named, real, fileId } = await heldBatch(staff)
    expect((await staff.del(`requisitions/${named.reqId}`)).status).toBe(200)
    for (const query of ['', `?reqId=${named.reqId}`, '?reqId=999999999']) {
      const { status, body } = await staff.get(`bulk_report_uploader/held/${fileId}${query}`)
      expect([query, status, body.data?.record]).toEqual([query, 200, null])
      expect(body.data.text).toContain('Elena Lopez F')
      expect(body.data.compared).toMatchObject([
        { field: 'reqId', read: `#${real.reqId}`, record: null, outcome: 'missing' },
        { field: 'patientName', record: null, outcome: 'missing' },
        { field: 'patientDob', read: '12/02/1971', record: null, outcome: 'missing' },
      ])
    }
    expect((await staff.get(`bulk_report_uploader/held/999999999?reqId=${real.reqId}`)).status).toBe(404)
    const rejected = await staff.post(`bulk_report_uploader/held/${fileId}/decide`, {
      decision: 'REJECT',
      reason: 'Its requisition was deleted',
    })
    expect(rejected.body.data).toMatchObject({ reportLoadStatusCode: 'REJECTED' })
  })

  it('compares the whole text of a file with two patients, and says that the shown text is cut', async () => {
    const staff = await test.as('STF')
    const [first, second] = [await patientOrder(), await patientOrder({ firstName: 'Elena', dob: '1971-12-02' })]
    const merged = await makePdf((page) => {
      layouts.rows?.(first)(page)
      for (let number = 0; number < 3; number++) page.addPage().text('Cholesterol, total 182 mg/dL. '.repeat(120))
      page.addPage()
      // Its number is missing: only name and birth date identify the patient.
      layouts.rows?.({ ...second, reqId: first.reqId })(page)
    })
    const { files } = await uploadBatch(staff, { [`${first.reqId}.pdf`]: merged })
    expect(files[0]).toMatchObject({
      reportLoadStatusCode: 'HELD',
      note: 'Patient Name differs; Patient DOB differs',
    })
    const fileId = Number(files[0]?.id)
    const both = [`held/${fileId}`, `held/${fileId}?reqId=${second.reqId}`]
    const look = async () => {
      const outcomes: string[][] = []
      for (const path of both) {
        const { data } = (await staff.get(`bulk_report_uploader/${path}`)).body
        outcomes.push(data.compared.map((row: { outcome: string }) => row.outcome))
        expect(data.text).toMatch(/… The text goes on. Please open the file.$/)
        expect(data.text.length).toBeLessThan(6100)
      }
      return outcomes
    }
    const expected = [
      ['match', 'mismatch', 'mismatch'],
      ['mismatch', 'mismatch', 'mismatch'],
    ]
    expect(await look()).toEqual(expected)
    // Held before the whole text was stored.
    await sql`update report_upload_file set reading = reading - 'wholeContent' where id = ${fileId}`.execute(
      test.database.db,
    )
    expect(await look()).toEqual(expected)
  })

  it('holds a report that has more pages than are read', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const long = await makePdf((page) => {
      layouts.rows?.(order)(page)
      for (let number = 0; number < 61; number++) page.addPage()
    })
    const { files } = await uploadBatch(staff, { [`${order.reqId}.pdf`]: long })
    expect(files[0]).toMatchObject({ reportLoadStatusCode: 'HELD', note: 'The last 2 pages were not read' })
    const { data } = (await staff.get(`bulk_report_uploader/held/${files[0]?.id}`)).body
    expect(data.text).toMatch(/… The text goes on. Please open the file.$/)
  })

  it('stores with a report what differed from the requisition that the user chose anyway', async () => {
    const staff = await test.as('STF')
    const { named, batch, fileId } = await heldBatch(staff)
    const reason = 'Name before marriage'
    const body = { decision: 'FILE', reqId: named.reqId, reason }
    expect((await staff.post(`bulk_report_uploader/held/${fileId}/decide`, body)).status).toBe(200)
    const { data } = (await staff.get(`requisitions/${named.reqId}/reports`)).body
    expect(data).toMatchObject([{ guardFinding: batch.files[0]?.note, guardReason: reason }])
  })

  it('files under the requisition that a person chooses, with the reason in the audit', async () => {
    const staff = await test.as('STF')
    const { real, fileId, batch } = await heldBatch(staff)
    const without = await staff.post(`bulk_report_uploader/held/${fileId}/decide`, {
      decision: 'FILE',
      reqId: real.reqId,
    })
    expect([without.status, without.body.errors[0].field]).toEqual([400, 'reason'])
    const nowhere = { decision: 'FILE', reqId: 999_999_999, reason: 'x' }
    expect((await staff.post(`bulk_report_uploader/held/${fileId}/decide`, nowhere)).status).toBe(400)
    // The requisition that stood beside the file has been given to somebody else.
    const seen = (await staff.get(`bulk_report_uploader/held/${fileId}?reqId=${real.reqId}`)).body.data.record
    const refused = await staff.post(`bulk_report_uploader/held/${fileId}/decide`, {
      decision: 'FILE',
      reqId: real.reqId,
      seenPatientId: seen.patientId + 1,
      reason: 'Fits',
    })
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `Requisition #${real.reqId} has been given to ${seen.patientName} in the meantime. Please look again.`,
    ])
    const decided = await staff.post(`bulk_report_uploader/held/${fileId}/decide`, {
      decision: 'FILE',
      reqId: real.reqId,
      seenPatientId: seen.patientId,
      reason: 'The sender mixed up the names',
    })
    expect(decided.body.data).toMatchObject({ reportLoadStatusCode: 'COMPLETE', reqId: real.reqId })
    expect(await reportsOf(real.reqId)).toHaveLength(1)
    const { rows } =
      await sql`select entity, action, reason, actor_id from audit_entry where requisition_id = ${real.reqId}
      and entity in ('report', 'report_upload_file') order by id`.execute(test.database.db)
    const actor_id = staff.userId
    expect(rows).toEqual([
      { entity: 'report', action: 'REPORT', reason: null, actor_id },
      { entity: 'report_upload_file', action: 'FILE', reason: 'The sender mixed up the names', actor_id },
    ])
    expect((await filesOf(staff, batch.id))[0]?.note).toContain('The sender mixed up the names')
    const late = await staff.post(`bulk_report_uploader/held/${fileId}/decide`, { decision: 'REJECT', reason: 'y' })
    expect(late.status).toBe(409)
  })

  it('keeps the text of a held file until it is decided on, and what was compared for good', async () => {
    const staff = await test.as('STF')
    const kept = async (fileId: number) => {
      const { rows } = await sql<{ keys: string[] }>`
        select array(select jsonb_object_keys(reading) order by 1) as keys from report_upload_file where id = ${fileId}`.execute(
        test.database.db,
      )
      return rows[0]?.keys
    }
    for (const decision of ['REJECT', 'FILE'] as const) {
      const { real, fileId } = await heldBatch(staff)
      expect(await kept(fileId)).toEqual(['compared', 'namedReqIds', 'wholeContent'])
      // As in files that were held before the whole text was stored.
      await sql`update report_upload_file set reading = reading || '{"content": {"lines": ["x"]}}' where id = ${fileId}`.execute(
        test.database.db,
      )
      const body = { decision, reason: 'Seen', ...(decision === 'FILE' && { reqId: real.reqId }) }
      expect((await staff.post(`bulk_report_uploader/held/${fileId}/decide`, body)).status).toBe(200)
      expect(await kept(fileId)).toEqual(['compared', 'namedReqIds'])
    }
  })

  it('rejects, and of two people who decide at once only one does', async () => {
    const staff = await test.as('STF')
    const { named, real, fileId } = await heldBatch(staff)
    const answers = await Promise.all([
      staff.post(`bulk_report_uploader/held/${fileId}/decide`, { decision: 'REJECT', reason: 'Wrong patient' }),
      staff.post(`bulk_report_uploader/held/${fileId}/decide`, { decision: 'FILE', reqId: real.reqId, reason: 'Fits' }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await reportsOf(named.reqId)).toEqual([])
  })

  it('refuses a retry of a rejected file, and keeps who rejected it and why', async () => {
    const staff = await test.as('STF')
    const { batch, fileId } = await heldBatch(staff)
    const decided = await staff.post(`bulk_report_uploader/held/${fileId}/decide`, {
      decision: 'REJECT',
      reason: 'Wrong patient',
    })
    expect(decided.status).toBe(200)
    const again = await staff.post(`bulk_report_uploader/${batch.id}/finish/${fileId}`, {})
    expect([again.status, again.body.message]).toEqual([
      409,
      'The matching desk has rejected this file. To have it filed all the same, upload it again.',
    ])
    expect((await filesOf(staff, batch.id))[0]).toMatchObject({ reportLoadStatusCode: 'REJECTED' })
    const { rows } = await sql<{ decided_by: number | null }>`
      select decided_by from report_upload_file where id = ${fileId}`.execute(test.database.db)
    expect(rows).toEqual([{ decided_by: staff.userId }])
  })

  it('holds a file that is already on another requisition, even if a person filed it there', async () => {
    const staff = await test.as('STF')
    const { real, batch } = await heldBatch(staff)
    const other = await patientOrder({ firstName: 'Elena', dob: '1971-12-02' })
    const bytes = await makeReport(real)
    await uploadBatch(staff, { [`${real.reqId}.pdf`]: bytes })
    const again = await uploadBatch(staff, { [`${other.reqId}.pdf`]: bytes })
    expect(again.files[0]).toMatchObject({
      reportLoadStatusCode: 'HELD',
      note: `The same file is on requisition #${real.reqId} already`,
    })
    expect(batch.id).not.toBe(again.id)
  })

  it('checks a held file again on retry, once the record has been corrected', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder({ firstName: 'Mariah' })
    const { id, slots, files } = await uploadBatch(staff, {
      [`${order.reqId}.pdf`]: await makeReport({ ...order, firstName: 'Maria' }),
    })
    expect(files[0]?.note).toBe('Patient Name differs')
    await sql`update patient set first_name = 'Maria' where id = (select patient_id from requisition where id = ${order.reqId})`.execute(
      test.database.db,
    )
    const [slot] = slots as [Slot]
    await staff.post(`bulk_report_uploader/${id}/finish/${slot.id}`, {})
    await processFile(test.services, slot.id)
    expect((await filesOf(staff, id))[0]?.reportLoadStatusCode).toBe('COMPLETE')
  })
})

describe('input of init BATCH-39 BATCH-40', () => {
  it.each([
    ['no type', { fileNames: ['1.pdf'] }, 'batchTypeCode', 'Batch Type is required'],
    ['no files', { fileNames: [], batchTypeCode: 'REPORT' }, 'fileNames', 'Please Upload File'],
    ['no list', { batchTypeCode: 'REPORT' }, 'fileNames', 'Please Upload File'],
    [
      'a name twice',
      { fileNames: ['1.pdf', '1.pdf'], batchTypeCode: 'REPORT' },
      'fileNames.1',
      'The file name "1.pdf" appears twice in the batch',
    ],
    [
      'too many',
      { fileNames: Array.from({ length: maxBatchFiles + 1 }, (_, n) => `${n}.pdf`), batchTypeCode: 'REPORT' },
      'fileNames',
      'At most 500 files in one batch',
    ],
  ])('refuses %s BATCH-39 BATCH-40 BATCH-G8', async (_, body, field, message) => {
    const staff = await test.as('STF')
    const reply = await staff.post('bulk_report_uploader/init', body)
    expect([reply.status, reply.body.errors[0]]).toEqual([400, { field, message }])
  })
})

describe('who may BATCH-04 BATCH-G1', () => {
  it('lets everybody registered read within scope, super admins send reports, collaborators send scans', async () => {
    const client = await test.given.client()
    const cola = await sql<{ id: number }>`select collaborator_id as id from client where id = ${client.id}`.execute(
      test.database.db,
    )
    const order = await patientOrder({ clientId: client.id })
    const foreign = await patientOrder()
    const staff = await test.as('STF')
    const { id } = await uploadBatch(staff, {
      [`${order.reqId}.pdf`]: await makeReport(order),
      [`${foreign.reqId}.pdf`]: await makeReport(foreign),
      [`${order.reqId}_held.pdf`]: await makeReport(foreign, 'labels'),
    })
    const own = await test.as('CLNT', client.id)
    const list = await own.get('bulk_report_uploader')
    expect(list.body.data).toMatchObject([{ id, totalFiles: 1, totalFilesCompleted: 1 }])
    expect((await filesOf(own, id)).map((file) => file.reqId)).toEqual([order.reqId])
    const strange = await test.as('CLNT')
    expect((await strange.get('bulk_report_uploader')).body.total).toBe(0)
    expect((await strange.get(`bulk_report_uploader/${id}/files`)).status).toBe(404)
    expect((await strange.get(`bulk_report_uploader/${id}/failed`)).status).toBe(404)

    for (const role of ['CLNT', 'PHYS', 'SLS', 'BILL'] as const) {
      const who = await test.as(role)
      expect((await who.get('bulk_report_uploader')).status).toBe(200)
      expect(
        (await who.post('bulk_report_uploader/init', { fileNames: ['1.pdf'], batchTypeCode: 'SCANREQ' })).status,
      ).toBe(403)
    }
    for (const role of ['ADM', 'MGMT', 'STF'] as const)
      expect((await (await test.as(role)).get('bulk_report_uploader/held')).status).toBe(200)
    expect((await (await test.as('GST')).get('bulk_report_uploader')).status).toBe(403)
    expect((await test.nobody.get('bulk_report_uploader')).status).toBe(401)

    const partner = await test.as('COLA', cola.rows[0]?.id)
    const asReport = await partner.post('bulk_report_uploader/init', { fileNames: ['1.pdf'], batchTypeCode: 'REPORT' })
    expect(asReport.status).toBe(403)
    const scans = await uploadBatch(
      partner,
      {
        [`${order.reqId}.pdf`]: await makeScan(null),
        [`${foreign.reqId}.pdf`]: await makeScan(String(foreign.reqId)),
      },
      'SCANREQ',
    )
    expect(scans.files.map((file) => file.reportLoadStatusCode)).toEqual(['COMPLETE', 'NOREQ'])
    const docs = await sql`select type_code from document where requisition_id = ${order.reqId}`.execute(
      test.database.db,
    )
    expect(docs.rows).toEqual([{ type_code: 'SCANREQ' }])
    for (const path of ['held', `held/${scans.slots[0]?.id}`])
      expect((await partner.get(`bulk_report_uploader/${path}`)).status).toBe(403)
    const [theirs] = scans.slots as [Slot]
    const stranger = await test.as('COLA')
    expect((await stranger.post(`bulk_report_uploader/${scans.id}/finish/${theirs.id}`, {})).status).toBe(404)
    expect((await stranger.post(`bulk_report_uploader/${scans.id}/slot/${theirs.id}`, {})).status).toBe(404)
  })

  it('filters by id, type and date, and refuses what it does not know BATCH-11', async () => {
    const staff = await test.as('STF')
    const order = await patientOrder()
    const { id } = await uploadBatch(staff, { [`${order.reqId}.pdf`]: await makeScan(null) }, 'SCANREQ')
    // 21:30 of the 5th in the laboratory is the 6th in UTC.
    await test.database.owner.query("update report_upload set load_at = '2026-03-06T02:30:00Z' where id = $1", [id])
    const foundOn = async (day: string) => {
      const filter = JSON.stringify({ id, batchTypeCode: 'SCANREQ', loadDate: `[${day}-${day}]` })
      return (await staff.get(`bulk_report_uploader?filter=${encodeURIComponent(filter)}`)).body.total
    }
    expect([await foundOn('03/05/2026'), await foundOn('03/06/2026')]).toEqual([1, 0])
    expect((await staff.get(`bulk_report_uploader?filter=[id:${id},batchTypeCode:REPORT]`)).body.total).toBe(0)
    expect((await staff.get('bulk_report_uploader?filter=[secret:1]')).status).toBe(400)
    expect(batchFileRoutes.files.path).toBe('bulk_report_uploader/:id/files')
  })
})
