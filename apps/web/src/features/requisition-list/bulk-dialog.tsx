import type { BulkReceiver } from '@lis/contract/deliveries.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { DryRunDialog } from '../../domain/dry-run-dialog.tsx'
import { shortReason, useMendLink } from '../../domain/mend-link.ts'
import { outdateRequisitions } from '../../domain/requisition-reads.ts'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { events } from '../../lib/events.ts'
import { useSave } from '../../lib/use-save.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { Checkbox } from '../../ui/form/tick.tsx'
import type { SettleRows } from '../../ui/table/row-outcome.ts'
import { BulkReceivers, listed } from './bulk-receivers.tsx'
import type { BulkWork } from './bulk-work.tsx'

interface BulkDialogProps {
  work: BulkWork
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

/** Every bulk action on requisitions: says what it will do, does it, and marks the rows. */
export const BulkDialog = ({ work, rows, onClose, onSettle }: BulkDialogProps) => {
  const ids = rows.map(({ id }) => id)
  const mendLink = useMendLink()
  const [keepsFailed, setKeepsFailed] = useState(true)
  const plan = useQuery({
    queryKey: ['dry run', work.route.path, ids],
    queryFn: async ({ signal }) => ((await call(work.route, { ...work.input(ids, true), signal })) as Reply).data,
    // What it answers is old as soon as somebody works on one of them.
    staleTime: 0,
    gcTime: 0,
  })
  const settle = ({ refused, movedOn }: Outcome) => {
    const failures = new Map(refused.map((refusal) => [refusal.id, refusal]))
    onSettle(
      ({ id }) => {
        const failure = failures.get(id)
        if (!failure) return { isDone: true, text: capital((movedOn?.includes(id) && work.doneOn) || work.done) }
        return { isDone: false, text: shortReason(failure.reason), mend: mendLink(failure) }
      },
      { done: work.done, ticked: work.keepsTicks ? 'all' : keepsFailed ? 'failed' : 'none' },
    )
    onClose()
  }
  const { run, isRunning, error } = useRun(work, ids, settle)
  return (
    <DryRunDialog
      title={work.title(ids.length)}
      plan={plan}
      rows={rows}
      verb={work.verb}
      note={work.note}
      confirm={work.confirm}
      nothing={work.nothing}
      isDestructive={work.isDestructive}
      isRunning={isRunning}
      failure={error}
      onRun={run}
      onClose={onClose}
    >
      {plan.data?.receivers && plan.data.receivers.length > 0 && <BulkReceivers receivers={plan.data.receivers} />}
      {plan.data?.neverSent && <NeverSent ids={plan.data.neverSent} total={plan.data.moved.length} />}
      {!work.keepsTicks && plan.data && plan.data.refused.length > 0 && plan.data.moved.length > 0 && (
        <div style={{ marginTop: 8 }}>
          <Checkbox
            label={`Keep the ${plan.data.refused.length} selected afterwards, so that they can be mended`}
            checked={keepsFailed}
            onChange={({ target }) => setKeepsFailed(target.checked)}
          />
        </div>
      )}
    </DryRunDialog>
  )
}

/** Before the question is asked: who reads this may rather deliver them. */
const NeverSent = ({ ids, total }: { ids: readonly number[]; total: number }) => (
  <div style={{ marginTop: 8 }}>
    <Banner type="warning">
      {total === 1 ? 'This one' : `${ids.length} of these ${total}`} {ids.length === 1 ? 'was' : 'were'} never sent:{' '}
      {listed(ids)}. To send {ids.length === 1 ? 'it' : 'them'}, use 'Deliver' instead; otherwise you are asked how the
      reports reached their receivers.
    </Banner>
  </div>
)

/** What was left undone is no mere information. */
const announce = ({ data, message }: Reply) =>
  events.emit('notice', { type: data.refused.length > 0 ? 'warning' : 'info', message })

/** Does it, once; a failure is told in the dialog too, which stays so that it can be tried again. */
const useRun = (work: BulkWork, ids: number[], onDone: (outcome: Outcome) => void) => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const save = useSave(work.route, { invalidates: noPath, isSilent: true, ...work.failing })
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const inWords = (failure: Error) => new Error(work.failing?.wording?.(failure) ?? failure.message)
  const run = async () => {
    setRunning(true)
    setError(null)
    try {
      const reply = await save(work.input(ids, false))
      outdateRequisitions(client)
      if (work.onDone) work.onDone(reply)
      else announce(reply as Reply)
      work.follow?.(reply, navigate)
      onDone((reply as Reply).data)
    } catch (failure) {
      // Who decides not to save after a question has not met with a failure.
      if (!(failure instanceof ApiError && failure.isCancelled)) setError(inWords(failure as Error))
      setRunning(false)
    }
  }
  return { run, isRunning, error }
}
