import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { isStatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { type ApiView, requisitionViews } from '@lis/contract/requisitions/views.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { isUnrestricted } from '../../platform/db/scope.ts'
import type { ListDefinition, MergedRanges, Sql } from '../../platform/lists.ts'
import { zoneAbbreviation } from '../../platform/zones.ts'
import { openIssues } from '../issues/queries.ts'
import { type ListNames, namesByKey, statusDescription } from '../requisition-record/names.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'
import {
  conditionsByRow,
  conditionsForBilled,
  conditionsForManyClients,
  isLate,
  issueConditions,
  requisitionConditions,
} from './list-filters.ts'

const makeFields = (names: ListNames): Record<string, Sql> => ({
  id: sql`l.requisition_id`,
  reqID: sql`l.requisition_id`,
  reqId: sql`l.requisition_id`,
  patientId: sql`l.patient_id`,
  patientFirstName: sql`p.first_name`,
  patientLastName: sql`p.last_name`,
  patientDob: sql`l.patient_dob`,
  patientGenderDesc: names.lookup('GENDER', sql`l.gender_code`),
  patientAge: sql`extract(year from age(l.patient_dob))::int`,
  reqStatusCode: sql`l.status_code`,
  reqStatusDesc: statusDescription(sql`l.status_code`),
  physId: sql`l.physician_id`,
  physFirstName: sql`ph.first_name`,
  physLastName: sql`ph.last_name`,
  clientId: sql`l.client_id`,
  legacyClientId: sql`c.legacy_client_id`,
  clientName: sql`c.name`,
  colaId: sql`l.collaborator_id`,
  colaName: sql`cola.name`,
  dateCollected: sql`l.collected_at`,
  collectedTz: sql`l.collected_zone`,
  dateReceived: sql`l.received_at`,
  labTz: names.labZone(sql`l.lab_id`),
  dateLogged: sql`l.logged_at`,
  reportedStatusDate: sql`l.reported_at`,
  testCodes: sql`l.test_codes`,
  reqBillTypeDesc: names.lookup('REQBILLTYPE', sql`l.bill_type_code`),
  insuranceCompany: sql`l.insurance_company`,
  flag: sql`array_to_string(l.flag_ids, ',')`,
  partialReport: flag01(sql`l.is_partial_report`),
  partialRelease: flag01(sql`l.is_partial_release`),
  tat: sql`floor(extract(epoch from coalesce(l.released_at, now()) - l.received_at) / 3600)::int`,
  dueDate: sql`l.due_at`,
  willBeLate: flag01(isLate),
  isSendNotif: flag01(sql`l.is_send_notif`),
  isDemQcPass: flag01(sql`l.is_dem_qc_pass`),
  isDownloadable: flag01(sql`l.is_downloadable`),
  reqPassCodes: names.reasons(sql`l.pass_reason_ids`),
  clientTransmitMethodDesc: sql`coalesce(${names.lookup('TRANSMITMETHOD', sql`c.transmit_method_code`)}, '')`,
  latestTransmitMethodDesc: names.lookup('TRANSMITMETHOD', sql`l.delivery_method_code`),
  latestDeliveryDate: sql`l.delivered_at`,
  latestDeliveredByName: sql`case when l.delivered_by is not null then
    (select u.first_name || ' ' || u.last_name from app_user u where u.id = l.delivered_by) end`,
  salesRepCode: sql`l.sales_rep_code`,
  version: sql`(select version from requisition where id = l.requisition_id)`,
})

const fieldsByNames = new WeakMap<ListNames, Record<string, Sql>>()

/** Put together once for all lists that show the same names. */
const fieldsWith = (names: ListNames): Record<string, Sql> => {
  const fields = fieldsByNames.get(names) ?? makeFields(names)
  fieldsByNames.set(names, fields)
  return fields
}

const issueFields = (actor: Actor): Record<string, Sql> => {
  const { count, departmentIds } = openIssues(actor)
  return {
    issueCount: count,
    reporterDeptcodes: sql`case when l.open_issue_count = 0 then '' else
    (select coalesce(string_agg(d.name, ', ' order by d.sort_order), '') from department d where d.id = any(${departmentIds})) end`,
  }
}

const sorts: Record<string, Sql> = {
  id: sql`l.requisition_id`,
  reqID: sql`l.requisition_id`,
  patientLastName: sql`l.patient_key`,
  patientDob: sql`l.patient_dob`,
  reqStatusDesc: sql`l.status_code`,
  physLastName: sql`l.physician_key`,
  clientName: sql`l.client_key`,
  dateCollected: sql`l.collected_at`,
  salesRepCode: sql`l.sales_rep_code`,
  testCodes: sql`l.test_codes`,
  reqBillTypeDesc: sql`l.bill_type_code`,
  dateReceived: sql`l.received_at`,
  dateLogged: sql`l.logged_at`,
  patientGenderDesc: sql`l.gender_code`,
  latestDeliveryDate: sql`l.delivered_at`,
  tat: sql`(coalesce(l.released_at, now()) - l.received_at)`,
  // Descending, the most urgent flag is first, and rows without one are last.
  flag: sql`l.flag_order`,
  dueDate: sql`l.due_at`,
  // What will be late is before the rest in this order, the first of all what is late already.
  willBeLate: sql`l.late_order`,
}

/** Within a tab of the laboratory all rows have the same status. */
const sortsInTab: Record<string, Sql> = { ...sorts, reqStatusDesc: sql`l.requisition_id` }

/**
 * One physician's requisitions have few physician and client names, far from the start of the index over all of them. The concatenation
 * hides that index from the planner.
 */
const sortsOfPhysician = { physLastName: sql`(l.physician_key || '')`, clientName: sql`(l.client_key || '')` }

/**
 * Few of a client's or physician's requisitions have a flag. The sum hides the index over all flags from the planner, which would be walked
 * to the end of them: 169 ms of a million.
 */
const sortsOfFew = { flag: sql`(l.flag_order + 0)` }

/** One client has one name and one sales rep. */
const sortsOfClient = { clientName: sql`l.requisition_id`, salesRepCode: sql`l.requisition_id` }

const hasNarrowScope = ({ scope }: Actor) => ['CLNT', 'COLA', 'PHYS', 'SLS'].includes(scope.role)

/** Views that can hold every requisition. */
export const isUnboundedView = (view: ApiView) => view === 'ALL' || view === 'BILL' || view === 'CLIENTPHYSROLE'

const sortsOf = (view: ApiView, { scope }: Actor, { filters }: ListQuery): Record<string, Sql> => {
  const isOneClient = scope.role === 'CLNT' || (typeof filters.clientId === 'string' && !filters.clientId.includes(','))
  return {
    ...(isUnboundedView(view) ? sorts : sortsInTab),
    ...(scope.role === 'PHYS' && sortsOfPhysician),
    ...(isOneClient && sortsOfClient),
    ...((isOneClient || scope.role === 'PHYS' || scope.role === 'SLS') && sortsOfFew),
  }
}

const tabOf = (code: string) => (isStatusCode(code) ? requisitionViews[statusOf(code).tab].api : null)

/** The tab as a literal: with a parameter the planner could not use the partial indexes of the tabs. */
const tabCondition = (view: ApiView, { filters }: ListQuery): Sql[] => {
  if (view === 'ALL' || view === 'CLIENTPHYSROLE') return []
  // Statuses of this tab imply the tab and have their own index.
  const statuses = filters.reqStatusCode === undefined ? [] : [filters.reqStatusCode].flat()
  if (statuses.length > 0 && statuses.every((code) => tabOf(code) === view)) return []
  return [sql`l.tab_code = ${sql.lit(view)}`]
}

/** The requisition list of one view for one person. The columns of `requisition_list` alone find the keys; names are joined for the page only. */
export const requisitionList = (
  view: ApiView,
  actor: Actor,
  query: ListQuery,
  names: ListNames = namesByKey,
): ListDefinition => {
  const tab = tabCondition(view, query)
  const ranges = rangesOf(actor, query)
  // Each order of several keys would be a statement of its own.
  const hasOneKey = query.sort?.thenBy === undefined
  const isStable = isUnrestricted(actor.scope) && hasOneKey && stableSorts.includes(query.sort?.field ?? 'id')
  const name = `${view} ${actor.role} ${JSON.stringify(query.sort)}`
  return {
    keys: {
      from: sql`requisition_list l`,
      key: sql`l.requisition_id`,
      isFilterFirst: isFilterFirst(actor, query),
      ...(isStable && names.statements && { stable: { statements: names.statements, name } }),
      ...(ranges && {
        merged: { from: ranges, where: tab, ...(actor.scope.role === 'SLS' && inClient(query)) },
      }),
    },
    from: sql`requisition_list l join requisition_patient p on p.requisition_id = l.requisition_id join client c on c.id = l.client_id join physician ph on ph.id = l.physician_id
      left join collaborator cola on cola.id = l.collaborator_id`,
    where: [visibleRequisitions(actor), ...tab],
    fields: { ...fieldsWith(names), ...issueFields(actor) },
    sort: sortsOf(view, actor, query),
    nullable: ['dateReceived', 'latestDeliveryDate', 'tat', 'dueDate'],
    filter: conditionsOf(view, actor),
    defaultOrder: sql`l.requisition_id`,
    key: sql`l.requisition_id`,
    append: zoneAbbreviations,
  }
}

/** The usual orders; each is one more prepared statement for each view. */
const stableSorts = ['id', 'reqID', 'dateCollected']

/** A sales person with this many clients: merging their ranges costs as much as reading all. */
const hasManyClients = ({ scope }: Actor) => scope.role === 'SLS' && scope.ids.length > 100

const conditionsOf = (view: ApiView, actor: Actor) => {
  if (hasManyClients(actor)) return { ...conditionsForManyClients, ...issueConditions(actor) }
  if (hasNarrowScope(actor) || !isUnboundedView(view)) return { ...conditionsByRow, ...issueConditions(actor) }
  return { ...(view === 'BILL' ? conditionsForBilled : requisitionConditions), ...issueConditions(actor) }
}

/** Sorts for which an index holds each client's rows in order. */
const sortsInClient = ['id', 'reqID', 'dateCollected', 'patientLastName', 'physLastName', ...Object.keys(sortsOfClient)]

/** Within one client's range: flags have an index there, ordered by number. */
const inClient = (query: ListQuery) => ({ sort: sortsOfClient, filters: isByNumber(query) ? ['flag'] : [] })

/** For a scope of several index ranges: a physician's own and copied requisitions, a sales person's clients. */
const rangesOf = (actor: Actor, { sort }: ListQuery): MergedRanges['from'] | undefined => {
  const { scope } = actor
  const [id] = scope.ids
  if (scope.role === 'PHYS')
    return (firstOf) =>
      sql`(${firstOf(sql`l.physician_id = ${id}`)} union all ${firstOf(sql`l.copy_physician_id = ${id} and l.physician_id <> ${id}`)}) l`
  if (scope.role === 'SLS' && !hasManyClients(actor) && sortsInClient.includes(sort?.field ?? 'id'))
    return (firstOf) =>
      sql`unnest(${[...scope.ids]}::int[]) mine(id) cross join lateral ${firstOf(sql`l.client_id = mine.id`)} l`
  return undefined
}

/**
 * Filters with few matches far from where the index by number begins. Old requisitions have old dates, so with a date range the planner
 * would walk the numbers from the wrong end. With several search words, a name beside another filter, a physician's two ranges, or a
 * fail code it would walk all of them. The open issues of a department are among the newest requisitions, whatever the order.
 */
const isFilterFirst = ({ scope }: Actor, query: ListQuery): boolean => {
  const { filters } = query
  if (filters.issueDeptId !== undefined) return true
  const isRare = (name: string) =>
    name.startsWith('date') ||
    name === 'failCodes' ||
    (nameFilters.includes(name) && (scope.role === 'PHYS' || Object.keys(filters).length > 1)) ||
    (name === 'search' && /\S[\s,]+\S/.test(String(filters.search)))
  return isByNumber(query) && Object.keys(filters).some(isRare)
}
const isByNumber = ({ sort }: ListQuery) => ['id', 'reqID'].includes(sort?.field ?? 'id')
const nameFilters = ['search', 'patientFirstName', 'patientLastName']

/** From memory: the database does not know the names that browsers show. */
const zoneAbbreviations: ListDefinition['append'] = {
  from: ['dateCollected', 'collectedTz', 'dateReceived', 'dateLogged', 'labTz'],
  fields: (row) => {
    const { dateCollected, collectedTz, dateReceived, dateLogged, labTz } = row as unknown as RequisitionRow
    return {
      collectedTzAbbr: zoneAbbreviation(dateCollected, collectedTz),
      labTzAbbr: zoneAbbreviation(dateReceived ?? dateLogged, labTz),
    }
  },
}

/** The same rows for an export: scalar subqueries for names suit a page of 25; for thousands of rows joins are faster. */
export const listForExport = (list: ListDefinition, names: readonly string[]): ListDefinition => {
  const { keys: _, ...rest } = list // one statement reads all rows
  const all = { ...list.fields, ...joinedNames }
  return {
    ...rest,
    nullable: list.nullable ?? [],
    from: sql`${list.from} left join requisition_status_type st on st.code = l.status_code left join lab on lab.id = l.lab_id
      left join lov bt on bt.type_code = 'REQBILLTYPE' and bt.code = l.bill_type_code
      left join lov gt on gt.type_code = 'GENDER' and gt.code = l.gender_code`,
    fields: Object.fromEntries(
      Object.entries(all).filter(([name]) => names.includes(name) || accessLogFields.includes(name)),
    ),
    // The list may be sorted by a field that the export does not show.
    sort: { ...list.fields, ...list.sort },
  }
}
/** Needed by the access log, also when no column shows them. */
const accessLogFields = ['reqId', 'patientId']
const joinedNames: Record<string, Sql> = {
  reqStatusDesc: sql`st.description`,
  labTz: sql`lab.zone`,
  reqBillTypeDesc: sql`bt.description`,
  patientGenderDesc: sql`gt.description`,
  // Most rows have none and skip the subquery.
  flagDescs: sql`case when l.flag_ids = '{}' then null else
    (select string_agg(f.description, ', ' order by f.sort_order, f.id) from flag f where f.id = any(l.flag_ids)) end`,
}
