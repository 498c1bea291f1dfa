import type { RequisitionReason } from '@lis/contract/requisitions/record.ts'
import { requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { checklistOf } from '../life-cycle/checklist.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { historyOfRequisition } from './history.ts'

const listReasons = async (db: Db, requisitionId: number): Promise<RequisitionReason[]> => {
  const { rows } = await sql<RequisitionReason>`
    select r.id as "reasonId", r.type_code as "reasonTypeCode",
      case r.type_code when 'FAIL' then r.code end as "failCode", case r.type_code when 'FAIL' then r.description end as "failDesc",
      case r.type_code when 'PASS' then r.code end as "passCode", case r.type_code when 'PASS' then r.description end as "passDesc"
    from requisition_reason x join reason r on r.id = x.reason_id where x.requisition_id = ${requisitionId} order by r.type_code, r.sort_order`.execute(
    db,
  )
  return rows
}

export const requisitionRecordModule = implement(requisitionRecordRoutes, {
  history: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, historyOfRequisition(actor, params.id), query)
  },
  reasons: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listReasons(db, params.id), message: '' }
  },
  checklist: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await checklistOf(db, params.id), message: '' }
  },
})
