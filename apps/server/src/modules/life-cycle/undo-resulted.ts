import { undoResultedSeconds } from '@lis/contract/requisitions/moves.ts'
import { displayStatus } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { announce } from '../../platform/domain-events.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { setStatus } from './service.ts'

const back = { from: 'RESULT', to: 'PROCESS', reason: 'Move to Resulted undone' } as const

/** The last result moved the requisition on by itself; whoever saved it may go on with its results instead. */
export const undoResulted = async (call: WriteCall, id: number) => {
  const { db, actor, requestId } = call
  const { status_code: status } = await lockRequisition(db, actor, id)
  if (status !== back.from)
    throw conflict(`Requisition #${id} is ${displayStatus(status)}, not ${displayStatus(back.from)}`)
  const { rows } = await sql<{ is_own: boolean; is_recent: boolean }>`
    select from_code = ${back.to} and to_code = ${back.from} and actor_id = ${actor.userId} as is_own,
      at > now() - make_interval(secs => ${undoResultedSeconds}) as is_recent
    from requisition_status_event where requisition_id = ${id}::bigint order by id desc limit 1`.execute(db)
  const last = rows[0]
  if (!last?.is_own) throw conflict(`Requisition #${id} was not moved to Resulted by a result that you have saved`)
  if (!last.is_recent) throw conflict(`Requisition #${id} was moved to Resulted too long ago to undo it`)
  await setStatus(db, actor, requestId, [id], back)
  await announce(call, 'statusMovedBack', { requisitionIds: [id], from: back.from, to: back.to })
  return { id, reqStatusCode: back.to }
}
