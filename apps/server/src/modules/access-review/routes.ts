import { accessReviewRoutes } from '@lis/contract/access-review.ts'
import { exportList } from '../../platform/exports.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import { implement } from '../../platform/http/implement.ts'
import { userList } from '../users/queries.ts'
import { columnsIn } from './columns.ts'
import { explainRequisition } from './explain.ts'

export const accessReviewModule = implement(accessReviewRoutes, {
  why: async ({ db, params, query, services }) => ({
    data: await explainRequisition(db, services.databases, params.id, query.record),
    message: '',
  }),
  export: async (context) =>
    exportList(context, {
      name: 'access-review',
      list: userList,
      query: context.query,
      columns: columnsIn(await getHomeZone(context.db)),
    }),
})
