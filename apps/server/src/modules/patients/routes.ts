import { patientRoutes } from '@lis/contract/patients.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { patientList, requireNarrowSearch } from './queries.ts'

export const patientsModule = implement(patientRoutes, {
  list: async ({ db, actor, query, services, requestId }) => {
    requireNarrowSearch(query.filters)
    const patientIds: number[] = []
    const finish = (row: Record<string, unknown>) => {
      patientIds.push(row.id as number)
      return row
    }
    const found = await listPage(db, { ...patientList(actor), finish }, query)
    services.accessLog.note(requestId, { patientIds })
    return found
  },
})
