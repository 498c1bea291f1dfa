import { can } from '@lis/contract/access/permissions.ts'
import { patientSerialRoutes, type SerialResult } from '@lis/contract/serial-results.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { flag01OrNull } from '../../platform/db/expressions.ts'
import { forbidden } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { isRequisitionFailed, requirePatientInScope, visibleRequisitions } from '../requisition-record/queries.ts'

const chartedTest = 'SVDX'

const listSerialResults = async (db: Db, actor: Actor, patientId: number): Promise<SerialResult[]> => {
  const results = db
    .selectFrom('requisition_list as l')
    .innerJoin('requisition_test as t', (join) =>
      join
        .onRef('t.requisition_id', '=', 'l.requisition_id')
        .on('t.deleted_at', 'is', null)
        .on((eb) => eb.not('t.is_retest')),
    )
    .innerJoin('test as c', (join) => join.onRef('c.id', '=', 't.test_id').on('c.code', '=', chartedTest))
    .leftJoin('patient_history as h', 'h.requisition_id', 'l.requisition_id')
    .select((eb) => [
      'l.requisition_id as reqId',
      eb.fn.coalesce('t.reportable_result', 't.result', sql<string>`'N/A'`).as('result'),
      eb.fn.coalesce('t.process_date', 't.resulted_at', 'l.collected_at').as('processDate'),
      flag01OrNull(eb.ref('h.is_diabetic')).as('isDiabetic'),
      flag01OrNull(eb.ref('h.is_family_history')).as('isFamilyHistory'),
    ])
    .where('l.patient_id', '=', patientId)
    .where('t.resulted_at', 'is not', null)
    .where((eb) => eb.not(isRequisitionFailed(sql`l.requisition_id`)))
    .where(visibleRequisitions(actor))
    .orderBy('processDate')
    .orderBy('l.requisition_id')
  // As JSON, which is how instants appear in replies.
  const { rows } = await sql<{ row: SerialResult }>`select row_to_json(x) as row from (${results}) x`.execute(db)
  return rows.map(({ row }) => row)
}

export const serialResultsModule = implement(patientSerialRoutes, {
  serial: async ({ db, actor, params }) => {
    if (!can(actor.role, 'tests.seeResults')) throw forbidden()
    const patientId = await requirePatientInScope(db, actor, params.id)
    return { data: await listSerialResults(db, actor, patientId), message: '' }
  },
})
