import { scanRoutes } from '@lis/contract/scans.ts'
import { implement } from '../../platform/http/implement.ts'
import { getScanCode } from './service.ts'

export const scansModule = implement(scanRoutes, {
  code: async ({ db, actor, params }) => ({ data: await getScanCode(db, actor, params.code), message: '' }),
})
