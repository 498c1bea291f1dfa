import { requisitionScanRoutes, scanMessages } from '@lis/contract/requisition-scans.ts'
import { implement } from '../../platform/http/implement.ts'
import { getPiece, getScan, initScan, startReading } from './service.ts'

export const requisitionScansModule = implement(requisitionScanRoutes, {
  init: async (context) => ({
    data: await initScan(context, context.services.store, context.body.fileName),
    message: '',
  }),
  read: async (context) => ({
    data: await startReading(context, context.services.store, context.params.scanId),
    message: scanMessages.started,
  }),
  one: async ({ db, actor, params }) => ({ data: await getScan(db, actor, params.scanId), message: '' }),
  piece: async ({ db, actor, params }) => getPiece(db, actor, params.scanId, params.n),
})
