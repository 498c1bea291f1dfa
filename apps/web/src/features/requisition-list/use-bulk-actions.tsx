import type { Role } from '@lis/contract/access/roles.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { bulkNextStatus, displayStatus, isStatusCode } from '@lis/contract/requisitions/status.ts'
import {
  type BulkAction as ActionName,
  bulkActionsFor,
  type RequisitionView,
  requisitionViews,
} from '@lis/contract/requisitions/views.ts'
import { type ReactNode, useState } from 'react'
import { PrinterIcon, PrintLabelsDialog } from '../../domain/print-labels.tsx'
import { ArrowRightIcon, BellIcon, DownloadIcon, RequisitionsIcon } from '../../ui/icons.tsx'
import type { BulkAction } from '../../ui/table/bulk-buttons.tsx'
import type { SettleRows } from '../../ui/table/row-outcome.ts'
import { CheckIcon, TrashIcon } from '../../ui/table/table-icons.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import {
  type BulkOperation,
  billingRun,
  delivery,
  download,
  labQcRelease,
  type MovableStatus,
  nextStatus,
  notification,
  removal,
  reportCreation,
} from './bulk-operations.tsx'
import { useMoveBack } from './use-move-back.tsx'

interface Open {
  work: BulkOperation | 'labels'
  rows: readonly RequisitionRow[]
  settle: SettleRows<RequisitionRow>
}

/** The bulk actions by view and role (LIST-G9). */
export const useBulkActions = (
  view: RequisitionView,
  role: Role,
): { actions: BulkAction<RequisitionRow>[]; dialog: ReactNode } => {
  const [open, setOpen] = useState<Open | null>(null)
  const moveBack = useMoveBack()
  const close = () => setOpen(null)
  const ask = (work: Open['work']) => (rows: RequisitionRow[], settle: SettleRows<RequisitionRow>) =>
    setOpen({ work, rows, settle })
  const from = requisitionViews[view].api
  const next = from && isStatusCode(from) ? bulkNextStatus(from) : null
  const known: Partial<Record<ActionName, BulkAction<RequisitionRow>>> = {
    ...(next && {
      nextStatus: {
        label: `Next status: ${displayStatus(next)}`,
        Glyph: ArrowRightIcon,
        tone: 'main',
        run: ask(nextStatus(from as MovableStatus)),
      },
    }),
    printLabels: { label: 'Print labels', Glyph: PrinterIcon, run: ask('labels') },
    makeReports: { label: 'Make reports', Glyph: RequisitionsIcon, run: ask(reportCreation) },
    releaseReports: { label: 'Release', Glyph: CheckIcon, run: ask(labQcRelease) },
    delivery: { label: 'Deliver', Glyph: ArrowRightIcon, run: ask(delivery) },
    sendNotification: { label: 'Send notification', Glyph: BellIcon, run: ask(notification) },
    runBilling: { label: 'Run billing', Glyph: RequisitionsIcon, run: ask(billingRun) },
    bulkDownload: { label: 'Bulk download', Glyph: DownloadIcon, run: ask(download(view)) },
    moveBack: moveBack.action,
    delete: { label: 'Delete', Glyph: TrashIcon, tone: 'danger', run: ask(removal) },
  }
  const onLabelsPrinted = (isPrinted: boolean) => {
    const done = isPrinted ? 'printed' : 'downloaded'
    open?.settle(() => ({ isDone: true, text: `Labels ${done}` }), { done, ticked: 'all' })
  }
  return {
    actions: bulkActionsFor(view, role).flatMap((name) => known[name] ?? []),
    dialog: (
      <>
        {open &&
          (open.work === 'labels' ? (
            <PrintLabelsDialog requisitions={open.rows} onDone={onLabelsPrinted} onClose={close} />
          ) : (
            <BulkDialog operation={open.work} rows={open.rows} onSettle={open.settle} onClose={close} />
          ))}
        {moveBack.dialog}
      </>
    ),
  }
}
