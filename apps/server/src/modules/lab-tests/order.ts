import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { watchForTests } from '../specimens/service.ts'

/** Whole panels and single tests. */
export interface TestChoice {
  panelIds: readonly number[]
  testIds: readonly number[]
}

/** The tests of a choice, each once: under its panel unless it was chosen by itself. */
const wanted = ({ panelIds, testIds }: TestChoice) => sql`
  select distinct on (w.test_id) w.test_id, w.panel_id from (
    select pt.test_id, pt.panel_id, 1 as place from panel_test pt join test t on t.id = pt.test_id and t.deleted_at is null
      where pt.panel_id = any(${[...panelIds]}::int[])
    union all select id, null, 0 from unnest(${[...testIds]}::int[]) as id) w
  order by w.test_id, w.place, w.panel_id`

/** The tests that a choice orders; refuses what is not in the catalogue. */
export const testsOfChoice = async (db: Db, choice: TestChoice): Promise<number[]> => {
  const { panelIds, testIds } = choice
  const { rows } = await sql<{ panels: number; tests: number; ids: number[] }>`
    select (select count(*) from panel where id = any(${[...panelIds]}::bigint[]) and deleted_at is null) as panels,
      (select count(*) from test where id = any(${[...testIds]}::bigint[]) and deleted_at is null) as tests,
      array(select x.test_id from (${wanted(choice)}) x) as ids`.execute(db)
  if (rows[0]?.panels !== panelIds.length) throw invalid('panelIds', messages.invalid('Panels'))
  if (rows[0].tests !== testIds.length) throw invalid('testIds', messages.invalid('Tests'))
  return rows[0].ids
}

/** Orders what is not ordered yet. */
export const orderTests = async (
  write: WriteCall,
  requisitionId: number,
  choice: TestChoice,
): Promise<{ id: number; code: string }[]> => {
  const { rows } = await sql<{ id: number; code: string }>`
    with wanted as (${wanted(choice)}),
    made as (insert into requisition_test (requisition_id, test_id, panel_id)
      select ${requisitionId}, w.test_id, w.panel_id from wanted w join test t on t.id = w.test_id
      where not exists (select from requisition_test x where x.requisition_id = ${requisitionId} and x.test_id = w.test_id and x.deleted_at is null and not x.is_retest)
      order by t.sort_order returning id, test_id)
    select made.id, t.code from made join test t on t.id = made.test_id order by t.sort_order`.execute(write.db)
  if (rows.length === 0) return []
  await recordAudit(write.db, write.actor, write.requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'TEST',
    new: { added: rows.map(({ code }) => code).join(', ') },
  })
  await watchForTests(write.db, requisitionId)
  return rows
}
