import { fromCents } from '@lis/contract/money.ts'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { billingGiven } from '../../../test/given-billing.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
const given = billingGiven(test)
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

const payment = (over: Record<string, unknown> = {}) => ({
  paymentTypeCode: 'CHECK',
  payerTypeCode: 'INS',
  payer: 'Alder Mutual Health',
  amount: '10.10',
  paymentNote: 'By remittance',
  paymentDate: '11/5/2026',
  paymentNo: '1001',
  ...over,
})
const pay = (id: number, over: Record<string, unknown> = {}, headers = {}) =>
  admin.post(`requisitions/${id}/payments`, payment(over), headers)
const rows = async (id: number, query = '') => (await admin.get(`requisitions/${id}/payments${query}`)).body
const account = async (id: number) => (await admin.get(`requisitions/${id}/account`)).body.data

describe('payments', () => {
  const withAllFields = once(async () => {
    const { id } = await given.bill()
    const added = await pay(id)
    expect([added.status, added.body.message]).toEqual([200, 'Successfully created'])
    const { data, total } = await rows(id)
    expect(total).toBe(1)
    const expected = {
      ...payment(),
      paymentTypeDesc: 'Check',
      payerTypeDesc: 'Insurance',
      currencyCode: 'USD',
      paymentMonth: 11,
      paymentDay: 5,
      paymentYear: 2026,
    }
    return { data: data[0], expected }
  })

  it('are added with every field and read back BLG-108, BLG-118', async () => {
    const { data, expected } = await withAllFields()
    expect(data).toMatchObject(expected)
    expect(data.paymentDate).toBe('11/5/2026')
  })

  it.each([
    ['BLG-099', 'paymentTypeCode'],
    ['BLG-100', 'payerTypeCode'],
    ['BLG-101', 'payer'],
    ['BLG-102', 'amount'],
    ['BLG-103', 'paymentNote'],
    ['BLG-104', 'paymentMonth'],
    ['BLG-105', 'paymentDay'],
    ['BLG-106', 'paymentYear'],
    ['BLG-107', 'paymentNo'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await withAllFields()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('name every field that is missing BLG-109..BLG-113 BLG-117', async () => {
    const { id } = await given.bill()
    const { status, body } = await admin.post(`requisitions/${id}/payments`, {})
    expect(status).toBe(400)
    expect(body.errors.map(({ message }: { message: string }) => message).sort()).toEqual([
      'Amount is required',
      'Check/Confirmation Number is required',
      'Note is required',
      'Paid By is required',
      'Payer Type is required',
      'Payment Date is required',
      'Payment Type is required',
    ])
  })

  it.each([
    ['amount', { amount: '0.001' }, 'Amount may have at most two decimals'],
    ['amount', { amount: -5 }, 'Amount must be more than 0'],
    ['amount', { amount: '-5' }, 'Amount must be more than 0'],
    ['amount', { amount: '0' }, 'Amount must not be 0'],
    ['amount', { amount: 'ten' }, 'Amount must be a number'],
    ['amount', { amount: '1e12' }, 'Amount must be at most 9,999,999,999.99'],
    ['amount', { amount: '1,23450' }, 'Amount must be a number'],
    ['amount', { amount: '12,34.50' }, 'Amount must be a number'],
    ['amount', { amount: '1234,567' }, 'Amount must be a number'],
    ['amount', { amount: ',123' }, 'Amount must be a number'],
    ['amount', { amount: '1,,234' }, 'Amount must be a number'],
    ['amount', { amount: '1.50,000' }, 'Amount must be a number'],
    ['amount', { amount: '1,234.567' }, 'Amount may have at most two decimals'],
    ['amount', { amount: '1e2' }, 'Amount may have at most two decimals'],
    ['amount', { amount: 1e12 }, 'Amount must be at most 9,999,999,999.99'],
    ['paymentDate', { paymentDate: '1/1/2990' }, 'Payment Date must not be in the future'],
    ['paymentDate', { paymentDate: '2/30/2026' }, 'Invalid date'],
    ['paymentDate', { paymentDate: '2026-11-05' }, 'Invalid date'],
    ['paymentTypeCode', { paymentTypeCode: 'GOLD' }, 'Payment Type is invalid'],
    ['payerTypeCode', { payerTypeCode: 'X' }, 'Payer Type is invalid'],
    ['currencyCode', { currencyCode: 'XXX' }, 'Currency is invalid'],
  ])('refuse a wrong %s: %j', async (field, wrong, message) => {
    const { id } = await given.bill()
    const { status, body } = await pay(id, wrong)
    expect([status, body.errors]).toEqual([400, [{ field, message }]])
    expect((await rows(id)).total).toBe(0)
  })

  it.each([
    ['1,234.5', '1234.50'],
    ['$1,234,567', '1234567.00'],
    ['1234567.89', '1234567.89'],
    ['12,345', '12345.00'],
  ])('take an amount as people write it: %s', async (typed, amount) => {
    const { id } = await given.bill()
    expect((await pay(id, { amount: typed, answers: { OVERPAYMENT: 'SAVE' } })).status).toBe(200)
    expect((await rows(id)).data[0].amount).toBe(amount)
  })

  it('default to the charged currency, and to US dollars if nothing is charged', async () => {
    const client = await test.given.client()
    await given.price(client.id, 'CHOL', '30.00', 'CAD')
    const { id } = await given.bill({ clientId: client.id, order: { CHOL: null } })
    await pay(id, { amount: '10' })
    await pay(id, { amount: '5', currencyCode: 'CAD', paymentNo: '1002' })
    await pay(id, { amount: '1', currencyCode: 'EUR', paymentNo: '1003' })
    expect((await account(id)).balances).toEqual([
      { currencyCode: 'CAD', charged: '30.00', paid: '15.00', adjusted: '0.00', balance: '15.00' },
      { currencyCode: 'EUR', charged: '0.00', paid: '1.00', adjusted: '0.00', balance: '-1.00' },
    ])
    const unpriced = await given.bill({ order: { TRIG: null } })
    await pay(unpriced.id)
    expect((await rows(unpriced.id)).data[0].currencyCode).toBe('USD')
  })

  it('are paged BLG-098', async () => {
    const { id } = await given.bill()
    for (let n = 1; n <= 12; n++) await pay(id, { amount: '1.00', paymentNo: `N${n}` })
    const first = await rows(id)
    expect([first.data.length, first.total]).toEqual([10, 12])
    expect((await rows(id, '?page=2')).data).toHaveLength(2)
  })

  it('leave the table when deleted, one or several, and stay in the audit BLG-096, BLG-097', async () => {
    const { id } = await given.bill()
    const ids = []
    for (let n = 0; n < 3; n++) ids.push((await pay(id, { amount: '1.10', paymentNo: `D${n}` })).body.data.id)
    expect((await admin.del(`requisitions/${id}/payments/${ids[0]}`)).body.message).toBe('Successfully deleted')
    expect((await admin.del(`requisitions/${id}/payments/bulk_delete?id=${ids[1]},${ids[2]}`)).status).toBe(200)
    expect((await rows(id)).total).toBe(0)
    expect((await admin.del(`requisitions/${id}/payments/${ids[0]}`)).status).toBe(404)
    const audit = await test.database.db
      .selectFrom('audit_entry')
      .select(['action', 'old_data'])
      .where('requisition_id', '=', id)
      .where('entity', '=', 'payment')
      .where('old_data', 'is not', null)
      .execute()
    expect(audit).toHaveLength(3)
    expect(audit[0]).toMatchObject({ action: 'BILLING', old_data: { amount: '1.10', paymentNo: 'D0' } })
  })

  it('of another requisition are not found', async () => {
    const { id } = await given.bill()
    const other = await given.bill()
    const added = (await pay(other.id)).body.data.id
    expect((await admin.del(`requisitions/${id}/payments/${added}`)).status).toBe(404)
    expect((await rows(other.id)).total).toBe(1)
  })

  it('sent twice with the same key are stored once', async () => {
    const { id } = await given.bill()
    const headers = { 'idempotency-key': `payment-${id}` }
    await Promise.all([pay(id, {}, headers), pay(id, {}, headers)])
    expect((await rows(id)).total).toBe(1)
  })

  it('are written by super admins only; sales read, clients do not BLG-095', async () => {
    const sales = await test.given.salesPerson()
    const client = await test.given.client()
    await test.given.clientSales(client.id, sales.id)
    const { id } = await given.bill({ clientId: client.id })
    const entities = { SLS: sales.id, CLNT: client.id }
    for (const role of ['SLS', 'CLNT', 'COLA', 'BILL', 'PHYS'] as const) {
      const caller = await test.as(role, entities[role as 'SLS'])
      expect((await caller.get(`requisitions/${id}/payments`)).status, role).toBe(role === 'SLS' ? 200 : 403)
      expect((await caller.post(`requisitions/${id}/payments`, payment())).status, role).toBe(403)
      expect((await caller.del(`requisitions/${id}/payments/1`)).status, role).toBe(403)
    }
    expect((await (await test.as('SLS')).get(`requisitions/${id}/payments`)).status).toBe(404)
  })
})

describe('a payment that needs an answer', () => {
  const codes = (body: { current: { questions: { code: string }[] } }) => body.current.questions.map(({ code }) => code)

  it('is saved once when sent 20 times at once, and a second time only with an answer DAY-35 DAY-36', async () => {
    const { id } = await given.bill({ order: { TRIG: null } })
    const replies = await Promise.all(Array.from({ length: 20 }, () => pay(id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const { body } = replies.find(({ status }) => status === 409) as (typeof replies)[number]
    expect(body).toMatchObject({
      code: 'question',
      current: { questions: [{ code: 'SAME_PAYMENT', field: 'paymentNo', message: expect.stringContaining('1001') }] },
    })
    expect((await rows(id)).total).toBe(1)
    expect((await pay(id, { answers: { SAME_PAYMENT: 'SAVE', OTHER: 'x' } })).status).toBe(200)
    expect((await rows(id)).total).toBe(2)
    const history = await test.database.db
      .selectFrom('audit_entry')
      .select(['reason', 'actor_name'])
      .where('requisition_id', '=', id)
      .where('reason', 'is not', null)
      .executeTakeFirstOrThrow()
    expect(history.reason).toBe(`${body.current.questions[0].message} Save anyway.`)
  })

  it('is not a duplicate if number, payer, date or amount differ DAY-35', async () => {
    const { id } = await given.bill({ order: { TRIG: null } })
    await pay(id)
    for (const other of [
      { paymentNo: '1002' },
      { payer: 'Patient' },
      { paymentDate: '11/4/2026' },
      { amount: '10.11' },
    ])
      expect((await pay(id, other)).status, JSON.stringify(other)).toBe(200)
  })

  it('names every question at once and saves nothing DAY-36', async () => {
    const { id } = await given.bill({ order: { CHOL: '12.50' } })
    await pay(id)
    const both = await pay(id)
    expect([both.status, codes(both.body)]).toEqual([409, ['SAME_PAYMENT', 'OVERPAYMENT']])
    const one = await pay(id, { answers: { SAME_PAYMENT: 'SAVE' } })
    expect([one.status, codes(one.body)]).toEqual([409, ['OVERPAYMENT']])
    expect((await rows(id)).total).toBe(1)
  })

  it('refuses answers that are not text by their name DAY-36', async () => {
    const { id } = await given.bill()
    for (const answers of ['SAVE', ['SAVE'], { SAME_PAYMENT: 1 }]) {
      const { status, body } = await pay(id, { answers })
      expect([status, body.errors[0].field], JSON.stringify(answers)).toEqual([400, 'answers'])
    }
  })

  it('may exceed the balance only with an answer; a refund and an unpriced bill need none', async () => {
    const { id } = await given.bill({ order: { CHOL: '12.50' } })
    const { status, body } = await pay(id, { amount: '1000000' })
    expect([status, codes(body), body.message]).toEqual([
      409,
      ['OVERPAYMENT'],
      'The amount is more than what is still owed ($12.50).',
    ])
    expect((await pay(id, { amount: '12.50' })).status).toBe(200)
    expect((await pay(id, { paymentTypeCode: 'REFUND', amount: '-1', paymentNo: '2' })).status).toBe(200)
    expect((await pay(id, { amount: '3', paymentNo: '3', answers: { OVERPAYMENT: 'SAVE' } })).status).toBe(200)
    const unpriced = await given.bill({ order: { TRIG: null } })
    expect((await pay(unpriced.id)).status).toBe(200)
  })
})

describe('a bill that is paid in full', () => {
  it('offers the paid status of the last payer until it is set', async () => {
    const { id } = await given.bill({ status: 'BILL', order: { CHOL: '12.50' } })
    const offered = async () => (await account(id)).paidStatusCode
    expect(await offered()).toBeNull()
    await pay(id, { amount: '10.00' })
    expect(await offered()).toBeNull()
    await pay(id, { amount: '2.50', paymentNo: '2' })
    expect(await offered()).toBe('INSPAYRECD')
    const last = await pay(id, { amount: '1', paymentNo: '3', payerTypeCode: 'PAT', answers: { OVERPAYMENT: 'SAVE' } })
    expect([last.status, await offered()]).toEqual([200, 'PATPAYRECD'])
    await admin.put(`requisitions/${id}`, { reqStatusCode: 'PATPAYRECD' })
    expect(await offered()).toBeNull()
    const unbilled = await given.bill({ order: { CHOL: '1.00' } })
    await pay(unbilled.id, { amount: '1.00' })
    expect((await account(unbilled.id)).paidStatusCode).toBeNull()
  })
})

describe('the balance', () => {
  it('runs down with each payment, exactly', async () => {
    const { id } = await given.bill({ order: { CHOL: '12.50', HDL: '7.25' } })
    await pay(id, { amount: '0.10', paymentDate: '11/2/2026' })
    await pay(id, { amount: '19.60', paymentDate: '11/1/2026' })
    await pay(id, { paymentTypeCode: 'REFUND', amount: '-1', paymentDate: '11/3/2026' })
    await pay(id, { paymentTypeCode: 'ADJUST', amount: '0.40', paymentDate: '11/4/2026' })
    const { data } = await rows(id)
    expect(data.map((row: { amount: string; balance: string }) => [row.amount, row.balance])).toEqual([
      ['19.60', '0.15'],
      ['0.10', '0.05'],
      ['-1.00', '1.05'],
      ['0.40', '0.65'],
    ])
    expect(await account(id)).toMatchObject({
      isBilled: 0,
      missingPrices: [],
      balances: [{ currencyCode: 'USD', charged: '19.75', paid: '18.70', adjusted: '0.40', balance: '0.65' }],
    })
  })

  it.each(['BILL', 'OABILL', 'XEROBILL', 'INVOICE', 'EOB', 'INSPAYRECD', 'PATPAYRECD'])(
    'counts as billed in the status %s without a batch, at the current price',
    async (status) => {
      const { id } = await given.bill({ status, order: { CHOL: '12.50' } })
      expect(await account(id)).toMatchObject({ isBilled: 1, isFrozen: 0, balances: [{ charged: '12.50' }] })
    },
  )

  it.each(['DELIVER', 'MISSBILL', 'READYBILL', 'INBILL', 'HOLD', 'NONCOLLECT'])(
    'shows what will be charged in the status %s',
    async (status) => {
      const { id } = await given.bill({ status, order: { CHOL: '12.50' } })
      expect(await account(id)).toMatchObject({ isBilled: 0, isFrozen: 0, balances: [{ charged: '12.50' }] })
    },
  )

  it.each(['HOLD', 'NONCOLLECT'])('counts as billed in %s if it was billed before', async (status) => {
    const { id } = await given.bill()
    const move = (code: string) => admin.put(`requisitions/${id}`, { reqStatusCode: code })
    await move(status)
    expect((await account(id)).isBilled).toBe(0)
    await move('OABILL')
    await move('HOLD')
    await move(status)
    expect((await account(id)).isBilled).toBe(1)
    // To be billed again.
    await move('READYBILL')
    await move(status)
    expect((await account(id)).isBilled).toBe(0)
  })

  it('is zero for No charge, with a price or without', async () => {
    const { id } = await given.bill({ status: 'BILL', billType: 'NOCHARGE', order: { CHOL: '12.50', HDL: null } })
    expect(await account(id)).toMatchObject({
      isBilled: 1,
      missingPrices: [],
      charges: [{ amount: '0.00' }, { amount: '0.00' }],
      balances: [{ currencyCode: 'USD', charged: '0.00', balance: '0.00' }],
    })
  })

  it('keeps currencies apart, and lists a missing price instead of charging zero', async () => {
    const { id } = await given.bill({ order: { CHOL: '12.50', HDL: null } })
    await pay(id, { amount: '5', currencyCode: 'CAD' })
    expect(await account(id)).toMatchObject({
      charges: [
        { testCode: 'CHOL', amount: '12.50', currencyCode: 'USD' },
        { testCode: 'HDL', amount: null, currencyCode: null },
      ],
      missingPrices: ['HDL'],
      balances: [
        { currencyCode: 'CAD', charged: '0.00', paid: '5.00', balance: '-5.00' },
        { currencyCode: 'USD', charged: '12.50', paid: '0.00', balance: '12.50' },
      ],
    })
  })

  it('is what was charged less the sum of all payments, for any payments', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.bigInt({ min: 1n, max: 99_999_999n }), { minLength: 1, maxLength: 8 }),
        async (cents) => {
          const { id } = await given.bill({ order: { CHOL: '1234.56' } })
          const answers = { OVERPAYMENT: 'SAVE', SAME_PAYMENT: 'SAVE' }
          for (const amount of cents) expect((await pay(id, { amount: fromCents(amount), answers })).status).toBe(200)
          const paid = cents.reduce((sum, amount) => sum + amount, 0n)
          const { balances } = await account(id)
          expect(balances[0]).toEqual({
            currencyCode: 'USD',
            charged: '1234.56',
            paid: fromCents(paid),
            adjusted: '0.00',
            balance: fromCents(123_456n - paid),
          })
          expect((await rows(id)).data.at(-1).balance).toBe(balances[0].balance)
        },
      ),
      { numRuns: 15 },
    )
  })
})
