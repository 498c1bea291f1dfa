import { maxBatchSize } from '@lis/contract/billing-batches.ts'
import { fromCents } from '@lis/contract/money.ts'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { X12Interchange, X12Parser } from 'node-x12'
import { extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { billingGiven } from '../../../test/given-billing.ts'
import { unzip } from '../../../test/unzip.ts'
import type { Config } from '../../platform/config.ts'
import type { CheckedItem } from './bill-item.ts'
import { type BillingProvider, writeClaims } from './claims.ts'
import { invoiceTotal, renderInvoice } from './invoice-pdf.ts'
import { type Invoice, invoicesOf } from './invoices.ts'
import { billingProvider } from './provider.ts'

const test = openTestApp()
const given = billingGiven(test)
let admin: Caller
let biller: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
  biller = await test.as('BILL')
})

const make = (reqIds?: number[], caller = admin) => caller.post('billing/batch', reqIds ? { reqIds } : {})
const send = (id: number, caller = admin) => caller.post(`billing/batch/${id}/send`, {})
const detailsOf = async (id: number, caller = biller) => (await caller.get(`billing/batch/details/${id}`)).body.data
const batchOf = async (id: number) => (await biller.get(`billing/batch?filter=[id:${id}]`)).body.data[0]
/** The content of the claim file of a batch, sent or not. */
const claimsOf = async (id: number) => {
  const file = Object.entries(await download(id)).find(([name]) => name.endsWith('.837'))
  return parseClaims(file?.[1] as Buffer)
}
/** The rows of the batch's table under their headers. */
const tableOf = async (id: number): Promise<Record<string, string>[]> => {
  const file = Object.entries(await download(id)).find(([name]) => name.endsWith('.csv'))
  return parse(file?.[1] as Buffer, { bom: true, columns: true })
}
/** A batch of one new requisition. */
const batchWith = async (bill: Parameters<typeof given.bill>[0] = {}) => {
  const made = await given.bill(bill)
  return { ...made, batchId: (await make([made.id])).body.data.id as number }
}

const filesAt = async (url: string) => {
  const { pathname, search } = new URL(url)
  return unzip((await test.app.inject({ method: 'GET', url: pathname + search })).rawPayload)
}
const download = async (id: number, caller = biller) =>
  filesAt((await caller.post(`billing/batch/details/download/${id}`)).body.data.url)

const parseClaims = (edi: Buffer) => {
  const parser = new X12Parser(true)
  const interchange = parser.parse(edi.toString('latin1'))
  if (!(interchange instanceof X12Interchange)) throw new Error('more than one interchange')
  expect(parser.diagnostics).toEqual([])
  const [group] = interchange.functionalGroups
  const transaction = group?.transactions[0]
  const segments = (transaction?.segments ?? []).map((one) => [one.tag, ...one.elements.map(({ value }) => value)])
  return { interchange, group, transaction, segments, of: (tag: string) => segments.filter(([name]) => name === tag) }
}

