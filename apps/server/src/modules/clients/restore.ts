import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents, type RestoreCall, readRow } from '../deleted-records/service.ts'
import { lockAndFindCodeOwner } from '../lookups/queries.ts'
import { getDocument } from './document-service.ts'
import { getEvent, getPrice, requireValidPrice } from './record-service.ts'
import { auditedFields, getClient } from './service.ts'

const ofClient = sql`c.name || ' (' || c.legacy_client_id || ')'`

type ClientPart = 'client_event' | 'client_document' | 'client_test_price'

const clientOf = async ({ db }: RestoreCall, table: ClientPart, id: number): Promise<number> => {
  const select = sql`select client_id as "clientId" from ${sql.table(table)} where id = ${id}`
  return (await readRow<{ clientId: number }>(db, select)).clientId
}

/** The client that a record hangs on, which must live. */
const holdClientOf = async (call: RestoreCall, table: ClientPart, id: number): Promise<number> => {
  const clientId = await clientOf(call, table, id)
  await lockUndeletedParents(call.db, { client: clientId })
  return clientId
}

interface ClientRow {
  legacyId: string
  collaboratorId: number
  salesIds: (number | null)[]
}

export const deletedClientKinds: readonly DeletedKind[] = [
  {
    kind: 'client',
    table: 'client',
    isVersioned: true,
    record: sql`select ${ofClient} from client c where c.id = d.id`,
    requireRestorable: async ({ db }, id) => {
      const { legacyId, collaboratorId, salesIds } = await readRow<ClientRow>(
        db,
        sql`select c.legacy_client_id as "legacyId", c.collaborator_id as "collaboratorId",
          c.service_person_id || array(select sales_person_id from client_sales x where x.client_id = c.id) as "salesIds"
          from client c where c.id = ${id}`,
      )
      await lockUndeletedParents(db, { collaborator: collaboratorId, salesPerson: salesIds })
      const holder = await readRow<{ name: string } | undefined>(
        db,
        sql`select name from client where upper(legacy_client_id) = upper(${legacyId}) and deleted_at is null`,
      )
      if (holder) throw conflict(`The Client ID ${legacyId} now belongs to ${holder.name}`)
      if (await lockAndFindCodeOwner(db, legacyId, { clientId: id }))
        throw conflict(`The Client ID ${legacyId} is now the alias of a collaborator`)
    },
    afterRestore: async ({ db, actor }, id) => ({ clientId: id, new: auditedFields(await getClient(db, actor, id)) }),
  },
  {
    kind: 'clientEvent',
    table: 'client_event',
    isVersioned: true,
    record: sql`select ${ofClient} || ': ' || e.name from client_event e join client c on c.id = e.client_id where e.id = d.id`,
    requireRestorable: async (call, id) => {
      await holdClientOf(call, 'client_event', id)
    },
    afterRestore: async (call, recordId) => {
      const clientId = await clientOf(call, 'client_event', recordId)
      return { clientId, new: await getEvent(call.db, { id: clientId, recordId }) }
    },
  },
  {
    kind: 'clientDocument',
    table: 'client_document',
    isVersioned: false,
    record: sql`select ${ofClient} || ': ' || f.original_name
      from client_document x join stored_file f on f.id = x.file_id join client c on c.id = x.client_id where x.id = d.id`,
    requireRestorable: async (call, id) => {
      await holdClientOf(call, 'client_document', id)
    },
    afterRestore: async (call, recordId) => {
      const clientId = await clientOf(call, 'client_document', recordId)
      const { docOriginalFileName } = await getDocument(call.db, { id: clientId, recordId })
      return { clientId, new: { docOriginalFileName } }
    },
  },
  {
    kind: 'clientPrice',
    table: 'client_test_price',
    isVersioned: true,
    record: sql`select ${ofClient} || ': ' || t.code || ' ' || x.price || ' ' || x.currency_code
      from client_test_price x join test t on t.id = x.test_id join client c on c.id = x.client_id where x.id = d.id`,
    requireRestorable: async (call, recordId) => {
      const id = await holdClientOf(call, 'client_test_price', recordId)
      const { testId, currency } = await readRow<{ testId: number; currency: string }>(
        call.db,
        sql`select test_id as "testId", currency_code as currency from client_test_price where id = ${recordId}`,
      )
      await requireValidPrice(call.db, { id, recordId }, testId, currency)
    },
    afterRestore: async (call, recordId) => {
      const clientId = await clientOf(call, 'client_test_price', recordId)
      return { clientId, new: await getPrice(call.db, { id: clientId, recordId }) }
    },
  },
]
