import { createHash, randomBytes } from 'node:crypto'
import type { Board, BoardView } from '@lis/contract/boards.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { readFlow, readTurnaround } from '../home/laboratory.ts'

const hashOf = (key: string) => createHash('sha256').update(key).digest()

export const listBoards = async (db: Db): Promise<Board[]> => {
  const { rows } = await sql<{ row: Board }>`select row_to_json(x) as row from (
    select b.id, b.name as "boardName", b.lab_id as "labId", lab.name as "labName", b.created_at as "createdDate"
    from board b join lab on lab.id = b.lab_id where b.deleted_at is null order by b.name, b.id) x`.execute(db)
  return rows.map(({ row }) => row)
}

interface NewBoard {
  boardName: string
  labId: number
}

/** The key is random, so a plain hash is enough. */
export const createBoard = async (
  { db, actor, requestId }: WriteCall,
  publicUrl: string,
  { boardName, labId }: NewBoard,
): Promise<{ id: number; url: string }> => {
  const lab = await sql`select from lab where id = ${labId}::bigint and deleted_at is null for key share`.execute(db)
  if (lab.rows.length === 0) throw invalid('labId', messages.invalid('Laboratory'))
  const key = randomBytes(24).toString('base64url')
  const { rows } = await sql<{ id: number }>`insert into board (name, lab_id, key_hash, created_by)
    values (${boardName}, ${labId}, ${hashOf(key)}, ${actor.userId}) returning id`.execute(db)
  const { id } = rows[0] as { id: number }
  await recordAudit(db, actor, requestId, {
    entity: 'board',
    entityId: id,
    action: 'CREATE',
    new: { boardName, labId },
  })
  return { id, url: `${publicUrl}/board/${key}` }
}

export const removeBoard = async ({ db, actor, requestId }: WriteCall, id: number) => {
  const { rows } = await sql<{ name: string }>`update board set deleted_at = now()
    where id = ${id}::bigint and deleted_at is null returning name`.execute(db)
  const [board] = rows
  if (!board) throw notFound('Board')
  await recordAudit(db, actor, requestId, {
    entity: 'board',
    entityId: id,
    action: 'DELETE',
    old: { boardName: board.name },
  })
}

/** The same message for a wrong key and a deleted board. */
export const readBoard = async ({ databases }: Pick<Services, 'databases'>, key: string): Promise<BoardView> => {
  const db = databases(systemScope)
  const { rows } = await sql<{ name: string; lab_id: number; lab_name: string; zone: string }>`
    select b.name, b.lab_id, lab.name as lab_name, lab.zone from board b join lab on lab.id = b.lab_id
    where b.key_hash = ${hashOf(key)} and b.deleted_at is null`.execute(db)
  const [board] = rows
  if (!board) throw notFound('Board')
  const asOf = new Date().toISOString()
  const [flow, turnaround, late] = await Promise.all([
    readFlow(db, board.lab_id),
    readTurnaround(db, board.lab_id),
    readLate(db, board.lab_id),
  ])
  const waiting = (code: string, title: string, status: string) => {
    const found = flow.find(({ reqStatusCode }) => reqStatusCode === status)
    return { code, title, count: found?.count ?? 0, oldestDate: found?.oldestDate ?? null }
  }
  return {
    boardName: board.name,
    labName: board.lab_name,
    labTz: board.zone,
    asOf,
    queues: [
      waiting('RECEIVE', 'To receive', 'LOG'),
      waiting('PROCESS', 'To process', 'ACC'),
      { code: 'LATE', title: 'Over the turnaround target', ...late },
    ],
    flow,
    turnaround,
  }
}

const readLate = async (db: Db, labId: number) => {
  const { rows } = await sql<{ count: number; oldest: string | null }>`
    select count(*)::int as count, min(l.due_at) as oldest from requisition_list l
    where l.lab_id = ${labId} and l.due_at < now() and l.released_at is null and l.status_code in ('LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT')`.execute(
    db,
  )
  const { count = 0, oldest = null } = rows[0] ?? {}
  return { count, oldestDate: oldest === null ? null : new Date(oldest).toISOString() }
}
