import type { CsvPreview, LoadType } from '@lis/contract/csv-loads.ts'
import { expect } from 'vitest'
import { loadJob, previewJob } from '../src/modules/csv-loads/jobs.ts'
import type { JobDefinition } from '../src/platform/jobs/definition.ts'
import type { Caller, TestApp } from './app.ts'
import { multipart, storagePath } from './multipart.ts'

/** Loads as the browser runs them, with the jobs run at once. The app is set before the first test. */
export const loadKit = (test: TestApp) => {
  let known: Caller | undefined
  const somebody = async () => {
    known ??= await test.as('STF')
    return known
  }
  /** Runs a queued job at once. */
  const work = async (jobId: string, job: JobDefinition<never>): Promise<unknown> => {
    const row = await test.database.db.selectFrom('job').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow()
    const context = {
      id: jobId,
      userId: row.user_id,
      attempt: 1,
      services: test.services,
      signal: new AbortController().signal,
      progress: async () => undefined,
    }
    return job.run(context, row.input as never)
  }

  const uploaded = async (content: string | Buffer, sender?: Caller) => {
    const who = sender ?? (await somebody())
    const init = await who.post('bulk_csv_uploader/init', { fileName: 'data.csv' })
    expect(init.status).toBe(200)
    const { payload, headers } = multipart(init.body.data.fields, Buffer.from(content))
    expect(
      (await test.inject({ method: 'POST', url: storagePath(init.body.data.fields), payload, headers })).status,
    ).toBe(204)
    return init.body.data.newFileName as string
  }

  const preview = async (type: LoadType, content: string | Buffer): Promise<CsvPreview> => {
    const staff = await somebody()
    const fileName = await uploaded(content, staff)
    const body = { loadFileTypeCode: type, fileName, originalFileName: 'data.csv' }
    const started = await staff.post('bulk_csv_uploader/preview', body)
    expect(started.status).toBe(200)
    return (await work(started.body.data.jobId, previewJob as never)) as CsvPreview
  }

  const load = async (type: LoadType, content: string | Buffer) => {
    const staff = await somebody()
    const fileName = await uploaded(content, staff)
    const body = { loadFileTypeCode: type, fileName, originalFileName: 'data.csv' }
    const started = await staff.post('bulk_csv_uploader/process', body)
    expect([started.status, started.body.message]).toEqual([200, 'File is being processed'])
    await work(started.body.data.jobId, loadJob as never)
    const { id } = started.body.data
    const row = (await staff.get(`bulk_csv_uploader?filter=[id:${id}]`)).body.data[0]
    const errors = (await staff.get(`bulk_csv_uploader/${id}/files`)).body.data as {
      id: number
      loadErrorDesc: string
    }[]
    return { id: id as number, row, errors: errors.map(({ loadErrorDesc }) => loadErrorDesc) }
  }

  const csv = (rows: Record<string, unknown>[], delimiter = ',') => {
    const names = Object.keys(rows[0] ?? {})
    const cell = (value: unknown) =>
      /[",;\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value)
    return [names, ...rows.map((row) => names.map((name) => row[name]))]
      .map((line) => line.map(cell).join(delimiter))
      .join('\r\n')
  }

  return { csv, load, preview, uploaded, work, somebody }
}
