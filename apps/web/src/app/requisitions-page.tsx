import { lazy } from 'react'
import { RequisitionListPage } from '../features/requisition-list/requisition-list-page.tsx'

const BatchPage = lazy(async () => ({
  default: (await import('../features/billing-batches/batch-page.tsx')).BatchPage,
}))

/** The list of requisitions, whose tab of billing batches is a screen of its own. */
export const RequisitionsPage = () => <RequisitionListPage Batches={BatchPage} />
