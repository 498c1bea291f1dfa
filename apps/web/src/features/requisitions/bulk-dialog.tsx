import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import Button from '@mui/material/Button'
import Dialog from '@mui/material/Dialog'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import IconButton from '@mui/material/IconButton'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { outdateRequisitions } from '../../domain/requisition-reads.ts'
import { call } from '../../lib/api.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Checkbox } from '../../ui/form/tick.tsx'
import { CloseIcon, RetryIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { SettleRows } from '../../ui/table/row-outcome.ts'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import type { BulkWork } from './bulk-work.tsx'
import { DryRun } from './dry-run.tsx'
import { shortReason, useMendLink } from './mend-link.ts'

interface BulkDialogProps {
  work: BulkWork
  rows: readonly RequisitionRow[]
  onClose: () => void
  onSettle: SettleRows<RequisitionRow>
}

interface Reply {
  data: Outcome
  message: string
}

const noPath: string[] = []
const actionsLook = {
  '& .note': { flex: '1 1 auto', color: 'var(--text-3)' },
  '@media (max-width: 599.95px)': { flexWrap: 'wrap', padding: '8px 12px', '& .note': { flexBasis: '100%' } },
}
const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Every bulk action on requisitions: says what it will do ('38 will move, 4 will not', and why), does it, and marks the rows. */
export const BulkDialog = ({ work, rows, onClose, onSettle }: BulkDialogProps) => {
  const ids = rows.map(({ id }) => id)
  const titleId = useId()
  const mendLink = useMendLink()
  const [keepsFailed, setKeepsFailed] = useState(true)
  const plan = useQuery({
    queryKey: ['dry run', work.route.path, ids],
    queryFn: async ({ signal }) => ((await call(work.route, { ...work.input(ids, true), signal })) as Reply).data,
    // What it answers is old as soon as somebody works on one of them.
    staleTime: 0,
    gcTime: 0,
  })
  const settle = ({ refused }: Outcome) => {
    const failures = new Map(refused.map((refusal) => [refusal.id, refusal]))
    onSettle(
      ({ id }) => {
        const failure = failures.get(id)
        if (!failure) return { isDone: true, text: capital(work.done) }
        return { isDone: false, text: shortReason(failure.reason), mend: mendLink(failure) }
      },
      { done: work.done, ticked: work.keepsTicks ? 'all' : keepsFailed ? 'failed' : 'none' },
    )
    onClose()
  }
  const { run, isRunning, error } = useRun(work, ids, settle)
  const count = plan.data?.moved.length ?? 0
  const main = useFocusWhen(plan.data !== undefined && count > 0 && !work.isDestructive)
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { width: 900, maxWidth: '96vw' } } }}
    >
      <DialogTitle sx={{ display: 'flex', alignItems: 'flex-start', gap: 2 }}>
        <span
          id={titleId}
          style={{ flex: '1 1 auto', display: 'flex', alignItems: 'center', gap: 8, flexWrap: 'wrap' }}
        >
          {work.title(ids.length)}
        </span>
        <IconButton aria-label="Close" sx={{ margin: '-4px' }} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </DialogTitle>
      <DialogContent>
        {plan.data ? (
          <DryRun outcome={plan.data} rows={rows} verb={work.verb} isOpen={work.isDestructive} />
        ) : plan.error ? (
          <LoadFailed error={plan.error} onRetry={() => plan.refetch()} />
        ) : (
          <p role="status" style={{ display: 'flex', gap: 8, alignItems: 'center', minHeight: 120 }}>
            <Spinner sx={{ width: 14, height: 14, color: 'var(--p)' }} /> Checking what will {work.verb}
          </p>
        )}
        {!work.keepsTicks && plan.data && plan.data.refused.length > 0 && count > 0 && (
          <div style={{ marginTop: 8 }}>
            <Checkbox
              label={`Keep the ${plan.data.refused.length} selected afterwards, so that they can be mended`}
              checked={keepsFailed}
              onChange={({ target }) => setKeepsFailed(target.checked)}
            />
          </div>
        )}
        {error && (
          <div style={{ marginTop: 8 }}>
            <Banner type="error">{error.message}</Banner>
          </div>
        )}
      </DialogContent>
      <DialogActions sx={actionsLook}>
        <span className="note">{work.note}</span>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          onClick={() => plan.refetch()}
          startIcon={plan.isFetching ? <Spinner sx={{ width: 14, height: 14 }} /> : <RetryIcon size={14} />}
          disabled={plan.isFetching || isRunning}
        >
          Check again
        </Button>
        <ActionButton
          ref={main}
          variant="contained"
          color={work.isDestructive ? 'error' : 'primary'}
          isBusy={isRunning}
          disabled={count === 0}
          onClick={run}
        >
          {plan.data && count === 0 ? work.nothing : work.confirm(count)}
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}

/** Does it, once; a failure is told in the dialog too, which stays so that it can be tried again. */
const useRun = (work: BulkWork, ids: number[], onDone: (outcome: Outcome) => void) => {
  const client = useQueryClient()
  const save = useSave(work.route, { invalidates: noPath, isSilent: work.onDone !== undefined })
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const run = async () => {
    setRunning(true)
    setError(null)
    try {
      const reply = await save(work.input(ids, false))
      outdateRequisitions(client)
      work.onDone?.(reply)
      onDone((reply as Reply).data)
    } catch (failure) {
      setError(failure as Error)
      setRunning(false)
    }
  }
  return { run, isRunning, error }
}

/** What Enter does, as soon as it can be done. */
const useFocusWhen = (isReady: boolean) => {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isReady) button.current?.focus()
  }, [isReady])
  return button
}
