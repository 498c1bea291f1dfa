import { describe, expect, it } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'
import { cleanUploads } from '../../platform/storage/slots.ts'
import { isPendingUpload } from '../batch-files/queries.ts'
import { removeExpired } from '../jobs/maintenance.ts'

const world = openDeliveries()
const { test, released, work } = world

const query = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows

/** A report that was delivered, corrected and released again. */
const corrected = async () => {
  const { id, report } = await released()
  await world.deliver(id, [report], 'EMAIL')
  await work()
  await query("update requisition set status_code = 'PROCESS' where id = $1", [id])
  const before = await bytesOf(report, 1)
  const tests = (await world.staff.get(`requisitions/${id}/req_tests`)).body.data
  const { id: reqTestId } = tests.find(({ testCode }: { testCode: string }) => testCode === 'CHOL')
  await world.staff.put(`requisitions/${id}/req_tests/${reqTestId}/modify`, {})
  await world.staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result: '199' }] })
  const { status } = await world.staff.post(`requisitions/${id}/reports/${report}/corrections`, {
    correctionReason: 'Mixed up',
  })
  expect(status).toBe(200)
  return { id, report, before }
}
const release = (id: number, report: number) =>
  world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })

/** The file of a version as it is stored. */
const bytesOf = async (report: number, versionNo: number) => {
  const [file] = await query(
    `select f.object_key as key, encode(f.sha256, 'hex') as sha256 from report_version v join stored_file f on f.id = report_file(v.report_id, v.version_no, v.file_id)
     where v.report_id = $1 and v.version_no = $2`,
    [report, versionNo],
  )
  const stream = await test.services.store.read(file.key, file.sha256)
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
const viewOf = async (report: number, versionNo: number) => {
  const { status, body } = await world.staff.get(`reports/${report}/view?versionNo=${versionNo}`)
  expect(status).toBe(200)
  const { pathname, search } = new URL(body.data.url)
  const { statusCode, rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
  expect(statusCode).toBe(200)
  return rawPayload
}

describe('a released report', () => {
  it('SOUT-15 is sent again at once, corrected, to everybody who had the earlier one, and both stay retrievable', async () => {
    const { id, report, before } = await corrected()
    world.mail.reset()
    expect((await release(id, report)).status).toBe(200)
    await work()
    const ledger: { versionNo: number; deliveryState?: string; recipient: string }[] = await query(
      'select report_version_no as "versionNo", recipient, state from report_delivery where report_id = $1 order by id',
      [report],
    )
    expect(ledger.map(({ versionNo, recipient }) => [versionNo, recipient])).toEqual([
      [1, 'office@practice.example'],
      [2, 'office@practice.example'],
    ])
    expect((await viewOf(report, 1)).subarray(0, 5).toString()).toBe('%PDF-')
    expect((await viewOf(report, 2)).subarray(0, 5).toString()).toBe('%PDF-')
    expect(await bytesOf(report, 1)).toEqual(before)
  })

  it('SOUT-15 is removed by no call, no maintenance and no statement of the server, with all versions and signatures', async () => {
    const { id, report, before } = await corrected()
    await release(id, report)
    expect((await world.staff.del(`requisitions/${id}/reports/${report}`, { reason: 'Not needed' })).status).toBe(409)
    await (await test.as('ADM')).del(`requisitions/${id}`)
    await query("update upload_slot set expires_at = now() - interval '30 days'")
    const { databases, store, disk } = test.services as typeof test.services & { disk: null }
    const db = databases({ role: 'SYSTEM', ids: [] })
    await cleanUploads(db, store, { isAwaited: isPendingUpload })
    await removeExpired(db, store, disk ?? null)
    for (const table of [
      'report',
      'report_version',
      'report_version_file',
      'report_signature',
      'report_signature_void',
      'stored_file',
    ])
      await expect(db.deleteFrom(table as 'report').execute()).rejects.toThrow(/permission denied|append-only/)
    for (const statement of ['delete from report where id = $1', 'delete from report_version where report_id = $1'])
      await expect(query(statement, [report])).rejects.toThrow(/kept for 10 years|append-only/)
    await expect(query('truncate report cascade')).rejects.toThrow(/kept for 10 years|append-only/)
    expect(await bytesOf(report, 1)).toEqual(before)
    expect((await bytesOf(report, 2)).length).toBeGreaterThan(1000)
  })

  it('SOUT-15 is kept for as many years as RECORD_YEARS says', async () => {
    const { report } = await corrected()
    const age = async (years: number) => {
      await query('alter table report_version disable trigger user')
      await query('update report_version set created_at = now() - make_interval(years => $2) where report_id = $1', [
        report,
        years,
      ])
      await query('alter table report_version enable trigger user')
    }
    const remove = () => query('delete from report where id = $1', [report])
    await age(9)
    await expect(remove()).rejects.toThrow('reports are kept for 10 years')
    await query(
      "insert into setting (key, value) values ('reports.recordYears', '8') on conflict (key) do update set value = '8'",
    )
    // Past its years it is held only by what refers to it.
    await expect(remove()).rejects.toThrow('violates foreign key constraint')
    await query("update setting set value = '12' where key = 'reports.recordYears'")
    await age(11)
    await expect(remove()).rejects.toThrow('reports are kept for 12 years')
    await query("delete from setting where key = 'reports.recordYears'")
  })
})
