import { billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { deliveryRoutes } from '@lis/contract/deliveries.ts'
import type { ReplyOf, Route } from '@lis/contract/kit/route.ts'
import { messages } from '@lis/contract/messages.ts'
import { reportRoutes } from '@lis/contract/reports.ts'
import { type downloadSources, requisitionDownloadRoutes } from '@lis/contract/requisitions/downloads.ts'
import { type Outcome, requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import { bulkNext, displayStatus, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import type { ReactNode } from 'react'
import { StageChip } from '../../domain/stage-chip.tsx'
import type { CallInput } from '../../lib/api-client.ts'
import type { SaveOptions } from '../../lib/use-save.ts'
import { ArrowRightIcon } from '../../ui/icons.tsx'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { followMaking } from './follow-making.ts'

/** A bulk action on requisitions: one call that says what it would do, and does it. */
export interface BulkWork {
  route: Route
  /** What is sent; the same for the plan and for the deed. */
  input: (ids: number[], dryRun: boolean) => CallInput<Route>
  title: (count: number) => ReactNode
  /** 'move': what each requisition will do or not do. */
  verb: string
  /** 'moved to Released': what became of those with which it went well. */
  done: string
  /** 'moved on to Resulted': of those that went further by themselves. */
  doneOn?: string
  /** Of the button. */
  confirm: (count: number) => string
  nothing: string
  note: string
  isDestructive?: boolean
  /** It changes nothing in the rows: they stay ticked for the next action. */
  keepsTicks?: boolean
  /** How a failure is told, where not as that of a save. */
  failing?: Pick<SaveOptions, 'failure' | 'wording'>
  /** It tells of success itself. */
  onDone?: (reply: unknown) => void
  /** It goes on after the answer, and tells later what came of it. */
  follow?: (reply: unknown, navigate: (to: string) => void) => void
}

type Texts = Omit<BulkWork, 'route' | 'input'>

/** Checks what is sent against the contract; the dialog need not know which call it is. */
const work = <R extends Route>(
  route: ReplyOf<R> extends { data: Outcome } ? R : never,
  input: (ids: number[], dryRun: boolean) => CallInput<R>,
  texts: Texts,
): BulkWork => ({ route, input: input as unknown as BulkWork['input'], ...texts })

export const counted = (count: number) => `${count} ${count === 1 ? 'requisition' : 'requisitions'}`

const named = (title: string) => ({
  title: (count: number) => `${title}: ${counted(count)}`,
  confirm: (count: number) => `${title}: ${counted(count)}`,
  nothing: 'Nothing to do',
})

export type MovableStatus = 'LOG' | 'ACC' | 'RESULT' | 'REPORT' | 'RELEASE'

export const nextStatus = (from: MovableStatus): BulkWork => {
  const to = bulkNext(from) as StatusCode
  return work(
    requisitionMoveRoutes.bulkMove,
    (ids, dryRun) => ({ params: { status: from }, query: { id: ids.join(',') }, body: { callSource: from, dryRun } }),
    {
      title: (count) => (
        <>
          Next status: move {counted(count)}
          <StageChip code={from} /> <ArrowRightIcon size={14} /> <StageChip code={to} />
        </>
      ),
      verb: 'move',
      done: `moved to ${displayStatus(to)}`,
      doneOn: `moved on to ${displayStatus(statusOf(to).next ?? to)}`,
      confirm: (count) => `Move ${counted(count)}`,
      nothing: `Nothing to move to ${displayStatus(to)}`,
      note: 'Each move is written to the requisition’s history.',
    },
  )
}

export const delivery = work(deliveryRoutes.deliverMany, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Deliver'),
  verb: 'go',
  done: 'on the way',
  note: 'Each receiver gets the reports by its own method; the ledger keeps what became of them.',
})

export const billingRun = work(billingBatchRoutes.run, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Run billing'),
  verb: 'become ready to bill',
  done: 'ready to bill',
  note: 'What lacks something gets a billing note that says what, and is marked Missing billing information.',
})

export const notification = work(deliveryRoutes.notifyMany, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Send notification'),
  verb: 'be told',
  done: 'told',
  note: 'Patients hear that results are ready, never the results.',
})

export const making = work(reportRoutes.makeMany, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Make reports'),
  verb: 'get a report',
  done: 'getting a report',
  note: 'The reports wait for lab QC like uploaded ones.',
  follow: (reply, navigate) => {
    const { jobId } = (reply as ReplyOf<typeof reportRoutes.makeMany>).data
    if (jobId !== null) void followMaking(jobId, navigate)
  },
})

export const removal = work(
  requisitionMoveRoutes.removeMany,
  (ids, dryRun) => ({ query: { id: ids.join(','), ...(dryRun && { dryRun: '1' as const }) } }),
  {
    title: (count) => (count === 1 ? messages.deleteOne('requisition') : messages.deleteMany(count, 'requisition')),
    verb: 'be deleted',
    done: 'deleted',
    confirm: (count) => `Delete ${counted(count)}`,
    nothing: 'Nothing to delete',
    note: `${messages.deleteWarning} ${messages.deleteRestorable}`,
    isDestructive: true,
    failing: { failure: 'error' },
  },
)

const sources: Partial<Record<RequisitionView, (typeof downloadSources)[number]>> = {
  Resulted: 'RESULT',
  Reported: 'REPORT',
  Released: 'RELEASE',
  Delivered: 'DELIVER',
}

export const download = (view: RequisitionView) =>
  work(
    requisitionDownloadRoutes.bulkDownload,
    (reqIds, dryRun) => ({ body: { reqIds, callSource: sources[view] ?? 'VIEW', dryRun } }),
    {
      ...named('Bulk download'),
      confirm: (count) => `Download the reports of ${count}`,
      nothing: 'Nothing to download',
      verb: 'be in the file',
      done: 'in the file',
      note: 'Released reports alone, in one ZIP file.',
      keepsTicks: true,
      failing: { failure: 'error', wording: (error) => downloadFailure(error).message },
      onDone: (reply) => {
        // Each row that is not in the file is marked with the reason.
        const { remark: _, ...outcome } = downloadOutcome(reply)
        finishDownload(outcome)
      },
    },
  )
