import { definitions } from '../apps/server/src/modules/report-pages/definitions.ts'
import type { Bench } from './bench.ts'
import { timed } from './measure.ts'
import type { Person } from './people.ts'
import type { Fact } from './report.ts'

const paths = { QA: 'qa_reports', SUMMARY: 'summary_reports' } as const

const day = (date: Date) =>
  `${String(date.getUTCMonth() + 1).padStart(2, '0')}/${String(date.getUTCDate()).padStart(2, '0')}/${date.getUTCFullYear()}`

/** Every report over the last month while the person waits, and over the last year: at once, or as a job that says how far it is. */
export const measureReports = async ({ ours, people }: Bench): Promise<Fact[]> => {
  const { headers } = people.ADM as Person
  const today = new Date()
  const before = (days: number) => day(new Date(today.getTime() - days * 86_400_000))
  const facts: Fact[] = []
  for (const kind of ['QA', 'SUMMARY'] as const) {
    for (const { code } of definitions[kind]) {
      const input = (days: number) => ({ reportCode: code, fromDate: before(days), toDate: day(today) })
      const url = `${ours.api}/${paths[kind]}`
      const month = await timed({ url: `${url}/preview?${new URLSearchParams(input(30))}`, headers })
      const { data } = JSON.parse(month.text) as { data: { rowCount: number } }
      facts.push({
        name: `${code}, a month`,
        value: month.ms / 1000,
        unit: 's',
        limit: 5,
        note: `${data.rowCount} rows`,
      })
      facts.push(await yearOf(`${code}, a year`, ours.api, url, headers, input(364)))
    }
  }
  return facts
}

const yearOf = async (
  name: string,
  api: string,
  url: string,
  headers: Record<string, string>,
  body: object,
): Promise<Fact> => {
  const start = performance.now()
  const { text } = await timed({ url: `${url}/download`, headers }, { method: 'POST', body })
  const { data } = JSON.parse(text) as { data: { jobId: string | null } }
  const seconds = () => (performance.now() - start) / 1000
  if (data.jobId === null) return { name, value: seconds(), unit: 's', limit: 5, note: 'at once' }
  for (;;) {
    const reply = await timed({ url: `${api}/jobs/${data.jobId}`, headers })
    const { state, message } = (JSON.parse(reply.text) as { data: { state: string; message: string } }).data
    if (state === 'DONE') return { name, value: seconds(), unit: 's', note: 'job with progress' }
    if (state === 'FAILED' || state === 'CANCELLED') throw new Error(`${name}: ${message}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
