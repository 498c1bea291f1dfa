import type { BatchPlanRow } from '@lis/contract/billing-batches.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { billingGiven } from '../../../test/given-billing.ts'
import type { JobContext } from '../../platform/jobs/definition.ts'
import { nightlyBillingJob } from './nightly-job.ts'

const test = openTestApp()
const given = billingGiven(test)
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

const make = (body: { reqIds?: number[]; billAgain?: boolean } = {}) => admin.post('billing/batch', body)
const send = (id: number) => admin.post(`billing/batch/${id}/send`, {})
const run = (id: number) => admin.post('billing/run', { reqIds: [id] })
const night = () => {
  const context = { services: test.services, signal: new AbortController().signal, progress: async () => undefined }
  return nightlyBillingJob.run(context as unknown as JobContext, {})
}
const move = async (id: number, ...codes: string[]) => {
  for (const reqStatusCode of codes)
    expect((await admin.put(`requisitions/${id}`, { reqStatusCode })).status, reqStatusCode).toBe(200)
}
/** Put back to correct a result, and delivered once more. */
const deliverAgain = (id: number) => move(id, 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER')
const charges = async (id: number): Promise<{ batch: number; sum: string }[]> => {
  const { rows } = await test.database.owner.query(
    'select batch_id as batch, sum(amount)::text as sum from billing_charge where requisition_id = $1 group by 1 order by 1',
    [id],
  )
  return rows
}
const notes = async (id: number): Promise<string[]> =>
  (await admin.get(`requisitions/${id}/bill_notes`)).body.data.map((row: { note: string }) => row.note)
const planned = async (id: number): Promise<BatchPlanRow | undefined> =>
  (await admin.get('billing/batch/plan')).body.data.find(({ reqId }: BatchPlanRow) => reqId === id)

/** Charged by a batch that was sent. */
const billed = async (bill: Parameters<typeof given.bill>[0] = {}) => {
  const made = await given.bill(bill)
  const batchId: number = (await make({ reqIds: [made.id] })).body.data.id
  expect((await send(batchId)).body.data.moved).toEqual([made.id])
  return { ...made, batchId }
}

describe('a requisition that was billed and is delivered again', () => {
  it.each(['CLIENT', 'INSURANCE', 'NOCHARGE'])('is not billed a second time: %s LIST-008', async (billType) => {
    const { id, batchId } = await billed({ billType })
    const before = await charges(id)
    await deliverAgain(id)
    await night()
    await make()
    expect(await given.statusOf(id)).toBe('BILL')
    const { rows } = await test.database.owner.query(
      'select batch_id as batch from billing_batch_item where requisition_id = $1',
      [id],
    )
    expect([rows, await charges(id)]).toEqual([[{ batch: batchId }], before])
  })

  it('returns to its former billing status, with the reason in history and billing notes LIST-008', async () => {
    const { id, batchId } = await billed()
    await move(id, 'EOB', 'INSPAYRECD')
    await deliverAgain(id)
    const { body } = await run(id)
    expect(body.data).toEqual({
      moved: [],
      refused: [
        expect.objectContaining({
          id,
          reason: `Requisition #${id}: Already billed in batch ${batchId}; it is 'Insurance payment received' again`,
          tabSlug: null,
        }),
      ],
    })
    expect(await given.statusOf(id)).toBe('INSPAYRECD')
    expect((await notes(id))[0]).toBe(`Delivered again. Already billed in batch ${batchId}`)
    const { rows } = await test.database.owner.query(
      'select from_code, to_code, reason from requisition_status_event where requisition_id = $1 order by id desc limit 1',
      [id],
    )
    expect(rows).toEqual([
      { from_code: 'DELIVER', to_code: 'INSPAYRECD', reason: `Already billed in batch ${batchId}` },
    ])
    expect((await admin.get(`requisitions/${id}/issues`)).body.data).toEqual([])
  })

  it('does so even if information is missing now', async () => {
    const { id } = await billed()
    await test.database.owner.query('delete from requisition_icd where requisition_id = $1', [id])
    await deliverAgain(id)
    await run(id)
    expect([await given.statusOf(id), (await admin.get(`requisitions/${id}/issues`)).body.data]).toEqual(['BILL', []])
  })

  it('waits for a decision if the payer has changed', async () => {
    const { id, batchId } = await billed({ billType: 'INSURANCE' })
    await move(id, 'PROCESS')
    const [bill] = (await admin.get(`requisitions/${id}/billings`)).body.data
    await admin.put(`requisitions/${id}/billings/${bill.billId}`, { reqBillTypeCode: 'CLIENT' })
    await deliverAgain(id)
    await night()
    expect(await given.statusOf(id)).toBe('READYBILL')
    expect((await planned(id))?.missing).toContain(`Already billed in batch ${batchId}; who pays has changed since`)
  })

  it('has the same payer if only the guarantor was edited, or an insurance saved unchanged', async () => {
    const { id } = await billed({ billType: 'INSURANCE' })
    const [bill] = (await admin.get(`requisitions/${id}/billings`)).body.data
    const path = `requisitions/${id}/billings/${bill.billId}`
    const [insurance] = (await admin.get(`${path}/insurances`)).body.data
    const saved = await admin.put(path, { relationTypeCode: 'SELF', guarantorCity: 'Salem' })
    expect([saved.status, saved.body.data.guarantorCity]).toEqual([200, 'Salem'])
    expect((await admin.put(`${path}/insurances/${insurance.id}`, { policyNo: insurance.policyNo })).status).toBe(200)
    await deliverAgain(id)
    await night()
    expect(await given.statusOf(id)).toBe('BILL')
    // Another policy is another payer.
    expect((await admin.put(`${path}/insurances/${insurance.id}`, { policyNo: 'OTHER9' })).status).toBe(200)
    await deliverAgain(id)
    await night()
    expect(await given.statusOf(id)).toBe('READYBILL')
  })

  it('waits for a decision if it was ready to bill again before it was put back', async () => {
    const { id } = await billed()
    await move(id, 'READYBILL')
    await deliverAgain(id)
    await night()
    expect(await given.statusOf(id)).toBe('READYBILL')
  })

  it('waits for a decision if it has tests that were not charged, and names them', async () => {
    const { id, clientId, batchId } = await billed({ order: { CHOL: '12.50' } })
    await given.price(clientId, 'A1C', '9.00')
    await move(id, 'PROCESS')
    await given.order(id, ['A1C'])
    await deliverAgain(id)
    await night()
    expect(await given.statusOf(id)).toBe('READYBILL')
    const missing = `Already billed in batch ${batchId}; not charged there: A1C`
    expect(await planned(id)).toMatchObject({ missing, billedBatchId: batchId, amount: '21.50' })
    expect((await make({ reqIds: [id] })).body.message).toBe(`Requisition #${id}: ${missing}`)
  })

  it('is billed as usual if the earlier batch had left it out', async () => {
    const client = await test.given.client()
    const priced = await given.bill({ clientId: client.id, order: { CHOL: '12.50' } })
    const unpriced = await given.bill({ clientId: client.id, order: { HDL: null } })
    await send((await make({ reqIds: [priced.id, unpriced.id] })).body.data.id)
    await given.price(client.id, 'HDL', '3.00')
    await deliverAgain(unpriced.id)
    await run(unpriced.id)
    expect(await planned(unpriced.id)).toMatchObject({ missing: null, billedBatchId: null })
    const next = (await make({ reqIds: [unpriced.id] })).body.data.id
    expect((await send(next)).body.data.moved).toEqual([unpriced.id])
  })
})

describe('a billed requisition that is made ready to bill by hand', () => {
  it('is listed in the plan and taken only by a batch that asks for it BLG-120', async () => {
    const { id, batchId } = await billed()
    await move(id, 'READYBILL')
    const missing = `Already billed in batch ${batchId}`
    expect(await planned(id)).toMatchObject({ missing, billedBatchId: batchId })
    const refused = await make({ reqIds: [id] })
    expect([refused.status, refused.body.message]).toEqual([409, `Requisition #${id}: ${missing}`])
    const other = await given.bill()
    const { body } = await make({ reqIds: [id, other.id] })
    expect(body.data).toMatchObject({
      moved: [other.id],
      refused: [{ id, reason: `Requisition #${id}: ${missing}`, tabSlug: 'status' }],
    })
    // 'All that is ready' does not include it: billing again has to name the requisition.
    await given.bill()
    expect((await make({ billAgain: true })).body.data.moved).not.toContain(id)
    expect(await given.statusOf(id)).toBe('READYBILL')
  })

  it('is billed again when a person asks for it, with the earlier batch in its notes and the audit', async () => {
    const { id, clientId, batchId } = await billed({ order: { CHOL: '12.50' } })
    await move(id, 'READYBILL')
    await test.database.owner.query('update client_test_price set price = 10 where client_id = $1', [clientId])
    const { body } = await make({ reqIds: [id], billAgain: true })
    const next: number = body.data.id
    expect(body.data).toMatchObject({ moved: [id], refused: [] })
    expect((await notes(id))[0]).toBe(`To be billed again in batch ${next}. Already billed in batch ${batchId}`)
    const { rows } = await test.database.owner.query(
      "select new_data from audit_entry where entity = 'billing_batch' and action = 'CREATE' and entity_id = $1",
      [next],
    )
    expect(rows).toEqual([{ new_data: { recordCount: 1, billedAgain: [id] } }])
    expect((await send(next)).body.data.moved).toEqual([id])
    expect(await charges(id)).toEqual([
      { batch: batchId, sum: '12.50' },
      { batch: next, sum: '10.00' },
    ])
    // The new bill replaces the old one.
    expect((await admin.get(`requisitions/${id}/account`)).body.data.balances).toMatchObject([{ charged: '10.00' }])
    // One request bills it again once.
    await deliverAgain(id)
    await night()
    expect(await given.statusOf(id)).toBe('BILL')
  })

  it("owes nothing after it is billed again as 'No charge', even if the bill type changes later", async () => {
    const { id } = await billed({ order: { CHOL: '12.50' } })
    const [bill] = (await admin.get(`requisitions/${id}/billings`)).body.data
    const payer = (reqBillTypeCode: string) =>
      admin.put(`requisitions/${id}/billings/${bill.billId}`, { reqBillTypeCode })
    const owed = async () => (await admin.get(`requisitions/${id}/account`)).body.data
    await payer('NOCHARGE')
    // The sent bill is valid until another one is sent.
    expect(await owed()).toMatchObject({ isFrozen: 1, balances: [{ charged: '12.50' }] })
    await move(id, 'READYBILL')
    const next: number = (await make({ reqIds: [id], billAgain: true })).body.data.id
    expect(await owed()).toMatchObject({ isFrozen: 1, balances: [{ charged: '12.50' }] })
    await send(next)
    const free = { isBilled: 1, isFrozen: 1, balances: [{ charged: '0.00', balance: '0.00' }] }
    expect(await owed()).toMatchObject(free)
    await payer('CLIENT')
    expect(await owed()).toMatchObject(free)
    await move(id, 'READYBILL')
    expect((await planned(id))?.missing).toContain(`Already billed in batch ${next}; who pays has changed since`)
    expect((await planned(id))?.missing).toContain('not charged there: CHOL')
  })

  it('shows what else prevents billing', async () => {
    const { id, clientId, batchId } = await billed({ order: { CHOL: '12.50' } })
    await move(id, 'READYBILL')
    await test.database.owner.query('update client_test_price set deleted_at = now() where client_id = $1', [clientId])
    expect(await planned(id)).toMatchObject({
      missing: `Already billed in batch ${batchId}; No price for CHOL`,
      billedBatchId: null,
    })
  })

  it('becomes ready to bill, not billed, after a person set Missing billing information', async () => {
    const { id, batchId } = await billed()
    await move(id, 'MISSBILL')
    expect((await run(id)).body.data.moved).toEqual([id])
    expect(await planned(id)).toMatchObject({ billedBatchId: batchId })
  })

  it('is billed again once by two concurrent calls', async () => {
    const { id } = await billed()
    await move(id, 'READYBILL')
    const again = async () => {
      const made = await make({ reqIds: [id], billAgain: true })
      if (made.status === 200) await send(made.body.data.id)
      return made.status
    }
    const replies = await Promise.all([again(), again(), again()])
    expect(replies.sort()).toEqual([200, 409, 409])
    expect(await charges(id)).toHaveLength(2)
  })
})
