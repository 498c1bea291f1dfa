import { homeRoutes } from '@lis/contract/home.ts'
import { homePracticeRoutes } from '@lis/contract/home-practice.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { readMenuCounts } from './counts.ts'
import { newResultList } from './new-results.ts'
import { wantedList } from './practice.ts'
import { setReviewed } from './reviews.ts'
import { salesClientList } from './sales-clients.ts'
import { readHome } from './service.ts'

export const homeModule = implement(homeRoutes, {
  read: async (context) => ({ data: await readHome(context), message: '' }),
  counts: async (context) => ({ data: await readMenuCounts(context), message: '' }),
})

export const homePracticeModule = implement(homePracticeRoutes, {
  newResults: ({ db, actor, query }) => listPage(db, newResultList(actor), query),
  setReviewed: async (context) => {
    await setReviewed(context, context.body)
    return { message: messages.updated }
  },
  wanted: ({ db, actor, query }) => listPage(db, wantedList(actor), query),
  clients: ({ db, actor, query }) => listPage(db, salesClientList(actor), query),
})
