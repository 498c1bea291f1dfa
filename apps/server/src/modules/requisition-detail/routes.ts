import { requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import { requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { readChecklist } from '../life-cycle/checklist.ts'
import { listNames } from '../requisition-record/names.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { requisitionHistoryList } from './history.ts'
import { findRequisition, listReasons } from './queries.ts'

export const requisitionDetailModule = implement(requisitionDetailRoutes, {
  one: async ({ db, actor, params, services, requestId }) => {
    services.accessLog.note(requestId, { namesPatients: true })
    const data = await findRequisition(db, actor, params.id, await listNames(db, services))
    if (!data) throw notFound('Requisition')
    return { data, message: '' }
  },
})

export const requisitionRecordModule = implement(requisitionRecordRoutes, {
  history: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, requisitionHistoryList(actor, params.id), query)
  },
  reasons: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listReasons(db, params.id), message: '' }
  },
  checklist: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await readChecklist(db, params.id), message: '' }
  },
})
