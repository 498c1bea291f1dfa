import { instrumentResultRoutes } from '@lis/contract/instrument-results.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { getMessage, messageList } from './messages.ts'
import { getResult, resultList, reviewList } from './queries.ts'
import { acceptResults, type Decided, rejectResults, rerunResults } from './review.ts'
import { listCodes, listControls, saveCodes, saveControls } from './tables.ts'

const reply = ({ undoId, ...data }: Decided) => ({
  data,
  message: messages.saved,
  ...(undoId !== undefined && { undoId }),
})

export const instrumentResultsModule = implement(instrumentResultRoutes, {
  codes: async ({ db, params }) => ({ data: await listCodes(db, params.id), message: '' }),
  saveCodes: async (context) => ({
    data: await saveCodes(context, context.params.id, context.body.codes),
    message: messages.saved,
  }),
  controls: async ({ db, params }) => ({ data: await listControls(db, params.id), message: '' }),
  saveControls: async (context) => ({
    data: await saveControls(context, context.params.id, context.body.controls),
    message: messages.saved,
  }),
  messages: ({ db, query }) => listPage(db, messageList, query),
  message: async ({ db, services, params }) => ({ data: await getMessage(db, services, params.id), message: '' }),
  results: ({ db, query }) => listPage(db, resultList, query),
  result: async ({ db, params }) => ({ data: await getResult(db, params.id), message: '' }),
  review: ({ db, query }) => listPage(db, reviewList(db), query),
  accept: async (context) => reply(await acceptResults(context, context.body)),
  rerun: async (context) => reply(await rerunResults(context, context.body)),
  reject: async (context) => reply(await rejectResults(context, context.body)),
})
