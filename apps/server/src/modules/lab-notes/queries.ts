import type { LabNote, LabNoteHistory } from '@lis/contract/lab-notes.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** Newest first. */
export const listLabNotes = async (db: Db, requisitionId: number): Promise<LabNote[]> => {
  const notes = db
    .selectFrom('lab_note as n')
    .innerJoin('lab_note_type as t', 't.id', 'n.type_id')
    .leftJoin('app_user as u', 'u.id', 'n.created_by')
    .select((eb) => [
      'n.id',
      'n.type_id as labNoteTypeId',
      't.description as labNoteTypeDesc',
      'n.note',
      'n.created_at as labNoteCreateDate',
      sql<string | null>`${eb.ref('u.first_name')} || ' ' || ${eb.ref('u.last_name')}`.as('createByName'),
    ])
    .where('n.requisition_id', '=', requisitionId)
    .where('n.deleted_at', 'is', null)
    .orderBy('n.id', 'desc')
  const rows = await db
    .selectFrom(notes.as('x'))
    .select((eb) => eb.fn.toJson('x').as('row'))
    .execute()
  return rows.map(({ row }) => row)
}

/** The changes of the notes, from the audit. */
export const listLabNoteHistory = async (db: Db, requisitionId: number): Promise<LabNoteHistory[]> => {
  const entries = db
    .selectFrom('audit_entry as a')
    .select((eb) => [
      'a.id',
      'a.at as actionDate',
      sql.lit('Created').as('action'),
      'a.actor_name as actionBy',
      sql<string>`${eb.ref('a.new_data')} ->> 'labNoteTypeDesc'`.as('labNoteTypeDesc'),
      sql<string | null>`${eb.ref('a.new_data')} ->> 'note'`.as('note'),
    ])
    .where('a.requisition_id', '=', requisitionId)
    .where('a.entity', '=', sql.lit('lab_note'))
    .orderBy('a.id', 'desc')
  const rows = await db
    .selectFrom(entries.as('x'))
    .select((eb) => eb.fn.toJson('x').as('row'))
    .execute()
  return rows.map(({ row }) => row)
}
