import type { LabNote, LabNoteHistory } from '@lis/contract/lab-notes.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** Newest first. */
export const listLabNotes = async (db: Db, requisitionId: number): Promise<LabNote[]> => {
  const { rows } = await sql<{ row: LabNote }>`select row_to_json(x) as row from (
    select n.id, n.type_id as "labNoteTypeId", t.description as "labNoteTypeDesc", n.note, n.created_at as "labNoteCreateDate",
      u.first_name || ' ' || u.last_name as "createByName"
    from lab_note n join lab_note_type t on t.id = n.type_id left join app_user u on u.id = n.created_by
    where n.requisition_id = ${requisitionId} and n.deleted_at is null order by n.id desc) x`.execute(db)
  return rows.map(({ row }) => row)
}

/** What happened to the notes, from the audit. */
export const listLabNoteHistory = async (db: Db, requisitionId: number): Promise<LabNoteHistory[]> => {
  const { rows } = await sql<{ row: LabNoteHistory }>`select row_to_json(x) as row from (
    select a.id, a.at as "actionDate", 'Created' as action, a.actor_name as "actionBy",
      a.new_data ->> 'labNoteTypeDesc' as "labNoteTypeDesc", a.new_data ->> 'note' as note
    from audit_entry a where a.requisition_id = ${requisitionId} and a.entity = 'lab_note' order by a.id desc) x`.execute(
    db,
  )
  return rows.map(({ row }) => row)
}
