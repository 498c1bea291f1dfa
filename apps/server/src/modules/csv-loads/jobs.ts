import { type CsvPreview, csvLoadMessages, type LoadType, maxPreviewErrors } from '@lis/contract/csv-loads.ts'
import { sql } from 'kysely'
import { requireRequester } from '../../platform/auth/requester.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError } from '../../platform/errors.ts'
import { defineJob, type JobContext, type JobDefinition } from '../../platform/jobs/definition.ts'
import { addChunk, addErrors, findLoad, openLoadFile } from './queries.ts'
import { RefusedFileError } from './read-csv.ts'
import { runLoad } from './run-load.ts'

const actorOf = ({ services, userId }: JobContext) => requireRequester(services, userId, 'batchCsv.open')

/** Larger files use a separate queue, so a small one never waits for them. */
const largeBytes = 2 * 1024 * 1024
export const isLargeFile = (bytes: number) => bytes > largeBytes

/** Checks the file as the load would, and writes nothing. */
const preview: Pick<JobDefinition<{ key: string; type: LoadType }>, 'maxSeconds' | 'run'> = {
  maxSeconds: 1800,
  run: async (context, { key, type }): Promise<CsvPreview> => {
    const found: CsvPreview = {
      totalCount: 0,
      goodCount: 0,
      skippedCount: 0,
      errorCount: 0,
      errors: [],
      errorTotal: 0,
    }
    const addError = (rowNo: number, columnName: string | null, message: string) => {
      found.errorTotal++
      if (found.errors.length < maxPreviewErrors) found.errors.push({ rowNo, columnName, message })
    }
    try {
      await runLoad({
        services: context.services,
        actor: await actorOf(context),
        type,
        open: () => context.services.store.get(key),
        requestId: context.id,
        isDry: true,
        progress: (done) => context.progress(done, null),
        onChunk: async (outcomes) => {
          for (const { no, state, errors } of outcomes) {
            found.totalCount++
            if (state === 'loaded') found.goodCount++
            else if (state === 'skipped') found.skippedCount++
            else found.errorCount++
            for (const { columnName, message } of errors) addError(no, columnName, message)
          }
        },
      })
    } catch (error) {
      if (!(error instanceof RefusedFileError)) throw error
      for (const { columnName, message } of error.errors) addError(1, columnName, message)
    }
    return found
  },
}
export const previewJob = defineJob({ kind: 'csv-load.preview', concurrency: 2, ...preview })
export const largePreviewJob = defineJob({ kind: 'csv-load.preview-large', ...preview })

/** Loads a file. After a crash it continues after the last committed chunk. */
const process: Pick<JobDefinition<{ loadId: number }>, 'maxSeconds' | 'retry' | 'run'> = {
  maxSeconds: 4 * 3600,
  retry: { limit: 10, delaySeconds: 2, longestDelaySeconds: 60 },
  run: async (context, { loadId }) => {
    const { services } = context
    const db = services.databases(systemScope)
    const load = await findLoad(db, loadId)
    if (!load || load.state === 'DONE' || load.state === 'FAILED') return
    await sql`update csv_load set state = 'RUNNING' where id = ${loadId}`.execute(db)
    let kept = load.rows_done
    try {
      await runLoad({
        services,
        actor: await actorOf(context),
        type: load.file_type_code,
        open: () => openLoadFile(services.store, load),
        requestId: context.id,
        skipRows: load.rows_done,
        isDry: false,
        progress: (done) => {
          kept = done
          return context.progress(done, null)
        },
        onChunk: (outcomes, trx) => addChunk(trx as NonNullable<typeof trx>, loadId, outcomes, kept),
      })
    } catch (error) {
      if (error instanceof RefusedFileError) return refuse(context, loadId, error)
      if (error instanceof AppError) await end(context, loadId, 'FAILED', error.message)
      throw error
    }
    return end(context, loadId, 'DONE', null)
  },
}
export const loadJob = defineJob({ kind: 'csv-load.process', ...process })
export const largeLoadJob = defineJob({ kind: 'csv-load.process-large', ...process })

const refuse = async (context: JobContext, loadId: number, error: RefusedFileError) => {
  await context.services
    .databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      await sql`delete from csv_load_error where load_id = ${loadId} and row_no = 1`.execute(trx)
      await addErrors(trx, loadId, [{ no: 1, errors: error.errors }])
    })
  return end(context, loadId, 'FAILED', error.message)
}

const end = async ({ services }: JobContext, loadId: number, state: 'DONE' | 'FAILED', refusal: string | null) => {
  const counts = await services
    .databases(systemScope)
    .selectFrom('csv_load')
    .select(['total_count as total', 'success_count as success', 'error_count as errors', 'skipped_count as skipped'])
    .where('id', '=', loadId)
    .executeTakeFirstOrThrow()
  const message = refusal ?? csvLoadMessages.ended(counts)
  await sql`update csv_load set state = ${state}, message = ${message}, finished_at = now() where id = ${loadId}`.execute(
    services.databases(systemScope),
  )
  return { ...counts, message }
}
