import { can } from '@lis/contract/access/permissions.ts'
import { type RequisitionRow, requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import { requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import { bulkNext, displayStatus, isStatusCode } from '@lis/contract/requisitions/status.ts'
import {
  type ApiView,
  bulkActionsFor,
  type RequisitionView,
  requisitionViews,
  viewFor,
} from '@lis/contract/requisitions/views.ts'
import { useQueryClient } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { PrinterIcon, PrintLabelsDialog } from '../../domain/print-labels.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useRole } from '../../lib/session.ts'
import { ArrowRightIcon } from '../../ui/icons.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { LoadingState } from '../../ui/states.tsx'
import type { BulkAction } from '../../ui/table/table-footer.tsx'
import { type MovableStatus, NextStatusDialog } from './next-status-dialog.tsx'
import { columnsOf } from './requisition-columns.tsx'
import { filtersOf } from './requisition-filters.ts'
import { StatusBar } from './status-bar.tsx'
import { subTableOf } from './sub-tables.tsx'
import { useBulkActions } from './use-bulk-actions.tsx'
import { ViewTabs } from './view-tabs.tsx'

const defaults = { perPage: 25, perPageOptions: [25, 50, 75, 100] }

type ListView = Exclude<RequisitionView, 'BillingBatch'>

/** The screen the laboratory lives in: every requisition, by stage. */
export const RequisitionListPage = ({ Batches }: { Batches: ComponentType<BatchesProps> }) => {
  const role = useRole()
  const [params] = useSearchParams()
  const view = viewFor(params.get('status'), role)
  const title = role === 'BILL' ? 'Billed Requisitions' : 'Requisitions'
  const above = (
    <>
      {can(role, 'requisitions.statusBar') && <StatusBar view={view} />}
      <ViewTabs role={role} view={view} />
    </>
  )
  useFreshCounts()
  return view === 'BillingBatch' ? (
    <Suspense fallback={<LoadingState label="Data loading" />}>
      <Batches title={title} above={above} />
    </Suspense>
  ) : (
    <Requisitions view={view} title={title} above={above} />
  )
}

/** What the tab of billing batches gets: it is a feature of its own. */
interface BatchesProps {
  title: string
  above: ReactNode
}

const Requisitions = ({ view, title, above }: BatchesProps & { view: ListView }) => {
  const role = useRole()
  const api = requisitionViews[view].api as ApiView
  const columns = useMemo(() => columnsOf(view), [view])
  const filters = useMemo(() => filtersOf(view, role), [view, role])
  const [moving, setMoving] = useState<readonly number[] | null>(null)
  const renderSubTable = subTableOf(view, role)
  const next = isStatusCode(api) ? bulkNext(api) : null
  const [printing, setPrinting] = useState<readonly RequisitionRow[] | null>(null)
  const offered = bulkActionsFor(view, role)
  const actions: BulkAction<RequisitionRow>[] = []
  if (next && offered.includes('nextStatus'))
    actions.push({
      label: `Next status: ${displayStatus(next)}`,
      Glyph: ArrowRightIcon,
      tone: 'main',
      run: (rows) => setMoving(rows.map(({ id }) => id)),
    })
  if (offered.includes('printLabels')) actions.push({ label: 'Print labels', Glyph: PrinterIcon, run: setPrinting })
  const bulk = useBulkActions(view, role)
  return (
    <>
      <ListPage
        key={view}
        title={title}
        create={{ href: '/requisitions/create', permission: 'requisitions.createButton' }}
        screen={`requisitions/${view}`}
        itemName="requisition"
        route={requisitionListRoutes.list}
        params={{ view: api }}
        columns={columns}
        filters={filters}
        searchLabel="Search Requisition"
        defaults={defaults}
        rowName={requisitionTitle}
        exportRoute={bulkActionsFor(view, role).includes('exportAll') ? requisitionListRoutes.export : undefined}
        removeRoute={bulkActionsFor(view, role).includes('delete') ? requisitionMoveRoutes.removeMany : undefined}
        bulkActions={[...actions, ...bulk.actions]}
        {...(renderSubTable && { renderSubTable })}
        above={above}
      />
      {printing && <PrintLabelsDialog requisitions={printing} onClose={() => setPrinting(null)} />}
      {bulk.dialog}
      {moving && (
        <NextStatusDialog
          from={api as MovableStatus}
          ids={moving}
          onClose={() => setMoving(null)}
          onMoved={() => setMoving(null)}
        />
      )}
    </>
  )
}

/** Work of others moves the counts: they are asked for again every half minute while the page is looked at. */
const useFreshCounts = () => {
  const client = useQueryClient()
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible')
        client.invalidateQueries({ queryKey: [requisitionListRoutes.statusCount.path] })
    }, 30_000)
    return () => clearInterval(timer)
  }, [client])
}
