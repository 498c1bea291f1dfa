import { can } from '@lis/contract/access/permissions.ts'
import { requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import {
  type ApiView,
  bulkActionsFor,
  type RequisitionView,
  requisitionViews,
} from '@lis/contract/requisitions/views.ts'
import { type ComponentType, type ReactNode, Suspense, useMemo } from 'react'
import { DeletedLink } from '../../domain/deleted-link.tsx'
import { requisitionDefaults } from '../../domain/list-position.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useRole, useSession } from '../../lib/session.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { useResumeReportJobs } from './report-jobs.ts'
import { columnsOf } from './requisition-columns.tsx'
import { filtersOf, labelOfFilter } from './requisition-filters.ts'
import { StatusBar, useStageCounts } from './status-bar.tsx'
import { subTableOf, usePreloadSubTables } from './sub-tables.tsx'
import { useBulkActions } from './use-bulk-actions.tsx'
import { useLiveList } from './use-live-list.ts'
import { useScan } from './use-scan.ts'
import { useTabOfAddress } from './use-tab-of-address.ts'
import { ViewTabs } from './view-tabs.tsx'

type ListView = Exclude<RequisitionView, 'BillingBatch'>

/** All requisitions by stage: the laboratory's main screen. */
export const RequisitionListPage = ({ Batches }: { Batches: ComponentType<BatchesProps> }) => {
  const role = useRole()
  const { view, isReady } = useTabOfAddress(role)
  const title = role === 'BILL' ? 'Billed Requisitions' : 'Requisitions'
  const seesCounts = can(role, 'requisitions.statusBar')
  const counts = useStageCounts(role)
  const above = (
    <>
      {seesCounts && <StatusBar view={view} counts={counts} />}
      <ViewTabs role={role} view={view} counts={counts} />
    </>
  )
  useLiveList()
  useResumeReportJobs()
  if (!isReady) {
    return (
      <>
        <PageHeader title={title} />
        {above}
        <LoadingState label="Data loading" />
      </>
    )
  }
  return view === 'BillingBatch' ? (
    <Suspense
      fallback={
        <>
          <PageHeader title={title} />
          {above}
          <LoadingState label="Data loading" />
        </>
      }
    >
      <Batches title={title} above={above} />
    </Suspense>
  ) : (
    <Requisitions view={view} title={title} above={above} />
  )
}

/** Props of the billing batches tab, which belongs to another feature. */
interface BatchesProps {
  title: string
  above: ReactNode
}

const Requisitions = ({ view, title, above }: BatchesProps & { view: ListView }) => {
  const role = useRole()
  const api = requisitionViews[view].api as ApiView
  const columns = useMemo(() => columnsOf(view), [view])
  const entityId = useSession()?.access.entityId ?? null
  const filters = useMemo(() => filtersOf(view, role, entityId), [view, role, entityId])
  const scan = useScan()
  const renderSubTable = subTableOf(view, role)
  usePreloadSubTables()
  const bulk = useBulkActions(view, role)
  return (
    <>
      <ListPage
        key={view}
        title={title}
        aside={<DeletedLink kind="requisition" />}
        create={{ href: '/requisitions/create', permission: 'requisitions.createButton' }}
        screen={`requisitions/${view}`}
        itemName="requisition"
        route={requisitionListRoutes.list}
        params={{ view: api }}
        columns={columns}
        filters={filters}
        labelOfFilter={labelOfFilter}
        searchLabel="Search Requisition"
        defaults={requisitionDefaults}
        onScan={scan}
        rowName={requisitionTitle}
        exportRoute={bulkActionsFor(view, role).includes('exportAll') ? requisitionListRoutes.export : undefined}
        bulkActions={bulk.actions}
        selectsAll
        {...(renderSubTable && { renderSubTable })}
        above={above}
      />
      {bulk.dialog}
    </>
  )
}
