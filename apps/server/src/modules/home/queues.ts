import { type Role, superAdmins } from '@lis/contract/access/roles.ts'
import type { Filters, FilterValue, ListQuery } from '@lis/contract/kit/list-query.ts'
import { statusOf } from '@lis/contract/requisitions/status.ts'
import {
  type ApiView,
  defaultViewFor,
  type RequisitionView,
  requisitionViews,
} from '@lis/contract/requisitions/views.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { heldFileList } from '../batch-files/queries.ts'
import { batchList } from '../billing-batches/queries.ts'
import { callList } from '../critical-calls/queries.ts'
import { lateDeliveryList } from '../deliveries/queries.ts'
import { waitingList } from '../instrument-results/queries.ts'
import { messageList } from '../interfaces/message-queries.ts'
import { statusList } from '../quality-control/status.ts'
import { totalFromCounters } from '../requisition-list/counts.ts'
import { requisitionList } from '../requisition-list/list.ts'
import { selectRequisitionLabel } from '../requisition-record/queries.ts'
import { signOutList } from '../sign-out/queries.ts'
import { newResultList, newSince } from './new-results.ts'
import { isOnTheWay, onTheWayStatuses, wantedList, wantedSince } from './practice.ts'
import type { Queue, QueueRows } from './queue.ts'
import { salesClientList } from './sales-clients.ts'

const practices: readonly Role[] = ['CLNT', 'PHYS', 'COLA']
const labelOfRequisition = sql`(${selectRequisitionLabel(sql`l.requisition_id`)})`
/** The statuses in the partial indexes of open work. */
const isOpenWork = sql`l.tab_code <> 'BILL'`
const inStatusSince = sql`(select r.status_at from requisition r where r.id = l.requisition_id)`

