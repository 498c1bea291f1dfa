import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { billingGiven } from '../../../test/given-billing.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import type { JobContext } from '../../platform/jobs/definition.ts'
import { nightlyBillingJob } from './nightly-job.ts'

const test = openTestApp()
const given = billingGiven(test)
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

const run = (reqIds: number[], caller = admin) => caller.post('billing/run', { reqIds })
interface IssueRow {
  id: number
  issueCode: string
  issueStatusCode: string
  issueNote: string
  reporterDeptCode: string
  resolverDeptName: string
  version: number
}
const issues = async (id: number): Promise<IssueRow[]> => (await admin.get(`requisitions/${id}/issues`)).body.data
const missing = async (id: number) =>
  (await issues(id)).map(({ issueCode, issueStatusCode, issueNote }) => [issueCode, issueStatusCode, issueNote])
const notes = async (id: number) =>
  (await admin.get(`requisitions/${id}/bill_notes`)).body.data.map((row: { note: string }) => row.note)

describe('running billing', () => {
  it('makes complete requisitions ready to bill, and can be repeated LIST-008', async () => {
    const { id } = await given.bill({ status: 'DELIVER' })
    const { status, body } = await run([id])
    expect([status, body.data, body.message]).toEqual([
      200,
      { moved: [id], refused: [] },
      '1 requisition(s) ready to bill',
    ])
    expect(await given.statusOf(id)).toBe('READYBILL')
    const again = await run([id])
    expect(again.body.data.refused[0].reason).toBe(`Requisition #${id} is Ready to bill, not Delivered`)
  })

  it('adds one billing note about what is missing, and continues when it is there', async () => {
    const client = await test.given.client()
    const patient = await given.patient()
    const { id } = await test.given.requisition({
      client_id: client.id,
      patient_id: patient.id,
      status_code: 'DELIVER',
    })
    await given.order(id, ['CHOL'])
    const first = await run([id])
    expect(first.body.data.refused[0].reason).toContain(`Requisition #${id} has no bill type`)
    expect(await given.statusOf(id)).toBe('MISSBILL')
    await run([id])
    expect(await notes(id)).toEqual(['Missing billing information: bill type, ICD code'])
    await given.icd(id, 'I10')
    await admin.put(
      `requisitions/${id}/billings/${(await admin.get(`requisitions/${id}/billings`)).body.data[0].billId}`,
      {
        reqBillTypeCode: 'INSURANCE',
      },
    )
    await run([id])
    expect(await notes(id)).toEqual([
      'Missing billing information: primary insurance',
      'Missing billing information: bill type, ICD code',
    ])
    const { patientId } = (await admin.get(`requisitions/${id}`)).body.data
    await given.insurance(id, patientId)
    expect((await run([id])).body.data.moved).toEqual([id])
    expect(await given.statusOf(id)).toBe('READYBILL')
  })

  it('treats what an insurance would refuse as missing information, and shows in a dry run what it would do', async () => {
    const { id, patientId } = await given.bill({ status: 'DELIVER', billType: 'INSURANCE' })
    const fine = await given.bill({ status: 'DELIVER', billType: 'INSURANCE' })
    await test.database.owner.query('update patient set addr1 = null where id = $1', [patientId])
    const reason = `Requisition #${id}: The patient's address is not complete`
    const plan = await admin.post('billing/run', { reqIds: [id, fine.id], dryRun: true })
    expect([plan.body.data.moved, plan.body.data.refused[0].reason]).toEqual([[fine.id], reason])
    expect([await given.statusOf(id), await given.statusOf(fine.id), await notes(id)]).toEqual([
      'DELIVER',
      'DELIVER',
      [],
    ])
    expect((await run([id, fine.id])).body.data).toEqual(plan.body.data)
    expect([await given.statusOf(id), await given.statusOf(fine.id)]).toEqual(['MISSBILL', 'READYBILL'])
    expect(await notes(id)).toEqual(["Missing billing information: The patient's address is not complete"])
    await test.database.owner.query("update patient set addr1 = '1 Main St' where id = $1", [patientId])
    expect((await run([id])).body.data.moved).toEqual([id])
  })

  it('moves what is ready to bill but can no longer be claimed to missing billing information, until it is complete again', async () => {
    const address = await given.bill({ status: 'READYBILL', billType: 'INSURANCE' })
    const code = await given.bill({ status: 'READYBILL', billType: 'INSURANCE' })
    const fine = await given.bill({ status: 'READYBILL', billType: 'INSURANCE' })
    const { owner } = test.database
    await owner.query('update patient set addr1 = null where id = $1', [address.patientId])
    await owner.query(`insert into icd (code, description, is_active) values ('V83', 'Of another year', false)`)
    await given.icd(code.id, 'V83')
    const ids = [address.id, code.id, fine.id]
    const statuses = () => Promise.all(ids.map((id) => given.statusOf(id)))
    expect((await admin.post('billing/run', { reqIds: ids, dryRun: true })).body.data.moved).toEqual([])
    expect(await statuses()).toEqual(['READYBILL', 'READYBILL', 'READYBILL'])
    const { refused } = (await run(ids)).body.data
    expect(refused.map(({ reason }: { reason: string }) => reason)).toEqual([
      `Requisition #${address.id}: The patient's address is not complete`,
      `Requisition #${code.id}: ICD code V83 is not in the ICD-10-CM list and cannot be claimed`,
      `Requisition #${fine.id} is Ready to bill, not Delivered`,
    ])
    expect(await statuses()).toEqual(['MISSBILL', 'MISSBILL', 'READYBILL'])
    const lack = "The patient's address is not complete"
    expect(await notes(address.id)).toEqual([`Missing billing information: ${lack}`])
    expect(await missing(address.id)).toEqual([['MISSBILL', 'OPEN', lack]])
    const plan = (await admin.get('billing/batch/plan')).body.data.map(({ id }: { id: number }) => id)
    expect(ids.filter((id) => plan.includes(id))).toEqual([fine.id])
    await owner.query("update patient set addr1 = '1 Main St' where id = $1", [address.patientId])
    expect((await run([address.id])).body.data.moved).toEqual([address.id])
    expect((await missing(address.id))[0]?.[1]).toBe('RESOLVED')
  })

  it('leaves ready to bill what needs no claim, and what an open batch has', async () => {
    const byHand = await given.bill({ status: 'READYBILL', billType: 'CLIENT' })
    const taken = await given.bill({ status: 'READYBILL', billType: 'INSURANCE' })
    expect((await admin.post('billing/batch', { reqIds: [taken.id] })).status).toBe(200)
    const { owner } = test.database
    await owner.query("update requisition set status_code = 'READYBILL' where id = $1", [taken.id])
    await owner.query('update patient set addr1 = null where id = any($1)', [[byHand.patientId, taken.patientId]])
    await owner.query('delete from requisition_icd where requisition_id = $1', [byHand.id])
    await run([byHand.id, taken.id])
    expect([await given.statusOf(byHand.id), await given.statusOf(taken.id)]).toEqual(['READYBILL', 'READYBILL'])
  })

  it('raises one issue for what is missing, logs changes, and resolves it when it is fixed ISSUE-11', async () => {
    const { id } = await test.given.requisition({ status_code: 'DELIVER' })
    await run([id])
    const lack = 'bill type, ICD code'
    expect(await missing(id)).toEqual([['MISSBILL', 'OPEN', lack]])
    const [issue] = await issues(id)
    expect(issue).toMatchObject({ reporterDeptCode: 'BILLING', resolverDeptName: 'Client Services' })
    await run([id])
    expect(await missing(id)).toEqual([['MISSBILL', 'OPEN', lack]])
    await given.icd(id, 'I10')
    await run([id])
    expect(await missing(id)).toEqual([['MISSBILL', 'OPEN', lack]])
    const { body: logs } = await admin.get(`requisitions/${id}/issues/${issue?.id}/work_logs`)
    expect(logs.data).toMatchObject([{ issueWorkLog: 'bill type', createdByUserName: null }])
    await test.database.owner.query("update requisition set bill_type_code = 'NOCHARGE' where id = $1", [id])
    await run([id])
    expect(await missing(id)).toEqual([['MISSBILL', 'RESOLVED', lack]])
    // Delivered again and incomplete as before: a new issue.
    await admin.put(`requisitions/${id}`, { reqStatusCode: 'DELIVER' })
    await test.database.owner.query('update requisition set bill_type_code = null where id = $1', [id])
    await run([id])
    expect((await missing(id)).map(([, status]) => status)).toEqual(['OPEN', 'RESOLVED'])
  })

  it('does not raise a closed issue again while the same is missing; a status set by hand resolves it', async () => {
    const { id } = await test.given.requisition({ status_code: 'DELIVER' })
    await run([id])
    const [issue] = await issues(id)
    await admin.put(`requisitions/${id}/issues/${issue?.id}`, { issueStatusCode: 'RESOLVED' })
    await run([id])
    expect((await missing(id)).map(([, status]) => status)).toEqual(['RESOLVED'])
    await given.icd(id, 'I10')
    await run([id])
    expect((await missing(id)).map(([, status]) => status)).toEqual(['OPEN', 'RESOLVED'])
    await admin.put(`requisitions/${id}`, { reqStatusCode: 'HOLD' })
    expect((await missing(id)).map(([, status]) => status)).toEqual(['RESOLVED', 'RESOLVED'])
  })

  it('raises it for requisitions that were incomplete before there were such issues', async () => {
    const { id } = await test.given.requisition({ status_code: 'MISSBILL' })
    await test.given.store('billing_note', {
      requisition_id: id,
      note: 'Missing billing information: bill type, ICD code',
    })
    await run([id])
    expect((await missing(id)).map(([, status]) => status)).toEqual(['OPEN'])
  })

  it('leaves alone requisitions that are not delivered or do not exist', async () => {
    const { id } = await given.bill({ status: 'LOG' })
    const { body } = await run([id, 99])
    expect(body.data).toEqual({
      moved: [],
      refused: [
        expect.objectContaining({ id, reason: `Requisition #${id} is Logged, not Delivered` }),
        expect.objectContaining({ id: 99, reason: 'Requisition #99 not found' }),
      ],
    })
  })

  it('is for super admins', async () => {
    for (const role of ['COLA', 'CLNT', 'SLS', 'BILL', 'PHYS'] as const)
      expect((await run([1], await test.as(role))).status, role).toBe(403)
    expect((await run([])).status).toBe(400)
  })

  it('two concurrent runs move it once', async () => {
    const { id } = await given.bill({ status: 'DELIVER' })
    const replies = await Promise.all([run([id]), run([id]), run([id])])
    expect(replies.flatMap(({ body }) => body.data.moved)).toEqual([id])
    const events = await test.database.db
      .selectFrom('requisition_status_event')
      .select('to_code')
      .where('requisition_id', '=', id)
      .execute()
    expect(events).toEqual([{ to_code: 'READYBILL' }])
  })

  it('at night, twice at once and concurrent with a person, moves and notes once', async () => {
    const ready = await given.bill({ status: 'DELIVER' })
    const lacking = await test.given.requisition({ status_code: 'DELIVER' })
    const context = { services: test.services, signal: new AbortController().signal, progress: async () => undefined }
    const night = () => nightlyBillingJob.run(context as unknown as JobContext, {})
    await Promise.all([night(), run([ready.id, lacking.id]), night()])
    expect([await given.statusOf(ready.id), await given.statusOf(lacking.id)]).toEqual(['READYBILL', 'MISSBILL'])
    expect(await notes(lacking.id)).toEqual(['Missing billing information: bill type, ICD code'])
    const { rows } = await test.database.owner.query(
      'select count(*)::int as n from requisition_status_event where requisition_id = any($1) group by requisition_id',
      [[ready.id, lacking.id]],
    )
    expect(rows).toEqual([{ n: 1 }, { n: 1 }])
    expect((await missing(lacking.id)).map(([, status]) => status)).toEqual(['OPEN'])
    expect(await missing(ready.id)).toEqual([])
  })

  it('every night does the same for all, as the billing run', async () => {
    const ready = await given.bill({ status: 'DELIVER' })
    const lacking = await test.given.requisition({ status_code: 'DELIVER' })
    const noLonger = await given.bill({ status: 'READYBILL', billType: 'INSURANCE' })
    await test.database.owner.query('update patient set addr1 = null where id = $1', [noLonger.patientId])
    const context = { services: test.services, signal: new AbortController().signal, progress: async () => undefined }
    await nightlyBillingJob.run(context as unknown as JobContext, {})
    expect([await given.statusOf(ready.id), await given.statusOf(lacking.id)]).toEqual(['READYBILL', 'MISSBILL'])
    expect(await given.statusOf(noLonger.id)).toBe('MISSBILL')
    const { body } = await admin.get(`requisitions/${lacking.id}/bill_notes`)
    expect(body.data).toMatchObject([{ billNoteCreateByName: 'Billing run' }])
  })

  it("runs at night in the laboratory's zone, at another time, or never, as configured", async () => {
    const at = (BILLING_RUN_AT: string) =>
      nightlyBillingJob.schedule?.({ ...test.services, config: { ...test.services.config, BILLING_RUN_AT } })
    const zone = await getHomeZone(test.services.databases(systemScope))
    expect(await nightlyBillingJob.schedule?.(test.services)).toEqual({ cron: '30 1 * * *', zone })
    expect(await at('23:05')).toEqual({ cron: '5 23 * * *', zone })
    expect(await at('off')).toBeNull()
    await test.database.owner.query(`update lab set zone = 'Asia/Tokyo'`)
    expect(await at('01:30')).toEqual({ cron: '30 1 * * *', zone: 'Asia/Tokyo' })
    await test.database.owner.query('update lab set zone = $1', [zone])
  })
})
