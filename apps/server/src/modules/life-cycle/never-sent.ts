import { deliveredOutside, moveQuestions } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import type { WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { currentDeliveries } from './current-deliveries.ts'

interface UnsentReport {
  requisition_id: number
  id: number
  version_no: number
}

/** Released reports of these requisitions that were delivered to none of their current recipients. */
export const findUnsentReports = (db: Db, requisitionIds: readonly number[]): Promise<UnsentReport[]> =>
  db
    .selectFrom('report as p')
    .innerJoin('report_version as v', (join) =>
      join.onRef('v.report_id', '=', 'p.id').onRef('v.version_no', '=', 'p.current_version_no'),
    )
    .select(['p.requisition_id', 'p.id', 'v.version_no'])
    .where('p.requisition_id', '=', anyId(requisitionIds))
    .where('p.deleted_at', 'is', null)
    .where('p.lab_qc_status_code', '=', sql.lit('RELEASE'))
    .where(sql<boolean>`not exists (${currentDeliveries})`)
    .orderBy('p.requisition_id')
    .orderBy('p.id')
    .execute()

/** The requisitions that would count as delivered although a released report was never sent. */
export const findNeverSent = async (db: Db, requisitionIds: readonly number[]): Promise<number[]> => {
  const unsent = await findUnsentReports(db, requisitionIds)
  return [...new Set(unsent.map((report) => report.requisition_id))]
}

/** Asks how reports that were never sent from here have reached their recipients, and returns the answer's text; null if all were sent. */
export const askHowDelivered = ({ questions }: WriteCallWithQuestions, neverSent: readonly number[], total: number) => {
  if (neverSent.length === 0) return null
  const shown = neverSent.slice(0, 5).map((id) => `#${id}`)
  const more = neverSent.length > 5 ? ` and ${neverSent.length - 5} more` : ''
  const what = total === 1 ? 'The report was' : `${neverSent.length} of these ${total} were`
  const answer = questions.ask({
    code: moveQuestions.neverSent,
    field: 'id',
    title: 'Never sent from here',
    message: `${what} never sent: ${shown.join(', ')}${more}. How did the reports reach their receivers? To send them now, cancel and use 'Deliver'.`,
    reqIds: neverSent,
    choices: Object.entries(deliveredOutside).map(([value, label]) => ({ value, label })),
  })
  questions.requireAnswers()
  return deliveredOutside[answer as keyof typeof deliveredOutside]
}