/** Every queue of Home, in the order in which empty ones are shown. */
export const queues: readonly Queue[] = [
  {
    code: 'CRITICAL',
    title: 'Critical calls',
    roles: superAdmins,
    departments: ['LAB', 'MEDDIR', 'CS'],
    limitHours: 0.5,
    rows: () => ({
      path: 'critical_calls',
      filters: { state: ['OPEN', 'TAKEN'] },
      link: '/critical-calls',
      list: callList,
      // Each call has a limit of its own; half an hour before it is when it was raised, unless the test has another.
      since: sql`c.due_at - interval '30 minutes'`,
      words: sql`p.last_name || ', ' || p.first_name || ': ' || t.description || ' ' || concat_ws(' ', c.value, c.units)`,
      reqId: sql`r.id`,
    }),
  },
  {
    code: 'QC',
    title: 'Quality control',
    roles: superAdmins,
    departments: ['LAB', 'QA'],
    limitHours: 2,
    rows: () => ({
      path: 'qc_status',
      filters: { state: ['OUT', 'DUE'] },
      link: '/quality-control',
      list: statusList({ page: 1, perPage: 1, filters: {}, sort: null }),
      since: sql`f.control_since`,
      words: sql`f.name || ', ' || f.code || case f.control when 'OUT' then ': out of control' else ': controls are due' end`,
    }),
  },
  {
    code: 'REVIEW',
    title: 'Review',
    roles: superAdmins,
    departments: ['LAB'],
    limitHours: 2,
    rows: () => ({
      path: 'review_results',
      link: '/review',
      list: waitingList,
      since: sql`i.received_at`,
      words: sql`coalesce(p.last_name || ', ' || p.first_name, 'Specimen ' || i.specimen_id) || ': ' || coalesce(t.description, i.instrument_code)
        || ' ' || concat_ws(' ', i.value, i.units) || coalesce(': ' || (i.reasons -> 0 ->> 'text'), '')`,
      reqId: sql`r.id`,
    }),
  },
  {
    code: 'SIGN',
    title: 'To sign',
    roles: superAdmins,
    departments: ['MEDDIR', 'QA'],
    limitHours: 4,
    rows: ({ actor }) => ({
      path: 'sign_out',
      link: '/sign-out',
      list: signOutList(actor),
      since: sql`v.created_at`,
      words: sql`'#' || r.id || ' | ' || p.last_name || ', ' || p.first_name`,
      reqId: sql`r.id`,
    }),
  },
  {
    code: 'LATE_DELIVERY',
    title: 'Late deliveries',
    roles: superAdmins,
    departments: ['DELIVERY', 'CS'],
    limitHours: 4,
    rows: ({ config }) => ({
      path: 'deliveries/late',
      link: '/deliveries?view=0',
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
    departments: ['DELIVERY', 'IT'],
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
    code: 'HELD_MESSAGE',
    title: 'Held messages',
    roles: superAdmins,
    departments: ['ACC', 'IT'],
    limitHours: 4,
    rows: () => ({
      path: 'interface_messages',
      filters: { state: ['HELD', 'FAILED'] },
      link: '/interfaces?show=waiting',
      list: messageList,
      since: sql`m.received_at`,
      words: sql`coalesce(i.name || ': ', '') || coalesce(m.reason, 'held')`,
      reqId: sql`m.requisition_id`,
    }),
  },
  {
    code: 'RECEIVE',
    title: 'To receive',
    roles: superAdmins,
    departments: ['ACC', 'LOGISTICS'],
    limitHours: 24,
    rows: ({ actor }) =>
      requisitionRows(actor, 'Logged', { since: sql`l.logged_at`, also: isOpenWork, isIndexed: true }),
  },
  {
    code: 'PROCESS',
    title: 'To process',
    roles: superAdmins,
    departments: ['LAB'],
    limitHours: 48,
    rows: ({ actor }) =>
      requisitionRows(actor, 'Accessioned', {
        since: sql`r.status_at`,
        firstFrom: sql`(select id, status_at from requisition where deleted_at is null and status_code = 'ACC') r
          join requisition_list l on l.requisition_id = r.id`,
      }),
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
        viewValue: departments.map(({ name }) => name).join(', '),
      }),
  },
  {
    code: 'NEW_RESULTS',
    title: 'New results',
    roles: practices,
    limitHours: 24,
    rows: ({ actor }) => ({
      path: 'home/new_results',
      link: '/?show=NEW_RESULTS',
      list: newResultList(actor),
      since: newSince(actor),
      words: labelOfRequisition,
      reqId: sql`l.requisition_id`,
    }),
  },
  {
    code: 'WANTED',
    title: 'Wanted from you',
    roles: practices,
    limitHours: 48,
    rows: ({ actor }) => ({
      path: 'home/wanted',
      link: '/?show=WANTED',
      list: wantedList(actor),
      since: wantedSince(actor),
      words: labelOfRequisition,
      reqId: sql`l.requisition_id`,
    }),
  },
  {
    code: 'ON_THE_WAY',
    title: 'On the way',
    roles: practices,
    limitHours: 120,
    rows: ({ actor }) =>
      requisitionRows(actor, defaultViewFor(actor.role), {
        since: sql`coalesce(l.received_at, l.logged_at)`,
        filters: { reqStatusCode: onTheWayStatuses },
        viewValue: 'On the way',
        also: isOnTheWay,
      }),
  },
  {
    code: 'SILENT',
    title: 'Silent clients',
    roles: ['SLS'],
    limitHours: 14 * 24,
    rows: ({ actor }) => ({
      path: 'home/clients',
      filters: { isSilent: '1' },
      link: '/?show=SILENT',
      list: salesClientList(actor),
      since: sql`o.last_at`,
      words: sql`c.name`,
    }),
  },
  {
    code: 'OPEN',
    title: 'Open',
    roles: ['SLS'],
    limitHours: 120,
    rows: ({ actor }) =>
      requisitionRows(actor, 'All', {
        since: sql`coalesce(l.received_at, l.logged_at)`,
        filters: { reqStatusCode: [...onTheWayStatuses, 'RELEASE'] },
        viewValue: 'Open',
        also: isOpenWork,
      }),
  },
  {
    code: 'DELIVERED',
    title: 'Delivered',
    roles: ['SLS'],
    limitHours: 240,
    rows: ({ actor }) =>
      requisitionRows(actor, 'Delivered', { since: sql`coalesce(l.delivered_at, l.released_at, l.logged_at)` }),
  },
  {
    code: 'READY_TO_BILL',
    title: 'Ready to bill',
    roles: ['BILL'],
    limitHours: 72,
    rows: ({ actor }) =>
      requisitionRows(actor, 'Billing', {
        since: inStatusSince,
        filters: { reqStatusCode: 'READYBILL' },
        viewValue: statusOf('READYBILL').description,
      }),
  },
  {
    code: 'MISSING_BILLING',
    title: 'Missing billing information',
    roles: ['BILL'],
    limitHours: 72,
    rows: ({ actor }) =>
      requisitionRows(actor, 'Billing', {
        since: inStatusSince,
        filters: { reqStatusCode: 'MISSBILL' },
        viewValue: statusOf('MISSBILL').description,
      }),
  },
  {
    code: 'BATCHES',
    title: 'Batches to send',
    roles: ['BILL'],
    limitHours: 72,
    rows: () => {
      const filters = { sendStatusCode: ['PENDING', 'FAILED'] }
      return {
        path: 'billing/batch',
        filters,
        link: requisitionLink('BillingBatch', filters, 'Not sent'),
        list: batchList,
        since: sql`b.created_at`,
        words: sql`'Batch ' || b.id || ', ' || b.record_count || ' requisition(s)'`,
      }
    },
  },
]

