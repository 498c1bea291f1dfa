import { homeRoutes } from '@lis/contract/home.ts'
import { implement } from '../../platform/http/implement.ts'
import { readHome } from './service.ts'

export const homeModule = implement(homeRoutes, {
  read: async (context) => ({ data: await readHome(context), message: '' }),
})
