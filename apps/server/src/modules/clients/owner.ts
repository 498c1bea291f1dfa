import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { contains, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'

/** A record of another system belongs to a client or to a collaborator. */
interface Owner {
  clientId: number | null
  colaId: number | null
}

/** Locks the owner, so that a concurrent delete comes before the record or finds it. Returns the field that names none. */
export const lockOwner = async (trx: Trx, { clientId, colaId }: Owner): Promise<keyof Owner | null> => {
  const owner = clientId ?? colaId
  if (owner === null) return null
  const found = await trx
    .selectFrom(clientId === null ? 'collaborator' : 'client')
    .select('id')
    .where('id', '=', bigint(owner))
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst()
  if (found) return null
  return clientId === null ? 'colaId' : 'clientId'
}

/** The owner of a row in a list: its joins, fields, and what it is sorted and filtered by. */
export const ownerOf = (row: string): { joins: Sql } & Pick<ListDefinition, 'fields' | 'sort' | 'filter'> => {
  const [client, collaborator] = [sql.ref(`${row}.client_id`), sql.ref(`${row}.collaborator_id`)]
  return {
    joins: sql`left join client c on c.id = ${client} left join collaborator o on o.id = ${collaborator}`,
    fields: { clientId: client, clientName: sql`c.name`, colaId: collaborator, colaName: sql`o.name` },
    sort: { clientName: sql`lower(c.name)`, colaName: sql`lower(o.name)` },
    filter: {
      clientId: isOneOfIds(client, 'clientId'),
      clientName: contains(sql`c.name`),
      colaId: isOneOfIds(collaborator, 'colaId'),
      colaName: contains(sql`o.name`),
    },
  }
}