/** A user without a department has no issues: no department has the id 0. */
const departmentsOf = ({ departmentIds }: Actor): string[] =>
  departmentIds.length === 0 ? ['0'] : departmentIds.map(String)

const oldestIssue = ({ departmentIds }: Actor): Sql =>
  sql`(select min(i.created_at) from issue i where i.requisition_id = l.requisition_id and i.deleted_at is null
    and i.status_code not in ('RESOLVED', 'CLOSED') and i.reporter_department_id = any(${[...departmentIds]}::int[]))`

interface RequisitionQueue {
  since: Sql
  filters?: Filters
  /** The filter values as shown on the page. */
  viewValue?: string
  /** Repeats what the filters imply, so that a partial index can be used. */
  also?: Sql
  isIndexed?: boolean
  firstFrom?: Sql
}

/** A tab of the requisition list, with filters of the list. */
const requisitionRows = (
  actor: Actor,
  tab: RequisitionView,
  { since, filters = {}, viewValue, also, ...first }: RequisitionQueue,
): QueueRows => {
  const view = requisitionViews[tab].api as ApiView
  const list = requisitionRowsOf(actor, view, filters)
  return {
    path: `requisitions/${view}`,
    filters,
    link: requisitionLink(tab, filters, viewValue),
    list: also ? { ...list, where: [...list.where, also] } : list,
    ...first,
    since,
    words: labelOfRequisition,
    reqId: sql`l.requisition_id`,
  }
}

/** The list of a view with its total from the counters where they know it, as `requisitions/{view}` reads it. */
export const requisitionRowsOf = (actor: Actor, view: ApiView, filters: Filters) => {
  const query: ListQuery = { page: 1, perPage: 1, sort: null, filters }
  const total = totalFromCounters(view, actor, query)
  return { ...requisitionList(view, actor, query), ...(total && { total }) }
}

/** The page of a tab with these filters; `viewValue` is what it shows of their values. Without any, no Smart View opens by default. */
const requisitionLink = (tab: RequisitionView, filters: Filters, viewValue?: string): string => {
  const params = new URLSearchParams({ status: tab })
  const textOf = (value: FilterValue) => viewValue ?? [value].flat().join(', ')
  const entries = Object.entries(filters).map(([id, value]) => ({ id, value, viewValue: textOf(value) }))
  if (entries.length > 0) params.set('smartFilter', JSON.stringify(entries))
  else params.set('view', '0')
  return `/requisitions?${params}`
}
