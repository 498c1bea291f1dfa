import { type RequisitionRow, requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import { type Outcome, requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import { bulkNext, displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { StageChip } from '../../domain/stage-chip.tsx'
import { call } from '../../lib/api.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { ArrowRightIcon, RetryIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { KeepRows } from '../../ui/table/bulk-buttons.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { BulkOutcome } from './bulk-outcome.tsx'
import { DryRun } from './dry-run.tsx'

export type MovableStatus = 'LOG' | 'ACC' | 'RESULT' | 'REPORT' | 'RELEASE'

interface NextStatusDialogProps {
  from: MovableStatus
  rows: readonly RequisitionRow[]
  onClose: () => void
  /** Which rows stay ticked: those that did not move. */
  onKeep: KeepRows<RequisitionRow>
}

const invalidates = [requisitionListRoutes.list.path, requisitionListRoutes.statusCount.path]

/** Says what 'next status' will do, before it does it. */
export const NextStatusDialog = ({ from, rows, onClose, onKeep }: NextStatusDialogProps) => {
  const ids = rows.map(({ id }) => id)
  const to = bulkNext(from) as StatusCode
  const move = useSave(requisitionMoveRoutes.bulkMove, { invalidates })
  const [isMoving, setMoving] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const request = { params: { status: from }, query: { id: ids.join(',') } }
  const plan = useQuery({
    queryKey: ['dry run', from, ids],
    queryFn: async ({ signal }) =>
      (await call(requisitionMoveRoutes.bulkMove, { ...request, body: { callSource: from, dryRun: true }, signal }))
        .data,
    // What it answers is old as soon as somebody works on one of them.
    staleTime: 0,
    gcTime: 0,
  })
  const run = async () => {
    setMoving(true)
    try {
      const { data } = await move({ ...request, body: { callSource: from } })
      onKeep(({ id }) => data.refused.some((refusal) => refusal.id === id))
      if (data.refused.length === 0) onClose()
      else setOutcome(data)
    } catch {
      // The notice has said it; the dialog stays, so that it can be tried again.
    } finally {
      setMoving(false)
    }
  }
  const count = plan.data?.moved.length ?? 0
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby="next-status-title"
      slotProps={{ paper: { sx: { width: 900, maxWidth: '96vw' } } }}
    >
      <DialogTitle id="next-status-title" sx={{ display: 'flex', alignItems: 'center', gap: 2, flexWrap: 'wrap' }}>
        Next status: move {ids.length} {ids.length === 1 ? 'requisition' : 'requisitions'}
        <StageChip code={from} /> <ArrowRightIcon size={14} /> <StageChip code={to} />
      </DialogTitle>
      <DialogContent>
        {outcome ? (
          <BulkOutcome rows={rows} outcome={outcome} done={`moved to ${displayStatus(to)}`} />
        ) : plan.data ? (
          <DryRun outcome={plan.data} />
        ) : plan.error ? (
          <LoadFailed error={plan.error} onRetry={() => plan.refetch()} />
        ) : (
          <p role="status" style={{ display: 'flex', gap: 8, alignItems: 'center', minHeight: 120 }}>
            <Spinner sx={{ width: 14, height: 14, color: 'var(--p)' }} /> Checking what will move
          </p>
        )}
      </DialogContent>
      {outcome ? (
        <DialogActions>
          <Button variant="contained" onClick={onClose}>
            Close
          </Button>
        </DialogActions>
      ) : (
        <DialogActions>
          <span style={{ flex: '1 1 auto', color: 'var(--text-3)' }}>
            Each move is written to the requisition’s history.
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            onClick={() => plan.refetch()}
            startIcon={<RetryIcon size={14} />}
            disabled={plan.isFetching || isMoving}
          >
            Check again
          </Button>
          <ActionButton variant="contained" isBusy={isMoving} disabled={count === 0} onClick={run}>
            {count === 0
              ? `Nothing to move to ${displayStatus(to)}`
              : `Move ${count} ${count === 1 ? 'requisition' : 'requisitions'}`}
          </ActionButton>
        </DialogActions>
      )}
    </Dialog>
  )
}
