import { type Role, superAdmins } from '@lis/contract/access/roles.ts'
import { type BatchType, batchTypes, type FileStatus, fileStatuses } from '@lis/contract/batch-files.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { requireDays } from '../../platform/date-filter.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { isOnHomeDays } from '../../platform/home-zone.ts'
import { type Condition, contains, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

const described = (code: Sql, names: Record<string, string>) =>
  sql`case ${code} ${sql.join(
    Object.entries(names).map(([key, name]) => sql`when ${sql.lit(key)} then ${sql.lit(name)}`),
    sql` `,
  )} end`

const isSuper = (actor: Actor) => superAdmins.some((role) => role === actor.role)

/**
 * The files of an upload `u` that a person may see: super admins and the sender all of them, others those filed on requisitions in their
 * scope. A held file may belong to another practice, so nobody else sees it.
 */
const visibleFiles = (actor: Actor): Sql =>
  isSuper(actor)
    ? sql`true`
    : sql`(u.load_by = ${actor.userId} or (f.status_code = 'COMPLETE' and exists (
        select from requisition_list l where l.requisition_id = f.requisition_id and ${visibleRequisitions(actor)})))`

const filesOf = (actor: Actor, select: Sql, and: Sql = sql`true`) =>
  sql`(select ${select} from report_upload_file f where f.upload_id = u.id and ${visibleFiles(actor)} and ${and})`

/** The day of the upload in the laboratory. */
const loadedBetween =
  (instant: Sql): Condition =>
  (value) =>
    isOnHomeDays(instant, requireDays('loadDate', value))

export const uploadList = (actor: Actor): ListDefinition => ({
  from: sql`report_upload u left join app_user w on w.id = u.load_by`,
  where: isSuper(actor) ? [] : [sql`(u.load_by = ${actor.userId} or exists ${filesOf(actor, sql`1`)})`],
  fields: {
    id: sql`u.id`,
    loadDate: sql`u.load_at`,
    batchTypeCode: sql`u.batch_type_code`,
    batchTypeDesc: described(sql`u.batch_type_code`, batchTypes),
    totalFiles: filesOf(actor, sql`count(*)`),
    totalFilesCompleted: filesOf(actor, sql`count(*)`, sql`f.status_code = 'COMPLETE'`),
    totalFilesPending: filesOf(actor, sql`count(*)`, sql`f.status_code = 'INIT'`),
    loadByName: sql`w.first_name || ' ' || w.last_name`,
  },
  filter: {
    id: isOneOfIds(sql`u.id`, 'id'),
    batchTypeCode: isOneOf(sql`u.batch_type_code`),
    loadDate: loadedBetween(sql`u.load_at`),
  },
  defaultOrder: sql`u.id desc`,
  key: sql`u.id`,
})

const fileFields = {
  id: sql`f.id`,
  loadId: sql`f.upload_id`,
  reportOriginalFileName: sql`f.original_name`,
  reportLoadStatusCode: sql`f.status_code`,
  reportLoadStatusDesc: described(sql`f.status_code`, fileStatuses),
  statusDate: sql`f.status_at`,
  reqId: sql`f.requisition_id`,
  note: sql`f.note`,
}

export const fileList = (actor: Actor, uploadId: number): ListDefinition => ({
  from: sql`report_upload_file f join report_upload u on u.id = f.upload_id`,
  where: [sql`f.upload_id = ${uploadId}::bigint`, visibleFiles(actor)],
  fields: fileFields,
  filter: {
    reportLoadStatusCode: isOneOf(sql`f.status_code`),
    reportOriginalFileName: contains(sql`f.original_name`),
  },
  defaultOrder: sql`f.id`,
  key: sql`f.id`,
})

/** Neither complete nor still being processed. */
export const failedFileList = (actor: Actor, uploadId: number): ListDefinition => {
  const list = fileList(actor, uploadId)
  return { ...list, where: [...list.where, sql`f.status_code not in ('COMPLETE', 'INIT')`] }
}

/** Any visible file, in the shape of the list. */
export const visibleFileList = (actor: Actor): ListDefinition => ({
  from: sql`report_upload_file f join report_upload u on u.id = f.upload_id`,
  where: [visibleFiles(actor)],
  fields: fileFields,
  filter: {},
  defaultOrder: sql`f.id`,
  key: sql`f.id`,
})

/** The matching desk; super admins only. */
export const heldFileList: ListDefinition = {
  from: sql`report_upload_file f join report_upload u on u.id = f.upload_id left join app_user w on w.id = u.load_by`,
  where: [sql`f.status_code = 'HELD'`],
  fields: {
    ...fileFields,
    batchTypeCode: sql`u.batch_type_code`,
    loadByName: sql`w.first_name || ' ' || w.last_name`,
    compared: sql`coalesce(f.reading -> 'compared', '[]')`,
    namedReqIds: sql`coalesce(f.reading -> 'namedReqIds', '[]')`,
    version: sql`f.version`,
  },
  filter: { loadId: isOneOfIds(sql`f.upload_id`, 'loadId'), reqId: isOneOfIds(sql`f.requisition_id`, 'reqId') },
  defaultOrder: sql`f.id`,
  key: sql`f.id`,
}

/** A file with its upload and sender. */
export type FileRow = NonNullable<Awaited<ReturnType<typeof findFile>>>

/** Locked until the transaction ends when `lock` is set: two calls for one file are serialised. */
export const findFile = (db: Db | Trx, id: number, lock = false) =>
  db
    .selectFrom('report_upload_file as f')
    .innerJoin('report_upload as u', 'u.id', 'f.upload_id')
    .innerJoin('app_user as w', 'w.id', 'u.load_by')
    .select(['f.id', 'f.upload_id', 'f.original_name', 'f.object_key', 'f.arrived_at', 'f.file_id', 'f.requisition_id'])
    .select(['f.note', 'f.version', 'w.id as load_by', 'w.collaborator_id as loader_collaborator_id'])
    .select((eb) => [
      eb.ref('f.status_code').$castTo<FileStatus>().as('status_code'),
      eb.ref('u.batch_type_code').$castTo<BatchType>().as('batch_type_code'),
      eb.ref('w.role_code').$castTo<Role>().as('loader_role'),
      sql<string>`${eb.ref('w.first_name')} || ' ' || ${eb.ref('w.last_name')}`.as('loader_name'),
    ])
    .where('f.id', '=', bigint(id))
    .$if(lock, (query) => query.forNoKeyUpdate('f'))
    .executeTakeFirst()

export interface FileState {
  status_code: FileStatus
  note?: string | null
  arrived_at?: string | null
  file_id?: number | null
  requisition_id?: number | null
  reading?: unknown
  report_id?: number | null
  document_id?: number | null
}

/** Removes the stored text (`content` in old rows) unless a new reading is given: it is needed only while a decision is pending. */
export const setFileState = async (trx: Trx, id: number, { reading, ...state }: FileState) => {
  const withoutText = sql<string>`reading - 'wholeContent' - 'content'`
  await trx
    .updateTable('report_upload_file')
    .set({
      note: null,
      decided_by: null,
      decided_at: null,
      decision_reason: null,
      ...state,
      reading: reading === undefined ? withoutText : JSON.stringify(reading),
      status_at: sql<string>`now()`,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
}

/** An object that a file of a batch has still to be registered from. */
export const isPendingUpload = (key: Sql) =>
  sql<boolean>`exists (select from report_upload_file f where f.status_code = 'INIT' and f.file_id is null and f.object_key = ${key})`

/** Files uploaded but not processed, or whose upload slot has expired. */
export const findStale = async (db: Db, limit: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('report_upload_file as f')
    .innerJoin('report_upload as u', 'u.id', 'f.upload_id')
    .leftJoin('upload_slot as s', 's.object_key', 'f.object_key')
    .select('f.id')
    .where('f.status_code', '=', 'INIT')
    .where((eb) => {
      const [arrivedAt, expiresAt, loadAt] = [eb.ref('f.arrived_at'), eb.ref('s.expires_at'), eb.ref('u.load_at')]
      return eb.or([
        sql<boolean>`${arrivedAt} < now() - interval '2 minutes'`,
        sql<boolean>`${arrivedAt} is null and coalesce(${expiresAt}, ${loadAt} + interval '15 minutes') < now()`,
      ])
    })
    .orderBy('f.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
