import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import type { DeletedKind } from '../deleted-records/service.ts'
import { getTarget, withoutDerived } from './service.ts'

export const deletedTargetKind: DeletedKind = {
  kind: 'tatTarget',
  table: 'tat_target',
  isVersioned: true,
  record: sql`select coalesce(test.code, panel.code, 'All tests') || coalesce(' in ' || lab.name, '') || ', ' || initcap(t.priority) || ', ' || t.target_hours::float8 || ' h'
    from tat_target t left join lab on lab.id = t.lab_id left join test on test.id = t.test_id left join panel on panel.id = t.panel_id where t.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const { rows } =
      await sql`select from tat_target t join tat_target other on other.id <> t.id and other.deleted_at is null
      and other.priority = t.priority and (other.lab_id, other.test_id, other.panel_id) is not distinct from (t.lab_id, t.test_id, t.panel_id)
      where t.id = ${id}`.execute(db)
    if (rows.length > 0) throw conflict('There is another target for this now')
  },
  afterRestore: async ({ db }, id) => ({ new: withoutDerived(await getTarget(db, id)) }),
}
