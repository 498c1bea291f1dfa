import { deliveredOutside, moveQuestions } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { AskingCall } from '../../platform/http/implement.ts'
import { currentDeliveries } from './current-deliveries.ts'

interface Unsent {
  requisition_id: number
  id: number
  version_no: number
}

/** Released reports of these requisitions that have reached nobody who is to have them today. */
export const findUnsentReports = async (db: Db, requisitionIds: readonly number[]): Promise<Unsent[]> => {
  const { rows } = await sql<Unsent>`
    select p.requisition_id, p.id, v.version_no from report p join report_version v on v.report_id = p.id and v.version_no = p.current_version_no
    where p.requisition_id = any(${[...requisitionIds]}::bigint[]) and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE'
      and not exists (${currentDeliveries}) order by p.requisition_id, p.id`.execute(db)
  return rows
}

/** Those of the requisitions that would count as delivered although a released report was never sent. */
export const findNeverSent = async (db: Db, requisitionIds: readonly number[]): Promise<number[]> => {
  const unsent = await findUnsentReports(db, requisitionIds)
  return [...new Set(unsent.map((report) => report.requisition_id))]
}

/** Asks how reports that were never sent from here have reached their receivers; nothing where all were sent. Returns the way in words. */
export const askHowDelivered = ({ questions }: AskingCall, neverSent: readonly number[], total: number) => {
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