describe('making a batch', () => {
  it('takes requisitions that are ready to bill into the batch BLG-120, BLG-122..BLG-125, BLG-133', async () => {
    const { id, batchId } = await batchWith()
    expect(await given.statusOf(id)).toBe('INBILL')
    expect(await batchOf(batchId)).toMatchObject({
      id: batchId,
      billSendDate: null,
      recordCount: 1,
      sendStatusCode: 'PENDING',
      sendStatusDesc: 'Pending',
    })
  })

  it('lists its requisitions with their amounts BLG-126..BLG-131 BLG-134 BLG-135', async () => {
    const { id, batchId } = await batchWith({ order: { CHOL: '12.50', HDL: '7.25' } })
    const [row] = await detailsOf(batchId)
    expect(row).toMatchObject({
      reqId: id,
      patientFirstName: 'Pat',
      patientLastName: expect.stringMatching(/./),
      patientDob: '1970-01-02',
      physFirstName: 'Paula',
      reqBillTypeDesc: 'Client',
      amount: '19.75',
      currencyCode: 'USD',
      missing: null,
    })
    expect(row.testCodes.split(',').sort()).toEqual(['CHOL', 'HDL'])
    expect(row.clientName).toMatch(/^Client /)
  })

  it('refuses requisitions that are not ready or already in a batch, with the reason', async () => {
    const { id, batchId } = await batchWith()
    const early = await given.bill({ status: 'DELIVER' })
    const free = await given.bill()
    const { body } = await make([id, early.id, free.id])
    expect(body.data.moved).toEqual([free.id])
    expect(body.data.refused.map(({ reason }: { reason: string }) => reason)).toEqual([
      `Requisition #${early.id} is Delivered, not Billed`,
      `Requisition #${id} is already in billing batch ${batchId}`,
    ])
    const none = await make([id])
    expect([none.status, none.body.message]).toEqual([409, `Requisition #${id} is already in billing batch ${batchId}`])
  })

  it('never puts a requisition into two open batches, with any number of concurrent calls', async () => {
    const ids: number[] = []
    for (let n = 0; n < 6; n++) ids.push((await given.bill()).id)
    const replies = await Promise.all(Array.from({ length: 5 }, () => make()))
    const made = replies.filter(({ status }) => status === 200)
    expect(
      made
        .flatMap(({ body }) => body.data.moved)
        .filter((id) => ids.includes(id))
        .sort(),
    ).toEqual(ids.sort())
    for (const { status, body } of replies.filter((reply) => reply.status !== 200))
      expect([status, body.message]).toEqual([409, 'There is no requisition that is ready to bill'])
    const { rows } = await test.database.owner.query(
      'select requisition_id from billing_batch_item where is_open group by requisition_id having count(*) > 1',
    )
    expect(rows).toEqual([])
    expect(await Promise.all(ids.map((id) => given.statusOf(id)))).toEqual(ids.map(() => 'INBILL'))
  })

  it('does not take a requisition twice even if its status was set back by hand', async () => {
    const { id, batchId } = await batchWith()
    await test.database.owner.query("update requisition set status_code = 'READYBILL' where id = $1", [id])
    expect((await make([id])).body.message).toBe(`Requisition #${id} is already in billing batch ${batchId}`)
  })

  it('plans what it would take, with the payer, and why each other one is left out BLG-120', async () => {
    const client = await test.given.client()
    const paid = await given.bill({ clientId: client.id, order: { CHOL: '12.50', HDL: '7.25' } })
    const insured = await given.bill({ clientId: client.id, billType: 'INSURANCE', order: { CHOL: null } })
    const free = await given.bill({ billType: 'NOCHARGE', order: { TRIG: null } })
    const unpriced = await given.bill({ order: { TRIG: null } })
    const early = await given.bill({ status: 'DELIVER' })
    const { id: taken, batchId } = await batchWith()
    await test.database.owner.query("update requisition set status_code = 'READYBILL' where id = $1", [taken])
    const plan = async () => {
      const { body } = await admin.get('billing/batch/plan')
      expect(body.total).toBe(body.data.length)
      return (id: number) => body.data.find(({ reqId }: { reqId: number }) => reqId === id)
    }
    const rowOf = await plan()
    expect(rowOf(paid.id)).toMatchObject({ reqBillTypeDesc: 'Client', amount: '19.75', missing: null })
    expect(rowOf(insured.id)).toMatchObject({ reqBillTypeDesc: 'Insurance', amount: '12.50' })
    expect(rowOf(free.id)).toMatchObject({ amount: '0.00', missing: null })
    expect(rowOf(unpriced.id)).toMatchObject({ amount: null, missing: 'No price for TRIG' })
    expect(rowOf(taken).missing).toBe(`Already in billing batch ${batchId}`)
    expect(rowOf(early.id)).toBeUndefined()
    // The plan changes nothing, and a batch takes what it lists.
    expect(await given.statusOf(paid.id)).toBe('READYBILL')
    const made = await make([paid.id, free.id])
    expect(made.body.data).toMatchObject({ moved: [paid.id, free.id], refused: [] })
    const after = await plan()
    expect([after(paid.id), after(free.id), after(unpriced.id)?.missing]).toEqual([
      undefined,
      undefined,
      'No price for TRIG',
    ])
    // It names patients, so who has read it is on record, as with every list of requisitions.
    await test.services.accessLog.flush()
    const { rows } = await test.database.owner.query(
      "select count(*)::int as n from access_log where user_id = $1 and route = 'billing/batch/plan' and $2 = any(requisition_ids)",
      [admin.userId, paid.id],
    )
    expect(rows).toEqual([{ n: 1 }])
    await test.database.owner.query("update requisition set status_code = 'INBILL' where id = $1", [taken])
  })

  it("lists requisitions that were set to 'In billing batch' by hand and are in none, until they are ready to bill BLG-120", async () => {
    const { id } = await given.bill()
    const { id: batched } = await batchWith()
    const planned = async () => {
      const { body } = await admin.get('billing/batch/plan')
      expect(body.total).toBe(body.data.length)
      return body.data.filter(({ reqId }: { reqId: number }) => reqId === id || reqId === batched)
    }
    expect((await admin.put(`requisitions/${id}`, { reqStatusCode: 'INBILL' })).status).toBe(200)
    expect(await planned()).toMatchObject([
      {
        reqId: id,
        missing: "Its status is 'In billing batch', but no batch has it: set it to 'Ready to bill'",
        billedBatchId: null,
        tabSlug: 'status',
      },
    ])
    expect((await admin.put(`requisitions/${id}`, { reqStatusCode: 'READYBILL' })).status).toBe(200)
    expect(await planned()).toMatchObject([{ reqId: id, missing: null, tabSlug: 'billing' }])
  })

  it('takes newer ones even if many older ones are incomplete BLG-120', async () => {
    const unpriced = await given.bill({ order: { TRIG: null } })
    const { rowCount } = await test.database.owner.query(
      `insert into requisition select copy.* from requisition r, generate_series(1, $2::int) as n,
         jsonb_populate_record(r, jsonb_build_object('id', nextval(pg_get_serial_sequence('requisition', 'id')) + 0 * n)) as copy where r.id = $1`,
      [unpriced.id, maxBatchSize],
    )
    expect(rowCount).toBe(maxBatchSize)
    const { id: newest } = await given.bill({ order: { CHOL: '12.50' } })
    const { body } = await admin.get('billing/batch/plan')
    const without = body.data.filter(({ missing }: { missing: string | null }) => missing !== null)
    expect(without).toHaveLength(maxBatchSize)
    expect(body.total).toBeGreaterThan(maxBatchSize + 1)
    expect(body.data.at(-1)).toMatchObject({ reqId: newest, missing: null })
    const made = await make()
    expect(made.body.data.moved).toContain(newest)
    expect(made.body.data.moved).not.toContain(unpriced.id)
    await test.database.owner.query("update requisition set deleted_at = now() where status_code = 'READYBILL'")
  })

  it('is for super admins; billing users read and download BLG-120', async () => {
    const { batchId } = await batchWith()
    for (const role of ['COLA', 'CLNT', 'SLS', 'BILL', 'PHYS'] as const) {
      const caller = role === 'BILL' ? biller : await test.as(role)
      expect((await caller.get('billing/batch/plan')).status, role).toBe(403)
      expect((await make([], caller)).status, role).toBe(403)
      expect((await send(batchId, caller)).status, role).toBe(403)
      const reads = [
        await caller.get('billing/batch'),
        await caller.get(`billing/batch/details/${batchId}`),
        await caller.post('billing/batch/bulk_download', { billBatchIds: [batchId] }),
        await caller.post(`billing/batch/details/download/${batchId}`),
      ]
      expect(
        reads.map(({ status }) => status),
        role,
      ).toEqual(role === 'BILL' ? [200, 200, 200, 200] : [403, 403, 403, 403])
    }
  })

  it('lists by billing date LIST-059, BLG-123', async () => {
    const { batchId } = await batchWith()
    await send(batchId)
    await test.database.owner.query("update billing_batch set bill_send_at = '2026-03-04T15:00:00Z' where id = $1", [
      batchId,
    ])
    const on = async (range: string) =>
      (await biller.get(`billing/batch?filter=${encodeURIComponent(`[billSendDate:"${range}"]`)}`)).body
    expect((await on('[03/04/2026-03/04/2026]')).data.map(({ id }: { id: number }) => id)).toEqual([batchId])
    expect((await on('[03/05/2026-03/06/2026]')).total).toBe(0)
    expect((await biller.get('billing/batch?filter=[billSendDate:yesterday]')).status).toBe(400)
  })
})

describe('totals and balances', () => {
  it("show what a batch charges: at today's prices before it is sent, and as sent afterwards", async () => {
    const client = await test.given.client()
    const { id } = await given.bill({ clientId: client.id, order: { CHOL: '12.50', HDL: '7.25' } })
    const free = await given.bill({ clientId: client.id, billType: 'NOCHARGE', order: { CHOL: null } })
    const batchId = (await make([id, free.id])).body.data.id as number
    const totals = async () => (await admin.get(`billing/batch?filter={"id":"${batchId}"}`)).body.data[0].totals
    expect(await totals()).toEqual([{ amount: '19.75', currencyCode: 'USD' }])
    await send(batchId)
    await test.database.owner.query('update client_test_price set price = 1 where client_id = $1', [client.id])
    expect(await totals()).toEqual([{ amount: '19.75', currencyCode: 'USD' }])
  })

  it('appear in the billing list only, for those who may see payments', async () => {
    const { id } = await given.bill({ order: { CHOL: '12.50' } })
    await admin.post(`requisitions/${id}/payments`, {
      paymentTypeCode: 'CHECK',
      payerTypeCode: 'CLIENT',
      payer: 'Acme',
      amount: '2.50',
      paymentNote: 'part',
      paymentDate: '11/5/2026',
      paymentNo: '1',
    })
    const rowOf = async (who: Caller, view: string) =>
      (await who.get(`requisitions/${view}?filter={"reqId":"${id}"}`)).body.data[0]
    expect((await rowOf(admin, 'BILL')).balances).toEqual([{ amount: '10.00', currencyCode: 'USD' }])
    expect(await rowOf(admin, 'ALL')).not.toHaveProperty('balances')
    await make([id])
    expect(await rowOf(await test.as('BILL'), 'BILL')).not.toHaveProperty('balances')
  })

  it("link to the client's prices if one is missing", async () => {
    const { id, clientId } = await given.bill({ order: { A1C: null } })
    const plan = (await admin.get('billing/batch/plan')).body.data
    expect(plan.find((row: { id: number }) => row.id === id)).toMatchObject({
      missing: 'No price for A1C',
      unpricedClientId: clientId,
    })
  })
})

