import { z } from 'zod'
import { exported, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get } from './kit/route.ts'

export const accessLogLabels = {
  accessDate: 'Date',
  userName: 'User',
  userRoleCode: 'Role',
  method: 'Method',
  route: 'Call',
  requestId: 'Request',
} as const

/** In exports the last column. */
export const viewedAsLabel = 'Viewing as'

const id = z.number().int()

/** One call that showed patient data, or any read while viewing as somebody else. */
const accessLogEntry = z.object({
  id,
  accessDate: z.iso.datetime({ offset: true }),
  userId: id,
  userName: z.string(),
  userRoleCode: z.string(),
  /** Set when an administrator has seen the data of the call as this person. */
  viewedAsId: id.nullable(),
  viewedAsName: z.string().nullable(),
  method: z.string(),
  /** As in the OpenAPI document: `requisitions/{id}/req_tests`. */
  route: z.string(),
  /** That of the reply's `x-request-id`. */
  requestId: z.string().nullable(),
  /** Every patient and requisition that was returned or exported. */
  patientIds: z.array(id),
  reqIds: z.array(id),
})
export type AccessLogEntry = z.infer<typeof accessLogEntry>

const sort = ['id', 'accessDate', 'userName', 'userRoleCode', 'route']
const filter = ['reqId', 'userId', 'requestId', 'dateFrom', 'dateTo']
const ofPatient = listQuery({ sort, filter, defaultPerPage: 10 })
const access = 'accessLog.read'

export const accessLogRoutes = {
  list: get('access_log', {
    access,
    summary:
      'Every call that showed patient data, the newest first; dateFrom and dateTo are dates in the laboratory time zone, or instants',
    query: listQuery({ sort, filter: ['patientId', ...filter], defaultPerPage: 10 }),
    reply: page(accessLogEntry),
  }),
  ofPatient: get('patients/:id/access_log', {
    access,
    summary: 'Accesses to this patient, the newest first',
    params: byId,
    query: ofPatient,
    reply: page(accessLogEntry),
  }),
  export: get('patients/:id/access_log/export', {
    access,
    summary: 'The same as a file',
    params: byId,
    query: ofPatient,
    reply: exported,
  }),
}
