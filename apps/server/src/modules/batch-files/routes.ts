import { batchFileLabels, batchFileMessages, batchFileRoutes } from '@lis/contract/batch-files.ts'
import { momentCell } from '../../platform/export-cells.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { decideHeldFile, getHeldFile } from './held-files.ts'
import { failedFileList, fileList, heldFileList, uploadList } from './queries.ts'
import { finishFile, initBatch, renewSlot, requireUpload } from './service.ts'

const failedColumns = (homeZone: string): ExportColumn[] => [
  { header: batchFileLabels.reportOriginalFileName, field: 'reportOriginalFileName' },
  { header: batchFileLabels.reqId, field: 'reqId' },
  { header: batchFileLabels.reportLoadStatusDesc, field: 'reportLoadStatusDesc' },
  {
    header: batchFileLabels.statusDate,
    field: 'statusDate',
    cell: (at) => (at ? momentCell(String(at), homeZone) : null),
  },
  { header: batchFileLabels.reason, field: 'note' },
]
const whole = { page: 1, perPage: -1, filters: {}, sort: null }

export const batchFilesModule = implement(batchFileRoutes, {
  list: ({ db, actor, query }) => listPage(db, uploadList(actor), query),
  files: async ({ db, actor, params, query }) => {
    await requireUpload(db, actor, params.id)
    return listPage(db, fileList(actor, params.id), query)
  },
  failed: async (context) => {
    const { db, actor, params } = context
    await requireUpload(db, actor, params.id)
    const list = failedFileList(actor, params.id)
    const columns = failedColumns(await getHomeZone(db))
    return exportList(context, { name: `upload-${params.id}-failed`, list, query: whole, columns })
  },
  init: async (context) => ({
    data: await initBatch(context, context.services.store, context.body),
    message: batchFileMessages.started,
  }),
  slot: async (context) => ({
    data: await renewSlot(context, context.services.store, context.params.id, context.params.fileId),
    message: '',
  }),
  finish: async (context) => ({
    data: await finishFile(context, context.services.store, context.params.id, context.params.fileId),
    message: '',
  }),
  held: ({ db, query }) => listPage(db, heldFileList, query),
  heldOne: async (context) => ({
    data: await getHeldFile(context, context.params.fileId, context.query.reqId),
    message: '',
  }),
  decide: async (context) => ({
    data: await decideHeldFile(context, context.params.fileId, context.body, expectedVersion(context.request)),
    message: context.body.decision === 'FILE' ? batchFileMessages.filed : batchFileMessages.rejected,
  }),
})
