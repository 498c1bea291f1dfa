import type { Trx } from './db.ts'
import { bigint } from './expressions.ts'

/**
 * Locks a row until the transaction ends, whether or not it is deleted. `update` lets other transactions go on to refer to the row;
 * `delete` also makes them wait.
 */
export const lockRow = async (
  trx: Trx,
  table: 'client' | 'collaborator' | 'physician' | 'sales_person',
  id: number,
  to: 'update' | 'delete',
) => {
  const row = trx.selectFrom(table).select('id').where('id', '=', bigint(id))
  await (to === 'delete' ? row.forUpdate() : row.forNoKeyUpdate()).execute()
}
