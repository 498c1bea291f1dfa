import { instrumentWorkRoutes } from '@lis/contract/instrument-work.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { getFileColumns, saveFileColumns, takeFile } from './files.ts'
import { listWork, printWorkList, sendWorkList } from './work-list.ts'

export const instrumentWorkModule = implement(instrumentWorkRoutes, {
  fileColumns: async ({ db, services, params }) => ({
    data: await getFileColumns(db, services.config, params.id),
    message: '',
  }),
  saveFileColumns: async (context) => ({
    data: await saveFileColumns(
      context,
      context.services.config,
      context.params.id,
      context.body,
      expectedVersion(context.request),
    ),
    message: messages.saved,
  }),
  takeFile: async (context) => {
    const data = await takeFile(context, context.services, context.params.id, context.body)
    return { data, message: `${data.rowCount} ${data.rowCount === 1 ? 'result' : 'results'} taken` }
  },
  workList: async ({ db, params, query }) => ({ data: await listWork(db, params.id, query.specimens), message: '' }),
  printWorkList: async (context) => {
    const url = await printWorkList(context, context.services, context.params.id, context.body.specimens)
    return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
  },
  sendWorkList: async (context) => ({
    data: await sendWorkList(context, context.services, context.params.id, context.body.specimens),
    message: 'The work list is being sent',
  }),
})