describe('the list of requisitions by the day they were billed', () => {
  it("VIEW-G4 uses the day the batch was sent in the laboratory's zone, in every scope", async () => {
    const billed = await batchWith()
    const waiting = await batchWith()
    const [takenOut, cancelled] = [await batchWith(), await batchWith()]
    for (const { batchId } of [billed, takenOut, cancelled]) await send(batchId)
    // Half past eleven in the evening of the 4th in New York, which is already the 5th in UTC.
    await test.database.owner.query(
      "update billing_batch set bill_send_at = '2026-06-05T03:30:00Z' where id = any($1::int[])",
      [[billed, takenOut, cancelled].map(({ batchId }) => batchId)],
    )
    await test.database.owner.query("update billing_batch_item set left_out = 'No price' where batch_id = $1", [
      takenOut.batchId,
    ])
    await test.database.owner.query('update billing_batch set deleted_at = now() where id = $1', [cancelled.batchId])
    const reqIds = [billed, waiting, takenOut, cancelled].map(({ id }) => id)
    const on = async (range: string, caller = admin, view = 'ALL') => {
      const filter = encodeURIComponent(JSON.stringify({ reqId: reqIds, dateBilled: range }))
      const { body } = await caller.get(`requisitions/${view}?filter=${filter}`)
      expect(body.total).toBe(body.data.length)
      return body.data.map(({ id }: { id: number }) => id)
    }
    for (const view of ['ALL', 'BILL'])
      expect([view, await on('[06/04/2026-06/04/2026]', admin, view)]).toEqual([view, [billed.id]])
    expect(await on('[06/01/2026-06/30/2026]')).toEqual([billed.id])
    expect(await on('[06/05/2026-06/30/2026]')).toEqual([])
    expect(await on('[05/01/2026-06/03/2026]')).toEqual([])
    const { rows } = await test.database.owner.query('select collaborator_id from requisition where id = $1', [
      billed.id,
    ])
    expect(await on('[06/04/2026-06/04/2026]', await test.as('COLA', rows[0].collaborator_id))).toEqual([billed.id])
    const foreign = await test.given.collaborator()
    expect(await on('[06/04/2026-06/04/2026]', await test.as('COLA', foreign.id))).toEqual([])
    const refused = await admin.get('requisitions/ALL?filter=[dateBilled:yesterday]')
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'dateBilled must be two dates: [MM/DD/YYYY-MM/DD/YYYY]',
    ])
  })
})

