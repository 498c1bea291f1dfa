import { messages } from '@lis/contract/messages.ts'
import { type RequisitionRow, requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import { requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import { type ReactNode, useState } from 'react'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { RetryIcon } from '../../ui/icons.tsx'
import { useNotify } from '../../ui/notices.tsx'
import type { BulkAction } from '../../ui/table/bulk-buttons.tsx'

const invalidates = [requisitionListRoutes.list.path, requisitionListRoutes.statusCount.path]

/** One Released requisition back to Accessioned, after a question: its report was out already. */
export const useMoveBack = (): { action: BulkAction<RequisitionRow>; dialog: ReactNode } => {
  const [row, setRow] = useState<RequisitionRow | null>(null)
  const [isBusy, setBusy] = useState(false)
  const notify = useNotify()
  const move = useSave(requisitionMoveRoutes.moveBack, { invalidates })
  const ask = ([only]: RequisitionRow[]) => {
    if (only?.id) setRow(only)
    else notify.error(messages.requisitionIdMissing)
  }
  const run = async () => {
    if (!row) return
    setBusy(true)
    try {
      await move({ body: { id: row.id, reqStatusCode: 'ACC' } })
      setRow(null)
    } catch {
      // The notice says why; the question stays open for another try.
    } finally {
      setBusy(false)
    }
  }
  return {
    action: { label: 'Move back to Accessioned', Glyph: RetryIcon, isSingle: true, run: ask },
    dialog: row && (
      <ConfirmDialog
        isOpen
        title="Are you sure you want to move this requisition back to Accessioned?"
        subject={requisitionTitle(row)}
        confirmLabel="Move back"
        isBusy={isBusy}
        onConfirm={run}
        onCancel={() => setRow(null)}
      >
        It was Released. Its reports stay in the history, and it passes through every stage again.
      </ConfirmDialog>
    ),
  }
}
