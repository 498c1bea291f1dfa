import type { Trx } from './db.ts'
import { bigint } from './expressions.ts'
import type { DB } from './types.ts'

type TableWithId = { [Table in keyof DB]: 'id' extends keyof DB[Table] ? Table : never }[keyof DB]

/**
 * Locks a row until the transaction ends, whether or not it is deleted. `update` lets other transactions go on to refer to the row;
 * `delete` also makes them wait.
 */
export const lockRow = async (trx: Trx, table: TableWithId, id: number, to: 'update' | 'delete') => {
  // All of them have the id alike; the types of a query on each of a hundred tables at once are too many for the compiler.
  const row = trx
    .selectFrom(table as 'client')
    .select('id')
    .where('id', '=', bigint(id))
  await (to === 'delete' ? row.forUpdate() : row.forNoKeyUpdate()).execute()
}
