import { labNoteLabels } from '@lis/contract/lab-notes.ts'
import { messages } from '@lis/contract/messages.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisition } from '../requisition-record/queries.ts'

/** Notes are added and never changed. */
export const addLabNote = async (
  { db, actor, requestId }: WriteCall,
  requisitionId: number,
  { labNoteTypeId, note }: { labNoteTypeId: number; note: string | null },
) => {
  await lockRequisition(db, actor, requisitionId)
  const type = await db
    .selectFrom('lab_note_type')
    .select('description')
    .where('id', '=', labNoteTypeId)
    .executeTakeFirst()
  if (!type) throw invalid('labNoteTypeId', messages.invalid(labNoteLabels.labNoteTypeId))
  const { id } = await db
    .insertInto('lab_note')
    .values({ requisition_id: requisitionId, type_id: labNoteTypeId, note, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, {
    entity: 'lab_note',
    entityId: id,
    requisitionId,
    action: 'NOTE',
    new: { labNoteTypeDesc: type.description, note },
  })
  return { id }
}
