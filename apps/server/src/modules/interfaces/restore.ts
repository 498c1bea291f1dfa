import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'

interface PartnerRow {
  client: number | null
  collaborator: number | null
  name: string
  other: string | null
  is_client_gone: boolean
}

export const deletedInterfaceKind: DeletedKind = {
  kind: 'interface',
  table: 'interface_partner',
  isVersioned: true,
  record: sql`select p.name from interface_partner p where p.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const {
      client,
      collaborator,
      name,
      other,
      is_client_gone: isClientGone,
    } = await readRow<PartnerRow>(
      db,
      sql`select p.client_id as client, p.collaborator_id as collaborator, p.name, (select o.name from interface_partner o
        where p.is_active and o.is_active and o.deleted_at is null and o.kind = p.kind
          and ((o.sending_app = p.sending_app and o.sending_facility = p.sending_facility) or o.api_client_id = p.api_client_id) limit 1) as other,
        exists (select from api_client a where a.id = p.api_client_id and a.deleted_at is not null) as is_client_gone
        from interface_partner p where p.id = ${id}`,
    )
    await lockUndeletedParents(db, { client, collaborator })
    if (other !== null) throw conflict(`${other} now uses the application and facility, or the API client, of ${name}`)
    if (isClientGone) throw conflict(`The API client of ${name} has been deleted`)
  },
  afterRestore: async ({ db }, id) => {
    const { name } = await readRow<{ name: string }>(db, sql`select name from interface_partner where id = ${id}`)
    return { new: { name } }
  },
}
