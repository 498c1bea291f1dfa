import { accessLogLabels, accessLogRoutes, viewedAsLabel } from '@lis/contract/access-log.ts'
import type { Db } from '../../platform/db/db.ts'
import { notFound } from '../../platform/errors.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { accessLogList } from './queries.ts'

const joined = (value: unknown) => (value as readonly number[]).join(', ')
const columns: readonly ExportColumn[] = [
  ...Object.entries(accessLogLabels).map(([field, header]) => ({ field, header })),
  { field: 'reqIds', header: 'Requisitions', cell: joined },
  { field: 'viewedAsName', header: viewedAsLabel },
]

export const accessLogModule = implement(accessLogRoutes, {
  list: ({ db, query }) => listPage(db, accessLogList(), query),
  ofPatient: async ({ db, params, query }) => {
    await requirePatient(db, params.id)
    return listPage(db, accessLogList(params.id), query)
  },
  export: async (context) => {
    const { db, params, query } = context
    await requirePatient(db, params.id)
    return exportList(context, {
      name: `access-log-patient-${params.id}`,
      list: accessLogList(params.id),
      query,
      columns,
    })
  },
})

/** Also a deleted patient: their data was seen. */
const requirePatient = async (db: Db, id: number) => {
  const found = await db.selectFrom('patient').select('id').where('id', '=', id).executeTakeFirst()
  if (!found) throw notFound('Patient')
}
