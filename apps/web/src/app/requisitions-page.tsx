import { lazy } from 'react'
import { RequisitionListPage } from '../features/requisition-list/requisition-list-page.tsx'

const BatchPage = lazy(async () => ({
  default: (await import('../features/billing-batches/batch-page.tsx')).BatchPage,
}))

/** The requisition list; its billing batches tab is a page of another feature. */
export const RequisitionsPage = () => <RequisitionListPage Batches={BatchPage} />
