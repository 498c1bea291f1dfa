import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { unzip } from '../../../test/unzip.ts'

const test = openTestApp()

let serial = 0
const withReport = async (requisitionId: number, labQc = 'RELEASE') => {
  const key = `reports/test-${++serial}.pdf`
  const { sha256 } = await test.services.store.put(key, Buffer.from(`%PDF-1.4 report ${serial}`), 'application/pdf')
  const file = await test.given.store('stored_file', {
    object_key: key,
    original_name: `final ${serial}.pdf`,
    content_type: 'application/pdf',
    byte_size: 20,
    sha256: Buffer.from(sha256, 'hex'),
  })
  const report = await test.given.store('report', { requisition_id: requisitionId, lab_qc_status_code: labQc })
  await test.database.owner.query('insert into report_version (report_id, version_no, file_id) values ($1, 1, $2)', [
    report.id,
    file.id,
  ])
  return report.id
}

const namesInZip = async (zip: Buffer) => Object.keys(await unzip(zip))

const fetched = (url: string) => {
  const { pathname, search } = new URL(url)
  return test.app.inject({ method: 'GET', url: pathname + search })
}

describe('POST requisitions/bulk_download', () => {
  it('LIST-218 LIST-223 TABLE-114 LOOK-133 gives the released reports in one ZIP, and names who has none', async () => {
    const [one, two, none] = [
      await test.given.requisition(),
      await test.given.requisition(),
      await test.given.requisition(),
    ]
    await withReport(one.id)
    await withReport(two.id)
    await withReport(two.id, 'PENDING')
    const staff = await test.as('STF')
    const asked = { reqIds: [one.id, two.id, none.id, 999_999], callSource: 'RELEASE' }
    const plan = await staff.post('requisitions/bulk_download', { ...asked, dryRun: true })
    expect(plan.body.data).toMatchObject({
      url: null,
      moved: [one.id, two.id],
      refused: [
        { id: none.id, reason: `No released report for #${none.id}`, tabSlug: 'reportsDelivery' },
        { id: 999_999, reason: 'Requisition #999999 not found', tabSlug: null },
      ],
    })
    const { status, body } = await staff.post('requisitions/bulk_download', {
      reqIds: [one.id, two.id, none.id],
      callSource: 'RELEASE',
    })
    expect(body.data.moved).toEqual([one.id, two.id])
    expect([status, body.retval, body.message]).toEqual([200, 'SUCCESS', `No released report for #${none.id}`])
    const names = await namesInZip((await fetched(body.data.url)).rawPayload)
    expect(names).toHaveLength(2)
    expect(names[0]).toMatch(new RegExp(`^${one.id}/\\d+-final \\d+\\.pdf$`))
    const { rows } = await test.database.owner.query(
      "select count(*) as n from report_event e join report p on p.id = e.report_id where p.requisition_id = any($1) and e.action_code = 'DOWNLOAD'",
      [[one.id, two.id]],
    )
    expect(rows[0].n).toBe(2)
  })

  it('gives nobody a report outside the own scope', async () => {
    const [own, foreign] = [await test.given.requisition(), await test.given.requisition()]
    await withReport(own.id)
    await withReport(own.id)
    await withReport(foreign.id)
    const { client_id } = (await test.database.owner.query('select client_id from requisition where id = $1', [own.id]))
      .rows[0]
    const practice = await test.as('CLNT', client_id)
    const { body } = await practice.post('requisitions/bulk_download', {
      reqIds: [own.id, foreign.id],
      callSource: 'RELEASE',
    })
    expect(await namesInZip((await fetched(body.data.url)).rawPayload)).toEqual([
      expect.stringMatching(`^${own.id}/`),
      expect.stringMatching(`^${own.id}/`),
    ])
    expect((await fetched(body.data.url)).headers['content-disposition']).toContain(`reports-${own.id}.zip`)
    const refused = await practice.post('requisitions/bulk_download', { reqIds: [foreign.id], callSource: 'RELEASE' })
    expect([refused.status, refused.body.message]).toEqual([404, `No released report for #${foreign.id}`])
  })

  it("shows in the ledger that the receiver has opened it: 'Opened'", async () => {
    const { id: party_id } = await test.given.client()
    const [mine, others] = [
      await test.given.requisition({ client_id: party_id }),
      await test.given.requisition({ client_id: party_id }),
    ]
    for (const { id } of [mine, others])
      await test.given.store('report_delivery', {
        requisition_id: id,
        report_id: await withReport(id),
        report_version_no: 1,
        transmit_method_code: 'PORTAL',
        recipient: 'Portal',
        recipient_kind: 'CLIENT',
        party_id,
        state: 'DELIVERED',
        delivered_at: '2026-11-02T20:00:00Z',
      })
    const opened = async () =>
      (
        await test.database.owner.query(
          'select requisition_id as id from report_delivery where party_id = $1 and opened_at is not null order by id',
          [party_id],
        )
      ).rows.map(({ id }) => id)
    const asked = { reqIds: [mine.id], callSource: 'VIEW' }
    await (await test.as('STF')).post('requisitions/bulk_download', asked)
    expect(await opened()).toEqual([])
    const { status } = await (await test.as('CLNT', party_id)).post('requisitions/bulk_download', asked)
    expect([status, await opened()]).toEqual([200, [mine.id]])
  })

  it('gives one report as it is, under its own name', async () => {
    const { id } = await test.given.requisition()
    await withReport(id)
    const staff = await test.as('STF')
    const { body } = await staff.post('requisitions/bulk_download', { reqIds: [id], callSource: 'VIEW' })
    const reply = await fetched(body.data.url)
    expect(reply.body).toMatch(/^%PDF-1.4 report/)
    expect(reply.headers['content-disposition']).toMatch(/final \d+\.pdf/)
  })

  it('LOOK-119..LOOK-123 takes the source of each tab and refuses another', async () => {
    const { id } = await test.given.requisition()
    await withReport(id)
    const staff = await test.as('STF')
    for (const callSource of ['RESULT', 'REPORT', 'RELEASE', 'DELIVER', 'VIEW'])
      expect((await staff.post('requisitions/bulk_download', { reqIds: [id], callSource })).status).toBe(200)
    expect(
      (await staff.post('requisitions/bulk_download', { reqIds: [id], callSource: 'NOPE' })).body.errors[0].field,
    ).toBe('callSource')
    expect(
      (await staff.post('requisitions/bulk_download', { reqIds: [], callSource: 'RESULT' })).body.errors[0].field,
    ).toBe('reqIds')
  })

  it.each(roles.filter((role) => !can(role, 'reports.download')))('refuses %s', async (role) => {
    expect(
      (await (await test.as(role)).post('requisitions/bulk_download', { reqIds: [1], callSource: 'RELEASE' })).status,
    ).toBe(403)
  })
})
