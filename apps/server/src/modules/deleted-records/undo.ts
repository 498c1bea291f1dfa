import { sql } from 'kysely'
import { AppError } from '../../platform/errors.ts'
import type { UndoKind } from '../undo/service.ts'
import { type DeletedKind, restoreRecord } from './service.ts'

interface DeletedRecord {
  table: string
  id: number
}

/** Undoes a deletion by the restore of each kind. */
export const deletionUndo = (kinds: readonly DeletedKind[]): UndoKind<DeletedRecord[]> => {
  const kindOf = (table: string) => kinds.find((one) => one.table === table) as DeletedKind
  return {
    kind: 'DELETE',
    // Each restore locks its record.
    lock: async () => undefined,
    findObstacles: async (db, data) => {
      const obstacles: string[] = []
      for (const [table, records] of Map.groupBy(data, (one) => one.table)) {
        const ids = records.map(({ id }) => id)
        const { rows } = await sql<{ id: number }>`
          select id from ${sql.table(kindOf(table).table)} where id = any(${ids}::bigint[]) and deleted_at is null order by id`.execute(
          db,
        )
        obstacles.push(...rows.map(({ id }) => `${kindOf(table).kind} ${id} has been restored already`))
      }
      return obstacles
    },
    undo: async (call, data) => {
      for (const { table, id } of data)
        await restoreRecord(call, kindOf(table), id).catch((error: unknown) => {
          throw error instanceof AppError && error.code === 'conflict'
            ? new AppError('conflict', `It cannot be undone: ${error.message}`, {
                current: { obstacles: [error.message] },
              })
            : error
        })
    },
  }
}
