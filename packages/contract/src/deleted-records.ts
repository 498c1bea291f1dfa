import { z } from 'zod'
import { done, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { get, idParam, put } from './kit/route.ts'
import { type DeletedKindCode, deletedKinds } from './resources.ts'

const kind = z.enum(Object.keys(deletedKinds) as [DeletedKindCode, ...DeletedKindCode[]])

export const deletedRecordLabels = {
  kind: 'Kind',
  record: 'Record',
  deletedDate: 'Deleted',
  deletedBy: 'Deleted By',
} as const

const deletedRecord = z.object({
  /** Kind and id: records of two kinds may have the same id. */
  id: z.string(),
  kind,
  recordId: z.number().int(),
  /** How users know the record. */
  record: z.string(),
  deletedDate: z.iso.datetime({ offset: true }),
  /** null where the audit names nobody: the account was deleted in the user pool itself. */
  deletedBy: z.string().nullable(),
  /** The requisition whose patient the description names. */
  reqId: z.number().int().nullable(),
})
export type DeletedRecord = z.infer<typeof deletedRecord>

export const deletedRecordRoutes = {
  list: get('deleted_records', {
    access: 'records.restore',
    summary: 'Deleted records that can be restored, the newest deletion first',
    query: listQuery({
      sort: Object.keys(deletedRecordLabels),
      filter: ['kind', 'deletedDate', 'deletedBy', 'search'],
      defaultPerPage: 10,
    }),
    reply: page(deletedRecord),
  }),
  restore: put('deleted_records/:kind/:id/restore', {
    access: 'records.restore',
    summary: 'Restores the record; 409 says what prevents it',
    params: z.object({ kind, id: idParam }),
    reply: done,
  }),
}
