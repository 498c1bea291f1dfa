import type { BulkReceiver } from '@lis/contract/deliveries.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { DryRunDialog } from '../../domain/dry-run-dialog.tsx'
import { invalidateRequisitions } from '../../domain/invalidate-requisitions.ts'
import { shortReason, useFixLink } from '../../domain/use-fix-link.ts'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'
import { useSave } from '../../lib/use-save.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { Checkbox } from '../../ui/form/toggles.tsx'
import type { SettleRows } from '../../ui/table/row-outcome.ts'
import type { BulkOperation } from './bulk-operations.tsx'
import { BulkReceivers, joinIds } from './bulk-receivers.tsx'

interface BulkDialogProps {
  operation: BulkOperation
  rows: readonly RequisitionRow[]
  onClose: () => void
  onSettle: SettleRows<RequisitionRow>
}

interface Reply {
  /** Of a delivery that is only planned: who would get what. */
  data: Outcome & { receivers?: BulkReceiver[] | undefined }
  message: string
}

const noPath: string[] = []
const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** The dialog of every bulk action on requisitions: shows what it will do, does it, and marks the rows. */
export const BulkDialog = ({ operation, rows, onClose, onSettle }: BulkDialogProps) => {
  const ids = rows.map(({ id }) => id)
  const fixLink = useFixLink()
  const [keepsFailed, setKeepsFailed] = useState(true)
  const plan = useQuery({
    queryKey: ['dry run', operation.route.path, ids],
    queryFn: async ({ signal }) =>
      ((await call(operation.route, { ...operation.input(ids, true), signal })) as Reply).data,
    // The preview is outdated as soon as another user works on one of them.
    staleTime: 0,
    gcTime: 0,
  })
  const settle = ({ refused, movedOn }: Outcome) => {
    const failures = new Map(refused.map((refusal) => [refusal.id, refusal]))
    onSettle(
      ({ id }) => {
        const failure = failures.get(id)
        if (!failure)
          return { isDone: true, text: capital((movedOn?.includes(id) && operation.doneOn) || operation.done) }
        return { isDone: false, text: shortReason(failure.reason), fixLink: fixLink(failure) }
      },
      { done: operation.done, ticked: operation.keepsSelection ? 'all' : keepsFailed ? 'failed' : 'none' },
    )
    onClose()
  }
  const { run, isRunning, error } = useRun(operation, ids, settle)
  return (
    <DryRunDialog
      title={operation.title(ids.length)}
      plan={plan}
      rows={rows}
      verb={operation.verb}
      note={typeof operation.note === 'string' ? operation.note : operation.note(plan.data?.moved.length || ids.length)}
      confirm={operation.confirm}
      nothing={operation.nothing}
      isDestructive={operation.isDestructive}
      isRunning={isRunning}
      failure={error}
      onRun={run}
      onClose={onClose}
    >
      {plan.data?.receivers && plan.data.receivers.length > 0 && <BulkReceivers receivers={plan.data.receivers} />}
      {plan.data?.neverSent && <UndeliveredNotice ids={plan.data.neverSent} total={plan.data.moved.length} />}
      {!operation.keepsSelection && plan.data && plan.data.refused.length > 0 && plan.data.moved.length > 0 && (
        <div style={{ marginTop: 8 }}>
          <Checkbox
            label={`Keep the ${plan.data.refused.length} selected afterwards, so that they can be corrected`}
            checked={keepsFailed}
            onChange={({ target }) => setKeepsFailed(target.checked)}
          />
        </div>
      )}
    </DryRunDialog>
  )
}

/** Shown before the confirmation: the user may want to deliver them first. */
const UndeliveredNotice = ({ ids, total }: { ids: readonly number[]; total: number }) => (
  <div style={{ marginTop: 8 }}>
    <Banner type="warning">
      {total === 1 ? 'This one' : `${ids.length} of these ${total}`} {ids.length === 1 ? 'was' : 'were'} never sent:{' '}
      {joinIds(ids)}. To send {ids.length === 1 ? 'it' : 'them'}, use 'Deliver' instead; otherwise you are asked how the
      reports reached their receivers.
    </Banner>
  </div>
)

/** Skipped requisitions are a warning, not just information. */
const announce = ({ data, message }: Reply) =>
  events.emit('notice', { type: data.refused.length > 0 ? 'warning' : 'info', message })

/** Runs it once; an error is also shown in the dialog, which stays open for another try. */
const useRun = (operation: BulkOperation, ids: number[], onDone: (outcome: Outcome) => void) => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const save = useSave(operation.route, { invalidates: noPath, isSilent: true, ...operation.failing })
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const inWords = (failure: Error) => new Error(operation.failing?.errorMessage?.(failure) ?? failure.message)
  const run = async () => {
    setRunning(true)
    setError(null)
    try {
      const reply = await save(operation.input(ids, false))
      invalidateRequisitions(client)
      if (operation.onDone) operation.onDone(reply)
      else announce(reply as Reply)
      operation.followUp?.(reply, navigate)
      onDone((reply as Reply).data)
    } catch (failure) {
      // Deciding not to save after a question is not an error.
      if (!(failure instanceof ApiError && failure.isCancelled)) setError(inWords(failure as Error))
      setRunning(false)
    }
  }
  return { run, isRunning, error }
}
