import { patientRoutes } from '@lis/contract/patients.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { patientList, requireNarrow } from './queries.ts'

export const patientsModule = implement(patientRoutes, {
  list: async ({ db, actor, query, services, requestId }) => {
    requireNarrow(query.filters)
    services.accessLog.record({ userId: actor.userId, requestId, action: 'SEARCH' })
    return listPage(db, patientList(actor), query)
  },
})
