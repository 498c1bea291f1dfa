import { can } from '@lis/contract/access/permissions.ts'
import { type ListQuery, sortKeys } from '@lis/contract/kit/list-query.ts'
import { labSorts, requisitionListRoutes, requisitionSorts } from '@lis/contract/requisitions/list.ts'
import { type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import type { ApiView } from '@lis/contract/requisitions/views.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { forbidden, invalid } from '../../platform/errors.ts'
import { exportList } from '../../platform/exports.ts'
import { type Context, implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { readBalances } from '../billing/queries.ts'
import { listNames } from '../requisition-record/names.ts'
import { countByStatus, totalFromCounters } from './counts.ts'
import { exportColumns, exportFields } from './export-columns.ts'
import { isUnboundedView, listForExport, requisitionList } from './list.ts'

/** Views that can hold everything offer only sorts that have an index. */
const requireSort = (view: ApiView, { sort }: ListQuery) => {
  const offered: readonly string[] = isUnboundedView(view) ? requisitionSorts : labSorts
  const unknown = sortKeys(sort).find(({ field }) => !offered.includes(field))
  if (unknown) throw invalid('sort', `This view cannot be sorted by "${unknown.field}"`)
}

type Call = Pick<Context<typeof requisitionListRoutes.list>, 'db' | 'actor' | 'services'>

const listOf = async ({ db, actor, services }: Call, view: ApiView, query: ListQuery) => {
  requireSort(view, query)
  const total = totalFromCounters(view, actor, query)
  return { ...requisitionList(view, actor, query, await listNames(db, services)), ...(total && { total }) }
}

const addBalances = async (db: Db, rows: Record<string, unknown>[]) => {
  const balances = await readBalances(
    db,
    rows.map(({ id }) => id as number),
  )
  return rows.map((row) => ({ ...row, balances: balances.get(row.id as number) ?? [] }))
}

const readCounts = async (db: Db, actor: Actor) => {
  const counts = await countByStatus(db, actor)
  const data = [...counts].map(([code, count]) => ({
    reqStatusCode: code,
    reqStatusDesc: statusOf(code as StatusCode).description,
    reqStatusCount: count,
  }))
  return { data, message: '' }
}

export const requisitionListModule = implement(requisitionListRoutes, {
  statusCount: ({ db, actor }) => readCounts(db, actor),
  tabCounts: ({ db, actor }) => readCounts(db, actor),
  list: async (context) => {
    const { db, actor, params, query, services, requestId } = context
    services.accessLog.note(requestId, { namesPatients: true })
    const list = await listOf(context, params.view, query)
    const hasBalances = params.view === 'BILL' && can(actor.role, 'requisitionTabs.payments')
    const withBalances = { finishPage: (rows: Record<string, unknown>[]) => addBalances(db, rows) }
    return listPage(db, { ...list, ...(hasBalances && withBalances) }, query)
  },
  export: async (context) => {
    const { actor, params, query } = context
    if (params.view === 'BILL' && !can(actor.role, 'requisitions.exportBilling')) throw forbidden()
    return exportList(context, {
      name: `requisitions-${params.view.toLowerCase()}`,
      list: listForExport(await listOf(context, params.view, query), exportFields(params.view)),
      query,
      columns: exportColumns(params.view),
    })
  },
})
