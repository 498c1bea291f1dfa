import { messages } from '@lis/contract/messages.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { setFlag, setFlags, setReasons } from './cells.ts'

export const requisitionCellModule = implement(requisitionCellRoutes, {
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
})
