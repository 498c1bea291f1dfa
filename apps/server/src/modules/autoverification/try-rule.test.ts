import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

describe('a rule that is tried', () => {
  it('BENCH-22 looks at days of the laboratory: 23:30 in New York belongs to the day, whatever it is in UTC', async () => {
    const admin = await test.as('ADM')
    const { id: reqId } = await test.given.requisition({ status_code: 'RESULT' })
    await test.given.orderedTest(reqId, 'CHOL', {
      result: '180',
      result_num: '180',
      reportable_result: '180',
      process_date: '2026-03-04T04:30:00Z',
    })
    const { body: made } = await admin.post('autoverify_rules', { testCode: 'CHOL', low: '100', high: '240' })
    const consideredOn = async (day: string) => {
      const { body } = await admin.post(`autoverify_rules/${made.data.id}/try`, { fromDate: day, toDate: day })
      return body.data.considered
    }
    expect(await Promise.all(['2026-03-02', '2026-03-03', '2026-03-04'].map(consideredOn))).toEqual([0, 1, 0])
  })
})
