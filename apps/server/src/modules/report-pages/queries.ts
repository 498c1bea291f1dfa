import type { ReportItem } from '@lis/contract/reports-pages.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import { isNearPeriod, type ReportCall } from './definition.ts'
import type { ReportKind } from './definitions.ts'

/** The reports of one tab, in their order. */
export const listReports = async (db: Db, kind: ReportKind): Promise<ReportItem[]> => {
  const { rows } = await sql<ReportItem>`
    select id, code as "reportCode", description as "reportDesc", coalesce(definition ->> 'purpose', '') as purpose
    from report_definition where kind = ${kind} order by sort_order, id`.execute(db)
  return rows
}

/** The planner's estimate of the requisitions received in the period, whose cost does not depend on their number. */
export const findRequisitionEstimate = async (db: Db, period: Pick<ReportCall, 'from' | 'to'>): Promise<number> => {
  const { rows } = await sql<{ 'QUERY PLAN': readonly { Plan: { 'Plan Rows': number } }[] }>`
    explain (format json) select from requisition_list where ${isNearPeriod(sql`received_at`, period)}`.execute(db)
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
}

/** Those of the requisitions that the reader may see and that belong to the collaborator. */
export const findRequisitionIds = async (
  db: Db,
  actor: Actor,
  colaId: number,
  ids: readonly number[],
): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select l.requisition_id as id from requisition_list l
    where l.requisition_id = any(${[...ids]}::bigint[]) and l.collaborator_id = ${colaId}::bigint and ${visibleRequisitions(actor)} order by 1`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The name of an event with a requisition that this reader may see, or of any event for those who see all. */
export const findEvent = async (db: Db, clientId: number, eventId: number): Promise<{ name: string } | undefined> => {
  const { rows } = await sql<{ name: string }>`
    select e.name from client_event e join client c on c.id = e.client_id and c.deleted_at is null
    where e.id = ${eventId}::bigint and e.client_id = ${clientId}::bigint and e.deleted_at is null`.execute(db)
  return rows[0]
}
