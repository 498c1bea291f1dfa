import { beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../../../seeds/demo/load-demo.ts'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
const period = 'fromDate=1/01/2026&toDate=3/09/2026'
let admin: Caller
beforeAll(async () => {
  await loadDemo(test.database.owner, {
    requisitions: 400,
    asOf: new Date('2026-03-10T00:00:00Z'),
    passwordHash: 'hash of the demo password',
    reportFiles: (key, pdf) => test.services.store.put(key, pdf, 'application/pdf'),
  })
  admin = await test.as('ADM')
})

interface Insight {
  reportCode: string
  headline: { value: number | null; unit: string; text: string } | null
  change: number | null
  chart: unknown
  failed: string | null
}
const insightsOf = async (tab: string, rest = ''): Promise<Insight[]> => {
  const { status, body } = await admin.get(`insights?tab=${tab}&${period}${rest}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

describe('GET insights', () => {
  it.each([
    ['qaReports', 'qa_reports'],
    ['summaryReports', 'summary_reports'],
  ])('HOME-06 gives each report of %s the chart of its preview, and a number', async (tab, path) => {
    const insights = await insightsOf(tab)
    const { body } = await admin.get(path)
    expect(insights.map(({ reportCode }) => reportCode)).toEqual(
      body.data.map((item: { reportCode: string }) => item.reportCode),
    )
    for (const { reportCode, chart, headline, failed } of insights) {
      const preview = (await admin.get(`${path}/preview?reportCode=${reportCode}&${period}`)).body.data
      expect([reportCode, chart, failed]).toEqual([reportCode, preview.chart, null])
      expect(headline, reportCode).toMatchObject({ unit: expect.any(String), text: expect.any(String) })
    }
    expect(insights.filter(({ headline }) => (headline?.value ?? 0) > 0).length).toBeGreaterThan(4)
  })

  it('HOME-06 counts only the requisitions of the chosen laboratory, client and collaborator', async () => {
    const all = await insightsOf('summaryReports', '&reportCode=SUMCLIENT')
    const { rows } = await test.database.owner.query(
      'select client_id, lab_id, collaborator_id from requisition_list order by 1 limit 1',
    )
    const { client_id: clientId, lab_id: labId, collaborator_id: colaId } = rows[0]
    const some = await insightsOf(
      'summaryReports',
      `&reportCode=SUMCLIENT&clientId=${clientId}&labId=${labId}&colaId=${colaId}`,
    )
    expect([all.length, some.length]).toEqual([1, 1])
    expect(some[0]?.headline?.value ?? 0).toBeLessThan(all[0]?.headline?.value ?? 0)
    const preview = await admin.get(`summary_reports/preview?reportCode=SUMCLIENT&${period}&clientId=${clientId}`)
    expect(preview.body.data.chart.points).toHaveLength(1)
  })

  it('HOME-06 refuses a period of more than ten years with a sentence, and a tab that is none', async () => {
    const long = await admin.get('insights?tab=qaReports&fromDate=1/01/2010&toDate=3/09/2026')
    expect([long.status, long.body.errors]).toEqual([
      400,
      [{ field: 'fromDate', message: 'The period can be at most 10 years' }],
    ])
    expect((await admin.get(`insights?tab=adHocReports&${period}`)).status).toBe(400)
  })

  it('HOME-06 has a file of a report as CSV with the same rows', async () => {
    const body = { reportCode: 'SUMTEST', fromDate: '1/01/2026', toDate: '3/09/2026', format: 'CSV' }
    const { status, body: reply } = await admin.post('summary_reports/download', body)
    expect([status, /\.csv/.test(decodeURIComponent(reply.data.url))]).toEqual([200, true])
  })
})
