import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'

/** What a practice or a physician wants to know of an order: whether its report can be had yet. */
export const ReportCell = ({ row }: { row: RequisitionRow }) =>
  row.isDownloadable === 1 ? <>Released</> : <span style={{ color: 'var(--text-3)' }}>Result Pending</span>
