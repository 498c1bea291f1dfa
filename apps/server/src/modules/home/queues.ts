import { superAdmins } from '@lis/contract/access/roles.ts'
import type { Filters, FilterValue, ListQuery } from '@lis/contract/kit/list-query.ts'
import { type ApiView, type RequisitionView, requisitionViews } from '@lis/contract/requisitions/views.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { heldFileList } from '../batch-files/queries.ts'
import { lateDeliveryList } from '../deliveries/queries.ts'
import { totalFromCounters } from '../requisition-list/counts.ts'
import { requisitionList } from '../requisition-list/list.ts'
import { selectRequisitionLabel } from '../requisition-record/queries.ts'
import type { Queue, QueueRows } from './queue.ts'

/** Every queue of Home, in the order in which empty ones are shown. */
export const queues: readonly Queue[] = [
  {
    code: 'LATE_DELIVERY',
    title: 'Late deliveries',
    roles: superAdmins,
    limitHours: 4,
    rows: ({ config }) => ({
      path: 'deliveries/late',
      link: '/deliveries',
      list: lateDeliveryList(config.DELIVERY_LATE_HOURS),
      since: sql`d.requested_at`,
      words: sql`coalesce(d.recipient_name, d.recipient) || ': ' || coalesce(d.failure, 'not delivered yet')`,
      reqId: sql`d.requisition_id`,
    }),
  },
  {
    code: 'HELD_FILE',
    title: 'Held files',
    roles: superAdmins,
    limitHours: 4,
    rows: () => ({
      path: 'bulk_report_uploader/held',
      link: '/test-reports-upload/matching',
      list: heldFileList,
      since: sql`f.status_at`,
      words: sql`f.original_name || coalesce(': ' || f.note, '')`,
      reqId: sql`f.requisition_id`,
    }),
  },
  {
    code: 'RECEIVE',
    title: 'To receive',
    roles: superAdmins,
    limitHours: 24,
    rows: ({ actor }) => requisitionRows(actor, 'Logged', { since: sql`l.logged_at` }),
  },
  {
    code: 'PROCESS',
    title: 'To process',
    roles: superAdmins,
    limitHours: 48,
    rows: ({ actor }) => requisitionRows(actor, 'Accessioned', { since: inStatusSince }),
  },
  {
    code: 'ISSUES',
    title: 'Open issues',
    roles: superAdmins,
    limitHours: 96,
    rows: ({ actor, departments }) =>
      requisitionRows(actor, 'All', {
        since: oldestIssue(actor),
        filters: { issueDeptId: departmentsOf(actor) },
        viewValue: [...departments.values()].join(', '),
      }),
  },
]

/** Whoever belongs to no department has no issues: no department has the id 0. */
const departmentsOf = ({ departmentIds }: Actor): string[] =>
  departmentIds.length === 0 ? ['0'] : departmentIds.map(String)

const oldestIssue = ({ departmentIds }: Actor): Sql =>
  sql`(select min(i.created_at) from issue i where i.requisition_id = l.requisition_id and i.deleted_at is null
    and i.status_code not in ('RESOLVED', 'CLOSED') and i.reporter_department_id = any(${[...departmentIds]}::int[]))`

const inStatusSince = sql`(select r.status_at from requisition r where r.id = l.requisition_id)`

/** A tab of the requisition list, with filters of the list. */
const requisitionRows = (
  actor: Actor,
  tab: RequisitionView,
  { since, filters = {}, viewValue }: { since: Sql; filters?: Filters; viewValue?: string },
): QueueRows => {
  const view = requisitionViews[tab].api as ApiView
  return {
    path: `requisitions/${view}`,
    filters,
    link: requisitionLink(tab, filters, viewValue),
    list: requisitionRowsOf(actor, view, filters),
    since,
    words: sql`(${selectRequisitionLabel(sql`l.requisition_id`)})`,
    reqId: sql`l.requisition_id`,
  }
}

/** The list of a view with its total from the counters where they know it, as `requisitions/{view}` reads it. */
export const requisitionRowsOf = (actor: Actor, view: ApiView, filters: Filters) => {
  const query: ListQuery = { page: 1, perPage: 1, sort: null, filters }
  const total = totalFromCounters(view, actor, query)
  return { ...requisitionList(view, actor, query), ...(total && { total }) }
}

/** The page of a tab with these filters; `viewValue` is what it shows of their values. */
const requisitionLink = (tab: RequisitionView, filters: Filters, viewValue?: string): string => {
  const params = new URLSearchParams({ status: tab })
  const textOf = (value: FilterValue) => viewValue ?? [value].flat().join(', ')
  const entries = Object.entries(filters).map(([id, value]) => ({ id, value, viewValue: textOf(value) }))
  if (entries.length > 0) params.set('smartFilter', JSON.stringify(entries))
  return `/requisitions?${params}`
}