describe('sending a batch', () => {
  it('bills its requisitions once, and is refused a second time BLG-125', async () => {
    const { id, batchId } = await batchWith()
    const { status, body } = await send(batchId)
    expect([status, body.data, body.message]).toEqual([
      200,
      { moved: [id], refused: [], sendStatusCode: 'SENT' },
      '1 requisition(s) billed',
    ])
    expect(await given.statusOf(id)).toBe('BILL')
    expect(await batchOf(batchId)).toMatchObject({ sendStatusDesc: 'Sent', recordCount: 1 })
    const again = await send(batchId)
    expect([again.status, again.body.message]).toEqual([409, `Billing batch ${batchId} has already been sent`])
    expect((await send(99_999)).status).toBe(404)
  })

  it('two concurrent calls send it once', async () => {
    const { id, batchId } = await batchWith()
    const replies = await Promise.all([send(batchId), send(batchId), send(batchId)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const { rows } = await test.database.owner.query(
      'select count(*)::int as n from billing_charge where requisition_id = $1',
      [id],
    )
    expect(rows[0].n).toBe(2)
  })

  it('leaves out requisitions without a price, names them, and never bills them as zero', async () => {
    const client = await test.given.client()
    const priced = await given.bill({ clientId: client.id, order: { CHOL: '12.50' } })
    const unpriced = await given.bill({ clientId: client.id, order: { HDL: null } })
    const batchId = (await make([priced.id, unpriced.id])).body.data.id
    expect(await detailsOf(batchId)).toMatchObject([
      { reqId: priced.id, missing: null },
      { reqId: unpriced.id, missing: 'No price for HDL', amount: null },
    ])
    const { body } = await send(batchId)
    expect(body.data).toMatchObject({
      moved: [priced.id],
      refused: [{ id: unpriced.id, reason: `Requisition #${unpriced.id}: No price for HDL` }],
    })
    expect(await given.statusOf(unpriced.id)).toBe('READYBILL')
    expect((await admin.get(`requisitions/${unpriced.id}/bill_notes`)).body.data[0].note).toBe(
      `Not billed in batch ${batchId}: No price for HDL`,
    )
    expect(await batchOf(batchId)).toMatchObject({ recordCount: 1 })
    expect((await detailsOf(batchId)).map(({ reqId }: { reqId: number }) => reqId)).toEqual([priced.id])
    await given.price(client.id, 'HDL', '3.00')
    expect((await make([unpriced.id])).status).toBe(200)
  })

  it('hides what it leaves out from billing users, until another batch has it PERM-G13', async () => {
    const [kept, moved, unpriced] = [
      await given.bill(),
      await given.bill(),
      await given.bill({ order: { TRIG: null } }),
    ]
    const batchId = (await make([kept.id, moved.id, unpriced.id])).body.data.id
    const seen = async () => {
      const ids = [kept.id, moved.id, unpriced.id]
      const filter = encodeURIComponent(JSON.stringify({ reqId: ids }))
      const { body } = await biller.get(`requisitions/BILL?filter=${filter}`)
      expect(body.total).toBe(body.data.length)
      const docs = await Promise.all(ids.map((id) => biller.get(`requisitions/${id}/docs`)))
      return [body.data.map(({ id }: { id: number }) => id).sort(), docs.map(({ status }) => status)]
    }
    expect(await seen()).toEqual([
      [kept.id, moved.id, unpriced.id],
      [200, 200, 200],
    ])
    await admin.put(`requisitions/${moved.id}`, { reqStatusCode: 'HOLD' })
    await send(batchId)
    expect(await seen()).toEqual([[kept.id], [200, 404, 404]])
    await make([unpriced.id])
    expect(await seen()).toEqual([
      [kept.id, unpriced.id],
      [200, 404, 200],
    ])
  })

  it('refuses a batch in which nothing can be billed, and does not change it', async () => {
    const { id, batchId } = await batchWith({ order: { HDL: null } })
    const { status, body } = await send(batchId)
    expect([status, body.message]).toEqual([
      409,
      `Nothing in billing batch ${batchId} can be billed. #${id}: No price for HDL`,
    ])
    expect(await given.statusOf(id)).toBe('INBILL')
  })

  it("charges a calculated test only with a result, not with 'Not calculated' or none, in balance, plan and bill", async () => {
    const { id } = await given.bill({ order: { CHOL: '10.00', LDL: '5.00' } })
    const asked = async () => {
      const { charges } = (await admin.get(`requisitions/${id}/account`)).body.data
      const plan = (await admin.get('billing/batch/plan')).body.data
      return [
        charges.map(({ testCode }: { testCode: string }) => testCode),
        plan.find(({ reqId }: { reqId: number }) => reqId === id).amount,
      ]
    }
    expect(await asked()).toEqual([['CHOL', 'LDL'], '15.00'])
    for (const reportable of [null, 'Not calculated']) {
      await test.database.owner.query(
        'update requisition_test set result = null, reportable_result = $3 where requisition_id = $1 and test_id = $2',
        [id, await given.testId('LDL'), reportable],
      )
      expect(await asked()).toEqual([['CHOL'], '10.00'])
    }
    const batchId = (await make([id])).body.data.id as number
    expect((await send(batchId)).status).toBe(200)
    const { rows } = await test.database.owner.query(
      'select t.code, c.amount from billing_charge c join test t on t.id = c.test_id where c.batch_id = $1',
      [batchId],
    )
    expect(rows).toEqual([{ code: 'CHOL', amount: '10.00' }])
  })

  it('charges nothing for a requisition with a fail code, as none of its tests is reported', async () => {
    const { id } = await given.bill({ order: { CHOL: '10.00', HDL: '5.00' } })
    const charged = async () =>
      (await admin.get(`requisitions/${id}/account`)).body.data.charges.map(
        ({ testCode }: { testCode: string }) => testCode,
      )
    const setFail = async (codes: string[]) => {
      const { rows } = await test.database.owner.query('select id from reason where code = any($1)', [codes])
      const failIds = rows.map((row: { id: number }) => row.id)
      expect((await admin.put(`requisitions/${id}/fail_codes`, { failIds })).status).toBe(200)
    }
    expect(await charged()).toEqual(['CHOL', 'HDL'])
    await setFail(['907'])
    expect(await charged()).toEqual([])
    await setFail([])
    expect(await charged()).toEqual(['CHOL', 'HDL'])
  })

  it('freezes what was charged: a later price changes nothing', async () => {
    const { id, clientId, batchId } = await batchWith({ order: { CHOL: '12.50' } })
    await send(batchId)
    await test.database.owner.query('update client_test_price set price = 99 where client_id = $1', [clientId])
    expect((await admin.get(`requisitions/${id}/account`)).body.data).toMatchObject({
      isBilled: 1,
      isFrozen: 1,
      balances: [{ charged: '12.50', balance: '12.50' }],
    })
    expect((await detailsOf(batchId))[0].amount).toBe('12.50')
  })

  it('reports that the files cannot be stored, and can be sent again', async () => {
    const { id, batchId } = await batchWith()
    const put = vi.spyOn(test.services.store, 'put').mockRejectedValueOnce(new Error('disk full'))
    const { body } = await send(batchId)
    put.mockRestore()
    expect(body.data.sendStatusCode).toBe('FAILED')
    expect([(await batchOf(batchId)).sendStatusDesc, await given.statusOf(id)]).toEqual(['Failed', 'INBILL'])
    expect((await send(batchId)).body.data.sendStatusCode).toBe('SENT')
  })

  it('leaves out requisitions that were moved by hand, and keeps their status', async () => {
    const kept = await given.bill()
    const moved = await given.bill()
    const batchId = (await make([kept.id, moved.id])).body.data.id
    await test.database.owner.query("update requisition set status_code = 'HOLD' where id = $1", [moved.id])
    const { body } = await send(batchId)
    expect(body.data.moved).toEqual([kept.id])
    expect(await given.statusOf(moved.id)).toBe('HOLD')
  })
})

describe('the claim file', () => {
  it('is an 837P that a parser reads without complaint, with exact sums', async () => {
    const patient = await given.patient({ first_name: 'José', last_name: 'O*Neil~Ruiz', middle_name: 'B' })
    const own = await given.bill({
      billType: 'INSURANCE',
      patientId: patient.id,
      order: { CHOL: '12.50', HDL: '7.25' },
    })
    await given.icd(own.id, 'I10')
    await given.insurance(own.id, patient.id, {
      billing_order: 2,
      company_name: 'Second Plan',
      company_no: '99',
      policy_no: 'S1',
    })
    const child = await given.bill({ billType: 'INSURANCE', order: { A1C: '0.10' } })
    await test.database.owner.query("update insurance set policy_holder = 'Doe, Mary' where patient_id = $1", [
      child.patientId,
    ])
    await test.database.owner.query("update billing set relation_type_code = 'DEP' where requisition_id = $1", [
      child.id,
    ])
    const batchId = (await make([own.id, child.id])).body.data.id
    expect((await send(batchId)).body.data.refused).toEqual([])
    const files = await download(batchId)
    const { interchange, group, transaction, of } = parseClaims(
      files[`batch-${batchId}/claims-${batchId}.837`] as Buffer,
    )
    expect(Number(interchange.header.elements[12]?.value)).toBe(batchId)
    expect([group?.header.elements[0]?.value, group?.header.elements[7]?.value]).toEqual(['HC', '005010X222A1'])
    // ST and SE are counted too.
    expect(transaction?.trailer.elements[0]?.value).toBe(String((transaction?.segments.length ?? 0) + 2))
    expect(of('CLM').map(([, id, amount]) => [id, amount])).toEqual([
      [String(own.id), '19.75'],
      [String(child.id), '0.10'],
    ])
    expect(of('SV1').map(([, code, amount]) => [code, amount])).toEqual([
      ['HC:82465', '12.50'],
      ['HC:83718', '7.25'],
      ['HC:83036', '0.10'],
    ])
    expect(of('HI')).toEqual([
      ['HI', 'ABK:E119', 'ABF:I10'],
      ['HI', 'ABK:E119'],
    ])
    expect(of('HL').map((segment) => segment.slice(1))).toEqual([
      ['1', '', '20', '1'],
      ['2', '1', '22', '0'],
      ['3', '1', '22', '1'],
      ['4', '3', '23', '0'],
    ])
    const names = of('NM1')
    expect(names).toContainEqual(['NM1', 'IL', '1', 'O NEIL RUIZ', 'JOSE', 'B', '', '', 'MI', 'A123456789'])
    expect(names).toContainEqual(['NM1', 'IL', '1', 'DOE', 'MARY', '', '', '', 'MI', 'A123456789'])
    expect(of('PAT')).toEqual([['PAT', '19']])
    expect(of('SBR').map((segment) => segment[1])).toEqual(['P', 'S', 'P'])
  })

  it('distinguishes a child from a parent of the same name by the birth date of the insured', async () => {
    const patient = await given.patient({ first_name: 'John', last_name: 'Smith', dob: '2010-05-06' })
    const claimOf = async (insuredDob: string | null) => {
      const { id } = await given.bill({ billType: 'INSURANCE', patientId: patient.id, order: { A1C: '9.00' } })
      await given.insurance(id, patient.id, { billing_order: 2, company_name: 'Second Plan', policy_no: 'S1' })
      await test.database.owner.query(
        "update insurance set policy_holder = 'John Smith', insured_dob = $2 where billing_id = (select id from billing where requisition_id = $1)",
        [id, insuredDob],
      )
      const batchId = (await make([id])).body.data.id
      expect((await send(batchId)).body.data.refused).toEqual([])
      const { of } = parseClaims((await download(batchId))[`batch-${batchId}/claims-${batchId}.837`] as Buffer)
      return {
        relations: of('SBR').map(([, order, relation]) => [order, relation]),
        patients: of('PAT').length,
        born: of('DMG').map((segment) => segment[2]),
        roles: of('NM1').map((segment) => segment[1]),
      }
    }
    const own = {
      relations: [
        ['P', '18'],
        ['S', '18'],
      ],
      patients: 0,
      born: ['20100506'],
      roles: ['41', '40', '85', 'IL', 'PR', 'DN', 'IL', 'PR'],
    }
    expect(await claimOf(null)).toEqual(own)
    expect(await claimOf('2010-05-06')).toEqual(own)
    // The birth date is the child's, in the loop of the patient; that of the subscriber has none by the guide.
    expect(await claimOf('1975-01-02')).toEqual({
      relations: [
        ['P', ''],
        ['S', 'G8'],
      ],
      patients: 1,
      born: ['20100506'],
      roles: ['41', '40', '85', 'IL', 'PR', 'QC', 'DN', 'IL', 'PR'],
    })
  })

  it('recognizes a patient with a two-word last name as subscriber under each insurance', async () => {
    const patient = await given.patient({ first_name: 'Maria', last_name: 'Garcia Lopez' })
    const { id } = await given.bill({ billType: 'INSURANCE', patientId: patient.id })
    await given.insurance(id, patient.id, { billing_order: 2, company_name: 'Second Plan', policy_no: 'S1' })
    await test.database.owner.query("update insurance set policy_holder = 'Maria Garcia Lopez' where patient_id = $1", [
      patient.id,
    ])
    const { of } = await claimsOf((await make([id])).body.data.id)
    expect(of('SBR').map((segment) => segment[2])).toEqual(['18', '18'])
    expect(of('PAT')).toEqual([])
    expect(of('NM1').filter(([, role]) => role === 'IL')).toEqual([
      ['NM1', 'IL', '1', 'GARCIA LOPEZ', 'MARIA', '', '', '', 'MI', 'A123456789'],
      ['NM1', 'IL', '1', 'GARCIA LOPEZ', 'MARIA', '', '', '', 'MI', 'S1'],
    ])
  })

  it('writes each Latin letter with the letters of a claim', async () => {
    const patient = await given.patient({
      first_name: 'Łukasz',
      middle_name: 'Đorđe',
      last_name: 'Sørensen O’Strauß',
      addr1: '5 Æbeløgade',
    })
    const { id } = await given.bill({ billType: 'INSURANCE', patientId: patient.id })
    const { of } = await claimsOf((await make([id])).body.data.id)
    expect(of('NM1')).toContainEqual([
      'NM1',
      'IL',
      '1',
      "SORENSEN O'STRAUSS",
      'LUKASZ',
      'DORDE',
      '',
      '',
      'MI',
      'A123456789',
    ])
    expect(of('N3')).toContainEqual(['N3', '5 AEBELOGADE'])
  })

  it('lists diagnoses in the order they were added', async () => {
    const { id, batchId } = await batchWith({ billType: 'INSURANCE' })
    await test.database.owner.query('delete from requisition_icd where requisition_id = $1', [id])
    for (const code of ['R73.03', 'E78.5', 'I10']) {
      const { status } = await admin.post(`requisitions/${id}/req_icds`, { icdIds: [await given.icdId(code)] })
      expect(status).toBe(200)
    }
    expect((await claimsOf(batchId)).of('HI')).toEqual([['HI', 'ABK:R7303', 'ABF:E785', 'ABF:I10']])
    expect((await tableOf(batchId))[0]?.['ICD Codes']).toBe('R73.03, E78.5, I10')
  })

  it.each([
    [
      'No policy holder',
      "update insurance set policy_holder = ' ', insured_dob = '1975-01-02' where billing_id in (select id from billing where requisition_id = $1)",
    ],
    [
      'No primary insurance',
      'update insurance set deleted_at = now() where billing_id in (select id from billing where requisition_id = $1)',
    ],
    [
      'No policy number',
      'update insurance set policy_no = null where billing_id in (select id from billing where requisition_id = $1)',
    ],
    [
      'No insurance company number',
      'update insurance set company_no = null where billing_id in (select id from billing where requisition_id = $1)',
    ],
    [
      "The patient's address is not complete",
      'update patient set addr1 = null where id = (select patient_id from requisition where id = $1)',
    ],
    ['No ICD code', 'delete from requisition_icd where requisition_id = $1'],
    [
      'ICD code E11.9*I10 is not in the ICD-10-CM list and cannot be claimed',
      `with typed as (insert into icd (code, description, is_custom) values ('E11.9*I10', 'Two of them', true) returning id)
       insert into requisition_icd (requisition_id, icd_id) select $1, id from typed`,
    ],
    [
      'No policy number',
      `insert into insurance (billing_id, patient_id, billing_order, company_name)
       select b.id, r.patient_id, 2, 'Second Plan' from billing b join requisition r on r.id = b.requisition_id where r.id = $1`,
    ],
    [
      "The patient's last name cannot be written in a claim, which has the letters A to Z only",
      "update patient set last_name = 'Ковалёва' where id = (select patient_id from requisition where id = $1)",
    ],
    [
      "The patient's first name cannot be written in a claim, which has the letters A to Z only",
      "update patient set first_name = 'Ann 王' where id = (select patient_id from requisition where id = $1)",
    ],
    [
      "The patient's first name cannot be written in a claim, which has the letters A to Z only",
      "update patient set first_name = '***' where id = (select patient_id from requisition where id = $1)",
    ],
    [
      "The policy holder's last name cannot be written in a claim, which has the letters A to Z only",
      "update insurance set policy_holder = 'Anna Νίκη' where billing_id in (select id from billing where requisition_id = $1)",
    ],
    [
      "The patient's address 1 must have 1 to 55 characters in a claim",
      "update patient set addr1 = repeat('a', 56) where id = (select patient_id from requisition where id = $1)",
    ],
    [
      "The patient's city must have 2 to 30 characters in a claim",
      "update patient set city = repeat('a', 31) where id = (select patient_id from requisition where id = $1)",
    ],
    [
      'The insurance company must have 1 to 60 characters in a claim',
      "update insurance set company_name = repeat('a', 61) where billing_id in (select id from billing where requisition_id = $1)",
    ],
    [
      'The group number must have 1 to 50 characters in a claim',
      "update insurance set group_no = repeat('a', 51) where billing_id in (select id from billing where requisition_id = $1)",
    ],
    [
      'The policy number must have 2 to 80 characters in a claim',
      "update insurance set policy_no = '7' where billing_id in (select id from billing where requisition_id = $1)",
    ],
    [
      'ICD code V83 is not in the ICD-10-CM list and cannot be claimed',
      `with typed as (insert into icd (code, description, is_custom) values ('V83', 'Typed by hand', true) returning id)
       insert into requisition_icd (requisition_id, icd_id) select $1, id from typed`,
    ],
    [
      'ICD code Q99.9 is not in the ICD-10-CM list and cannot be claimed',
      `with dropped as (insert into icd (code, description, is_active) values ('Q99.9', 'Of an earlier year', false) returning id)
       insert into requisition_icd (requisition_id, icd_id) select $1, id from dropped`,
    ],
    [
      'Medicare insures the patient alone: its policy holder must be the patient',
      `update insurance set bill_type_code = 'MEDICARE', policy_holder = 'Somebody Else' where billing_id in (select id from billing where requisition_id = $1)`,
    ],
    [
      'The NPI of the physician, 1234567890, is not valid',
      "update physician set npi_number = '1234567890' where id = (select physician_id from requisition where id = $1)",
    ],
    [
      'The policy number has * ~, which a claim cannot carry',
      "update insurance set policy_no = 'AB*C~D' where billing_id in (select id from billing where requisition_id = $1)",
    ],
    [
      "The patient's address is not complete",
      "update patient set zip = '0210' where id = (select patient_id from requisition where id = $1)",
    ],
    ['No bill type', 'update requisition set bill_type_code = null where id = $1'],
    ['No test to bill', 'delete from requisition_test where requisition_id = $1'],
    [
      'Prices are not in US dollars',
      "update client_test_price set currency_code = 'CAD' where client_id = (select client_id from requisition where id = $1)",
    ],
  ])('is not written for what a clearing house would refuse: %s', async (reason, statement) => {
    const { id, batchId } = await batchWith({ billType: 'INSURANCE' })
    await test.database.owner.query(statement, [id])
    expect((await detailsOf(batchId))[0].missing).toBe(reason)
    expect((await send(batchId)).status).toBe(409)
  })

  it('has the CLIA number, a modifier for a second test of one procedure, and a description for an unlisted procedure', async () => {
    const { batchId } = await batchWith({ billType: 'INSURANCE', order: { CHOL: '1.00', HDL: '2.00', A1C: '3.00' } })
    await test.database.owner.query("update test set cpt_code = '84999' where code in ('CHOL', 'HDL')")
    try {
      const { of } = await claimsOf(batchId)
      expect(of('REF')).toContainEqual(['REF', 'X4', '22D2104417'])
      expect(of('SV1').map(([, procedure]) => procedure)).toEqual([
        'HC:84999:::::CHOLESTEROL, TOTAL',
        'HC:84999:59::::HDL CHOLESTEROL',
        'HC:83036',
      ])
    } finally {
      await test.database.owner.query(
        "update test set cpt_code = case code when 'CHOL' then '82465' else '83718' end where code in ('CHOL', 'HDL')",
      )
    }
  })

  it('SOUT-01 names the performing laboratory of each line where they differ, and ours on lines referred out', async () => {
    const { id, batchId } = await batchWith({ billType: 'INSURANCE', order: { CHOL: '1.00', HDL: '2.00' } })
    const refs = async () =>
      (await claimsOf(batchId)).of('REF').filter(([, qualifier]) => qualifier === 'X4' || qualifier === 'F4')
    expect(await refs()).toEqual([['REF', 'X4', '22D2104417']])
    const other = await test.given.lab({ clia_number: '33D2098812' })
    const instrument = await test.given.store('instrument', {
      name: 'Elsewhere',
      lab_id: other.id,
      protocol: 'ASTM',
      port: 4001,
    })
    await test.database.owner.query(
      "update requisition_test set instrument_id = $2 where requisition_id = $1 and test_id = (select id from test where code = 'HDL')",
      [id, instrument.id],
    )
    expect(await refs()).toEqual([
      ['REF', 'X4', '22D2104417'],
      ['REF', 'X4', '22D2104417'],
      ['REF', 'X4', '33D2098812'],
      ['REF', 'F4', '22D2104417'],
    ])
  })

  it('has the country of a foreign address, and the province of a Canadian one', async () => {
    const { id, batchId } = await batchWith({ billType: 'INSURANCE' })
    const move = (state: string, country: string, zip: string) =>
      test.database.owner.query(
        `update patient set city = 'Elsewhere', zip = $4, state_id = (select s.id from state s join country c on c.id = s.country_id where s.code = $2 and c.iso2 = $3)
         where id = (select patient_id from requisition where id = $1)`,
        [id, state, country, zip],
      )
    await move('ON', 'CA', 'M5H 2N2')
    expect((await claimsOf(batchId)).of('N4')).toContainEqual(['N4', 'ELSEWHERE', 'ON', 'M5H2N2', 'CA'])
    await test.database.owner.query(
      "insert into state (country_id, code, long_name) select id, 'BY', 'Bavaria' from country where iso2 = 'DE' on conflict do nothing",
    )
    await move('BY', 'DE', '80331')
    expect((await claimsOf(batchId)).of('N4')).toContainEqual(['N4', 'ELSEWHERE', '', '80331', 'DE'])
  })

  it('totals exactly the sum of its lines, for any prices', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.bigInt({ min: 0n, max: 99_999_999n }), { minLength: 3, maxLength: 3 }),
        async (cents) => {
          const [chol, hdl, a1c] = cents.map(fromCents) as [string, string, string]
          const { id, batchId } = await batchWith({ billType: 'INSURANCE', order: { CHOL: chol, HDL: hdl, A1C: a1c } })
          await send(batchId)
          const { of } = parseClaims((await download(batchId))[`batch-${batchId}/claims-${batchId}.837`] as Buffer)
          const total = fromCents(cents.reduce((sum, amount) => sum + amount, 0n))
          expect(of('CLM')[0]?.slice(1, 3)).toEqual([String(id), total])
          expect((await detailsOf(batchId))[0].amount).toBe(total)
        },
      ),
      { numRuns: 8 },
    )
  })
})

