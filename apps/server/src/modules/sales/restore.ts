import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents } from '../deleted-records/service.ts'
import { getSalesPerson, withoutDerived } from './service.ts'

export const deletedSalesKind: DeletedKind = {
  kind: 'sales',
  table: 'sales_person',
  isVersioned: true,
  record: sql`select s.first_name || ' ' || s.last_name || ' (' || s.rep_code || ')' from sales_person s where s.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { managerId, repCode } = await db
      .selectFrom('sales_person')
      .select(['report_to_id as managerId', 'rep_code as repCode'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await lockUndeletedParents(db, { salesPerson: managerId })
    const owner = await db
      .selectFrom('sales_person')
      .select(['first_name', 'last_name'])
      .where((eb) => eb(eb.fn<string>('upper', ['rep_code']), '=', sql<string>`upper(${repCode})`))
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (owner) throw conflict(`The Sales Rep Code ${repCode} now belongs to ${owner.first_name} ${owner.last_name}`)
  },
  afterRestore: async ({ db }, id) => ({ new: withoutDerived(await getSalesPerson(db, id)) }),
}
