import { messages } from '@lis/contract/messages.ts'
import { type Outcome, requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import {
  bulkNextStatus,
  displayStatus,
  findMove,
  type Move,
  nextStatus,
  type StatusCode,
} from '@lis/contract/requisitions/status.ts'
import { withUndoId } from '../../platform/db/undo.ts'
import { announce } from '../../platform/domain-events.ts'
import { AppError, conflict, invalid, notFound } from '../../platform/errors.ts'
import { implement, type WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { askHowDelivered, findNeverSent } from './never-sent.ts'
import {
  lockRequisitionRows,
  planMove,
  planRemoval,
  removeRequisitions,
  runMove,
  undoResulted,
  withoutSignature,
} from './service.ts'
import { recordMoveUndo } from './undo.ts'

const nextMove = (from: StatusCode): Move => {
  const to = bulkNextStatus(from)
  const move = to && findMove(from, to, 'BULK')
  if (!move) throw invalid('status', `There is no next status for ${from}`)
  return move
}

/** A move to Delivered asks how reports that were never sent from here have reached their recipients. */
const bulkMove = async (context: WriteCallWithQuestions, ids: readonly number[], move: Move, isDryRun: boolean) => {
  if (isDryRun) {
    const plan = await planMove(context, ids, move)
    const neverSent = move.to === 'DELIVER' ? await findNeverSent(context.db, plan.moved) : []
    return neverSent.length > 0 ? { ...plan, neverSent } : plan
  }
  return move.to === 'DELIVER' ? moveToDelivered(context, ids, move) : runMove(context, ids, move)
}

const moveToDelivered = async (
  context: WriteCallWithQuestions,
  ids: readonly number[],
  move: Move,
): Promise<Outcome> => {
  await lockRequisitionRows(context.db, ids)
  const { moved } = await planMove(context, ids, move)
  const neverSent = await findNeverSent(context.db, moved)
  const how = askHowDelivered(context, neverSent, moved.length)
  if (how === null) return runMove(context, ids, move)
  const { refused } = await runMove(
    context,
    ids.filter((id) => !neverSent.includes(id)),
    move,
  )
  await runMove(context, neverSent, { ...move, reason: how })
  await announce(context, 'deliveredOutside', { requisitionIds: neverSent, how })
  return { moved, refused, neverSent }
}

/** Nothing was released, because signatures are missing. */
const requireSignatures = ({ moved, refused }: Outcome) => {
  if (moved.length > 0 || !refused.some(({ id, reason }) => reason.includes(withoutSignature(id)))) return
  const reason = refused.map((one) => one.reason).join('. ')
  throw conflict(reason, { reason, refused })
}

const summary = ({ moved, movedOn, neverSent, refused }: Outcome, to: StatusCode) =>
  [
    `${moved.length} requisition(s) moved to ${displayStatus(to)}`,
    ...(movedOn ? [`${movedOn.length} of them on to ${displayStatus(nextStatus(to) ?? to)}: nothing is missing`] : []),
    ...(neverSent ? [`${neverSent.length} of them never sent from here`] : []),
    ...(refused.length > 0 ? [`${refused.length} not done`] : []),
  ].join(', ')

/** The error for a single requisition that was refused. */
const refusedError = (reason: string) =>
  reason.endsWith('not found') ? notFound('Requisition') : new AppError('conflict', reason)

export const requisitionMoveModule = implement(requisitionMoveRoutes, {
  bulkMove: async (context) => {
    const { params, query, body } = context
    if (body.callSource && body.callSource !== params.status)
      throw invalid('callSource', 'callSource must be the status in the address')
    const move = nextMove(params.status)
    const data = await bulkMove(context, query.id, move, body.dryRun)
    if (body.dryRun) return { data, message: '' }
    requireSignatures(data)
    const reply = { data, message: summary(data, move.to) }
    // What was declared as delivered outside is in the delivery ledger and stays there.
    if (data.moved.length === 0 || data.neverSent) return reply
    return withUndoId(reply, await recordMoveUndo(context, data.moved, move.from, move.to))
  },
  moveBack: async (context) => {
    const move = findMove('RELEASE', 'ACC', 'BACK') as Move
    const data = await runMove(context, [context.body.id], move)
    const refused = data.refused[0]
    if (refused) throw refusedError(refused.reason)
    await announce(context, 'statusMovedBack', { requisitionIds: data.moved, from: move.from, to: move.to })
    return { data, message: messages.statusUpdated }
  },
  undoResulted: async (context) => ({
    data: await undoResulted(context, context.params.id),
    message: messages.statusUpdated,
  }),
  remove: async (context) => {
    const { refused } = await removeRequisitions(context, [context.params.id])
    if (refused[0]) throw refusedError(refused[0].reason)
    return { message: messages.deleted }
  },
  removeMany: async (context) => {
    if (context.query.dryRun) return { data: await planRemoval(context, context.query.id), message: '' }
    const data = await removeRequisitions(context, context.query.id)
    if (data.moved.length === 0 && data.refused[0]) throw refusedError(data.refused[0].reason)
    return {
      data,
      message:
        data.refused.length > 0 ? `${data.moved.length} deleted, ${data.refused.length} not done` : messages.deleted,
    }
  },
})