describe('invoices and statements', () => {
  it('SOUT-01 are made for clients, collaborators and self-paying patients, with the record of the laboratory, due date and procedures', async () => {
    const colaPays = await given.bill({ billType: 'COLA', order: { CHOL: '12.50' } })
    const patient = await given.patient({ first_name: 'Paula', last_name: 'Payer' })
    const patientPays = await given.bill({ billType: 'PATIENT', patientId: patient.id, order: { HDL: '7.25' } })
    const place = await test.given.address()
    const lab = await test.given.lab({
      name: 'Harbor Laboratory',
      addr1: '7 Pier Road',
      city: 'Salem',
      state_id: place.state_id,
      country_id: place.country_id,
      zip: '01970',
      phone: '19785550142',
      clia_number: '22D7654321',
    })
    await test.database.owner.query('update requisition set lab_id = $1 where id = any($2)', [
      lab.id,
      [colaPays.id, patientPays.id],
    ])
    const cola = await test.database.db
      .selectFrom('requisition')
      .select('collaborator_id as id')
      .where('id', '=', colaPays.id)
      .executeTakeFirstOrThrow()
    const batchId = (await make([colaPays.id, patientPays.id])).body.data.id
    await send(batchId)
    const files = await download(batchId)
    const textOf = async (name: string) => {
      const file = files[`batch-${batchId}/${name}`] as Buffer
      return (await extractText(await getDocumentProxy(new Uint8Array(file)), { mergePages: true })).text
    }
    const invoice = await textOf(`invoice-${batchId}-C${cola.id}.pdf`)
    const statement = await textOf(`statement-${batchId}-P${patient.id}.pdf`)
    const laboratory = [
      'Harbor Laboratory',
      '7 Pier Road',
      'Salem MA 01970',
      '(978) 555-0142',
      '12-3456789',
      '22D7654321',
    ]
    for (const part of [...laboratory, 'Invoice', 'Please pay by', '82465', '$12.50']) expect(invoice).toContain(part)
    for (const part of [...laboratory, 'Statement', 'Paula Payer', 'Due ', '83718', '$7.25'])
      expect(statement).toContain(part)
  })

  it('are one per client, and list requisitions without a price', async () => {
    const client = await test.given.client({ name: 'Acme Practice' })
    const one = await given.bill({ clientId: client.id, order: { CHOL: '12.50' } })
    const two = await given.bill({ clientId: client.id, order: { HDL: '7.25' } })
    const unpriced = await given.bill({ clientId: client.id, order: { A1C: null } })
    const patientPays = await given.bill({ billType: 'PATIENT' })
    const batchId = (await make([one.id, two.id, unpriced.id, patientPays.id])).body.data.id
    await send(batchId)
    const files = await download(batchId)
    expect(Object.keys(files)).toEqual([
      `batch-${batchId}/billing-batch-${batchId}.csv`,
      `batch-${batchId}/invoice-${batchId}-${client.id}.pdf`,
      `batch-${batchId}/statement-${batchId}-P${patientPays.patientId}.pdf`,
    ])
    expect(files[`batch-${batchId}/invoice-${batchId}-${client.id}.pdf`]?.subarray(0, 5).toString()).toBe('%PDF-')
    const csv = files[`batch-${batchId}/billing-batch-${batchId}.csv`]?.toString() ?? ''
    expect(csv).toContain(`${batchId},${one.id},`)
    expect(csv.split('\n').find((line) => line.includes(`${unpriced.id},`))).toMatch(
      /A1C,Hemoglobin A1c,83036,,,No price for A1C,Collaborator /,
    )
  })

  it("leave out 'No charge', which is zero in the table, with a price or without", async () => {
    const free = await given.bill({ billType: 'NOCHARGE', order: { CHOL: '12.50', A1C: null } })
    const batchId = (await make([free.id])).body.data.id
    const linesOf = async (name: string) =>
      ((await download(batchId))[name]?.toString() ?? '').split('\n').filter((line) => line.includes(`${free.id},`))
    const expected = [1, 2].map(() => expect.stringMatching(/,0\.00,USD,,Collaborator \d+,,$/))
    expect(await linesOf(`batch-${batchId}-not-sent/draft-billing-batch-${batchId}.csv`)).toEqual(expected)
    await send(batchId)
    expect(await linesOf(`batch-${batchId}/billing-batch-${batchId}.csv`)).toEqual(expected)
  })

  it('SOUT-07 print names in other scripts', async () => {
    const client = await test.given.client({ name: 'Κλινική Νίκη' })
    const { id } = await given.bill({ clientId: client.id, order: { CHOL: '12.50', HDL: '7.25' } })
    await test.database.owner.query(
      "update patient set last_name = 'Ковалёва', first_name = '王 محمد' where id = (select patient_id from requisition where id = $1)",
      [id],
    )
    const batchId = (await make([id])).body.data.id
    await send(batchId)
    const file = (await download(batchId))[`batch-${batchId}/invoice-${batchId}-${client.id}.pdf`]
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(file as Buffer)), { mergePages: true })
    for (const part of ['Κλινική Νίκη', 'Ковалёва, 王 محمد', `#${id}`, '$12.50', '$7.25', '$19.75', 'Total'])
      expect(text).toContain(part)
  })

  it('never cut amounts or long reasons', async () => {
    const reason = `No price for ${'HSCRP, '.repeat(60)}and LPA`
    const item = {
      reqId: 1000001,
      serviceDate: '2026-11-02',
      patient: { firstName: 'Maximiliane', lastName: 'von Hohenzollern-Sigmaringen' },
      lab: { name: 'Harbor Laboratory', clia: null },
      charges: [{ testCode: 'CHOL', testDesc: 'Cholesterol, total', amount: '99999999.99' }],
    }
    const file = await renderInvoice({
      title: 'Invoice',
      number: '1-2',
      date: '2026-11-16',
      dueDate: '2026-12-16',
      from: null,
      currencyCode: 'CAD',
      payer: { name: 'Acme' },
      reference: 'Client 1',
      items: [item],
      notBilled: [{ reqId: 5, reason }],
    } as unknown as Invoice)
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(file)), { mergePages: true })
    expect(text.match(/CAD 99,999,999\.99/g)).toHaveLength(2)
    expect(text.replace(/\s+/g, ' ')).toContain(`#5: ${reason}`)
  })

  it('total exactly the sum of their lines without missing prices', () => {
    const line = fc.record({
      cents: fc.bigInt({ min: 0n, max: 9_999_999_999n }),
      hasPrice: fc.boolean(),
      clientId: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const checked = lines.map(({ cents, hasPrice, clientId }, index) => ({
          item: {
            reqId: index,
            billTypeCode: 'CLIENT',
            client: { id: clientId },
            charges: [{ amount: hasPrice ? fromCents(cents) : null, currencyCode: 'USD' }],
          },
          fault: hasPrice ? null : 'No price for X',
        })) as unknown as CheckedItem[]
        const invoices = invoicesOf(1, { instant: new Date(), zone: 'America/New_York' }, null, checked)
        for (const invoice of invoices) {
          const own = lines.filter(({ clientId }) => invoice.number === `1-${clientId}`)
          const total = own.filter(({ hasPrice }) => hasPrice).reduce((sum, { cents }) => sum + cents, 0n)
          expect(invoiceTotal(invoice)).toBe(fromCents(total))
          expect(invoice.notBilled).toHaveLength(own.filter(({ hasPrice }) => !hasPrice).length)
        }
      }),
    )
  })

  it('print the whole name of a test, on as many lines as it needs, and every line of a long bill', async () => {
    const late = { instant: new Date(), zone: 'America/New_York' }
    const charge = { testCode: 'HSCRP', testDesc: 'C-reactive protein, high sensitivity', cptCode: '86141' }
    const item = {
      reqId: 1,
      serviceDate: '2026-11-16',
      billTypeCode: 'CLIENT',
      client: { id: 1, name: 'Acme Practice' },
      patient: { firstName: 'Paula', lastName: 'Payer' },
      lab: { name: 'Harbor Laboratory', clia: null },
      charges: Array.from({ length: 50 }, () => ({ ...charge, amount: '1.00', currencyCode: 'USD' })),
    }
    const [invoice] = invoicesOf(1, late, null, [{ item, fault: null }] as unknown as CheckedItem[])
    const pdf = await getDocumentProxy(new Uint8Array(await renderInvoice(invoice as Invoice)))
    const { text } = await extractText(pdf, { mergePages: true })
    expect(text.match(/HSCRP\s+C-reactive\s+protein,\s+high\s+sensitivity/g)).toHaveLength(50)
    expect(pdf.numPages).toBe(3)
  })

  it("and claims have the date in the laboratory's zone: at 23:30 in New York it is not tomorrow yet", () => {
    const late = { instant: new Date('2026-11-17T04:30:00Z'), zone: 'America/New_York' }
    const item = {
      reqId: 1,
      billTypeCode: 'CLIENT',
      client: { id: 1 },
      charges: [{ amount: '1.00', currencyCode: 'USD' }],
    }
    const [invoice] = invoicesOf(1, late, null, [{ item, fault: null }] as unknown as CheckedItem[])
    expect([invoice?.date, invoice?.dueDate]).toEqual(['2026-11-16', '2026-12-16'])
    const provider = billingProvider({ demo: true } as Config) as BillingProvider
    const { interchange, group, of } = parseClaims(Buffer.from(writeClaims(provider, 7, late, [])))
    const values = (header: { elements: { value: string }[] } | undefined, ...at: number[]) =>
      at.map((index) => header?.elements[index]?.value)
    expect(values(interchange.header, 8, 9)).toEqual(['261116', '2330'])
    expect(values(group?.header, 3, 4)).toEqual(['20261116', '2330'])
    expect(of('BHT')[0]?.slice(4, 6)).toEqual(['20261116', '2330'])
  })

  it('keep the currency of the prices', async () => {
    const client = await test.given.client()
    const { id } = await given.bill({ clientId: client.id, order: { CHOL: null } })
    await given.price(client.id, 'CHOL', '10.00', 'CAD')
    const batchId = (await make([id])).body.data.id
    expect(await detailsOf(batchId)).toMatchObject([{ amount: '10.00', currencyCode: 'CAD' }])
    await send(batchId)
    expect(Object.keys(await download(batchId))).toContain(`batch-${batchId}/invoice-${batchId}-${client.id}-CAD.pdf`)
  })
})

