import { messages } from '@lis/contract/messages.ts'
import { type Outcome, requisitionMoveRoutes } from '@lis/contract/requisitions/moves.ts'
import {
  bulkNext,
  displayStatus,
  findMove,
  type Move,
  nextStatus,
  type StatusCode,
} from '@lis/contract/requisitions/status.ts'
import { AppError, invalid } from '../../platform/http/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { refusedDelete, setFlag, setFlags, setReasons } from './cells.ts'
import { followMoveBack } from './follow-record.ts'
import { planMove, planRemoval, removeRequisitions, runMove } from './service.ts'

const nextMove = (from: StatusCode): Move => {
  const to = bulkNext(from)
  const move = to && findMove(from, to, 'BULK')
  if (!move) throw invalid('status', `There is no next status for ${from}`)
  return move
}

const summary = ({ moved, movedOn, refused }: Outcome, to: StatusCode) =>
  [
    `${moved.length} requisition(s) moved to ${displayStatus(to)}`,
    ...(movedOn ? [`${movedOn.length} of them on to ${displayStatus(nextStatus(to) ?? to)}: nothing is missing`] : []),
    ...(refused.length > 0 ? [`${refused.length} not done`] : []),
  ].join(', ')

export const requisitionMoveModule = implement(requisitionMoveRoutes, {
  bulkMove: async (context) => {
    const { params, query, body } = context
    if (body.callSource && body.callSource !== params.status)
      throw invalid('callSource', 'callSource must be the status in the address')
    const move = nextMove(params.status)
    const data = body.dryRun ? await planMove(context, query.id, move) : await runMove(context, query.id, move)
    return { data, message: body.dryRun ? '' : summary(data, move.to) }
  },
  moveBack: async (context) => {
    const move = findMove('RELEASE', 'ACC', 'BACK') as Move
    const data = await runMove(context, [context.body.id], move)
    const refused = data.refused[0]
    if (refused)
      throw refused.reason.endsWith('not found')
        ? refusedDelete(refused.reason)
        : new AppError('conflict', refused.reason)
    await followMoveBack(context, data.moved, move)
    return { data, message: messages.statusUpdated }
  },
  sendNotif: async (context) => ({
    data: await setFlag(
      context,
      context.params.reqID,
      'isSendNotif',
      context.body.isSendNotif,
      expectedVersion(context.request),
    ),
    message: messages.updated,
  }),
  demQc: async (context) => ({
    data: await setFlag(
      context,
      context.params.reqID,
      'isDemQcPass',
      context.body.isDemQcPass,
      expectedVersion(context.request),
    ),
    message: messages.updated,
  }),
  passCodes: async (context) => ({
    data: await setReasons(
      context,
      context.params.reqID,
      'PASS',
      context.body.passIds,
      expectedVersion(context.request),
    ),
    message: messages.passCodesUpdated,
  }),
  failCodes: async (context) => ({
    data: await setReasons(
      context,
      context.params.reqID,
      'FAIL',
      context.body.failIds,
      expectedVersion(context.request),
    ),
    message: messages.failCodesUpdated,
  }),
  flags: async (context) => ({
    data: await setFlags(context, context.params.reqID, context.body.flagIds, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    const { refused } = await removeRequisitions(context, [context.params.id])
    if (refused[0]) throw refusedDelete(refused[0].reason)
    return { message: messages.deleted }
  },
  removeMany: async (context) => {
    if (context.query.dryRun) return { data: await planRemoval(context, context.query.id), message: '' }
    const data = await removeRequisitions(context, context.query.id)
    if (data.moved.length === 0 && data.refused[0]) throw refusedDelete(data.refused[0].reason)
    return {
      data,
      message:
        data.refused.length > 0 ? `${data.moved.length} deleted, ${data.refused.length} not done` : messages.deleted,
    }
  },
})
