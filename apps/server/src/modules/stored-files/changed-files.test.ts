import { rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'
import { makePdf } from '../../../test/report-files.ts'
import { sendToStore } from '../../../test/uploads.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { deliverDue } from '../../platform/messaging/deliver.ts'
import { openMllpTransport } from '../../platform/messaging/mllp-transport.ts'
import { deliveryMessages } from '../deliveries/message-outcomes.ts'
import { changedFileJob } from './jobs.ts'

const world = openDeliveries()
const { test } = world
const refusal = 'The stored file has been changed. It cannot be opened, and the laboratory has been notified.'
const other = await makePdf((page) => page.text('The report of somebody else'))

const pathOf = (key: string) => join(test.services.config.dataDir, 'files', key)
const keysOf = async (report: number): Promise<string[]> =>
  (
    await test.database.owner.query(
      'select f.object_key from report_version v join stored_file f on f.id = report_file(v.report_id, v.version_no, v.file_id) where v.report_id = $1 order by v.version_no',
      [report],
    )
  ).rows.map(({ object_key }) => object_key)
/** As somebody with access to the disk does it. */
const swap = async (report: number, versionNo = 1) =>
  writeFileSync(pathOf((await keysOf(report))[versionNo - 1] as string), other)

/** What a worker does about files that were found changed. */
const follow = async () => {
  const { rows } = await test.database.owner.query(
    "update job set state = 'DONE' where kind = 'stored-file.changed' and state = 'QUEUED' returning id, user_id, input",
  )
  for (const { id, user_id: userId, input } of rows) {
    const context = { id, userId, attempt: 1, services: test.services, signal: AbortSignal.timeout(180_000) }
    await changedFileJob.run({ ...context, progress: async () => undefined }, input)
  }
  return rows.length
}
const issuesOf = async (id: number) =>
  (await world.issuesOf(id)).filter(({ issueCode }: { issueCode: string }) => issueCode === 'FILECHANGED')
const qcOf = async (id: number) => (await world.staff.get(`requisitions/${id}/reports`)).body.data[0].labQcStatusCode
const refused = { status: 409, body: { message: refusal } }
const fetched = (url: string) => {
  const { pathname, search } = new URL(url)
  return test.app.inject({ method: 'GET', url: pathname + search })
}

/** The report is held, the laboratory has one issue, and nobody was notified twice. */
const expectHeld = async (id: number) => {
  await follow()
  expect(await qcOf(id)).toBe('HOLD')
  expect(await issuesOf(id)).toHaveLength(1)
}

describe('a report whose file is gone from the store', () => {
  it('answers 404, and the laboratory is notified as for a changed file', async () => {
    const { id, report } = await world.released()
    rmSync(pathOf((await keysOf(report))[0] as string))
    const before = test.services.fileAlarm.count
    expect((await world.staff.get(`reports/${report}/view`)).status).toBe(404)
    expect(test.services.fileAlarm.count).toBe(before + 1)
    await expectHeld(id)
  })
})

describe('a report whose file was exchanged in the store', () => {
  it('is not shown; it is held, with an issue of the laboratory, a line in the log and a count', async () => {
    const { id, report, clientId } = await world.released()
    await swap(report)
    const before = test.services.fileAlarm.count
    const practice = await test.as('CLNT', clientId)
    for (const who of [world.staff, practice]) expect(await who.get(`reports/${report}/view`)).toMatchObject(refused)
    expect(test.services.fileAlarm.count).toBe(before + 2)
    const { rawPayload } = await test.app.inject({ method: 'GET', url: '/metrics' })
    expect(rawPayload.toString()).toContain(`stored_files_changed_total ${before + 2}`)
    await expectHeld(id)
    const history = await world.historyOf(id)
    expect(history[0]).toBe('Lab QC: Hold: the stored file has been changed')
    expect(await issuesOf(id)).toMatchObject([
      { issueDesc: `The stored file ${id}.pdf has been changed`, issueStatusCode: 'OPEN' },
    ])
    expect((await practice.get(`requisitions/${id}/issues`)).body.data ?? []).toEqual([])
    // A repeat changes nothing, and neither does a decision of lab QC.
    await world.staff.get(`reports/${report}/view`)
    await expectHeld(id)
    const release = { labQcStatusCode: 'RELEASE' }
    expect(await world.staff.put(`requisitions/${id}/reports/${report}`, release)).toMatchObject(refused)
    expect(await qcOf(id)).toBe('HOLD')
  })

  it('is not downloaded, alone, with others or in bulk', async () => {
    const { id, report } = await world.released()
    const second = await world.addUploaded(id)
    await world.staff.put(`requisitions/${id}/reports/${second}`, { labQcStatusCode: 'RELEASE' })
    const elsewhere = await world.released()
    await swap(report)
    const download = (reportIds: number[]) =>
      world.staff.post(`requisitions/${id}/download`, { callSource: 'VIEW', reportIds })
    const bulk = (reqIds: number[]) => world.staff.post('requisitions/bulk_download', { reqIds, callSource: 'RELEASE' })
    expect(await download([report])).toMatchObject(refused)
    expect(await download([report, second])).toMatchObject(refused)
    expect(await bulk([id, elsewhere.id])).toMatchObject(refused)
    expect((await bulk([elsewhere.id])).status).toBe(200)
    const { rows } = await test.database.owner.query(
      "select from report_event where report_id = $1 and action_code = 'DOWNLOAD'",
      [report],
    )
    expect(rows).toHaveLength(0)
    await expectHeld(id)
  })

  it('is not served by a URL that was signed before', async () => {
    const { id, report } = await world.released()
    const { url } = (await world.staff.get(`reports/${report}/view`)).body.data
    expect((await fetched(url)).statusCode).toBe(200)
    await swap(report)
    const late = await fetched(url)
    expect([late.statusCode, JSON.parse(late.payload).message]).toEqual([409, refusal])
    await expectHeld(id)
  })

  it('is not mailed, as a link or encrypted, nor faxed', async () => {
    for (const client of [
      { transmit_method_code: 'EMAIL' },
      { transmit_method_code: 'EMAIL', encrypt_pdf: true },
      { transmit_method_code: 'FAX', fax_email: '15551234@fax.example' },
    ]) {
      const { id, report } = await world.released(client)
      await swap(report)
      await world.staff.post(`requisitions/${id}/rep_delivery`, {})
      await world.work()
      expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: 'FAILED', answer: refusal }])
      expect(world.mail.received).toHaveLength(0)
      await expectHeld(id)
    }
  })

  it('is not published in the portal by any of the three calls, and the requisition is not Delivered', async () => {
    const calls = [
      (id: number) => world.staff.post(`requisitions/${id}/rep_delivery`, {}),
      (id: number, report: number) => world.deliver(id, [report], 'PORTAL'),
      (id: number) => world.staff.post('requisitions/bulk_delivery', { reqIds: [id] }),
    ]
    for (const call of calls) {
      const { id, report } = await world.released({ transmit_method_code: 'PORTAL' })
      await swap(report)
      expect((await call(id, report)).status).toBe(200)
      expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: 'FAILED', answer: refusal }])
      expect(await world.statusOf(id)).toBe('RELEASE')
      await expectHeld(id)
    }
  })

  it('is not published again in the portal by a resend, nor when the file is gone', async () => {
    const { id, report } = await world.released({ transmit_method_code: 'PORTAL' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    const [first] = await world.ledgerOf(id)
    expect(first).toMatchObject({ deliveryState: 'SENT' })
    rmSync(pathOf((await keysOf(report))[0] as string))
    const { body } = await world.staff.post(`deliveries/${first.id}/resend`, {})
    expect(body.message).toBe('Delivery started for 0 report(s), 1 not done')
    expect((await world.ledgerOf(id)).map((row: { deliveryState: string }) => row.deliveryState)).toContain('FAILED')
    await expectHeld(id)
  })

  it('is not sent by HL7, also when it was exchanged after the message was written, and in demo mode', async () => {
    let isCalled = false
    const listener = createServer(() => {
      isCalled = true
    })
    await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready))
    const { port } = listener.address() as AddressInfo
    for (const demo of [false, true]) {
      const { id, report } = await world.released({
        transmit_method_code: 'HL7',
        legacy_client_id: `C-07${port}${demo}`,
      })
      await world.staff.post(`requisitions/${id}/rep_delivery`, {})
      await world.work({
        over: { HL7: { send: async () => Promise.reject(new Error('down')), close: () => undefined } },
      })
      expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: 'RETRYING' }])
      await swap(report)
      await world.makeDue()
      const { store, databases, config } = test.services
      const transports = demo ? {} : { HL7: openMllpTransport({ url: `mllp://127.0.0.1:${port}` }) }
      await deliverDue({ db: databases(systemScope), store, transports, demo, config, owner: deliveryMessages })
      expect(await world.ledgerOf(id)).toMatchObject([{ deliveryState: expect.stringMatching(/FAILED|REFUSED/) }])
      expect(isCalled).toBe(false)
      await expectHeld(id)
    }
    listener.close()
  })

  it('is held alone: an earlier version that was exchanged is not shown, and the present one stays out', async () => {
    const { id, report } = await world.released()
    await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, { correctionReason: 'Wrong unit' })
    await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    await swap(report, 1)
    expect(await world.staff.get(`reports/${report}/view?versionNo=1`)).toMatchObject(refused)
    await follow()
    expect([await qcOf(id), (await issuesOf(id)).length]).toEqual(['RELEASE', 1])
    expect((await world.staff.get(`reports/${report}/view`)).status).toBe(200)
  })
})

