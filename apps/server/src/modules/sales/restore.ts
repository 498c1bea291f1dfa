import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import { type DeletedKind, lockUndeletedParents, readRow } from '../deleted-records/service.ts'
import { getSalesPerson, withoutDerived } from './service.ts'

interface SalesRow {
  bossId: number | null
  repCode: string
  holder: string | null
}

export const deletedSalesKind: DeletedKind = {
  kind: 'sales',
  table: 'sales_person',
  isVersioned: true,
  record: sql`select s.first_name || ' ' || s.last_name || ' (' || s.rep_code || ')' from sales_person s where s.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { bossId, repCode, holder } = await readRow<SalesRow>(
      db,
      sql`select s.report_to_id as "bossId", s.rep_code as "repCode", (select o.first_name || ' ' || o.last_name
        from sales_person o where upper(o.rep_code) = upper(s.rep_code) and o.deleted_at is null) as holder
        from sales_person s where s.id = ${id}`,
    )
    await lockUndeletedParents(db, { salesPerson: bossId })
    if (holder) throw conflict(`The Sales Rep Code ${repCode} now belongs to ${holder}`)
  },
  afterRestore: async ({ db }, id) => ({ new: withoutDerived(await getSalesPerson(db, id)) }),
}