describe("the batch's table", () => {
  it('names the payer with the address: a collaborator, client, patient or guarantor', async () => {
    const collaborator = await test.given.collaborator({ name: 'Acme Partners', addr2: 'Floor 3' })
    const client = await test.given.client({ name: 'Acme Practice', collaborator_id: collaborator.id })
    const patient = await given.patient({ first_name: 'Pat', middle_name: 'Q', last_name: 'Payer' })
    await given.price(client.id, 'CHOL', '5.00')
    const billed = async (billType: string) => {
      const whose = { clientId: client.id, patientId: patient.id }
      return (await given.bill({ ...whose, billType, order: { CHOL: null } })).id
    }
    const [cola, practice] = [await billed('COLA'), await billed('CLIENT')]
    const [self, child, insured] = [await billed('PATIENT'), await billed('PATIENT'), await billed('INSURANCE')]
    const { state_id } = await test.given.address()
    await test.given.store('billing', {
      requisition_id: child,
      relation_type_code: 'PARENT',
      guarantor_first_name: 'Mary',
      guarantor_last_name: 'Parent',
      addr1: '9 Oak Ave',
      city: 'Salem',
      state_id,
      zip: '01970',
    })
    // What was filled in before the patient was chosen as the one who pays says nothing.
    await test.given.store('billing', { requisition_id: self, guarantor_last_name: 'Nobody', addr1: 'Nowhere' })
    const batchId = (await make([cola, practice, self, child, insured])).body.data.id
    await send(batchId)
    const rows = await tableOf(batchId)
    const shown = (id: number) => {
      const row = rows.find((one) => one['Req ID'] === String(id))
      return ['Collaborator', 'Bill To Name', 'Bill To Address'].map((name) => row?.[name])
    }
    expect(shown(cola)).toEqual(['Acme Partners', 'Acme Partners', '1 Main St, Floor 3, Boston, MA 02101'])
    expect(shown(practice)).toEqual(['Acme Partners', 'Acme Practice', '1 Main St, Boston, MA 02101'])
    expect(shown(self)).toEqual(['Acme Partners', 'Pat Q Payer', '5 Elm St, Boston, MA 02101'])
    expect(shown(child)).toEqual(['Acme Partners', 'Mary Parent', '9 Oak Ave, Salem, MA 01970'])
    expect(shown(insured)).toEqual(['Acme Partners', '', ''])
    expect(Object.keys(rows[0] ?? {}).slice(-4)).toEqual([
      'Not Billed',
      'Collaborator',
      'Bill To Name',
      'Bill To Address',
    ])
  })
})

