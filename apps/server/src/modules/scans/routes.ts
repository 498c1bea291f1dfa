import { scanRoutes } from '@lis/contract/scans.ts'
import { implement } from '../../platform/http/implement.ts'
import { runScan } from './run-scan.ts'
import { getScanCode } from './service.ts'

export const scansModule = implement(scanRoutes, {
  scan: async (context) => {
    const { body, services, requestId } = context
    const data = await runScan(context, body)
    if (data.reqId !== null) services.accessLog.note(requestId, { reqIds: [data.reqId] })
    const reply = { data, message: data.message }
    return data.undoId === null ? reply : { ...reply, undoId: data.undoId }
  },
  code: async ({ db, actor, params }) => ({ data: await getScanCode(db, actor, params.code), message: '' }),
})
