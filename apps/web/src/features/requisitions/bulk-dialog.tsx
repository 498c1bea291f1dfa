import type { deliveryRoutes } from '@lis/contract/deliveries.ts'
import type { reportRoutes } from '@lis/contract/reports.ts'
import { type RequisitionRow, requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { call } from '../../lib/api.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { RetryIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { KeepRows } from '../../ui/table/bulk-buttons.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { BulkOutcome } from './bulk-outcome.tsx'
import { DryRun } from './dry-run.tsx'

type BulkRoute = typeof deliveryRoutes.deliverMany | typeof deliveryRoutes.notifyMany | typeof reportRoutes.makeMany

export interface BulkWork {
  route: BulkRoute
  /** 'Deliver': of the title and the button. */
  title: string
  /** 'go': what each requisition will do or not do. */
  verb: string
  /** 'on the way': what became of those with which it went well. */
  done: string
  note: string
}

interface BulkDialogProps {
  work: BulkWork
  rows: readonly RequisitionRow[]
  onClose: () => void
  /** Which rows stay ticked: those with which it failed. */
  onKeep: KeepRows<RequisitionRow>
}

const invalidates = [requisitionListRoutes.list.path, requisitionListRoutes.statusCount.path]
const counted = (count: number) => `${count} ${count === 1 ? 'requisition' : 'requisitions'}`

/** Says what a bulk action will do, before it does it: '38 will go, 4 will not', and why. */
export const BulkDialog = ({ work, rows, onClose, onKeep }: BulkDialogProps) => {
  const { route, title, verb, note } = work
  const ids = rows.map(({ id }) => id)
  const titleId = useId()
  const save = useSave(route, { invalidates })
  const [isRunning, setRunning] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const plan = useQuery({
    queryKey: ['dry run', route.path, ids],
    queryFn: async ({ signal }) => (await call(route, { body: { reqIds: ids, dryRun: true }, signal })).data,
    // What it answers is old as soon as somebody works on one of them.
    staleTime: 0,
    gcTime: 0,
  })
  const run = async () => {
    setRunning(true)
    try {
      const { data } = await save({ body: { reqIds: ids } })
      onKeep(({ id }) => data.refused.some((refusal) => refusal.id === id))
      if (data.refused.length === 0) onClose()
      else setOutcome(data)
    } catch {
      // The notice has said it; the dialog stays, so that it can be tried again.
    } finally {
      setRunning(false)
    }
  }
  const count = plan.data?.moved.length ?? 0
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { width: 900, maxWidth: '96vw' } } }}
    >
      <DialogTitle id={titleId}>
        {title}: {counted(ids.length)}
      </DialogTitle>
      <DialogContent>
        {outcome ? (
          <BulkOutcome rows={rows} outcome={outcome} done={work.done} />
        ) : plan.data ? (
          <DryRun outcome={plan.data} verb={verb} />
        ) : plan.error ? (
          <LoadFailed error={plan.error} onRetry={() => plan.refetch()} />
        ) : (
          <p role="status" style={{ display: 'flex', gap: 8, alignItems: 'center', minHeight: 120 }}>
            <Spinner sx={{ width: 14, height: 14, color: 'var(--p)' }} /> Checking what will {verb}
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
          <span style={{ flex: '1 1 auto', color: 'var(--text-3)' }}>{note}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            onClick={() => plan.refetch()}
            startIcon={<RetryIcon size={14} />}
            disabled={plan.isFetching || isRunning}
          >
            Check again
          </Button>
          <ActionButton variant="contained" isBusy={isRunning} disabled={count === 0} onClick={run}>
            {count === 0 ? 'Nothing to do' : `${title}: ${counted(count)}`}
          </ActionButton>
        </DialogActions>
      )}
    </Dialog>
  )
}
