import type { FieldError } from '@lis/contract/kit/errors.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'

interface Test {
  id: number
  code: string
  sortOrder: number
}

/** Tests and panels by code in upper case. */
export interface Catalogue {
  tests: ReadonlyMap<string, Test>
  panels: ReadonlyMap<string, { id: number; tests: readonly Test[] }>
}

export const readCatalogue = async (trx: Trx): Promise<Catalogue> => {
  const tests = await trx
    .selectFrom('test')
    .select((eb) => ['id', eb.fn<string>('upper', ['code']).as('code'), 'sort_order as sortOrder'])
    .where('deleted_at', 'is', null)
    .execute()
  const byId = new Map(tests.map((test) => [test.id, test]))
  const panels = await trx
    .selectFrom('panel as n')
    .innerJoin('panel_test as x', 'x.panel_id', 'n.id')
    .select((eb) => [
      'n.id',
      eb.fn<string>('upper', ['n.code']).as('code'),
      sql<number[]>`array_agg(${eb.ref('x.test_id')})::int[]`.as('testIds'),
    ])
    .where('n.deleted_at', 'is', null)
    .groupBy('n.id')
    .execute()
  return {
    tests: new Map(tests.map((test) => [test.code, test])),
    panels: new Map(
      panels.map(({ id, code, testIds }) => [code, { id, tests: testIds.flatMap((testId) => byId.get(testId) ?? []) }]),
    ),
  }
}

export const unknownTests = ({ tests, panels }: Catalogue, codes: readonly string[]): FieldError[] => {
  const unknown = codes.filter((code) => !panels.has(code) && !tests.has(code))
  return unknown.length > 0 ? [{ field: 'testCodes', message: `Not in the catalogue: ${unknown.join(', ')}` }] : []
}

export interface OrderedTest extends Test {
  panelId: number | null
}

/** Each test once: by itself if its code is given, otherwise under the first of its panels. */
export const orderedTests = ({ tests, panels }: Catalogue, codes: readonly string[]): OrderedTest[] => {
  const ordered = new Map<number, OrderedTest>()
  const add = (test: Test, panelId: number | null) => {
    const known = ordered.get(test.id)
    const isFirst = known === undefined || (known.panelId !== null && (panelId === null || panelId < known.panelId))
    if (isFirst) ordered.set(test.id, { ...test, panelId })
  }
  for (const code of codes) {
    const panel = panels.get(code)
    const test = tests.get(code)
    if (panel) for (const one of panel.tests) add(one, panel.id)
    else if (test) add(test, null)
  }
  return [...ordered.values()].toSorted((one, other) => one.sortOrder - other.sortOrder)
}

/** New requisitions have no results yet, so inserting the tests is enough. */
export const storeTests = async (trx: Trx, orders: readonly { id: number; tests: readonly OrderedTest[] }[]) => {
  const rows = orders.flatMap(({ id, tests }) => tests.map((test) => ({ id, test })))
  if (rows.length === 0) return
  await sql`insert into requisition_test (requisition_id, test_id, panel_id)
    select * from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ test }) => test.id)}::int[],
      ${rows.map(({ test }) => test.panelId)}::int[])`.execute(trx)
}
