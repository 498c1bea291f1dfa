import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let staff: Caller
let testId = 0

beforeAll(async () => {
  staff = await test.as('STF')
  testId = await test.given.firstId('test')
})

const created = async () => (await staff.post('clients', await test.given.clientBody())).body.data.id as number

describe('test prices of a client', () => {
  it('CLI-111 CLI-145 CLI-146 CLI-147 are added in US dollars by default, and changed', async () => {
    const client = await created()
    const { status, body } = await staff.post(`clients/${client}/prices`, { testId, price: '12.50', priceComment: 'c' })
    expect([status, body.message]).toEqual([200, 'Successfully created'])
    const [row] = (await staff.get(`clients/${client}/prices`)).body.data
    expect(row).toEqual({
      id: body.data.id,
      testId,
      testCode: expect.any(String),
      testDesc: expect.any(String),
      price: 12.5,
      currencyCode: 'USD',
      priceComment: 'c',
      version: 1,
    })
    const path = `clients/${client}/prices/${row.id}`
    expect((await staff.put(path, { testId, price: 9999999999.99 }, { 'if-match': '"1"' })).body.data).toMatchObject({
      price: 9999999999.99,
      currencyCode: 'USD',
      version: 2,
    })
    expect((await staff.put(path, { testId, price: 1 }, { 'if-match': '"1"' })).status).toBe(409)
    expect((await staff.post(`clients/${client}/prices`, { testId, price: 1, currencyCode: 'EUR' })).status).toBe(200)
    const second = await staff.post(`clients/${client}/prices`, { testId, price: 1 })
    expect([second.status, second.body.message]).toEqual([
      409,
      `${row.testCode} already has a price in USD for this client`,
    ])
    expect((await staff.del(path)).status).toBe(200)
    expect((await staff.post(`clients/${client}/prices`, { testId, price: 1 })).status).toBe(200)
    const { rows } = await test.database.owner.query(
      "select action from audit_entry where entity = 'client_test_price' and client_id = $1 and actor_id = $2 order by id",
      [client, staff.userId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['CREATE', 'UPDATE', 'CREATE', 'DELETE', 'CREATE'])
  })

  it.each([
    ['CLI-105', 'testId', expect.any(Number)],
    ['CLI-106', 'testCode', expect.stringMatching(/./)],
    ['CLI-107', 'testDesc', expect.stringMatching(/./)],
    ['CLI-108', 'price', 12.5],
    ['CLI-109', 'currencyCode', 'EUR'],
    ['CLI-110', 'priceComment', 'c'],
  ])('%s carry %s', async (_, field, value) => {
    const client = await created()
    await staff.post(`clients/${client}/prices`, { testId, price: '12.50', currencyCode: 'EUR', priceComment: 'c' })
    expect((await staff.get(`clients/${client}/prices`)).body.data[0][field]).toEqual(value)
  })

  it.each([
    ['CLI-118', { price: '' }, 'price', 'Price is required'],
    ['CLI-119', { testId: null }, 'testId', 'Test Code is required'],
    ['CLI-G14', { price: -1 }, 'price', 'Price must be 0 or more'],
    ['', { price: 'NaN' }, 'price', 'Price is invalid'],
    ['', { price: 1e99 }, 'price', 'Price is invalid'],
    ['', { price: 0.001 }, 'price', 'Price is invalid'],
    ['', { price: Number.NaN }, 'price', 'Price is required'],
    ['', { testId: 999_999 }, 'testId', 'Test Code is invalid'],
    ['', { currencyCode: 'XXX' }, 'currencyCode', 'Currency is invalid'],
  ])('%s refuses %j, naming %s: %s', async (_id, over, field, message) => {
    const client = await created()
    const path = `clients/${client}/prices`
    const { body } = await staff.post(path, { testId, price: 1 })
    for (const reply of [
      await staff.post(path, { testId, price: 1, currencyCode: 'GBP', ...over }),
      await staff.put(`${path}/${body.data.id}`, { testId, price: 1, ...over }),
    ])
      expect([reply.status, reply.body.errors]).toEqual([400, [{ field, message }]])
  })

  it('gives one price to two people who enter it at once', async () => {
    const client = await created()
    const send = () => staff.post(`clients/${client}/prices`, { testId, price: 5 })
    expect((await Promise.all([send(), send()])).map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})
