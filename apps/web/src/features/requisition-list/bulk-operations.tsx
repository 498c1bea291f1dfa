import { billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { deliveryRoutes } from '@lis/contract/deliveries.ts'
import type { ReplyOf, Route } from '@lis/contract/kit/route.ts'
import { deleteWarning, messages } from '@lis/contract/messages.ts'
import { reportRoutes } from '@lis/contract/reports.ts'
import { type downloadSources, requisitionDownloadRoutes } from '@lis/contract/requisitions/downloads.ts'
import { type Outcome, requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import { bulkNextStatus, displayStatus, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import type { ReactNode } from 'react'
import { StageChip } from '../../domain/stage-chip.tsx'
import type { CallInput } from '../../lib/api-client.ts'
import type { SaveOptions } from '../../lib/use-save.ts'
import { ArrowRightIcon } from '../../ui/icons.tsx'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { followReportJob } from './report-jobs.ts'

/** A bulk action on requisitions: one call for the preview and for the action itself. */
export interface BulkOperation {
  route: Route
  /** The request; the same for the preview and the action. */
  input: (ids: number[], dryRun: boolean) => CallInput<Route>
  title: (count: number) => ReactNode
  /** 'move': what will happen to each requisition. */
  verb: string
  /** 'moved to Released': describes the successful ones. */
  done: string
  /** 'moved on to Resulted': describes those that went further by themselves. */
  doneOn?: string
  /** Label of the button. */
  confirm: (count: number) => string
  nothing: string
  note: string | ((count: number) => string)
  isDestructive?: boolean
  /** It changes nothing in the rows: they stay selected for the next action. */
  keepsSelection?: boolean
  /** How a failure is announced, where not like that of a save. */
  failing?: Pick<SaveOptions, 'failure' | 'errorMessage'>
  /** Announces success itself. */
  onDone?: (reply: unknown) => void
  /** Continues in the background, and reports the result later. */
  followUp?: (reply: unknown, navigate: (to: string) => void) => void
}

type Texts = Omit<BulkOperation, 'route' | 'input'>

/** Checks the request against the contract; the dialog need not know the route. */
const operation = <R extends Route>(
  route: ReplyOf<R> extends { data: Outcome } ? R : never,
  input: (ids: number[], dryRun: boolean) => CallInput<R>,
  texts: Texts,
): BulkOperation => ({ route, input: input as unknown as BulkOperation['input'], ...texts })

const countText = (count: number) => `${count} ${count === 1 ? 'requisition' : 'requisitions'}`

const named = (title: string) => ({
  title: (count: number) => `${title}: ${countText(count)}`,
  confirm: (count: number) => `${title}: ${countText(count)}`,
  nothing: 'Nothing to do',
})

export type MovableStatus = 'LOG' | 'ACC' | 'RESULT' | 'REPORT' | 'RELEASE'

export const nextStatus = (from: MovableStatus): BulkOperation => {
  const to = bulkNextStatus(from) as StatusCode
  return operation(
    requisitionMoveRoutes.bulkMove,
    (ids, dryRun) => ({ params: { status: from }, query: { id: ids.join(',') }, body: { callSource: from, dryRun } }),
    {
      title: (count) => (
        <>
          Next status: move {countText(count)}
          <StageChip code={from} /> <ArrowRightIcon size={14} /> <StageChip code={to} />
        </>
      ),
      verb: 'move',
      done: `moved to ${displayStatus(to)}`,
      doneOn: `moved on to ${displayStatus(statusOf(to).next ?? to)}`,
      confirm: (count) => `Move ${countText(count)}`,
      nothing: `Nothing to move to ${displayStatus(to)}`,
      note: 'Each move is written to the requisition’s history.',
    },
  )
}

export const delivery = operation(deliveryRoutes.deliverMany, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Deliver'),
  verb: 'go',
  done: 'on the way',
  note: 'Each receiver gets the reports by its own method; the ledger keeps what became of them.',
})

export const billingRun = operation(billingBatchRoutes.run, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Run billing'),
  verb: 'become ready to bill',
  done: 'ready to bill',
  note: 'What lacks something gets a billing note that says what, and is marked Missing billing information.',
})

export const notification = operation(deliveryRoutes.notifyMany, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Send notification'),
  verb: 'be told',
  done: 'told',
  note: 'Patients hear that results are ready, never the results.',
})

export const reportCreation = operation(reportRoutes.makeMany, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Make reports'),
  verb: 'get a report',
  done: 'getting a report',
  note: 'The reports wait for lab QC like uploaded ones.',
  followUp: (reply, navigate) => {
    const { jobId } = (reply as ReplyOf<typeof reportRoutes.makeMany>).data
    if (jobId !== null) void followReportJob(jobId, navigate)
  },
})

export const labQcRelease = operation(reportRoutes.releaseMany, (reqIds, dryRun) => ({ body: { reqIds, dryRun } }), {
  ...named('Release'),
  confirm: (count) => `Release the reports of ${countText(count)}`,
  nothing: 'Nothing to release',
  verb: 'be released by lab QC',
  done: 'released by lab QC',
  note: 'Each pending report passes the checks of a single release. A released report can go to its receivers.',
})

export const removal = operation(
  requisitionMoveRoutes.removeMany,
  (ids, dryRun) => ({ query: { id: ids.join(','), ...(dryRun && { dryRun: '1' as const }) } }),
  {
    title: (count) => (count === 1 ? messages.deleteOne('requisition') : messages.deleteMany(count, 'requisition')),
    verb: 'be deleted',
    done: 'deleted',
    confirm: (count) => `Delete ${countText(count)}`,
    nothing: 'Nothing to delete',
    note: (count) => deleteWarning(count),
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
  operation(
    requisitionDownloadRoutes.bulkDownload,
    (reqIds, dryRun) => ({ body: { reqIds, callSource: sources[view] ?? 'VIEW', dryRun } }),
    {
      ...named('Bulk download'),
      confirm: (count) => `Download the reports of ${count}`,
      nothing: 'Nothing to download',
      verb: 'be in the file',
      done: 'in the file',
      note: 'Released reports alone, in one ZIP file.',
      keepsSelection: true,
      failing: { failure: 'error', errorMessage: (error) => downloadFailure(error).message },
      onDone: (reply) => {
        // Rows that are not in the file are marked with the reason.
        const { remark: _, ...outcome } = downloadOutcome(reply)
        finishDownload(outcome)
      },
    },
  )
