import type { Role } from '@lis/contract/access/roles.ts'
import { deliveryRoutes } from '@lis/contract/deliveries.ts'
import { reportRoutes } from '@lis/contract/reports.ts'
import { requisitionDownloadRoutes } from '@lis/contract/requisitions/downloads.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import {
  type BulkAction as ActionName,
  bulkActionsFor,
  type RequisitionView,
} from '@lis/contract/requisitions/views.ts'
import { type ReactNode, useState } from 'react'
import { call } from '../../lib/api.ts'
import { ArrowRightIcon, BellIcon, DownloadIcon, RequisitionsIcon } from '../../ui/icons.tsx'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import type { BulkAction, KeepRows } from '../../ui/table/bulk-buttons.tsx'
import { BulkDialog, type BulkWork } from './bulk-dialog.tsx'

const delivery: BulkWork = {
  route: deliveryRoutes.deliverMany,
  title: 'Deliver',
  verb: 'go',
  done: 'on the way',
  note: 'Each receiver gets the reports by its own method; the ledger keeps what became of them.',
}
const notification: BulkWork = {
  route: deliveryRoutes.notifyMany,
  title: 'Send notification',
  verb: 'be told',
  done: 'told',
  note: 'Patients hear that results are ready, never the results.',
}
const making: BulkWork = {
  route: reportRoutes.makeMany,
  title: 'Make reports',
  verb: 'get a report',
  done: 'with a report',
  note: 'The reports wait for lab QC like uploaded ones.',
}

const sources: Partial<Record<RequisitionView, 'RESULT' | 'REPORT' | 'RELEASE' | 'DELIVER'>> = {
  Resulted: 'RESULT',
  Reported: 'REPORT',
  Released: 'RELEASE',
  Delivered: 'DELIVER',
}

/** The released reports of these requisitions as one ZIP. */
export const downloadReports = async (view: RequisitionView, reqIds: number[]) => {
  try {
    const callSource = sources[view] ?? 'VIEW'
    finishDownload(
      downloadOutcome(await call(requisitionDownloadRoutes.bulkDownload, { body: { reqIds, callSource } })),
    )
  } catch (error) {
    finishDownload(downloadFailure(error))
  }
}

interface Open {
  work: BulkWork
  rows: readonly RequisitionRow[]
  keep: KeepRows<RequisitionRow>
}

/** What can be done with ticked rows besides moving and deleting them, by view and role (LIST-G9). */
export const useBulkActions = (
  view: RequisitionView,
  role: Role,
): { actions: BulkAction<RequisitionRow>[]; dialog: ReactNode } => {
  const [open, setOpen] = useState<Open | null>(null)
  const idsOf = (rows: readonly RequisitionRow[]) => rows.map(({ id }) => id)
  const ask = (work: BulkWork) => (rows: RequisitionRow[], keep: KeepRows<RequisitionRow>) =>
    setOpen({ work, rows, keep })
  const known: Partial<Record<ActionName, BulkAction<RequisitionRow>>> = {
    makeReports: { label: 'Make reports', Glyph: RequisitionsIcon, run: ask(making) },
    delivery: { label: 'Deliver', Glyph: ArrowRightIcon, run: ask(delivery) },
    sendNotification: { label: 'Send notification', Glyph: BellIcon, run: ask(notification) },
    bulkDownload: { label: 'Bulk download', Glyph: DownloadIcon, run: (rows) => downloadReports(view, idsOf(rows)) },
  }
  return {
    actions: bulkActionsFor(view, role).flatMap((name) => known[name] ?? []),
    dialog: open && <BulkDialog work={open.work} rows={open.rows} onKeep={open.keep} onClose={() => setOpen(null)} />,
  }
}
