import { describeLoadError, type LoadType, loadTypes } from '@lis/contract/csv-loads.ts'
import { sql } from 'kysely'
import { requireDays } from '../../platform/date-filter.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { isOnHomeDays } from '../../platform/home-zone.ts'
import { isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import type { RowOutcome } from './loader.ts'

const typeDesc = sql`case l.file_type_code ${sql.join(
  Object.entries(loadTypes).map(([code, name]) => sql`when ${sql.lit(code)} then ${sql.lit(name)}`),
  sql` `,
)} end`

/** Not finished, and its job was cancelled, has failed, or is so old that its row was removed. */
const isStopped = sql`l.state in ('INIT', 'RUNNING') and l.job_id is not null and coalesce(j.state, 'FAILED') in ('FAILED', 'CANCELLED')`

/** Super admins only, and they see all loads. */
export const loadList: ListDefinition = {
  from: sql`csv_load l left join app_user w on w.id = l.load_by left join job j on j.id = l.job_id`,
  where: [],
  fields: {
    id: sql`l.id`,
    loadDate: sql`l.load_at`,
    loadFileTypeCode: sql`l.file_type_code`,
    loadFileTypeDesc: typeDesc,
    totalCount: sql`l.total_count`,
    successCount: sql`l.success_count`,
    errorCount: sql`l.error_count`,
    skippedCount: sql`l.skipped_count`,
    loadByName: sql`w.first_name || ' ' || w.last_name`,
    originalFileName: sql`l.original_name`,
    state: sql`case when ${isStopped} then 'STOPPED' else l.state end`,
    message: sql`case when ${isStopped} then rtrim(coalesce(j.message, 'The work has ended'), '.') || '. ' || l.success_count || ' rows loaded until then, '
      || l.error_count || ' failed. The file can be loaded again; what is loaded is not loaded twice.' else l.message end`,
    jobId: sql`l.job_id`,
  },
  filter: {
    id: isOneOfIds(sql`l.id`, 'id'),
    loadFileTypeCode: isOneOf(sql`l.file_type_code`),
    loadDate: (value) => isOnHomeDays(sql`l.load_at`, requireDays('loadDate', value)),
  },
  defaultOrder: sql`l.id desc`,
  key: sql`l.id`,
}

export const errorList = (loadId: number): ListDefinition => ({
  from: sql`csv_load_error e`,
  where: [sql`e.load_id = ${loadId}::bigint`],
  fields: {
    id: sql`e.id`,
    loadErrorDesc: sql`e.error_desc`,
    rowNo: sql`e.row_no`,
    columnName: sql`e.column_name`,
  },
  filter: { columnName: isOneOf(sql`e.column_name`) },
  defaultOrder: sql`e.row_no`,
  key: sql`e.id`,
})

export type LoadRow = NonNullable<Awaited<ReturnType<typeof findLoad>>>

export const findLoad = (db: Db | Trx, id: number) =>
  db
    .selectFrom('csv_load as l')
    .leftJoin('stored_file as f', 'f.id', 'l.file_id')
    .select((eb) => [
      'l.id',
      eb.ref('l.file_type_code').$castTo<LoadType>().as('file_type_code'),
      eb.fn.coalesce('f.object_key', 'l.object_key').as('object_key'),
      // Null for loads from before files were registered.
      eb.fn<string | null>('encode', ['f.sha256', sql.lit('hex')]).as('sha256'),
      'l.original_name',
      'l.state',
      'l.load_by',
      'l.rows_done',
    ])
    .where('l.id', '=', bigint(id))
    .executeTakeFirst()

/** The file as registered. */
export const openLoadFile = (store: ObjectStore, { object_key, sha256 }: Pick<LoadRow, 'object_key' | 'sha256'>) =>
  sha256 === null ? store.get(object_key) : store.read(object_key, sha256)

/**
 * Adds the counts, errors and progress of a chunk in the transaction of its rows. A worker that was presumed dead finds that another one
 * has continued from its position, and its chunk is rolled back.
 */
export const addChunk = async (trx: Trx, loadId: number, outcomes: readonly RowOutcome[], rowsBefore: number) => {
  const count = (state: RowOutcome['state']) => outcomes.filter((outcome) => outcome.state === state).length
  await addErrors(trx, loadId, outcomes)
  const { numAffectedRows } =
    await sql`update csv_load set total_count = total_count + ${outcomes.length}, success_count = success_count + ${count('loaded')},
    skipped_count = skipped_count + ${count('skipped')}, error_count = error_count + ${count('failed')},
    rows_done = rows_done + ${outcomes.length} where id = ${loadId} and rows_done = ${rowsBefore}`.execute(trx)
  if (numAffectedRows !== 1n) throw new Error('Another worker has taken this load over')
}

export const addErrors = async (
  trx: Db | Trx,
  loadId: number,
  outcomes: readonly Pick<RowOutcome, 'no' | 'errors'>[],
) => {
  const errors = outcomes.flatMap(({ no, errors: all }) => all.map((error) => ({ no, ...error })))
  if (errors.length === 0) return
  await sql`insert into csv_load_error (load_id, row_no, column_name, error_desc)
    select ${loadId}, * from unnest(${errors.map(({ no }) => no)}::int[], ${errors.map(({ columnName }) => columnName)}::text[],
      ${errors.map(({ no, columnName, message }) => describeLoadError(no, columnName, message))}::text[])`.execute(trx)
}
