import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { billingGiven } from '../../../test/given-billing.ts'

const test = openTestApp()
const given = billingGiven(test)
let admin: Caller
let biller: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
  biller = await test.as('BILL')
})

const make = (reqIds: number[]) => admin.post('billing/batch', { reqIds })
const send = (id: number) => admin.post(`billing/batch/${id}/send`, {})
/** A batch of one new requisition. */
const batchWith = async () => {
  const made = await given.bill()
  return { ...made, batchId: (await make([made.id])).body.data.id as number }
}

const cancel = (id: number, reason = 'Made too early', caller = admin) =>
  caller.post(`billing/batch/${id}/cancel`, { reason })

describe('cancelling a batch', () => {
  it('makes its requisitions ready to bill again, with the reason in note, history and audit', async () => {
    const { id, batchId } = await batchWith()
    const { status, body } = await cancel(batchId)
    expect([status, body.data, body.message]).toEqual([
      200,
      { moved: [id], refused: [] },
      `Billing batch ${batchId} cancelled, 1 requisition(s) ready to bill again`,
    ])
    expect(await given.statusOf(id)).toBe('READYBILL')
    const note = `Billing batch ${batchId} cancelled: Made too early`
    expect((await admin.get(`requisitions/${id}/bill_notes`)).body.data[0].note).toBe(note)
    const query = async (statement: string, value: number) => (await test.database.owner.query(statement, [value])).rows
    expect(
      await query('select reason from requisition_status_event where requisition_id = $1 order by id desc limit 1', id),
    ).toEqual([{ reason: note }])
    expect(
      await query(
        "select reason, old_data from audit_entry where entity = 'billing_batch' and action = 'CANCEL' and entity_id = $1",
        batchId,
      ),
    ).toEqual([{ reason: 'Made too early', old_data: { sendStatusCode: 'PENDING', reqIds: [id] } }])
  })

  it('removes the batch from the list and hides its requisitions from billing users; the next batch takes them', async () => {
    const { id, batchId } = await batchWith()
    expect((await biller.get(`requisitions/${id}/docs`)).status).toBe(200)
    await cancel(batchId)
    expect((await biller.get(`billing/batch?filter=[id:${batchId}]`)).body.total).toBe(0)
    expect((await biller.get(`billing/batch/details/${batchId}`)).status).toBe(404)
    expect((await biller.get(`requisitions/${id}/docs`)).status).toBe(404)
    const next = (await make([id])).body.data.id
    expect((await send(next)).body.data.moved).toEqual([id])
  })

  it('leaves requisitions that were moved by hand alone, and names them', async () => {
    const kept = await given.bill()
    const moved = await given.bill()
    const batchId = (await make([kept.id, moved.id])).body.data.id
    await test.database.owner.query("update requisition set status_code = 'HOLD' where id = $1", [moved.id])
    expect((await cancel(batchId)).body.data).toMatchObject({
      moved: [kept.id],
      refused: [{ id: moved.id, reason: `Requisition #${moved.id} is Billing on hold and stays so` }],
    })
    expect(await given.statusOf(moved.id)).toBe('HOLD')
  })

  it('is refused after sending, without a reason, a second time, and for everybody but super admins', async () => {
    const { id, batchId } = await batchWith()
    expect((await cancel(batchId, ' ')).body.errors).toEqual([{ field: 'reason', message: 'Reason is required' }])
    for (const role of ['COLA', 'CLNT', 'SLS', 'BILL', 'PHYS'] as const)
      expect((await cancel(batchId, 'x', role === 'BILL' ? biller : await test.as(role))).status, role).toBe(403)
    await send(batchId)
    const late = await cancel(batchId)
    expect([late.status, late.body.message]).toEqual([409, `Billing batch ${batchId} has already been sent`])
    expect(await given.statusOf(id)).toBe('BILL')
    const other = await batchWith()
    expect([(await cancel(other.batchId)).status, (await cancel(other.batchId)).status]).toEqual([200, 404])
  })

  it('concurrent with its sending leaves requisitions either billed or ready to bill, never both', async () => {
    for (let n = 0; n < 5; n++) {
      const { id, batchId } = await batchWith()
      const [sent, called] = await Promise.all([send(batchId), cancel(batchId)])
      const charges = await test.database.owner.query('select 1 from billing_charge where requisition_id = $1', [id])
      if (sent.status === 200) {
        expect([called.status, await given.statusOf(id), charges.rowCount]).toEqual([409, 'BILL', 2])
      } else {
        expect([sent.status, called.status, await given.statusOf(id), charges.rowCount]).toEqual([
          404,
          200,
          'READYBILL',
          0,
        ])
      }
    }
  })
})

describe('making, sending and cancelling by many at once', () => {
  it('keeps every requisition in at most one open batch, and bills each at most once', async () => {
    const ids: number[] = []
    for (let n = 0; n < 8; n++) ids.push((await given.bill()).id)
    const work = async (turn: number) => {
      // Overlapping selections in different orders, as by two users of the same list.
      const chosen = ids.filter((_, index) => (index + turn) % 3 !== 0)
      const made = await make(turn % 2 ? chosen.reverse() : chosen)
      if (made.status !== 200) return expect(made.status).toBe(409)
      const batch = made.body.data.id
      const done =
        turn % 3 === 0 ? await send(batch) : await admin.post(`billing/batch/${batch}/cancel`, { reason: 'x' })
      expect(done.status).toBe(200)
    }
    for (let round = 0; round < 3; round++) await Promise.all([0, 1, 2, 3, 4, 5].map((turn) => work(turn + round)))
    const { rows } = await test.database.owner.query(
      `select r.id, (select count(*)::int from billing_batch_item i where i.requisition_id = r.id and i.is_open) as open,
        (select count(distinct batch_id)::int from billing_charge c where c.requisition_id = r.id) as billed, r.status_code as status
       from requisition r where r.id = any($1)`,
      [ids],
    )
    for (const { open, billed, status } of rows)
      expect([
        [0, 0, 'READYBILL'],
        [0, 1, 'BILL'],
      ]).toContainEqual([open, billed, status])
  })

  it('with a concurrent billing run takes what it makes ready once', async () => {
    const ids: number[] = []
    for (let n = 0; n < 4; n++) ids.push((await given.bill({ status: 'DELIVER' })).id)
    const run = () => admin.post('billing/run', { reqIds: ids })
    const replies = await Promise.all([run(), make(ids), run(), make(ids), make(ids)])
    expect(replies.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([])
    await make(ids)
    const { rows } = await test.database.owner.query(
      'select requisition_id::int as id from billing_batch_item where requisition_id = any($1) order by 1',
      [ids],
    )
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })
})
