import { sql } from 'kysely'
import type { TestApp } from './app.ts'

/** Codes of tests with the price the client pays; null is a test without one. */
type Order = Record<string, string | null>

/** What billing tests are about: an order with its prices, ICD code and insurance. */
export const billingGiven = (test: TestApp) => {
  const testId = async (code: string) =>
    (await test.database.db.selectFrom('test').select('id').where('code', '=', code).executeTakeFirstOrThrow()).id

  /** The client's price of a test, in US dollars by default. */
  const price = async (clientId: number, code: string, amount: string, currency = 'USD') =>
    test.given.store('client_test_price', {
      client_id: clientId,
      test_id: await testId(code),
      price: amount,
      currency_code: currency,
    })

  const order = async (requisitionId: number, codes: readonly string[]) => {
    for (const code of codes)
      await test.given.store('requisition_test', {
        requisition_id: requisitionId,
        test_id: await testId(code),
        result: '1',
      })
  }

  const icdId = async (code: string): Promise<number> => {
    const { rows } = await sql<{ id: number }>`select id from icd where code = ${code}`.execute(test.database.db)
    return rows[0]?.id ?? 0
  }

  const icd = async (requisitionId: number, code: string) => {
    await test.database.db
      .insertInto('requisition_icd')
      .values({ requisition_id: requisitionId, icd_id: await icdId(code) })
      .execute()
  }

  /** A patient with an address, as a claim needs it. */
  const patient = async (over: Parameters<TestApp['given']['patient']>[0] = {}) => {
    const { state_id } = await test.given.address()
    return test.given.patient({ addr1: '5 Elm St', city: 'Boston', state_id, zip: '02101', ...over })
  }

  const insurance = async (
    requisitionId: number,
    patientId: number,
    over: Record<string, unknown> = {},
  ): Promise<{ id: number; billId: number }> => {
    const known = await test.database.db
      .selectFrom('billing')
      .select('id')
      .where('requisition_id', '=', requisitionId)
      .executeTakeFirst()
    const billId = known?.id ?? (await test.given.store('billing', { requisition_id: requisitionId })).id
    const { id } = await test.given.store('insurance', {
      billing_id: billId,
      patient_id: patientId,
      billing_order: 1,
      bill_type_code: 'INSURANCE',
      company_name: 'Alder Mutual Health',
      company_no: '60117',
      policy_no: 'A123456789',
      ...over,
    })
    return { id, billId }
  }

  interface Bill {
    status?: string
    billType?: string | null
    order?: Order
    clientId?: number
    patientId?: number
  }

  /** By default ready to be billed to its client. */
  const bill = async ({
    status = 'READYBILL',
    billType = 'CLIENT',
    order: tests = { CHOL: '12.50', HDL: '7.25' },
    ...over
  }: Bill = {}) => {
    const clientId = over.clientId ?? (await test.given.client()).id
    const patientId = over.patientId ?? (await patient()).id
    const { id } = await test.given.requisition({
      client_id: clientId,
      patient_id: patientId,
      status_code: status,
      bill_type_code: billType,
    })
    for (const [code, amount] of Object.entries(tests)) if (amount !== null) await price(clientId, code, amount)
    await order(id, Object.keys(tests))
    await icd(id, 'E11.9')
    if (billType === 'INSURANCE') await insurance(id, patientId)
    return { id, clientId, patientId }
  }

  const statusOf = async (id: number) =>
    (
      await test.database.db
        .selectFrom('requisition')
        .select('status_code')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).status_code

  return { testId, price, order, icd, icdId, patient, insurance, bill, statusOf }
}
