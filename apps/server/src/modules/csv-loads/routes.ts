import { csvLoadMessages, csvLoadRoutes } from '@lis/contract/csv-loads.ts'
import { notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { findRow, listPage } from '../../platform/lists.ts'
import { errorList, loadList } from './queries.ts'
import { errorFileUrl, initLoad, startLoad, startPreview, templateUrl } from './service.ts'

export const csvLoadsModule = implement(csvLoadRoutes, {
  list: ({ db, query }) => listPage(db, loadList, query),
  errors: async ({ db, params, query }) => {
    if (!(await findRow(db, loadList, params.uploadId))) throw notFound('Upload')
    return listPage(db, errorList(params.uploadId), query)
  },
  errorFile: (context) => errorFileUrl(context, context.params.uploadId),
  template: (context) => templateUrl(context, context.params.loadFileTypeCode),
  init: async (context) => ({
    data: await initLoad(context, context.services.store, context.body.fileName),
    message: '',
  }),
  preview: async (context) => ({
    data: await startPreview(context, context.services.store, context.body),
    message: csvLoadMessages.checking,
  }),
  process: async (context) => ({
    data: await startLoad(context, context.services.store, context.body),
    message: csvLoadMessages.started,
  }),
})