describe('downloads', () => {
  it('return several batches in one file BLG-132, BLG-136..BLG-138', async () => {
    const [one, two] = [await batchWith(), await batchWith()]
    await send(one.batchId)
    const { status, body } = await biller.post('billing/batch/bulk_download', {
      billBatchIds: [one.batchId, two.batchId],
    })
    expect([status, body.retval]).toEqual([200, 'SUCCESS'])
    const folders = Object.keys(await filesAt(body.data.url)).map((name) => name.split('/')[0])
    expect(new Set(folders)).toEqual(new Set([`batch-${one.batchId}`, `batch-${two.batchId}-not-sent`]))
  })

  it('of a batch that is not sent are drafts, with claims marked as a test', async () => {
    const { batchId } = await batchWith({ billType: 'INSURANCE' })
    const usage = (files: Record<string, Buffer>, name: string) =>
      parseClaims(files[name] as Buffer).interchange.header.elements[14]?.value
    expect(usage(await download(batchId), `batch-${batchId}-not-sent/draft-claims-${batchId}.837`)).toBe('T')
    await send(batchId)
    expect(usage(await download(batchId), `batch-${batchId}/claims-${batchId}.837`)).toBe('P')
  })

  it('of a sent batch are the exact bytes that were sent BLG-138', async () => {
    const { clientId, batchId } = await batchWith()
    await send(batchId)
    const before = await download(batchId)
    await test.database.owner.query("update client set name = 'Renamed' where id = $1", [clientId])
    expect(await download(batchId)).toEqual(before)
  })

  it('report what is wrong with the selection BLG-139, BLG-140', async () => {
    const choose = async (billBatchIds?: unknown[]) => {
      const { status, body } = await biller.post('billing/batch/bulk_download', { billBatchIds })
      return [status, body.message]
    }
    expect(await choose()).toEqual([400, 'Please select at least one billing batch to download'])
    expect(await choose([])).toEqual([400, 'Please select at least one billing batch to download'])
    expect(await choose([null, 'abc'])).toEqual([400, 'No valid billing batch IDs found in the selection'])
    expect(await choose([987_654])).toEqual([404, 'No billing batches found'])
  })

  it('of an empty batch have a message in the details, and of an unknown one are not found BLG-142', async () => {
    const { id } = await test.given.store('billing_batch', {})
    expect((await biller.get(`billing/batch/details/${id}`)).body).toEqual({
      data: [],
      total: 0,
      message: 'No details found for this billing batch',
    })
    const gone = await biller.get('billing/batch/details/987654')
    expect([gone.status, gone.body.message]).toEqual([404, 'Billing batch not found'])
  })
})
