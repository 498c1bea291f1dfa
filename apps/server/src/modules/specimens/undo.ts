import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { recordUndo } from '../../platform/db/undo.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisitionsOf } from '../requisition-record/queries.ts'
import type { UndoKind } from '../undo/service.ts'
import { updateNoTestIssue } from './service.ts'

interface Receipt {
  reqId: number
  specimenId: number
}

const kind = 'RECEIPT'

/** Records how to undo a receipt. */
export const recordReceiptUndo = (call: WriteCall, reqId: number, specimenId: number) =>
  recordUndo(call, { kind, description: `Receive a specimen of #${reqId}`, count: 1, data: { reqId, specimenId } })

export const receiptUndo: UndoKind<Receipt> = {
  kind,
  lock: ({ db }, { reqId }) => lockRequisitionsOf(db, [reqId]),
  findObstacles: async (db, { reqId, specimenId }) => {
    const { rows } = await sql<{ isChanged: boolean; isStored: boolean; isLast: boolean }>`
      select s.version > 1 or s.deleted_at is not null as "isChanged",
        exists (select from specimen_location l where l.specimen_id = s.id) as "isStored",
        r.status_code <> 'LOG' and not exists (select from specimen o
          where o.requisition_id = s.requisition_id and o.id <> s.id and o.deleted_at is null) as "isLast"
      from specimen s join requisition r on r.id = s.requisition_id where s.id = ${specimenId}`.execute(db)
    const [row] = rows
    if (!row || row.isChanged) return [`The specimen of #${reqId} has been changed`]
    if (row.isStored) return [`A sample of the specimen of #${reqId} has been stored`]
    return row.isLast ? [`Requisition #${reqId} has been moved on with this specimen`] : []
  },
  undo: async (call, { reqId, specimenId }) => {
    const { db, actor, requestId } = call
    await sql`update specimen set deleted_at = now(), version = version + 1 where id = ${specimenId}`.execute(db)
    await recordAudit(db, actor, requestId, {
      entity: 'specimen',
      entityId: specimenId,
      requisitionId: reqId,
      action: 'UNDO',
      old: { Specimens: 1 },
    })
    await updateNoTestIssue(db, reqId)
  },
}