describe('locks of a delivery whose file was exchanged', () => {
  /** Waits until another session waits for a lock. */
  const whenBlocked = async () => {
    const sql = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    await vi.waitFor(async () => expect((await test.database.owner.query(sql)).rows).toHaveLength(1), 60_000)
  }

  it('are taken in the order of all other writers: the requisition, then the delivery', async () => {
    const { id, report } = await world.released({ transmit_method_code: 'FAX', fax_email: '15551234@fax.example' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await swap(report)
    const other = await test.database.owner.connect()
    await other.query('begin')
    await other.query('select from requisition where id = $1 for no key update', [id])
    const working = world.work()
    try {
      await whenBlocked()
      await other.query('select from report_delivery where requisition_id = $1 for no key update nowait', [id])
    } finally {
      await other.query('rollback')
      other.release()
      await working
    }
    await expectHeld(id)
  })

  it('are requested again by the hold after a deadlock', async () => {
    const { id, report } = await world.released({ transmit_method_code: 'FAX', fax_email: '15551234@fax.example' })
    await world.staff.post(`requisitions/${id}/rep_delivery`, {})
    await swap(report)
    await world.staff.get(`reports/${report}/view`)
    const other = await test.database.owner.connect()
    await other.query("begin; set local deadlock_timeout = '1min'")
    await other.query('select from report_delivery where requisition_id = $1 for no key update', [id])
    const held = expectHeld(id)
    await whenBlocked()
    await other.query('select from requisition where id = $1 for no key update', [id])
    await other.query('rollback')
    other.release()
    await held
  })
})

it('a document that was exchanged is neither shown nor downloaded, and raises the issue', async () => {
  const { id } = await world.released()
  const { body } = await world.staff.post(`requisitions/${id}/upload`, { fileName: 'a.pdf', docTypeCode: 'SCANREQ' })
  await sendToStore(test, body.data.fields, await makePdf((page) => page.text('scan')))
  const named = { fileName: body.data.newFileName, originalFileName: 'a.pdf' }
  const { data } = (await world.staff.post(`requisitions/${id}/scanreqs`, named)).body
  writeFileSync(pathOf(`requisitions/${id}/${body.data.newFileName}`), other)
  expect(await world.staff.get(`requisitions/${id}/docs/${data.id}/view`)).toMatchObject(refused)
  expect(await world.staff.get(`requisitions/${id}/download_docs/${data.id}`)).toMatchObject(refused)
  await follow()
  expect([await qcOf(id), (await issuesOf(id)).length]).toEqual(['RELEASE', 1])
})
