import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { qcTypes } from '@lis/contract/reports.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId, bigint, flag01 } from '../../platform/db/expressions.ts'
import { isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { currentDeliveries, isToCurrentRecipient } from '../life-cycle/current-deliveries.ts'
import { lookupDescription } from '../lookups/descriptions.ts'
import type { ReportContent } from './content.ts'

/** Before its release a report is visible to the laboratory and its collaborator only. */
const seesUnreleased = (role: Role): Sql => {
  if (can(role, 'reports.edit')) return sql`true`
  return role === 'COLA' ? sql`(${isReleased} or ${isForCurrentParties})` : isReleased
}
const isReleased = sql`p.lab_qc_status_code = 'RELEASE'`

/** The content of version `v`: as it was made or, for a file from elsewhere, as of its last release by lab QC. */
export const contentOfVersion = sql<ReportContent | null>`coalesce((select k.content from report_event k where k.report_id = v.report_id and k.version_no = v.version_no
  and k.content is not null order by k.id desc limit 1), v.content)`

/**
 * A version with this content was made for the patient, client and collaborator that the requisition of report `p` has now; only the laboratory
 * sees other versions and their deliveries. Version `v` without stored content counts if none of the three has changed since. `offset 0` makes
 * PostgreSQL evaluate the content once instead of once for each comparison.
 */
export const isContentForCurrentParties = (content: Sql) => sql<boolean>`(select case
    when s.content is null then not exists (select from audit_entry a where a.requisition_id = r.id and a.entity = 'requisition' and a.at >= v.created_at
      and a.old_data ?| array['patientId', 'clientName', 'colaName'])
    else (s.content #>> '{patient,id}')::bigint = r.patient_id and case
      when s.content ? 'owner' then (s.content #>> '{owner,clientId}')::int = r.client_id and (s.content #>> '{owner,collaboratorId}')::int = r.collaborator_id
      else s.content #>> '{client,id}' = (select legacy_client_id from client where id = r.client_id)
        and s.content #>> '{collaborator,name}' = (select name from collaborator where id = r.collaborator_id) end
    end from requisition r cross join lateral (select ${content} as content offset 0) s where r.id = p.requisition_id)`
export const isForCurrentParties = isContentForCurrentParties(contentOfVersion)

const userName = (id: Sql) => sql`(select first_name || ' ' || last_name from app_user where id = ${id})`
const methodName = (code: Sql) => lookupDescription('TRANSMITMETHOD', code)

/** The reports of one requisition. The caller must have checked access by `requireRequisition`. */
export const reportsOf = (requisitionId: number, role: Role): ListDefinition => ({
  from: sql`report p join report_version v on v.report_id = p.id and v.version_no = p.current_version_no join stored_file f on f.id = v.file_id
    left join lateral (${currentDeliveries} order by d.delivered_at desc, d.id desc limit 1) d on true`,
  where: [sql`p.requisition_id = ${requisitionId}::bigint`, sql`p.deleted_at is null`, seesUnreleased(role)],
  fields: {
    id: sql`p.id`,
    requisitionId: sql`p.requisition_id`,
    reportOriginalFileName: sql`f.original_name`,
    labQcStatusCode: can(role, 'reports.seeLabQc') ? sql`p.lab_qc_status_code` : sql`null`,
    reportIsDelivered: flag01(sql`d.delivered_at is not null`),
    qcTypeCode: sql`coalesce(p.qc_type_code, 'LAB')`,
    qcTypeDesc: sql`case p.qc_type_code when 'MD' then ${sql.lit(qcTypes.MD)} else ${sql.lit(qcTypes.LAB)} end`,
    reviewDate: sql`p.review_at`,
    releaseDate: sql`p.release_at`,
    repeatDate: sql`p.repeat_at`,
    latestTransmitMethodDesc: methodName(sql`d.transmit_method_code`),
    latestDeliveredByName: userName(sql`d.requested_by`),
    latestDeliveryDate: sql`d.delivered_at`,
    isDownloadable: flag01(sql`p.lab_qc_status_code = 'RELEASE'`),
    isMadeHere: flag01(sql`v.is_made_here`),
    versionNo: sql`p.current_version_no`,
    correctionReason: sql`v.correction_reason`,
    isCorrectable: flag01(sql`p.release_at is not null`),
    changes: sql`coalesce(v.content->'changes', '[]'::jsonb)`,
    guardFinding: can(role, 'reports.edit') ? sql`v.guard_finding` : sql`null`,
    guardReason: can(role, 'reports.edit') ? sql`v.guard_reason` : sql`null`,
    version: sql`p.version`,
  },
  sort: { reportOriginalFileName: sql`lower(f.original_name)` },
  filter: { id: isOneOfIds(sql`p.id`, 'id') },
  defaultOrder: sql`p.id`,
  key: sql`p.id`,
})

const actions: Record<string, string> = {
  UPLOAD: 'Uploaded',
  MAKE: 'Made from the results',
  KEEP: 'Kept by decision',
  CORRECT: 'Corrected',
  PENDING: 'Lab QC: Pending',
  RELEASE: 'Lab QC: Release',
  REPEAT: 'Lab QC: Repeat',
  REVIEW: 'Lab QC: MD review',
  HOLD: 'Lab QC: Hold',
  DELIVER: 'Delivered',
  DELIVTRY: 'Delivery attempt failed',
  DELIVREFUSE: 'Delivery refused',
  DELIVFAIL: 'Delivery failed',
  DELIVSTOP: 'Delivery withdrawn',
  VIEW: 'Viewed',
  DOWNLOAD: 'Downloaded',
  REMOVE: 'Removed',
}
const actionName = sql`coalesce(case e.action_code ${sql.join(
  Object.entries(actions).map(([code, name]) => sql`when ${sql.lit(code)} then ${sql.lit(name)}`),
  sql` `,
)} end, e.action_code)`

/** Only for those who deliver: gateway errors may name internal machines. */
const failedDeliveries = sql`('DELIVTRY', 'DELIVREFUSE', 'DELIVFAIL', 'DELIVSTOP')`

/** The events shown to readers who may not see lab QC. */
const publicActions = sql`('RELEASE', 'CORRECT', 'DELIVER')`

/** Older events have no version: the one that was current at that time. */
const versionOfEvent = sql`coalesce(e.version_no, (select max(n.version_no) from report_version n where n.report_id = e.report_id and n.created_at <= e.at), 1)`

export const reportHistoryOf = (requisitionId: number, role: Role): ListDefinition => ({
  from: sql`report_event e join report p on p.id = e.report_id
    join report_version v on v.report_id = p.id and v.version_no = ${versionOfEvent} join stored_file f on f.id = v.file_id`,
  where: [
    sql`p.requisition_id = ${requisitionId}::bigint`,
    can(role, 'reports.seeLabQc') ? sql`true` : sql`e.action_code in ${publicActions}`,
    can(role, 'reports.deliver') ? sql`true` : sql`e.action_code not in ${failedDeliveries}`,
    can(role, 'reports.edit')
      ? sql`true`
      : sql`e.action_code <> 'KEEP' and ${isForCurrentParties} and (e.action_code <> 'DELIVER' or e.detail is null or exists (select from report_delivery d
          where d.report_id = v.report_id and d.report_version_no = v.version_no and right(e.detail, length(d.recipient) + 4) = ' to ' || d.recipient and ${isToCurrentRecipient}))`,
  ],
  fields: {
    id: sql`e.id`,
    reportId: sql`p.id`,
    reportOriginalFileName: sql`f.original_name`,
    versionNo: sql`e.version_no`,
    reportActionDate: sql`e.at`,
    reportActionDesc: sql`${actionName} || coalesce(': ' || e.detail, '')`,
    reportActionByName: userName(sql`e.actor_id`),
  },
  filter: { id: isOneOfIds(sql`e.id`, 'id') },
  defaultOrder: sql`e.at desc, e.id desc`,
  key: sql`e.id`,
})

/** Earlier versions that were never released are for the laboratory only. */
export const wasReleased = sql<boolean>`(exists (select from report_event e where e.report_id = v.report_id and e.version_no = v.version_no and e.action_code in ('RELEASE', 'DELIVER'))
  or exists (select from report_delivery d where d.report_id = v.report_id and d.report_version_no = v.version_no and d.delivered_at is not null))`

/**
 * Joins the latest released version `v` of a released report `p`. Older reports do not say which version was released: there it is the
 * one that was current at that time.
 */
export const joinLatestReleasedVersion = sql`join lateral (select v.* from report_version v where v.report_id = p.id
  order by ${wasReleased} desc, v.created_at <= p.release_at desc, v.version_no desc limit 1) v on true`

export const getLatestReleasedVersion = async (
  db: Db | Trx,
  reportId: number,
): Promise<{ version_no: number; content: ReportContent | null }> => {
  const { rows } = await sql<{ version_no: number; content: ReportContent | null }>`
    select v.version_no, ${contentOfVersion} as content from report p ${joinLatestReleasedVersion} where p.id = ${bigint(reportId)}`.execute(
    db,
  )
  return rows[0] as (typeof rows)[number]
}

export const findContentOfVersion = async (
  db: Db | Trx,
  reportId: number,
  versionNo: number,
): Promise<ReportContent | null> => {
  const version = await db
    .selectFrom('report_version as v')
    .select(contentOfVersion.as('content'))
    .where('v.report_id', '=', bigint(reportId))
    .where('v.version_no', '=', versionNo)
    .executeTakeFirst()
  return version?.content ?? null
}

export const reportVersionsOf = (requisitionId: number, role: Role): ListDefinition => ({
  from: sql`report p join report_version v on v.report_id = p.id join stored_file f on f.id = v.file_id`,
  where: [
    sql`p.requisition_id = ${requisitionId}::bigint`,
    sql`p.deleted_at is null`,
    sql`p.current_version_no > 1`,
    can(role, 'reports.edit')
      ? sql`true`
      : sql`(v.version_no < p.current_version_no and ${isForCurrentParties} or v.version_no = p.current_version_no and ${isReleased}) and ${wasReleased}`,
  ],
  fields: {
    id: sql`p.id * 1000 + v.version_no`,
    reportId: sql`p.id`,
    versionNo: sql`v.version_no`,
    reportOriginalFileName: sql`f.original_name`,
    isSuperseded: flag01(sql`v.version_no < p.current_version_no`),
    correctionReason: sql`v.correction_reason`,
    changes: sql`coalesce(v.content->'changes', '[]'::jsonb)`,
    createdDate: sql`v.created_at`,
    createdByName: userName(sql`v.created_by`),
    recipients: sql`coalesce((select json_agg(distinct coalesce(d.recipient_name || ', ', '') || d.recipient || ' (' || ${methodName(sql`d.transmit_method_code`)} || ')')
      from report_delivery d where d.report_id = v.report_id and d.report_version_no = v.version_no and d.delivered_at is not null
        and ${can(role, 'reports.edit') ? sql`true` : isToCurrentRecipient}), '[]')`,
  },
  filter: { id: isOneOfIds(sql`p.id * 1000 + v.version_no`, 'id') },
  defaultOrder: sql`p.id, v.version_no desc`,
  key: sql`p.id * 1000 + v.version_no`,
})

export interface ReportFile {
  report_id: number
  requisition_id: number
  version_no: number
  current_version_no: number
  lab_qc_status_code: string
  was_released: boolean
  is_for_current_parties: boolean
  object_key: string
  sha256: string
  original_name: string
  made_at: string
  current_made_at: string
}

/** The files of the given version, by default of the current one. */
export const findReportFiles = (db: Db | Trx, ids: readonly number[], versionNo?: number): Promise<ReportFile[]> =>
  db
    .selectFrom('report as p')
    .innerJoin('report_version as v', (join) =>
      join
        .onRef('v.report_id', '=', 'p.id')
        .on('v.version_no', '=', (eb) =>
          eb.fn.coalesce(sql<number>`${versionNo ?? null}::int`, 'p.current_version_no'),
        ),
    )
    .innerJoin('stored_file as f', (join) =>
      join.on(sql<boolean>`f.id = report_file(v.report_id, v.version_no, v.file_id)`),
    )
    .select((eb) => [
      'p.id as report_id',
      'p.requisition_id',
      'v.version_no',
      'p.current_version_no',
      'p.lab_qc_status_code',
      wasReleased.as('was_released'),
      isForCurrentParties.as('is_for_current_parties'),
      'f.object_key',
      eb.fn<string>('encode', ['f.sha256', sql.lit('hex')]).as('sha256'),
      'f.original_name',
      'f.created_at as made_at',
      sql<string>`(select c.created_at from report_version c where c.report_id = p.id and c.version_no = p.current_version_no)`.as(
        'current_made_at',
      ),
    ])
    .where('p.id', '=', anyId(ids))
    .where('p.deleted_at', 'is', null)
    .orderBy('p.id')
    .execute()

const isEarlier = (file: ReportFile) => file.version_no < file.current_version_no

/** Available outside the laboratory: released reports, and earlier versions that were released. */
export const isAvailable = (file: ReportFile) =>
  isEarlier(file) ? file.was_released : file.lab_qc_status_code === 'RELEASE'

/** Earlier versions made for another patient, client or collaborator are for the laboratory only. */
export const isHiddenFrom = (file: ReportFile, role: Role) =>
  isEarlier(file) && !file.is_for_current_parties && !can(role, 'reports.edit')
