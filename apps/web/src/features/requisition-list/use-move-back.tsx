import { messages } from '@lis/contract/messages.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { invalidateRequisitions } from '../../domain/invalidate-requisitions.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { ApiError } from '../../lib/api-error.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { RetryIcon } from '../../ui/icons.tsx'
import { useNotify } from '../../ui/notices.tsx'
import type { BulkAction } from '../../ui/table/bulk-buttons.tsx'
import type { SettleRows } from '../../ui/table/row-outcome.ts'

const noPath: string[] = []

/** Moves a Released requisition back to Accessioned, after a confirmation: its report was already out. */
export const useMoveBack = (): { action: BulkAction<RequisitionRow>; dialog: ReactNode } => {
  const [row, setRow] = useState<RequisitionRow | null>(null)
  const settle = useRef<SettleRows<RequisitionRow>>(undefined)
  const [isBusy, whileBusy] = useBusy()
  const notify = useNotify()
  const client = useQueryClient()
  const move = useSave(requisitionMoveRoutes.moveBack, { invalidates: noPath })
  const ask = ([only]: RequisitionRow[], onSettle: SettleRows<RequisitionRow>) => {
    settle.current = onSettle
    if (only?.id) setRow(only)
    else notify.error(messages.requisitionIdMissing)
  }
  const run = async () => {
    if (!row) return
    await whileBusy(
      async () => {
        await move({ body: { id: row.id, reqStatusCode: 'ACC' } })
        invalidateRequisitions(client)
        settle.current?.(() => ({ isDone: true, text: 'Moved back to Accessioned' }))
        setRow(null)
      },
      (error) => {
        // A final refusal is shown in the row; anything else may be retried.
        if (error instanceof ApiError && [404, 409].includes(error.status)) {
          settle.current?.(() => ({ isDone: false, text: error.message }), { done: 'moved back' })
          setRow(null)
        }
      },
    )
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
        It was Released. Its reports are held, deliveries that wait are withdrawn, and it passes through every stage
        again.
      </ConfirmDialog>
    ),
  }
}
