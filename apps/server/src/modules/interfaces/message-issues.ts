import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { isOpenMessage } from '../deliveries/failures.ts'
import { raiseIssue, resolveIssues } from '../issues/service.ts'
import type { Settlement } from './message-store.ts'

const by = 'Interfaces'

/** A held or failed message that concerns a requisition is for IT to look at. */
export const raiseMessageIssue = async (
  trx: Trx,
  requisitionId: number,
  partner: string,
  { state, reason }: Pick<Settlement, 'state' | 'reason'>,
) => {
  await raiseIssue(trx, requisitionId, 'INTERFACE', {
    by,
    issueDesc: `A message of ${partner} ${state === 'FAILED' ? 'failed' : 'is held'}`,
    ...(reason !== null && { issueNote: reason }),
  })
}

/** Resolves the issue once no message of the requisition is held or failed any more. */
export const resolveMessageIssue = async (trx: Trx, requisitionId: number | null) => {
  if (requisitionId === null) return
  const { rows } =
    await sql`select from interface_message m where m.requisition_id = ${requisitionId} and ${isOpenMessage} limit 1`.execute(
      trx,
    )
  if (rows.length === 0) await resolveIssues(trx, [requisitionId], 'INTERFACE', by)
}
