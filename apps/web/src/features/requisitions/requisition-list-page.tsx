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
import { type ComponentType, type ReactNode, Suspense, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { requisitionDefaults } from '../../domain/list-position.ts'
import { PrinterIcon, PrintLabelsDialog } from '../../domain/print-labels.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useRole } from '../../lib/session.ts'
import { ArrowRightIcon } from '../../ui/icons.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { LoadingState } from '../../ui/states.tsx'
import type { BulkAction, KeepRows } from '../../ui/table/bulk-buttons.tsx'
import { type MovableStatus, NextStatusDialog } from './next-status-dialog.tsx'
import { columnsOf } from './requisition-columns.tsx'
import { filtersOf } from './requisition-filters.ts'
import { StatusBar } from './status-bar.tsx'
import { subTableOf } from './sub-tables.tsx'
import { useBulkActions } from './use-bulk-actions.tsx'
import { useLiveList } from './use-live-list.ts'
import { useMoveBack } from './use-move-back.tsx'
import { useScan } from './use-scan.ts'
import { ViewTabs } from './view-tabs.tsx'

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
  useLiveList()
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

interface Moving {
  rows: readonly RequisitionRow[]
  keep: KeepRows<RequisitionRow>
}

const Requisitions = ({ view, title, above }: BatchesProps & { view: ListView }) => {
  const role = useRole()
  const api = requisitionViews[view].api as ApiView
  const columns = useMemo(() => columnsOf(view), [view])
  const filters = useMemo(() => filtersOf(view, role), [view, role])
  const [moving, setMoving] = useState<Moving | null>(null)
  const scan = useScan()
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
      run: (rows, keep) => setMoving({ rows, keep }),
    })
  if (offered.includes('printLabels')) actions.push({ label: 'Print labels', Glyph: PrinterIcon, run: setPrinting })
  const bulk = useBulkActions(view, role)
  const moveBack = useMoveBack()
  if (offered.includes('moveBack')) bulk.actions.push(moveBack.action)
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
        defaults={requisitionDefaults}
        onScan={scan}
        rowName={requisitionTitle}
        exportRoute={bulkActionsFor(view, role).includes('exportAll') ? requisitionListRoutes.export : undefined}
        removeRoute={bulkActionsFor(view, role).includes('delete') ? requisitionMoveRoutes.removeMany : undefined}
        bulkActions={[...actions, ...bulk.actions]}
        {...(renderSubTable && { renderSubTable })}
        above={above}
      />
      {printing && <PrintLabelsDialog requisitions={printing} onClose={() => setPrinting(null)} />}
      {bulk.dialog}
      {moveBack.dialog}
      {moving && (
        <NextStatusDialog
          from={api as MovableStatus}
          rows={moving.rows}
          onKeep={moving.keep}
          onClose={() => setMoving(null)}
        />
      )}
    </>
  )
}
