import { can } from '@lis/contract/access/permissions.ts'
import { patientSerialRoutes, type SerialResult } from '@lis/contract/serial-results.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { forbidden } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { isRequisitionFailed, requirePatientInScope, visibleRequisitions } from '../requisition-record/queries.ts'

const chartedTest = 'SVDX'

const listSerial = async (db: Db, actor: Actor, patientId: number): Promise<SerialResult[]> => {
  const { rows } = await sql<{ row: SerialResult }>`select row_to_json(x) as row from (
    select l.requisition_id as "reqId", coalesce(t.reportable_result, t.result, 'N/A') as result,
      coalesce(t.process_date, t.resulted_at, l.collected_at) as "processDate",
      case h.is_diabetic when true then 1 when false then 0 end as "isDiabetic",
      case h.is_family_history when true then 1 when false then 0 end as "isFamilyHistory"
    from requisition_list l join requisition_test t on t.requisition_id = l.requisition_id and t.deleted_at is null and not t.is_retest
      join test c on c.id = t.test_id and c.code = ${chartedTest}
      left join patient_history h on h.requisition_id = l.requisition_id
    where l.patient_id = ${patientId} and t.resulted_at is not null and not ${isRequisitionFailed(sql`l.requisition_id`)} and ${visibleRequisitions(actor)}
    order by "processDate", l.requisition_id) x`.execute(db)
  return rows.map(({ row }) => row)
}

export const serialResultsModule = implement(patientSerialRoutes, {
  serial: async ({ db, actor, params }) => {
    if (!can(actor.role, 'tests.seeResults')) throw forbidden()
    await requirePatientInScope(db, actor, params.id)
    return { data: await listSerial(db, actor, params.id), message: '' }
  },
})
